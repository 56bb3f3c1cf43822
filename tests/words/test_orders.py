"""Orders by people who saw the worlds and not the rules: each has an answer, whatever it says.

`orders/*.jsonl` has an order a line, with its world and, for free orders, what their authors meant. How many such
orders are read rightly, docs/commander/words.md tells of other sets; these are for whoever develops the rules.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

import dsl
import hive
from hive.engine.instant import state_at_start
from hive.kit.facts import Facts
from hive.players.words.reading import interpret
from tests.tiers import tiers

ORDERS = Path(__file__).parent / "orders"


@functools.cache
def facts(name: str, units: int | None) -> Facts:
    world = hive.load(name, units=units) if units else hive.load(name)
    return world.facts(state_at_start(world, 0))


def is_usual(order: dict[str, Any]) -> bool:
    return "/" not in order["world"] and order.get("units", 100) == 100


@pytest.mark.parametrize("every", tiers([20, 1], slow=[20]))
@pytest.mark.parametrize("name", ["free", "in_battle", "typed", "prompts"])
def test_every_order_has_a_valid_plan_or_a_question(name: str, every: int) -> None:
    """No order ends in an error, a plan is valid in its world, and a question may have a draft that is.

    The cases of CI are of worlds that other tests load: to load the ten others takes longer than to read all orders.
    """
    lines = (ORDERS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    orders = [json.loads(line) for line in lines]
    assert len(orders) >= 60
    for each in orders if every == 1 else [each for each in orders if is_usual(each)][::every]:
        known = facts(each["world"], each.get("units", 100))
        reading = interpret(each["order"], known)
        assert (reading.plan is None) == bool(reading.question), each["order"]
        for plan in (reading.plan, reading.draft):
            if plan is not None:
                report = dsl.check_plan(plan, "answer", known.context)
                assert report.ok, f"{each['order']}\n{dsl.render(report.diagnostics)}"
