"""Two plans make a third: each group keeps its orders or takes those that the other plan gives to the same units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dsl import Group, PlanSyntax, Step
from hive.experiments.search.site import SearchSite
from hive.experiments.search.stretches import stretches_of


def cross(plan: PlanSyntax, other: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax:
    """Return a plan with about half of its orders taken from another plan.

    A group takes the orders that its first unit has in the other plan, in the step of the same place in the text, but
    for the group that it stays behind. Steps that the other plan does not have stay as they are.
    """
    steps = list(plan.steps)
    for at, (mine, theirs) in enumerate(zip(plan.steps, other.steps, strict=False)):
        groups = []
        for group in mine.groups:
            found = _of_unit(theirs, stretches_of(group.units, site.team)[0][0], site)
            taken = found and rng.random() < 0.5
            groups.append(replace(found, units=group.units, behind=None) if found and taken else group)
        steps[at] = replace(mine, groups=tuple(groups))
    return PlanSyntax(tuple(steps))


def _of_unit(step: Step, unit: int, site: SearchSite) -> Group | None:
    """Return the group of a step that a unit is in."""
    for group in step.groups:
        if any(start <= unit < stop for start, stop in stretches_of(group.units, site.team)):
            return group
    return None
