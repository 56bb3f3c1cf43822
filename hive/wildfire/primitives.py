"""What an agent chooses in one sentence, carried out over the steps that it takes (docs/rules/wildfire.md 6.4, 6.5).

    primitive = begin(params, state, kind, place, count)
    while some unit is not finished(params, state, primitive):
        state = step(params, state, command(params, state, primitive), key)

Each unit has a primitive of its own, and a new one may replace it at any time: `jnp.where` row by row.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Int

from hive.crews.explored import cell_of
from hive.crews.frames import BulldozerCode, CrewCode, FirefighterCode, HelicopterCode, passengers
from hive.types import Command, Params, State
from hive.wildfire.env import ILLEGAL
from hive.wildfire.observation import carrying


class _Rule(IntEnum):
    """How a primitive goes: only `GO`, `ALL` and `COUNTED` take more than one step."""

    STAY = 0
    GO = 1
    COUNTED = 2
    ALL = 3
    LIFTS = 4
    LOWERS = 5
    AIMED = 6
    ONE = 7
    UNLOADS = 8
    POURS = 9


_DOES = (  # by type and number: what it is called, the code that it sends, how it goes
    (
        ("do nothing", CrewCode.MOVE, _Rule.STAY),
        ("move to location", CrewCode.MOVE, _Rule.GO),
        ("cut n trees", FirefighterCode.CUT, _Rule.COUNTED),
        ("cut all trees in cell", FirefighterCode.CUT, _Rule.ALL),
        ("pick up civilian", FirefighterCode.CARRY, _Rule.LIFTS),
        ("drop off civilian", FirefighterCode.CARRY, _Rule.LOWERS),
        ("spray toward location", FirefighterCode.SPRAY, _Rule.AIMED),
        ("refill water", FirefighterCode.REFILL, _Rule.ONE),
    ),
    (
        ("do nothing", CrewCode.MOVE, _Rule.STAY),
        ("drive to location", CrewCode.MOVE, _Rule.GO),
        ("drive to location, cutting", BulldozerCode.CLEAR, _Rule.GO),
    ),
    (("do nothing", CrewCode.MOVE, _Rule.STAY), ("fly to location", CrewCode.MOVE, _Rule.GO)),
    (
        ("do nothing", CrewCode.MOVE, _Rule.STAY),
        ("fly to location", CrewCode.MOVE, _Rule.GO),
        ("pick up firefighters", HelicopterCode.LIFT, _Rule.ONE),
        ("drop off firefighters", HelicopterCode.DROP, _Rule.UNLOADS),
        ("refill water", HelicopterCode.FILL, _Rule.ONE),
        ("drop water", HelicopterCode.DROP, _Rule.POURS),
    ),
)
NAMES = tuple(tuple(name for name, _, _ in each) for each in _DOES)  # of the primitives, by type and number
ONCE = ((0, 1, 2, 4, 5, 6, 7), *(tuple(range(len(each))) for each in _DOES[1:]))  # what each single-step action begins

_MOST = max(map(len, _DOES))
_REFUSED = -1  # kind of one that its unit cannot have
_FOR_EVER = 2**30  # ticks


def _table(rows: Iterable[Iterable[int]], rest: int) -> np.ndarray:
    """`[4, 8]` a row for each type, padded."""
    return np.array([[*row, *[rest] * _MOST][:_MOST] for row in rows], np.int32)


_CODE = _table(([code for _, code, _ in each] for each in _DOES), ILLEGAL)
_RULE = _table(([rule for _, _, rule in each] for each in _DOES), _Rule.ONE)
_ONCE = _table(ONCE, _REFUSED)


class Primitive(struct.PyTreeNode, kw_only=True):
    """What each unit is at."""

    kind: Int[Array, " n"]  # index into `NAMES` of its type, or -1: refused
    place: Int[Array, "n 2"]  # cell that it refers to
    until: Int[Array, " n"]  # tick at which it ends at the latest


def begin(
    params: Params,
    state: State,
    kind: Int[Array, " n"],
    place: Int[Array, "n 2"],
    count: Int[Array, " n"] | int = 1,
    *,
    once: bool = False,
) -> Primitive:
    """Give every unit a primitive.

    Args:
        params: Of a level.
        state: When it begins.
        kind: Number of the primitive, by type (`NAMES`), or of the single-step action (`ONCE`).
        place: Cells, read where the primitive has a location.
        count: Trees to cut, at least 1, read by the primitive that cuts so many.
        once: Whether `kind` numbers the actions of docs/rules/wildfire.md 6.5, which last one step whatever they are.

    Returns:
        The primitives. One whose kind its type does not have, whose place lies outside the map or whose count is below
        1 takes one step, in which the unit stands idle and `Crew.refused` counts it.
    """
    kind, place, count = jnp.asarray(kind), jnp.asarray(place, jnp.int32), jnp.asarray(count)
    if once:
        kind, count = _look_up(_ONCE, params, kind, _REFUSED), jnp.int32(1)
    rule = _look_up(_RULE, params, kind, _Rule.ONE)
    inside = ((place >= 0) & (place < params.terrain.size)).all(-1)
    good = _look_up(_CODE, params, kind, ILLEGAL) != ILLEGAL
    good &= jnp.where((rule == _Rule.GO) | (rule == _Rule.AIMED), inside, (rule != _Rule.COUNTED) | (count >= 1))
    steps = jnp.where(rule == _Rule.COUNTED, jnp.minimum(count, _FOR_EVER), 1)
    if not once:
        steps = jnp.where((rule == _Rule.GO) | (rule == _Rule.ALL), _FOR_EVER, steps)
    return Primitive(
        kind=jnp.where(good, kind, _REFUSED).astype(jnp.int32),
        place=place,
        until=(state.tick + jnp.where(good, steps, 1)).astype(jnp.int32),
    )


def command(params: Params, state: State, primitive: Primitive) -> Command:
    """Return the next step of each unit's primitive; who has finished is idle.

    To pick up while carrying, or to drop what is not there, is to be idle. A helicopter's two ways to drop are one code
    in the action tensor, yet each does only its own part here (docs/rules/wildfire.md 6.4). To do nothing is to move to
    the own cell, as published.
    """
    crew = state.crew
    assert crew is not None
    rule, loaded = _look_up(_RULE, params, primitive.kind, _Rule.ONE), carrying(state)
    code = _look_up(_CODE, params, primitive.kind, ILLEGAL)
    ready = jnp.where(rule == _Rule.LIFTS, ~loaded, (rule != _Rule.LOWERS) | loaded)
    ready &= (rule != _Rule.UNLOADS) | (passengers(state) > 0)
    ready &= (rule != _Rule.POURS) | (crew.water > 0)
    place = jnp.where((rule == _Rule.STAY)[:, None], cell_of(state), primitive.place)
    return Command(code=jnp.where(ready & ~finished(params, state, primitive), code, CrewCode.IDLE), place=place)


def finished(params: Params, state: State, primitive: Primitive) -> Bool[Array, " n"]:
    """Whether each unit has done what it was at (docs/rules/wildfire.md 6.4); the dead have.

    Who moves has when its own cell is the one named, who cuts all trees when its own cell has none, wet or dry; all
    others after their steps.
    """
    assert state.fire is not None
    cell, rule = cell_of(state), _look_up(_RULE, params, primitive.kind, _Rule.ONE)
    arrived = (rule == _Rule.GO) & (cell == primitive.place).all(-1)
    bare = (rule == _Rule.ALL) & (state.fire.trees[cell[:, 0], cell[:, 1]] == 0)
    return arrived | bare | (state.tick >= primitive.until) | ~state.alive


def _look_up(table: np.ndarray, params: Params, kind: Int[Array, " n"], else_: int) -> Int[Array, " n"]:
    """What a table says of each unit's type and `kind`; `else_` of kinds beyond it."""
    beyond = (kind < 0) | (kind >= _MOST)
    return jnp.where(beyond, else_, jnp.asarray(table)[params.units.type, jnp.clip(kind, 0, _MOST - 1)])
