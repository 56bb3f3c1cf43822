"""A plan as arrays (docs/rules/plans.md 3), and both sides' plans as one set of orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

import dsl
from bt import capacity
from dsl import UserError
from hive.engine.types import ENEMY, PLAYER, ChoiceKind, ObjectiveKind, Orders, Params, Plan
from hive.engine.units.leaves import type_bits
from hive.engine.units.motion import FOREST, OPEN, SEEN
from hive.ground.distance import distance_maps, weighted_maps
from hive.ground.terrain import cell, in_forest

FIGURED = (ObjectiveKind.TIME, ObjectiveKind.ARRIVAL, ObjectiveKind.LOSSES, ObjectiveKind.ENEMY_LOSSES)
"""Objectives with a number of ticks or a percentage, `Plan.figure`."""


class Extra(NamedTuple):
    """A field of `Plan` that is None where no plan of a batch uses it."""

    axis: str  # of its rows: steps p, groups g, distinct targets d, choices h
    rest: tuple[int, ...]
    blank: Any  # of a row that uses nothing
    dtype: Any

    def rows(self, number: int) -> np.ndarray:
        """Return `[number, ...]` rows that use nothing."""
        return np.full((number, *self.rest), self.blank, self.dtype)


EXTRAS: Mapping[str, Extra] = {
    "figure": Extra("p", (), 0, np.int32),
    "sighting": Extra("p", (), False, bool),
    "choice": Extra("h", (7,), -1, np.int32),
    "leash": Extra("g", (), np.inf, np.float32),
    "behind": Extra("g", (2,), -1, np.int32),
    "cover": Extra("d", (), False, bool),
}


def compile_plan(plan: dsl.PlanSyntax, side: int, sizes: tuple[int, int], behaviours: Sequence[str]) -> Plan:
    """Compile one side's checked plan to arrays; capacities are powers of two.

    Args:
        plan: Checked syntax. A unit in two groups of one step takes the later one (the lenient rule,
            docs/rules/plans.md 2.3).
        side: PLAYER or ENEMY; ids in the plan refer to that side's units, ids in an elimination to the other side's.
        sizes: Units of the player and of the enemy.
        behaviours: Names of the trees in the order of their indices.

    Returns:
        Arrays `[P, ...]`, `[G]` and `[E, 3]` over unit ids of both sides; a field of `EXTRAS` that no step or group
        uses is None.
    """
    count = sum(sizes)
    own, foe = (0, sizes[0]) if side == PLAYER else (sizes[0], 0)
    groups = [(number, group) for number, step in enumerate(plan.steps) for group in step.groups]
    columns: Any = {
        **_step_columns(plan, foe, sizes[1 - side], count),
        **_group_columns(plan, groups, behaviours),
        "member": _memberships(groups, own, sizes[side], count),
    }
    return Plan(**jax.device_put(columns), source=plan)  # at once: `jnp.asarray` would compile a program for each shape


def _step_columns(plan: dsl.PlanSyntax, foe: int, foes: int, count: int) -> dict[str, np.ndarray | None]:
    """Return the fields of `Plan` about steps and their objectives.

    Args:
        plan: Checked syntax.
        foe: Id of the first unit of the other side.
        foes: Units of that side.
        count: Units of both sides.
    """
    room = capacity(len(plan.steps))
    numbers = {step.id: number for number, step in enumerate(plan.steps)}
    objective, wanted = np.full(room, ObjectiveKind.POSITION, np.int32), np.zeros((room, 4), np.int32)
    figure, cells = np.zeros(room, np.int32), []
    waits, eliminated = np.zeros((room, room), bool), np.zeros((room, count), bool)
    for number, step in enumerate(plan.steps):
        waits[number, [numbers[other] for other in step.prerequisites]] = True
        objective[number], wanted[number] = _objective(step.objective)
        figure[number] = _figure(step.objective)
        if isinstance(step.objective, dsl.Elimination):
            _of_side(eliminated[number], foe, foes, step.objective.units, True)
        elif isinstance(step.objective, dsl.Cut):
            cells += [(number, x, y) for x, y in step.objective.cells]
    named_cells = np.full((capacity(len(cells)), 3), -1, np.int32)
    named_cells[: len(cells)] = np.array(cells, np.int32).reshape(-1, 3)
    return {
        "exists": np.arange(room) < len(plan.steps),
        "prerequisite": waits,
        "objective": objective,
        "number": wanted,
        "cell": named_cells,
        "foe": eliminated,
        "figure": figure if np.isin(objective, FIGURED).any() else None,
        "sighting": found if (found := objective == ObjectiveKind.SIGHTED).any() else None,
    }


def _memberships(groups: Sequence[tuple[int, dsl.Group]], own: int, owned: int, count: int) -> np.ndarray:
    """Return `Plan.member`: for each unit the groups that it belongs to, at most one in each step besides choices.

    Args:
        groups: All groups, each with the number of its step.
        own: Id of the first unit of the side.
        owned: Units of the side.
        count: Units of both sides.
    """
    listed: list[tuple[int, np.ndarray]] = []  # rows of groups that units belong to, each with its step
    for index, (number, group) in sorted(
        enumerate(groups), key=lambda item: (item[1][0], item[1][1].choice is not None)
    ):
        if not listed or listed[-1][0] != number or group.choice:
            # Choices come after the other groups of their step, so whoever one leaves out still has an order there.
            listed.append((number, np.full(count, -1, np.int32)))
        _of_side(listed[-1][1], own, owned, group.units, index)
    chosen = np.array([row for _, row in listed] or [np.full(count, -1)], np.int32)
    named = chosen >= 0
    depth = np.cumsum(named, axis=0)
    member = np.full((capacity(max(1, int(depth[-1].max(initial=0)))), count), -1, np.int32)
    for row, here, number in zip(chosen, named, depth, strict=True):
        member[number[here] - 1, np.flatnonzero(here)] = row[here]
    return member


def _group_columns(
    plan: dsl.PlanSyntax, groups: Sequence[tuple[int, dsl.Group]], behaviours: Sequence[str]
) -> dict[str, np.ndarray | None]:
    """Return the fields of `Plan` about groups, their choices and their distinct targets.

    Args:
        plan: Checked syntax.
        groups: All groups, each with the number of its step.
        behaviours: Names of the trees in the order of their indices.
    """
    ways = [_way(plan.steps[number], group) for number, group in groups]
    places = list(dict.fromkeys(ways))
    first: dict[tuple[int, tuple[int, int]], int] = {}  # group of a step that goes to a place first
    for index, ((number, _), (place, _)) in enumerate(zip(groups, ways, strict=True)):
        first.setdefault((number, place), index)
    table = np.array([place for place, _ in places] or [(0, 0)], np.int32)
    room, spots = capacity(len(groups)), capacity(len(table))
    picks = [(index, *_choice(group.choice)) for index, (_, group) in enumerate(groups) if group.choice]
    leashes = {index: group.leash for index, (_, group) in enumerate(groups) if group.leash is not None}
    return {
        "step": _padded([number for number, _ in groups]),
        "tree": _padded([behaviours.index(group.behaviour) for _, group in groups]),
        "types": _padded([type_bits(group.types) for _, group in groups]),
        "target": _padded([places.index(way) for way in ways]),
        "pool": _padded([first[number, place] for (number, _), (place, _) in zip(groups, ways, strict=True)]),
        "place": np.pad(table, ((0, spots - len(table)), (0, 0)), mode="edge"),
        "choice": _extra("choice", dict(enumerate(picks)), capacity(len(picks))),
        "leash": _extra("leash", leashes, room),
        "behind": _extra("behind", _leads(plan), room),
        "cover": _extra("cover", {index: True for index, (_, cover) in enumerate(places) if cover}, spots),
    }


def _padded(values: Sequence[int]) -> np.ndarray:
    """Return values with zeros up to the next capacity."""
    return np.pad(np.array(values, np.int32), (0, capacity(len(values)) - len(values)))


def _extra(name: str, values: Mapping[int, Any], room: int) -> np.ndarray | None:
    """Return a field of `EXTRAS` with the values of the rows that use it; None where no row does."""
    found = EXTRAS[name].rows(room)
    for row, value in values.items():
        found[row] = value
    return found if values else None


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
        case dsl.Time():
            return ObjectiveKind.TIME, (0, 0, 0, 0)
        case dsl.Arrival():
            return ObjectiveKind.ARRIVAL, (0, 0, 0, 0)
        case dsl.Losses():
            return ObjectiveKind.LOSSES, (0, 0, 0, 0)
        case dsl.EnemyLosses():
            return ObjectiveKind.ENEMY_LOSSES, (0, 0, 0, 0)
        case dsl.Sighted():
            return ObjectiveKind.SIGHTED, (0, 0, 0, 0)


def _figure(objective: dsl.Objective) -> int:
    """Return the ticks or the percentage that an objective names, else 0."""
    match objective:
        case dsl.Time(ticks):
            return ticks
        case dsl.Arrival(percent) | dsl.Losses(percent) | dsl.EnemyLosses(percent):
            return percent
    return 0


def _way(step: dsl.Step, group: dsl.Group) -> tuple[tuple[int, int], bool]:
    """Return where a group goes, and whether under cover: a group behind another one goes that one's way."""
    leader = step.leader(group)
    return leader.target, leader.cover


