"""How tests look at the readings of orders: the steps of a plan, what they tell each unit, and questions."""

from __future__ import annotations

import functools

import dsl
from hive.engine.instant import state_at_start
from hive.kit.facts import Facts, Running
from hive.players.words.doubts import MEANT
from hive.players.words.reading import Reading, interpret
from hive.worlds.battle.world import load

Cell = tuple[int, int]


@functools.cache
def facts(name: str = "duel") -> Facts:
    """What is known at the start of a game of 100 units.

    In `duel`, units 0 to 49 are spearmen, 50 to 79 archers and 80 to 99 cavalry on each side.
    The enemy is in the north.
    """
    world = load(name, units=100)
    return world.facts(state_at_start(world, 0))


def plan_of(reading: Reading, known: Facts) -> dsl.PlanSyntax:
    """The plan of a reading, which has no errors in its world; also of one that is read back."""
    plan = reading.draft if reading.question.startswith(MEANT) else reading.plan
    assert plan is not None, reading.text
    report = dsl.check_plan(plan, "reply", known.context)
    assert report.ok, dsl.render(report.diagnostics)
    assert isinstance(report.root, dsl.PlanSyntax)
    return report.root


def steps(order: str, name: str = "duel", running: Running | None = None) -> tuple[dsl.Step, ...]:
    """The steps of the plan of an order, which gets no question."""
    return plan_of(interpret(order, facts(name), running), facts(name)).steps


def ordered(plan: dsl.PlanSyntax) -> dict[int, list[tuple[Cell, str]]]:
    """What each unit is told in the course of a plan: target and behaviour of each of its groups."""
    found: dict[int, list[tuple[Cell, str]]] = {}
    for step in plan.steps:
        for group in step.groups:
            for unit in group.units.ids(100):
                found.setdefault(unit, []).append((group.target, group.behaviour))
    return found


def told(order: str, name: str = "duel") -> dict[int, list[Cell]]:
    """The targets of each unit that an order names, one after another."""
    plan = dsl.PlanSyntax(steps(order, name))
    return {unit: [target for target, _ in each] for unit, each in ordered(plan).items()}


def targets(order: str, name: str = "duel") -> set[Cell]:
    """All places to which an order sends units."""
    return {cell for cells in told(order, name).values() for cell in cells}


def sent(order: str, cell: Cell, name: str = "duel") -> list[int]:
    """The units whose last target is a cell."""
    return sorted(unit for unit, cells in told(order, name).items() if cells[-1] == cell)


def asked(order: str, name: str = "duel") -> str:
    """The question that an order gets."""
    reading = interpret(order, facts(name))
    assert reading.plan is None, reading.text
    return reading.question
