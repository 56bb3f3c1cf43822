"""Moves on the groups of a step: targets, units, behaviours and target types.

A move takes a plan, a site and a generator, and returns another plan or None where it does not apply. `tidy` puts the
result in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Int

from dsl import Group, PlanSyntax, Step
from dsl.id_ranges import Ranges, count, ranges, split
from hive.experiments.search.site import BANK, SearchSite
from hive.experiments.search.stretches import at_boundaries, stretches_of, unit_list
from hive.experiments.search.ways import Cell

_STEP, _LEAP = 3.0, 0.15  # metres, and share of the map's side: standard deviations of small and large steps
_MOST_PARTS = 6  # of a group that is spread along a line


def move_target(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Move the target of a group by a small or a large step, or to a place of the map."""
    step, at = draw_group(plan, rng)
    group = step.groups[at]
    return with_groups(plan, step, at, [replace(group, target=_new_target(group.target, site, rng))])


def shift_step(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Move the targets of all groups of a step by the same vector."""
    step = plan.steps[rng.integers(len(plan.steps))]
    old = step.groups[rng.integers(len(step.groups))].target
    new = _new_target(old, site, rng)
    shift = np.subtract(new, old)
    groups = tuple(replace(group, target=site.clipped(np.add(group.target, shift))) for group in step.groups)
    return with_step(plan, replace(step, groups=groups))


def trade_targets(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Let two groups of any steps trade their targets, or all of their orders."""
    all_groups = [(step, at) for step in plan.steps for at in range(len(step.groups))]
    if len(all_groups) < 2:
        return None
    (one, at), (other, there) = (all_groups[number] for number in rng.choice(len(all_groups), 2, replace=False))
    mine, theirs = one.groups[at], other.groups[there]
    if rng.random() < 0.7:
        new, back = replace(mine, target=theirs.target), replace(theirs, target=mine.target)
    else:
        new, back = (
            replace(theirs, units=mine.units, behind=None),
            replace(mine, units=theirs.units, behind=None),
        )
    plan = with_groups(plan, one, at, [new])
    return with_groups(plan, _step(plan, other.id), there, [back])


def split_group(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Divide a group, by the types of its units or in halves or thirds, and move the target of one part."""
    step, at = draw_group(plan, rng)
    group = step.groups[at]
    parts = _parts(group, site, rng)
    if len(parts) < 2:
        return None
    moved = int(rng.integers(len(parts)))
    target = _new_target(group.target, site, rng)
    new = [
        replace(group, units=unit_list(part, site.team), target=target if number == moved else group.target)
        for number, part in enumerate(parts)
    ]
    return with_groups(plan, step, at, new)


def merge_groups(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Give two groups of a step the orders of one of them."""
    steps = [step for step in plan.steps if len(step.groups) > 1]
    if not steps:
        return None
    step = steps[rng.integers(len(steps))]
    at, other = (int(number) for number in rng.choice(len(step.groups), 2, replace=False))
    units = ranges(
        (*stretches_of(step.groups[at].units, site.team), *stretches_of(step.groups[other].units, site.team))
    )
    one = replace(step.groups[at], units=unit_list(units, site.team))
    parts = [[one] if number == at else [each] * (number != other) for number, each in enumerate(step.groups)]
    return with_step(plan, regrouped(step, parts))


def change_behaviour(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Give a group, or all groups of its step, another behaviour."""
    step, at = draw_group(plan, rng)
    behaviour = site.behaviours[rng.integers(len(site.behaviours))]
    chosen = range(len(step.groups)) if rng.random() < 0.2 else (at,)
    groups = [
        replace(group, behaviour=behaviour) if number in chosen else group for number, group in enumerate(step.groups)
    ]
    return with_step(plan, replace(step, groups=tuple(groups)))


def change_types(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Give a group other target types: none, any, or one or two of the enemy's."""
    step, at = draw_group(plan, rng)
    if step.groups[at].behaviour not in site.typed:
        return None
    pick = rng.random()
    if pick < 0.3 or not site.types:
        types: tuple[str, ...] = ("any",)
    else:
        number = min(len(site.types), 1 if pick < 0.8 else 2)
        types = tuple(site.types[kind] for kind in sorted(rng.choice(len(site.types), number, replace=False)))
    return with_groups(plan, step, at, [replace(step.groups[at], types=types)])


def spread_group(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Divide a group, or each group of its step, into parts side by side on a line through its target."""
    step, at = draw_group(plan, rng)
    number = int(rng.integers(2, _MOST_PARTS + 1))
    wide = float(rng.uniform(0.1, 0.9)) * site.side
    angle = rng.choice([0.0, np.pi / 2, rng.uniform(0, np.pi)], p=[0.5, 0.25, 0.25])
    line = np.array([np.cos(angle), np.sin(angle)])
    shifts = [line * wide * (part / (number - 1) - 0.5) for part in range(number)]
    centre = _new_target(step.groups[at].target, site, rng) if rng.random() < 0.7 else None

    def places(group: Group) -> list[Cell]:
        middle = group.target
        if centre is not None:
            middle = site.clipped(np.add(centre, np.subtract(group.target, step.groups[at].target)))
        return [site.clipped(np.add(middle, shift)) for shift in shifts]

    return _divided(plan, site, step, at, places, rng)


def share_bridges(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> PlanSyntax | None:
    """Divide a group, or each group of its step, over bridges of the map: all of them or some.

    The targets lie on the side of the bridges that is nearer to one place: where the units start, their target now, or
    an objective on the map. Each group keeps one distance from its bridges.
    """
    if len(site.bridges) < 2:
        return None
    step, at = draw_group(plan, rng)
    some = len(site.bridges) if rng.random() < 0.6 else int(rng.integers(2, len(site.bridges) + 1))
    chosen = sorted(rng.choice(len(site.bridges), some, replace=False))
    anchors = [step.groups[at].target, *(centre for _, centre in site.starts), *site.objectives]
    anchor = anchors[rng.integers(len(anchors))]

    def places(group: Group) -> list[Cell]:
        away = rng.uniform(0, BANK)
        return [site.clipped(_on_bank(site.bridges[number], anchor, away)) for number in chosen]

    return _divided(plan, site, step, at, places, rng)


def draw_group(plan: PlanSyntax, rng: np.random.Generator) -> tuple[Step, int]:
    """Return a step and the index of one of its groups; every group is equally likely."""
    every = [(step, at) for step in plan.steps for at in range(len(step.groups))]
    return every[rng.integers(len(every))]


def with_step(plan: PlanSyntax, step: Step) -> PlanSyntax:
    """Return the plan with one step replaced by another of its number."""
    return PlanSyntax(tuple(step if old.id == step.id else old for old in plan.steps))


def with_groups(plan: PlanSyntax, step: Step, at: int, groups: Sequence[Group]) -> PlanSyntax:
    """Return the plan with one group of a step replaced by others."""
    return with_step(
        plan, regrouped(step, [groups if at == number else [each] for number, each in enumerate(step.groups)])
    )


def regrouped(step: Step, parts: Sequence[Sequence[Group]]) -> Step:
    """Return a step in which groups stand for each of its old groups, maybe none.

    A group behind an old one is behind the first of its parts, and free if there is none or if it is that part itself.
    """
    first = {number: sum(map(len, parts[:number])) for number, part in enumerate(parts) if part}
    groups: list[Group] = []
    for part in parts:
        for group in part:
            ahead = first.get(group.behind.group) if group.behind else None
            behind = replace(group.behind, group=ahead) if group.behind and ahead not in (None, len(groups)) else None
            groups.append(replace(group, behind=behind))
    return replace(step, groups=tuple(groups))


def _step(plan: PlanSyntax, number: int) -> Step:
    return next(step for step in plan.steps if step.id == number)


def _new_target(old: Cell, site: SearchSite, rng: np.random.Generator) -> Cell:
    pick = rng.random()
    if pick < 0.35:
        return site.near(rng, old, _STEP)
    if pick < 0.65:
        return site.near(rng, old, _LEAP * site.side)
    return site.near(rng, site.place(rng), _STEP) if pick < 0.9 else site.place(rng)


def _parts(group: Group, site: SearchSite, rng: np.random.Generator) -> list[Ranges]:
    units = stretches_of(group.units, site.team)
    by_type = at_boundaries(units, [end for _, end in site.context.team_blocks])
    if len(by_type) > 1 and rng.random() < 0.5:
        return by_type
    return [part for part in split(units, 2 if rng.random() < 0.7 else 3) if part]


def _on_bank(cells: Int[np.ndarray, "K 2"], anchor: Cell, away: float) -> Int[np.ndarray, " 2"]:
    """Return the cell of a bridge, whose middle comes first, that is about so far from it and nearest to a place."""
    far = np.abs(np.hypot(*(cells - cells[0]).T) - away)
    ring = cells[far <= far.min() + 2]
    return np.asarray(ring[np.hypot(*(ring - np.array(anchor)).T).argmin()])


def _divided(
    plan: PlanSyntax,
    site: SearchSite,
    step: Step,
    at: int,
    places: Callable[[Group], list[Cell]],
    rng: np.random.Generator,
) -> PlanSyntax | None:
    """Return the plan with a group, or all groups of its step, divided over places; types stay apart."""
    chosen = range(len(step.groups)) if rng.random() < 0.7 else (at,)
    parts: list[list[Group]] = [[] if number in chosen else [group] for number, group in enumerate(step.groups)]
    for number in chosen:
        group, groups = step.groups[number], parts[number]
        for block in at_boundaries(stretches_of(group.units, site.team), [end for _, end in site.context.team_blocks]):
            own = replace(group, units=unit_list(block, site.team))
            cells = places(own)
            pieces = split(block, min(len(cells), max(1, count(block) * site.sizes[0] // site.team)))
            groups += [
                replace(own, units=unit_list(piece, site.team), target=cell)
                for piece, cell in zip(pieces, cells, strict=False)
            ]
    return with_step(plan, regrouped(step, parts))
