"""docs/commander/words.md: each order of its table has the answer that the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hive.players.words.reading import interpret
from tests.words.readings import facts, plan_of

PAGE = (Path(__file__).parents[2] / "docs" / "commander" / "words.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| (.+) \| (plan|question) \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("world", "order", "answer"), ROWS)
def test_an_order_of_the_page_has_its_answer(world: str, order: str, answer: str) -> None:
    reading = interpret(order, facts(world))
    assert (reading.plan is None) == (answer == "question"), reading.text
    assert not reading.unknown or answer == "question"
    if reading.plan:
        assert not any("left out" in line for line in reading.lines)
        plan_of(reading, facts(world))
