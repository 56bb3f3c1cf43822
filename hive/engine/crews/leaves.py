"""The leaves of crews' trees: conditions on things that a crew knows, and actions on them.

A leaf holds the thing that it names as an index in `bits`. `go` and `clear` also name a way, which `encode_way` packs
into one number, kept in `StraightMove.compass`; a tree's distinct ways are its `MoveTable`.
"""

from __future__ import annotations

from enum import IntEnum, auto

from jaxtyping import Array, Int

from dsl.vocabulary import CREW_TYPES, THINGS
from hive.engine.behaviours.registry import LeafKind, Words, registrar
from hive.engine.behaviours.tables import LeafCode, StraightMove
from hive.engine.units.leaves import UnitOp


class CrewOp(IntEnum):
    """Operations of the leaves of crews, numbered after those of battle units."""

    GO = len(UnitOp)  # the first six name a thing
    CLEAR = auto()
    SPRAY = auto()
    NEAR = auto()
    ON = auto()
    SEEN = auto()
    CUT = auto()
    REFILL = auto()
    PICK_UP = auto()
    PUT_DOWN = auto()
    HAS_WATER = auto()
    CARRIES = auto()
    CREW_TYPE = auto()


NAMES_THING = CrewOp.SEEN  # the last operation that names a thing


class Thing(IntEnum):
    """Things that a leaf may name, in the order of `dsl.vocabulary.THINGS`."""

    TARGET = 0
    FIRE = 1
    DANGER = 2
    WATER = 3
    TREES = 4
    CIVILIAN = 5
    FIREFIGHTER = 6
    UNSEEN = 7


class Way(IntEnum):
    """Directions of a way relative to a thing; `ALONG` is straight toward it while felling."""

    TOWARD = 0
    AWAY = 1
    ALONG = 2


_THING_BITS = 3

NEARNESS = {"low": 1, "middle": 3, "high": 8}  # cells, the larger of east and south

CREW_LEAVES: dict[str, LeafKind] = {}
leaf = registrar(CREW_LEAVES)


def encode_way(way: int, thing: int) -> int:
    """Pack a way (TOWARD, AWAY or ALONG) and a thing into one number."""
    return way << _THING_BITS | thing


def way_of(code: Int[Array, "*m"]) -> tuple[Int[Array, "*m"], Int[Array, "*m"]]:
    """Unpack the ways and things of such numbers."""
    return code >> _THING_BITS, code & ((1 << _THING_BITS) - 1)


@leaf("is_type", "C", "My type is, or is not, this one.")
def _is_type(args: Words, types: Words) -> LeafCode:
    mine = 1 << CREW_TYPES.index(args[1])
    return LeafCode(CrewOp.CREW_TYPE, bits=mine if args[0] == "a" else ~mine & (1 << len(CREW_TYPES)) - 1)


def _way(op: int, way: int, thing: str) -> LeafCode:
    number = THINGS.index(thing)
    return LeafCode(op, move=StraightMove(compass=encode_way(way, number)), bits=number)


@leaf("go", "A", "Move toward the nearest such thing, or away from it; units on the ground steer round danger.", "ours")
def _go(args: Words, types: Words) -> LeafCode:
    return _way(CrewOp.GO, Way.TOWARD if args[0] == "toward" else Way.AWAY, args[1])


@leaf("clear", "A", "Bulldozer: drive straight toward the nearest such thing and fell all trees on the way.", "ours")
def _clear(args: Words, types: Words) -> LeafCode:
    return _way(CrewOp.CLEAR, Way.ALONG, args[1])


@leaf("cut", "A", "Firefighter: fell one tree of my cell.", "ours")
def _cut(args: Words, types: Words) -> LeafCode:
    return LeafCode(CrewOp.CUT)


@leaf("spray", "A", "Firefighter: spray water at the nearest such thing; helicopter: drop water over it.", "ours")
def _spray(args: Words, types: Words) -> LeafCode:
    return LeafCode(CrewOp.SPRAY, bits=THINGS.index(args[0]))


@leaf("refill", "A", "Fill up with water where I stand.", "ours")
def _refill(args: Words, types: Words) -> LeafCode:
    return LeafCode(CrewOp.REFILL)


@leaf("pick_up", "A", "Firefighter: pick up a civilian; helicopter: take firefighters aboard.", "ours")
def _pick_up(args: Words, types: Words) -> LeafCode:
    return LeafCode(CrewOp.PICK_UP)


@leaf("put_down", "A", "Set down the civilian, or all firefighters, that I carry.", "ours")
def _put_down(args: Words, types: Words) -> LeafCode:
    return LeafCode(CrewOp.PUT_DOWN)


@leaf("is_near", "C", "Such a thing is known within 1, 3 or 8 cells, the larger of east and south.", "ours")
def _is_near(args: Words, types: Words) -> LeafCode:
    return LeafCode(CrewOp.NEAR, bits=THINGS.index(args[0]), value=float(NEARNESS[args[1]]))


@leaf("is_on", "C", "My own cell is such a thing.", "ours")
def _is_on(args: Words, types: Words) -> LeafCode:
    return LeafCode(CrewOp.ON, bits=THINGS.index(args[0]))


@leaf("is_seen", "C", "The explored map shows such a thing, within 64 cells of me.", "ours")
def _is_seen(args: Words, types: Words) -> LeafCode:
    return LeafCode(CrewOp.SEEN, bits=THINGS.index(args[0]))


@leaf("has_water", "C", "I have water left.", "ours")
def _has_water(args: Words, types: Words) -> LeafCode:
    return LeafCode(CrewOp.HAS_WATER)


@leaf("is_carrying", "C", "I carry a civilian, or have firefighters aboard.", "ours")
def _is_carrying(args: Words, types: Words) -> LeafCode:
    return LeafCode(CrewOp.CARRIES)


__all__ = ["CREW_LEAVES", "NAMES_THING", "NEARNESS", "CrewOp", "Thing", "Way", "encode_way", "way_of"]
