"""Rescaling of plans that were written for teams of another size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dsl import Elimination, Group, Nearest, PlanSyntax, Step, UnitList, UnitSlice


def scale_bound(bound: int, written: int, actual: int) -> int:
    """Rescale `bound` from a team of `written` units to a team of `actual`: `floor(bound * actual / written + 1/2)`.

    Halves round up, unlike Python's `round`, and the arithmetic is exact, so equal bounds always stay equal:
    groups that met still meet and groups that were apart stay apart.
    """
    return (2 * bound * actual + written) // (2 * written)


def rescale_plan(plan: PlanSyntax, own: tuple[int, int], foe: tuple[int, int]) -> PlanSyntax:
    """Return the plan with its unit ids scaled to teams of other sizes.

    A slice `[a:b]` becomes `[scale(a):scale(b)]`, open ends stay open, and a single id `i` becomes
    `[scale(i):scale(i + 1)]`. Empty items are removed from their lists, then empty groups from their steps.
    A step that would lose all its groups keeps the first of them with one unit, and an elimination list keeps one unit.
    The count of the nearest units is scaled too, to 1 or more, and a group behind one that is left out is free.
    Targets, behaviours, prerequisites and all other objectives, with their counts, do not change.

    Args:
        plan: A checked plan.
        own: Size of the plan's own team that the plan was written for, and the new size; both at least 1.
        foe: The same for the other team, for elimination objectives.

    Returns:
        The plan for the new sizes; the plan itself when neither size changes.
    """
    if own[0] == own[1] and foe[0] == foe[1]:
        return plan
    return replace(plan, steps=tuple(_step(step, own, foe) for step in plan.steps))


def _step(step: Step, own: tuple[int, int], foe: tuple[int, int]) -> Step:
    objective = step.objective
    if isinstance(objective, Elimination):
        targets = _units(objective.units, *foe) or _one_unit(objective.units, *foe)
        objective = replace(objective, units=targets)
    scaled = [(number, _units(group.units, *own)) for number, group in enumerate(step.groups)]
    kept = [(number, units) for number, units in scaled if units] or [(0, _one_unit(step.groups[0].units, *own))]
    place = {number: index for index, (number, _) in enumerate(kept)}
    groups = tuple(_group(step.groups[number], units, place, own) for number, units in kept)
    return replace(step, objective=objective, groups=groups)


def _group(group: Group, units: UnitList, place: Mapping[int, int], own: tuple[int, int]) -> Group:
    """Return a group with other units; `place` is where the groups of its step are now."""
    choice, behind = group.choice, group.behind
    if isinstance(choice, Nearest):
        choice = replace(choice, count=max(1, scale_bound(choice.count, *own)))
    if behind:
        behind = replace(behind, group=place[behind.group]) if behind.group in place else None
    return replace(group, units=units, choice=choice, behind=behind)


def _units(units: UnitList, written: int, actual: int) -> UnitList | None:
    """Return the scaled list, or None when nothing is left of it."""
    if units.items is None:
        return units
    scaled = [_item(item, written, actual) for item in units.items]
    kept = [index for index, item in enumerate(scaled) if item is not None]
    if not kept:
        return None
    items = tuple(item for item in scaled if item is not None)
    return replace(units, items=items, item_spans=tuple(units.item_spans[index] for index in kept if units.item_spans))


def _item(item: UnitSlice | int, written: int, actual: int) -> UnitSlice | int | None:
    start, stop = (item, item + 1) if isinstance(item, int) else (item.start, item.stop)
    new_start = None if start is None else scale_bound(start, written, actual)
    new_stop = None if stop is None else scale_bound(stop, written, actual)
    first, last = new_start or 0, actual if new_stop is None else new_stop
    if first >= last:
        return None
    if isinstance(item, int):
        return first if last == first + 1 else UnitSlice(first, last)
    return UnitSlice(new_start, new_stop)


def _one_unit(units: UnitList, written: int, actual: int) -> UnitList:
    """Return a list of one unit, the nearest to the start of a list that became empty."""
    start = scale_bound(units.bounds()[0][0], written, actual)
    return replace(units, items=(min(start, actual - 1),), item_spans=units.item_spans[:1])
