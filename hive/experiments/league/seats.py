"""The two seats of a mirrored battle: which scenarios have two equal seats, and how a plan sits in either of them.

Rules: docs/rules/league.md 1.1, 1.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

import dsl
from hive.engine.plan.arrays import compile_plan
from hive.engine.plan.rescale import rescale_plan
from hive.engine.reading import read_tree
from hive.engine.types import PLAYER, Params, Plan
from hive.worlds.battle.scenario import Scenario
from hive.worlds.battle.world import Battle

_NORTHWARD = "success_action"  # a leaf whose step leads north, though it names no direction


def why_no_mirror(scenario: Scenario) -> str | None:
    """Return why the seats of a scenario are not mirror images of each other under y -> side - y; None if they are."""
    player, enemy = scenario.player, scenario.enemy
    kind, size = scenario.map.kind, scenario.map.size
    if not np.array_equal(kind, kind[:, ::-1]):
        x, y = np.argwhere(kind != kind[:, ::-1])[0]
        return f"the cells ({x}, {y}) and ({x}, {size - 1 - y}) differ"
    if [(group.type, group.count) for group in player.units] != [(group.type, group.count) for group in enemy.units]:
        return "the armies differ"
    for number, (mine, theirs) in enumerate(zip(player.units, enemy.units, strict=True)):
        (xs, ys), (others, rows) = mine.cells(size), theirs.cells(size)
        if xs != others or rows != slice(size - ys.stop, size - ys.start):
            return f"the start boxes of player.units[{number}] and enemy.units[{number}] are no mirror images"
    if {player.objective.kind, enemy.objective.kind} != {"elimination"}:
        return "not both objectives are elimination"
    if set(player.behaviours) != set(enemy.behaviours):
        return "the sides may use different behaviours"
    if scenario.fire is not None:
        return "it has a fire, which the wind drives one way"
    for name in player.behaviours:
        for leaf in _leaves(read_tree(name, scenario.trees)):
            if leaf.name == _NORTHWARD or {"north", "south"} & set(leaf.args):
                return f"the behaviour `{name}` names a direction"
    return None


def mirrored(plan: dsl.PlanSyntax, size: int) -> dsl.PlanSyntax:
    """Return a plan with the mirrored places: the cell (x, y) of a map of side `size` becomes (x, size - 1 - y)."""

    def turned(group: dsl.Group) -> dsl.Group:
        choice = group.choice
        match choice:
            case dsl.Nearest(count, place):
                choice = dsl.Nearest(count, _mirror(place, size))
            case dsl.Inside(first, last):
                choice = dsl.Inside(_mirror(first, size), _mirror(last, size))
        return replace(group, target=_mirror(group.target, size), choice=choice)

    steps = [replace(step, groups=tuple(map(turned, step.groups))) for step in plan.steps]
    return replace(plan, steps=tuple(steps))


def endless(plan: dsl.PlanSyntax) -> dsl.PlanSyntax:
    """Return a plan that is never finished: with a last step that has no groups and waits for all enemies to die."""
    last = dsl.Step(
        id=max(step.id for step in plan.steps) + 1,
        prerequisites=(),
        objective=dsl.Elimination(dsl.UnitList(None)),
        groups=(),
    )
    return replace(plan, steps=(*plan.steps, last))


def seated(plan: dsl.PlanSyntax, world: Battle, side: int, written_for: tuple[int, int] | None = None) -> Plan:
    """Compile a plan, written from the player's side, for a seat.

    In the player's seat it is made endless, since the engine ends a game when that side's plan is finished, and does
    not when the other side's is. In the enemy's seat its targets are mirrored.

    Args:
        plan: A plan that was checked for the player.
        world: A battle with equal seats, see `why_no_mirror`.
        side: PLAYER or ENEMY.
        written_for: Sizes of the own team and of the other one that it was written for; None: the scenario's.

    Returns:
        The plan as arrays, for the teams of the world.
    """
    own, foe = zip(written_for or world.written_for, world.sizes, strict=True)
    scaled = rescale_plan(plan, own, foe)
    sitting = endless(scaled) if side == PLAYER else mirrored(scaled, world.scenario.map.size)
    return compile_plan(sitting, side, world.sizes, world.behaviours)


@dataclass(frozen=True)
class Facing(Battle):
    """A battle whose enemy follows another plan than the scenario's.

    Attributes:
        opponent: The enemy's plan, from `seated`.
    """

    opponent: Plan | None = None

    @cached_property
    def params(self) -> Params:
        """The arrays of the scenario, with the opponent's plan."""
        return super().params.replace(enemy=self.opponent)


def _mirror(cell: tuple[int, int], size: int) -> tuple[int, int]:
    return cell[0], size - 1 - cell[1]


def _leaves(node: dsl.Node) -> Iterator[dsl.Leaf]:
    if isinstance(node, dsl.Leaf):
        yield node
    else:
        for child in node.children:
            yield from _leaves(child)
