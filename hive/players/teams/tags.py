"""Reading tagged answers such as `<action>light lamp</action>`; an answer that cannot be read is a finding."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from hive.players.llm.client import clean
from hive.players.teams.mail import one_line
from hive.players.teams.rules import LONGEST_ANSWER

_TAG = re.compile(r"<[ \t]?(/?)[ \t]?([A-Za-z][A-Za-z0-9_-]{0,60})[ \t]?>")
_AGENT = re.compile(r"agent_[0-9]+(-action|-message)?")
_REASONING = "reasoning"  # nothing inside it counts, and it needs no end
_THINK = re.compile(r"</?think>", re.IGNORECASE)


@dataclass(frozen=True)
class Malformed:
    """Why an answer cannot be used, as the end of a sentence such as `its answer ...`."""

    why: str


def read_tags(text: str, need: Iterable[str], may: Iterable[str] = ()) -> dict[str, str] | Malformed:
    """Return the texts of tags, each as one line.

    Tags are found in any case. What a model thinks, inside `<reasoning>` and before `</think>`, is ignored, and so are
    tags that are not asked for. Only a tag for an agent that is not asked for makes the answer malformed.

    Args:
        text: The answer.
        need: Names of tags that must be there and not be empty.
        may: Names of tags that may be there; empty ones are left out.

    Returns:
        A text for each tag that was found, by its name as asked for; or why the answer cannot be used.
    """
    need = tuple(need)
    if len(text) > LONGEST_ANSWER:
        return Malformed(f"is too long: {len(text):,} characters, and at most {LONGEST_ANSWER:,} are read")
    if not text.strip():
        return Malformed("is empty")
    names = {name.lower(): name for name in (*need, *may)}
    found = _find(spoken(clean(text)), names.keys() | {_REASONING})
    if isinstance(found, Malformed):
        return found
    texts: dict[str, str] = {}
    for tag, inside in found:
        if tag == _REASONING:
            continue
        if tag not in names:
            return Malformed(f"names {tag.partition('-')[0].upper()}, which is not an agent that it may name")
        if names[tag] in texts:
            return Malformed(f"has the tag <{names[tag]}> twice")
        texts[names[tag]] = one_line(inside)
    for name in need:
        if not texts.get(name):
            return Malformed(f"has nothing in the tag <{name}>" if name in texts else f"lacks the tag <{name}>")
    return {name: inside for name, inside in texts.items() if inside}


def spoken(text: str) -> str:
    """Return a text without what the model thought: some write no `<think>` at their start, some are cut off in it."""
    parts = _THINK.split(text)
    ends = [place for place, tag in enumerate(_THINK.findall(text), 1) if tag.startswith("</")]
    return parts[ends[-1] if ends else 0]


def _find(text: str, names: Collection[str]) -> list[tuple[str, str]] | Malformed:
    """Return outer tags with what is inside, in order; takes time in proportion to the text."""
    tags = [(each.start(), each.end(), bool(each[1]), each[2].lower()) for each in _TAG.finditer(text)]
    ends: dict[str, list[tuple[int, int]]] = {}
    for start, stop, ending, name in tags:
        if ending:
            ends.setdefault(name, []).append((start, stop))
    found, here = [], 0
    for start, stop, ending, name in tags:
        if start < here or ending or not (name in names or _AGENT.fullmatch(name)):
            continue
        places = ends.get(name, [])
        place = bisect_left(places, (stop, 0))
        if place < len(places):
            end, here = places[place]
            found.append((name, text[stop:end]))
        elif name != _REASONING:
            return Malformed(f"has no end for the tag <{name}>")
    return found
