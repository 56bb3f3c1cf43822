"""What of an order stands on its own where another part of it cannot be carried out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hive.players.words.clauses import Clause, Event, Place, Who

BINDS = re.compile(
    r"\b(?:no|not|never|nobody|none|nor|neither|without|forbid\w*|except|but|only|instead|rather|unless|avoid\w*)\b",
    re.IGNORECASE,
)
"""Words that say what is not to be done: who leaves them out does what the order rules out."""
UNITS = ("type", "class", "share", "number", "percent", "ids", "range", "squad")
"""Meanings of words that tell units apart."""
NAMED = ("rest", "squad", "called")
"""Units that are told apart by what was said of others before."""
SHARE = 2  # times as much as is left out is carried out


def without(found: Sequence[Clause], wrong: Iterable[int]) -> tuple[list[Clause], list[str]] | None:
    """Return the clauses of an order that stand on their own without some others, and the words that are left out.

    With a clause goes what hangs on it: what is done next by the same units, what waits for it, and what refers to its
    units or places. What is left must be most of what is to be done.

    Args:
        found: The clauses.
        wrong: Numbers of those that cannot be carried out; -1 is the whole order.

    Returns:
        None where nothing can be carried out without them: a denial or an exception would be lost, or units that an
        order for everyone would send elsewhere.
    """
    gone = {*wrong}
    if -1 in gone:
        return None
    for number in range(len(found)):
        if number and number not in gone and _hangs(found, number, gone):
            gone.add(number)
    kept = [clause for number, clause in enumerate(found) if number not in gone]
    lost = [found[number] for number in sorted(gone)]
    if any(BINDS.search(clause.text.removesuffix(" but")) for clause in lost):
        return None
    apart = any(clause.who and not _everyone(clause) and clause.link != "then" for clause in lost)
    if apart and any(clause.acts and _everyone(clause) for clause in kept):
        return None
    doing = sum(clause.acts for clause in kept)
    if doing < SHARE * max(1, sum(clause.acts for clause in lost)):
        return None
    return kept, [clause.text for clause in lost]


def _everyone(clause: Clause) -> bool:
    """Whether a clause is said of everyone."""
    return all(who.base == "all" and who.part is None for who in clause.who)


def _hangs(found: Sequence[Clause], number: int, gone: set[int]) -> bool:
    """Whether a clause cannot be understood, or comes too early, without those before it that are left out."""
    clause, before = found[number], number - 1 in gone
    if before and clause.link in ("then", "otherwise", "before", "later"):
        return True
    them = any(item.get("pronoun") for item in clause.items)
    if before and (not clause.who or any(who.base == "they" and (who.part is None or them) for who in clause.who)):
        return True
    if before and clause.link != "stop" and any(item.get("when") for item in found[number - 1].items):
        return True
    told = any(item.get(*UNITS) is not None for n in gone if n < number for item in found[n].items)
    if told and any(who.base in NAMED for who in clause.who):
        return True
    events = [event for event in (clause.when, clause.until) if event is not None]
    places = [*clause.places, *(event.place for event in events if event.place)]
    refers = any(_refers(place) for place in places) or any(_of_them(event) for event in events)
    named = next((n for n in range(number - 1, -1, -1) if found[n].places or found[n].when), None)
    return refers and named in gone


def _refers(place: Place) -> bool:
    """Whether a place is one that was named before."""
    return place.kind == "same" or any(_refers(of) if isinstance(of, Place) else of.base == "they" for of in place.of)


def _of_them(event: Event) -> bool:
    """Whether an event is one of units that were named before."""
    return event.kind in ("arrive", "losses") and (not event.who or event.who[0] == Who("they"))
