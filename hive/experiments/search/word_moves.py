"""Moves with words of the second edition of plans: leashes, cover, groups behind others, and when a step ends.

Their plans may also hold; `SearchSite.words` says whether they are drawn. Rules: docs/rules/plans.md 3.7 to 3.11.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dsl import Arrival, Behind, EnemyLosses, Losses, Objective, PlanSyntax, Sighted, Time
from hive.experiments.search.group_moves import draw_group, with_groups, with_step
from hive.experiments.search.site import SearchSite

EXTRAS = ("figure", "sighting", "leash", "behind", "cover")
"""The fields of `hive.engine.plan.arrays.EXTRAS` that these moves use."""

_LEASH = (3, 40)  # metres
_GAP = (2, 20)  # metres
_TICKS = (10, 300)


def change_leash(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Give a group a leash of 3 to 40 m, short ones more often, or take its leash away."""
    step, at = draw_group(plan, rng)
    group = step.groups[at]
    tied = group.leash is None or rng.random() < 0.5
    return with_groups(plan, step, at, [replace(group, leash=_drawn(_LEASH, rng) if tied else None)])


def take_cover(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Let a group, or all groups of its step, go under cover, or no longer."""
    step, at = draw_group(plan, rng)
    cover = not step.groups[at].cover
    chosen = range(len(step.groups)) if rng.random() < 0.4 else (at,)
    groups = tuple(
        replace(group, cover=cover) if number in chosen else group for number, group in enumerate(step.groups)
    )
    return with_step(plan, replace(step, groups=groups))


def stay_behind(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Let a group stay 2 to 20 m behind another one of its step, or go its own way again."""
    step, at = draw_group(plan, rng)
    group = step.groups[at]
    if group.behind and rng.random() < 0.5:
        return with_groups(plan, step, at, [replace(group, behind=None)])
    others = [number for number, each in enumerate(step.groups) if number != at and step.leader(each) is not group]
    if not others:
        return None
    behind = Behind(others[rng.integers(len(others))], _drawn(_GAP, rng))
    return with_groups(plan, step, at, [replace(group, behind=behind)])


def end_otherwise(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Let a step end after a time, with the arrival of some, with the first enemy in sight, or with losses."""
    step = plan.steps[rng.integers(len(plan.steps))]
    percent = 10 * int(rng.integers(1, 10))
    choices: tuple[Objective, ...] = (
        Time(_drawn(_TICKS, rng)),
        Arrival(0 if rng.random() < 0.3 else percent),
        Sighted(),
        Losses(percent),
        EnemyLosses(percent),
    )
    return with_step(plan, replace(step, objective=choices[rng.integers(len(choices))]))


def _drawn(bounds: tuple[int, int], rng: np.random.Generator) -> int:
    """Return a whole number within bounds, both included; its logarithm is uniform."""
    low, high = np.log(bounds)
    return round(float(np.exp(rng.uniform(low, high))))
