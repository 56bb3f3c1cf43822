"""Plans after a move: units in one group of a step, no dead step, numbers in text order; and whether they fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dsl import Elimination, Group, PlanSyntax, Step, UnitList
from dsl.id_ranges import Ranges, ranges, without
from hive.engine.plan.rescale import scale_bound
from hive.experiments.search.group_moves import regrouped
from hive.experiments.search.site import SearchSite
from hive.experiments.search.stretches import stretches_of, unit_list


def tidy(plan: PlanSyntax, site: SearchSite) -> PlanSyntax | None:
    """Return the plan in a plain form that plays the same games, or None if no step is left.

    A unit is in one group of a step, groups with the same orders are one, and dead steps are pruned: those that cannot
    become active before the game is over, and those that command no unit in games of `site.sizes`. Where the objective
    is to eliminate the enemy, one step lasts until that is done: a plan that is finished before is no win.
    """
    steps = [replace(step, groups=_groups(step, site)) for step in _reachable(plan.steps, site)]
    steps = _uncovered(steps, site)
    while empty := next((step for step in steps if not step.groups), None):
        steps = without_step(steps, empty.id)
    if not steps:
        return None
    if site.eliminates and not any(_lasts(step, site) for step in steps):
        return tidy(PlanSyntax(tuple(_with_end(steps))), site)
    return PlanSyntax(tuple(renumbered(steps)))


def fits(plan: PlanSyntax, site: SearchSite) -> bool:
    """Return whether the plan stays within `site.capacities`."""
    groups = [group for step in plan.steps for group in step.groups]
    if len(plan.steps) > site.capacities.steps or len(groups) > site.capacities.groups:
        return False
    leaders = [step.leader(group) for step in plan.steps for group in step.groups]
    ways = {(leader.target, leader.cover) for leader in leaders}
    if len(ways) > site.capacities.places // site.capacities.plans:  # of one plan of a batch
        return False
    named = np.zeros(site.team + 1, int)
    for group in groups:
        for start, stop in stretches_of(group.units, site.team):
            named[start] += 1
            named[stop] -= 1
    return int(np.cumsum(named).max(initial=0)) <= site.capacities.memberships


def without_step(steps: Sequence[Step], number: int) -> list[Step]:
    """Return the steps without one of them; steps that waited for it wait for what it waited for."""
    gone = next(step for step in steps if step.id == number)

    def waits(step: Step) -> tuple[int, ...]:
        if number not in step.prerequisites:
            return step.prerequisites
        kept = [other for other in step.prerequisites if other != number]
        return tuple(dict.fromkeys([*kept, *gone.prerequisites]))

    return [replace(step, prerequisites=waits(step)) for step in steps if step is not gone]


def renumbered(steps: Sequence[Step]) -> list[Step]:
    """Return the steps with the numbers 0, 1, 2 ... in text order."""
    number = {step.id: place for place, step in enumerate(steps)}
    return [
        replace(step, id=number[step.id], prerequisites=tuple(sorted(number[other] for other in step.prerequisites)))
        for step in steps
    ]


def before(steps: Sequence[Step], number: int) -> set[int]:
    """Return the numbers of all steps that one step waits for, directly or not."""
    waits = {step.id: step.prerequisites for step in steps}
    found: set[int] = set()
    left = list(waits[number])
    while left:
        other = left.pop()
        if other not in found:
            found.add(other)
            left += waits[other]
    return found


def commands(units: Ranges, site: SearchSite) -> bool:
    """Return whether any unit is left of these in games of the searched size."""
    return any(
        scale_bound(start, site.team, site.sizes[0]) < scale_bound(stop, site.team, site.sizes[0])
        for start, stop in units
    )


def _groups(step: Step, site: SearchSite) -> tuple[Group, ...]:
    """Return the groups of a step, each unit in the last that names it, and equal orders in one group.

    A group too small for games of the searched size joins its neighbour, so that larger games do not lose its units.
    """
    taken: Ranges = ()
    kept: dict[Group, Ranges] = {}  # by the orders: a group without its units, unless those are a choice's
    orders: dict[int, Group] = {}
    for number, group in reversed(list(enumerate(step.groups))):
        units = stretches_of(group.units, site.team)
        own = units if group.choice else tuple(without(units, taken))
        order = _order(group, step, site)
        if group.choice:  # whoever it leaves out obeys another group
            order = replace(order, units=unit_list(own, site.team))
        else:
            taken = ranges((*taken, *units))
        orders[number] = order
        kept[order] = ranges((*kept.get(order, ()), *own))
    small = ranges(
        part for order, units in kept.items() if not order.choice and not commands(units, site) for part in units
    )
    large = {order: units for order, units in kept.items() if commands(units, site)}
    for start, stop in small:
        for order, units in large.items():
            if not order.choice and any(first <= start <= last or first <= stop <= last for first, last in units):
                large[order] = ranges((*units, (start, stop)))
                break
    last = {order: number for number, order in sorted(orders.items())}  # choices stay in order, after the others
    first = sorted(
        ((units, order) for order, units in large.items()),
        key=lambda item: (last[item[1]] if item[1].choice else -1, item[0]),
    )
    place = {order: number for number, (_, order) in enumerate(first)}
    groups = []
    for number, (units, order) in enumerate(first):
        ahead = place.get(orders[order.behind.group]) if order.behind else None
        behind = replace(order.behind, group=ahead) if order.behind and ahead not in (None, number) else None
        groups.append(replace(order, units=unit_list(units, site.team), behind=behind))
    return tuple(groups)


def _order(group: Group, step: Step, site: SearchSite) -> Group:
    """Return the orders of a group: without its units and places in a text; behind another one, with its target."""
    return Group(
        units=UnitList(None),
        target=step.leader(group).target,
        behaviour=group.behaviour,
        types=group.types if group.behaviour in site.typed else (),
        leash=group.leash,
        cover=group.cover and not group.behind,  # a group behind another one goes its way
        choice=group.choice,
        behind=group.behind,
    )


def _lasts(step: Step, site: SearchSite) -> bool:
    """Whether a step's objective ends the game, so that the step lasts as long as the game."""
    units = step.objective.units if isinstance(step.objective, Elimination) else None
    return site.eliminates and units is not None and stretches_of(units, site.foes) == ((0, site.foes),)


