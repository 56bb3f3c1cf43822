"""Places in words, such as `North Bridge` or `north-east of the map`, become cells (docs/rules/plans.md 1.8)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dsl.diagnostics import Diagnostic
from dsl.drafts import GroupDraft
from dsl.nodes import Cell
from dsl.source import Span
from dsl.unit_words import NO_FACTS
from dsl.vocabulary import COMPASS, Feature, PlanContext
from dsl.wording import did_you_mean, listing, nearest, quoted
from dsl.written import Point

_COLUMN = {"west": 0, "east": 2}
_ROW = {"south": 0, "north": 2}


def resolve_places(group: GroupDraft, context: PlanContext) -> Iterator[Diagnostic]:
    """Give a group the cells of its target and of the places on the way.

    Args:
        group: A draft, which is changed.
        context: The map.

    Yields:
        An error for each place that is not known.
    """
    if not group.target:
        return
    cells: list[Cell] = []
    for point in (*group.target.points, *group.target.via):
        found = _cell(point, context)
        if isinstance(found, Diagnostic):
            yield found
        else:
            cells.append(found)
    number = len(group.target.points)
    group.points, group.via = tuple(cells[:number]), tuple(cells[number:])


def _cell(point: Point, context: PlanContext) -> Cell | Diagnostic:
    if point.cell:
        x, y = point.cell.values
        return x, y
    if point.marker or re.fullmatch("[A-Z]", point.words):
        return _marker(point.marker or point.words, point.span, context)
    part, _, whole = point.words.partition(" of ")
    if part in COMPASS and whole in ("", "the map"):
        if context.map_size is None:
            return _no_facts("how large the map is is not known here", point.span)
        return _part(part, ((0, 0), (context.map_size - 1, context.map_size - 1)))
    compass = bool(whole) and part in COMPASS
    feature = _feature(whole if compass else point.words, point.span, context)
    if isinstance(feature, Diagnostic):
        return feature
    if feature.place is None:
        hint = "name a place next to it"
        return Diagnostic("plan-target", "error", f"no unit can stand in {quoted(feature.name)}", point.span, hint)
    return _part(part, feature.box) if compass else feature.place


def _part(word: str, box: tuple[Cell, Cell]) -> Cell:
    """Return the middle of one of the nine parts of a box."""
    (x0, y0), (x1, y1) = box
    words = word.split("-")
    column = next((_COLUMN[each] for each in words if each in _COLUMN), 1)
    row = next((_ROW[each] for each in words if each in _ROW), 1)
    return x0 + (x1 - x0 + 1) * (2 * column + 1) // 6, y0 + (y1 - y0 + 1) * (2 * row + 1) // 6


def _marker(letter: str, span: Span, context: PlanContext) -> Cell | Diagnostic:
    if context.markers is None:
        return _no_facts(f"the place of marker `{letter}` is not known here", span)
    places = dict(context.markers)
    if letter in places:
        return places[letter]
    known = f"markers are {listing(places, 'and')}" if places else "this map has no markers"
    hint = "write two whole numbers, such as `(25, 75)`"
    return Diagnostic("plan-target", "error", f"there is no marker `{letter}`", span, hint, known)


def _feature(name: str, span: Span, context: PlanContext) -> Feature | Diagnostic:
    if context.features is None:
        return _no_facts(f"the place {quoted(name)} is not known here", span)
    features = {feature.name: feature for feature in context.features}
    if name in features:
        return features[name]
    lower = {word.lower().replace("-", "_"): word for word in (*features, *COMPASS)}
    meant = nearest(name, lower)
    known = [*features, *(f"marker {letter}" for letter, _ in context.markers or ())]
    help_ = f"places are {listing(known, phrases=['parts of the map such as `north-east`'], joint='and')}"
    hint = did_you_mean(lower[meant] if meant else None)
    return Diagnostic("plan-target", "error", f"there is no place called {quoted(name)}", span, hint, help_)


def _no_facts(message: str, span: Span) -> Diagnostic:
    hint = "write two whole numbers, such as `(25, 75)`, or name the scenario with `--scenario`"
    return Diagnostic(NO_FACTS, "error", message, span, hint)
