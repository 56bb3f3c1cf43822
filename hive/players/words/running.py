"""What is left of the plan that is followed now when some of its units get other orders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

import dsl
from dsl.id_ranges import ranges, unit_list
from dsl.source import NO_SPAN
from hive.kit.facts import Ids, Running


def remains(running: Running, named: set[int], whole: int) -> list[dsl.Step]:
    """Return what is left of a plan: without achieved steps, and without units that have other orders.

    Args:
        running: The plan.
        named: Units that have other orders.
        whole: Number of units.
    """
    gone: dict[int, tuple[int, ...]] = {number: () for number in running.achieved}
    steps = []
    for step in running.plan.steps:
        if step.id in running.achieved:
            continue
        left = [np.array([unit for unit in group.units.ids(whole) if unit not in named], int) for group in step.groups]
        groups = regrouped(
            [replace(group, units=unit_ids(ids))] if len(ids) else []
            for group, ids in zip(step.groups, left, strict=True)
        )
        before = tuple(dict.fromkeys(each for one in step.prerequisites for each in _past(one, gone)))
        if groups:
            steps.append(replace(step, prerequisites=before, groups=groups))
        else:
            gone[step.id] = before
    return steps


def adjusted(
    steps: Sequence[dsl.Step], named: Ids, whole: int, new: Callable[[Ids, dsl.Group], Sequence[tuple[Ids, str]]]
) -> list[dsl.Step]:
    """Return steps in which some units behave otherwise, and go where they went.

    Args:
        steps: The steps.
        named: The units.
        whole: Number of units.
        new: The behaviours of some units of a group, in parts.
    """
    found = []
    for step in steps:
        parts = []
        for group in step.groups:
            ids = np.array(group.units.ids(whole), int)
            mine, left = np.intersect1d(ids, named), np.setdiff1d(ids, named)
            changed = (
                [replace(group, units=unit_ids(own), behaviour=name) for own, name in new(mine, group)]
                if len(mine)
                else []
            )
            parts.append([*changed, *([replace(group, units=unit_ids(left))] if len(left) else [])])
        found.append(replace(step, groups=regrouped(parts)))
    return found


def unit_ids(ids: Ids) -> dsl.UnitList:
    """Return ids as a list of a plan: single ids and slices."""
    return unit_list(ranges((unit, unit + 1) for unit in ids.tolist()), NO_SPAN)


def regrouped(parts: Iterable[Sequence[dsl.Group]]) -> tuple[dsl.Group, ...]:
    """Return the groups of a step of which each became none, one or several; those behind another one still are.

    One whose group in front is gone goes to the target that it had.
    """
    parts, found = list(parts), list[dsl.Group]()
    first = [sum(map(len, parts[:number])) for number in range(len(parts))]
    for group in (group for part in parts for group in part):
        if (behind := group.behind) is not None:
            behind = replace(behind, group=first[behind.group]) if parts[behind.group] else None
        found.append(replace(group, behind=behind))
    return tuple(found)


def _past(number: int, gone: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    if number not in gone:
        return (number,)
    return tuple(each for one in gone[number] for each in _past(one, gone))
