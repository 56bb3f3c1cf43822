"""What a crew knows of its map: every cell as a unit of the team last saw it (docs/rules/wildfire.md 5).

There is one map for the team, `[X, Y]`, or one for each unit, `[N, X, Y]`, for at most `MOST_MAPS` units. A cell that
no unit sees keeps its last code. A civilian that is carried is not drawn: its bearer is known from the roster.
"""

from __future__ import annotations

from enum import IntEnum

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int, UInt, UInt8

from hive.engine.types import CrewType, Params, State
from hive.ground.compaction import WORD, packed
from hive.ground.fire import Condition
from hive.ground.hashing import kept


class Explored(IntEnum):
    """Codes of the explored map. A wet and a dry cell have a code for each number of trees: `WET + 0` to `DRY + 3`."""

    UNSEEN = 0
    WET = 1
    DRY = 5
    IGNITED = 9
    ON_FIRE = 10
    EXTINGUISHING = 11
    BURNT = 12
    WATER = 13
    BUILDING = 14
    CIVILIAN = 15


SYMBOLS = ("-", "'0'", "'1'", "'2'", "'3'", "0", "1", "2", "3", "i", "f", "e", "x", "w", "B", "C")

MOST_MAPS = 64  # explored maps of a team that does not share one

# cells, square (docs/rules/wildfire.md 3.1)
_SIGHT = {CrewType.FIREFIGHTER: 5, CrewType.BULLDOZER: 5, CrewType.DRONE: 15, CrewType.HELICOPTER: 20}
VIEW = np.array([_SIGHT[kind] for kind in sorted(_SIGHT)])  # by type
_RADII = sorted(set(VIEW.tolist()))  # [5, 15, 20]

Stood = Bool[Array, "m r x y"]
"""Cells in which a unit stood, by explored map (one, or one for each unit) and by the unit's view radius."""


def nowhere(state: State) -> Stood:
    """Return an empty record: no unit has stood anywhere yet."""
    assert state.crew is not None
    seen = state.crew.seen
    maps = seen.shape[0] if seen.ndim == 3 else 1
    return jnp.zeros((maps, len(_RADII), *seen.shape[-2:]), bool)


def stand(params: Params, stood: Stood, at: Int[Array, "*f n 2"], there: Bool[Array, "*f n"]) -> Stood:
    """Record the cells of the units that are `there`, of one frame or of several."""
    own = jnp.arange(params.count) if stood.shape[0] > 1 else 0
    radius = jnp.asarray(np.searchsorted(_RADII, VIEW))[params.units.type]
    row = jnp.where(there, jnp.broadcast_to(own, there.shape), stood.shape[0])  # out of bounds: dropped
    return stood.at[row, jnp.broadcast_to(radius, row.shape), at[..., 0], at[..., 1]].set(True, mode="drop")


def codes(params: Params, state: State) -> UInt8[Array, "x y"]:
    """Return the true code of every cell, independent of what is seen.

    A building is drawn over fire, even when it is burnt, and a living civilian over everything.
    """
    assert params.blaze is not None and params.crews is not None and state.fire is not None and state.crew is not None
    fire, crew = state.fire, state.crew
    condition = fire.condition
    code = jnp.where(fire.wet > 0, Explored.WET, Explored.DRY) + fire.trees
    code = jnp.where(condition >= Condition.IGNITED, condition + (Explored.IGNITED - Condition.IGNITED), code)
    code = jnp.where(params.crews.water, Explored.WATER, code)
    code = jnp.where(params.blaze.start.building, Explored.BUILDING, code).astype(jnp.uint8)
    x = jnp.where(crew.living & (crew.bearer < 0), crew.civilian[:, 0], code.shape[0])
    return code.at[x, crew.civilian[:, 1]].set(Explored.CIVILIAN, mode="drop")


def mark(params: Params, state: State, stood: Stood) -> State:
    """Update the explored map in the view squares of all places in `stood`."""
    assert state.crew is not None
    seen = state.crew.seen
    view = jax.vmap(_view)(stood)
    now = jnp.where(view, codes(params, state), seen.reshape(view.shape))
    return state.replace(crew=state.crew.replace(seen=now.reshape(seen.shape)))


def mark_here(params: Params, state: State) -> State:
    """Update the explored map round the current cells of living units."""
    return mark(params, state, stand(params, nowhere(state), cell_of(state), state.alive))


def cell_of(state: State) -> Int[Array, "n 2"]:
    """The cell that each unit stands in."""
    return state.position.astype(jnp.int32)


def _view(stood: Bool[Array, "r x y"]) -> Bool[Array, "x y"]:
    """All cells within the view radius of a unit, widened radius by radius from the widest to the narrowest.

    Meanwhile 32 cells of a column are one word, because XLA's processor code tests for each word of each shift whether
    it lies in the edge.
    """
    words = packed(stood)
    view = jnp.zeros_like(words[0])
    for number, radius in reversed(list(enumerate(_RADII))):
        narrower = _RADII[number - 1] if number else 0
        view = _widen(view | words[number], radius - narrower)
    bits = kept(view[:, :, None] >> np.arange(WORD, dtype=np.uint32)[None, None] & 1)
    return bits.reshape(stood.shape[1], -1)[:, : stood.shape[2]] != 0


def _widen(words: UInt[Array, "x w"], radius: int) -> UInt[Array, "x w"]:
    """All cells within a square of that radius round one whose bit is set; what crosses the edge is lost."""
    reached = 0
    while reached < radius:
        shift = min(2 * reached + 1, radius - reached)  # the squares of the shifted cells leave no gap
        before, after = _shifted(words, 1, 1), _shifted(words, 1, -1)
        words = words | words << shift | before >> WORD - shift | words >> shift | after << WORD - shift
        words = kept(words | _shifted(words, 0, shift) | _shifted(words, 0, -shift))
        reached += shift
    return words


def _shifted(words: UInt[Array, "x w"], axis: int, by: int) -> UInt[Array, "x w"]:
    """Return the words moved along an axis, towards its end or its beginning, zeros after them."""
    size = words.shape[axis]
    cut = min(abs(by), size)
    begin, end = (0, size - cut) if by > 0 else (cut, size)
    frame = [(0, 0), (0, 0)]
    frame[axis] = (cut, 0) if by > 0 else (0, cut)
    return jnp.pad(lax.slice_in_dim(words, begin, end, axis=axis), frame)
