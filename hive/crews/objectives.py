"""Objectives of crews: which steps have met theirs."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int, UInt8

from hive.crews.explored import Explored, cell_of
from hive.crews.frames import near
from hive.types import CrewType, ObjectiveKind, Params, Plan, State


def crew_objectives_met(params: Params, plan: Plan, state: State) -> Bool[Array, " p"]:
    """`[P]` whether each step has an objective of crews that is met now, regardless of its prerequisites.

    Cut: no listed cell has trees. Extinguish: no cell is ignited or on fire. Contain: the same, and no burning or burnt
    cell lies farther from the centre than the radius. Rescue: the given number of living civilians, not carried, is at
    the place; transport: the given number of living firefighters, including those aboard a helicopter. Scout: a unit
    has seen every cell of the box, or, for a scouted fire, a cell that burns or is burnt.

    Args:
        params: The world; its units are a crew.
        plan: Both sides' plans as one.
        state: The world, with a crew and a fire.
    """
    fire, crew, number = state.fire, state.crew, plan.number
    assert fire is not None and crew is not None
    find: dict[int, Callable[[], Bool[Array, "*p"]]] = {
        ObjectiveKind.CUT: lambda: _are_cut(plan, fire.trees),
        ObjectiveKind.EXTINGUISH: lambda: ~fire.alight,
        ObjectiveKind.CONTAIN: lambda: ~fire.alight & _are_contained(number, fire.lethal),
        ObjectiveKind.RESCUE: lambda: _are_brought(number, crew.civilian, crew.living & (crew.bearer < 0)),
        ObjectiveKind.TRANSPORT: lambda: _are_brought(
            number, cell_of(state), state.alive & (params.units.type == CrewType.FIREFIGHTER)
        ),
        ObjectiveKind.SCOUT: lambda: _are_scouted(number, crew.seen != Explored.UNSEEN),
        ObjectiveKind.SCOUT_FIRE: lambda: ((crew.seen >= Explored.IGNITED) & (crew.seen <= Explored.BURNT)).any(),
    }
    met = none = jnp.zeros(plan.objective.shape, bool)
    for kind, answer in find.items():  # scanning the map is expensive, so objectives that no step has are skipped
        asked = plan.objective == kind
        met |= asked & lax.cond(asked.any(), lambda answer=answer: none | answer(), lambda: none)
    return met


def _are_cut(plan: Plan, trees: UInt8[Array, "x y"]) -> Bool[Array, " p"]:
    step, x, y = plan.cell.T
    stands = (step >= 0) & (trees[x, y] > 0)
    return ~jnp.zeros(plan.objective.shape, bool).at[jnp.maximum(step, 0)].max(stands)


def _are_contained(number: Int[Array, "p 4"], lethal: Bool[Array, "x y"]) -> Bool[Array, " p"]:
    side = lethal.shape[-1]
    along = jnp.arange(side)
    # Among all cells with the same y, the farthest from any point is the first or the last.
    first = jnp.where(lethal, along[:, None], side).min(0)
    last = jnp.where(lethal, along[:, None], -1).max(0)
    x, y, radius, _ = number.T[..., None]
    east, south = jnp.maximum(x - first[None], last[None] - x), along[None] - y
    return ~((last >= 0)[None] & (east * east + south * south > radius * radius)).any(1)


def _are_brought(number: Int[Array, "p 4"], cells: Int[Array, "n 2"], who: Bool[Array, " n"]) -> Bool[Array, " p"]:
    there = jax.vmap(lambda place: near(cells, place))(number[:, :2])
    return (there & who[None]).sum(1) >= number[:, 2]


def _are_scouted(number: Int[Array, "p 4"], seen: Bool[Array, "*n x y"]) -> Bool[Array, " p"]:
    unseen = ~seen.reshape(-1, *seen.shape[-2:]).any(0)
    corner = number.reshape(-1, 2, 2)
    along = jnp.arange(unseen.shape[-1])[None, None]
    inside = (along >= corner.min(1)[..., None]) & (along <= corner.max(1)[..., None])  # [P, axis, cells]
    # A matrix product replaces a scan of the map for each step; whether its sums are 0 is exact in any precision.
    missing = inside[:, 0].astype(jnp.float32) @ unseen.astype(jnp.float32)
    return ~((missing > 0) & inside[:, 1]).any(1)