def _choice(choice: dsl.Nearest | dsl.Inside) -> tuple[int, ...]:
    """Return the columns of `Plan.choice` after the group."""
    match choice:
        case dsl.Nearest(count, place):
            return ChoiceKind.NEAREST, count, *place, 0, 0
        case dsl.Inside(one, other):
            return ChoiceKind.INSIDE, 0, *one, *other


def _leads(plan: dsl.PlanSyntax) -> dict[int, tuple[int, int]]:
    """Return the group ahead of each group that is behind another one, and its gap; groups of all steps in order."""
    found, first = {}, 0
    for step in plan.steps:
        for number, group in enumerate(step.groups):
            if group.behind:
                found[first + number] = (first + group.behind.group, group.behind.gap)
        first += len(step.groups)
    return found


def _of_side(row: np.ndarray, first: int, size: int, units: dsl.UnitList, value: int) -> None:
    """Set `value` for the listed units of a side whose ids begin at `first`."""
    for start, stop in units.bounds():
        row[first + start : first + size if stop is None else first + min(stop, size)] = value


_AXIS: dict[str, Any] = {
    name: None if name in ("place", "cover", "source") else 0 for name in Plan.__dataclass_fields__
}
STACKED = Plan(**_AXIS)
"""Axes of the result of `stack`, for `jax.vmap`: plans are the first axis of every leaf except `place` and `cover`."""


