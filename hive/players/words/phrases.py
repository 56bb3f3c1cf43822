"""Items to phrases: numbers, units, places and events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from dsl.wording import is_whole
from hive.players.words.lexicon import Item

SHARES = {
    "half": 1 / 2, "third": 1 / 3, "two_thirds": 2 / 3, "quarter": 1 / 4, "three_quarters": 3 / 4, "most": 3 / 4,
    "some": 1 / 3, "few": 1 / 10, "tenth": 1 / 10, "sixth": 1 / 6, "eighth": 1 / 8, "fifth": 1 / 5,
}  # fmt: skip
NOUN = "type|class|all|foe"
DET = "'the'|'a'|'an'|'of'|'this'|'that'|'these'|'those'|'about'|'whole'|'any'|'entire'|own"
UP_TO_NOUN = f"{DET}|dir|number* {NOUN}"
PARTS = "area:corner|area:edge|area:centre|area:halfway|area:deep|area:row"
MOST_NESTED = 3  # phrases in each other
STOP = Item("", {"stop": "."})  # what comes after the last item


@dataclass(frozen=True)
class Units:
    """Some units of one's own side, or of the other one.

    Attributes:
        base: `all`, `rest` (of those of whom a part was named), `others` (who were not named), `they` (who were named
            last), or `both` (the last two).
        foe: Whether they are of the other side.
        types: Types, or classes of types.
        ids: First id and excluded end of each part.
        count: How many of them.
        share: Which part of them, in (0, 1]; 0: not said.
        minus: Who is left out.
        at: Where they stand.
    """

    base: str = "all"
    foe: bool = False
    types: tuple[str, ...] = ()
    ids: tuple[tuple[int, int], ...] = ()
    count: int | None = None
    share: float = 0.0
    minus: tuple[Units, ...] = ()
    at: Place | None = None

    @property
    def part(self) -> bool:
        """Whether a number, a share or ids pick some of them out."""
        return bool(self.count or self.share or self.ids)

    @property
    def whole(self) -> bool:
        """Whether everyone is meant, or nobody in particular."""
        return self.base in ("all", "they") and not (self.part or self.types or self.minus or self.at)


@dataclass(frozen=True)
class Place:
    """A place as it was said.

    Attributes:
        kind: `at`, `line`, `y`, `markers`, `goal`, `feature`, `part`, `row`, `beside`, `way`, `start` or `same`.
        value: Cell, coordinate, letters, name or kind of a feature, part of the map, relation; by kind.
        dir: Compass direction that narrows it.
        of: What it is beside, or a part of.
        metres: How far; None: not said.
        numbers: Of features that have one.
        every: Whether all of the kind are meant.
        via: Whether it is only passed.
    """

    kind: str
    value: object = None
    dir: str = ""
    of: tuple[Place | Units, ...] = ()
    metres: int | None = None
    numbers: tuple[int, ...] = ()
    every: bool = False
    via: bool = False


@dataclass(frozen=True)
class Event:
    """What is waited for.

    Attributes:
        kind: `arrive`, `dead`, `ticks`, `sighted`, `losses` or `enemy losses`.
        amount: Ticks, or a number of units; 0: not said.
        share: A part of them, in (0, 1]; 0: not said.
        who: Whose arrival, losses or death.
        place: Where they arrive.
    """

    kind: str
    amount: int = 0
    share: float = 0.0
    who: tuple[Units, ...] = ()
    place: Place | None = None


@cache
def _terms(pattern: str) -> tuple[tuple[frozenset[str], str], ...]:
    terms = [(term.rstrip("?*"), term[-1] if term[-1] in "?*" else "") for term in pattern.split()]
    return tuple((frozenset(term.split("|")), mark) for term, mark in terms)


class Phrases:
    """A cursor over the items of an order that reads phrases; it stays where it is if none comes."""

    def __init__(self, items: Sequence[Item]) -> None:
        """Begin at the first item."""
        self.items, self.at, self.nested = items, 0, 0
        self._tags = [item.tags for item in (*items, STOP, STOP)]
        self.types: tuple[str, ...] = ()  # of the units that were named last

    def item(self, ahead: int = 0) -> Item:
        """Return an item; beyond the ends, a stop."""
        at = self.at + ahead
        return self.items[at] if 0 <= at < len(self.items) else STOP

    def fits(self, tags: str, ahead: int = 0) -> bool:
        """Whether an item has one of the tags that are joined by `|`."""
        return not self.item(ahead).tags.isdisjoint(_terms(tags)[0][0])

    def ahead(self, pattern: str) -> int:
        """Return how many items a pattern takes here: terms of tags, `?` at most once, `*` any number of times."""
        at, tags = self.at, self._tags
        for wanted, mark in _terms(pattern):
            came = not tags[at].isdisjoint(wanted)
            if not (came or mark):
                return 0
            while came:
                at += 1
                came = mark == "*" and not tags[at].isdisjoint(wanted)
        return at - self.at

    def skip(self, pattern: str) -> bool:
        """Step over the items of a pattern; return whether they came."""
        steps = self.ahead(pattern)
        self.at += steps
        return steps > 0

    def text(self, start: int) -> str:
        """Return what was written from an item to the next one."""
        return " ".join(item.text for item in self.items[start : self.at])

    # ---- numbers

    def count(self) -> int | None:
        """Read a whole number in digits or words, such as `two hundred and fifty`."""
        start, total, part = self.at, 0, 0
        while isinstance(number := self.item().get("number"), int) and not self.fits("'ones'"):
            digits = is_whole(self.item().text)
            if self.at > start and (digits or (number < 100 and part % 100 and (part % 10 or number > 9))):
                break
            if number == 1000:
                total, part = total + max(1, part) * 1000, 0
            else:
                part = max(1, part) * 100 if number == 100 and not digits else part + number
            self.at += 1
            if part >= 100 and not digits and self.ahead("'and' number"):
                self.at += 1
        return total + part if self.at > start else None

    def share(self) -> float:
        """Read a part of some units: `30%`, `half of`, `a third of`; 0 if none comes."""
        start = self.at
        self.skip("'a'|'an'|'the'|'about'|'other'*")
        item = self.item()
        percent, share = item.get("percent"), item.get("share")
        if self.skip("percent") or (not self.fits("area") and self.skip("share")):
            self.skip("'of'")
            return percent / 100 if isinstance(percent, int) else SHARES[str(share)]
        self.at = start
        return 0.0

    def distance(self) -> int | None:
        """Read metres."""
        start = self.at
        self.skip("'about'|'at'|'least'|'some'|'within'|'up_to'*")
        metres = self.item().get("metres")
        if isinstance(metres, int):
            self.at += 1
            return metres
        count = self.count()
        if count is not None and self.skip("metres"):
            return count
        self.at = start
        return None

    # ---- units

    def units(self) -> tuple[Units, ...]:
        """Read some units of one side, and those that are joined to them; nothing if none come."""
        found, start = list[Units](), self.at
        while one := self.unit():
            foes = found and found[0].foe and one.types and not self.ahead("verb|light")
            one = replace(one, foe=True) if foes else one  # `attack the enemy archers and cavalry`
            apart = one.base in ("they", "both", "rest", "others") or (found and found[0].base in ("they", "both"))
            if found and (one.foe != found[0].foe or apart):
                break
            found.append(one)
            start = self.at
            comma = self.skip("','")
            if not self.skip("'and'|'&'") and not (comma and self._listed()):
                break
        self.at = start
        return tuple(found)

    def _listed(self) -> bool:
        """Whether units that come after a comma are part of a list that ends with `and`."""
        start = self.at
        listed = self.unit() is not None and self.skip("','? 'and'|'&'") and self.unit() is not None
        self.at = start
        return listed

    def unit(self) -> Units | None:
        """Read some units: what comes up to their noun, the noun, and what narrows them."""
        start, found, noun = self.at, Units(), False
        while not noun and self.nested < MOST_NESTED:
            read = ((rule(self, found), ends) for pattern, ends, rule in TO_NOUN if not pattern or self.ahead(pattern))
            more, noun = next((row for row in read if row[0] is not None), (None, False))
            if more is None:
                break
            found = more
        alone = (found.part or found.base in ("rest", "others")) and self.at > start
        alone = alone and not self.fits("feature|marker|name|metres|event:ticks|number")
        fifteen = not noun and found.base == "all" and found.count and self.fits("'the'", start - self.at)
        if not (noun or alone) or fifteen:  # `the fifteen` are some who were named
            self.at = start
            return None
        if not noun and found.part and found.base == "all":  # `half of the archers to A, a third to B`
            found = replace(found, types=self.types)
        return self._narrowed(found)

    def _step(self, found: Units, **said: Any) -> Units:
        """Step over an item that says something of units."""
        self.at += 1
        return replace(found, **said)

    def _rest(self, found: Units) -> Units | None:
        verb = self.ahead("'rest' 'for'|'until'|'till'|'here'|'there'") or self.fits("'remain'|'remains'|'remained'")
        return None if verb else self._step(found, base=str(self.item().get("rest")))

    def _type(self, found: Units) -> Units:
        found = self._step(found, types=(str(self.item().get("type", "class")),))
        self.skip("all|squad")  # `cavalry units`
        return found

    def _all(self, found: Units) -> Units | None:
        return None if self.ahead("all 'the'|'of'|dir* feature|name|marker|letter") else self._step(found)

    def _picked(self, found: Units) -> Units | None:
        start = self.at
        share = self.share()
        count = None if share else self.count()
        counts = count is not None and not self.fits("squad|feature|marker|metres|event:ticks|area|move|offset")
        if found.part or not (share or counts):
            self.at = start
            return None
        self.skip("'of'")
        rest = share and found.base == "rest"  # the share of the rest is all of it: `the other half`
        return found if rest else replace(found, share=share, count=count)

    def _side(self, found: Units) -> Units:
        found = self._step(found, at=Place("part", "half", dir=str(self.item().get("dir"))))
        self.skip("share:half 'of'?")
        return found

    def _ids(self) -> tuple[tuple[int, int], ...]:
        """Read ids, such as `0 to 9, 12 and 20-29`."""
        found = list[tuple[int, int]]()
        while True:
            parts, number = self.item().get("ids", "range"), self.item().get("number")
            if isinstance(parts, tuple):
                found += parts if isinstance(parts[0], tuple) else [parts]
            elif isinstance(number, int) and is_whole(self.item().text):
                found.append((number, number + 1))
            else:
                break
            self.at += 1
            if not self.ahead("'and'|',' ids|range|number") or self.fits(f"metres|{NOUN}|squad|every", 2):
                break
            self.at += 1
        return tuple(found)

    def _narrowed(self, found: Units) -> Units:
        """Read what follows a noun: numbers, who is left out, and where enemies stand."""
        single = self.fits("'unit'|'units'|'man'|'spearman'|'archer'|'rider'", -1) and self.fits("number")
        if (single or self.ahead("id? ids|range") or self.ahead("id number")) and not found.part:
            self.skip("id")
            found = replace(found, ids=self._ids())
        if not found.foe and found.base != "they":
            self.types = found.types
        if not found.foe and found.types and self.skip("'of' 'the'? foe"):
            found = replace(found, foe=True)
        if self.ahead("except") or (found.base == "all" and self.ahead("'but' number|type")):
            start, self.at = self.at, self.at + 1
            minus = self.units()
            found = replace(found, minus=minus)
            self.at = self.at if minus else start
        if found.foe and not found.at and self.ahead("to|offset|at|letter") and not self.fits("to:from|to:via"):
            found = replace(found, at=self.place())
        return found

    # ---- places

    def place(self) -> Place | None:
        """Read a place with the words that lead to it."""
        start, via, metres = self.at, False, None
        if self.nested > MOST_NESTED:
            return None
        while True:
            here = self.at
            if self.fits("to") and not self.fits("to:from"):
                via = self.item().get("to") == "via"
                self.at += 1
            elif (far := self.distance()) is not None and self.ahead("offset|dir|move|'to'"):
                metres = far
            else:
                self.at = here
                size = self.ahead("size 'further'|'farther'? offset|dir")
                if size:
                    metres = 5 if self.fits("size:little") else metres
                    self.at += size - 1
                elif self.ahead("'up'|'down'|'back'|'out'|'right'|'straight'|'on'|'over'|move to|offset"):
                    self.at += 1
                else:
                    break
        self.nested += 1
        found = self._bare(metres)
        self.nested -= 1
        if found is None or (metres is not None and found.kind not in ("way", "beside")):
            self.at = start
            return None
        return replace(found, via=via)

    def _bare(self, metres: int | None) -> Place | None:
        item, start = self.item(), self.at
        if self.skip("to:from? at 'to'|'-'|'until' at"):
            ends = [each.get("at") for each in self.items[start : self.at] if each.get("at")]
            return Place("line", tuple(ends))
        for kind in ("at", "y"):
            if self.skip(kind):
                return Place(kind, item.get(kind))
        return self._markers() or self._beside(metres) or self._way(metres) or self._named()

    def _markers(self) -> Place | None:
        start, letters = self.at, ""
        several = "'markers'|'letters'|'points'|'flags'|'waypoints'"
        every = self.skip("every|'all'") or self.fits(several, self.ahead("'the'"))
        self.skip("'the'|'of'|'four'|'marked'|'lettered'*")
        noun = self.skip("marker")
        while letter := self.item().get("letter"):
            letters += str(letter)
            self.at += 1
            gap = self.ahead("','|'and'|'then'|'-'|'>'|'to'|'the'|'and_then'|marker*")
            self.at += gap if self.fits("letter", gap) else 0
        if letters or (every and noun and not self.ahead("at")):
            return Place("markers", letters or "all", every=self.items[start].text.lower() == "each")
        self.at = start
        return None

    def _beside(self, metres: int | None) -> Place | None:
        """Read a place beside something: `north of the wood`, `between the bridges`, `20 m behind the archers`."""
        start, relation = self.at, self.item().get("offset")
        if relation is None:
            return None
        self.at += 1
        self.skip("'of'")
        two = relation == "between" and self.skip("'the'? number:2")
        of = self._anchor()
        of = (replace(of[0], every=True),) if two and of and isinstance(of[0], Place) else of
        if relation == "between" and of and self.skip("'and'"):
            of += self._anchor()
        if of or (relation in ("behind", "front") and not self.fits("'each'")):
            return Place("beside", relation, of=of, metres=metres)
        self.at = start
        return None

    def _anchor(self) -> tuple[Place | Units, ...]:
        if self.skip("'it'|'there'"):
            return (Place("same", "it"),)
        place = self._bare(None) if not self.ahead(f"{DET}|number* {NOUN}|pronoun") else None
        return (place,) if place else self.units()

    def _way(self, metres: int | None) -> Place | None:
        """Read a place so far from where the units are: `20 m forward`, `north 30 m`."""
        start = self.at
        self.skip("'the'") if metres is not None else None
        item = self.item()
        if not self.skip("move") and not (self.fits("dir") and not self.fits(f"{NOUN}|area|feature|share", 1)):
            return None
        self.at += item.get("move") is None
        metres = self.distance() if metres is None else metres
        if metres is not None or item.get("move"):
            return Place("way", item.get("move", "dir"), metres=metres)
        self.at = start
        return None

    def _named(self) -> Place | None:
        """Read a feature, a part of the map, or another place that has a name."""
        start, found = self.at, Place("feature")
        while True:
            item = self.item()
            if self.skip("name"):
                return replace(found, value=item.get("name"))
            if self.fits("feature") and not self.fits("verb"):
                self.at += 1
                found = replace(found, value=item.get("feature"), numbers=self._numbers())
                several = item.text.lower() in ("bridges", "hamlets", "ponds", "camps", "villages")
                found = replace(found, every=found.every or (several and not found.numbers))
                return Place("part", "edge", of=(found,)) if self.skip("area:edge") else found
            if self.skip("goal"):
                return Place("goal")
            if self.skip("area:start"):
                found = Place("start")
                break
            if self.fits(PARTS) or (found.dir and self.fits("area:map|area:side|area:half|share:half")):
                return self._part(found)
            if self.skip("every"):
                found = replace(found, every=True)
            elif self.skip("dir"):
                found = replace(found, dir=str(item.get("dir")))
            elif not self.skip("'the'|'a'|'an'|'that'|'this'|'same'|'other'|'whole'|'nearest'|'closest'|own"):
                break
        if found.dir or found.kind == "start":  # `west to (20, 30)`
            further = self.place() if self.ahead("to:to 'the'* at|letter|name|feature|offset") else None
            return further or (Place("part", "half", dir=found.dir) if found.dir else found)
        self.at = start
        return Place("same") if self.skip("'there'|'it'|'here'") and self.fits("to", -2) else None

    def _part(self, found: Place) -> Place:
        """Read a part of the map or of a feature: `the south-west corner of the wood`, `the middle row`."""
        value, of, side = str(self.item().get("area", "share")), tuple[Place | Units, ...](), found.dir
        self.at += 1
        of_map = self.skip("'of' 'the'? area:map|all") or (found.dir and value in ("map", "half"))
        if not of_map and value != "row":
            led = self.skip("'of'|'in'") or (value == "deep" and self.skip("to|'the'*"))
            of = self._anchor() if led else ()
            self.at -= led and not of
        if not side and self.skip("'at'|'in'|'to'|'on'? 'the'? dir"):  # `the corner in the south-west`
            side = str(self.item(-1).get("dir"))
        return Place("row" if value == "row" else "part", value, dir=side, of=of, every=found.every)

    def _numbers(self) -> tuple[int, ...]:
        """Read numbers of features: `1 to 3`, `1, 2 and 4`."""
        named = self.fits("range") or (self.fits("number") and len(self.item().text) < 3 and not self.fits("number", 1))
        return tuple(number for first, end in self._ids() for number in range(first, end)) if named else ()

    # ---- events

    def event(self) -> Event | None:
        """Read what is waited for."""
        start = self.at
        self.skip("'more'|'than'|'at'|'least'|'for'|'about'|'the'|'another'|'over'*")
        count = self.count()
        if count is not None and self.skip("event:ticks"):
            self.skip("light? 'over'|'up'|'gone'|'past'|'have_passed'")
            return Event("ticks", count)
        self.at = start
        self.skip("'at'|'least'|'the'|'about'*")
        share = self.share()
        if self.skip("'of'? event:losses"):
            self.skip("'of'")
            return Event("losses", share=share or self.share())
        self.at = start
        anyone = (Units(foe=True),) if self.fits("'anyone'|'anybody'|'anything'|'someone'") else ()
        self.at += len(anyone)
        units = anyone or self.units()
        while self.fits("light|noise|all") and not self.fits("event|not"):
            self.at += 1
        kind = self.item().get("event")
        if kind is None and units and not units[0].foe and self.fits("to") and (place := self.place()):
            return Event("arrive", who=units, place=place)  # `once they are at A`
        if kind not in ("arrive", "dead", "sighted", "losses"):
            self.at = start
            return None
        self.at += 1
        self.skip("'there'|'again'")
        return self._of(str(kind), units or (Units("they"),))

    def _of(self, kind: str, units: tuple[Units, ...]) -> Event | None:
        """Return the event that something happens to some units, with what is said after it."""
        one, foe = units[0], units[0].foe
        if kind == "sighted":
            seen = foe or ((own := self.units()) and own[0].foe) or self.skip("'them'|'him'")
            return Event("sighted", who=() if foe else units) if seen and not (foe and (one.part or one.at)) else None
        if kind == "dead" and one.base == "they" and one.part:
            return None  # of whom?
        if kind == "dead" and foe and one.part and not (one.ids or one.types):
            return Event("enemy losses", one.count or 0, one.share)
        if kind == "losses" or (kind == "dead" and one.base != "they" and not foe):
            share = self.share() or one.share
            self.skip(f"'of'? 'their'|'his'|{DET}* all")
            named = one.types or one.ids or not (share or one.count)  # which side's archers?
            return None if named else Event("enemy losses" if foe else "losses", one.count or 0, share, units)
        if kind == "arrive" and not foe:
            they = one.base == "they" or (one.part and not (one.types or one.ids))
            return Event("arrive", one.count or 0 if they else 0, one.share if they else 0.0, units, self.place())
        return Event("sighted") if kind == "arrive" else Event("dead", who=units if foe else ())


TO_NOUN: tuple[tuple[str, bool, Callable[[Phrases, Units], Units | None]], ...] = (
    ("rest", False, Phrases._rest),
    (f"'their'|'his'|'its' {UP_TO_NOUN}", False, lambda r, found: r._step(found, foe=True)),
    ("pronoun", True, lambda r, found: None if found.foe or r.fits("'each'") else r._step(found, base="they")),
    ("'both'", True, lambda r, found: None if r.ahead(f"'both' {UP_TO_NOUN}|feature") else r._step(found, base="both")),
    ("type|class", True, Phrases._type),
    ("foe type|class|all|squad|number|range", False, lambda r, found: r._step(found, foe=True)),
    ("foe", True, lambda r, found: r._step(found, foe=True)),
    ("squad", True, lambda r, found: r._step(found) if found.foe else None),
    (f"all 'of'? {UP_TO_NOUN}|pronoun", False, Phrases._all),
    ("all", True, Phrases._all),
    ("'first'|'next' number", False, lambda r, found: r._step(found)),  # of those without an order
    ("", False, Phrases._picked),
    (f"dir {DET}|share|squad* {NOUN}|rest", False, lambda r, found: None if found.at else r._side(found)),
    ("dir share:half", True, lambda r, found: None if found.at or r.ahead("dir share:half 'of'") else r._side(found)),
    ("ids|range", True, lambda r, found: None if r.ahead("range metres|event:ticks") else replace(found, ids=r._ids())),
    (f"every {UP_TO_NOUN}", False, lambda r, found: r._step(found)),
    (DET, False, lambda r, found: r._step(found)),
)
"""What may come of units: a pattern, whether it is their noun, and how it is read; None where it is something else."""
