"""A plan as arrays (docs/rules/plans.md 3), and both sides' plans as one set of orders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

import dsl
from bt import capacity
from hive.engine.types import ENEMY, PLAYER, ObjectiveKind, Orders, Params, Plan
from hive.engine.units.leaves import type_bits
from hive.ground.distance import distance_maps
from hive.ground.terrain import cell


def compile_plan(plan: dsl.PlanSyntax, side: int, sizes: tuple[int, int], behaviours: Sequence[str]) -> Plan:
    """Compile one side's checked plan to arrays; capacities are powers of two.

    Args:
        plan: Checked syntax. A unit in two groups of one step takes the later one (the lenient rule,
            docs/rules/plans.md 2.3).
        side: PLAYER or ENEMY; ids in the plan refer to that side's units, ids in an elimination to the other side's.
        sizes: Units of the player and of the enemy.
        behaviours: Names of the trees in the order of their indices.

    Returns:
        Arrays `[P, ...]`, `[G]` and `[E, 3]` over unit ids of both sides.
    """
    count = sum(sizes)
    own, foe = (0, sizes[0]) if side == PLAYER else (sizes[0], 0)
    steps = capacity(len(plan.steps))
    groups = [(number, group) for number, step in enumerate(plan.steps) for group in step.groups]
    places = list(dict.fromkeys(group.target for _, group in groups))
    numbers = {step.id: number for number, step in enumerate(plan.steps)}

    exists, objective = np.arange(steps) < len(plan.steps), np.full(steps, ObjectiveKind.POSITION, np.int32)
    wanted, cells = np.zeros((steps, 4), np.int32), []
    waits, foes = np.zeros((steps, steps), bool), np.zeros((steps, count), bool)
    first: dict[tuple[int, tuple[int, int]], int] = {}
    chosen = np.full((steps, count), -1, np.int32)  # the group of each unit in each step
    for number, step in enumerate(plan.steps):
        waits[number, [numbers[other] for other in step.prerequisites]] = True
        objective[number], wanted[number] = _objective(step.objective)
        if isinstance(step.objective, dsl.Elimination):
            _of_side(foes[number], foe, sizes[1 - side], step.objective.units, True)
        elif isinstance(step.objective, dsl.Cut):
            cells += [(number, x, y) for x, y in step.objective.cells]
    for index, (number, group) in enumerate(groups):
        _of_side(chosen[number], own, sizes[side], group.units, index)
        first.setdefault((number, group.target), index)
    named = chosen >= 0
    depth = np.cumsum(named, axis=0)
    member = np.full((capacity(max(1, int(depth[-1].max(initial=0)))), count), -1, np.int32)
    for row, here, number in zip(chosen, named, depth, strict=True):
        member[number[here] - 1, np.flatnonzero(here)] = row[here]

    def padded(values: Sequence[int]) -> np.ndarray:
        return np.pad(np.array(values, np.int32), (0, capacity(len(values)) - len(values)))

    table = np.array(places or [(0, 0)], np.int32)
    listed = np.full((capacity(len(cells)), 3), -1, np.int32)
    listed[: len(cells)] = np.array(cells, np.int32).reshape(-1, 3)
    columns: Any = {
        "exists": exists,
        "prerequisite": waits,
        "objective": objective,
        "number": wanted,
        "cell": listed,
        "foe": foes,
        "member": member,
        "step": padded([number for number, _ in groups]),
        "tree": padded([behaviours.index(group.behaviour) for _, group in groups]),
        "types": padded([type_bits(group.types) for _, group in groups]),
        "target": padded([places.index(group.target) for _, group in groups]),
        "pool": padded([first[number, group.target] for number, group in groups]),
        "place": np.pad(table, ((0, capacity(len(table)) - len(table)), (0, 0)), mode="edge"),
    }
    return Plan(**jax.device_put(columns), source=plan)  # at once: `jnp.asarray` would compile a program for each shape


def _objective(objective: dsl.Objective) -> tuple[int, tuple[int, int, int, int]]:
    """Return the kind of an objective and the numbers that it names."""
    match objective:
        case dsl.Position():
            return ObjectiveKind.POSITION, (0, 0, 0, 0)
        case dsl.Elimination():
            return ObjectiveKind.ELIMINATION, (0, 0, 0, 0)
        case dsl.Cut():
            return ObjectiveKind.CUT, (0, 0, 0, 0)
        case dsl.Extinguish():
            return ObjectiveKind.EXTINGUISH, (0, 0, 0, 0)
        case dsl.Contain(centre, radius):
            return ObjectiveKind.CONTAIN, (*centre, radius, 0)
        case dsl.Rescue(count, place):
            return ObjectiveKind.RESCUE, (*place, count, 0)
        case dsl.Transport(count, place):
            return ObjectiveKind.TRANSPORT, (*place, count, 0)
        case dsl.Scout(box):
            return (ObjectiveKind.SCOUT, (*box[0], *box[1])) if box else (ObjectiveKind.SCOUT_FIRE, (0, 0, 0, 0))


def _of_side(row: np.ndarray, first: int, size: int, units: dsl.UnitList, value: int) -> None:
    """Set `value` for the listed units of a side whose ids begin at `first`."""
    for start, stop in units.bounds():
        row[first + start : first + size if stop is None else first + min(stop, size)] = value


_AXIS: dict[str, Any] = {name: None if name in ("place", "source") else 0 for name in Plan.__dataclass_fields__}
STACKED = Plan(**_AXIS)
"""Axes of the result of `stack`, for `jax.vmap`: the first axis of every leaf except `place` is that of plans."""


def pad_plan(plan: Plan, steps: int, groups: int, memberships: int, places: int, cells: int = 1) -> Plan:
    """Return the same plan with larger capacities; games do not change.

    Args:
        plan: Any plan.
        steps: Capacity for steps; no capacity may be smaller than the plan's.
        groups: Capacity for groups.
        memberships: Capacity for the groups that one unit belongs to.
        places: Capacity for distinct targets.
        cells: Capacity for listed cells.
    """
    room = {"p": steps, "g": groups, "c": memberships, "d": places, "e": cells}

    def grown(values: jax.Array | np.ndarray, axes: str, **filler: Any) -> jax.Array | np.ndarray:
        wide = [(0, room[axis] - size) for axis, size in zip(axes, values.shape, strict=False)]
        if not any(more for _, more in wide):
            return values
        # On the host: on the device, each of these operations would be compiled for each new shape of a plan.
        return jax.device_put(np.pad(np.asarray(values), wide + [(0, 0)] * (values.ndim - len(wide)), **filler))

    return plan.replace(
        exists=grown(plan.exists, "p"),
        prerequisite=grown(plan.prerequisite, "pp"),
        objective=grown(plan.objective, "p"),
        number=grown(plan.number, "p"),
        cell=grown(plan.cell, "e", constant_values=-1),
        foe=grown(plan.foe, "p"),
        member=grown(plan.member, "c", constant_values=-1),
        step=grown(plan.step, "g"),
        tree=grown(plan.tree, "g"),
        types=grown(plan.types, "g"),
        target=grown(plan.target, "g"),
        pool=grown(plan.pool, "g"),
        place=grown(plan.place, "d", mode="edge"),
    )


def stack(plans: Sequence[Plan], places: int = 1) -> Plan:
    """Stack several plans of one side, for `jax.vmap` with the axes `STACKED`.

    They are padded to common capacities. Their targets become one table that holds each distinct target once, so that
    no distance map of a batch of plans is computed twice; it has no less room than the plans have, so that a plan
    padded for later ones keeps its shape.

    Args:
        plans: Plans for the same units; at least one.
        places: The least room for targets.

    Returns:
        Arrays with a leading axis of plans, except `place`.
    """
    tables = [np.asarray(plan.place) for plan in plans]
    known = list(dict.fromkeys(tuple(map(int, place)) for table in tables for place in table))
    number = {place: index for index, place in enumerate(known)}
    merged = [
        plan.replace(target=np.array([number[tuple(map(int, p))] for p in table], np.int32)[np.asarray(plan.target)])
        for plan, table in zip(plans, tables, strict=True)
    ]
    room = {
        "steps": max(plan.exists.shape[0] for plan in plans),
        "groups": max(plan.tree.shape[0] for plan in plans),
        "memberships": max(plan.member.shape[0] for plan in plans),
        "cells": max(plan.cell.shape[0] for plan in plans),
    }
    most = max(capacity(max(places, len(known))), *map(len, tables))
    bank = np.pad(np.array(known, np.int32), ((0, most - len(known)), (0, 0)), mode="edge")
    padded = [pad_plan(plan.replace(place=bank), **room, places=most) for plan in merged]
    stacked = jax.tree.map(lambda *leaves: np.stack([np.asarray(leaf) for leaf in leaves]), *padded)
    return jax.device_put(stacked.replace(place=bank))


def join(player: Plan, enemy: Plan) -> Plan:
    """Join both plans into one: the player's steps, groups and places first."""
    steps, groups, places = player.exists.shape[0], player.tree.shape[0], player.place.shape[0]
    most = max(player.member.shape[0], enemy.member.shape[0])

    def both(name: str, shift: int = 0) -> jax.Array:
        theirs = getattr(enemy, name)
        return jnp.concatenate([getattr(player, name), theirs + shift if shift else theirs])

    def tall(member: jax.Array) -> jax.Array:
        return jnp.pad(member, ((0, most - member.shape[0]), (0, 0)), constant_values=-1)

    mine, theirs = tall(player.member), tall(enemy.member)
    waits = jax.scipy.linalg.block_diag(player.prerequisite.astype(jnp.int32), enemy.prerequisite.astype(jnp.int32))
    return Plan(
        exists=both("exists"),
        prerequisite=waits > 0,
        objective=both("objective"),
        number=both("number"),
        cell=jnp.concatenate([player.cell, jnp.where(enemy.cell < 0, -1, enemy.cell + jnp.array([[steps, 0, 0]]))]),
        foe=both("foe"),
        member=jnp.where(theirs >= 0, theirs + groups, mine),  # a unit is in one side's plan alone
        step=both("step", steps),
        tree=both("tree"),
        types=both("types"),
        target=both("target", places),
        pool=both("pool", groups),
        place=both("place"),
    )


