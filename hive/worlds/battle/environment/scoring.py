"""Rewards and scores of battles, for a learner on either side (docs/rules/learning.md 4, 5)."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from hive.engine.episode import Game
from hive.engine.types import ENEMY, PLAYER, Outcome, Params


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
        gain = gain + jnp.where(params.goals.eliminate[side], _lost(params, before, after, 1 - side), nearer)
    return jnp.where(before.outcome == Outcome.RUNNING, gain, 0.0).astype(jnp.float32)


def score(params: Params, game: Game, side: int) -> Float[Array, ""]:
    """Return how far the side has come; docs/rules/learning.md 5."""
    foe = params.units.side == (ENEMY if side == PLAYER else PLAYER)
    dead = (foe & ~game.state.alive).sum(dtype=jnp.float32)
    dead = dead / jnp.maximum(foe.sum(dtype=jnp.float32), dead)  # a divisor of this game alone: see `hive.ground.exact`
    first, least = game.way[side]
    near = 1.0 - least / jnp.maximum(first, least)
    score = jnp.where(params.goals.eliminate[side], dead, jnp.where(first > 0, near, 1.0))
    return jnp.where(won(game, side), 1.0, score).astype(jnp.float32)


def _lost(params: Params, before: Game, after: Game, side: int) -> Float[Array, ""]:
    """Share of a side's health that it lost between two states."""
    own = params.units.side == side
    full = params.types.max_health[params.units.type]
    old, new, all_ = (jnp.where(own, each, 0.0).sum() for each in (before.state.health, after.state.health, full))
    return (old - new) / jnp.maximum(all_, old)  # a divisor of this game alone: see `hive.ground.exact`