def pad_plan(plan: Plan, steps: int, groups: int, memberships: int, places: int, cells: int = 1, **extras: int) -> Plan:
    """Return the same plan with larger capacities; games do not change.

    Args:
        plan: Any plan.
        steps: Capacity for steps; no capacity may be smaller than the plan's.
        groups: Capacity for groups.
        memberships: Capacity for the groups that one unit belongs to.
        places: Capacity for distinct targets.
        cells: Capacity for listed cells.
        **extras: Fields of `EXTRAS` that the plan is to have even if it does not use them: 1, or for `choice` its
            capacity. One that it uses need not be named.
    """
    choices = max(extras.get("choice", 0), 0 if plan.choice is None else plan.choice.shape[0])
    room = {"p": steps, "g": groups, "c": memberships, "d": places, "e": cells, "h": choices}

    def grown(values: jax.Array | np.ndarray, axes: str, **filler: Any) -> jax.Array | np.ndarray:
        wide = [(0, room[axis] - size) for axis, size in zip(axes, values.shape, strict=False)]
        if not any(more for _, more in wide):
            return values
        # On the host: on the device, each of these operations would be compiled for each new shape of a plan.
        return jax.device_put(np.pad(np.asarray(values), wide + [(0, 0)] * (values.ndim - len(wide)), **filler))

    def held(name: str, extra: Extra) -> jax.Array | np.ndarray | None:
        values = getattr(plan, name)
        if values is None:
            return jax.device_put(extra.rows(room[extra.axis])) if extras.get(name) else None
        if name == "cover":
            return grown(values, "d", mode="edge")
        return grown(values, extra.axis, constant_values=extra.blank)

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
        **{name: held(name, each) for name, each in EXTRAS.items()},
    )


def with_extras(plan: Plan, names: Sequence[str]) -> Plan:
    """Return the same plan with fields of `EXTRAS` that it does not use; its batch then has them for all plans."""
    return pad_plan(
        plan,
        steps=plan.exists.shape[0],
        groups=plan.tree.shape[0],
        memberships=plan.member.shape[0],
        places=plan.place.shape[0],
        cells=plan.cell.shape[0],
        **dict.fromkeys(names, 1),
    )


