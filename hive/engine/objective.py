"""How a game ends and how it is scored (docs/rules/battles.md 4)."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from hive.engine.crews.score import achieved, over
from hive.engine.types import ENEMY, PLAYER, GoalKind, Orders, Outcome, Params, Plan, Progress, State
from hive.ground.exact import square
from hive.ground.terrain import cell

LOSSES = 100
"""Points of losses in a game against a fire that halve its value (docs/rules/rewards.md 1)."""

_FAR = np.iinfo(np.int32).max


class Tally(NamedTuple):
    """Units by side, `[2]` each."""

    live: Int[Array, " 2"]
    dead: Int[Array, " 2"]
    able: Int[Array, " 2"]  # live, and the objective of their side counts them
    there: Int[Array, " 2"]  # such units at one of its places


def tally(params: Params, state: State) -> Tally:
    """Count the units of both sides in one sum: in a compiled program each sum is a few loops of its own."""
    able = state.alive & (counted(params, PLAYER) | counted(params, ENEMY))
    there = able & (away(params, state) <= params.rules.goal_radius)
    marks = [state.alive, ~state.alive, able, there]
    word = sum(mark.astype(jnp.int32) << number for number, mark in enumerate(marks)) << len(marks) * params.units.side
    bits = np.arange(2 * len(marks), dtype=np.int32)[:, None]  # padding has its marks beyond these
    return Tally(*((word[None] >> bits) & 1).sum(1, dtype=jnp.int32).reshape(2, len(marks)).T)


def judge(params: Params, orders: Orders, progress: Progress, state: State) -> Int[Array, ""]:
    """Return the `Outcome` of the game at this tick.

    The global objectives are tested first (docs/rules/battles.md 4.2), the player's before the enemy's, with which the
    player's also fails where too few of the units live that it needs; then a finished plan, then the limit. A finished
    enemy plan does not end the game. A crew's game ends with its task or at the limit, independently of its plan.
    """
    if params.crews is not None:
        outcome = jnp.where(state.tick >= params.rules.limit, Outcome.TIMEOUT, Outcome.RUNNING)
        return jnp.where(over(params, state), Outcome.WIN, outcome).astype(jnp.int32)
    units = tally(params, state)
    met = goals_met(params, state, units)
    too_few = units.able[PLAYER] < params.goals.needed[PLAYER]
    finished = ~(left_to_do(orders.plan, progress) & (orders.owner == PLAYER)).any()
    outcome = jnp.where(state.tick >= params.rules.limit, Outcome.TIMEOUT, Outcome.RUNNING)
    outcome = jnp.where(finished, Outcome.PLAN_FINISHED, outcome)
    outcome = jnp.where(met[ENEMY] | too_few, Outcome.LOSE, outcome)
    return jnp.where(met[PLAYER], Outcome.WIN, outcome).astype(jnp.int32)


def left_to_do(plan: Plan, progress: Progress) -> Bool[Array, " p"]:
    """`[P]` steps that are active, or will be at the next check because they wait for a step later in the text."""
    achieved = progress.achieved >= 0
    return plan.exists & ~achieved & (achieved[None] | ~plan.prerequisite).all(1)


def goals_met(params: Params, state: State, units: Tally) -> Bool[Array, " 2"]:
    """`[2]` whether each side has met its global objective (docs/rules/battles.md 4.3), given its units."""
    goals = params.goals
    survives, wiped_out = goals.kind == GoalKind.SURVIVAL, units.live[::-1] == 0
    fit = jnp.where(survives, units.able, units.there)
    enough = (fit >= goals.needed) & (wiped_out | (state.tick >= goals.until) | ~survives)
    return jnp.where(goals.kind == GoalKind.ELIMINATION, wiped_out, enough)


def counted(params: Params, side: int) -> Bool[Array, " n"]:
    """`[N]` whether a unit, dead or alive, is one that the objective of a side counts."""
    kind = params.goals.type[side]
    return (params.units.side == side) & ((kind < 0) | (params.units.type == kind))


def away(params: Params, state: State) -> Float[Array, " n"]:
    """`[N]` metres from each unit to the nearest place of its side's objective."""
    mine, place = (params.units.side == PLAYER)[None], params.goals.place
    east, north = (
        state.position[None, :, axis] - jnp.where(mine, place[PLAYER, :, axis, None], place[ENEMY, :, axis, None])
        for axis in (0, 1)
    )
    return jnp.sqrt(reduce(jnp.minimum, square(east, north)))


def steps_left(params: Params, orders: Orders, state: State) -> Int[Array, " 2"]:
    """`[2]` steps on foot to a place of each side's objective from its nearest live unit (docs/rules/battles.md 4.5).

    Of the units that the objective counts. -1 for a side without such a place, or without such a unit.
    """
    if orders.goal is None:
        return jnp.full(2, -1, jnp.int32)
    at = cell(state.position, params.terrain.size)
    left = []
    for side in (PLAYER, ENEMY):
        own = state.alive & counted(params, side) & (params.goals.kind[side] == GoalKind.POSITION)
        row = side if orders.goal_row is None else orders.goal_row[side]
        least = jnp.where(own, orders.goal[row, at[:, 0], at[:, 1]], _FAR).min()
        left.append(jnp.where(least == _FAR, -1, least))
    return jnp.stack(left)


def reached(params: Params, state: State, side: int) -> Float[Array, ""]:
    """Return how much of its objective a side has reached, from 0 to 1 (docs/rules/battles.md 4.4).

    Returns:
        For an elimination the share of the other side that is dead; for a position how many of the units that it needs
        are there, as a share of those; for a survival the share of its ticks that have passed.
    """
    goals, units = params.goals, tally(params, state)
    # No divisor is shared by the games of a batch: see `hive.ground.exact`.
    dead, live = units.dead[1 - side], units.live[1 - side]
    killed = dead / jnp.maximum(dead + live, 1)
    arrived = jnp.minimum(units.there[side], goals.needed[side])
    safe = (live == 0) & (units.able[side] >= goals.needed[side])
    passed = jnp.where(safe, goals.until[side], jnp.minimum(state.tick, goals.until[side]))
    kind = goals.kind[side]
    return jnp.where(
        kind == GoalKind.ELIMINATION,
        killed,
        jnp.where(
            kind == GoalKind.POSITION,
            arrived / jnp.maximum(goals.needed[side], arrived),
            passed / jnp.maximum(jnp.maximum(goals.until[side], passed), 1),
        ),
    )


def score(params: Params, state: State) -> Float[Array, ""]:
    """The player's continuous score (docs/rules/battles.md 4.4).

    Returns:
        What the player has reached, from 0 to 1, where higher is better; where one unit at a place is enough, the
        distance in metres from the nearest place to the nearest live unit that counts, where lower is better and which
        is infinite when none lives. For crews: the points of the level, where higher is better, at most 0 against a
        fire.
    """
    if params.crews is not None:
        return achieved(params, state).astype(jnp.float32)
    metres = jnp.where(state.alive & counted(params, PLAYER), away(params, state), jnp.inf).min()
    return jnp.where(measured(params, PLAYER), metres, reached(params, state, PLAYER))


def measured(params: Params, side: int) -> Bool[Array, ""]:
    """Whether one unit at a place is enough for a side, so that its distance says how far it has come."""
    return (params.goals.kind[side] == GoalKind.POSITION) & (params.goals.needed[side] == 1)
