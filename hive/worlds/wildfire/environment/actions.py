"""What the units of a crew can choose: one list of actions for a level, to cells relative to targets.

Rules: docs/rules/learning.md 8.

The list follows from the level's types and task, and not from the number of units. A unit of a type that does not have
an action never has it available.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, auto
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from dsl.vocabulary import CREW_TYPES, THINGS
from hive.engine.crews.frames import FRAMES, SPEED, BulldozerCode, CrewCode, FirefighterCode, HelicopterCode
from hive.engine.crews.leaves import Thing
from hive.engine.types import CrewAction, CrewType, Params
from hive.kit.environment.compass import COMPASS, DIRECTION_NAMES
from hive.worlds.wildfire.levels import Level

SECTORS = 8
RINGS = (3, 6)  # cells from the middle of a ring to its sides
FIXED = 1 + 2 * SECTORS  # places that every level has: the own cell, eight a tick away, eight as far as one fells
SHORT = 2  # cells that ground units stop before a fire

_LONG = np.floor(SPEED * FRAMES + 0.5).astype(np.int32)  # cells in a tick, by type
_CUTTING = 4  # cells in a tick of a bulldozer that fells
_WAYS = COMPASS * (1, -1)  # rows of a map count from the north
_NOT = -2  # code of a type that does not have an action


class Need(IntEnum):
    """What must hold for an action, in addition to a place to go to."""

    NOTHING = 0
    CUT = auto()
    CARRY = auto()
    SPRAY = auto()
    FILL = auto()
    LIFT = auto()
    DROP = auto()


class ActionRow(NamedTuple):
    """One action."""

    words: str
    codes: tuple[int, ...]  # by type (docs/rules/wildfire.md 6.1)
    place: int  # which of `places`
    need: Need


class Reach(NamedTuple):
    """The cells that actions lead to, and whether there are such."""

    place: Int[Array, "n p 2"]
    there: Bool[Array, "n p"]


def things_of(level: Level) -> tuple[Thing, ...]:
    """Return the things of which the units of a level know the nearest."""
    asked = {
        Thing.FIRE: level.period,
        Thing.DANGER: level.period,
        Thing.WATER: level.water,
        Thing.CIVILIAN: level.clusters,
        Thing.FIREFIGHTER: level.helicopters,
        Thing.UNSEEN: not level.known,
    }
    return tuple(thing for thing, holds in asked.items() if holds)


def targets_of(level: Level, nearest: int) -> int:
    """Return the number of targets that a unit of a level lists."""
    if level.game == "cut":
        return nearest
    return int(level.game in ("transport", "rescue") or ringed(level))


def ringed(level: Level) -> bool:
    """Whether the fire's place is known, so that units may be sent round it."""
    return bool(level.period) and level.known


def choices(level: Level, nearest: int) -> tuple[ActionRow, ...]:
    """Return the actions of a level, in their order; the first one stands."""
    present = {kind for kind, count in zip(CrewType, level.agents, strict=True) if count}
    found: list[ActionRow] = []

    def add(words: str, codes: dict[CrewType, int], place: int, need: Need = Need.NOTHING) -> None:
        mine = {kind: code for kind, code in codes.items() if kind in present}
        if mine:
            found.append(ActionRow(words, tuple(mine.get(kind, _NOT) for kind in CrewType), place, need))

    move, clear = dict.fromkeys(CrewType, int(CrewCode.MOVE)), {CrewType.BULLDOZER: int(BulldozerCode.CLEAR)}
    add("stand", dict.fromkeys(CrewType, int(CrewCode.IDLE)), 0)
    for number, name in enumerate(DIRECTION_NAMES):
        add(f"go {name}, one tick", move, 1 + number)
    for number, name in enumerate(DIRECTION_NAMES):
        add(f"fell {name}, four cells", clear, 1 + SECTORS + number)
    places = [f"target {number + 1}" for number in range(targets_of(level, nearest))]
    if level.game in ("transport", "rescue"):
        places = ["the goal"]
    if ringed(level):
        places = ["the fire's start"]
        places += [f"the next corner of the ring {radius} cells round the fire's start" for radius in RINGS]
    for words, codes in (("go to", move), ("fell on the way to", clear)):
        for number, name in enumerate(places):
            add(f"{words} {name}", codes, FIXED + number)
    things = things_of(level)
    for number, thing in enumerate(things):
        add(f"go to the nearest {THINGS[thing]}", move, FIXED + len(places) + number)
    add("cut a tree here", {CrewType.FIREFIGHTER: int(FirefighterCode.CUT)}, 0, Need.CUT)
    if Thing.CIVILIAN in things:
        add("pick up or set down", {CrewType.FIREFIGHTER: int(FirefighterCode.CARRY)}, 0, Need.CARRY)
    if level.water:
        aim = FIXED + len(places) + things.index(Thing.FIRE)
        add("spray at the nearest fire", {CrewType.FIREFIGHTER: int(FirefighterCode.SPRAY)}, aim, Need.SPRAY)
        refill = {CrewType.FIREFIGHTER: int(FirefighterCode.REFILL), CrewType.HELICOPTER: int(HelicopterCode.FILL)}
        add("refill", refill, 0, Need.FILL)
    add("take firefighters aboard", {CrewType.HELICOPTER: int(HelicopterCode.LIFT)}, 0, Need.LIFT)
    add("drop", {CrewType.HELICOPTER: int(HelicopterCode.DROP)}, 0, Need.DROP)
    return tuple(found)


