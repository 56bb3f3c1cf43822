"""How a game ends and how it is scored (docs/rules/battles.md 4)."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from hive.engine.crews.score import achieved, over
from hive.engine.types import ENEMY, PLAYER, Orders, Outcome, Params, Plan, Progress, State
from hive.ground.exact import length
from hive.ground.terrain import cell

_FAR = np.iinfo(np.int32).max


def judge(params: Params, orders: Orders, progress: Progress, state: State) -> Int[Array, ""]:
    """Return the `Outcome` of the game at this tick.

    The global objectives are tested first (docs/rules/battles.md 4.2), the player's before the enemy's; then a finished
    plan, then the limit. A finished enemy plan does not end the game. A crew's game ends with its task or at the limit,
    independently of its plan.
    """
    if params.crews is not None:
        outcome = jnp.where(state.tick >= params.rules.limit, Outcome.TIMEOUT, Outcome.RUNNING)
        return jnp.where(over(params, state), Outcome.WIN, outcome).astype(jnp.int32)
    met = goals_met(params, state)
    all_dead = ~(state.alive & (params.units.side == PLAYER)).any()
    finished = ~(left_to_do(orders.plan, progress) & (orders.owner == PLAYER)).any()
    outcome = jnp.where(state.tick >= params.rules.limit, Outcome.TIMEOUT, Outcome.RUNNING)
    outcome = jnp.where(finished, Outcome.PLAN_FINISHED, outcome)
    outcome = jnp.where(met[ENEMY] | all_dead, Outcome.LOSE, outcome)
    return jnp.where(met[PLAYER], Outcome.WIN, outcome).astype(jnp.int32)


def left_to_do(plan: Plan, progress: Progress) -> Bool[Array, " p"]:
    """`[P]` steps that are active, or will be at the next check because they wait for a step later in the text."""
    achieved = progress.achieved >= 0
    return plan.exists & ~achieved & (achieved[None] | ~plan.prerequisite).all(1)


def goals_met(params: Params, state: State) -> Bool[Array, " 2"]:
    """`[2]` whether each side has met its global objective: all enemies dead, or one live unit at the place."""
    won = []
    for side in (PLAYER, ENEMY):
        dead = ~(state.alive & (params.units.side != side)).any()
        there = nearest(params, state, side, params.goals.place[side]) <= params.rules.goal_radius
        won.append(jnp.where(params.goals.eliminate[side], dead, there))
    return jnp.stack(won)


def nearest(params: Params, state: State, side: int, place: Float[Array, " 2"]) -> Float[Array, ""]:
    """Metres from a place to the nearest live unit of a side, infinite when there is none."""
    away = length(state.position - place[None])
    return jnp.where(state.alive & (params.units.side == side), away, jnp.inf).min()


def steps_left(params: Params, orders: Orders, state: State) -> Int[Array, " 2"]:
    """`[2]` steps on foot from each side's nearest live unit to the place of its objective (docs/rules/battles.md 4.5).

    -1 for a side without such a place, or without a live unit.
    """
    if orders.goal is None:
        return jnp.full(2, -1)
    at = cell(state.position, params.terrain.size)
    left = []
    for side in (PLAYER, ENEMY):
        own = state.alive & (params.units.side == side) & ~params.goals.eliminate[side]
        least = jnp.where(own, orders.goal[side, at[:, 0], at[:, 1]], _FAR).min()
        left.append(jnp.where(least == _FAR, -1, least))
    return jnp.stack(left)


def score(params: Params, state: State) -> Float[Array, ""]:
    """The player's continuous score (docs/rules/battles.md 4.4).

    Returns:
        The share of enemies dead; for a position objective the distance in metres from it to the nearest live unit,
        where lower is better. For crews: the score of the level.
    """
    if params.crews is not None:
        return achieved(params, state).astype(jnp.float32)
    foes = params.units.side == ENEMY
    dead, live = (foes & ~state.alive).sum(), (foes & state.alive).sum()
    share = dead / jnp.maximum(dead + live, 1)  # the divisor belongs to this game alone: see `hive.ground.exact`
    away = nearest(params, state, PLAYER, params.goals.place[PLAYER])
    return jnp.where(params.goals.eliminate[PLAYER], share, away)
