"""What a reader of phrases has collected so far, and tables of rules, of which the first that fits reads what comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from hive.players.words.clauses import Clause, Place
from hive.players.words.cursor import fits, terms
from hive.players.words.events import Events
from hive.players.words.lexicon import Item

OF_FOES = ("attack", "avoid", "flank", "match")
"""Verbs whose object is the other side, also where it is not called so."""


class Compared(Protocol):
    """What a table of rules looks at."""

    def ahead(self, pattern: str) -> object:
        """Whether a pattern fits."""


Said = TypeVar("Said", bound=Compared)
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False, slots=True)
class Rule(Generic[Said, Result]):
    """A rule of a table.

    Attributes:
        example: An order of which it reads a part.
        pattern: What has to come; empty: anything.
        do: Reads it. Where a reader steps over no items itself, those of the pattern are stepped over.
        also: What has to hold besides; without `do` it also reads what comes, or leaves everything as it is.
    """

    example: str
    pattern: str
    do: Callable[[Said], Result] | None = None
    also: Callable[[Said], object] | None = None


def fit(traits: AbstractSet[str], pattern: str) -> bool:
    """Whether traits fit a pattern: each of its terms, or one of several joined by `|`, is among them or denied."""
    return all(traits.isdisjoint(tags) == denied for denied, tags, _ in terms(pattern))


class Collector(Events):
    """Collects phrases into clauses."""

    def __init__(self, items: Sequence[Item]) -> None:
        """Begin at the first item."""
        super().__init__(items)
        self.joined = False  # whether a comma or `and` came just before
        self.comma = False  # whether it was a comma
        self.denied = ""  # the denial that came, and nothing yet that it denies
        self.sentence = 0  # where the present sentence began
        self.began = 0  # where the present phrase began
        self.used = list[object]()  # the rows that fitted

    def first(self, rows: Sequence[Rule[Said, Result]], said: Said) -> Result | None:
        """Let the first row that fits read what comes; nothing if none does."""
        start = self.at
        for row in rows:
            if (not row.pattern or said.ahead(row.pattern)) and (row.also is None or row.also(said)):
                self.used.append(row)
                result = row.do(said) if row.do else None
                self.at += self.ahead(row.pattern) if row.do and said is self and self.at == start else 0
                return result
        return None

    def begin(self, link: str) -> Clause:
        """Begin a new clause, if the present one has said anything."""
        one = self.clause
        if one.acts or one.manner or one.unread or one.lost or one.when or (one.who and link != "and"):
            self.clause = Clause(link)
            self.found.append(self.clause)
        elif link != "and" and one.link in ("and", "stop"):
            one.link = link
        self.joined, self.denied = False, ""
        return self.clause

    def apart(self) -> Clause:
        """Begin a new clause, if the present one says something to do."""
        return self.begin("and") if self.clause.acts else self.clause

    def lose(self, text: str) -> None:
        """Keep what has to be asked about."""
        self.clause.lost.append(text)

    def leave(self, text: str) -> None:
        """Keep a detail that no plan can say."""
        self.clause.left.append(text)

    def send(self, place: Place) -> None:
        """Let units go to a further place."""
        self.clause.places.append(place)

    def step_over(self) -> None:
        """Step over an item."""
        self.at += 1

    def to_end(self, but: str = "$|when|then") -> None:
        """Step over items to the end of the clause."""
        while not self.ahead(but):
            self.at += 1

    def led_by(self, *words: str) -> bool:
        """Whether one of some words came before the phrase that was read last, and no verb between."""
        at = self.at - 1
        while at > 0 and self.items[at].word not in words:
            if fits(self.items[at], "verb", "$"):
                return False
            at -= 1
        return self.items[at].word in words

    def own_side(self) -> bool:
        """Whether units that were read last are said to be of one's own side, as the object of an attack."""
        at = self.at - 1
        while at > 0 and fits(self.items[at], "type", "class", "all", "pronoun", "self", "own", "det"):
            at -= 1
        own = any(fits(item, "own", "self", "'us'", "'me'") for item in self.items[at + 1 : self.at])
        return own and self.items[at].word not in ("with", "by", "using")
