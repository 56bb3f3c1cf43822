"""From drafts without a fault to the nodes that the engine knows: spread groups, ways and groups behind others.

Rules: docs/rules/plans.md 1.8.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count as numbers_from
from itertools import pairwise, product

from dsl.diagnostics import Diagnostic
from dsl.drafts import GroupDraft, StepDraft
from dsl.id_ranges import count, ranges_of, split, unit_list
from dsl.nodes import Arrival, Behind, Cell, Group, Inside, Nearest, PlanSyntax, Step
from dsl.places import resolve_places
from dsl.unit_words import resolve_foes, resolve_units
from dsl.vocabulary import PlanContext

MOST_PARTS = 16
"""Most groups that a group becomes which spreads over a line or an area."""

ARRIVED = 80
"""Per cent of a group, and of those behind it, that have come to a place on the way before they go on."""

_RADIUS = 0.6  # metres; that of a spearman, the unit whose crowds are largest (docs/rules/battles.md 2.1)
_MOST_NUMBER = 10**9 - 1


def resolve_words(drafts: list[StepDraft], context: PlanContext) -> Iterator[Diagnostic]:
    """Give the groups of all steps their ids and cells; yield an error for all that names none."""
    for step in drafts:
        yield from resolve_foes(step, context)
        yield from resolve_units(step, context)
        for group in step.groups:
            yield from resolve_places(group, context)


def finish_plan(drafts: list[StepDraft], context: PlanContext) -> PlanSyntax:
    """Return the node of a plan in which nothing was found wrong."""
    used = {draft.number.values[0] for draft in drafts if draft.number}
    first = max(used, default=0) + 1
    numbers = (number for number in numbers_from(first) if number <= _MOST_NUMBER)
    steps: list[Step] = []
    for draft in drafts:
        step = _step(draft, context)
        steps += [step, *_ways(draft, step, numbers, context)]
    return PlanSyntax(tuple(steps))


def _step(draft: StepDraft, context: PlanContext) -> Step:
    assert draft.number and draft.prerequisites and draft.aim, "a plan without errors has no incomplete step"
    return Step(
        draft.number.values[0],
        draft.prerequisites.values,
        draft.aim.objective,
        _groups(draft.groups, context),
        span=draft.span,
        id_span=draft.number.spans[0],
        prerequisite_spans=draft.prerequisites.spans,
    )


def _groups(drafts: list[GroupDraft], context: PlanContext) -> tuple[Group, ...]:
    """Return the groups of a step: one for each draft, several for one that spreads or follows one that does.

    Groups of chosen units come last, since a unit obeys the last group that has it (docs/rules/plans.md 3.8).
    """
    drafts = sorted(drafts, key=_chosen)
    parts: dict[GroupDraft, list[Group]] = {}
    for draft in drafts:
        row = [draft]
        while row[-1].front and row[-1].front not in parts:
            row.append(row[-1].front)
        for each in reversed(row):
            ahead = [group.target for group in parts[each.front]] if each.front else None
            parts[each] = _parts(each, ahead, context)
    first, total = {}, 0
    for draft in drafts:
        first[draft] = total
        total += len(parts[draft])
    found = []
    for draft in drafts:
        mine = parts[draft]
        for number, group in enumerate(mine):
            if draft.front and draft.target:
                place = first[draft.front] + number * len(parts[draft.front]) // len(mine)
                group = replace(group, behind=Behind(place, draft.target.gap.values[0]))
            found.append(group)
    return tuple(found)


def _parts(draft: GroupDraft, ahead: Sequence[Cell] | None, context: PlanContext) -> list[Group]:
    """Return a group as it is spread, over its own pieces or over the targets of the groups ahead.

    Listed units are spread in the order of their ids, and units in a box in that of its strips. Of the nearest units
    each part asks for its own and for those of all later ones, which take theirs from it (docs/rules/plans.md 3.8).
    """
    assert draft.units, "a plan without errors has no incomplete group"
    cells, strips = (ahead, ()) if ahead else _pieces(draft, context)
    group, choice = _group(draft, cells[0]), draft.choice
    ids = ranges_of(draft.units, context.team_size)
    if len(cells) == 1 or ids is None:
        return [group]
    if strips:
        return [replace(group, target=cell, choice=strip) for cell, strip in zip(cells, strips, strict=True)]
    number = choice.count if isinstance(choice, Nearest) else count(ids)
    most = min(len(cells), number)
    places = [cells[part * len(cells) // most] for part in range(most)]
    if isinstance(choice, Nearest):
        left = [number - part * number // most for part in range(most)]
        return [
            replace(group, target=cell, choice=replace(choice, count=each))
            for cell, each in zip(places, left, strict=True)
        ]
    return [
        replace(group, units=unit_list(part, draft.units.span), target=cell)
        for cell, part in zip(places, split(ids, most), strict=True)
    ]


def _leader(draft: GroupDraft) -> GroupDraft:
    """Return the first of a row of groups that follow one another."""
    while draft.front:
        draft = draft.front
    return draft


def _group(draft: GroupDraft, target: Cell) -> Group:
    assert draft.units and draft.target and draft.behaviour, "a plan without errors has no incomplete group"
    names, leash = draft.behaviour.names, draft.behaviour.leash.values
    return Group(
        draft.units,
        target,
        names.words[0],
        names.words[1:],
        leash=leash[0] if leash else None,
        cover=draft.target.cover,
        choice=draft.choice,
        span=draft.span,
    )


def _pieces(draft: GroupDraft, context: PlanContext) -> tuple[Sequence[Cell], Sequence[Inside]]:
    """Return the cells over which a group spreads, and the strip of each if its units are chosen by a box.

    The nearest units come last (`_parts`), and so do the cells that are nearer to their place.
    """
    assert draft.units and draft.target, "a plan without errors has no incomplete group"
    if draft.target.form == "point":
        return draft.points, ()
    first, last = draft.points
    choice, room = draft.choice, (MOST_PARTS, MOST_PARTS)
    if isinstance(choice, Inside):
        room = (abs(choice.first[0] - choice.last[0]) + 1, abs(choice.first[1] - choice.last[1]) + 1)
    size = choice.count if isinstance(choice, Nearest) else count(ranges_of(draft.units, context.team_size) or ())
    if draft.target.form == "area":
        columns, rows = _grid(first, last, size, room)
        (x0, x1), (y0, y1) = (sorted(axis) for axis in zip(first, last, strict=True))
        cells = [(_between(x0, x1, c, columns), _between(y0, y1, r, rows)) for r in range(rows) for c in range(columns)]
        strips = cut(choice, columns, rows) if isinstance(choice, Inside) else []
    else:
        axis = 0 if abs(last[0] - first[0]) >= abs(last[1] - first[1]) else 1
        pieces = _count_pieces(first, last, size, room[axis])
        cells = [
            (_between(first[0], last[0], k, pieces), _between(first[1], last[1], k, pieces)) for k in range(pieces)
        ]
        strips = cut(choice, *((pieces, 1) if axis == 0 else (1, pieces))) if isinstance(choice, Inside) else []
        if last[axis] < first[axis]:
            strips.reverse()
    if isinstance(choice, Nearest):
        x, y = choice.place
        cells.sort(key=lambda cell: (cell[0] - x) ** 2 + (cell[1] - y) ** 2, reverse=True)
    return cells, strips


def cut(box: Inside, columns: int, rows: int) -> list[Inside]:
    """Return the parts of a box, row by row: disjoint, and as equal as whole cells allow.

    Args:
        box: Opposite corners, both included.
        columns: Parts along x, at most the cells of the box along x.
        rows: Parts along y, likewise.
    """
    (x0, x1), (y0, y1) = (sorted(axis) for axis in zip(box.first, box.last, strict=True))
    along_x = pairwise(x0 + (x1 + 1 - x0) * k // columns for k in range(columns + 1))
    along_y = pairwise(y0 + (y1 + 1 - y0) * k // rows for k in range(rows + 1))
    return [Inside((west, south), (east - 1, north - 1)) for (south, north), (west, east) in product(along_y, along_x)]


def _count_pieces(first: Cell, last: Cell, size: int, room: int) -> int:
    """Return the number of equal pieces of a line, at most `room`, whose crowds fill it."""
    most = max(1, min(MOST_PARTS, size, room))
    return next((k for k in range(1, most) if k * _width(size / k) >= math.dist(first, last)), most)


def _grid(first: Cell, last: Cell, size: int, room: tuple[int, int]) -> tuple[int, int]:
    """Return the columns and rows, at most `room`, of as few equal boxes of an area as their crowds fill."""
    wide, high = (abs(end - start) for start, end in zip(first, last, strict=True))
    most = max(1, min(MOST_PARTS, size))
    grids = sorted(
        (c * r, c, r) for c in range(1, min(most, room[0]) + 1) for r in range(1, min(most // c, room[1]) + 1)
    )

    def gap(columns: int, rows: int) -> float:
        """Return how much wider or higher than its crowd a box is."""
        return max(0.0, max(wide / columns, high / rows) - _width(size / (columns * rows)))

    _, columns, rows = min(grids, key=lambda grid: (gap(*grid[1:]), grid[0]))
    return columns, rows


def _width(size: float) -> float:
    """Return the width in metres of a crowd of so many units (docs/rules/plans.md 3.4)."""
    return 2 * (1 + math.ceil(_RADIUS * math.sqrt(size)))


def _between(low: int, high: int, piece: int, pieces: int) -> int:
    """Return the middle of a piece of a stretch, halves rounded up."""
    return (low * (2 * pieces - 2 * piece - 1) + high * (2 * piece + 1) + pieces) // (2 * pieces)


def _ways(draft: StepDraft, step: Step, numbers: Iterator[int], context: PlanContext) -> Iterable[Step]:
    """Yield a step for each place on the way of a group: it stands after the group's own step, so its orders count."""
    for group in draft.groups:
        waits, spans = step.prerequisites, step.prerequisite_spans
        for cell in group.via:
            column = sorted((each for each in draft.groups if _leader(each) is group), key=_chosen)
            groups = []
            for member in column:
                assert member.target, "a plan without errors has no incomplete group"
                front = column.index(member.front) if member.front else None
                behind = None if front is None else Behind(front, member.target.gap.values[0])
                groups.append(replace(_group(member, cell), behind=behind))
            number = next(numbers)
            yield Step(number, waits, Arrival(ARRIVED, group.span), tuple(groups), group.span, step.id_span, spans)
            waits, spans = (number,), ()


def _chosen(draft: GroupDraft) -> bool:
    return draft.choice is not None