def _with_end(steps: Sequence[Step]) -> list[Step]:
    """Return the steps, the last of which that no other waits for lasts until all enemies are dead."""
    waited = {number for step in steps for number in step.prerequisites}
    last = max(place for place, step in enumerate(steps) if step.id not in waited)
    end = replace(steps[last], objective=Elimination(UnitList(None)))
    return [*steps[:last], end, *steps[last + 1 :]]


def _reachable(steps: Sequence[Step], site: SearchSite) -> list[Step]:
    """Return the steps that do not wait for one that lasts as long as the game."""
    lasting = {step.id for step in steps if _lasts(step, site)}
    return [step for step in steps if not lasting & before(steps, step.id)]


def _uncovered(steps: Sequence[Step], site: SearchSite) -> list[Step]:
    """Remove units from steps where a later step that lasts commands them from the same moment on.

    Such a step keeps its groups if another step waits for it: its objective then counts.
    """
    found = []
    for place, step in enumerate(steps):
        mine = before(steps, step.id)
        hidden: Ranges = ()
        for later in steps[place + 1 :]:
            if _lasts(later, site) and before(steps, later.id) <= mine:
                sure = [group for group in later.groups if not group.choice]
                units = [part for group in sure for part in stretches_of(group.units, site.team)]
                hidden = ranges((*hidden, *units))
        if hidden and not any(step.id in other.prerequisites for other in steps):
            parts = []
            for group in step.groups:
                own = stretches_of(group.units, site.team)
                left = own if group.choice else tuple(without(own, hidden))
                parts.append([replace(group, units=unit_list(left, site.team))] if commands(left, site) else [])
            step = regrouped(step, parts)
        found.append(step)
    return found
