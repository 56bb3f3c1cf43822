"""Words that may stand at a place of a plan while it is typed, from the grammar of its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dsl.plan_lines import PLAN_GRAMMAR
from dsl.plan_text import LINE_KINDS, find_comment
from dsl.vocabulary import COMPASS, SHARES, PlanContext, count_kinds

_HEADS = ("Step ", "prerequisites: []", "objective: ", "units: ", "- target position: ", "- behavior: ")
_HEAD = re.compile(
    r"[ \t]*+-?[ \t]*+(?:step|(?P<key>prerequisites|objective|units|target[ \t]+position|behaviou?r))[ \t]*:",
    re.IGNORECASE,
)
_NEW_PLACE = re.compile(r".*(?::|,|[ \t]-|\b(?:line|area|via))[ \t]*")
_NEW_SHARE = re.compile(r".*(?::|,|\b(?:of|behind))[ \t]*")
_PHRASES = {  # a word of the grammar, and what it is offered as; no word is not offered
    **dict.fromkeys(("marker", "one", *" ".join(SHARES).split()), ""),
    "the": "the rest",
    "under": "under cover",
    "enemy": "enemy losses",
}
_ORDERS = {"nearest": "nearest", "in": "in", "behind": "behind", "under": "under cover", "within": "within"}


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


def complete(text: str, at: int, context: PlanContext) -> Completion:
    """Return the words that may stand at a place, those alone that go on as the text before it.

    Args:
        text: A plan, finished or not.
        at: Offset of the place, at most the length of the text.
        context: Names that the plan may use.
    """
    line = text[text.rfind("\n", 0, at) + 1 : at]
    if find_comment(line, after=""):
        return Completion(at, at, ())
    head = _HEAD.match(line)
    if not head:
        typed = line.lstrip()
        begun = typed.lstrip("- ").lower()
        words = tuple((word, "line") for word in _HEADS if word.lstrip("- ").lower().startswith(begun))
        return Completion(at - len(typed), at, tuple(each for each in words if each[0] != typed))
    key = " ".join((head["key"] or "step").lower().split())
    kind = LINE_KINDS[key]
    typed = re.split(r"[\s,;:|()\[\]{}]", line)[-1]
    offered = [(len(typed), word, about) for word, about in _words(line[: len(line) - len(typed)], kind, context)]
    if kind == "target_line":
        offered += [(length, word, "place") for length, word in _names(line, context)]
    offered += [(length, word, "units") for length, word in _shares(line, kind)]
    longest = max((length for length, word, _ in offered if _goes_on(line, length, word)), default=len(typed))
    words = tuple(
        (word, about) for length, word, about in offered if length == longest and _goes_on(line, length, word)
    )
    return Completion(at - longest, at, tuple(dict.fromkeys(words)))


def _goes_on(line: str, length: int, word: str) -> bool:
    """Return whether a word goes on as the last characters of a line, and is not there already."""
    typed = line[len(line) - length :]
    return word.startswith(typed) and word != typed


def _names(line: str, context: PlanContext) -> Iterator[tuple[int, str]]:
    """Yield the places that may stand at the end of a line, each with the number of characters that it replaces."""
    begun = _NEW_PLACE.match(line)
    length = len(line) - begun.end() if begun else 0
    names = [feature.name for feature in context.features or () if feature.place]
    compass = [word for word in COMPASS if word != "center"]
    markers = [f"marker {letter}" for letter, _ in context.markers or ()]
    typed = line[len(line) - length :]
    wholes = [f"{part} of {name}" for part in compass if typed.startswith(f"{part} ") for name in ("the map", *names)]
    for word in (*markers, *names, *compass, *wholes):
        yield length, word


def _shares(line: str, kind: str) -> Iterator[tuple[int, str]]:
    """Yield the shares that may stand at the end of a line, each with the number of characters that it replaces."""
    begun = _NEW_SHARE.match(line)
    if begun and "half" in PLAN_GRAMMAR.expected(begun.group(), kind).words:
        for share in SHARES:
            yield len(line) - begun.end(), f"{share} of"


def _words(before: str, kind: str, context: PlanContext) -> Iterator[tuple[str, str]]:
    """Yield the single words that the grammar takes after the beginning of a line, each with what it is."""
    expected = PLAN_GRAMMAR.expected(before, kind)
    missing = {word for word, order in _ORDERS.items() if order not in context.orders}
    if kind == "objective_line" and "position" in expected.words:
        yield from ((word, "objective") for word in context.objectives)
        return
    what = {"units_line": "units", "target_line": "place", "behaviour_line": "behaviour"}.get(kind, "objective")
    names: tuple[str, ...] = ()
    if "a name" in expected.phrases and kind == "behaviour_line":
        used = before.split(":", 1)[1].split()
        names = ("any", *context.unit_types) if used else context.behaviours
        names, what = tuple(word for word in names if word not in used), "target type" if used else what
    elif "a name" in expected.phrases and (kind == "units_line" or re.search(r"\bbehind\b", before)):
        names = tuple(count_kinds(context.team_blocks)) or context.unit_types
    elif "a name" in expected.phrases and kind == "objective_line":
        names, what = tuple(count_kinds(context.foe_blocks)) or context.unit_types, "units"
    letters = [word for word in expected.words if word[0].isalpha() and word not in missing]
    phrases = [_PHRASES.get(word, word) for word in letters]
    for word in dict.fromkeys((*(phrase for phrase in phrases if phrase == "all"), *names, *phrases)):
        if word:
            yield word, what
