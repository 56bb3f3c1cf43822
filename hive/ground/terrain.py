"""Terrain as one packed word for each cell, so that one gather reads everything about a point.

Bits of a word: 0 to 2 the kind (building 1, water 2, forest 4), 8 to 15 the clearance for movement, 16 to 23 the
clearance for sight, both in eighths of a metre.

A clearance is a conservative radius: for any point of the cell, no point strictly closer than the clearance is
blocked. It is the gap between the cell's square and the nearest blocked square, rounded down to an eighth of a metre
and capped at 31.875 m. A blocked cell has clearance 0. The border is no obstacle here, and a point outside the map
reads the nearest cell, which lies even closer. Callers must allow for rounding in the position of a sample by comparing
with a small margin.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int, UInt8, UInt16, UInt32

from hive.ground.shapes import Ground

_KIND = Ground.BUILDING | Ground.WATER | Ground.FOREST
_MOVE, _SIGHT = 8, 16  # where the clearances start in a word
_PER_METRE, _CAP = 8, 255  # a clearance is a whole number of eighths in 8 bits
_REACH = 32  # cells searched in each direction: the gap to cells beyond is at least 32 m, more than the cap


class Terrain(struct.PyTreeNode):
    """The ground of one world.

    Attributes:
        word: kind and clearances of every cell, packed (see the module docstring).
    """

    word: UInt32[Array, "X Y"]

    @property
    def size(self) -> int:
        """Side of the map in metres and cells (static)."""
        return self.word.shape[-1]

    @property
    def kind(self) -> UInt8[Array, "X Y"]:
        """The `Ground` of every cell."""
        return (self.word & _KIND).astype(jnp.uint8)


@jax.jit
def make_terrain(kind: UInt8[Array, "X Y"]) -> Terrain:
    """Make terrain from the kind of each cell; traceable, so a fire may change the forest inside a compiled loop.

    Movement is blocked by buildings and water, sight by buildings and forest (docs/rules/battles.md 1.2). The border is
    not included: where it matters, coordinates are compared with it.

    Args:
        kind: the `Ground` of each cell of a square map; NumPy or JAX.
    """
    kind = kind.astype(jnp.uint32)
    move, sight = _clearances(
        jnp.stack([kind & (Ground.BUILDING | Ground.WATER), kind & (Ground.BUILDING | Ground.FOREST)]) != 0
    )
    return Terrain(word=kind | move << _MOVE | sight << _SIGHT)


def cell(position: Float[Array, "*n"], size: int) -> Int[Array, "*n"]:
    """Cell of each coordinate: truncated, then clipped to the map (docs/rules/battles.md 1.1)."""
    return jnp.clip(position.astype(jnp.int32), 0, size - 1)


def lookup(terrain: Terrain, cells: Int[Array, "*n 2"]) -> UInt32[Array, "*n"]:
    """Word of each cell; the cells must lie on the map (`cell` clips them)."""
    index = cells[..., 0] * terrain.size + cells[..., 1]
    return terrain.word.reshape(-1).at[index].get(mode="promise_in_bounds")


def blocks_move(word: UInt32[Array, "*n"]) -> Bool[Array, "*n"]:
    """Whether the cell is building or water."""
    return (word & (Ground.BUILDING | Ground.WATER)) != 0


def blocks_sight(word: UInt32[Array, "*n"]) -> Bool[Array, "*n"]:
    """Whether the cell is building or forest."""
    return (word & (Ground.BUILDING | Ground.FOREST)) != 0


def in_forest(word: UInt32[Array, "*n"]) -> Bool[Array, "*n"]:
    """Whether the cell is forest."""
    return (word & Ground.FOREST) != 0


def move_clearance(word: UInt32[Array, "*n"]) -> Float[Array, "*n"]:
    """Metres; any point strictly closer than this to any point of the cell is free of building and water."""
    return ((word >> _MOVE) & _CAP).astype(jnp.float32) / _PER_METRE


def sight_clearance(word: UInt32[Array, "*n"]) -> Float[Array, "*n"]:
    """Metres; any point strictly closer than this to any point of the cell is free of building and forest."""
    return ((word >> _SIGHT) & _CAP).astype(jnp.float32) / _PER_METRE


def _clearances(blocked: Bool[Array, "layers X Y"]) -> UInt32[Array, "layers X Y"]:
    """Euclidean gap between each cell's square and the nearest blocked one, in eighths of a metre rounded down."""

    def spread(turn: Int[Array, ""], rows: UInt16[Array, "layers X Y"]) -> UInt16[Array, "layers X Y"]:
        step = 1 << turn  # steps of 1, 2, 4 ... add up to any offset
        framed = jnp.pad(rows, ((0, 0), (0, 0), (_REACH, _REACH)), constant_values=_REACH + 1)
        west, east = (lax.dynamic_slice_in_dim(framed, _REACH + by, rows.shape[2], axis=2) for by in (-step, step))
        return jnp.minimum(rows, jnp.minimum(west, east) + step.astype(jnp.uint16))

    # cells to the nearest blocked one in the row
    rows = lax.fori_loop(0, _REACH.bit_length(), spread, jnp.where(blocked, 0, _REACH + 1).astype(jnp.uint16))
    gap = jnp.maximum(jnp.minimum(rows, _REACH + 1), 1) - 1
    padded = jnp.pad(gap * gap, ((0, 0), (_REACH, _REACH), (0, 0)), constant_values=_REACH**2)

    def nearer(i: Int[Array, ""], squares: UInt16[Array, "layers X Y"]) -> UInt16[Array, "layers X Y"]:
        across = jnp.maximum(jnp.abs(i - _REACH), 1) - 1
        there = lax.dynamic_slice_in_dim(padded, i, blocked.shape[1], axis=1)
        return jnp.minimum(squares, there + (across * across).astype(jnp.uint16))

    squares = lax.fori_loop(0, 2 * _REACH + 1, nearer, jnp.full(blocked.shape, _REACH**2, jnp.uint16), unroll=5)
    # adding a half keeps integer roots exact, however sqrt rounds
    eighths = jnp.sqrt(squares.astype(jnp.float32) * _PER_METRE**2 + 0.5).astype(jnp.uint32)
    return jnp.minimum(eighths, _CAP)
