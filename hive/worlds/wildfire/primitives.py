"""Actions that an agent chooses once and that run over several steps (docs/rules/wildfire.md 6.4, 6.5).

    primitive = begin(params, state, kind, place, count)
    while some unit is not finished(params, state, primitive):
        state = step(params, state, command(params, state, primitive), key)

Each unit has its own primitive, which a new one may replace at any time: use `jnp.where` row by row.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Int

from hive.engine.crews.explored import cell_of
from hive.engine.crews.frames import BulldozerCode, CrewCode, FirefighterCode, HelicopterCode, passengers
from hive.engine.types import CrewAction, Params, State
from hive.worlds.wildfire.action_tensor import ILLEGAL
from hive.worlds.wildfire.observation import carrying


class _Rule(IntEnum):
    """How a primitive runs: only `GO`, `ALL` and `COUNTED` take more than one step."""

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


_DOES = (  # by type and number: its name, the code that it sends, how it runs
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
PRIMITIVE_NAMES = tuple(tuple(name for name, _, _ in each) for each in _DOES)  # of the primitives, by type and number
ONCE = ((0, 1, 2, 4, 5, 6, 7), *(tuple(range(len(each))) for each in _DOES[1:]))  # primitive of each single step

_MOST = max(map(len, _DOES))
_REFUSED = -1  # kind of a primitive that its unit cannot have
_FOR_EVER = 2**30  # ticks


def _table(rows: Iterable[Iterable[int]], rest: int) -> np.ndarray:
    """Return `[4, 8]`, one padded row for each type."""
    return np.array([[*row, *[rest] * _MOST][:_MOST] for row in rows], np.int32)


_CODE = _table(([code for _, code, _ in each] for each in _DOES), ILLEGAL)
_RULE = _table(([rule for _, _, rule in each] for each in _DOES), _Rule.ONE)
_ONCE = _table(ONCE, _REFUSED)


class Primitive(struct.PyTreeNode, kw_only=True):
    """The primitive that each unit carries out."""

    kind: Int[Array, " n"]  # index into `PRIMITIVE_NAMES` of its type, or -1: refused
    place: Int[Array, "n 2"]  # cell that it refers to
    until: Int[Array, " n"]  # latest tick at which it ends


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
        params: Parameters of a level.
        state: The state in which it begins.
        kind: Number of the primitive, by type (`PRIMITIVE_NAMES`), or of the single-step action (`ONCE`).
        place: Cells, read where the primitive has a location.
        count: Trees to cut, at least 1, read by the primitive that cuts a given number.
        once: Whether `kind` numbers the actions of docs/rules/wildfire.md 6.5, which all last one step.

    Returns:
        The primitives. If the unit's type does not have the kind, the place lies outside the map or the count is below
        1, the primitive takes one step, in which the unit stands idle and is counted in `Crew.refused`.
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


def command(params: Params, state: State, primitive: Primitive) -> CrewAction:
    """Return the next step of each unit's primitive; a unit that has finished is idle.

    A unit is idle if it picks up while carrying, or drops while it carries nothing. A helicopter's two kinds of drop
    are one code in the action tensor, but each does only its own part here (docs/rules/wildfire.md 6.4). Doing nothing
    is moving to the own cell, as published.
    """
    crew = state.crew
    assert crew is not None
    rule, loaded = _look_up(_RULE, params, primitive.kind, _Rule.ONE), carrying(state)
    code = _look_up(_CODE, params, primitive.kind, ILLEGAL)
    ready = jnp.where(rule == _Rule.LIFTS, ~loaded, (rule != _Rule.LOWERS) | loaded)
    ready &= (rule != _Rule.UNLOADS) | (passengers(state) > 0)
    ready &= (rule != _Rule.POURS) | (crew.water > 0)
    place = jnp.where((rule == _Rule.STAY)[:, None], cell_of(state), primitive.place)
    return CrewAction(code=jnp.where(ready & ~finished(params, state, primitive), code, CrewCode.IDLE), place=place)


def finished(params: Params, state: State, primitive: Primitive) -> Bool[Array, " n"]:
    """Return whether each unit has finished its primitive (docs/rules/wildfire.md 6.4); dead units always have.

    A move finishes when the unit reaches the target cell, cutting all trees when the unit's cell has none left, wet or
    dry; every other primitive finishes after its number of steps.
    """
    assert state.fire is not None
    cell, rule = cell_of(state), _look_up(_RULE, params, primitive.kind, _Rule.ONE)
    arrived = (rule == _Rule.GO) & (cell == primitive.place).all(-1)
    bare = (rule == _Rule.ALL) & (state.fire.trees[cell[:, 0], cell[:, 1]] == 0)
    return arrived | bare | (state.tick >= primitive.until) | ~state.alive


def _look_up(table: np.ndarray, params: Params, kind: Int[Array, " n"], else_: int) -> Int[Array, " n"]:
    """Look up each unit's type and `kind` in a table; `else_` is used for kinds outside it."""
    beyond = (kind < 0) | (kind >= _MOST)
    return jnp.where(beyond, else_, jnp.asarray(table)[params.units.type, jnp.clip(kind, 0, _MOST - 1)])