def extras_of(plan: Plan) -> dict[str, int]:
    """Return which fields of `EXTRAS` a plan has, as `pad_plan` takes them."""
    values = {name: getattr(plan, name) for name in EXTRAS}
    return {name: 0 if each is None else each.shape[0] if name == "choice" else 1 for name, each in values.items()}


def stack(plans: Sequence[Plan], places: int = 1) -> Plan:
    """Stack several plans of one side, for `jax.vmap` with the axes `STACKED`.

    They are padded to common capacities. Their targets become one table that holds each distinct target once, and once
    more for ways under cover, so that no distance map of a batch of plans is computed twice; it has no less room than
    the plans have, so that a plan padded for later ones keeps its shape.

    Args:
        plans: Plans for the same units; at least one.
        places: The least room for targets.

    Returns:
        Arrays with a leading axis of plans, except `place` and `cover`.
    """
    tables = [ways_of(plan) for plan in plans]
    known = list(dict.fromkeys(way for table in tables for way in table))
    number = {way: index for index, way in enumerate(known)}
    merged = [
        plan.replace(target=np.array([number[way] for way in table], np.int32)[np.asarray(plan.target)])
        for plan, table in zip(plans, tables, strict=True)
    ]
    each = [extras_of(plan) for plan in plans]
    room = {
        "steps": max(plan.exists.shape[0] for plan in plans),
        "groups": max(plan.tree.shape[0] for plan in plans),
        "memberships": max(plan.member.shape[0] for plan in plans),
        "cells": max(plan.cell.shape[0] for plan in plans),
        **{name: max(one[name] for one in each) for name in EXTRAS},
    }
    most = max(capacity(max(places, len(known))), *map(len, tables))
    bank = np.pad(np.array([way[:2] for way in known], np.int32), ((0, most - len(known)), (0, 0)), mode="edge")
    cover = np.pad(np.array([way[2] for way in known]), (0, most - len(known)), mode="edge")
    shared = {"place": bank, "cover": cover if room["cover"] else None}
    padded = [pad_plan(plan.replace(**shared), **room, places=most) for plan in merged]
    stacked = jax.tree.map(lambda *leaves: np.stack([np.asarray(leaf) for leaf in leaves]), *padded)
    return jax.device_put(stacked.replace(**shared))


def ways_of(plan: Plan) -> list[tuple[int, int, bool]]:
    """Return x, y and whether the way is under cover, for each row of the targets of a plan."""
    place = np.asarray(plan.place)
    cover = np.zeros(len(place), bool) if plan.cover is None else np.asarray(plan.cover)
    return [(int(x), int(y), bool(under)) for (x, y), under in zip(place, cover, strict=True)]


def check_units(plan: Plan, count: int) -> None:
    """Check that a plan was read for a world of `count` units, both sides together.

    Raises:
        UserError: It was not.
    """
    if plan.foe.shape[-1] != count:
        raise UserError(
            f"a plan was read for another number of units: read it for this world of {count}\n"
            "  = help: hive.read_plan(text, world) reads it for `world`"
        )


