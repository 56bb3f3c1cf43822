"""Rules beyond syntax: names, bounds, overlaps and the order of steps. Every breach is reported.

Rules: docs/rules/plans.md 2.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import cycle
from operator import itemgetter

from dsl.diagnostics import Diagnostic
from dsl.drafts import GroupDraft, StepDraft
from dsl.nodes import (
    Arrival,
    Contain,
    Cut,
    Elimination,
    EnemyLosses,
    Fallback,
    Leaf,
    Losses,
    Node,
    Sequence,
    Time,
    Transport,
    UnitList,
)
from dsl.source import Span
from dsl.vocabulary import FORMER_BEHAVIOURS, FORMER_UNIT_TYPES, ROLES, PlanContext
from dsl.wording import unknown
from dsl.written import Aim, Numbers, SpannedWords

_START, _END = itemgetter(0), itemgetter(1)
_OPEN = 10**10  # stands for the end of a slice without one; ids have nine digits at most


def check_roles(node: Node) -> Iterator[Diagnostic]:
    """Report actions in `C( )` and conditions in `A( )`, which the grammar lets through (docs/rules/trees.md 1.3)."""
    if isinstance(node, Sequence | Fallback):
        for child in node.children:
            yield from check_roles(child)
    elif ROLES[node.name] != node.role:
        yield _misplaced(node)


def _misplaced(leaf: Leaf) -> Diagnostic:
    what = "an action" if leaf.role == "C" else "a condition"
    message = f"`{leaf.name}` is {what}, so it does not go into `{leaf.role}( )`"
    return _error("tree-role", message, leaf.name_span, f"write `{ROLES[leaf.name]}({leaf.name} …)`")


def check_steps(steps: list[StepDraft], context: PlanContext, *, lenient: bool) -> Iterator[Diagnostic]:
    """Report every violation of a plan's rules in the steps that could be read.

    Args:
        steps: Drafts in text order.
        context: Names and sizes to check against.
        lenient: Whether a unit in two groups of one step is only worth a warning.
    """
    yield from _check_ids(steps)
    yield from _check_cycles(steps)
    for step in steps:
        if step.aim:
            yield from _check_aim(step.aim, context)
        for group in step.groups:
            yield from _check_group(group, context)
        yield from _check_overlaps(step, lenient=lenient)


def describe_skipped(context: PlanContext) -> tuple[str, ...]:
    """Return descriptions of the checks that a context leaves out."""
    return tuple(
        words
        for size, words in (
            (context.team_size, "units beyond the team: the team's size is not known"),
            (context.foe_size, "units of the other side: its size is not known"),
            (context.map_size, "targets beyond the map: the map's size is not known"),
        )
        if size is None
    )


def _check_ids(steps: list[StepDraft]) -> Iterator[Diagnostic]:
    """Report a number used twice, and prerequisites that name no step."""
    known: dict[int, Span] = {}
    for step in steps:
        if step.number:
            (number,), (span,) = step.number.values, step.number.spans
            if number in known:
                yield _error(
                    "plan-duplicate-step", f"step {number} is already defined in line {known[number].line}", span
                )
            known.setdefault(number, span)
    if any(step.number is None for step in steps):
        return
    for step in steps:
        for number, span in _pairs(step.prerequisites):
            if number not in known:
                yield _error("plan-unknown-prerequisite", f"there is no step {number} in this plan", span)


def _check_cycles(steps: list[StepDraft]) -> Iterator[Diagnostic]:
    """Report each prerequisite that closes a circle of steps waiting for one another."""
    edges: dict[int, list[tuple[int, Span]]] = {}
    for step in steps:
        if step.number:
            edges.setdefault(step.number.values[0], list(_pairs(step.prerequisites)))
    done: set[int] = set()
    for root in edges:
        if root in done:
            continue
        path, depth = [(root, iter(edges[root]))], {root: 0}  # the way down, and where each of its steps stands there
        while path:
            for number, span in path[-1][1]:
                if number in depth:
                    yield _cycle([step_number for step_number, _ in path[depth[number] :]], span)
                elif number in edges and number not in done:
                    depth[number] = len(path)
                    path.append((number, iter(edges[number])))
                    break
            else:
                step_number, _ = path.pop()
                done.add(step_number)
                del depth[step_number]


def _cycle(circle: list[int], span: Span) -> Diagnostic:
    if len(circle) == 1:
        return _error("plan-prerequisite-cycle", f"step {circle[0]} waits for itself", span, "leave it out")
    names = [str(number) for number in (*circle, circle[0])]
    shown = names if len(names) <= 8 else [*names[:4], "…", *names[-3:]]
    return _error("plan-prerequisite-cycle", f"steps wait for one another: {' → '.join(shown)}", span)


def _check_aim(aim: Aim, context: PlanContext) -> Iterator[Diagnostic]:
    objective = aim.objective
    yield from _check_coordinates(aim.coordinates, context)
    if isinstance(objective, Elimination):
        yield from _check_units(objective.units, context.foe_size, "the other side")
    elif isinstance(objective, Cut) and not objective.cells:
        yield _error("plan-empty-list", "this list names no cell", objective.span, "name the cells to clear of trees")
    for value, place in _pairs(aim.amount):
        if isinstance(objective, Contain):
            if context.map_size is not None and value > context.map_size:
                yield _error("plan-number", f"a radius is at most the side of the map, {context.map_size}", place)
        elif isinstance(objective, Arrival | Losses | EnemyLosses):
            if not 1 <= value <= 100:
                yield _error("plan-number", "a share is from 1% to 100%", place)
        elif value < 1:
            what = "the number of ticks" if isinstance(objective, Time) else "a count"
            yield _error("plan-number", f"{what} is at least 1", place)
        elif (most := context.most.get(objective.word)) is not None and value > most:
            who = "firefighters" if isinstance(objective, Transport) else "civilians"
            yield _error("plan-number", f"there are {most} {who}", place)


def _check_coordinates(coordinates: Numbers, context: PlanContext, beyond: int = 0) -> Iterator[Diagnostic]:
    """Report each x and y, which alternate, that lies more than `beyond` beyond the last cell of the map."""
    if context.map_size is None:
        return
    last = context.map_size - 1
    for axis, (value, span) in zip(cycle("xy"), _pairs(coordinates), strict=False):
        if value > last + beyond:
            yield _error("plan-coordinate", f"{axis} is {value}, but the map ends at {last}", span)


def _check_group(group: GroupDraft, context: PlanContext) -> Iterator[Diagnostic]:
    if written := group.written:
        for units in written.lists:
            yield from _check_units(units, context.team_size, "the team")
        yield from _check_coordinates(written.cells, context, beyond=1)  # where units are sought, none has to stand
        yield from _check_least("the number of units", written.count)
        if written.choice and written.choice not in context.orders:
            yield _not_here(written.choice, written.span)
    if target := group.target:
        for cell in (point.cell for point in (*target.points, *target.via) if point.cell):
            yield from _check_coordinates(cell, context)
        yield from _check_least("the distance in metres", target.gap)
        for word, used in (("behind", target.form == "behind"), ("under cover", target.cover)):
            if used and word not in context.orders:
                yield _not_here(word, target.span)
    if group.behaviour:
        yield from _check_names(group.behaviour.names, context)
        yield from _check_least("the distance in metres", group.behaviour.leash)
        if group.behaviour.leash.values and "within" not in context.orders:
            yield _not_here("within", group.behaviour.leash.span)


def _check_least(what: str, numbers: Numbers) -> Iterator[Diagnostic]:
    for value, span in _pairs(numbers):
        if value < 1:
            yield _error("plan-number", f"{what} is at least 1", span)


def _not_here(word: str, span: Span) -> Diagnostic:
    return _error("plan-not-here", f"`{word}` is not known to the units of this scenario", span, "leave it out")


def _check_names(names: SpannedWords, context: PlanContext) -> Iterator[Diagnostic]:
    name, *types = names.words
    span, *spans = names.spans
    if name not in context.behaviours:
        yield _error("plan-behaviour", *unknown("behaviour", name, context.behaviours, FORMER_BEHAVIOURS, span))
    for word, place in zip(types, spans, strict=True):
        if word == "any" and len(types) > 1:
            yield _error(
                "plan-any-mixed", "`any` already stands for every type", place, "leave out `any`, or the types"
            )
        elif word == "or":
            yield _error("plan-unit-type", "types are separated by blanks, without `or`", place, "leave it out")
        elif word not in ("any", *context.unit_types):
            choices = ("any", *context.unit_types)
            yield _error("plan-unit-type", *unknown("unit type", word, choices, FORMER_UNIT_TYPES, place))


def _check_units(units: UnitList, size: int | None, side: str) -> Iterator[Diagnostic]:
    """Report an empty list, slices without units, and ids beyond the side."""
    if units.items == ():
        yield _error("plan-empty-list", "this list names no unit", units.span, "name units, or write `all`")
    for (start, stop), item, span in zip(units.bounds(), units.items or (), units.item_spans, strict=False):
        end = size if stop is None else stop
        if size is not None and isinstance(item, int) and start >= size:
            yield _beyond(f"there is no unit {item}", size, side, span)
        elif size is not None and (start > size or (stop or 0) > size):
            yield _beyond("this slice reaches too far", size, side, span, f"its end is at most {size}")
        elif end is not None and end <= start:
            yield _error("plan-empty-slice", "this slice holds no unit", span, "its end is not included")


def _beyond(message: str, size: int, side: str, span: Span, hint: str | None = None) -> Diagnostic:
    units = f"units 0 to {size - 1}" if size else "no units"
    return _error("plan-unit-range", f"{message}: {side} has {units}", span, hint)


def _check_overlaps(step: StepDraft, *, lenient: bool) -> Iterator[Diagnostic]:
    """Report, for each group, the first of its items that holds a unit of an earlier group; choices may share units.

    No team size is needed: two slices without an end always share the units after the later start.
    """
    taken = _Taken()
    for group in step.groups:
        if not group.units or group.choice:
            continue
        line = group.header.line
        places = group.units.item_spans or (group.units.span,)
        items = [(start, _OPEN if stop is None else stop) for start, stop in group.units.bounds()]
        for (start, stop), span in zip(items, places, strict=False):
            shared = taken.find(start, stop)
            if shared:
                unit, earlier = shared
                message = f"unit {unit} is already in the group of line {earlier}"
                hint = "the later group will command it" if lenient else f"a unit has one group in {step.name}"
                yield Diagnostic("plan-unit-overlap", "warning" if lenient else "error", message, span, hint)
                break
        for start, stop in sorted(items):  # in order, so that few of the stretches behind have to move
            taken.add(start, stop, line)


class _Taken:
    """Which units have a group: disjoint stretches of ids in order, each with the line of the last group."""

    def __init__(self) -> None:
        self._stretches: list[tuple[int, int, int]] = []  # first id, excluded end, line

    def find(self, start: int, stop: int) -> tuple[int, int] | None:
        """Return the first unit in `[start, stop)` that is taken, with the line of its group."""
        place = bisect_right(self._stretches, start, key=_END)
        if start < stop and place < len(self._stretches) and self._stretches[place][0] < stop:
            first, _, line = self._stretches[place]
            return max(start, first), line
        return None

    def add(self, start: int, stop: int, line: int) -> None:
        """Give the units in `[start, stop)` to the group of a line."""
        if start >= stop:
            return
        first = bisect_right(self._stretches, start, key=_END)
        last = bisect_left(self._stretches, stop, lo=first, key=_START)
        hidden = self._stretches[first:last]
        pieces = [(start, stop, line)]
        if hidden and hidden[0][0] < start:
            pieces.insert(0, (hidden[0][0], start, hidden[0][2]))
        if hidden and hidden[-1][1] > stop:
            pieces.append((stop, *hidden[-1][1:]))
        self._stretches[first:last] = pieces


def _pairs(numbers: Numbers | None) -> Iterator[tuple[int, Span]]:
    return zip(numbers.values, numbers.spans, strict=True) if numbers else iter(())


def _error(code: str, message: str, span: Span, hint: str | None = None, help_: str | None = None) -> Diagnostic:
    return Diagnostic(code, "error", message, span, hint, help_)
