"""Rewards and scores of battles, for a learner on either side (docs/rules/learning.md 4, 5)."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from hive.engine.episode import Game
from hive.engine.objective import measured, reached
from hive.engine.types import PLAYER, GoalKind, Outcome, Params


def won(game: Game, side: int) -> Bool[Array, ""]:
    """Whether the side has won."""
    return game.outcome == (Outcome.WIN if side == PLAYER else Outcome.LOSE)


def terminated(game: Game) -> Bool[Array, ""]:
    """Whether one of the sides has won."""
    return (game.outcome == Outcome.WIN) | (game.outcome == Outcome.LOSE)


def truncated(game: Game) -> Bool[Array, ""]:
    """Whether the game has ended without a winner, at the limit or because the player's plan is finished."""
    return (game.outcome == Outcome.TIMEOUT) | (game.outcome == Outcome.PLAN_FINISHED)


def reward(params: Params, before: Game, after: Game, side: int, sparse: bool) -> Float[Array, ""]:
    """Return the reward of a step of the learner, 0 for a game that had ended before; docs/rules/learning.md 4."""
    gain = won(after, side).astype(jnp.float32)
    if not sparse:
        way = after.way[side]
        nearer = (before.way[side, 1] - way[1]) / jnp.maximum(way[0], 1)
        more = reached(params, after.state, side) - reached(params, before.state, side)
        eliminate = params.goals.kind[side] == GoalKind.ELIMINATION
        lost = _lost(params, before, after, 1 - side)
        gain = gain + jnp.where(eliminate, lost, _joined(params, side, nearer, more))
    return jnp.where(before.outcome == Outcome.RUNNING, gain, 0.0).astype(jnp.float32)


def score(params: Params, game: Game, side: int) -> Float[Array, ""]:
    """Return how far the side has come; docs/rules/learning.md 5."""
    first, least = game.way[side]
    near = jnp.where(first > 0, 1.0 - least / jnp.maximum(first, least), 1.0)
    score = _joined(params, side, near, reached(params, game.state, side))
    return jnp.where(won(game, side), 1.0, score).astype(jnp.float32)


def _joined(params: Params, side: int, way: Float[Array, ""], share: Float[Array, ""]) -> Float[Array, ""]:
    """Join the share of the way to a place and that of the objective, as docs/rules/rewards.md 1 says."""
    position = params.goals.kind[side] == GoalKind.POSITION
    return jnp.where(measured(params, side), way, jnp.where(position, (way + share) / 2, share))


def _lost(params: Params, before: Game, after: Game, side: int) -> Float[Array, ""]:
    """Share of a side's health that it lost between two states."""
    own = params.units.side == side
    full = params.types.max_health[params.units.type]
    old, new, all_ = (jnp.where(own, each, 0.0).sum() for each in (before.state.health, after.state.health, full))
    # Health never rises, so `new` is there for the compiler alone: steps from one state may share what was before, and
    # nothing is divided by what they share (`hive.ground.exact`).
    return (old - new) / jnp.maximum(jnp.maximum(all_, old), new)
