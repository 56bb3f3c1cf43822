"""What a crew knows of its map: every cell as a unit of the team last saw it (docs/rules/wildfire.md 5).

There is one map for the team, `[X, Y]`, or one for each unit, `[N, X, Y]`, for at most `MOST_MAPS` units. A cell that
no unit sees keeps its last code. A civilian that is carried is not drawn: its bearer is known from the roster.
"""

from __future__ import annotations

from enum import IntEnum
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int, UInt8

from hive.engine.types import CrewType, Params, State
from hive.ground.fire import Condition
from hive.ground.sizes import current


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
    """All cells within the view radius of a unit, widened radius by radius from the widest to the narrowest."""
    view = jnp.zeros(stood.shape[1:], bool)
    for number, radius in reversed(list(enumerate(_RADII))):
        narrower = _RADII[number - 1] if number else 0
        view = _widen(view | stood[number], radius - narrower)
    return view


def _widen(true: Bool[Array, "x y"], radius: int) -> Bool[Array, "x y"]:
    """All cells within a square of that radius round a true one."""
    shifts: list[int] = []
    while sum(shifts) < radius:
        shifts.append(min(2 * sum(shifts) + 1, radius - sum(shifts)))
    most = max(shifts)

    def along(axis: int, turn: Array, true: Array) -> Array:
        wide = jnp.pad(true, [(most, most) if each == axis else (0, 0) for each in range(2)])
        shift = jnp.asarray(shifts, jnp.int32)[turn]
        left, right = (lax.dynamic_slice_in_dim(wide, most + by, true.shape[axis], axis=axis) for by in (-shift, shift))
        return true | left | right

    # Without a loop XLA's processor code tests for each cell of each shift whether it lies in the edge.
    for axis in range(2):
        true = lax.fori_loop(0, len(shifts), partial(along, axis), true, unroll=current().flat)
    return true
