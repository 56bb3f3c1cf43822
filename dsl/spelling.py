"""Words of a plan whose meaning is certain although the format spells them differently: they are accepted.

Rules: docs/rules/plans.md 1.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from dsl.diagnostics import Diagnostic
from dsl.drafts import GroupDraft, StepDraft
from dsl.source import Span
from dsl.vocabulary import COMPASS, OTHER_CREW_TYPES, OTHER_UNIT_TYPES, PlanContext
from dsl.written import Point, SpannedWords, Term

_JOINTS = re.compile(r"[-_ ]")
_COMPASS = {_JOINTS.sub("", word): word for word in COMPASS}


def settle_words(
    steps: list[StepDraft], context: PlanContext, respelled: list[tuple[Span, str]]
) -> Iterator[Diagnostic]:
    """Replace such words in drafts by those of the format.

    Args:
        steps: Drafts in text order; their groups are changed.
        context: The names that the plan may use.
        respelled: Receives each word that was replaced, and by what.

    Yields:
        A warning for each spelling that was replaced, the first time.
    """
    noted = set[str]()
    for step in steps:
        first = len(respelled)
        if step.aim and step.aim.foes:
            step.aim = replace(step.aim, foes=_settle(step.aim.foes, respelled, context.foe_types, context.foe_types))
        for group in step.groups:
            _settle_group(group, context, respelled)
        for span, better in respelled[first:]:
            if better not in noted:
                message, hint = "the format spells this differently", f"write `{better}`"
                yield Diagnostic("plan-spelling", "warning", message, span, hint)
            noted.add(better)


def certain_word(word: str, choices: tuple[str, ...]) -> str:
    """Return the choice that a word certainly means, by other capitals, `-` for `_` or its number; else the word."""
    if word in choices:
        return word
    lower = word.lower().replace("-", "_")
    meant = lower if lower in choices else (OTHER_UNIT_TYPES | OTHER_CREW_TYPES).get(lower, word)
    return meant if meant in choices else word


def _settle(
    words: SpannedWords, respelled: list[tuple[Span, str]], first: tuple[str, ...], others: tuple[str, ...] = ()
) -> SpannedWords:
    """Return words of which the first, and all others, are among some choices; each replaced one is `respelled`."""
    choices = (first, *(others for _ in words.words[1:]))
    meant = tuple(certain_word(word, known) for word, known in zip(words.words, choices, strict=True))
    rows = zip(words.words, meant, words.spans, strict=True)
    respelled.extend((span, better) for word, better, span in rows if word != better)
    return replace(words, words=meant)


def _settle_group(group: GroupDraft, context: PlanContext, respelled: list[tuple[Span, str]]) -> None:
    def terms(found: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(
            replace(term, kind=_settle(term.kind, respelled, context.team_types)) if term.kind else term
            for term in found
        )

    def points(found: tuple[Point, ...]) -> tuple[Point, ...]:
        settled = tuple(_settle_point(point, context) for point in found)
        for old, point in zip(found, settled, strict=True):
            if point.words != old.words or (point.marker and point.span.text.startswith("(")):
                respelled.append((point.span, f"marker {point.marker}" if point.marker else point.words))
        return settled

    if group.written and any(term.kind for term in group.written.terms):
        group.written = replace(group.written, terms=terms(group.written.terms))
    if target := group.target:
        group.target = replace(target, points=points(target.points), via=points(target.via), front=terms(target.front))
    if group.behaviour:
        names = _settle(group.behaviour.names, respelled, context.behaviours, ("any", *context.unit_types))
        group.behaviour = replace(group.behaviour, names=names)


def _settle_point(point: Point, context: PlanContext) -> Point:
    """Return a point with the words of the format for it."""
    names = {feature.name for feature in context.features or ()}
    if point.cell or point.marker or point.words in names:
        return point
    markers = context.markers if context.markers is None else {letter for letter, _ in context.markers}
    if re.fullmatch("[A-Z]", point.words) and (markers is None or point.words in markers):
        return replace(point, marker=point.words, words="")
    part, of, whole = point.words.partition(" of ")
    compass = _COMPASS.get(_JOINTS.sub("", part.lower()))
    if compass and not of:
        return replace(point, words=compass)
    if compass and _plain(whole) in ("map", "themap"):
        return replace(point, words=f"{compass} of the map")
    if compass:
        return replace(point, words=f"{compass} of {_certain_name(whole, names)}")
    return replace(point, words=_certain_name(point.words, names))


def _certain_name(words: str, names: set[str]) -> str:
    """Return the one name that words mean with other capitals or hyphens, or after `the`; else the words."""
    plain = _plain(words)
    for meant in (plain, plain.removeprefix("the")):
        alike = [name for name in names if _plain(name) == meant]
        if alike:
            return alike[0] if len(alike) == 1 and words not in names else words
    return words


def _plain(words: str) -> str:
    return _JOINTS.sub("", words.casefold())