def steps_from(params: Params, at: Int[Array, "n 2"]) -> Int[Array, "n q 2"]:
    """Return the cells of actions without a target: the own one, those a tick away, and as far as a bulldozer fells."""
    long = np.rint(_WAYS[None] * _LONG[:, None, None]).astype(np.int32)
    short = np.rint(_WAYS * _CUTTING).astype(np.int32)
    own = jnp.zeros_like(at)[:, None]
    far = jnp.asarray(long)[params.units.type]
    near = jnp.broadcast_to(jnp.asarray(short)[None], far.shape)
    return at[:, None] + jnp.concatenate([own, far, near], axis=1)


def along_rings(at: Int[Array, "n 2"], middle: Int[Array, " 2"]) -> Int[Array, "n r 2"]:
    """Return for each ring round a place the cell where a unit goes next.

    On the ring that is its next corner anticlockwise, off the ring the nearest cell of it.
    """
    off = at - middle[None]
    x, y = off[:, 0], off[:, 1]
    far = jnp.abs(off).max(1)
    found = []
    for radius in RINGS:
        # north along the east side, west along the north side, south along the west side, else east
        north, west, south = (
            (x == radius) & (y > -radius),
            (y == -radius) & (x > -radius),
            (x == -radius) & (y < radius),
        )
        side = jnp.where(north, 0, jnp.where(west, 1, jnp.where(south, 2, 3)))
        corner = jnp.asarray(np.array([(1, -1), (-1, -1), (-1, 1), (1, 1)], np.int32) * radius)[side]
        inner = jnp.where(jnp.abs(x) >= jnp.abs(y), 0, 1)  # the axis along which a unit inside leaves
        out = jnp.where(off >= 0, radius, -radius)
        pushed = jnp.where(jnp.arange(2)[None] == inner[:, None], out, off)
        entry = jnp.where((far > radius)[:, None], jnp.clip(off, -radius, radius), pushed)
        found.append(middle[None] + jnp.where((far == radius)[:, None], corner, entry))
    return jnp.stack(found, axis=1)


def ring_cells(middle: Int[Array, " 2"], radius: int) -> Int[Array, "q 2"]:
    """Return the cells of a ring round a place."""
    along = np.arange(-radius, radius + 1)
    cells = [(x, y) for x in along for y in along if max(abs(x), abs(y)) == radius]
    return middle[None] + jnp.asarray(np.array(cells, np.int32))


def command_of(
    params: Params, table: tuple[ActionRow, ...], actions: Int[Array, " n"], place: Int[Array, "n p 2"]
) -> CrewAction:
    """Return the command of each unit's action."""
    codes = jnp.asarray(np.array([choice.codes for choice in table], np.int32))
    at = jnp.asarray(np.array([choice.place for choice in table], np.int32))[actions]
    return CrewAction(
        code=codes[actions, params.units.type], place=jnp.take_along_axis(place, at[:, None, None], axis=1)[:, 0]
    )


def possible(
    params: Params, table: tuple[ActionRow, ...], reach: Reach, needs: Bool[Array, "n c"], acts: Bool[Array, " n"]
) -> Bool[Array, "n a"]:
    """Return which actions each unit can take.

    Args:
        params: The level.
        table: From `choices`.
        reach: The cells of the actions.
        needs: `[n, C]` whether each `Need` holds.
        acts: Units that are alive and not aboard a helicopter; the others can only stand.
    """
    has = np.array([choice.codes for choice in table]) != _NOT
    place, need = (np.array([getattr(choice, name) for choice in table], np.int32) for name in ("place", "need"))
    open_ = jnp.asarray(has.T)[params.units.type] & reach.there[:, place] & needs[:, need]
    return (open_ & acts[:, None]).at[:, 0].set(True)


def note_of(choice: ActionRow, present: Sequence[str]) -> str:
    """Return the types that have an action, in brackets, unless all that are present have it."""
    has = [name for name, code in zip(CREW_TYPES, choice.codes, strict=True) if code != _NOT and name in present]
    return "" if len(has) == len(present) else f" ({', '.join(has)})"
