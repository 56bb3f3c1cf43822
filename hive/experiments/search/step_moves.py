"""Moves on the steps of a plan: their order, prerequisites and objectives, and ways of several steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dsl import Elimination, Objective, PlanSyntax, Position, Step, UnitList, UnitSlice
from hive.experiments.search.group_moves import with_step
from hive.experiments.search.site import SearchSite
from hive.experiments.search.stretches import stretches_of
from hive.experiments.search.tidy import before, without_step
from hive.experiments.search.ways import Cell, turning_points

_FOLLOW = "follow_map"  # the behaviour of units on their way, where a scenario offers it


def go_on(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Send all groups of a step, or one of them, on to another place once the step is achieved.

    All groups meet at the place, or go on side by side: all targets move by the same vector. The step then ends with
    the arrival of its units, or with the death of the enemies that start nearest to its target.
    """
    step = _draw(plan, rng)
    chosen = step.groups
    if rng.random() >= 0.6:
        chosen = (replace(chosen[rng.integers(len(chosen))], behind=None),)
    if rng.random() < 0.6:
        place = site.near(rng, site.foe_starts[int(rng.integers(len(site.foe_starts)))][1], 3.0)
    else:
        place = site.place(rng)
    objective: Objective = Position()
    if len(site.foe_starts) > 1 and rng.random() < 0.5:
        target = chosen[0].target
        far = [np.hypot(*np.subtract(centre, target)) for _, centre in site.foe_starts]
        objective = _block(site, int(np.argmin(far)))
    if rng.random() < 0.5:
        shift = np.subtract(place, chosen[rng.integers(len(chosen))].target)
        groups = tuple(replace(group, target=site.clipped(np.add(group.target, shift))) for group in chosen)
    else:
        groups = tuple(replace(group, target=place) for group in chosen)
    new = Step(_free_number(plan), (step.id,), step.objective, groups)
    first = replace(step, objective=objective)
    steps: list[Step] = []
    for old in _waiting_for(plan, step.id, new.id).steps:
        steps += [first, new] if old.id == step.id else [old]
    return PlanSyntax(tuple(steps))


def remove_step(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Remove a step; the steps after it no longer wait for it."""
    return PlanSyntax(tuple(without_step(plan.steps, _draw(plan, rng).id))) if len(plan.steps) > 1 else None


def reorder_steps(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Exchange two steps in the text; where both are active, units obey the later one."""
    if len(plan.steps) < 2:
        return None
    steps = list(plan.steps)
    at = int(rng.integers(len(steps) - 1))
    steps[at], steps[at + 1] = steps[at + 1], steps[at]
    return PlanSyntax(tuple(steps))


def change_prerequisites(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
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


def change_objective(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Let a step end when its units arrive, or when all enemies or those of one block are dead."""
    step = _draw(plan, rng)
    choices: list[Objective] = [Position(), Elimination(UnitList(None))]
    if len(site.foe_starts) > 1:
        choices.append(_block(site, int(rng.integers(len(site.foe_starts)))))
    return with_step(plan, replace(step, objective=choices[rng.integers(len(choices))]))


def add_waypoint(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Lead the groups of a step to a place of the map before the step."""
    step = _draw(plan, rng)
    place = site.place(rng) if rng.random() < 0.7 else site.near(rng, step.groups[0].target, 0.15 * site.side)
    return _with_way(plan, step, [place], site, rng)


def take_way(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Lead the groups of a step to its first target along a way on foot that prefers forest.

    The way begins where the units come from. Half of the time it replaces the steps that led there.
    """
    step = _draw(plan, rng)
    if rng.random() < 0.5:
        for number in before(plan.steps, step.id):
            plan = PlanSyntax(tuple(without_step(plan.steps, number)))
        step = next(each for each in plan.steps if each.id == step.id)
    start = _origin(plan, step, site)
    open_cost, watched_cost = float(rng.choice([1, 4, 16])), float(rng.choice([0, 4, 16]))
    way = site.way(start, step.groups[0].target, open_cost, watched_cost)
    room = min(site.capacities.steps - len(plan.steps), site.capacities.memberships - 1)
    if len(way) < 3 or room < 1:
        return None
    points = turning_points(way, int(rng.integers(2, max(room, 2) + 1)))[:-1]
    return _with_way(plan, step, points, site, rng) if points else None


def _with_way(
    plan: PlanSyntax, step: Step, points: list[Cell], site: SearchSite, rng: np.random.Generator
) -> PlanSyntax:
    """Return the plan with a step for each point before a step, which waits for the last of them."""
    follow = _FOLLOW in site.behaviours and rng.random() < 0.7
    waits, number = step.prerequisites, _free_number(plan)
    added = []
    for point in points:
        groups = tuple(replace(group, target=point) for group in step.groups)
        if follow:
            groups = tuple(replace(group, behaviour=_FOLLOW, types=()) for group in groups)
        added.append(Step(number, waits, Position(), groups))
        waits, number = (number,), number + 1
    steps: list[Step] = []
    for old in plan.steps:
        steps += [*added, replace(old, prerequisites=waits)] if old.id == step.id else [old]
    return PlanSyntax(tuple(steps))


def _origin(plan: PlanSyntax, step: Step, site: SearchSite) -> Cell:
    """Return where the first group of a step comes from: the target of an earlier step, or where the team starts."""
    first = stretches_of(step.groups[0].units, site.team)[0][0]
    for number in sorted(step.prerequisites, reverse=True):
        earlier = next(each for each in plan.steps if each.id == number)
        for group in earlier.groups:
            if any(start <= first < stop for start, stop in stretches_of(group.units, site.team)):
                return group.target
    return next(centre for end, centre in site.starts if first < end)


def _draw(plan: PlanSyntax, rng: np.random.Generator) -> Step:
    return plan.steps[rng.integers(len(plan.steps))]


def _free_number(plan: PlanSyntax) -> int:
    return max(step.id for step in plan.steps) + 1


def _waiting_for(plan: PlanSyntax, old: int, new: int) -> PlanSyntax:
    """Return the plan in which the steps that waited for one step wait for another."""
    return PlanSyntax(
        tuple(
            replace(step, prerequisites=tuple(new if number == old else number for number in step.prerequisites))
            for step in plan.steps
        )
    )


def _block(site: SearchSite, at: int) -> Elimination:
    """Return the objective to eliminate one block of the enemy's units."""
    start = site.foe_starts[at - 1][0] if at else 0
    return Elimination(UnitList((UnitSlice(start, site.foe_starts[at][0]),)))
