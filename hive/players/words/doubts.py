"""Doubts: why an answer is read back, and carried out only when its author says yes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass

from dsl.wording import listing
from hive.players.words.clauses import Clause
from hive.players.words.cursor import fits

LONG = 30  # words of an order from which it is read back
MEANT = "Is this what you mean?"
"""Begins the question that reads an answer back."""


def doubts(found: Sequence[Clause], answer: str) -> str:
    """Return the question that reads an answer back, or nothing where there is no doubt about it.

    Long orders are seldom understood in all of their parts. A word that joins others and was not read shows that the
    phrase round it was not understood, and a number that is nowhere in the answer was lost.

    Args:
        found: The clauses of an order that are carried out.
        answer: What is told of the plan, and its text.
    """
    words = sum(len(clause.text.split()) for clause in found)
    loose = list(dict.fromkeys(word for clause in found for word in clause.loose))
    shown = {number for text in re.split("`[^`]*`", answer) for number in _shown(text)}
    lost = [number for clause in found for number in _said(clause) if number not in shown]
    why = [f"This order is long ({words} words)."] if words >= LONG else []
    why += [f"I found no meaning for {listing(loose, 'and')}."] if loose else []
    why += [f"The plan does not say {listing(map(str, dict.fromkeys(lost)), 'and')}."] if lost else []
    return " ".join([MEANT, *why]) if why else ""


def _shown(text: str) -> Iterator[int]:
    """Numbers of an answer; those of `[5:10]` are 5, 9 and 10, and 5 of them."""
    yield from map(int, re.findall(r"\d+", text))
    for first, end in re.findall(r"(\d+):(\d+)", text):
        yield from (int(end) - 1, int(end) - int(first))


def _said(clause: Clause) -> Iterator[int]:
    """Numbers that were written in a clause in digits, but for those of names, and those that were read as a detail."""
    foes = [(foe.count, foe.ids) for foe in clause.foe]  # where they stand is what a plan has to say
    read = set(_within([clause.places, clause.who, clause.own, foes, clause.leash, clause.when, clause.until]))
    for item in clause.items:
        if not fits(item, "name", "feature", "percent"):
            yield from (number for number in map(int, re.findall(r"\d+", item.text)) if number not in read)


def _within(value: object) -> Iterator[int]:
    """All whole numbers in what was read."""
    if isinstance(value, int):
        yield value
    elif is_dataclass(value):
        yield from _within([getattr(value, field.name) for field in fields(value)])
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _within(each)
