"""Items to clauses: who, what, where, how and when, as far as the words of an order say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from hive.players.words.lexicon import Grammar, Item

ACTIONS = {"attack", "avoid", "flank", "match"}
"""Verbs whose object is the other side, also where it is not called so."""
OWN_OBJECT = {"follow", "shield", "hold", "gather", "stay"}
"""Verbs whose object may be others of one's own side."""
SHARES = {
    "half": 50, "third": 33, "two_thirds": 67, "quarter": 25, "three_quarters": 75, "most": 75, "some": 33, "few": 10,
    "tenth": 10, "sixth": 17, "eighth": 12, "fifth": 20,
}  # fmt: skip
_NOUN_AFTER = {
    "the", "a", "an", "our", "my", "your", "of", "each", "every", "all", "their", "its", "this", "that", "to the", "no",
    "any", "some", "final", "other",
}  # fmt: skip


@dataclass(frozen=True)
class Who:
    """Some units of one's own side, or of the other one.

    Attributes:
        base: `all`, `rest`, `they`, `type`, `squad` or `ids`.
        foe: Whether they are of the other side.
        names: Types or classes of types.
        ids: First id and excluded end of each part.
        part: How many of them: a count, or a share in percent with `percent`.
        percent: Whether `part` is a share.
        each: Whether `part` is meant of each type.
        minus: Who is left out.
        where: Where they stand; with `pick` `nearest`, what they are nearest to.
        pick: `nearest`, `weakest` or `strongest`.
        number: Of a squad, from 1; -1 is the last. For `they`, of how many groups before.
        unread: What was said of them that is not understood.
    """

    base: str = ""
    foe: bool = False
    names: tuple[str, ...] = ()
    ids: tuple[tuple[int, int | None], ...] = ()
    part: int | None = None
    percent: bool = False
    each: bool = False
    minus: tuple[Who, ...] = ()
    where: Place | None = None
    pick: str = ""
    number: int = 0
    unread: str = ""


@dataclass(frozen=True)
class Place:
    """A place as it was said.

    Attributes:
        kind: `at`, `box`, `xs`, `y`, `markers`, `goal`, `feature`, `part`, `beside`, `way`, `units`, `start` or `same`.
        value: Cell, coordinates, letters, name or kind of a feature, part of the map, relation; by kind.
        dir: Compass direction that narrows it.
        of: What it is beside, or a part of.
        metres: How far beside it; None: not said.
        number: Of a feature that has one, or of the first or last of several.
        every: Whether all features of the kind are meant.
        deep: Whether the inside of it is meant.
        via: Whether it is only passed.
        most: Whether that of all which lies farthest in the direction is meant.
        other: Whether those are meant that were not named yet.
    """

    kind: str
    value: object = None
    dir: str = ""
    of: tuple[Place | Who, ...] = ()
    metres: int | None = None
    number: int = 0
    every: bool = False
    deep: bool = False
    via: bool = False
    most: bool = False
    other: bool = False


@dataclass(frozen=True)
class Event:
    """What is waited for: `arrive`, `dead`, `ticks`, `sighted`, `losses` or `enemy losses`.

    Attributes:
        kind: One of these.
        amount: Ticks, or a share in percent; a number of units with `count`. 0: not said; for `arrive`: all.
        count: Whether `amount` counts units.
        some: Whether one that arrives is enough.
        who: Whose arrival or losses.
        foe: Whose death.
        place: Where they arrive.
    """

    kind: str
    amount: int = 0
    count: bool = False
    some: bool = False
    who: tuple[Who, ...] = ()
    foe: Who | None = None
    place: Place | None = None


