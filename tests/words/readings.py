"""How tests look at the readings of orders: the steps of a plan, what they tell each unit, drafts and questions."""

from __future__ import annotations

import functools

import dsl
from hive.engine.instant import state_at_start
from hive.kit.facts import Facts, Running
from hive.players.words.reading import MEANT, interpret
from hive.worlds.battle.world import load

Cell = tuple[int, int]
SPEARMEN, ARCHERS, CAVALRY = [*range(50)], [*range(50, 80)], [*range(80, 100)]
"""Ids in `duel`, on each side."""


@functools.cache
def facts(name: str = "duel") -> Facts:
    """What is known at the start of a game of 100 units. In `duel` the enemy is in the north."""
    world = load(name, units=100)
    return world.facts(state_at_start(world, 0))


def checked(plan: str | None, known: Facts) -> dsl.PlanSyntax:
    """A plan that has no errors in its world."""
    assert plan is not None
    report = dsl.check_plan(plan, "reply", known.context)
    assert report.ok, dsl.render(report.diagnostics)
    assert isinstance(report.root, dsl.PlanSyntax)
    return report.root


def steps(order: str, name: str = "duel", running: Running | None = None) -> tuple[dsl.Step, ...]:
    """The steps of the plan of an order that is carried out at once."""
    reading = interpret(order, facts(name), running)
    assert reading.plan is not None, reading.text
    return checked(reading.plan, facts(name)).steps


def ordered(found: tuple[dsl.Step, ...]) -> dict[int, list[tuple[Cell, str]]]:
    """What each unit is told in the course of some steps: target and behaviour of each of its groups."""
    told: dict[int, list[tuple[Cell, str]]] = {}
    for step in found:
        for group in step.groups:
            for unit in group.units.ids(100):
                told.setdefault(unit, []).append((group.target, group.behaviour))
    return told


def told(order: str, name: str = "duel") -> dict[int, list[Cell]]:
    """The targets of each unit that an order names, one after another."""
    return {unit: [target for target, _ in each] for unit, each in ordered(steps(order, name)).items()}


def sent(order: str, cell: Cell, name: str = "duel") -> list[int]:
    """The units whose last target is a cell."""
    return sorted(unit for unit, cells in told(order, name).items() if cells[-1] == cell)


def asked(order: str, name: str = "duel") -> str:
    """The question that an order gets."""
    reading = interpret(order, facts(name))
    assert reading.plan is None, reading.text
    return reading.question


def drafted(order: str, name: str = "duel") -> tuple[dsl.Step, ...]:
    """The steps of the draft of an order that is read back."""
    reading = interpret(order, facts(name))
    assert reading.plan is None and reading.question.startswith(MEANT), reading.text
    return checked(reading.draft, facts(name)).steps
