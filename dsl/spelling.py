"""Words of a plan whose meaning is certain although the format spells them differently: they are accepted.

Rules: docs/rules/plans.md 1.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dsl.diagnostics import Diagnostic
from dsl.plan_lines import Numbers, SpannedWords
from dsl.plan_parser import GroupDraft, StepDraft
from dsl.source import Span
from dsl.vocabulary import OTHER_UNIT_TYPES, PlanContext
from dsl.wording import listing


def settle_words(steps: list[StepDraft], context: PlanContext) -> Iterator[Diagnostic]:
    """Replace such words in drafts by those of the format, and markers by their places.

    Args:
        steps: Drafts in text order; their groups are changed.
        context: The names and markers that the plan may use.

    Yields:
        A warning for each spelling that was replaced, and an error for each marker without a known place.
    """
    noted = set[str | None]()
    for step in steps:
        for group in step.groups:
            for finding in _settle_group(group, context):
                if finding.severity == "error" or finding.hint not in noted:
                    yield finding
                noted.add(finding.hint)


def certain_word(word: str, choices: tuple[str, ...]) -> str:
    """Return the choice that a word certainly means, by other capitals, `-` for `_` or its number; else the word."""
    if word in choices:
        return word
    lower = word.lower().replace("-", "_")
    meant = lower if lower in choices else OTHER_UNIT_TYPES.get(lower, word)
    return meant if meant in choices else word


def _settle_group(group: GroupDraft, context: PlanContext) -> Iterator[Diagnostic]:
    if group.marker:
        yield _settle_marker(group, group.marker, context)
    if group.behaviour:
        yield from _settle_names(group, group.behaviour, context)


def _settle_names(group: GroupDraft, names: SpannedWords, context: PlanContext) -> Iterator[Diagnostic]:
    name, *types = names.words
    choices = ("any", *context.unit_types)
    meant = (certain_word(name, context.behaviours), *(certain_word(word, choices) for word in types))
    for word, better, span in zip(names.words, meant, names.spans, strict=True):
        if word != better:
            yield _spelling("the format spells this word differently", span, better)
    group.behaviour = replace(names, words=meant)


def _settle_marker(group: GroupDraft, marker: SpannedWords, context: PlanContext) -> Diagnostic:
    (letter,), (span,) = marker.words, marker.spans
    if context.markers is None:
        hint = "write two whole numbers, such as `(25, 75)`, or name the scenario with `--scenario`"
        return Diagnostic("plan-target", "error", f"the place of marker `{letter}` is not known here", span, hint)
    places = dict(context.markers)
    if letter not in places:
        known = f"markers are {listing(places, 'and')}" if places else "this map has no markers"
        hint = "write two whole numbers, such as `(25, 75)`"
        return Diagnostic("plan-target", "error", f"there is no marker `{letter}`", span, hint, known)
    x, y = places[letter]
    group.target = Numbers((x, y), (span, span), span)
    return _spelling("the format writes the place of a marker as numbers", span, f"({x}, {y})")


def _spelling(message: str, span: Span, better: str) -> Diagnostic:
    return Diagnostic("plan-spelling", "warning", message, span, f"write `{better}`")
