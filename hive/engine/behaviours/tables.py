"""Behaviour trees of units as tables: jumps from `bt`, and for each leaf the sense slots that it queries.

A tree sends a few queries to the neighbour sweep, its sense slots; equal queries of one tree share a slot. Leaves,
slots and straight moves are rows of numbers, so trees are data: another tree of equal capacities never recompiles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeVar

import jax
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int

import bt
import dsl

FOE_SHIFT = 8  # a type mask holds the friend's types in bits 0-7 and the foe's in bits 8-15
ANY_TYPE = 0xFF


def check_type_count(types: Sequence[str]) -> None:
    """Check that a type mask has a bit for each unit type.

    Raises:
        ValueError: There are more types than bits; the bits of the last would be those of the foe's first.
    """
    if len(types) > FOE_SHIFT:
        raise ValueError(
            f"a type mask has bits for {FOE_SHIFT} unit types, and there are {len(types)}: {types[FOE_SHIFT]} does not "
            "fit; widen FOE_SHIFT and ANY_TYPE in hive/engine/behaviours/tables.py"
        )


class SenseOrder(IntEnum):
    """The order in which a slot ranks its candidates."""

    CLOSEST = 0
    HEALTH = 1
    RANDOM = 2
    COOLDOWN = 3


@dataclass(frozen=True)
class Sense:
    """A query to the sweep: which of the visible units that match comes first?

    A unit matches when its side and type are in `mask`, its distance is at most `own_range * (own reach + steps * own
    speed) + their_range * (their reach + steps * their speed)` (no limit when both are 0; the sight range always
    applies), and its share of full health is at most `health`.
    """

    mask: int
    written: bool = False  # the types were written `any`, so a plan's target types replace them
    own_range: float = 0.0
    their_range: float = 0.0
    steps: float = 0.0
    health: float = np.inf
    order: int = SenseOrder.CLOSEST
    last: bool = False  # the last in that order instead of the first


@dataclass(frozen=True)
class StraightMove:
    """A straight step: toward (`sign` 1) or away from (-1) the unit that a sense chose, or in a compass direction."""

    sense: Sense | None = None
    sign: float = 1.0
    compass: int = 0  # index into `hive.engine.units.leaves.DIRECTIONS`, read without a sense


@dataclass(frozen=True)
class Flock:
    """A query for the mean position of all visible units that match `mask`."""

    mask: int


@dataclass(frozen=True)
class LeafCode:
    """A leaf as numbers: its operation and what the operation reads."""

    op: int
    sense: Sense | None = None
    move: StraightMove | None = None
    flock: Flock | None = None
    value: float = 0.0
    bits: int = 0


class SenseTable(struct.PyTreeNode, kw_only=True):
    """Fields of `Sense` for each slot of each tree."""

    mask: Int[Array, "t s"]
    written: Bool[Array, "t s"]
    own_range: Float[Array, "t s"]
    their_range: Float[Array, "t s"]
    steps: Float[Array, "t s"]
    health: Float[Array, "t s"]
    order: Int[Array, "t s"]
    last: Bool[Array, "t s"]


class MoveTable(struct.PyTreeNode, kw_only=True):
    """Fields of `StraightMove`; `slot` is the sense's, or -1 for a compass direction."""

    slot: Int[Array, "t m"]
    sign: Float[Array, "t m"]
    compass: Int[Array, "t m"]


class LeafTable(struct.PyTreeNode, kw_only=True):
    """Fields of `LeafCode`; `slot` is the row of the sense, move or flock that the operation reads."""

    op: Int[Array, "t l"]
    slot: Int[Array, "t l"]
    value: Float[Array, "t l"]
    bits: Int[Array, "t l"]


class Behaviours(struct.PyTreeNode, kw_only=True):
    """All trees that the units of a scenario may run."""

    trees: bt.Trees
    leaves: LeafTable
    senses: SenseTable
    moves: MoveTable
    flocks: Int[Array, "t f"]  # type masks; no column when no tree asks for a flock


