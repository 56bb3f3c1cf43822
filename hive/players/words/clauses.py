"""Items to clauses: who, what, where, how and when, as far as the words of an order say it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from dsl.wording import is_whole
from hive.players.words.lexicon import Item

ACTIONS = ("attack", "match", "avoid", "flank")
"""Verbs whose object is the other side, also where it is not called so."""


_ADJECTIVES = (
    "the", "of", "in", "into", "our", "a", "far", "only", "single", "very", "own", "under", "inside", "long", "dense",
    "thick", "among", "extreme", "side", "them",
)  # fmt: skip


_LINKING = (
    "that", "which", "is", "are", "lies", "under", "a", "little", "bit", "and", "again", "not", "too", "the", "trees",
    "them", "slightly", "just", "of", "in", "on", "at", "down", "up", "edge", "side", "its",
)  # fmt: skip


@dataclass(frozen=True)
class Who:
    """Some units of one's own side.

    Attributes:
        base: `all`, `rest`, `they`, `type`, `squad` or `ids`.
        names: Types or classes of types, for `type`.
        ids: First id and excluded end of each part, for `ids`.
        part: How many of them: a count, or a share in percent with `percent`.
        percent: Whether `part` is a share.
        minus: Who is left out.
        where: A part of the map, or what they are nearest to.
        number: Of a squad, from 1; -1 is the last.
    """

    base: str
    names: tuple[str, ...] = ()
    ids: tuple[tuple[int, int | None], ...] = ()
    part: int | None = None
    percent: bool = False
    minus: tuple[Who, ...] = ()
    where: Place | None = None
    number: int = 0


@dataclass(frozen=True)
class Foe:
    """Some units of the other side: all, or those of some types, of a part of the map, or nearest to something."""

    names: tuple[str, ...] = ()
    dir: str = ""
    pick: str = ""
    at: Place | None = None


@dataclass(frozen=True)
class Place:
    """A place as it was said.

    Attributes:
        kind: `at`, `goal`, `markers`, `feature`, `map`, `row`, `offset`, `start`, `way`, `own`, `foe` or `between`.
        value: Cell, letters, name or kind of a feature, part of the map; by kind.
        dir: Compass direction that narrows it or leads away from it.
        of: What it is beside, between or a part of.
        metres: How far beside it; None: not said.
        every: Whether all features of the kind are meant.
        deep: Whether the inside of it is meant.
        near: What it should be close to.
    """

    kind: str
    value: object = None
    dir: str = ""
    of: tuple[Place | Who | Foe, ...] = ()
    metres: int | None = None
    every: bool = False
    deep: bool = False
    near: Place | None = None


@dataclass(frozen=True)
class Event:
    """What a clause waits for: `arrive`, `dead`, `ticks`, `sighted` or `losses`."""

    kind: str
    amount: int = 0
    who: tuple[Who, ...] = ()
    foe: Foe | None = None
    place: Place | None = None


@dataclass
class Clause:
    """One thing to be done, with what was said about it; empty fields were not said."""

    who: tuple[Who, ...] = ()
    verbs: list[str] = field(default_factory=list)
    denied: list[str] = field(default_factory=list)
    foe: list[Foe] = field(default_factory=list)
    own: tuple[Who, ...] = ()
    places: list[Place] = field(default_factory=list)
    manner: set[str] = field(default_factory=set)
    squads: int = 0
    when: Event | None = None
    until: Event | None = None
    ticks: int = 0
    link: str = ""
    behind: tuple[tuple[Who, ...], tuple[Who, ...]] | None = None
    words: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    lost_who: str = ""
    lost_place: str = ""
    lost_when: str = ""
    alphabet: bool = False

    @property
    def text(self) -> str:
        """What was written."""
        return " ".join(self.words)

    @property
    def said(self) -> bool:
        """Whether anything was understood."""
        return bool(
            self.who or self.verbs or self.denied or self.foe or self.places or self.manner or self.squads
            or self.ticks or self.own or self.until
        )  # fmt: skip


class Parser:
    """Reads the items of one segment of an order, from left to right."""

    def __init__(self, items: Sequence[Item]) -> None:
        """Begin at the first item."""
        self.items, self.at = items, 0

    def peek(self, *kinds: str, ahead: int = 0) -> object | None:
        """Return what the next item, or one further ahead, means."""
        at = self.at + ahead
        return self.items[at].get(*kinds) if at < len(self.items) else None

    def next_of(self, *kinds: str) -> object | None:
        """Return what the next item means and step over it, if it has such a meaning."""
        value = self.peek(*kinds)
        self.at += value is not None
        return value

    def skip(self, *words: str) -> bool:
        """Step over noise, or over the words that are named; return whether there were any."""
        start = self.at
        while self.at < len(self.items):
            item = self.items[self.at]
            named = bool(item.get("letter")) and item.text.isupper()
            plain = (
                item.text.lower() in words and not named
                if words
                else set(item.means) <= {"noise", "own"} and item.means
            )
            if not plain:
                break
            self.at += 1
        return self.at > start

    def who(self) -> Who | None:
        """Read some of one's own units, or leave the items as they are."""
        start = self.at
        self.skip()
        closest = self.at > start and self.items[self.at - 1].text.lower() in ("nearest", "closest")
        if self.peek("manner") == "nearest":
            self.at += 1
            closest = True
        part, percent = self._part()
        self.skip("of", "the", "our", "my", "your", "all", "a", "an", "in")
        side = str(self.peek("dir") or "") if self.peek("type", "class", "all", ahead=1) else ""
        self.at += bool(side)
        ordinal = self.next_of("ordinal")
        found: Who | None = None
        if self.peek("except") and self.items[self.at].text.lower().endswith("but"):
            found = Who("all")
        elif (self.peek("ids", "range") is not None) or (
            self.peek("id", "all") is not None and self.peek("ids", "range", "number", ahead=1) is not None
        ):
            self.next_of("id", "all")
            found = Who("ids", ids=tuple(self._ids()))
        elif ordinal is not None and self.peek("squad"):
            self.at += 1
            found = Who("squad", number=int(str(ordinal)))
        elif ordinal is None and self.peek("squad") and self.peek("number", ahead=1) and not part:
            self.at += 1
            found = Who("squad", number=int(str(self.next_of("number"))))
        elif self.peek("type") is not None:
            found = Who("type", (str(self.next_of("type")),))
            ids = tuple(self._ids()) if self.peek("ids", "range") else ()
            found = replace(found, ids=ids)
            self.skip("units", "unit", "troops")
        elif self.peek("class") is not None:
            found = Who("type", (str(self.next_of("class")),))
            self.skip("units", "unit", "troops")
        elif self.peek("rest"):
            half = "half" in self.items[self.at].text.lower() or "of them" in self.items[self.at].text.lower()
            self.at += 1
            self.skip("of", "the", "our", "my")
            kind = self.next_of("type", "class")
            self.next_of("all")
            found = Who("rest", (str(kind),) if kind else (), percent=half)
        elif self.peek("all") and not self._of_things():
            self.at += 1
            found = Who("all")
        elif (
            self.peek("pronoun") and self.items[self.at].text.lower() not in ("its", "their") and not self._of_things()
        ):
            self.at += 1
            found = Who("they")
        elif (
            part is not None
            and self.peek("to", "verb", "then", "stop", "offset", "event", "manner") is not None
            and self.peek("metres", "ticks") is None
        ) or (part is not None and self.at == len(self.items)):
            found = Who("they" if percent else "all") if part is not None else None
            if part == 1 and not percent and not self.peek("all", "pronoun"):
                found = None
            if part is not None and not percent and self.peek("ticks", "metres", "event"):
                found = None
        if found is None or (ordinal is not None and found.base not in ("squad", "ids") and not part):
            if found is not None and ordinal is not None and found.base in ("type", "all"):
                found = replace(found, part=1)
            else:
                self.at = start
                return None
        if part is not None:
            found = replace(found, part=part, percent=percent)
        if side:
            found = replace(found, where=Place("map", dir=side))
        mark = self.at
        self.skip("in", "on", "of", "the", "at")
        if (
            found.base in ("type", "all")
            and self.peek("dir")
            and self.peek("area") is None
            and mark < self.at
            and (
                self.items[mark].text.lower() in ("in", "on", "at")
                and self.peek("feature", ahead=1) is None
                and self.peek("area", "name", ahead=1) is None
                and part is None
                and not self._moving
            )
        ):
            found = replace(found, where=Place("map", dir=str(self.next_of("dir"))))
        else:
            self.at = mark
        mark = self.at
        if closest and (self.next_of("to") or self.next_of("offset")) and (goal := self.place()) is not None:
            found = replace(found, where=Place("nearest", of=(goal,)))
        else:
            self.at = mark
        if self.peek("offset") in ("n", "s", "e", "w", "near") and found.base in ("type", "all") and not self._moving:
            beside = self._beside()
            found = replace(found, where=beside) if beside is not None else found
        if self.peek("except"):
            self.at += 1
            minus = self.whos()
            found = replace(found, minus=minus)
        return found

    _moving = False
    single = False  # whether `A, B` are two places, of which only the first is read

    def _of_things(self) -> bool:
        """Whether `all`, `each` and the like speak of places or of the other side here."""
        ahead = 1
        while self.peek("noise", "to", ahead=ahead) and self.items[self.at + ahead].text.lower() in (
            "the",
            "of",
            "one",
            "their",
        ):
            ahead += 1
        things = ("feature", "name", "foe", "marker", "area", "goal")
        if self.peek("dir", "ordinal", "number", ahead=ahead) and self.peek(*things, ahead=ahead + 1):
            return True
        return self.peek(*things, ahead=ahead) is not None and self.peek("verb", "squad", ahead=ahead) is None

    def whos(self) -> tuple[Who, ...]:
        """Read units joined by commas and `and`."""
        found = []
        while (one := self.who()) is not None:
            found.append(one)
            mark = self.at
            if not self.skip(",", "and", "or", "&") and self.next_of("stop") != ",":
                break
            after = self.at
            if self.who() is None:
                self.at = mark
                break
            self.at = after
        return tuple(found)

    def _part(self) -> tuple[int | None, bool]:
        """Read a share in percent, or a count."""
        shares = {"half": 50, "third": 33, "two_thirds": 67, "quarter": 25, "three_quarters": 75, "most": 67,
                  "some": 33, "fifth": 20, "tenth": 10, "sixth": 17, "eighth": 12}  # fmt: skip
        if self.peek("rest") and self.peek("share", ahead=1) is None:
            return None, False
        share = self.peek("share")
        if share == "some" and "part" in self.items[self.at].text.lower():
            ahead = 1 + (self.items[self.at].text.lower() == "part" and self.at + 1 < len(self.items)
                         and self.items[self.at + 1].text.lower() == "of")  # fmt: skip
            while self.peek("own", "noise", ahead=ahead) and not self.peek("all", "type", "class", ahead=ahead):
                ahead += 1
            if not self.peek("all", "type", "class", "pronoun", ahead=ahead):
                return None, False
        if share == "few":
            self.at += 1
            return 3, False
        if share is not None:
            self.at += 1
            return shares[str(share)], True
        percent = self.next_of("percent")
        if percent is not None:
            return int(str(percent)), True
        if self.peek("number") is None:
            return None, False
        total = self.number()
        if self.peek("share") and total:  # "two thirds"
            unit = shares.get(str(self.next_of("share")), 33)
            return min(100, total * unit), True
        return total, False

    def number(self) -> int:
        """Read a number of digits or of words, such as `two hundred and fifty`."""
        total = 0
        while (value := self.peek("number")) is not None:
            value = int(str(value))
            digits = is_whole(self.items[self.at].text)
            if total and digits:
                break
            total = total * value if value in (100, 1000) and total else total + value
            self.at += 1
            if (
                self.peek("noise")
                and self.items[self.at].text == "and"
                and self.peek("number", ahead=1)
                and total >= 100
            ):
                self.at += 1
        return total

    def _ids(self) -> Iterator[tuple[int, int | None]]:
        while True:
            if (ids := self.next_of("ids")) is not None:
                yield from ids  # type: ignore[misc]
            elif (span := self.next_of("range")) is not None:
                yield span  # type: ignore[misc]
            elif self.peek("number") is not None:
                value = int(str(self.next_of("number")))
                yield value, value + 1
            else:
                return
            joined = self.peek("stop") == "," or (
                self.at < len(self.items) and self.items[self.at].text.lower() == "and"
            )
            if not (joined and self.peek("ids", "range", "number", ahead=1) is not None):
                return
            self.at += 1

    def foe(self, bare: bool = False) -> Foe | None:
        """Read some units of the other side; `bare`: they need not be called enemies."""
        start = self.at
        pick, side, called = "", "", False
        names: list[str] = []
        while self.at < len(self.items):
            item = self.items[self.at]
            if item.get("foe"):
                called = True
            elif item.get("type", "class") and (called or bare):
                names.append(str(item.get("type", "class")))
            elif item.get("dir") and self.peek("area") is None and not (called or names):
                side = str(item.get("dir"))
            elif item.text.lower() == "their" and self.peek("type", "class", ahead=1):
                called = True
            elif item.get("manner") in ("weakest", "strongest", "nearest"):
                pick = str(item.get("manner"))
                called = called or bare or item.text.split()[-1] in ("enemy", "enemies", "foe", "foes")
            elif item.text.lower() in ("nearest", "closest"):
                pick = "nearest"
            elif (item.get("squad") and (called or (bare and pick))) or (
                bare and item.text.lower() in ("everything", "everyone", "anything", "anyone", "everybody")
            ):
                called = True
            elif (
                (item.get("all") and called)
                or item.get("every")
                or (
                    set(item.means) <= {"noise", "own"}
                    and item.means
                    and item.text.lower()
                    in (
                        "the",
                        "all",
                        "of",
                        "a",
                        "an",
                        "any",
                        "every",
                        "each",
                        "their",
                        "those",
                        "these",
                        "one",
                        "that",
                        "other",
                    )
                )
            ):
                pass
            else:
                break
            self.at += 1
        if not called and not names:
            self.at = start
            return None
        mark = self.at
        self.skip("in", "on", "at", "near", "of", "the", "around", "by")
        at = None
        if mark < self.at and self.items[mark].text.lower() in ("in", "on", "at", "near", "around", "by"):
            if self.peek("dir") and self.peek("feature", "area", "name", ahead=1) is None and not side:
                side = str(self.next_of("dir"))
                mark = self.at
            elif (at := self.place()) is not None:
                mark = self.at
        self.at = mark
        return Foe(tuple(names), side, pick, at)

    def place(self) -> Place | None:
        """Read one place, with what it is beside, near or a part of, or leave the items as they are."""
        start = self.at
        self.skip("the", "a", "an", "all", "of", "our", "at", "to", "that", "this")
        found = self._beside() or self._noun()
        if found is None:
            self.at = start
            return None
        return self._after(found)

    def _after(self, found: Place) -> Place:
        """Read what narrows a place: `of the map`, `near the bridge`, `on the left`, `of the forest`."""
        while True:
            mark = self.at
            self.skip(*_LINKING)
            passed = [item.text.lower() for item in self.items[mark : self.at]]
            word = next((each for each in passed if each in ("of", "in", "on", "at")), "")
            if self.peek("offset") in ("near",) and found.kind == "feature":
                self.at += 1
                near = self.place()
                if near is not None:
                    found = replace(found, near=near)
                    continue
            elif found.kind == "feature" and self.peek("offset") and mark <= self.at:
                beside = self._beside()
                if beside is not None:
                    found = replace(found, near=beside)
                    continue
            elif (
                word in ("of", "in", "on", "at")
                and found.kind in ("map", "feature")
                and self.peek("dir")
                and (self.peek("feature", "name", ahead=1) is None)
            ):
                if not found.dir:
                    found = replace(found, dir=str(self.next_of("dir")))
                    self.skip("side", "edge", "part", "of", "the", "map", "field")
                    continue
            elif word in ("of", "in") and found.kind == "map":
                if self.peek("area") == "map":
                    self.at += 1
                    continue
                inner = self._noun()
                if inner is not None and inner.kind == "map" and inner.dir and found.value == "corner":
                    found = replace(found, dir=inner.dir)
                    continue
                if inner is not None and inner.kind in ("feature", "markers", "at", "goal"):
                    found = replace(inner, dir=inner.dir, near=None, deep=inner.deep, of=(found,))
                    continue
            self.at = mark
            return found

    def _beside(self) -> Place | None:
        """Read a place that is said to lie beside another one: `20 m north of the bridge`, `behind the spearmen`."""
        start = self.at
        metres = None
        self.skip("a", "the", "about", "some")
        if self.peek("number") is not None and not self.peek("at"):
            count = self.number()
            if self.next_of("metres"):
                metres = count
            else:
                self.at = start
        size = self.next_of("size")
        if self.peek("noise") and size:
            self.skip("to", "the", "a")
        if metres is None and size == "little":
            metres = 8
        relation = self.next_of("offset")
        side = ""
        if relation is None and self.peek("dir") and (metres is not None or size):
            side = str(self.next_of("dir"))
            self.skip("of", "from")
            if self.peek("feature", "name", "letter", "marker", "at", "goal", "area", "foe", "type") is None:
                return Place("way", side, metres=metres if metres is not None else 20)
            relation = side
        if relation is None and self.peek("move") and (metres is not None or self.peek("move") == "forward"):
            return Place("way", str(self.next_of("move")), metres=metres if metres is not None else 20)
        if relation is None:
            self.at = start
            return None
        if relation == "between":
            first = self._anchor()
            self.skip("and", ",")
            second = self._anchor() if first is not None else None
            if first is None or second is None:
                self.at = start
                return None
            return Place("between", of=(first, second))
        anchor = self._anchor(relation in ("behind", "front") and self.peek("pronoun") in ("they",)
                              and self.items[self.at].text.lower() == "them")  # fmt: skip
        if anchor is None:
            self.at = start
            return None
        return Place("offset", relation, of=(anchor,), metres=metres)

    def _anchor(self, people: bool = False) -> Place | Who | Foe | None:
        self.skip("the", "a", "of", "our", "my")
        if self.peek("pronoun") and people:
            self.at += 1
            return Who("they")
        if self.peek("pronoun") and self.items[self.at].text.lower() in ("it", "them", "that", "its", "those"):
            self.at += 1
            return Place("same")
        return self.foe() or self._noun() or self.who()

    def _noun(self) -> Place | None:
        """Read a place without relations: a coordinate, marker, feature, or part of the map."""
        start = self.at
        every = deep = False
        side, number = "", 0
        while self.at < len(self.items):
            item = self.items[self.at]
            if (cell := item.get("at")) is not None:
                self.at += 1
                return Place("at", cell)
            if item.get("name"):
                self.at += 1
                return Place("feature", str(item.get("name")), every=every, deep=deep, dir=side)
            if item.get("feature") and not (item.text.lower() in ("camp",) and False):
                self.at += 1
                self.skip("number", "no")
                if not number and self.peek("number") and self.peek("metres", "ticks", "event", ahead=1) is None:
                    number = int(str(self.next_of("number")))
                every = every or (item.text.lower().endswith("s") and item.text.lower() not in ("woods", "trees")
                                  and not number)  # fmt: skip
                return Place(
                    "feature", str(item.get("feature")), dir=side, every=every, deep=deep, metres=number or None
                )
            if (item.get("goal") and not item.get("verb")) or (item.get("goal") and self._article()):
                self.at += 1
                return Place("goal")
            if item.get("marker") and self.peek("letter", ahead=1):
                self.at += 1
                return self._letters()
            if item.get("marker") and (item.text.lower().startswith(("marker", "waypoint", "mark", "flag", "lettered",
                                       "checkpoint")) or every):  # fmt: skip
                self.at += 1
                if self.peek("letter"):
                    return self._letters()
                return Place("markers", "all" if every or item.text.lower().endswith("s") else "one")
            if item.get("letter"):
                return self._letters()
            area = item.get("area")
            if area in ("corner", "edge", "side", "half", "centre", "column") or (area == "row"):
                value = str(area)
                self.at += 1
                follow = self.peek("area")
                if value == "centre" and follow in ("row", "column"):
                    value = str(self.next_of("area"))
                if value in ("edge", "side") and not side and not self.peek("noise"):
                    self.at = start
                    return None
                if value == "row":
                    return Place("row", dir=side)
                every = every or (value == "corner" and item.text.lower().endswith("s"))
                return Place("map", value, dir=side, every=every and value == "corner")
            if area == "start":
                self.at += 1
                return Place("start")
            if area == "halfway":
                self.at += 1
                self.skip("up", "down", "the", "across")
                self.next_of("area")
                return Place("map", "halfway")
            if area == "deep":
                deep = True
            elif area == "map" and side:
                self.at += 1
                return Place("map", dir=side)
            elif item.get("dir"):
                side = side or str(item.get("dir"))
                if self.peek("noise", ahead=1) and self.items[self.at + 1].text.lower() in ("one", "ones"):
                    self.at += 2
                    return Place("same", dir=side, every=self.items[self.at - 1].text.lower() == "ones")
            elif item.get("every"):
                every = True
            elif item.get("ordinal") and self.peek("marker", ahead=1) and not self.peek("letter", ahead=2):
                self.at += 2
                return Place("markers", "one", metres=int(str(item.get("ordinal"))))
            elif item.get("ordinal") and self.peek("feature", "dir", ahead=1):
                number = int(str(item.get("ordinal")))
            elif item.get("number") and self.peek("feature", "dir", ahead=1):
                every = True
            elif item.text.lower() in ("nearest", "closest"):
                side = side or "nearest"
            elif item.text.lower() in _ADJECTIVES:
                pass
            else:
                break
            self.at += 1
        if side and side != "nearest" and self.at > start:
            return Place("map", dir=side, deep=deep)
        if deep:
            return Place("feature", "forest", deep=True)
        self.at = start
        return None

    def _article(self) -> bool:
        return self.at > 0 and self.items[self.at - 1].text.lower() in ("the", "our", "final", "mission", "its")

    def _letters(self) -> Place:
        letters: list[str] = []
        while (letter := self.peek("letter")) is not None:
            letters += list(str(letter))
            self.at += 1
            if self.single:
                break
            mark = self.at
            while self.peek("stop") == "," or (
                self.at < len(self.items)
                and self.items[self.at].text.lower() in ("and", "then", "-", "to", "marker", ">", "→")
            ):
                self.at += 1
            if self.peek("letter") is None:
                self.at = mark
        return Place("markers", "".join(letters))
