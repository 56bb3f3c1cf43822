"""The neighbour sweep: every unit meets every unit near it, in work proportional to the number of neighbours.

Units are sorted by cell; the width of a cell is the range, its height a fraction of the range. Consecutive units of one
column of cells form tiles; a tile's candidates are the units of the three columns round it in the rows that its units
can reach, each a contiguous run in the sorted order. Tiles are sorted by work, so that a block of tiles has even loads.
A block processes its candidates in chunks until none are left: nothing is dropped. The caller reduces with a function
over `[tile, candidate, unit]`, candidates in the middle.

For worlds of few units, all pairs form one chunk and nothing is sorted. `hive.ground.sizes` says how large tiles,
blocks and chunks are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from hive.ground.compaction import search
from hive.ground.sizes import Sizes, current

_PARTS = (8, 4, 2)  # rows of cells in one range: the largest for which the sort key fits one word is used

Value = TypeVar("Value")
Query = TypeVar("Query")
Candidate = TypeVar("Candidate")
Reduce = Callable[[Value, Query, Candidate, Array], Value]


class Tiles(struct.PyTreeNode, kw_only=True):
    """Tiles of sorted units and the runs of their candidates; rows are in sorted order."""

    order: Int[Array, " r"]  # row before sorting, of each sorted row
    first: Int[Array, " t"]  # first sorted row of the tile
    count: Int[Array, " t"]  # units of the tile, 0 for an empty one
    start: Int[Array, "t 3"]  # first candidate of each run
    upto: Int[Array, "t 4"]  # candidates before each run, and the total
    busy: Int[Array, ""]  # tiles with work; they come first


def meet(
    position: Float[Array, "w n 2"],
    present: Bool[Array, "w n"],
    query: Query,
    candidate: Candidate,
    start: Value,
    reduce: Reduce[Value, Query, Candidate],
    *,
    side: int,
    cell: float,
) -> Value:
    """Reduce over all candidates within at least `cell` metres of each unit.

    Args:
        position: `[W, N, 2]` metres in `[0, side]`.
        present: `[W, N]` whether each unit takes part; the others cost nothing, and their value stays `start`.
        query: Pytree of `[..., W, N]`, the fields of a unit as the one that meets others.
        candidate: Pytree of `[W, N]`, the fields of a unit as the one that is met.
        start: Pytree of `[...]`, the value of the reduction before any candidate.
        reduce: `reduce(value, query, candidate, real)` with value leaves `[..., B, T]`, query leaves `[..., B, 1, T]`,
            candidate leaves `[B, C, 1]` and `real [B, C, 1]` (False: padding) gives value leaves `[..., B, T]`. It
            must not depend on the order of candidates or on how they are split into chunks. The candidates include the
            unit itself and farther units of the cells round it.
        side: Metres, side of the square map.
        cell: Metres, at least the range of the reduction.

    Returns:
        Pytree of `[..., W, N]`.
    """
    worlds, count = position.shape[:2]
    sizes = current()
    if all_at_once(worlds, count, sizes):
        value = jax.tree.map(lambda a: _fill(a, worlds, count), start)
        here = jax.tree.map(lambda a: a[..., None, :], query)
        there = jax.tree.map(lambda a: a[:, :, None], candidate)
        real = present[:, :, None]
        met = reduce(value, here, there, real)
        return jax.tree.map(lambda a, b: jnp.where(jnp.broadcast_to(present, a.shape), a, b), met, value)
    rows = worlds * count
    flat = jax.tree.map(lambda a: a.reshape(*a.shape[:-2], rows), (query, candidate))
    tiles = make_tiles(position, present, side, cell, sizes)
    out = _sweep(tiles, flat[0], flat[1], start, reduce, sizes)
    return jax.tree.map(lambda a: a.reshape(*a.shape[:-1], worlds, count), out)


def _fill(value: Any, *shape: int) -> Array:
    """Return an array `[..., *shape]` of a value `[...]`."""
    value = jnp.asarray(value)
    return jnp.broadcast_to(value[(..., *[None] * len(shape))], (*value.shape, *shape))


def all_at_once(worlds: int, count: int, sizes: Sizes) -> bool:
    """Whether all pairs of units of each world are compared at once."""
    return count <= sizes.dense or worlds * count**2 <= sizes.matrix


def make_tiles(
    position: Float[Array, "w n 2"], present: Bool[Array, "w n"], side: int, cell: float, sizes: Sizes
) -> Tiles:
    """Sort units by world and cell, absent units last, and split them into tiles, those with most work first.

    Tiles that all fit one block keep their order.
    """
    tile = sizes.tile
    worlds, count = position.shape[:2]
    cell *= 1.001  # rounding must not put two units at just this distance two cells apart
    columns = math.ceil(side / cell)
    rows, lanes = worlds * count, worlds * columns
    parts = next((parts for parts in _PARTS if _fits_word(rows, lanes * columns * parts + 1)), 1)
    height = columns * parts
    east = jnp.clip((position[..., 0] / cell).astype(jnp.int32), 0, columns - 1)
    north = jnp.clip((position[..., 1] / (cell / parts)).astype(jnp.int32), 0, height - 1)
    world = jnp.arange(worlds, dtype=jnp.int32)[:, None]
    key = ((world * columns + east) * height + north).reshape(rows)
    cells = lanes * height
    key, order = _sort(jnp.where(present.reshape(rows), key, cells), cells + 1)
    # On a GPU a scatter, probably this one when its indices were said to be sorted, took 0.38 ms for 64,000 units.
    ends = jnp.zeros(cells + 2, jnp.int32).at[key + 1].add(1, indices_are_sorted=not sizes.flat)
    begin = jnp.cumsum(ends)[:-1]  # first sorted row of each cell; the last is the number of units present

    lane_begin = begin[::height]
    lane_tiles = (jnp.diff(lane_begin) + tile - 1) // tile
    upto = jnp.cumsum(lane_tiles)
    number = jnp.arange(-(-rows // tile) + lanes, dtype=jnp.int32)
    lane = jnp.minimum(search(upto, number, sizes), lanes - 1)
    live = number < upto[-1]
    first = jnp.where(live, lane_begin[lane] + (number - (upto[lane] - lane_tiles[lane])) * tile, 0)
    last = jnp.where(live, jnp.minimum(first + tile, lane_begin[lane + 1]), 0) - 1
    low = jnp.maximum(key[first] - lane * height - parts, 0)
    high = jnp.minimum(key[jnp.maximum(last, 0)] - lane * height + parts, height - 1)
    column = lane % columns
    near = column[:, None] + np.arange(-1, 2, dtype=np.int32)[None]
    real = (near >= 0) & (near < columns) & live[:, None]
    row = jnp.where(real, (lane - column)[:, None] + near, 0) * height
    start = jnp.where(real, begin[row + low[:, None]], 0)
    length = jnp.where(real, begin[row + high[:, None] + 1], 0) - start
    work = length.sum(1)

    block = _block(len(number), sizes)
    heavy = number if len(number) <= block else _sort(jnp.max(work) - work, rows + 1)[1]
    pick = jnp.pad(heavy, (0, (-len(number)) % block), constant_values=len(number))

    def take(a: Array) -> Array:
        return jnp.pad(a, [(0, 1)] + [(0, 0)] * (a.ndim - 1))[pick]

    runs = jnp.pad(jnp.cumsum(length, axis=1), ((0, 0), (1, 0)))
    return Tiles(
        order=order,
        first=take(first),
        count=take(jnp.where(live, last - first + 1, 0)),
        start=take(start),
        upto=take(runs),
        busy=(work > 0).sum(dtype=jnp.int32),
    )


def _block(tiles: int, sizes: Sizes) -> int:
    """Tiles processed together: hardly more than there are."""
    step = min(1 << max(tiles - 1, 0).bit_length(), 128)
    return min(sizes.block, -(-tiles // step) * step)


def _sort(key: Int[Array, " r"], most: int) -> tuple[Int[Array, " r"], Int[Array, " r"]]:
    """Sort keys in `0..most-1`; return them with their rows. Both share a word where they fit: seven times faster."""
    rows = key.shape[0]
    bits = _row_bits(rows)
    index = jnp.arange(rows, dtype=jnp.uint32)
    if _fits_word(rows, most):
        packed = jnp.sort(key.astype(jnp.uint32) << bits | index)
        return (packed >> bits).astype(jnp.int32), (packed & np.uint32((1 << bits) - 1)).astype(jnp.int32)
    sorted_key, order = lax.sort((key, index.astype(jnp.int32)), num_keys=1)
    return sorted_key, order


def _row_bits(rows: int) -> int:
    return max(rows - 1, 1).bit_length()


def _fits_word(rows: int, most: int) -> bool:
    """Whether a key below `most` and a row fit in one word of 32 bits."""
    return (most - 1).bit_length() + _row_bits(rows) <= 32


def _sweep(
    tiles: Tiles,
    query: Query,
    candidate: Candidate,
    start: Value,
    reduce: Reduce[Value, Query, Candidate],
    sizes: Sizes,
) -> Value:
    rows, tile, length = tiles.order.shape[0], sizes.tile, sizes.chunk
    size = _block(tiles.first.shape[0], sizes)
    candidate = jax.tree.map(lambda a: a[tiles.order], candidate)  # which many tiles read; a unit is in one tile

    def block(number: Array, out: list[Array]) -> list[Array]:
        first, count, begin, upto = (
            lax.dynamic_slice_in_dim(a, number * size, size)
            for a in (tiles.first, tiles.count, tiles.start, tiles.upto)
        )
        row = jnp.minimum(first[:, None] + np.arange(tile, dtype=np.int32)[None], rows - 1)
        unit = tiles.order[row]
        here = jax.tree.map(lambda a: a[..., unit][..., None, :], query)

        def chunk(step: Array, value: Value) -> Value:
            rank = step * length + np.arange(length, dtype=np.int32)[None]
            real = rank < upto[:, 3:]
            other = begin[:, :1] + rank
            for run in (1, 2):
                other = jnp.where(
                    rank >= upto[:, run : run + 1], begin[:, run : run + 1] + rank - upto[:, run : run + 1], other
                )
            other = jnp.where(real, other, 0)
            there = jax.tree.map(lambda a: a[other][:, :, None], candidate)
            return reduce(value, here, there, real[:, :, None])

        value = jax.tree.map(lambda a: _fill(a, size, tile), start)
        value = lax.fori_loop(0, (upto[:, 3].max() + length - 1) // length, chunk, value)
        target = jnp.where(np.arange(tile, dtype=np.int32)[None] < count[:, None], unit, rows)
        return [
            a.at[..., target].set(v, mode="drop", unique_indices=True)
            for a, v in zip(out, jax.tree.leaves(value), strict=True)
        ]

    leaves, structure = jax.tree.flatten(start)
    out = [_fill(a, rows) for a in leaves]
    if tiles.first.shape[0] == size:
        return jax.tree.unflatten(structure, block(jnp.int32(0), out))
    out = lax.fori_loop(0, (tiles.busy + size - 1) // size, block, out)
    return jax.tree.unflatten(structure, out)


__all__ = ["Tiles", "all_at_once", "make_tiles", "meet"]
