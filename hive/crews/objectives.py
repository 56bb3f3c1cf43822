"""Objectives of crews: which steps have theirs now."""

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
    """`[P]` whether each step's objective is one of a crew's and met now, whatever its prerequisites.

    Cut: no listed cell has trees. Extinguish: no cell is ignited or on fire. Contain: the same, and no burning or burnt
    cell lies farther from the centre than the radius. Rescue: so many living civilians that nobody carries are at the
    place; transport: so many living firefighters, those aboard a helicopter included. Scout: every cell of the box has
    been seen by somebody, or a cell that burns or is burnt.

    Args:
        params: The world; its units are a crew.
        plan: Both sides' plans as one.
        state: With a crew and a fire.
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
    for kind, answer in find.items():  # a look at the whole map costs, so what no step asks for is a branch not taken
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
    # Of all cells with one y the farthest from anywhere is the first or the last.
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
    # A product of matrices, where each step would look at the whole map; a sum of 0 and 1 is 0 in any precision or not.
    missing = inside[:, 0].astype(jnp.float32) @ unseen.astype(jnp.float32)
    return ~((missing > 0) & inside[:, 1]).any(1)