def compile_behaviours(roots: Sequence[dsl.Node], encode: Callable[[dsl.Leaf], LeafCode]) -> Behaviours:
    """Compile trees to tables; capacities are powers of two.

    Args:
        roots: One syntax tree for each behaviour, in the order of their indices.
        encode: Turns a leaf into its code, such as `hive.engine.units.leaves.encode`.

    Returns:
        Tables of the shapes given above.
    """
    flats = [bt.flatten(root) for root in roots]
    codes = [[encode(leaf) for leaf in flat.leaves] for flat in flats]
    moves = [_distinct([c.move for c in row]) for row in codes]
    senses = [_distinct([c.sense for c in row] + [m.sense for m in own]) for row, own in zip(codes, moves, strict=True)]
    flocks = [_distinct([c.flock for c in row]) for row in codes]
    trees = bt.stack(flats)
    shape = trees.on_success.shape

    def slot(tree: int, code: LeafCode) -> int:
        if code.move is not None:
            return moves[tree].index(code.move)
        if code.flock is not None:
            return flocks[tree].index(code.flock)
        return senses[tree].index(code.sense) if code.sense is not None else 0

    leaf: dict[str, Any] = {
        name: np.zeros(shape, dtype)
        for name, dtype in (("op", np.int32), ("slot", np.int32), ("value", np.float32), ("bits", np.int32))
    }
    for t, row in enumerate(codes):
        for at, code in enumerate(row):
            leaf["op"][t, at], leaf["slot"][t, at] = code.op, slot(t, code)
            leaf["value"][t, at], leaf["bits"][t, at] = code.value, code.bits

    sense_rows = _pad(senses, Sense(mask=0), len(flats), shape[0], least=1)
    move_rows = _pad(moves, StraightMove(), len(flats), shape[0], least=1)
    flock_rows = _pad(flocks, Flock(mask=0), len(flats), shape[0], least=0)
    filled = senses + [[]] * (shape[0] - len(senses))
    sensed: Any = np.array(
        [
            [-1 if m.sense is None else own.index(m.sense) for m in row]
            for row, own in zip(move_rows, filled, strict=True)
        ],
        np.int32,
    )
    tables: Any = Behaviours(
        trees=trees,
        leaves=LeafTable(**leaf),
        senses=SenseTable(
            mask=_table(sense_rows, lambda s: s.mask, np.int32),
            written=_table(sense_rows, lambda s: s.written, np.bool_),
            own_range=_table(sense_rows, lambda s: s.own_range, np.float32),
            their_range=_table(sense_rows, lambda s: s.their_range, np.float32),
            steps=_table(sense_rows, lambda s: s.steps, np.float32),
            health=_table(sense_rows, lambda s: s.health, np.float32),
            order=_table(sense_rows, lambda s: s.order, np.int32),
            last=_table(sense_rows, lambda s: s.last, np.bool_),
        ),
        moves=MoveTable(
            slot=sensed,
            sign=_table(move_rows, lambda m: m.sign, np.float32),
            compass=_table(move_rows, lambda m: m.compass, np.int32),
        ),
        flocks=_table(flock_rows, lambda f: f.mask, np.int32),
    )
    return jax.device_put(tables)  # at once: each `jnp.asarray` of another shape would compile a program


Row = TypeVar("Row")


def _distinct(rows: Sequence[Row | None]) -> list[Row]:
    return list(dict.fromkeys(row for row in rows if row is not None))


def _pad(rows: list[list[Row]], filler: Row, count: int, trees: int, least: int) -> list[list[Row]]:
    most = max([least, *(len(row) for row in rows)])
    width = bt.capacity(most) if most else 0
    return [row + [filler] * (width - len(row)) for row in rows + [[]] * (trees - count)]


def _table(rows: list[list[Row]], field: Callable[[Row], Any], dtype: type) -> Any:
    return np.array([[field(item) for item in row] for row in rows], dtype).reshape(len(rows), len(rows[0]))
