"""Straight lines over terrain: line of sight, the swept test of a move, and the fan of `follow_map`.

A line is read at `SAMPLES` points, evenly spaced, both ends included (docs/rules/battles.md 1.4). Only lines that the
clearance field cannot clear are sampled, in compacted blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt

from hive.ground.compaction import block_for, for_marked
from hive.ground.exact import length, rounded
from hive.ground.flat import over_worlds
from hive.ground.hashing import read
from hive.ground.shapes import Ground
from hive.ground.sizes import current
from hive.ground.terrain import Terrain, cell, lookup, move_clearance

SAMPLES = 30  # points of a line: twice the integer part of the largest sight range, 15 m (docs/rules/battles.md 1.4)
_PARTS = np.concatenate([np.linspace(0, 1, SAMPLES, dtype=np.float32), np.ones(2, np.float32)])[None, None]
"""Parts of the way to each sample, with the last one three times: 32 are whole vectors of a processor."""
_MARGIN = 1e-3  # metres by which a clearance must exceed a length, so that rounding never skips a needed test

SIGHT_KINDS = Ground.BUILDING | Ground.FOREST
STEP_KINDS = Ground.BUILDING | Ground.WATER


def blocked_samples(
    words: UInt[Array, "g x y"],
    world: Int[Array, " m"],
    start: Float[Array, "m _ 2"],
    end: Float[Array, "m k 2"],
    kinds: int,
    border: bool,
) -> tuple[Bool[Array, "m k s"], Float[Array, "m k s"], Float[Array, "m k s"]]:
    """Return which samples of each line lie in a cell of the given kinds, and the positions of the samples.

    Args:
        words: `[G, X, Y]` terrain words of one world (G = 1, for all) or of each world.
        world: `[M]` world of each row of lines.
        start: `[M, K, 2]` metres, or `[M, 1, 2]` where the lines of a row start together.
        end: `[M, K, 2]` metres.
        kinds: Bits of the terrain kinds that block.
        border: Whether a coordinate <= 0 or >= the map's side blocks (docs/rules/battles.md 3.6). Otherwise a sample
            outside the map reads the nearest cell.

    Returns:
        `[M, K, S]` blocked, and the samples' x and y; the last one is `end` itself, and is there three times.
    """
    side, part = words.shape[-1], jnp.asarray(_PARTS)
    east, north = (
        jnp.where(part < 1, first[..., None] + rounded(part * (last - first)[..., None]), last[..., None])
        for first, last in ((start[..., axis], end[..., axis]) for axis in (0, 1))
    )
    row = world[:, None, None] * side + cell(east, side) if words.shape[0] > 1 else cell(east, side)
    blocked = (read(words.reshape(-1), row * side + cell(north, side)) & kinds) != 0
    if border:
        blocked |= (east <= 0) | (east >= side) | (north <= 0) | (north >= side)
    return blocked, east, north


def _step(words: Any, own: tuple[Array, Array, Array]) -> Any:
    start, end, need = own
    worlds, rows = need.shape
    flat, world = _rows(worlds, rows)
    a, b = flat(start), flat(end)

    def body(ids: Array, out: Array) -> Array:
        blocked, *_ = blocked_samples(words, world[ids], a[ids][:, None], b[ids][:, None], STEP_KINDS, border=False)
        return out.at[ids].set(blocked.any((1, 2)), mode="drop")

    out = for_marked(flat(need), block_for(worlds * rows, current().lines), body, jnp.zeros(worlds * rows, bool))
    return out.reshape(worlds, rows)


def _arrive(words: Any, own: tuple[Array, Array, Array]) -> Any:
    start, end, need = own
    worlds, rows = need.shape
    flat, world = _rows(worlds, rows)
    a, b = flat(start), flat(end)
    side = words.shape[-1]

    def body(ids: Array, out: Array) -> Array:
        blocked, *at = blocked_samples(words, world[ids], a[ids][:, None], b[ids][:, None], STEP_KINDS, border=True)
        number = jnp.arange(_PARTS.size, dtype=jnp.int32)[None]
        first = jnp.where(blocked[:, 0], number, _PARTS.size).min(1)
        # blocked from the start: free to leave (docs/rules/battles.md 3.6)
        stop = jnp.where(first == 0, _PARTS.size - 1, first - 1)
        place = jnp.stack([jnp.where(number == stop[:, None], axis[:, 0], 0).sum(1) for axis in at], -1)
        base = world[ids] * (side * side) if words.shape[0] > 1 else 0
        at_cell = cell(place, side)
        wet = (words.reshape(-1)[base + at_cell[:, 0] * side + at_cell[:, 1]] & STEP_KINDS) != 0
        place = jnp.where((wet & (first > 0))[:, None], a[ids], place)  # rounding must not carry a unit over an edge
        return out.at[ids].set(place, mode="drop")

    return for_marked(flat(need), block_for(worlds * rows, current().lines), body, b).reshape(worlds, rows, 2)


def _fan(words: Any, own: tuple[Array, Array, Array, Array]) -> Any:
    start, reach, directions, need = own
    worlds, rows = need.shape
    flat, world = _rows(worlds, rows)
    a, r, d = flat(start), flat(reach), directions[0]

    def body(ids: Array, out: Array) -> Array:
        end = a[ids][:, None] + rounded(r[ids][:, None, None] * d[None])
        blocked, *_ = blocked_samples(words, world[ids], a[ids][:, None], end, STEP_KINDS, border=False)
        return out.at[ids].set(blocked.any(2), mode="drop")

    out = jnp.zeros((worlds * rows, d.shape[0]), bool)
    out = for_marked(flat(need), block_for(worlds * rows, current().fans), body, out)
    return out.reshape(worlds, rows, -1)


def _rows(worlds: int, rows: int) -> tuple[Callable[[Array], Array], Array]:
    def flat(leaf: Array) -> Array:
        return leaf.reshape(worlds * rows, *leaf.shape[2:])

    return flat, jnp.repeat(jnp.arange(worlds, dtype=jnp.int32), rows)


_step_flat, _arrive_flat, _fan_flat = over_worlds(_step), over_worlds(_arrive), over_worlds(_fan)


def arrive(terrain: Terrain, start: Float[Array, "n 2"], end: Float[Array, "n 2"]) -> Float[Array, "n 2"]:
    """Return where straight moves from `start` to `end` stop: the swept test of docs/rules/battles.md 3.6.

    Args:
        terrain: The map.
        start: `[N, 2]` metres.
        end: `[N, 2]` metres, the intended destination of each unit.

    Returns:
        `[N, 2]` `end`, or the last sample before the first one in a building, in water or on the border. A unit that
        starts on such a spot may leave freely.
    """
    way, side = length(end - start), terrain.size
    border = ((start <= 0) | (start >= side) | (end <= 0) | (end >= side)).any(-1)  # else no sample is there either
    need = ((move_clearance(lookup(terrain, cell(start, side))) < way + _MARGIN) | border) & (way > 0)
    return _arrive_flat(terrain.word, (start, end, need))


def blocked_fan(
    terrain: Terrain, start: Float[Array, "n 2"], reach: Float[Array, " n"], directions: Float[Array, "k 2"]
) -> Bool[Array, "n k"]:
    """Whether the steps `start -> start + reach * directions[k]` touch a building or water.

    Args:
        terrain: The map.
        start: `[N, 2]` metres.
        reach: `[N]` metres, scale of the directions.
        directions: `[K, 2]` of length 1 at most.

    Returns:
        `[N, K]`. Samples outside the map read the nearest cell.
    """
    need = move_clearance(lookup(terrain, cell(start, terrain.size))) < reach + _MARGIN
    return _fan_flat(terrain.word, (start, reach, directions, need))


def blocked_step(terrain: Terrain, start: Float[Array, "n 2"], step: Float[Array, "n 2"]) -> Bool[Array, " n"]:
    """Whether each straight step touches a building or water, own cell included (docs/rules/trees.md 4.3, `move`)."""
    need = move_clearance(lookup(terrain, cell(start, terrain.size))) < length(step) + _MARGIN
    return _step_flat(terrain.word, (start, start + step, need))
