"""From what the grammar matched in a line of a plan to what the line says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from dsl.grammar import Branch, Word
from dsl.nodes import (
    Arrival,
    Cell,
    Contain,
    Cut,
    Elimination,
    EnemyLosses,
    Extinguish,
    Losses,
    Objective,
    Position,
    Rescue,
    Scout,
    Sighted,
    Time,
    Transport,
    UnitList,
    UnitSlice,
)
from dsl.plan_text import PlanLine
from dsl.source import Span
from dsl.vocabulary import SHARES
from dsl.wording import is_whole
from dsl.written import (
    Aim,
    Numbers,
    Point,
    Share,
    SpannedWords,
    Term,
    Value,
    WrittenBehaviour,
    WrittenTarget,
    WrittenUnits,
)


def line_value(branch: Branch, line: PlanLine) -> Value:
    """Return the value of a line from the part of it after the colon."""
    span = line.part(branch.start, branch.end)
    match branch.rule:
        case "number" | "numbers":
            return _numbers(branch.words, line, span)
        case "names":
            return WrittenBehaviour(_words(branch.words, line), _of_branches(branch.branches, line, span))
        case "terms" | "nearest" | "inside":
            return _units(branch, line, span)
        case "goal" | "behind":
            return _target(branch, line, span)
    return _aim(branch, line, span)


def _units(branch: Branch, line: PlanLine, span: Span) -> WrittenUnits:
    terms = tuple(_term(part, line) for part in branch.branches if part.rule == "term")
    cells = _of_branches([part for part in branch.branches if part.rule == "cell"], line, span)
    count = _numbers(branch.words, line, span)
    choice: dict[str, Literal["nearest", "in"]] = {"nearest": "nearest", "inside": "in"}
    return WrittenUnits(terms, choice.get(branch.rule), count, cells, span)


def _term(branch: Branch, line: PlanLine) -> Term:
    *shares, base = branch.branches
    rest = base.rule == "rest"
    named = next(iter(base.branches), None) if rest else base
    kind = _words(named.words, line) if named and named.rule == "kind" else None
    everyone = UnitList(None, line.part(base.start, base.end))
    units = None if kind else _unit_list(named, line) if named else everyone
    return Term(tuple(_share(share, line) for share in shares), units, kind, rest, line.part(branch.start, branch.end))


def _share(branch: Branch, line: PlanLine) -> Share:
    words = [word.text for word in branch.words]
    if is_whole(words[0]):
        top, bottom = int(words[0]), 100 if words[1:] else 0
    else:
        name = " ".join(words).replace("one ", "a ")
        top, bottom = SHARES.get(name) or SHARES[f"a {name}"]
    return Share(top, bottom, line.part(branch.start, branch.end))


def _target(branch: Branch, line: PlanLine, span: Span) -> WrittenTarget:
    if branch.rule == "behind":
        (terms,) = branch.branches
        front = tuple(_term(part, line) for part in terms.branches)
        return WrittenTarget("behind", (), (), False, front, _numbers(branch.words, line, span), span)
    first, *others = branch.branches
    ways = {part.rule: tuple(_point(point, line) for point in part.branches) for part in others}
    forms: dict[str, Literal["line", "area"]] = {"line": "line", "area": "area"}
    form: Literal["point", "line", "area"] = forms.get(first.rule, "point")
    points = (_point(first, line),) if form == "point" else tuple(_point(part, line) for part in first.branches)
    return WrittenTarget(form, points, ways.get("via", ()), "cover" in ways, (), Numbers((), (), span), span)


def _point(branch: Branch, line: PlanLine) -> Point:
    span = line.part(branch.start, branch.end)
    if branch.rule == "cell":
        return Point(_numbers(branch.words, line, span), None, "", span)
    if branch.rule == "marker":
        return Point(None, branch.words[-1].text, "", span)
    return Point(None, None, " ".join(word.text for word in branch.words), span)


def _aim(branch: Branch, line: PlanLine, span: Span) -> Aim:
    if branch.rule == "elimination":
        none, (listed,) = Numbers((), (), span), branch.branches
        if listed.rule == "kinds":
            foes = _words(listed.all_words(), line)
            return Aim(Elimination(UnitList(None, line.part(listed.start, listed.end)), span), none, none, foes)
        return Aim(Elimination(_unit_list(listed, line), span), none, none)
    coordinates = _of_branches(branch.branches, line, span)
    amount = _numbers(branch.words, line, span)
    axes = iter(coordinates.values)
    return Aim(_objective(branch.rule, tuple(zip(axes, axes, strict=True)), amount.values, span), coordinates, amount)


def _of_branches(branches: Iterable[Branch], line: PlanLine, span: Span) -> Numbers:
    """Return the numbers in some parts of a line, in text order."""
    return _numbers([word for part in branches for word in part.all_words()], line, span)


def _words(words: Iterable[Word], line: PlanLine) -> SpannedWords:
    words = tuple(words)
    return SpannedWords(tuple(word.text for word in words), tuple(line.part(word.start, word.end) for word in words))


def _numbers(words: Iterable[Word], line: PlanLine, span: Span) -> Numbers:
    words = tuple(words)
    spans = tuple(line.part(word.start, word.end) for word in words)
    return Numbers(tuple(int(word.text) for word in words), spans, span)


def _objective(word: str, cells: tuple[Cell, ...], amount: tuple[int, ...], span: Span) -> Objective:
    match word:
        case "cut":
            return Cut(cells, span)
        case "extinguish":
            return Extinguish(span)
        case "contain":
            return Contain(cells[0], amount[0], span)
        case "rescue":
            return Rescue(amount[0], cells[0], span)
        case "transport":
            return Transport(amount[0], cells[0], span)
        case "scout":
            return Scout((cells[0], cells[1]) if cells else None, span)
        case "time":
            return Time(amount[0], span)
        case "arrival":
            return Arrival(amount[0] if amount else 0, span)
        case "sighted":
            return Sighted(span)
        case "losses":
            return Losses(amount[0], span)
        case "enemy":
            return EnemyLosses(amount[0], span)
    return Position(span)


def _unit_list(branch: Branch, line: PlanLine) -> UnitList:
    span = line.part(branch.start, branch.end)
    if branch.rule == "all":
        return UnitList(None, span)
    spans = tuple(line.part(item.start, item.end) for item in branch.branches)
    return UnitList(tuple(_unit_item(item) for item in branch.branches), span, spans)


def _unit_item(branch: Branch) -> UnitSlice | int:
    if branch.rule == "unit":
        return int(branch.words[0].text)
    start, stop = (int(part.text) if isinstance(part, Word) else None for part in branch.parts)
    return UnitSlice(start, stop)
