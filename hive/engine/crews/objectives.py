"""Objectives of crews: which steps have met theirs, as far as the team knows (docs/rules/plans.md 4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, UInt8

from hive.engine.crews.explored import Explored, cell_of
from hive.engine.crews.frames import near
from hive.engine.types import CrewType, ObjectiveKind, Params, Plan, State
from hive.ground.compaction import only_if


def crew_objectives_met(params: Params, plan: Plan, state: State) -> Bool[Array, " p"]:
    """`[P]` whether each step has an objective of crews that is met now, regardless of its prerequisites.

    Rescue and all objectives about the map are checked on the explored map, so no plan learns what no unit has seen.
    Cut: every listed cell was last seen without trees. Extinguish: a fire was seen, and no cell was last seen ignited
    or on fire. Contain: the same, and no cell that was seen burning or burnt lies farther from the centre than the
    radius. Rescue: the given number of living civilians, not carried, is at the place, in cells where a civilian was
    last seen. Transport: the given number of living firefighters, including those aboard a helicopter. Scout: every
    cell of the box has been seen, or, for a scouted fire, a cell that burns or is burnt.

    Args:
        params: The world; its units are a crew.
        plan: Both sides' plans as one.
        state: The world, with a crew and a fire.
    """
    crew, number = state.crew, plan.number
    assert crew is not None
    seen = crew.seen.reshape(-1, *crew.seen.shape[-2:])  # one map, or one for each unit
    find: dict[int, Callable[[], Bool[Array, "*p"]]] = {
        ObjectiveKind.CUT: lambda: _are_cut(plan, seen),
        ObjectiveKind.EXTINGUISH: lambda: _is_out(_fires(seen)),
        ObjectiveKind.CONTAIN: lambda: _is_out(_fires(seen)) & _are_contained(number, _fires(seen) > 0),
        ObjectiveKind.RESCUE: lambda: _are_brought(
            number,
            crew.civilian,
            crew.living & (crew.bearer < 0) & (_codes(seen, crew.civilian) == Explored.CIVILIAN).any(0),
        ),
        ObjectiveKind.TRANSPORT: lambda: _are_brought(
            number, cell_of(state), state.alive & (params.units.type == CrewType.FIREFIGHTER)
        ),
        ObjectiveKind.SCOUT: lambda: _are_scouted(number, seen != Explored.UNSEEN),
        ObjectiveKind.SCOUT_FIRE: lambda: _fires(seen).any(),
    }
    met = none = jnp.zeros(plan.objective.shape, bool)

    def found(answer: Callable[[], Bool[Array, "*p"]]) -> Bool[Array, " p"]:
        return none | answer()

    for kind, answer in find.items():  # scanning the map is expensive, so objectives that no step has are skipped
        asked = plan.objective == kind
        met |= asked & only_if(asked.any(), partial(found, answer), none)
    return met


def _codes(seen: UInt8[Array, "m x y"], cells: Int[Array, "c 2"]) -> UInt8[Array, "m c"]:
    """Codes of the given cells on each explored map."""
    return seen[:, cells[:, 0], cells[:, 1]]


def _fires(seen: UInt8[Array, "m x y"]) -> UInt8[Array, "x y"]:
    """Codes of cells that were seen burning or burnt, else 0; with several maps the latest state of the fire."""
    return jnp.where((seen >= Explored.IGNITED) & (seen <= Explored.BURNT), seen, 0).max(0)


def _is_out(fires: UInt8[Array, "x y"]) -> Bool[Array, ""]:
    return fires.any() & ~((fires == Explored.IGNITED) | (fires == Explored.ON_FIRE)).any()


def _are_cut(plan: Plan, seen: UInt8[Array, "m x y"]) -> Bool[Array, " p"]:
    step, code = plan.cell[:, 0], _codes(seen, plan.cell[:, 1:])
    bare = (code == Explored.WET) | (code == Explored.DRY) | ((code >= Explored.ON_FIRE) & (code <= Explored.BUILDING))
    stands = (step >= 0) & ~bare.any(0)
    return ~jnp.zeros(plan.objective.shape, bool).at[jnp.maximum(step, 0)].max(stands)


def _are_contained(number: Int[Array, "p 4"], burnt: Bool[Array, "x y"]) -> Bool[Array, " p"]:
    side = burnt.shape[-1]
    along = jnp.arange(side)
    # Among all cells with the same y, the farthest from any point is the first or the last.
    first = jnp.where(burnt, along[:, None], side).min(0)
    last = jnp.where(burnt, along[:, None], -1).max(0)
    x, y, radius, _ = number.T[..., None]
    east, south = jnp.maximum(x - first[None], last[None] - x), along[None] - y
    return ~((last >= 0)[None] & (east * east + south * south > radius * radius)).any(1)


def _are_brought(number: Int[Array, "p 4"], cells: Int[Array, "n 2"], who: Bool[Array, " n"]) -> Bool[Array, " p"]:
    there = jax.vmap(lambda place: near(cells, place))(number[:, :2])
    return (there & who[None]).sum(1) >= number[:, 2]


def _are_scouted(number: Int[Array, "p 4"], seen: Bool[Array, "m x y"]) -> Bool[Array, " p"]:
    unseen = ~seen.any(0)
    corner = number.reshape(-1, 2, 2)
    along = jnp.arange(unseen.shape[-1])[None, None]
    inside = (along >= corner.min(1)[..., None]) & (along <= corner.max(1)[..., None])  # [P, axis, cells]
    # A matrix product replaces a scan of the map for each step; whether its sums are 0 is exact in any precision.
    missing = inside[:, 0].astype(jnp.float32) @ unseen.astype(jnp.float32)
    return ~((missing > 0) & inside[:, 1]).any(1)