def make_orders(params: Params, plan: Plan) -> Orders:
    """Join a plan with the enemy's and compute the distance maps of all their targets.

    The bank of distance maps holds each distinct target of a plan once. Under a `vmap` over keys alone it is computed
    once and shared by all games, and likewise over plans that share `place`.

    Args:
        params: The map and the enemy's plan.
        plan: The player's plan.

    Returns:
        Orders for a game.
    """
    places = jnp.concatenate([plan.place, params.enemy.place])
    if not params.goals.walked:
        return join_orders(params, plan, find_ways(params, places))
    goals = cell(params.goals.place, params.terrain.size)
    maps = find_ways(params, jnp.concatenate([places, goals]))
    return join_orders(params, plan, maps[: -len(goals)]).replace(goal=maps[-len(goals) :])


def find_ways(params: Params, places: Int[Array, "d 2"]) -> Int[Array, "d x y"]:
    """Distance maps of places. No terrain stops crews, so their maps have one cell and are never read."""
    if params.crews is not None:
        return jnp.zeros((places.shape[0], 1, 1), jnp.int32)
    return distance_maps(params.terrain, places)


def join_orders(params: Params, plan: Plan, distance: Int[Array, "d x y"]) -> Orders:
    """Join a plan with the enemy's, given the distance maps of all their targets."""
    both = join(plan, params.enemy)
    unit = params.units.id
    both = both.replace(foe=both.foe[:, unit], member=both.member[:, unit])
    owner = jnp.concatenate([jnp.full(plan.exists.shape, PLAYER), jnp.full(params.enemy.exists.shape, ENEMY)])
    return Orders(plan=both, distance=distance, owner=owner)
