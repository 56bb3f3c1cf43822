"""Words of an observation and an option as numbers: the input of the regression (docs/rules/household.md 12.2).

Nothing but the two texts is read, no coordinates and no goal. Of the observation count the agent's room, what it stands
next to and holds, and the sentence that names the option's target.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from jaxtyping import Int

BUCKETS = 4096
"""Numbers that words are hashed to; 0 is no word."""

PADDING = 0
WORDS = 32
"""Most words of one pair; what an agent stands next to comes last, and what is too much is left out."""

_NAME = re.compile(r"<([^<>]+)> \((\d+)\)")
_HERE = re.compile(r"\bI am in the <([^<>]+)>(?: \(\d+\), next to (.*))?")
_ELSEWHERE = re.compile(r"\bIn the <([^<>]+)>")
_ROOM = re.compile(r"\b(?:in the|In the|The) <([^<>]+)> \((\d+)\)")
_OF_SEVERAL = re.compile(r"_\d+$")
_VERBS = ("explore", "check", "grab", "put", "send", "transport", "to", "close", "turn")
_HOLD = re.compile(r"\bI hold (.*)")


def features(observations: Sequence[str], options: Sequence[str]) -> Int[np.ndarray, "m w"]:
    """Return the numbers of the words of pairs.

    Args:
        observations: What the agent reads (`Texts.observation`, `Texts.progress`), one text for each option.
        options: The text of each option.

    Returns:
        `[M, WORDS]` from 0, which is no word, to `BUCKETS - 1`.
    """
    found = np.full((len(options), WORDS), PADDING, np.int32)
    for row, (observation, option) in enumerate(zip(observations, options, strict=True)):
        words = [_number(word) for word in _words(observation, option)][:WORDS]
        found[row, : len(words)] = words
    return found


@lru_cache(maxsize=1 << 16)
def _number(word: str) -> int:
    return 1 + zlib.crc32(word.encode()) % (BUCKETS - 1)


@lru_cache(maxsize=1 << 12)
def _sentences(observation: str) -> tuple[str, ...]:
    return tuple(re.split(r"\.\s+|\.$", observation))


def _words(observation: str, option: str) -> Iterator[str]:
    """Say in words of our own what the texts tell of an option."""
    names = _NAME.findall(option)
    verb = next((word for word in _VERBS if word in option.split()), "wait")
    yield verb
    if not names:
        return
    kind, number = names[-1]  # of a put, the objects come first
    here, beside, held = "", [], 0
    for sentence in _sentences(observation):
        if (found := _HERE.search(sentence)) and not here:
            here, beside = found[1], _NAME.findall(found[2] or "")
        if found := _HOLD.search(sentence):
            held = len(_NAME.findall(found[1]))
    is_room = verb in ("explore", "to")
    there, place = (kind, (kind, number)) if is_room else _whereabouts(observation, (kind, number), here)
    same = "here" if there == here else "elsewhere" if there else "unknown"
    apart = _apart(observation, here, there)
    way = f"{here} to {there}" if apart is None else f"{apart} rooms on"
    what, where = ("room", "room") if is_room and apart is not None else (kind, place[0])
    yield from (f"{verb} {what}", f"{verb} holding {held}", f"{verb} {same}", way)
    yield from (f"{verb} {way}", f"{verb} {where} {same}")
    if place in beside:
        yield from (f"next to the target, {verb}", f"next to the target, {same}")
    elif not beside:
        yield from (f"next to nothing, {verb} {same}", f"next to nothing, {way}")
    for other, its in beside:
        yield f"from {other} to {where} {same}"
        if apart is None:
            yield from (f"from {other} to {there}", f"from {its} to {place[1]}")


def _apart(observation: str, here: str, there: str) -> int | None:
    """Return how far apart the numbers of two rooms are; None in a home whose rooms are all of different kinds.

    Where several rooms are of a kind, names as `office_2` say nothing of another house, but rooms are numbered along
    the plan.
    """
    numbers = {name: int(number) for name, number in _ROOM.findall(observation)}
    if here in numbers and there in numbers and any(_OF_SEVERAL.search(name) for name in numbers):
        return abs(numbers[there] - numbers[here])
    return None


def _whereabouts(observation: str, target: tuple[str, str], here: str) -> tuple[str, tuple[str, str]]:
    """Return the room of a target, empty if no sentence tells it, and the furniture where it is: itself, if it is."""
    text = f"<{target[0]}> ({target[1]})"
    for sentence in _sentences(observation):
        if text not in sentence:
            continue
        room = found[1] if (found := _ELSEWHERE.search(sentence)) else here if _tells(sentence) else ""
        if room:
            holder = re.match(r" (?:in|on) <([^<>]+)> \((\d+)\)", sentence.split(text, 1)[1])
            return room, (holder[1], holder[2]) if holder else target
    return "", target


def _tells(sentence: str) -> bool:
    """Whether what a sentence names is in the agent's room."""
    return sentence.startswith(("I am in", "Here", "Closed here"))
