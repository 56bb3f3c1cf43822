"""Crowding: overlapping units push each other apart (docs/rules/battles.md 3.7)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from hive.engine.types import Params, State
from hive.engine.units.neighbours import meet
from hive.ground.exact import rounded, square, whole
from hive.ground.flat import over_worlds
from hive.ground.hashing import kept
from hive.ground.sizes import current

PUSH_CELL = 5.0  # metres, the most that two radii add up to

_FUSED = 32  # terms of the longest sum that XLA makes one loop with its terms


class Body(NamedTuple):
    """Fields of a unit in the sweep, `[W, N]`."""

    x: Array
    y: Array
    radius: Array
    id: Array
    grain: Array  # fixed-point steps per metre


Total = tuple[Array, Array]  # east and north


def push(params: Params, state: State) -> Float[Array, "n 2"]:
    """Displacement of each unit by its overlaps, before terrain stops it.

    Args:
        params: Rules.
        state: World after the move.

    Returns:
        `[N, 2]` metres, `firmness / 2 * sum_j (p_i - p_j) * max(0, (r_i + r_j) / (d + 1e-6) - 1)` over live units j:
        dead units neither push nor block. Summed in fixed point, 2^-16 m and coarser above 6,553 units, so
        that the order of units has no effect.
    """
    radius = params.types.radius[params.units.type]
    grain = grain_of(params.count)
    body = Body(
        x=state.position[:, 0],
        y=state.position[:, 1],
        radius=radius,
        id=params.units.id,
        grain=jnp.full(params.count, grain),
    )
    east, north = _push_flat(jnp.zeros((params.terrain.size, 0)), (state.position, state.alive, body))
    total = jnp.stack([east, north], -1).astype(jnp.float32) / grain
    return rounded(total * (0.5 * params.rules.firmness))


def grain_of(count: int) -> np.float32:
    """Return the steps in a metre of the sums over so many units, a power of two of at most 2^16."""
    return np.float32(2.0 ** min(16, math.floor(math.log2(2**31 / (PUSH_CELL * count)))))


def _push(shape: Array, own: tuple[Array, Array, Body]) -> Total:
    position, alive, body = own
    start: Any = (np.int32(0), np.int32(0))
    reach = 2 * jnp.where(alive, body.radius, 0.0).max(1)
    return meet(position, alive, body, body, start, _reduce, side=shape.shape[1], cell=PUSH_CELL, reach=reach)


_push_flat = over_worlds(_push)


def _reduce(value: Total, fields: Callable[[], tuple[Body, Body]], real: Array) -> Total:
    me, other = fields()
    axis = 1  # of the candidates
    if real.shape[1] > me.x.shape[2] and not current().flat:  # along the last axis a processor adds by vector code
        me, other, real = jax.tree.map(lambda a: jnp.swapaxes(a, 1, 2), (me, other, real))
        axis = 2
    east, north = me.x - other.x, me.y - other.y
    distance = jnp.sqrt(square(east, north))
    reach = jnp.where(real & (me.id != other.id), me.radius + other.radius, 0.0)
    weight = jnp.maximum(0.0, reach / (distance + 1e-6) - 1.0) * me.grain
    if axis == 1 and real.shape[1] <= _FUSED:
        weight = kept(weight)  # otherwise XLA divides in the loop of each sum, without vector instructions
    steps = tuple(whole(weight * part) for part in (east, north))
    if current().flat:  # one pass for both, which keeps nothing of a pair in memory
        start: Any = (np.int32(0), np.int32(0))
        total = lax.reduce(steps, start, lambda one, other: (one[0] + other[0], one[1] + other[1]), (axis,))
    else:
        total = (steps[0].sum(axis), steps[1].sum(axis))
    return value[0] + total[0], value[1] + total[1]
