"""Search for the nearest thing of each kind for every unit of a crew, by its explored map and the roster only.

A thing is a set of codes of the explored map (docs/rules/wildfire.md 5.1), or a team mate. The nearest thing within
`RANGE` cells has the least larger component of the offset, then the least Euclidean distance, then the lower x, then
the lower y; a single integer key encodes this order. For each thing that a tree queries, the distance to the nearest
one up and down its column is computed for every cell, at most `RANGE` cells; a unit then compares the columns round it.
The search is exact, and costs one pass over the map for each thing and some hundred lookups for each unit.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Int, UInt16

from hive.engine.crews.explored import Explored, cell_of
from hive.engine.crews.frames import REACH
from hive.engine.crews.leaves import Thing
from hive.engine.types import CrewType, Params, State
from hive.ground.compaction import only_if
from hive.ground.flat import over_worlds
from hive.ground.sizes import current

RANGE = 64  # cells, the larger component of the offset

_MATE = 16  # added to the code of a cell in which a firefighter of the team stands
_CODES = {
    Thing.FIRE: (Explored.IGNITED, Explored.ON_FIRE),
    Thing.DANGER: (Explored.IGNITED, Explored.ON_FIRE, Explored.EXTINGUISHING, Explored.BURNT),
    Thing.WATER: (Explored.WATER,),
    Thing.TREES: tuple(first + count for first in (Explored.WET, Explored.DRY) for count in (1, 2, 3)),
    Thing.CIVILIAN: (Explored.CIVILIAN,),
    Thing.UNSEEN: (Explored.UNSEEN,),
    Thing.FIREFIGHTER: (),
}
_KINDS = sorted(_CODES)
_SETS = np.array([sum(0x10001 << code for code in _CODES[kind]) for kind in _KINDS], np.uint32)
_SETS[_KINDS.index(Thing.FIREFIGHTER)] = 0xFFFF << _MATE
_BOXED = np.isin(_KINDS, (Thing.CIVILIAN, Thing.FIREFIGHTER))  # not counted in the box round the target

_NONE = RANGE + 1  # value of a column that has none in range
_NOTHING = 1 << 30  # key that is above all others
_EDGE = REACH + 1  # rows beyond the map that may be read

Tree = Any


class NearestThings(struct.PyTreeNode, kw_only=True):
    """What each unit knows of each thing, in the order of `dsl.vocabulary.THINGS`; things not queried are unknown."""

    known: Bool[Array, "8 n"]
    way: Int[Array, "8 n 2"]  # offset in cells from the unit to the thing; 0 where it is unknown

    @property
    def apart(self) -> Int[Array, "8 n"]:
        """Cells, the larger component of the offset."""
        return jnp.abs(self.way).max(-1)


def look(params: Params, state: State, target: Int[Array, "n 2"], asked: Int[Array, " n"]) -> NearestThings:
    """Find the nearest thing of each kind.

    Args:
        params: Parameters with `crews`.
        state: The world; only the explored maps and the roster are read.
        target: The target cell of each unit's group, which is a thing too. Civilians and firefighters within 3 cells
            of it along x and along y do not count.
        asked: Things that each unit's tree queries, as bits. Things that no tree queries are not searched.

    Returns:
        The nearest of each thing.
    """
    crew = state.crew
    assert crew is not None
    at = cell_of(state)
    mate = (params.units.type == CrewType.FIREFIGHTER) & state.alive & (crew.aboard < 0)
    own = {"seen": crew.seen.reshape(-1, *crew.seen.shape[-2:]), "at": at, "target": target, "mate": mate}
    key = _nearest_flat((), {**own, "asked": asked})
    way = jnp.stack([_part(key, 8), _part(key, 0)], -1)
    known = key < _NOTHING
    way = jnp.where(known[..., None], way, 0)
    return NearestThings(
        known=jnp.concatenate([jnp.ones_like(known[:1]), known]), way=jnp.concatenate([(target - at)[None], way])
    )


def _part(key: Array, shift: int) -> Array:
    return (key >> shift & 0xFF) - RANGE


def _key(east: Array, south: Array, counts: Array) -> Array:
    """Return keys in the order that the module docstring defines; `_NOTHING` where an offset is ignored or too long."""
    x, y = jnp.abs(east), jnp.abs(south)
    far, less = jnp.maximum(x, y), jnp.minimum(x, y)
    key = far << 23 | less << 16 | (east + RANGE) << 8 | (south + RANGE)
    return jnp.where(counts & (far <= RANGE), key, _NOTHING)


def _nearest(_: Tree, own: Tree) -> Array:
    """Return the keys `[W, 7, N]` of all things except the target, for all worlds."""
    seen, at, mate = own["seen"], own["at"], own["mate"].astype(jnp.int32)
    worlds, maps, size, _ = seen.shape
    count = at.shape[1]
    world = jnp.arange(worlds, dtype=jnp.int32)[:, None]
    x, y = at[..., 0], at[..., 1]
    mates = jnp.zeros((worlds, size, size), jnp.int32).at[world, x, y].add(mate)
    code = seen + _mate(mates > 0)[:, None]
    own_map = jnp.arange(count, dtype=jnp.int32) if maps > 1 else jnp.zeros(count, jnp.int32)
    unit = {
        "map": world * maps + own_map[None],
        "at": at,
        "target": own["target"],
        "here": seen[world, own_map, x, y] + _mate(mates[world, x, y] > mate),  # others on the same cell
    }
    unit = jax.tree.map(lambda a: a.reshape(worlds * count, *a.shape[2:]), unit)
    code = code.reshape(worlds * maps, size, size)
    wanted = lax.reduce(own["asked"].reshape(-1), np.int32(0), lax.bitwise_or, (0,))

    def find(kind: tuple[Array, Array, Array]) -> Array:
        number, codes, boxed = kind
        nothing = jnp.full(worlds * count, _NOTHING, jnp.int32)
        return only_if((wanted >> number & 1) != 0, lambda: _find(codes, boxed, code, unit), nothing)

    kinds = (jnp.asarray(_KINDS, jnp.int32), jnp.asarray(_SETS), jnp.asarray(_BOXED))
    keys = jax.vmap(find)(kinds) if current().flat else lax.map(find, kinds)
    return keys.reshape(len(_KINDS), worlds, count).swapaxes(0, 1)


_nearest_flat = over_worlds(_nearest)


def _mate(there: Array) -> Array:
    return jnp.where(there, np.uint8(_MATE), np.uint8(0))


def _find(codes: Array, boxed: Array, code: Array, unit: Tree) -> Array:
    """Return the keys `[R]` of one thing, given as a set of codes in bits, block by block of units."""
    table = _columns((codes >> code.astype(jnp.uint32) & 1) != 0)
    rows = unit["map"].size
    block = min(rows, current().units)

    def find(turn: Array, keys: Array) -> Array:
        first = jnp.minimum(turn * block, rows - block)  # the last block may repeat some units
        here = jax.tree.map(lambda a: lax.dynamic_slice_in_dim(a, first, block), unit)
        return lax.dynamic_update_slice_in_dim(keys, _compare(codes, boxed, table, here), first, 0)

    return lax.fori_loop(0, -(-rows // block), find, jnp.zeros(rows, jnp.int32))


def _compare(codes: Array, boxed: Array, table: UInt16[Array, "k rows columns"], unit: Tree) -> Array:
    """Return the keys of a block of units.

    The own cell is tested separately, since a unit is not its own team mate. The target's box splits a column in two:
    the nearest thing may lie in the box, so the things nearest to the edges of the box are also compared.
    """
    place = unit["map"]
    x, y = unit["at"].T[..., None]
    left, top = unit["target"].T[..., None]

    def row(layer: Array, at: Array) -> Array:
        return lax.dynamic_slice(table, (layer, at[1] + _EDGE, at[0]), (1, 1, 2 * RANGE + 1))[0, 0]

    def ask(row: Array, column: Array) -> tuple[Array, Array]:
        word = table[place[:, None], row + _EDGE, column + RANGE].astype(jnp.int32)
        return word & 0xFF, word >> 8

    def nearest(east: Array, south: Array, counts: Array) -> Array:
        return _key(east, south, counts).min(1)

    east = jnp.arange(-RANGE, RANGE + 1, dtype=jnp.int32)[None]
    word = jax.vmap(row)(place, unit["at"]).astype(jnp.int32)
    above, below = ask(y - 1, x)[0] + 1, ask(y + 1, x)[1] + 1
    up, down = jnp.where(east == 0, above, word & 0xFF), jnp.where(east == 0, below, word >> 8)
    crossing = boxed & (jnp.abs(x + east - left) <= REACH)
    up = jnp.where(crossing & (jnp.abs(y - up - top) <= REACH), _NONE, up)
    down = jnp.where(crossing & (jnp.abs(y + down - top) <= REACH), _NONE, down)

    column = left + jnp.arange(-REACH, REACH + 1, dtype=jnp.int32)[None]
    over, under = ask(top - _EDGE, column)[0], ask(top + _EDGE, column)[1]
    high, deep = top - _EDGE - over - y, top + _EDGE + under - y
    across = column - x
    inside = boxed & (jnp.abs(unit["at"] - unit["target"]) <= REACH).all(1)
    mine = (codes >> unit["here"].astype(jnp.uint32) & 1 != 0) & ~inside
    return reduce(
        jnp.minimum,
        (
            nearest(east, jnp.where(up <= down, -up, down), jnp.minimum(up, down) < _NONE),
            nearest(across, high, (over < _NONE) & ((across != 0) | (high != 0))),
            nearest(across, deep, (under < _NONE) & ((across != 0) | (deep != 0))),
            _key(jnp.zeros_like(place), jnp.zeros_like(place), mine),
        ),
    )


def _columns(true: Bool[Array, "k x y"]) -> UInt16[Array, "k rows columns"]:
    """Rows from each cell to the nearest true cell up its column, plus 256 times those down, with an edge of `_NONE`.

    The first axis of cells is y here, so that a unit reads adjacent columns from adjacent bytes, and whole rows move.
    """
    size = true.shape[2]
    first = jnp.where(true.swapaxes(1, 2), np.uint8(0), np.uint8(_NONE))

    def beyond(turn: Array, far: tuple[Array, Array]) -> tuple[Array, Array]:
        # If unrolled, the steps would be fused into one loop that repeats the first step a hundred times.
        step = 1 << turn
        up, down = (jnp.pad(rows, ((0, 0), (RANGE, RANGE), (0, 0)), constant_values=_NONE) for rows in far)
        up, down = (
            lax.dynamic_slice_in_dim(rows, RANGE + by, size, 1) + step.astype(jnp.uint8)
            for rows, by in ((up, -step), (down, step))
        )
        return jnp.minimum(far[0], up), jnp.minimum(far[1], down)

    # steps of 1, 2, 4 ... add up to any distance
    up, down = lax.fori_loop(0, RANGE.bit_length(), beyond, (first, first))
    word = up.astype(jnp.uint16) | down.astype(jnp.uint16) << 8
    return jnp.pad(word, ((0, 0), (_EDGE, _EDGE), (RANGE, RANGE)), constant_values=_NONE * 0x101)
