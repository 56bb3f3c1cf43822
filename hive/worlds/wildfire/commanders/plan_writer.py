"""Turns sequences of orders for units into the text of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dsl.formatter import format_plan
from dsl.nodes import Cell, Contain, Group, Objective, PlanSyntax, Position, Step, UnitList

NEVER = Contain((0, 0), 0)  # an objective that no game meets: only the corner has burnt, where no fire starts


@dataclass(frozen=True)
class Order:
    """One order.

    Attributes:
        target: Target cell.
        behaviour: Name of a tree.
        until: When the next order of the same units begins; the last order of a course holds for the rest of the game.
    """

    target: Cell
    behaviour: str = "go_to"
    until: Objective = field(default_factory=Position)


@dataclass(frozen=True)
class UnitOrders:
    """Units with the same orders, and these orders in sequence."""

    units: tuple[int, ...]
    orders: tuple[Order, ...]


def course(units: int | Iterable[int], *orders: Order) -> UnitOrders:
    """Return a course for one unit or several."""
    return UnitOrders((units,) if isinstance(units, int) else tuple(units), orders)


def write_plan(courses: Sequence[UnitOrders], purpose: Objective) -> str:
    """Return the plan in which each course is a chain of steps; without any course all stand.

    Args:
        courses: Courses without common units; those without units or orders are ignored.
        purpose: Objective of the last step of each course: a step that is achieved at once would never begin.
    """
    steps: list[Step] = []
    for each in courses:
        if not each.units:
            continue
        for number, order in enumerate(each.orders):
            before = (len(steps),) if number else ()
            target = (int(order.target[0]), int(order.target[1]))
            group = Group(UnitList(tuple(int(unit) for unit in each.units)), target, order.behaviour)
            until = purpose if order is each.orders[-1] else order.until
            steps.append(Step(len(steps) + 1, before, until, (group,)))
    if not steps:
        steps = [Step(1, (), purpose, (Group(UnitList(None), (0, 0), "stand"),))]
    return format_plan(PlanSyntax(tuple(steps)))
