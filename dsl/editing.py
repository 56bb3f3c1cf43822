"""Colours of the words of a plan while it is typed, line by line, so that a plan with errors is coloured too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dsl.plan_text import find_comment
from dsl.vocabulary import COMPASS, PLACE_WORDS, UNIT_WORDS, PlanContext

CLASSES = [
    "marker",
    "key",
    "step",
    "objective",
    "behaviour",
    "type",
    "number",
    "all",
    "word",
    "sign",
    "comment",
    "name",
]
"""What a stretch of a plan may be; `word` is one of the language, `name` one that the context does not know."""

_MARKER = re.compile(r"\b(?:BEGIN|END)[ \t]+PLAN\b")
_HEAD = re.compile(
    r"[ \t]*+(?P<bullet>-)?[ \t]*+(?:(?P<step>step)[ \t]*(?P<number>\d+)?|"
    r"(?P<key>prerequisites|objective|units|target[ \t]+position|behaviou?r))[ \t]*(?P<colon>:)?",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"(?P<number>\d+)|(?P<sign>[:,()\[\]%]|-(?=[ \t]|$))|(?P<word>[^\s,;:|()\[\]{}]+)")


def colours(text: str, context: PlanContext) -> Iterator[tuple[int, int, str]]:
    """Return start, end and class (of `CLASSES`) of each coloured stretch, in the order of the text.

    Args:
        text: A plan, finished or not.
        context: Names that it may use.
    """
    at, lines = 0, text.splitlines(keepends=True)
    full = iter([*(line for line in lines if line.strip()), ""])
    after = next(full)
    for line in lines:
        after = next(full) if line.strip() else after
        bare = line.rstrip("\r\n")
        comment = find_comment(bare, after)
        for start, end, name in _line(bare[: comment.start()] if comment else bare, context):
            yield at + start, at + end, name
        if comment:
            yield at + comment.start(), at + comment.end(), "comment"
        at += len(line)


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
        return "word" if word == "within" else "type" if word in (*context.unit_types, "any") else "name"
    if key == "objective" and first:
        return "objective" if word in {name.split()[0] for name in context.objectives} else "name"
    if key == "objective":
        known = {"all": "all", "fire": "all", "any": "all", "losses": "objective"}
        return known.get(word, "type" if word in context.foe_types else "name")
    if word == "all":
        return "all"
    if key == "units":
        return "type" if word in context.team_types else "word" if word in UNIT_WORDS else "name"
    names = {part for feature in context.features or () for part in feature.name.split()}
    letters = {letter for letter, _ in context.markers or ()}
    if word in names | letters | {*COMPASS}:
        return "type"
    return "word" if word in (*PLACE_WORDS, *UNIT_WORDS, *context.team_types) else "name"
