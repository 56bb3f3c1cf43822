"""Moves on the steps of a plan: their order, prerequisites and objectives, and ways of several steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dsl import Elimination, Objective, Plan, Position, Step, UnitList, UnitSlice
from hive.search.group_moves import with_step
from hive.search.site import Site
from hive.search.stretches import stretches_of
from hive.search.tidy import before, without_step
from hive.search.ways import Cell, turning_points

_FOLLOW = "follow_map"  # the behaviour of units on their way, where a scenario offers it


def add_step(plan: Plan, site: Site, rng: np.random.Generator) -> Plan | None:
    """Let a copy of a step follow it, once the groups of the first have reached their targets."""
    step = _draw(plan, rng)
    first = replace(step, objective=Position())
    copy = replace(step, id=_free_number(plan), prerequisites=(step.id,))
    return _inserted(with_step(_waiting_for(plan, step.id, copy.id), first), step.id, copy, after=True)


def remove_step(plan: Plan, site: Site, rng: np.random.Generator) -> Plan | None:
    """Remove a step; the steps after it no longer wait for it."""
    return Plan(tuple(without_step(plan.steps, _draw(plan, rng).id))) if len(plan.steps) > 1 else None


def reorder_steps(plan: Plan, site: Site, rng: np.random.Generator) -> Plan | None:
    """Exchange two steps in the text; where both are active, units obey the later one."""
    if len(plan.steps) < 2:
        return None
    steps = list(plan.steps)
    at = int(rng.integers(len(steps) - 1))
    steps[at], steps[at + 1] = steps[at + 1], steps[at]
    return Plan(tuple(steps))


def change_prerequisites(plan: Plan, site: Site, rng: np.random.Generator) -> Plan | None:
    """Let a step wait for another, or no longer; steps never wait for one another in a circle."""
    if len(plan.steps) < 2:
        return None
    step, other = (plan.steps[number] for number in rng.choice(len(plan.steps), 2, replace=False))
    if other.id in step.prerequisites:
        waits = tuple(number for number in step.prerequisites if number != other.id)
    elif step.id in before(plan.steps, other.id):
        return None
    else:
        waits = (*step.prerequisites, other.id)
    return with_step(plan, replace(step, prerequisites=waits))


def change_objective(plan: Plan, site: Site, rng: np.random.Generator) -> Plan | None:
    """Let a step end when its units arrive, or when all enemies or those of one block are dead."""
    step = _draw(plan, rng)
    blocks = site.context.foe_blocks
    choices: list[Objective] = [Position(), Elimination(UnitList(None))]
    if len(blocks) > 1:
        at = int(rng.integers(len(blocks)))
        start = blocks[at - 1][1] if at else 0
        choices.append(Elimination(UnitList((UnitSlice(start, blocks[at][1]),))))
    return with_step(plan, replace(step, objective=choices[rng.integers(len(choices))]))


def add_waypoint(plan: Plan, site: Site, rng: np.random.Generator) -> Plan | None:
    """Lead the groups of a step to a place of the map before the step."""
    step = _draw(plan, rng)
    place = site.place(rng) if rng.random() < 0.7 else site.near(rng, step.groups[0].target, 0.15 * site.side)
    return _with_way(plan, step, [place], site, rng)


def take_way(plan: Plan, site: Site, rng: np.random.Generator) -> Plan | None:
    """Lead the groups of a step to its first target along a way on foot that prefers forest.

    The way begins where the units come from. Half of the time it replaces the steps that led there.
    """
    step = _draw(plan, rng)
    if rng.random() < 0.5:
        for number in before(plan.steps, step.id):
            plan = Plan(tuple(without_step(plan.steps, number)))
        step = next(each for each in plan.steps if each.id == step.id)
    start = _origin(plan, step, site)
    open_cost, watched_cost = float(rng.choice([1, 4, 16])), float(rng.choice([0, 4, 16]))
    way = site.way(start, step.groups[0].target, open_cost, watched_cost)
    room = min(site.room.steps - len(plan.steps), site.room.memberships - 1)
    if len(way) < 3 or room < 1:
        return None
    points = turning_points(way, int(rng.integers(2, max(room, 2) + 1)))[:-1]
    return _with_way(plan, step, points, site, rng) if points else None


def _with_way(plan: Plan, step: Step, points: list[Cell], site: Site, rng: np.random.Generator) -> Plan:
    """Return the plan with a step for each point before a step, which waits for the last of them."""
    follow = _FOLLOW in site.behaviours and rng.random() < 0.7
    waits, number = step.prerequisites, _free_number(plan)
    added = []
    for point in points:
        groups = tuple(
            replace(group, target=point, **({"behaviour": _FOLLOW, "types": ()} if follow else {}))
            for group in step.groups
        )
        added.append(Step(number, waits, Position(), groups))
        waits, number = (number,), number + 1
    steps: list[Step] = []
    for old in plan.steps:
        steps += [*added, replace(old, prerequisites=waits)] if old.id == step.id else [old]
    return Plan(tuple(steps))


def _origin(plan: Plan, step: Step, site: Site) -> Cell:
    """Return where the first group of a step comes from: the target of an earlier step, or where the team starts."""
    first = stretches_of(step.groups[0].units, site.team)[0][0]
    for number in sorted(step.prerequisites, reverse=True):
        earlier = next(each for each in plan.steps if each.id == number)
        for group in earlier.groups:
            if any(start <= first < stop for start, stop in stretches_of(group.units, site.team)):
                return group.target
    return next(centre for end, centre in site.starts if first < end)


def _draw(plan: Plan, rng: np.random.Generator) -> Step:
    return plan.steps[rng.integers(len(plan.steps))]


def _free_number(plan: Plan) -> int:
    return max(step.id for step in plan.steps) + 1


def _waiting_for(plan: Plan, old: int, new: int) -> Plan:
    """Return the plan in which the steps that waited for one step wait for another."""
    return Plan(
        tuple(
            replace(step, prerequisites=tuple(new if number == old else number for number in step.prerequisites))
            for step in plan.steps
        )
    )


def _inserted(plan: Plan, number: int, step: Step, *, after: bool) -> Plan:
    steps: list[Step] = []
    for old in plan.steps:
        steps += ([old, step] if after else [step, old]) if old.id == number else [old]
    return Plan(tuple(steps))
