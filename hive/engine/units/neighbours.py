"""The neighbour sweep: every unit meets every unit near it, in work proportional to the number of neighbours.

Units are sorted by cell; a cell is as wide as the range or wider, its height a fraction of that. Consecutive units form
tiles; a tile's candidates are the units of the three columns round it in the rows that its units can reach, each a
contiguous run in the sorted order. Tiles are sorted by the chunks that their candidates fill, so that a block of tiles
has even loads. A block processes its candidates in chunks until none are left: nothing is dropped. The caller reduces
with a function over `[tile, candidate, ..., unit]`.

For worlds of few units, all pairs form one chunk and nothing is sorted. `hive.ground.sizes` says how large tiles,
blocks and chunks are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int, UInt

from hive.ground.compaction import search
from hive.ground.sizes import Sizes, current

_PARTS = (8, 4, 2, 1)  # rows of cells in one range: the largest for which the sort key fits one word is used
_SHARES = (4, 2, 1)  # where the data say the range, least widths of a cell as parts of `cell`; chosen likewise

Value = TypeVar("Value")
Query = TypeVar("Query")
Candidate = TypeVar("Candidate")
Reduce = Callable[[Value, Callable[[], tuple[Query, Candidate]], Array], Value]


class Tiles(struct.PyTreeNode, kw_only=True):
    """Tiles of sorted units and the runs of their candidates; rows are in sorted order."""

    order: Int[Array, " r"]  # row before sorting, of each sorted row
    # of each tile: its first sorted row; its units, 0 for an empty one; for each run what is added to the number of a
    # candidate, which gives its sorted row; the candidates up to the end of each run
    table: Int[Array, "t 8"]
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
    reach: Float[Array, " w"] | None = None,
) -> Value:
    """Reduce over all candidates within at least `cell` metres of each unit, or `reach` of those of a world.

    Args:
        position: `[W, N, 2]` metres in `[0, side]`.
        present: `[W, N]` whether each unit takes part; the others cost nothing, and their value stays `start`.
        query: Pytree of `[..., W, N]`, the fields of a unit as the one that meets others; words of 32 bits.
        candidate: Pytree of `[W, N]`, the fields of a unit as the one that is met; words of 32 bits.
        start: Pytree of `[...]`, the value of the reduction before any candidate; words of 32 bits.
        reduce: `reduce(value, fields, real)` with value leaves `[B, ..., T]` and `real [B, C, 1]` (False: padding)
            gives value leaves `[B, ..., T]`; `fields()` gives query leaves `[B, 1, ..., T]` and candidate leaves
            `[B, C, 1]`. It must not depend on the order of candidates or on how they are split into chunks. The
            candidates include the unit itself and farther units of the cells round it. A branch that calls `fields`
            itself reads them where they are; fields from outside of it are first written down one by one.
        side: Metres, side of the square map.
        cell: Metres, at least the range of the reduction.
        reach: `[W]` metres up to `cell`, the range of the reduction in each world, where only its data say it: the
            smaller, the fewer are the candidates.

    Returns:
        Pytree of `[..., W, N]`.
    """
    worlds, count = position.shape[:2]
    sizes = current()
    if all_at_once(worlds, count, sizes):
        here = jax.tree.map(lambda a: jnp.moveaxis(a, -2, 0)[:, None], query)
        there = jax.tree.map(lambda a: a[:, :, None], candidate)
        value = jax.tree.map(lambda a: _fill(a, worlds, count), start)
        met = reduce(value, lambda: (here, there), present[:, :, None])
        met, value = jax.tree.map(lambda a: jnp.moveaxis(a, 0, -2), (met, value))
        return jax.tree.map(lambda a, b: jnp.where(present, a, b), met, value)
    rows = worlds * count
    flat = jax.tree.map(lambda a: a.reshape(*a.shape[:-2], rows), (query, candidate))
    tiles = make_tiles(position, present, side, cell, sizes, reach)
    out = _sweep(tiles, flat[0], flat[1], start, reduce, sizes)
    return jax.tree.map(lambda a: a.reshape(*a.shape[:-1], worlds, count), out)


def _fill(value: Any, blocks: int, units: int) -> Array:
    """Return an array `[B, ..., T]` of a value `[...]`."""
    value = jnp.asarray(value)
    return jnp.broadcast_to(value[None, ..., None], (blocks, *value.shape, units))


def all_at_once(worlds: int, count: int, sizes: Sizes) -> bool:
    """Whether all pairs of units of each world are compared at once."""
    return count <= sizes.dense or worlds * count**2 <= sizes.matrix


def make_tiles(
    position: Float[Array, "w n 2"],
    present: Bool[Array, "w n"],
    side: int,
    cell: float,
    sizes: Sizes,
    reach: Float[Array, " w"] | None = None,
) -> Tiles:
    """Sort the units of each world by cell, absent units last, and split them into tiles, those with most work first.

    Cells are as wide as `reach` where it is given, but not narrower than the sort key allows. A tile may reach over the
    end of a column of cells. Tiles that all fit one block keep their order.
    """
    worlds, count = position.shape[:2]
    cell *= 1.001  # rounding must not put two units at just this distance two cells apart
    rows = worlds * count
    least = [cell / share for share in ((1,) if reach is None else _SHARES)]  # widths of a cell
    grids = [(width, math.ceil(side / width), parts) for width in least for parts in _PARTS]
    keys = {grid: worlds * (grid[1] ** 2 * grid[2] + 1) for grid in grids}
    narrow, columns, parts = next(
        (grid for grid in grids if _fits_word(rows, keys[grid])),
        next((grid for grid in grids if keys[grid] < 2**31), grids[-1]),  # the slow sort takes any
    )
    width = narrow if reach is None else jnp.maximum(reach * 1.001, narrow)[:, None]
    height = columns * parts
    cells = columns * height  # of a world, and the number of a cell for absent units
    east = jnp.clip((position[..., 0] / width).astype(jnp.int32), 0, columns - 1)
    north = jnp.clip((position[..., 1] / (width / parts)).astype(jnp.int32), 0, height - 1)
    begin = np.arange(worlds, dtype=np.int32)[:, None] * (cells + 1)  # number of the first cell of each world
    key = jnp.where(present, east * height + north, cells) + begin
    key, order = _sort(key.reshape(rows), worlds * (cells + 1))

    own = jnp.pad(key.reshape(worlds, count) - begin, ((0, 0), (0, -count % sizes.tile)), constant_values=cells)
    own = own.reshape(-1, sizes.tile)  # cells of the units of each tile
    tiles, of_world = len(own), len(own) // worlds
    block = _block(tiles, sizes)
    own = jnp.pad(own, ((0, -tiles % block), (0, 0)), constant_values=cells)
    number = np.arange(len(own), dtype=np.int32)
    world, within = np.minimum(number // of_world, worlds - 1), number % of_world
    real = own < cells
    low, high = own[:, :1], jnp.where(real, own, -1).max(1, keepdims=True)
    column = np.array([[-height, 0, height]], np.int32)
    ends = jnp.concatenate([low + (column - parts), high + (column + parts + 1)], 1)
    ends = search(key, jnp.clip(ends, 0, cells) + (begin[world] - 1), sizes)  # sorted rows before each of the cells
    start, end = ends[:, :3], ends[:, 3:]
    start = jnp.concatenate([start[:, :1], jnp.maximum(start[:, 1:], end[:, :2])], 1)  # no candidate is in two runs
    length = jnp.where(real[:, :1], jnp.maximum(end - start, 0), 0)  # none of tiles without units
    upto = [length[:, 0], length[:, 0] + length[:, 1], length.sum(1)]
    work = upto[2]
    add = [start[:, 0], start[:, 1] - upto[0], start[:, 2] - upto[1]]
    first = world * count + within * sizes.tile
    table = jnp.stack([jnp.asarray(first, jnp.int32), real.sum(1, dtype=jnp.int32), *add, *upto], 1)
    if len(own) > block:
        steps = -(-work // sizes.chunk)  # tiles of equally many stay as they lie on the map: they read the same units
        table = table[_sort(jnp.max(steps) - steps, rows + 1)[1]]
    return Tiles(order=order, table=table, busy=(work > 0).sum(dtype=jnp.int32))


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
    size = _block(len(tiles.table), sizes)
    nothing = jax.tree.map(lambda a: _fill(a, 1, 1)[0], start)  # of one unit
    asks, known, found = _Words(query), _Words(candidate), _Words(nothing)
    asked = asks.pack(query)
    sorted_known = known.pack(candidate)[tiles.order]  # which many tiles read; a unit is in one tile

    def block(number: Array, out: Array) -> Array:
        own = lax.dynamic_slice_in_dim(tiles.table, number * size, size)
        first, count, add, upto = own[:, :1], own[:, 1:2], own[:, 2:5], own[:, 5:]
        row = jnp.minimum(first + np.arange(tile, dtype=np.int32)[None], rows - 1)
        unit = tiles.order[row]
        here = jnp.swapaxes(asked[unit], 1, 2)  # [B, words, T]

        def chunk(step: Array, value: Value) -> Value:
            rank = step * length + np.arange(length, dtype=np.int32)[None]
            real = rank < upto[:, 2:]
            added = jnp.where(rank < upto[:, :1], add[:, :1], jnp.where(rank < upto[:, 1:2], add[:, 1:2], add[:, 2:]))
            other = rank + added
            there = sorted_known[jnp.where(real, other, 0)]  # [B, C, words]

            def fields() -> tuple[Query, Candidate]:
                return asks.unpack(here[:, None]), known.unpack(there[..., None])

            return reduce(value, fields, real[:, :, None])

        value = jax.tree.map(lambda a: _fill(a, size, tile), start)
        value = lax.fori_loop(0, (upto[:, 2].max() + length - 1) // length, chunk, value)
        target = jnp.where(np.arange(tile, dtype=np.int32)[None] < count, unit, rows)
        return out.at[target].set(found.pack(value), mode="drop", unique_indices=True)

    out = jnp.tile(found.pack(nothing), (rows, 1))
    if len(tiles.table) == size:
        out = block(jnp.int32(0), out)
    else:
        out = lax.fori_loop(0, (tiles.busy + size - 1) // size, block, out)
    return found.unpack(out.T)


class _Words:
    """How the leaves of a tree, words of 32 bits, lie in one row of words for each unit.

    To gather such rows takes hardly longer than to gather a single leaf.
    """

    def __init__(self, tree: Any) -> None:
        """Learn the leaves `[..., N]` of a tree."""
        leaves, self.structure = jax.tree.flatten(tree)
        self.leaves = [(leaf.dtype, leaf.shape[:-1]) for leaf in leaves]
        assert all(dtype.itemsize == 4 for dtype, _ in self.leaves), self.leaves
        self.ends = np.cumsum([0, *(math.prod(shape) for _, shape in self.leaves)]).tolist()

    def pack(self, tree: Any) -> UInt[Array, "*b n k"]:
        """Return leaves `[*B, ..., N]` as rows `[*B, N, words]`."""
        words = [
            lax.bitcast_convert_type(a, jnp.uint32).reshape(*a.shape[: a.ndim - 1 - len(shape)], -1, a.shape[-1])
            for a, (_, shape) in zip(jax.tree.leaves(tree), self.leaves, strict=True)
        ]
        return jnp.swapaxes(jnp.concatenate(words, -2), -1, -2)

    def unpack(self, words: UInt[Array, "*b k n"]) -> Any:
        """Return the leaves `[*B, ..., N]` of words `[*B, words, N]`."""
        *blocks, _, units = words.shape
        leaves = [
            lax.bitcast_convert_type(words[..., first:end, :], dtype).reshape(*blocks, *shape, units)
            for (first, end), (dtype, shape) in zip(pairwise(self.ends), self.leaves, strict=True)
        ]
        return jax.tree.unflatten(self.structure, leaves)


__all__ = ["Tiles", "all_at_once", "make_tiles", "meet"]
