"""What an editor of plans shows while one types: colours of the words, and words that may stand at a place.

Both read line by line, so that a plan with errors is coloured and completed too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dsl.vocabulary import PlanContext

CLASSES = ("marker", "key", "step", "objective", "behaviour", "type", "number", "all", "sign", "name")
"""What a stretch of a plan may be; `name` is a word that the context does not know."""

_HEADS = ("Step ", "prerequisites: []", "objective: ", "units: ", "- target position: (", "- behavior: ")
_MARKER = re.compile(r"\b(?:BEGIN|END)[ \t]+PLAN\b")
_HEAD = re.compile(
    r"[ \t]*(?P<bullet>-)?[ \t]*(?:(?P<step>step)[ \t]*(?P<number>\d+)?|"
    r"(?P<key>prerequisites|objective|units|target[ \t]+position|behaviou?r))[ \t]*(?P<colon>:)?",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"(?P<number>\d+)|(?P<sign>[:,()\[\]])|(?P<word>[^\s,;:|()\[\]{}]+)")


@dataclass(frozen=True)
class Completion:
    """What may stand at a place.

    Attributes:
        start: Offset where the word begins that is being typed.
        end: Offset of the place.
        words: What may stand there, each with what it is.
    """

    start: int
    end: int
    words: tuple[tuple[str, str], ...]


def colours(text: str, context: PlanContext) -> Iterator[tuple[int, int, str]]:
    """Return start, end and class (of `CLASSES`) of each coloured stretch, in the order of the text.

    Args:
        text: A plan, finished or not.
        context: Names that it may use.
    """
    at = 0
    for line in text.splitlines(keepends=True):
        for start, end, name in _line(line, context):
            yield at + start, at + end, name
        at += len(line)


def complete(text: str, at: int, context: PlanContext) -> Completion:
    """Return the words that may stand at a place, those alone that go on as the text before it.

    Args:
        text: A plan, finished or not.
        at: Offset of the place, at most the length of the text.
        context: Names that the plan may use.
    """
    line = text[text.rfind("\n", 0, at) + 1 : at]
    head = _HEAD.match(line)
    if head and head["colon"]:
        typed = re.split(r"[\s,;:|()\[\]{}]", line)[-1]
        before = line[head.end() : len(line) - len(typed)].split()
        words, about = _content((head["key"] or "").lower(), before, context)
        words = tuple(word for word in words if word.startswith(typed))
    else:
        typed, about = line.lstrip(), "line"
        begun = typed.lstrip("- ").lower()
        words = tuple(word for word in _HEADS if word.lstrip("- ").lower().startswith(begun))
    return Completion(at - len(typed), at, tuple((word, about) for word in words if word != typed))


def _content(key: str, before: list[str], context: PlanContext) -> tuple[tuple[str, ...], str]:
    """Return words that may follow those `before` on a line of a kind, and what they are."""
    if key.startswith("behav"):
        if not before:
            return context.behaviours, "behaviour"
        return tuple(word for word in ("any", *context.unit_types) if word not in before), "target type"
    if key == "objective" and not before:
        return context.objectives, "objective"
    return (("all",) if (not before and key == "units") or before == ["elimination"] else ()), "units"


def _line(line: str, context: PlanContext) -> Iterator[tuple[int, int, str]]:
    marker = _MARKER.search(line)
    if marker:
        yield *marker.span(), "marker"
        return
    head = _HEAD.match(line)
    if not head:
        return
    for part, name in (("bullet", "sign"), ("step", "key"), ("key", "key"), ("number", "step"), ("colon", "sign")):
        if head[part]:
            yield *head.span(part), name
    if not head["colon"]:
        return
    key, first = (head["key"] or "").lower(), True
    for token in _TOKEN.finditer(line, head.end()):
        name = token.lastgroup or "name"
        if name == "word":
            name = _word(token.group(), key, first, context)
        yield *token.span(), name
        first = False


def _word(word: str, key: str, first: bool, context: PlanContext) -> str:
    if key.startswith("behav"):
        if first:
            return "behaviour" if word in context.behaviours else "name"
        return "type" if word in (*context.unit_types, "any") else "name"
    if key == "objective" and first:
        return "objective" if word in context.objectives else "name"
    return "all" if word in ("all", "fire") else "name"
