"""The leaves of battle units' trees: from a leaf's words to the numbers of a `LeafCode`.

How to add one: `hive/ARCHITECTURE.md`.
"""

from __future__ import annotations

from enum import IntEnum, auto

from dsl.vocabulary import DIRECTIONS, UNIT_TYPES
from hive.engine.behaviours.registry import LeafKind, Words, registrar
from hive.engine.behaviours.tables import (
    ANY_TYPE,
    FOE_SHIFT,
    Flock,
    LeafCode,
    Sense,
    SenseOrder,
    StraightMove,
    check_type_count,
)


class UnitOp(IntEnum):
    """Operations of the leaves of battle units."""

    FAIL = 0
    STAND = auto()
    ATTACK = auto()
    STEP = auto()
    TOWARD = auto()
    AWAY = auto()
    NORTH = auto()
    FOUND = auto()
    ALL_ARMED = auto()
    DYING = auto()
    ARMED = auto()
    TYPE = auto()
    FOREST = auto()
    FLOCK = auto()


_QUALIFIER = {
    "closest": (SenseOrder.CLOSEST, False),
    "farthest": (SenseOrder.CLOSEST, True),
    "weakest": (SenseOrder.HEALTH, False),
    "strongest": (SenseOrder.HEALTH, True),
    "random": (SenseOrder.RANDOM, False),
}
_DYING = {"low": 0.25, "middle": 0.5, "high": 0.75}  # share of full health (docs/rules/trees.md 4.6)
_NEAR = {"low": 0.25, "middle": 0.5, "high": 1.0}  # share of the sight range (docs/rules/trees.md 5.2)
_STEPS = {"now": 0, "low": 1, "middle": 2, "high": 3}

check_type_count(UNIT_TYPES)
UNIT_LEAVES: dict[str, LeafKind] = {}
leaf = registrar(UNIT_LEAVES)


def type_bits(types: Words) -> int:
    """Return the bits of unit types; all bits when no type or `any` is given."""
    if not types or types == ("any",):
        return ANY_TYPE
    return sum(1 << UNIT_TYPES.index(name) for name in types)


def _mask(who: str, types: Words) -> int:
    return type_bits(types) << (FOE_SHIFT if who == "foe" else 0)


def _sense(
    who: str, types: Words, qualifier: str = "closest", own: float = 0.0, theirs: float = 0.0, steps: float = 0.0
) -> Sense:
    order, last = _QUALIFIER[qualifier]
    return Sense(
        mask=_mask(who, types),
        written=types == ("any",),
        own_range=own,
        their_range=theirs,
        steps=steps,
        order=order,
        last=last,
    )


@leaf("stand", "A", "Stay here.")
def _stand(args: Words, types: Words) -> LeafCode:
    return LeafCode(UnitOp.STAND)


@leaf("success_action", "A", "Step north at full speed; for debugging.")
def _success_action(args: Words, types: Words) -> LeafCode:
    return LeafCode(UnitOp.NORTH)


@leaf("failure_action", "A", "Fail; for debugging.")
def _failure_action(args: Words, types: Words) -> LeafCode:
    return LeafCode(UnitOp.FAIL)


@leaf("attack", "A", "Attack the chosen visible foe within reach, when the weapon is ready.")
def _attack(args: Words, types: Words) -> LeafCode:
    return LeafCode(UnitOp.ATTACK, sense=_sense("foe", types, args[0], own=1.0))


@leaf("move", "A", "Step straight toward or away from the chosen visible unit (the compass form is ours).")
def _move(args: Words, types: Words) -> LeafCode:
    if len(args) == 1:
        return LeafCode(UnitOp.STEP, move=StraightMove(compass=DIRECTIONS.index(args[0])))
    heading, qualifier, who = args
    return LeafCode(
        UnitOp.STEP, move=StraightMove(sense=_sense(who, types, qualifier), sign=1.0 if heading == "toward" else -1.0)
    )


@leaf("follow_map", "A", "Step along the distance map, toward the target or away from it, down or up to a distance.")
def _follow_map(args: Words, types: Words) -> LeafCode:
    if args[0] == "toward":
        return LeafCode(UnitOp.TOWARD, value=_NEAR[args[1]] if len(args) > 1 else 0.0)
    return LeafCode(UnitOp.AWAY, value=_NEAR[args[1]] if len(args) > 1 else float("inf"))


@leaf("in_sight", "C", "Such a unit is visible.")
def _in_sight(args: Words, types: Words) -> LeafCode:
    return LeafCode(UnitOp.FOUND, sense=_sense(args[0], types))


@leaf("in_reach", "C", "Such a unit could hit me, or I it, within some of its, or my, steps.")
def _in_reach(args: Words, types: Words) -> LeafCode:
    # `them_from_me` counts own steps, as in the paper; the published code ignores them (docs/rules/trees.md 4.5).
    who, source, time = args
    mine = source == "them_from_me"
    return LeafCode(UnitOp.FOUND, sense=_sense(who, types, own=float(mine), theirs=float(not mine), steps=_STEPS[time]))


@leaf("is_dying", "C", "Health is at most a quarter, a half or three quarters: mine, or that of some visible unit.")
def _is_dying(args: Words, types: Words) -> LeafCode:
    who, share = args[0], _DYING[args[1]]
    if who == "self":
        return LeafCode(UnitOp.DYING, value=share)
    return LeafCode(UnitOp.FOUND, sense=Sense(mask=_mask(who, ()), health=share))


@leaf("is_armed", "C", "The weapon is ready: mine, or those of all such visible units, of which there must be one.")
def _is_armed(args: Words, types: Words) -> LeafCode:
    if args[0] == "self":
        return LeafCode(UnitOp.ARMED)
    return LeafCode(UnitOp.ALL_ARMED, sense=Sense(mask=_mask(args[0], ()), order=SenseOrder.COOLDOWN, last=True))


@leaf(
    "is_flock", "C", "Such visible units stand, on average, in that direction; `center`: in all four quadrants.", "ours"
)
def _is_flock(args: Words, types: Words) -> LeafCode:
    return LeafCode(UnitOp.FLOCK, flock=Flock(mask=_mask(args[0], ())), bits=DIRECTIONS.index(args[1]))


@leaf("is_type", "C", "My type is, or is not, this one.")
def _is_type(args: Words, types: Words) -> LeafCode:
    mine = 1 << UNIT_TYPES.index(args[1])
    return LeafCode(UnitOp.TYPE, bits=mine if args[0] == "a" else ANY_TYPE & ~mine)


@leaf("is_in_forest", "C", "I stand in a forest.")
def _is_in_forest(args: Words, types: Words) -> LeafCode:
    return LeafCode(UnitOp.FOREST)


__all__ = ["DIRECTIONS", "UNIT_LEAVES", "UNIT_TYPES", "UnitOp", "type_bits"]
