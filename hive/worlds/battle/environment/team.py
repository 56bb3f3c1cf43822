"""What a learner needs to know of the side that it commands: where its goal is, and how its view is turned."""

from __future__ import annotations

import jax
import numpy as np
from jaxtyping import Array, Float

import dsl
from hive.engine.plan.arrays import compile_plan
from hive.engine.types import ENEMY, PLAYER, Plan
from hive.worlds.battle.world import Battle

ENDLESS = dsl.PlanSyntax((dsl.Step(0, (), dsl.Extinguish(), ()),))
"""One step that no battle achieves: a game does not end because the learner's side has no plan left."""


def no_plan(world: Battle, side: int) -> Plan:
    """Return a plan that commands no unit and never ends."""
    return compile_plan(ENDLESS, side, world.sizes, world.behaviours)


def goal_of(world: Battle, side: int) -> Float[Array, " 2"]:
    """Return where a side is told to go, metres: the place of its objective, or the middle of the other's start."""
    at = world.side(side).objective.at
    place = start_of(world, 1 - side) if at is None else np.array(at)
    return jax.device_put(place.astype(np.float32))


def turn_of(world: Battle, side: int) -> Float[Array, " 2"]:
    """Return the signs of the axes in the view of a side (docs/rules/learning.md 11.4).

    They are 1 for the player. The enemy sees the map mirrored along the axis on which the start boxes of both sides are
    farther apart, so that a policy of either side sees its own army on the same side of the map.
    """
    turn = np.ones(2, np.float32)
    if side == ENEMY:
        turn[np.abs(start_of(world, ENEMY) - start_of(world, PLAYER)).argmax()] = -1.0
    return jax.device_put(turn)


def start_of(world: Battle, side: int) -> np.ndarray:
    """`[2]` middle of the free cells of a side's start boxes, averaged over its units; metres."""
    units, boxes = world.params.units, world.params.boxes
    box = np.asarray(units.box)[np.asarray(units.side) == side]
    cell, count = np.asarray(boxes.cell), np.asarray(boxes.count)
    cells = [cell[at, : count[at]].mean(0) for at in box]
    return np.mean(cells, axis=0)
