"""Units in words, such as `half of archer` or `the rest`, become lists of ids (docs/rules/plans.md 1.7, 1.9)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import itemgetter

from dsl.diagnostics import Diagnostic
from dsl.drafts import GroupDraft, StepDraft
from dsl.id_ranges import Ranges, add, count, lowest, ranges, ranges_of, unit_list, without
from dsl.nodes import Elimination, Inside, Nearest, UnitList
from dsl.source import Span
from dsl.vocabulary import FORMER_UNIT_TYPES, PlanContext
from dsl.wording import listing, plural, unit_words, unknown
from dsl.written import Term, WrittenUnits

NO_FACTS = "plan-scenario"
"""Code of an error about words whose meaning is not known without the scenario."""


_FIRST = itemgetter(0)
_SHOWN = 8  # groups that a message lists


class _WrongError(Exception):
    """A term that names no units, with its diagnostic."""

    def __init__(self, code: str, message: str, span: Span, hint: str | None = None, help_: str | None = None) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code, "error", message, span, hint, help_)


def resolve_units(step: StepDraft, context: PlanContext) -> Iterator[Diagnostic]:
    """Give each group of a step its ids, its choice and the group in front of it.

    Args:
        step: A draft, whose groups are changed.
        context: What is known about the team.

    Yields:
        An error for each group whose words name no units.
    """
    groups = [group for group in step.groups if group.written]
    if any(group.units is None for group in groups):
        team = _Team(step, context)
        for late in (False, True):  # `the rest` is what all others leave, wherever they stand
            for group in groups:
                if group.written and any(term.rest for term in group.written.terms) == late:
                    try:
                        team.settle(group, group.written)
                    except _WrongError as wrong:
                        yield wrong.diagnostic
    for group in groups:
        try:
            _check_parts(group, context)
        except _WrongError as wrong:
            yield wrong.diagnostic
    yield from _resolve_fronts(step, context)


class _Team:
    """The units of the team that groups of a step have named so far."""

    def __init__(self, step: StepDraft, context: PlanContext) -> None:
        self._step, self._context = step, context
        self._taken: list[tuple[int, int]] = []
        self._left: dict[
            Ranges, int
        ] = {}  # most units that are left of some, once there were too few: never more later
        self._open = False  # whether a group named units whose end is not known

    def settle(self, group: GroupDraft, written: WrittenUnits) -> None:
        """Find the units of a group; they are then taken, unless a choice is made of them."""
        if group.units is None:
            group.units = self._units(written)
            _choose(group, written, self._context)
        if group.choice is None:  # a choice leaves units to the other groups
            found = ranges_of(group.units, self._context.team_size)
            self._open |= found is None
            add(self._taken, found or ())

    def _units(self, written: WrittenUnits) -> UnitList:
        if not written.terms:
            return UnitList(None, written.span)
        if len(written.terms) == 1:
            (term,) = written.terms
            if term.units and not (term.shares or term.rest):
                return term.units
        return unit_list(self.ids(written.terms), written.span)

    def ids(self, terms: Sequence[Term]) -> Ranges:
        """Return the ids that terms name together; a share of one leaves out what the terms before it name.

        Raises:
            _WrongError: One names none, or what it names is not known.
        """
        if len(terms) == 1:
            return ranges(self._of(terms[0], self._taken))
        taken, found = [*self._taken], list[tuple[int, int]]()
        for term in terms:
            named = self._of(term, taken)
            add(taken, named)
            found += named
        return ranges(found)

    def _of(self, term: Term, taken: Sequence[tuple[int, int]]) -> Ranges:
        base = self._base(term)
        if self._open and (term.rest or term.shares):
            raise _no_facts("how many units the team has is not known here", term.span)
        if term.rest:
            base = tuple(without(base, taken))
            if not base:
                message = f"no unit is left: other groups of {self._step.name} name all of them"
                raise _WrongError("plan-few-units", message, term.span, "leave out this group")
        for number, share in enumerate(reversed(term.shares)):
            size = count(base)
            most = -(-size * share.top // share.bottom) if share.bottom else share.top
            if share.top < 1 or (share.bottom and share.top > share.bottom):
                what = "a share is from 1% to 100%" if share.bottom else "the number of units is at least 1"
                raise _WrongError("plan-number", what, share.span)
            least = 1 if share.bottom else most
            if self._left.get(base, size) >= least:
                found = lowest(base if number or term.rest else without(base, taken), most)
                if count(found) >= least:
                    base = found
                    continue
                self._left[base] = count(found)
            left = self._left.get(base, size)
            message = f"at most {left:,} of these {plural(size, 'unit')} can be taken"
            help_ = f"other groups of {self._step.name} name the others" if left < size else None
            raise _WrongError("plan-few-units", message, share.span, "ask for fewer units" if left else None, help_)
        return base

    def _base(self, term: Term) -> Ranges:
        if term.kind:
            (kind,), (span,) = term.kind.words, term.kind.spans
            return _of_type(kind, span, self._context.team_types, self._context.team_blocks, "the team")
        assert term.units, "a term names a type or a list"
        found = ranges_of(term.units, self._context.team_size)
        if found is None:
            raise _no_facts("how many units the team has is not known here", term.span)
        return found


def _of_type(kind: str, span: Span, types: tuple[str, ...], blocks: tuple[tuple[str, int], ...], side: str) -> Ranges:
    """Return the ids of a type of one side.

    Raises:
        _WrongError: There is no such type, the side has none of it, or its types are not known.
    """
    if kind not in types:
        raise _WrongError("plan-unit-type", *unknown("unit type", kind, ("all", *types), FORMER_UNIT_TYPES, span))
    if not blocks:
        raise _no_facts(f"which units of {side} are `{kind}` is not known here", span)
    ends = (0, *(end for _, end in blocks))
    found = ranges(bounds for (name, _), bounds in zip(blocks, pairwise(ends), strict=True) if name == kind)
    if not found:
        sizes = [stop - start for start, stop in pairwise(ends)]
        team = [f"{size} {unit_words(name, size)}" for (name, _), size in zip(blocks, sizes, strict=True)]
        raise _WrongError(
            "plan-few-units", f"{side} has no `{kind}`", span, None, f"it has {listing(phrases=team, joint='and')}"
        )
    return found


def resolve_foes(step: StepDraft, context: PlanContext) -> Iterator[Diagnostic]:
    """Give an elimination of types its list of ids; yield an error for each type that names no unit."""
    if not step.aim or not step.aim.foes or not isinstance(step.aim.objective, Elimination):
        return
    ids: list[tuple[int, int]] = []
    for kind, span in zip(step.aim.foes.words, step.aim.foes.spans, strict=True):
        try:
            ids += _of_type(kind, span, context.foe_types, context.foe_blocks, "the other side")
        except _WrongError as wrong:
            yield wrong.diagnostic
    goal = step.aim.objective
    if ids:
        listed = unit_list(ranges(ids), goal.units.span)
        step.aim = replace(step.aim, objective=replace(goal, units=listed))


def _no_facts(message: str, span: Span) -> _WrongError:
    return _WrongError(NO_FACTS, message, span, "name the scenario with `--scenario`")


def _choose(group: GroupDraft, written: WrittenUnits, context: PlanContext) -> None:
    """Keep the choice of a group, which is made while the game runs."""
    cells = written.cells.values
    if written.choice == "in":
        group.choice = Inside((cells[0], cells[1]), (cells[2], cells[3]))
    elif written.choice == "nearest":
        (number,), (span,) = written.count.values, written.count.spans
        group.choice = Nearest(number, (cells[0], cells[1]))
        candidates = ranges_of(group.units, context.team_size) if group.units else None
        if candidates is not None and count(candidates) < number:
            raise _WrongError("plan-few-units", f"there are {plural(count(candidates), 'such unit')}", span)


def _check_parts(group: GroupDraft, context: PlanContext) -> None:
    """Refuse what a chosen group cannot do, and a spread group of unknown size."""
    target = group.target
    if not target or not group.units:
        return
    spread = target.form in ("line", "area")
    if group.choice and len(target.via) > 1:
        message = "units chosen by `nearest` or `in` go through one place at most"
        raise _WrongError("plan-target", message, target.span)
    if spread and ranges_of(group.units, context.team_size) is None:
        raise _no_facts("how many units the team has is not known here", target.span)


def _resolve_fronts(step: StepDraft, context: PlanContext) -> Iterator[Diagnostic]:
    """Find the group that each `behind` names."""
    behind = [group for group in step.groups if group.target and group.target.form == "behind"]
    if not behind:
        return
    index = _Index(step, context)
    for group in behind:
        try:
            group.front = index.find(group)
        except _WrongError as wrong:
            yield wrong.diagnostic
    for group in behind:
        passed, front = {group}, group.front
        while front and front not in passed:
            passed.add(front)
            front = front.front
        if front is group and group.target:
            message = "these groups stay behind one another"
            yield Diagnostic("plan-behind", "error", message, group.target.span, "give one of them a place")
            group.front = None
        elif group.front and group.target and group.front.choice and _spreads(group.front):
            message = "units chosen by `nearest` or `in` that spread have no group behind them"
            hint = "give this group a line of its own"
            yield Diagnostic("plan-behind", "error", message, group.target.span, hint)


def _spreads(group: GroupDraft) -> bool:
    """Whether a group becomes several groups: it spreads, or the first of those ahead does."""
    passed = {group}
    while group.front and group.front not in passed:
        group = group.front
        passed.add(group)
    return bool(group.target and group.target.form in ("line", "area"))


class _Index:
    """The groups of a step by their words and by their ids."""

    def __init__(self, step: StepDraft, context: PlanContext) -> None:
        self._step, self._context = step, context
        self._words: dict[tuple[str, ...], list[GroupDraft]] = {}
        self._ids: list[tuple[int, int, GroupDraft]] = []
        for group in step.groups:
            if group.units and group.written:
                self._words.setdefault(_words(group.written.terms), []).append(group)
                found = ranges_of(group.units, context.team_size)
                self._ids += [(start, stop, group) for start, stop in found or ()]
        self._ids.sort(key=_FIRST)

    def find(self, group: GroupDraft) -> GroupDraft:
        """Return the group that a group stays behind.

        Raises:
            _WrongError: There is none.
        """
        assert group.target, "only groups with a target are asked for"
        terms = group.target.front
        named = [other for other in self._words.get(_words(terms), []) if other is not group]
        if named:
            return named[0]
        span = Span(terms[0].span.source, terms[0].span.start, terms[-1].span.end)
        if not any(term.rest for term in terms):
            alone = _Team(self._step, self._context)
            wanted = alone.ids(terms)
            if (owner := self._owner(wanted)) and owner is not group:
                return owner
        others = [other for other in self._step.groups if other is not group and other.written]
        known = dict.fromkeys(other.written.span.text for other in others[:_SHOWN] if other.written)
        help_ = f"other groups are of {listing(known, 'and')}" if known else f"{self._step.name} has no other group"
        raise _WrongError("plan-behind", f"no other group of {self._step.name} has these units", span, None, help_)

    def _owner(self, wanted: Ranges) -> GroupDraft | None:
        """Return the group that has all of some units."""
        place = bisect_right(self._ids, wanted[0][0], key=_FIRST) - 1 if wanted else -1
        owner = self._ids[place][2] if place >= 0 else None
        theirs = ranges_of(owner.units, self._context.team_size) if owner and owner.units else None
        return owner if theirs and next(without(wanted, theirs), None) is None else None


def _words(terms: tuple[Term, ...]) -> tuple[str, ...]:
    if not terms:
        return ("all",)
    source, start, end = terms[0].span.source, terms[0].span.start, terms[-1].span.end
    return tuple(re.findall(r"\w+|[^\w\s]", source.plain[start:end]))
