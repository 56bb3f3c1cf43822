"""Metrics of a game, reduced on the device."""

from __future__ import annotations

import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float, Int

from dsl.vocabulary import SIDES
from hive.engine.objective import score
from hive.engine.types import PLAYER, Orders, Params, Progress, State


class Metrics(struct.PyTreeNode, kw_only=True):
    """What is recorded of one tick."""

    tick: Int[Array, ""]
    alive: Int[Array, "2 k"]  # live units by side and type
    health: Float[Array, " 2"]  # summed by side
    achieved: Int[Array, ""]  # the player's steps achieved so far
    score: Float[Array, ""]


def measure(params: Params, orders: Orders, progress: Progress, state: State) -> Metrics:
    """Count the world after a tick."""
    mine = jnp.stack([params.units.side == side for side in range(len(SIDES))])
    return Metrics(
        tick=state.tick,
        alive=survivors(params, state),
        health=jnp.where(mine, state.health, 0.0).sum(1),
        achieved=((progress.achieved >= 0) & (orders.owner == PLAYER)).sum(dtype=jnp.int32),
        score=score(params, state),
    )


def survivors(params: Params, state: State) -> Int[Array, "2 k"]:
    """`[2, K]` live units by side and type."""
    kinds = params.types.speed.shape[0]
    index = params.units.side * kinds + params.units.type
    hot = jnp.arange(len(SIDES) * kinds)[:, None] == index[None]
    return (hot & state.alive[None]).sum(1, dtype=jnp.int32).reshape(len(SIDES), kinds)
