"""A cursor over the items of an order: which come next, whether they fit a pattern, and tables of what they begin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

from hive.players.words.clauses import Clause
from hive.players.words.lexicon import Item, listed

LONGEST = 12  # items of a phrase without those in it

Reader = TypeVar("Reader", bound="Cursor")
Found = TypeVar("Found")


@cache
def terms(pattern: str) -> tuple[tuple[bool, frozenset[str], str], ...]:
    """Return the terms of a pattern: whether it is denied, what fits it, and `?`, `*` or `/` after it."""
    found = []
    for term in pattern.split():
        mark = term[-1] if term[-1] in "?*/" else ""
        found.append((term[0] == "!", _tags(*term.removeprefix("!").removesuffix(mark).split("|")), mark))
    return tuple(found)


@cache
def _tags(*terms: str) -> frozenset[str]:
    """Return what items have of which a term is said: those of `listed` stand for their words, and `$` for a stop."""
    words = (f"'{word}'" for term in terms for word in listed().get(term, ()))
    return frozenset((*("stop" if term == "$" else term.replace("_", " ") for term in terms), *words))


def fits(item: Item, *terms: str) -> bool:
    """Whether an item is one of several things: `kind`, `kind:value`, `'word'`, a name of `listed`, `$` for a stop."""
    return not item.tags.isdisjoint(_tags(*terms))


@dataclass(frozen=True)
class Row(Generic[Reader, Found]):
    """One way in which a phrase may go on; a table of them is tried in order.

    Attributes:
        pattern: What comes, as in `Cursor.ahead`.
        example: An order in which it comes.
        read: Adds it to what the phrase said before; returns None if this is something else after all. Where it steps
            over no items itself, those of the pattern are stepped over.
        noun: Whether the noun of the phrase has come with it.
    """

    pattern: str
    example: str
    read: Callable[[Reader, Found], Found | None]
    noun: bool = False


class Cursor:
    """Stands at an item, and knows what was read before."""

    def __init__(self, items: Sequence[Item]) -> None:
        """Begin at the first item."""
        self.items, self.at = list(items), 0
        self.clause = Clause()
        self.found = [self.clause]
        self.nested = 0
        self.waved = False  # whether places were waved aside
        self.types: tuple[str, ...] = ()  # that were named last, which numbers without a type are of

    def item(self, ahead: int = 0) -> Item:
        """Return the next item, or one further ahead or back; a stop beyond the ends."""
        at = self.at + ahead
        return self.items[at] if 0 <= at < len(self.items) else Item("", {"stop": "."})

    def ahead(self, pattern: str, ahead: int = 0) -> int:
        """Return how many items fit a pattern of terms from here on, or from further ahead; 0 if they do not come.

        A term is one of `fits`, or several joined by `|`; after it `?` means at most once, `*` any number of times, and
        `/` that what comes after it is not counted; `!` before it means that the item is none of them, and is not
        stepped over.
        """
        at, most, counted = ahead, ahead + LONGEST, 0
        for denied, tags, mark in terms(pattern):
            came = not self.item(at).tags.isdisjoint(tags)
            if came == denied and mark not in ("?", "*"):
                return 0
            while came and at < most:
                at += 1
                came = mark == "*" and not self.item(at).tags.isdisjoint(tags)
            counted = at - ahead if mark == "/" else counted
        return counted or at - ahead or int("!" in pattern)

    def skip(self, pattern: str) -> bool:
        """Step over the items of a pattern; return whether they came."""
        start = self.at
        self.at += self.ahead(pattern)
        return self.at > start

    def step(self: Reader, rows: Sequence[Row[Reader, Found]], found: Found) -> tuple[Found, bool] | None:
        """Read the first of some rows that comes; return what is found with it, and whether the noun came."""
        start = self.at
        for row in rows:
            if (long := self.ahead(row.pattern)) and (more := row.read(self, found)) is not None:
                self.at += long if self.at == start else 0
                return more, row.noun
            self.at = start
        return None

    def text(self, start: int) -> str:
        """Return what was written from an item to the next one."""
        return " ".join(item.text for item in self.items[start : self.at])

    def split(self) -> bool:
        """Whether squads were named, which are then called by their number."""
        return any(clause.squads for clause in self.found)