@dataclass
class Clause:
    """One thing to be done, with what was said about it; empty fields were not said."""

    who: tuple[Who, ...] = ()
    verbs: list[str] = field(default_factory=list)
    denied: list[str] = field(default_factory=list)
    foe: list[Who] = field(default_factory=list)
    own: tuple[Who, ...] = ()
    places: list[Place] = field(default_factory=list)
    manner: set[str] = field(default_factory=set)
    squads: int = 0
    when: Event | None = None
    until: Event | None = None
    link: str = "stop"
    leash: int | None = None
    words: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    lost: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What was written."""
        return " ".join(self.words)

    @property
    def full(self) -> bool:
        """Whether a verb has its place or its object, so that a further verb begins another clause."""
        return bool(self.places or self.foe or self.own or self.until)

    @property
    def acts(self) -> bool:
        """Whether it says something to do."""
        return bool(self.verbs or self.places or self.foe or self.own or self.until or self.squads)


class Parser:
    """Reads phrases of a grammar from left to right."""

    def __init__(self, items: Sequence[Item]) -> None:
        """Begin at the first item."""
        self.items, self.at, self.grammar = items, 0, Grammar(items)
        self.fresh = -1  # where an event ended: a verb there begins what is to be done

    def item(self, ahead: int = 0) -> Item:
        """Return the next item, or one further ahead or back; an empty one beyond the ends."""
        at = self.at + ahead
        return self.items[at] if 0 <= at < len(self.items) else Item("")

    def fits(self, name: str) -> bool:
        """Whether a phrase of the grammar comes next."""
        return self.grammar.end(name, self.at) > self.at

    def take(self, name: str) -> Sequence[Item]:
        """Return the items of a phrase of the grammar and step over them; nothing if it does not come next."""
        start, self.at = self.at, self.grammar.end(name, self.at)
        return self.items[start : self.at]

    def skip(self, *words: str) -> bool:
        """Step over some words; return whether they came."""
        start = self.at
        while self.item().word in words:
            self.at += 1
        return self.at > start

    # ---- units

    def units(self, object_: bool = False) -> tuple[Who, ...]:
        """Read some units and those that are joined to them by `and`, or leave the items as they are.

        Args:
            object_: Whether a verb came before, so that units with a verb of their own are another clause's.
        """
        found: list[Who] = []
        start = self.at
        while (one := self.who(bool(found))) is not None and (not found or one.foe == found[0].foe):
            own_clause = self.item().get("verb", "light", "manner") and not self.item().get("to")
            if found and object_ and (own_clause or (one.base == "rest" and self.item().text)):
                break
            found.append(one)
            start = self.at
            if not self.skip("and", ",", "&", "plus", "or"):
                break
        self.at = start
        return tuple(found)

    def who(self, joined: bool = False) -> Who | None:
        """Read some units of one side, or leave the items as they are."""
        start = self.at
        if self.item().get("except"):
            who = Who("all")
        elif ids := self.take("ids"):
            who = _ids(ids)
        elif foes := self.take("foes"):
            who = _who(foes, True)
        elif not (self.fits("squads") and not self.fits("place_of_all")) and (units := self.take("units")):
            who = _who(units, False)
            if who.base == "they" and joined and who.part is None:
                self.at = start
                return None
        else:
            return None
        if self.item().get("except"):
            self.at += 1
            who = replace(who, base=who.base or "all", minus=self.units())
        return self.standing(who)

    def standing(self, who: Who) -> Who:
        """Read where units stand, as in `the archers left of the camp go ...` or `the nearest 20 to (5, 5)`."""
        start = self.at
        if who.pick == "nearest" and not who.foe and self.item().word == "to":
            place = self.place()
            if place is not None:
                return replace(who, where=place, base="all" if who.base == "they" else who.base)
        relative = self.item().word in ("who", "whose") or (
            self.item().word in ("that", "which") and self.item(1).word in ("have", "has", "are", "is", "can")
        )
        told = self.skip("that", "which", "who", "whose", "are", "is", "standing", "now")
        told |= told and self.skip("stand", "stands")
        if self.item().get("offset") or self.item().word in ("at", "in", "on", "from", "around", "near"):
            leaving = self.item().word == "from"
            place = self.place()
            follows = (
                told
                or leaving
                or self.item().text == ":"
                or self.item().get("verb", "light")
                or self.item().word in ("to", "over")
            )
            fixed = (
                place is not None and place.kind in ("feature", "beside", "part", "at", "markers") and not place.every
            )
            front = place is not None and place.value in ("behind", "front") and not who.foe
            if place is not None and fixed and (who.foe or follows) and not front:
                return replace(who, where=place)
        if relative and not who.foe:
            who = replace(who, unread=" ".join(item.text for item in self.items[start : start + 4]))
        self.at = start
        return who

    def found_at(self, foe: Who) -> Who:
        """Read where enemies are that are to be attacked, as in `the archers in the north-west`."""
        start = self.at
        place = self.place() if foe.where is None and self.item().word in ("in", "on", "at", "near", "around") else None
        if place is not None and place.kind in ("feature", "part", "beside") and not place.every:
            return replace(foe, where=place)
        self.at = start
        return foe

    # ---- places

    def distance(self) -> int | None:
        """Read a distance in metres, such as `10 m`, `8 metres` or `a bit`."""
        items = self.take("distance")
        if items and items[-1].get("size"):
            return 5 if items[-1].get("size") == "little" else 25
        exact = next((item.get("metres") for item in items if isinstance(item.get("metres"), int)), _number(items))
        return exact if isinstance(exact, int) else None

    def place(self) -> Place | None:
        """Read a place with the words that lead to it, or leave the items as they are."""
        start = self.at
        if way := self.take("way"):
            dirs = [str(each.get("dir")) for each in way if each.get("dir")]
            move = next((each.get("move") for each in way if each.get("move")), dirs[0] if dirs else "")
            exact = next((each.get("metres") for each in way if isinstance(each.get("metres"), int)), _number(way))
            if not self.fits("lead") or dirs:
                return Place("way", move, metres=exact if isinstance(exact, int) else None)
            self.at = start + 1
        metres = self.distance()
        lead = self.take("lead")
        via = any(item.get("to") == "via" and item.word not in ("along", "round", "off", "out of") for item in lead)
        metres = self.distance() if metres is None else metres
        place = self.beside(metres) if self.item().get("offset") else self.spot()
        if place is None:
            self.at = start
        return replace(place, via=via) if place else None

    def beside(self, metres: int | None) -> Place | None:
        """Read a place beside another one or beside units: `10 m behind the spearmen`, `between A and B`."""
        relation = self.item().get("offset")
        self.at += 1
        self.skip("of")
        anchors = [each for each in [self.anchor()] if each is not None]
        if relation == "between" and anchors and self.skip("and"):
            anchors += [each for each in [self.anchor()] if each is not None]
        if relation in ("behind", "front") and not anchors:
            anchors = [Who("rest")]
        return Place("beside", relation, of=tuple(anchors), metres=metres) if anchors else None

    def anchor(self) -> Place | Who | None:
        """Read what a place is beside."""
        if self.item().word in ("it", "that", "there"):
            self.at += 1
            return Place("same")
        if self.fits("feature") or (self.fits("part") and not self.fits("foes")):
            return self.spot()
        return self.who() or self.spot()

    def spot(self) -> Place | None:
        """Read a place that needs no other one, and what it is a part of."""
        start = self.at
        for name in ("line", "at", "axis", "markers", "those", "feature", "goal", "start", "part", "same"):
            if name == "part" and self.noun_is_verb():
                continue
            if items := self.take(name):
                leaving = name == "markers" and self.items[max(0, self.at - len(items) - 1)].get("to") == "from"
                place = _place(name, [item for item in items if item.word != "to"] if leaving else items)
                if place.kind == "part" and not (place.dir or place.value or place.deep):
                    self.at = start
                    continue
                break
        else:
            return None
        start = self.at
        if place.kind in ("part", "xs", "units") and self.skip("of", "on", "in", "at", "along"):
            inside = self.spot() if not self.fits("units") or self.fits("feature") else None
            if inside is not None and inside.kind in ("feature", "same", "part", "goal"):
                if inside.kind == "part" and place.kind == "part":
                    return replace(place, dir=place.dir or inside.dir, value=place.value or inside.value)
                return replace(place, of=(inside,), deep=place.deep or inside.deep)
        self.at = start
        if place.kind == "part" and place.dir and self.item().word in ("one", "ones"):
            self.at += 1
            return Place("feature", "", dir=place.dir, every=place.every or self.item(-1).word == "ones")
        return place

    def noun_is_verb(self) -> bool:
        """Whether a word such as `line` is a verb here."""
        return bool(self.item().get("verb")) and self.verbal()

    def verbal(self) -> bool:
        """Whether a word that may be a verb is one here, and not a noun."""
        item, before = self.item(), self.item(-1)
        nouns = item.means.keys() & NOUNS
        if self.fresh == self.at:
            return True
        if item.get("manner") in ("peace", "leash", "distance", "close"):
            return False
        if item.get("verb") == "match":
            return True
        if nouns and self.item(1).get("letter"):
            return False
        if before.word in ("them", "they", "we", "us", "others", "rest") and item.word != "all":
            return True
        if item.get("rest"):
            return False
        if before.word in ("each", "all") and not nouns:
            return True
        if before.get("number") is not None and self.item(-2).get("squad", "feature", "marker", "name"):
            return True
        adjective = before.get("dir", "number", "ordinal", "every", "foe", "percent")
        if before.word in BEFORE_NOUN or (adjective and not before.get("type", "all", "class", "pronoun", "rest")):
            return not nouns and item.word.endswith("ed")
        if before.word == "to":
            return not nouns & {"type", "all", "goal", "area", "feature"}
        if nouns & {"offset", "to"}:
            return False
        return not nouns & {"type", "all", "squad"}

    # ---- events

    def event(self) -> Event | None:
        """Read what is waited for: `the archers arrive`, `half the enemies are dead`, `50 ticks`."""
        who: tuple[Who, ...] = ()
        foe, place, kind, amount, percent, some, denied = None, None, "", None, False, False, False
        if self.item().get("event") == "ticks" and self.item(1).get("number"):
            self.at += 1
            return Event("ticks", _number(self.take("count")) or 0)
        first = self.at
        while self.at < len(self.items):
            item, start = self.item(), self.at
            word = str(item.get("event") or "")
            there = kind == "arrive" and self.item(-1).word == "there" and self.fits("lead")
            if there or item.get("stop") or item.get("then") == "then" or (kind and item.get("verb") and not word):
                break
            if ticks := self.take("ticks"):
                return Event("ticks", _number(ticks) or 0)
            if word == "ticks":
                return None
            if item.get("not"):
                denied = True
                self.at += 1
            elif item.word in ("first", "any", "anyone", "somebody", "one", "anybody") and not self.item(1).get(
                "squad"
            ):
                some = True
                self.at += 1
            elif word and (not kind or (kind == "arrive" and word != "arrive")) and not (
                (item.word == "left" and not denied) or (item.get("to") and not self.item(1).get("stop"))
            ):  # fmt: skip
                kind = word
                self.at += 1
            elif kind and (self.fits("units") or item.word in ("and", "but")) and (
                who or foe or place or kind != "arrive"
            ) and not (kind == "losses" and amount is None):  # fmt: skip
                break
            elif (one := self.who()) is not None:
                if one.part is not None:
                    amount, percent = one.part, one.percent
                foe, who = (one, who) if one.foe else (foe, (*who, replace(one, part=None, where=None)))
                place = one.where if not one.foe and place is None else place
            elif share := self.take("share"):
                amount, percent = _number(share), not all(each.get("number") is not None for each in share)
                amount = amount or _who(share, False).part
            elif (
                place is not None
                and kind in ("", "arrive")
                and any(map(self.fits, ("goal", "markers", "feature", "at")))
            ):
                break
            elif item.get("letter"):
                place = Place("markers", str(item.get("letter")))
                self.at += 1
            elif kind in ("", "arrive") and place is None and (at := self.place()) is not None:
                place = at
            elif item.get("verb") and not kind:
                kind = EVENT_OF.get(str(item.get("verb")), "")
                self.at += 1
            elif not item.means:
                break
            if self.at == start:
                self.at += 1
        if not kind and denied and foe is not None:
            kind = "dead"
        if (not kind and place is None) or (kind in ("", "arrive") and foe is not None and not who):
            return None
        own = any(item.get("own") for item in self.items[first : self.at])
        theirs = foe is not None or (not own and (bool(who) and who[0].base == "they" and kind == "dead"))
        if kind == "dead" and foe is None and who and who[0].base == "type" and amount is None:
            foe, theirs = replace(who[0], foe=True), True
        if kind in ("dead", "losses") and (amount is not None or not theirs or kind == "losses"):
            kind = "enemy losses" if theirs else "losses"
        if kind == "sighted" and foe is None and who and who[0].base != "they":
            kind = "arrive"
        return Event(kind or "arrive", amount or 0, amount is not None and not percent, some, who, foe, place)


EVERYONE = ("everything", "everyone", "everybody", "all")
NOUNS = {
    "area", "feature", "marker", "type", "squad", "all", "goal", "share", "event", "number", "foe", "offset", "move",
    "every", "to", "name", "rest", "pronoun",
}  # fmt: skip
BEFORE_NOUN = {
    "the",
    "a",
    "an",
    "our",
    "my",
    "your",
    "of",
    "each",
    "every",
    "their",
    "its",
    "his",
    "her",
    "this",
    "no",
    "any",
    "final",
}
EVENT_OF = {
    "attack": "dead", "go": "arrive", "gather": "arrive", "spread": "arrive", "hold": "arrive", "retreat": "arrive",
}  # fmt: skip


def _number(items: Sequence[Item]) -> int | None:
    """Return the number that items say, such as `twenty-five` or `two hundred`."""
    total = None
    for item in items:
        value = item.get("number")
        if isinstance(value, int) and item.word != "ones":
            total = value if total is None else total * value if value >= 100 else total + value
    return total


def _ids(items: Sequence[Item]) -> Who:
    parts: list[tuple[int, int | None]] = []
    names = tuple(str(item.get("type")) for item in items if item.get("type"))
    for item in items:
        if isinstance(listed := item.get("ids"), tuple):
            parts += listed
        elif isinstance(span := item.get("range"), tuple):
            parts.append(span)
        elif isinstance(one := item.get("number"), int):
            parts.append((one, one + 1))
    return Who("type" if names else "ids", names=names, ids=tuple(parts))


def _who(items: Sequence[Item], foe: bool) -> Who:
    """Return the units that a phrase of the grammar names."""
    who, base = Who(foe=foe, part=_number(items)), ""
    rank = ("", "they", "all", "type", "squad", "rest")
    who = replace(who, percent=who.part is not None and any(item.word in ("percent", "cent") for item in items))
    for item in items:
        kind = ""
        if item.get("percent") is not None:
            who = replace(who, part=int(str(item.get("percent"))), percent=True)
        elif item.get("share") and not (item.get("rest") and item.word.startswith(("the other", "other"))) and (
            who.part is None or who.percent
        ) and not (item.get("all") and len(items) > 1 and item is items[-1]):  # fmt: skip
            who = replace(who, part=SHARES[str(item.get("share"))], percent=True)
        elif item.get("rest"):
            kind = "rest"
            who = replace(who, part=None, percent=True) if "half" in item.word else who
        elif item.get("type", "class"):
            kind = "type"
            who = replace(who, names=(*who.names, str(item.get("type", "class"))))
        elif item.get("ordinal") is not None and who.percent | any(each.get("rest") for each in items):
            who = replace(who, percent=True, part=None)  # `the remaining third`
        elif item.get("ordinal") is not None:
            who = replace(who, number=int(str(item.get("ordinal"))))
        elif item.get("dir"):
            who = replace(who, where=Place("part", dir=str(item.get("dir"))))
            who, kind = (replace(who, pick="most"), kind) if item.word.endswith("most") else (who, "all")
        elif item.word in ("nearest", "closest") or item.get("manner") in ("weakest", "strongest", "nearest"):
            pick = str(item.get("manner") or "nearest")
            who = replace(who, pick=pick if pick in ("weakest", "strongest") else "nearest")
        elif item.get("squad"):
            kind = "squad" if not foe and not who.pick and (who.number or (who.part and not who.percent)) else "all"
        elif item.get("pronoun"):
            kind = "they"
            who = replace(who, each=item.word == "each" and who.part is not None, number=2 * (item.word == "both"))
        elif item.get("all"):
            kind = "all"
        base = max(base, kind, key=rank.index)
    if who.where and who.percent and who.part == 50:
        who = replace(who, part=None, percent=False)  # `the left half` are those on the left
    base = "squad" if not base and who.number else base
    if base == "squad":
        who = replace(who, number=who.number or who.part or 0, part=None)
    return replace(who, base=base or ("all" if foe else "they"), number=who.number if base in ("squad", "they") else 0)


def _place(name: str, items: Sequence[Item]) -> Place:
    """Return the place that a phrase of the grammar names."""

    def values(kind: str) -> list[object]:
        return [value for item in items if (value := item.get(kind)) is not None]

    if name == "line":
        return Place("box", (values("at")[0], values("at")[1], any(item.text == "-" for item in items)))
    if name in ("at", "axis"):
        (kind, value), *_ = items[0].means.items()
        return Place(kind, value)
    if name == "those":
        dirs = [str(item.get("dir")) for item in items if item.get("dir")]
        return Place("feature", "", dirs[0], every=True)
    if name in ("goal", "same"):
        return Place(name)
    if name == "start":
        return Place("start", "foe" if values("foe") or values("pronoun") else None)
    number = _number(items[1:]) or 0
    if name == "markers":
        letters = "".join(map(str, values("letter")))
        if len(letters) == 2 and letters[0] < letters[1] and any(item.word == "to" for item in items):  # `A to D`
            letters = "".join(map(chr, range(ord(letters[0]), ord(letters[1]) + 1)))
        ordinal = next((int(str(value)) for value in values("ordinal")), 0)
        return Place("markers", letters or ("one" if ordinal else "all"), number=ordinal)
    dirs = [str(item.get("dir")) for item in items if item.get("dir")]
    letters = "".join(dirs)
    side = next((c for c in letters if c in "ns"), "") + next((c for c in letters if c in "ew"), "")
    areas = [str(value) for value in values("area")]
    deep = "deep" in areas
    every = bool(values("every")) or any(
        "plural_bridge" for item in items if item.get("feature") and item.word.endswith("s")
    )
    if name == "feature":
        named = [str(value) for value in values("name")]
        last = next(at for at, item in enumerate(items) if item.get("name") or item.get("feature"))
        number = _number(items[last + 1 :]) or 0
        kind = named[0] if named else str(values("feature")[0])
        ordinal = next((int(str(item.get("ordinal"))) for item in items[:last] if item.get("ordinal")), 0)
        ordinal = 0 if values("every") else ordinal
        whole = bool(values("every")) or _number(items[:last]) or (kind == "bridge" and items[last].word.endswith("s"))
        return Place(
            "feature",
            kind,
            side,
            number=number or ordinal,
            every=bool(whole) and not (named or number),
            deep=deep,
            most=any(item.get("dir") and item.word.endswith("most") for item in items),
            other=bool(values("rest")),
        )
    areas = [area for area in areas if area not in ("map", "side", "deep")]
    area = areas[0] if areas else "half" if values("share") else ""
    if deep and not (side or area):
        return Place("feature", "forest", deep=True)
    return Place("part", area, side, every=(every and area == "corner") or area == "wings", deep=deep)


def clauses(items: Sequence[Item]) -> list[Clause]:
    """Return the clauses of an order in the order in which they were said."""
    found = [each for each in _Reader(items).read() if not (each.link == "otherwise" and each.verbs == ["resume"])]
    for one, other in pairwise(found):  # `after 80 ticks one goes here while another goes there`
        if other.link == "while" and other.when is None:
            other.when = one.when
    for number, clause in enumerate(found):  # `A if E, otherwise B` is B until E, then A
        if clause.link == "otherwise" and number and (before := found[number - 1]).when is not None:
            clause.until, before.when, before.link, clause.link = before.when, None, "then", before.link
            found[number - 1], found[number] = clause, before
    return found


class _Reader:
    """Collects what a parser reads into clauses."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.parser = Parser(items)
        self.clause = Clause()
        self.found = [self.clause]
        self.weak = self.denied = False  # whether a comma or `and` came just before; whether `not` came in the clause
        self.every = False  # whether the places that follow are those of `each of`

    def begin(self, link: str) -> Clause:
        """Begin a new clause, if the present one has said anything."""
        clause = self.clause
        if (
            clause.acts
            or clause.manner
            or clause.unknown
            or clause.denied
            or clause.when
            or (clause.who and link != "and")
        ):
            self.clause = Clause(link=link)
            self.found.append(self.clause)
        elif link == "then" or clause.link != "then":
            clause.link = link if link != "and" or not clause.words else clause.link
        self.weak = self.denied = self.every = False
        return self.clause

    def read(self) -> list[Clause]:
        """Read all items."""
        parser = self.parser
        while parser.at < len(parser.items):
            start = parser.at
            self.step()
            self.clause.words += [
                item.text for item in parser.items[start : parser.at] if item.get("stop") is None or item.text in "()"
            ]
        for clause in self.found:
            passive = not clause.verbs and (clause.denied or "peace" in clause.manner)
            if clause.foe and passive:  # `enemies do not matter`
                clause.foe, clause.manner = [], {*clause.manner, "peace"}
                clause.places = [place for place in clause.places if place.kind != "same"]
        return [clause for clause in self.found if clause.words]

    def step(self) -> None:
        """Read one phrase into the present clause or a new one."""
        parser, clause = self.parser, self.clause
        item, word = parser.item(), parser.item().word
        if sign := str(item.get("stop") or ""):
            parser.at += 1
            if sign in ".!?;\n" or (sign == ":" and (clause.acts or not clause.who)):
                self.begin("stop")
            self.weak = True
        elif word in ("and", "but", "&"):
            parser.at += 1
            self.weak, self.denied = True, False
        elif item.get("then") == "then" and not (
            parser.item(-1).word in BEFORE_NOUN and word in ("last", "next", "later")
        ):
            parser.at += 1
            if clause.acts and (parser.item().get("stop") or not parser.item().text):
                clause.link = "then"  # `meet at B afterwards`
            else:
                self.begin("then")
        elif item.get("when") and word != "as" and self.waits(str(item.get("when"))):
            pass
        elif parser.fits("none_left"):  # `no bridge is left open`
            parser.at += 1
            kind = next(each.get("feature") for each in parser.take("none_left_rest") if each.get("feature"))
            clause.places.append(Place("feature", kind, every=True))
        elif item.get("not") and not item.get("manner") and not parser.item(1).get("squad", "foe"):
            parser.at += 1
            self.denied = True
            clause.denied += [] if clause.verbs else [""]
        elif word == "within" and parser.grammar.end("distance", parser.at + 1) > parser.at + 1:
            parser.at += 1
            clause.leash = parser.distance()
        elif parser.fits("ticks"):
            clause.until = Event("ticks", _number(parser.take("ticks")) or 0)
        elif parser.fits("squads") and not (item.get("verb") and parser.verbal()):
            self.clause.squads = _number(parser.take("squads")) or (2 if parser.item(-1).word == "halves" else -1)
        elif parser.verbal() and (item.get("cannot") or (item.get("think") and not clause.full)):
            self.other(item)
        elif item.get("verb", "shield") and parser.verbal():
            self.verb(item)
        elif not self.noun_phrase():
            self.over()

    def waits(self, kind: str) -> bool:
        """Read `when`, `once`, `until`, `before` or `while` with what follows."""
        parser, start = self.parser, self.parser.at
        parser.at += 1
        if kind in ("while", "otherwise"):
            self.begin(kind)
            return True
        event = parser.event()
        parser.fresh = parser.at
        if event is None:
            word = parser.items[start].word
            parser.at = start + 1
            if kind == "before" or word in ("after", "upon"):
                self.begin("then")
            else:
                unread = " ".join(each.text for each in parser.items[start : start + 6])
                self.clause.lost.setdefault("when", unread)
        elif kind == "until" and event.kind == "arrive" and event.place is not None and all(
            who.base in ("they", "all") for who in event.who
        ):  # fmt: skip
            self.clause.places.append(event.place)
        elif kind == "until":
            self.clause.until = event
        elif kind == "before":
            self.clause.until = event
            if event.kind != "arrive" and (self.denied or self.clause.denied or "leash" in self.clause.manner):
                self.clause.places = [] if "go" in self.clause.denied else self.clause.places
                self.clause.verbs = [*(v for v in self.clause.verbs if v not in ("go", "attack")), "stay"]
                self.clause.manner, self.denied = self.clause.manner - {"peace"}, False
        else:
            clause = self.clause
            if (clause.acts and self.weak) or clause.when is not None:
                clause = self.begin("and")
            clause.when, self.weak = event, False
        return True

    def other(self, item: Item) -> None:
        """Read what no unit can do, or needs no order, to the end of the clause."""
        parser = self.parser
        if item.word in ("on fire", "ablaze", "alight"):  # `set the wood on fire`
            parser.at += 1
            self.clause.verbs, self.clause.places = ["cannot"], []
            return
        self.begin("and").verbs.append("cannot" if item.get("cannot") else "think")
        parser.at += 1
        while not (parser.item().get("stop", "then", "when") or parser.item().word in ("", "and", "but")):
            if parser.item().word == "to" and parser.item(1).get("verb") and not parser.item(1).get("type"):
                break
            if (place := parser.place()) is not None:
                self.clause.places.append(place)
            else:
                parser.at += 1

    def verb(self, item: Item) -> None:
        """Take a verb into the clause, or into a new one where the present one has its object."""
        parser, clause = self.parser, self.clause
        verb = str(item.get("verb") or "shield")
        parser.at += 1
        if item.word in ("as reserve", "as a reserve", "in reserve") and clause.full:
            return
        if item.word.startswith("leav") and (parser.fits("feature") or parser.fits("part")):  # `leave the trees`
            parser.place()
            return
        if item.word.endswith(" out") and parser.skip("of"):  # `get out of the trees`
            parser.place()
        if item.get("shield") and clause.who and not (clause.places or clause.foe) and self.shields():
            return
        if self.denied:
            clause.denied.append(verb)
            self.denied = False
            clause.manner |= (
                {"peace"} if verb == "attack" else {"leash"} if verb in ("go", "retreat", "flank") else set()
            )
            return
        passive = clause.foe and not clause.verbs and not clause.places
        pairs = {"hold", "spread", "split", "stay", "think", "gather"}
        ahead = clause.places and not (clause.who or clause.verbs or self.weak)  # `10 m north of them make a line`
        flanks = clause.verbs[-1:] == ["flank"] and not clause.foe and verb in ("attack", "go")
        another = clause.verbs and self.weak and not {verb, clause.verbs[-1]} <= pairs
        if not flanks and ((clause.full and not passive and not ahead) or another or "think" in clause.verbs):
            clause = self.begin("and")
        clause.verbs.append(verb)
        if item.get("manner") in ("cover", "distance", "close"):
            clause.manner |= {str(item.get("manner"))} | ({"peace"} if item.get("manner") == "cover" else set())
        self.weak = False

    def shields(self) -> bool:
        """Read `spearmen cover the archers`: the latter stand behind the former."""
        parser, start, clause = self.parser, self.parser.at, self.clause
        mine = parser.units() if parser.item().word != "it" else ()
        if mine and not mine[0].foe and mine[0].base in ("type", "they"):
            if mine[0].base == "they" and clause.own:
                clause.places.append(Place("beside", "behind", of=clause.own[-1:]))
                clause.verbs, clause.own = [*clause.verbs, "shield"], ()
            elif mine[0].base == "they" and len(clause.who) > 1:  # `archers where the spearmen shield them`
                clause.places.append(Place("beside", "behind", of=clause.who[-1:]))
                clause.verbs, clause.who = [*clause.verbs, "shield"], clause.who[:-1]
            elif mine[0].base == "they":
                clause.verbs, clause.own = [*clause.verbs, "follow"], mine
            else:
                clause.places.append(Place("beside", "behind", of=clause.who[-1:]))
                clause.verbs, clause.who = [*clause.verbs, "shield"], mine
            return True
        parser.at = start
        return False

    def noun_phrase(self) -> bool:
        """Read units, a place or a manner; return whether there was one."""
        parser, clause, start = self.parser, self.clause, self.parser.at
        item = parser.item()
        manner = item.get("manner")
        if parser.fits("apart"):
            parser.take("apart")
            clause.manner.add("distance")
        elif manner == "behind":
            parser.at += 1
            if (front := parser.units()) and front[0].base == "type":
                clause.places.append(Place("beside", "behind", of=front))
            elif front:  # `every bridge is protected by a part of the army`
                clause.verbs, clause.who = [*clause.verbs, "hold"], clause.who or front
        elif item.get("leave_out"):
            parser.at += 1
            if clause.foe and not clause.verbs:
                clause.foe, clause.manner = [], {*clause.manner, "peace"}
            elif parser.place() is None:
                parser.who()
                clause.manner.add("peace")
            else:
                self.begin("and").denied.append("place")
                while parser.skip("and", ",") and parser.place() is not None:
                    pass
                self.begin("and")
        elif item.word == "alone" and clause.foe:
            parser.at += 1
            clause.verbs, clause.manner = ["avoid"], {*clause.manner, "peace"}
            if not any(foe.names or foe.where for foe in clause.foe):
                clause.verbs, clause.foe = [], []
        elif (
            manner
            and not parser.fits("foes")
            and not (manner in ("weakest", "strongest", "nearest") and parser.fits("units"))
        ):
            parser.at += 1
            far = manner == "close" and (self.denied or bool(clause.denied))
            clause.manner = {*(clause.manner - {"leash"} if far else clause.manner), "distance" if far else str(manner)}
            self.denied = False
        elif item.get("alphabet"):
            parser.at += 1
            clause.manner.add("backward" if item.get("alphabet") == "backward" else "in turn")
        elif item.get("cancel"):
            parser.at += 1
            clause.verbs.append("cancel")
        elif self.objects():
            pass
        elif (place := parser.place()) is not None:
            leads_on = parser.fits("lead") or parser.item().get("verb") == "go" or place.kind == "same"
            away = leads_on or "retreat" in clause.verbs or (item.word == "out of" and bool(clause.foe))
            away &= parser.items[start].get("to") == "from"
            if self.weak and clause.full and parser.item().get("verb", "light"):  # `and 10 m north of them make a line`
                clause = self.begin("and")
            if place.kind == "beside" and place.of == (Who("rest"),) and clause.foe:  # `hit them from behind`
                clause.verbs.append("flank")
                away = True
            clause.places += [] if away else [replace(place, every=place.every or self.every)]
            self.weak = False
        else:
            parser.at = start
            return False
        return True

    def objects(self) -> bool:
        """Read units: the subject of the clause, its object, or the subject of the next one."""
        parser, clause, start = self.parser, self.clause, self.parser.at
        if (parser.fits("feature") and not parser.fits("units")) or parser.fits("start") or parser.fits("those"):
            return False
        if (parser.item().word == "it" and (clause.verbs or clause.who)) or parser.fits("place_of_all"):
            return False
        joined = parser.item().word in ("with", "using")
        lead = not joined and parser.item().get("to", "against")
        if lead and parser.item(1).word == "it":
            return False
        if (
            lead
            and parser.item(1).word == "each"
            and parser.item(2).word == "of"
            and parser.item(3).get("at", "letter")
        ):
            parser.at += 3
            self.every = True
            return True
        if (
            lead
            and parser.item(1).word == "each"
            and parser.grammar.end("place_of_all", parser.at + 1) == parser.at + 1
        ):
            parser.at += 2
            clause.places.append(Place("same", every=True))
            return True
        parser.at += bool(joined or lead)
        units = parser.units(bool(clause.verbs or clause.places))
        if not units:
            parser.at = start
            return False
        one, verb, fights = units[0], clause.verbs[-1] if clause.verbs else "", bool(ACTIONS & set(clause.verbs))
        said = parser.items[start : parser.at]
        subject = self.weak and (one.base == "they" or bool(parser.item().get("verb")))  # of the next clause
        theirs = (
            one.base in ("type", "they", "rest", "all") and one.part is None and not any(i.get("own") for i in said)
        )
        whole = one.base == "all" and not (clause.who or one.pick) and said[-1].word not in EVERYONE
        objects = (
            fights
            and theirs
            and not (whole or subject or joined or clause.foe)
            and not (one.base == "rest" and self.weak)
        )
        leaving = "from" in (parser.item(-1 - len(said)).get("to"), said[0].get("to")) or (
            lead and said[0].get("to") == "from"
        )
        if one.foe and clause.denied and not clause.verbs and not clause.foe:  # `do not stop for any enemy`
            clause.manner.add("peace")
        elif one.foe and (leaving or ("distance" in clause.manner and not fights)):  # `distance to the enemy`
            clause.manner.add("distance")
        elif one.foe or objects:
            foes = [
                replace(each, foe=True, base="all" if each.base in ("they", "rest") else each.base) for each in units
            ]
            if lead and lead != "against" and not fights and clause.verbs:
                clause.places.append(Place("units", of=tuple(foes[:1])))
            else:
                clause = self.begin("and") if clause.full and self.weak and not clause.foe else clause
                clause.foe += [*foes[:-1], self.parser.found_at(foes[-1])]
        elif lead and said[-1].word in ("us", "me", "army", "troops") and parser.items[start].word in ("to", "towards"):
            clause.places.append(Place("start"))
        elif lead:
            if one.base in ("they", "all", "rest") and not (
                one.base == "they" and parser.items[start].word in ("to", "by")
            ):
                parser.at = start
                return False
            clause.places.append(Place("units", of=units[:1]))
        elif one.base == "they" and one.part is None and (clause.who or clause.foe) and not (self.weak and clause.full):
            clause.own = units if verb in ("follow", "shield") and not clause.own else clause.own
        elif (
            verb in OWN_OBJECT
            and clause.who
            and not (clause.own or clause.places or self.weak or joined)
            and one.base != "all"
        ):
            clause.own = units
            clause.verbs.append("follow")
        elif joined and clause.who and len(clause.places) > 1 and not parser.item().get("verb"):
            place, verbs = clause.places.pop(), list(clause.verbs)  # `to A with the archers and to B with the cavalry`
            clause = self.begin("and")
            clause.who, clause.places, clause.verbs = units, [place], verbs
        elif joined and clause.acts and parser.item().get("verb", "offset") and (clause.verbs or clause.places):
            self.begin("and").who = units  # `with the archers shooting from behind`
        elif joined and clause.acts:
            more = (
                (Who("they"),) if parser.item(-1 - len(said)).word == "together" or said[0].word == "together" else ()
            )
            clause.who = (*(clause.who or more), *units)
        elif not clause.who and not (clause.full and (self.weak or clause.places)) and not (subject and clause.verbs):
            clause.who = units
        elif clause.who and not (clause.acts or clause.when):
            clause.who = (*clause.who, *units)
        elif not (one.base == "all" and one.part is None and not one.minus and clause.who and not self.weak):
            self.begin("and").who = units
        self.weak = False
        return True

    def over(self) -> None:
        """Step over a word without a meaning here; keep it, if it has none at all."""
        parser, clause = self.parser, self.clause
        item = parser.item()
        parser.at += 1
        if item.means and not item.means.keys() & {
            "number",
            "percent",
            "at",
            "xs",
            "y",
            "ids",
            "range",
            "metres",
            "name",
        }:
            return
        clause.unknown.append(item.text)
        before = parser.item(-2)
        noun = before.word in ("the", "a", "an", "our", "my", "some", "all")
        led = parser.item(-3) if noun else before
        if not clause.words and parser.item().word in BEFORE_NOUN | {"all", "yourselves", "yourself"}:
            clause.lost.setdefault("verb", item.text)
        if (led.get("to") or led.get("offset")) and led.word not in ("with", "for") and not clause.places:
            clause.lost.setdefault("place", item.text)
        elif (noun or before.get("number") is not None) and not (clause.who or clause.places or clause.foe):
            clause.lost.setdefault("who", item.text)