def join(player: Plan, enemy: Plan) -> Plan:
    """Join both plans into one: the player's steps, groups and places first."""
    steps, groups, places = player.exists.shape[0], player.tree.shape[0], player.place.shape[0]
    most = max(player.member.shape[0], enemy.member.shape[0])

    def both(name: str, shift: int = 0) -> jax.Array:
        theirs = getattr(enemy, name)
        return jnp.concatenate([getattr(player, name), theirs + shift if shift else theirs])

    def tall(member: jax.Array) -> jax.Array:
        return jnp.pad(member, ((0, most - member.shape[0]), (0, 0)), constant_values=-1)

    room = [
        {"p": plan.exists.shape[0], "g": plan.tree.shape[0], "d": plan.place.shape[0], "h": 0}
        for plan in (player, enemy)
    ]

    def either(name: str, extra: Extra) -> jax.Array | None:
        given = [getattr(plan, name) for plan in (player, enemy)]
        if all(part is None for part in given):
            return None
        mine, theirs = (
            jnp.asarray(extra.rows(has[extra.axis])) if part is None else part
            for part, has in zip(given, room, strict=True)
        )
        if name in ("choice", "behind"):  # the first column is a group
            theirs = jnp.concatenate([jnp.where(theirs[:, :1] < 0, -1, theirs[:, :1] + groups), theirs[:, 1:]], 1)
        return jnp.concatenate([mine, theirs])

    extras: dict[str, Any] = {name: either(name, extra) for name, extra in EXTRAS.items()}
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
        **extras,
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

    Raises:
        UserError: The plan was read for another number of units.
    """
    check_units(plan, params.enemy.foe.shape[-1])
    places, goal = jnp.concatenate([plan.place, params.enemy.place]), None
    if params.goals.walked:
        goals = cell(params.goals.place, params.terrain.size)
        several = jnp.broadcast_to(places[:, None], (len(places), *goals.shape[1:]))
        maps = find_ways(params, jnp.concatenate([several, goals]))
        maps, goal = maps[: -len(goals)], maps[-len(goals) :]
    else:
        maps = find_ways(params, places)
    both = [(plan.cover, len(plan.place), PLAYER), (params.enemy.cover, len(params.enemy.place), ENEMY)]
    return join_orders(params, plan, under_cover(params, maps, both)).replace(goal=goal)


def find_ways(params: Params, places: Int[Array, "d 2"] | Int[Array, "d p 2"]) -> Int[Array, "d x y"]:
    """Distance maps of places. No terrain stops crews, so their maps have one cell and are never read."""
    if params.crews is not None:
        return jnp.zeros((places.shape[0], 1, 1), jnp.int32)
    return distance_maps(params.terrain, places)


def under_cover(
    params: Params, maps: Int[Array, "d x y"], parts: Sequence[tuple[Bool[Array, " _"] | None, int, int]]
) -> Int[Array, "d x y"]:
    """Return distance maps with those under cover weighted (docs/rules/plans.md 3.11), or as they are if none is.

    Args:
        params: The map and where units start.
        maps: From `find_ways`.
        parts: For consecutive maps: which of them are under cover, or None for none; their number; the side that goes.
    """
    if all(cover is None for cover, _, _ in parts):
        return maps
    rows = [jnp.where(jnp.zeros(size, bool) if cover is None else cover, side, -1) for cover, size, side in parts]
    weight = jnp.stack([_exposure(params, side) for side in (PLAYER, ENEMY)])
    return weighted_maps(params.terrain, maps, jnp.concatenate(rows), weight, SEEN * params.terrain.size**2)


def _exposure(params: Params, side: int) -> Int[Array, "x y"]:
    """Weight of each cell for a side: less in forest, more on open ground that the other side may see at the start.

    It may see what is no farther from the rectangle round a start box than the longest sight of a unit that starts
    there; distances are those between centres of cells.
    """
    boxes, units, size = params.boxes, params.units, params.terrain.size
    sight = jnp.where(units.side == 1 - side, params.types.sight[units.type], -1.0)
    far = jnp.full(boxes.count.shape, -1.0).at[units.box].max(sight)  # by box; -1 for the own ones
    low, high = boxes.cell.min(1), boxes.cell.max(1)
    along = jnp.arange(size, dtype=jnp.int32)[None, None]
    off = jnp.maximum(low[..., None] - along, along - high[..., None]).clip(0).astype(jnp.float32)  # [B, axis, cells]
    seen = (off[:, 0, :, None] ** 2 + off[:, 1, None] ** 2 <= (far * far)[:, None, None]) & (far >= 0)[:, None, None]
    exposed = jnp.where(seen.any(0), SEEN, OPEN)
    return jnp.where(in_forest(params.terrain.word), FOREST, exposed).astype(jnp.int32)


def join_orders(params: Params, plan: Plan, distance: Int[Array, "d x y"]) -> Orders:
    """Join a plan with the enemy's, given the distance maps of all their targets."""
    both = join(plan, params.enemy)
    unit = params.units.id
    both = both.replace(foe=both.foe[:, unit], member=both.member[:, unit])
    sides = ((plan, PLAYER), (params.enemy, ENEMY))
    owner = jnp.concatenate([jnp.full(each.exists.shape, side, jnp.int32) for each, side in sides])
    return Orders(plan=both, distance=distance, owner=owner)
