"""Items to phrases: units, places and events, by the patterns of a grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from hive.players.words.clauses import Event, Place, Who
from hive.players.words.lexicon import Grammar, Item

SHARES = {
    "half": 50, "third": 33, "two_thirds": 67, "quarter": 25, "three_quarters": 75, "most": 75, "some": 33, "few": 10,
    "tenth": 10, "sixth": 17, "eighth": 12, "fifth": 20,
}  # fmt: skip
NOUNS = {
    "area", "feature", "marker", "type", "squad", "all", "goal", "share", "event", "number", "foe", "offset", "move",
    "every", "to", "name", "rest", "pronoun",
}  # fmt: skip
BEFORE_NOUN = {
    "the", "a", "an", "our", "my", "your", "of", "each", "every", "their", "its", "his", "her", "this", "no", "any",
    "final",
}  # fmt: skip
COMPASS = ("n", "s", "e", "w", "ne", "nw", "se", "sw")
CALLED = ("screen", "reserve", "guard", "rearguard", "vanguard", "garrison", "patrol", "picket", "decoy", "bait")
NEARBY = {"within", "near", "close to"}
SHORES = ("bank", "shore", "riverbank", "riverside", "waterside")
SEES = ("see", "sees", "spot", "spots", "sight", "sights")
ALL_OF_THEM = ("all of them", "all", "the lot", "the whole lot")
EVENT_OF = {
    "go": "arrive", "gather": "arrive", "spread": "arrive", "hold": "arrive", "retreat": "arrive",
}  # fmt: skip

NESTED = 4


class Parser:
    """Reads phrases of a grammar from left to right."""

    def __init__(self, items: Sequence[Item]) -> None:
        """Begin at the first item."""
        self.nested = 0
        self.items, self.at, self.grammar = list(items), 0, Grammar(items)
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

    def text(self, start: int) -> str:
        """Return what was written from an item to the next one."""
        return " ".join(item.text for item in self.items[start : self.at])

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
        begin = start
        while (one := self.who(bool(found))) is not None and (not found or one.foe == found[0].foe):
            own_clause = self.item().get("verb", "light", "manner") and not self.item().get("to")
            own_clause = own_clause or self.item().get("against") or (one.base == "type" and self.item().word == "for")
            if found and one.base == "they" and self.items[begin].word == "one":  # `parties of 5 archers, one goes ...`
                break
            if found and object_ and (own_clause or (one.base == "rest" and self.item().text)):
                break
            apiece = one.base == "they" and one.part and "each" in (self.item().word, self.item(1).word)
            if found and apiece and found[-1].part is None:  # `with archers, ten at each`
                found[-1] = replace(found[-1], part=one.part, percent=one.percent)
                start = self.at
                break
            if one.part and not one.percent and (said := self.take("composed")):  # `80 men, half of them archers`
                some = who_of(said, False)
                count = some.part or 0
                count = round(one.part * count / 100) if some.percent else count
                found.append(replace(one, base="type", names=some.names, part=count))
                one = replace(one, part=one.part - count, minus=(Who("type", names=some.names),))
            found += [] if found and self.item(-1).word in ALL_OF_THEM else [one]  # `the spearmen, all of them, ...`
            start = self.at
            if not self.skip("and", ",", "&", "plus", "or"):
                break
            begin = self.at
        self.at = start
        return tuple(found)

    def who(self, joined: bool = False) -> Who | None:
        """Read some units of one side, or leave the items as they are."""
        start = self.at
        noun = self.item(1).word if self.item().word in ("the", "this", "that", "our") else ""
        if self.item().word == "he" and any(item.get("foe") or "enem" in item.word for item in self.items[: self.at]):
            self.at += 1  # `let the enemy come: once he is there ...`
            return Who("all", foe=True)
        if noun in CALLED and self.item(2).word != "of" and any(noun in item.word for item in self.items[: self.at]):
            self.at += 2
            return Who("called", called=noun)
        if self.item().get("except"):
            who = Who("all")
        elif ids := self.take("foe_ids"):
            who = replace(_ids(ids), base="all", foe=True)
        elif ids := self.take("ids"):
            who = _ids(ids)
        elif foes := self.take("foes"):
            who = who_of(foes, True)
        elif not (self.fits("squads") and not self.fits("place_of_all")) and (units := self.take("units")):
            who = who_of(units, False)
            if who.base == "they" and joined and who.part is None:
                self.at = start
                return None
        else:
            return None
        vague = any(item.get("share") in ("some", "few", "most") for item in self.items[start : self.at])
        if vague and who.percent and (said := self.take("apposed")):  # `a few riders, 20 or so`
            exact = who_of(said, who.foe)
            who = replace(who, part=exact.part, percent=exact.percent)
        if self.item().get("except"):
            self.at += 1
            who = replace(who, base=who.base or "all", minus=self.units())
        self.nested += 1  # of units beside units beside others, the first few are read
        who = self.standing(who) if self.nested <= NESTED else who
        self.nested -= 1
        return who

    def standing(self, who: Who) -> Who:
        """Read where units stand, as in `the archers left of the camp go ...` or `the nearest 20 to (5, 5)`."""
        open_ = "who" in (self.item().word, self.item(-1).word[-3:]) or self.item().word == "that"
        if (
            who.base == "all" and not who.foe and open_ and (said := self.take("others"))
        ):  # `everyone who is not an archer`
            return replace(who, minus=(who_of(said, False),))
        start = self.at
        if who.pick == "nearest" and not who.foe and self.item().word == "to":
            place = self.place()
            if place is not None:
                return replace(who, where=place, base="all" if who.base == "they" else who.base)
        stand = self.item(1).word in ("stand", "stands") and not who.foe
        if self.item().word in ("who", "which", "that") and self.item(1).get("verb") and not stand:
            self.at += 1
            begin, self.at = self.at, self.at + 1
            if who.foe and self.place() is not None:  # `enemies who cross the bridge`
                return replace(who, unread=self.text(start - 1))
            self.at = begin
            if who.foe and not self.item(1).text.strip(".,;!"):  # `enemies that pass by`
                self.at += 1
            return who
        relative = self.item().word in ("who", "whose") or (
            self.item().word in ("that", "which") and self.item(1).word in ("have", "has", "are", "is", "can")
        )
        told = self.skip("that", "which", "who", "whose", "are", "is", "standing", "now", "start", "started", "waiting")
        told |= told and self.skip("stand", "stands")
        if self.item().get("offset") or self.item().word in ("at", "in", "on", "from", "around", "near"):
            leaving = self.item().word == "from"
            place = self.place()
            if leaving and who.foe and place is not None and place.kind != "way" and not place.of:
                self.at = start  # `shoot the archers from the wood`
                return who
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
        if relative and not who.foe and who.base != "they":
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
        return _metres(items)

    def place(self) -> Place | None:
        """Read a place with the words that lead to it, or leave the items as they are."""
        start = self.at
        if way := self.take("way"):
            dirs = [str(each.get("dir")) for each in way if each.get("dir")]
            move = next((each.get("move") for each in way if each.get("move")), dirs[0] if dirs else "")
            if not self.fits("lead") or dirs:
                return Place("way", move, metres=_metres(way))
            self.at = start + 1
        metres = self.distance()
        if metres is None and self.item(1).get("offset") and isinstance(bare := self.item().get("number"), int):
            self.at, metres = self.at + 1, bare  # `10 behind them`
        lead = self.take("lead")
        via = bool(lead) and lead[-1].get("to") == "via" and lead[-1].word not in ("along", "round")  # not `over to A`
        metres = self.distance() if metres is None else metres
        both = self.item().get("dir") if self.item(1).word == "and" and self.item(2).get("offset") in COMPASS else None
        self.at += 2 * bool(both)  # `left and right of the pond`
        place = self.beside(metres) if self.item().get("offset") else self.spot()
        if both and place is not None and place.kind == "beside":
            place = replace(place, kind="sides", value=(both, place.value), every=True)
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
        if relation == "between" and not anchors:  # `A at (40, 40), B at (60, 40), C in between`
            anchors = [Who("they", number=2)]
        if (
            anchors
            and isinstance(axis := anchors[0], Place)
            and axis.kind in ("xs", "y")
            and relation in ("n", "s", "e", "w")
        ):
            value = axis.value[0] if isinstance(axis.value, tuple) else axis.value
            return Place("zone", (axis.kind, value), dir=str(relation))  # `west of x=75`
        if relation == "this_side" and anchors and isinstance(anchors[0], Place) and anchors[0].every:
            return anchors[0]  # units that share out over bridges stand on this side of them
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
        if items := self.take("short"):  # `NE 3`
            return Place("feature", "", str(items[0].get("dir")), number=number_of(items[1:]) or 0)
        for name in ("line", "at", "axis", "markers", "those", "home", "feature", "goal", "start", "part", "same"):
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
        if place.kind in ("feature", "part") and not place.every and self.exact():
            return Place("at", self.item(-1).get("at"), of=(place,))
        if (
            place.kind == "feature" and self.item(-1).text.endswith("'s") and self.fits("part")
        ):  # `the camp's east side`
            inside = self.spot()
            return replace(inside, of=(place,)) if inside else place
        if place.kind in ("part", "xs", "units") and self.skip("of", "on", "in", "at", "along"):
            it = self.item().word == "it" or not self.fits("units") or self.fits("feature")
            inside = self.spot() if it else None
            if inside is not None and inside.kind in ("feature", "same", "part", "goal"):
                if inside.kind == "part" and place.kind == "part":
                    return replace(place, dir=place.dir or inside.dir, value=place.value or inside.value)
                return replace(place, of=(inside,), deep=place.deep or inside.deep)
        self.at = start
        if place.kind == "part" and place.dir and self.item().word in ("one", "ones"):
            self.at += 1
            return Place("feature", "", dir=place.dir, every=place.every or self.item(-1).word == "ones")
        return place

    def exact(self) -> bool:
        """Step to the end of coordinates that say where in a place, as in `the camp at (150, 134)`."""
        start = self.at
        self.skip("at", "near", "around", "round", ",")
        if self.item().get("at") and not self.item(1).get("to") and self.item(1).text != "-":
            self.at += 1
            return True
        self.at = start
        return False

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
        adjective = adjective and not (before.get("then") and self.item(-2).word not in BEFORE_NOUN)  # `first attack`
        if before.get("dir") and self.item(-3).get("to") and not nouns:
            return True  # `those on the right stay`
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
        done = False  # whether units of one's own have done it
        moves = False  # whether a verb of motion was read as an arrival
        if self.item().get("event") == "ticks" and self.item(1).get("number"):
            self.at += 1
            return Event("ticks", number_of(self.take("count")) or 0)
        first = self.at
        while self.at < len(self.items):
            item, start = self.item(), self.at
            word = str(item.get("event") or "")
            done |= bool(who) and item.word in ("have", "has", "had")
            there = item.word == "let" or (kind == "arrive" and self.item(-1).word == "there" and self.fits("lead"))
            there |= bool(kind) and item.get("verb") == "attack" and not item.word.endswith("ed")
            if there or item.get("stop") or item.get("then") == "then" or (kind and item.get("verb") and not word):
                break
            if ticks := self.take("ticks"):
                return Event("ticks", number_of(ticks) or 0)
            if word in ("ticks", "unclear") or item.word in ("fewer", "less", "below", "under"):
                return None
            if foe is not None and not who and NEARBY & {item.word, (item.get("verb") and self.item(1).word) or ""}:
                self.at += 1 + (item.word not in NEARBY)  # `when enemies get within 20 m of the archers`
                self.distance()
                self.skip("of", "to")
                return Event("sighted", foe=foe, place=Place("same")) if self.who() or self.place() else None
            if item.get("not"):
                denied = True
                self.at += 1
            elif item.word in ("first", "any", "anyone", "somebody", "one", "anybody") and not (
                self.item(1).get("squad") or self.item(-1).get("ordinal")
            ):
                some = True
                self.at += 1
            elif item.word in ("anything", "something", "whatever") and foe is None:
                foe = Who("all", foe=True)
                self.at += 1
            elif item.word == "there" and kind == "dead" and foe is not None and foe.where is None:
                foe = replace(foe, where=Place("same"))  # `once the enemies there are dead`
                self.at += 1
            elif word and (not kind or (kind == "arrive" and word != "arrive")) and not (
                (item.word == "left" and not denied) or (item.get("to") and not self.item(1).get("stop"))
            ):  # fmt: skip
                kind = word
                active = item.get("verb") == "attack" or item.word == "beaten"
                done = done and active and self.item(-1).word != "been"
                self.at += 1
            elif (
                foe is None
                and ((kind == "sighted" and self.item(-1).word in SEES) or (kind == "dead" and done))
                and (one := self.who()) is not None
            ):  # `if you see cavalry`, `once the archers have killed the cavalry`
                foe = replace(one, foe=True, base="type" if one.names else "all")
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
                amount, percent = number_of(share), not all(each.get("number") is not None for each in share)
                amount = amount or who_of(share, False).part
            elif (
                place is not None
                and kind in ("", "arrive")
                and any(map(self.fits, ("goal", "markers", "feature", "at")))
            ):
                break
            elif item.get("letter"):
                place = Place("markers", str(item.get("letter")))
                self.at += 1
            elif (
                (kind in ("", "arrive") or (foe and kind == "sighted") or (done and not foe))
                and place is None
                and (at := self.place()) is not None
            ):
                place = at
            elif item.get("verb") and not kind and foe is not None and not who:  # `as soon as enemies chase them`
                self.at += 1
                self.skip("them", "us", "it", "him", "you", "me", "our", "men")
                kind, after = "sighted", self.at
                if self.place() is not None:
                    return None
                self.at = after
                break
            elif item.get("verb") and not kind:
                kind = EVENT_OF.get(str(item.get("verb")), "")
                moves = item.get("verb") in ("go", "retreat")
                self.at += 1
            elif not item.means:
                break
            if self.at == start:
                self.at += 1
        if not kind and denied and foe is not None:
            kind = "dead"
        if kind in ("", "arrive", "sighted") and foe is not None and place is not None and not denied:
            return Event("sighted", foe=foe, place=place)  # `when they come over the bridge`
        if (not kind and place is None) or (kind in ("", "arrive") and foe is not None and not who):
            return None
        if moves and kind == "arrive" and place is None and who and who[0].base == "they":  # `once they have passed`
            return None
        own = any(item.get("own") for item in self.items[first : self.at])
        if kind == "dead" and foe is None and place is not None and (not who or done):  # `once the east is clear`
            foe, place = Who("all", foe=True, where=place), None
        if kind == "dead" and foe is not None and who and done and who[0].base != "they":
            return Event("dead", who=who, foe=foe)  # `once the archers have cleared the east`
        theirs = foe is not None or (not own and (bool(who) and who[0].base == "they" and kind == "dead"))
        if kind == "dead" and foe is None and who and who[0].base == "type" and amount is None:
            foe, theirs = replace(who[0], foe=True), True
        if kind in ("dead", "losses") and (amount is not None or not theirs or kind == "losses"):
            kind = "enemy losses" if theirs else "losses"
        if kind == "sighted" and foe is None and who and who[0].base == "type" and not own:  # `if spearmen come near`
            foe, who = replace(who[0], foe=True), ()
        if kind == "sighted" and foe is None and (place is not None or (who and who[0].base != "they")):
            kind = "arrive"
        kind = "sighted" if kind == "engaged" else kind or "arrive"  # who fights has seen an enemy
        return Event(kind, amount or 0, amount is not None and not percent, some, who, foe, place)


def number_of(items: Sequence[Item]) -> int | None:
    """Return the number that items say, such as `twenty-five` or `two hundred`."""
    total = None
    for item in items:
        value = item.get("number")
        if isinstance(value, int) and item.word != "ones":
            total = value if total is None else total * value if value >= 100 else total + value
    return total


def _numbers(items: Sequence[Item]) -> tuple[int, ...]:
    """Return all numbers of a list such as `1 to 4` or `1, 2 and 5`."""
    found: list[int] = []
    for number, item in enumerate(items):
        value, span = item.get("number"), item.get("range")
        if isinstance(span, tuple):
            found += range(span[0], span[1])
        elif isinstance(value, int) and found and items[number - 1].word == "to":
            found += range(found[-1] + 1, value + 1)
        elif isinstance(value, int):
            found.append(value)
    return tuple(found[:100])


def _metres(items: Sequence[Item]) -> int | None:
    """Return the distance that items say: `10m` is one item, and `10 metres` a number and its unit."""
    exact = next((value for item in items if isinstance(value := item.get("metres"), int)), None)
    return number_of(items) if exact is None else exact


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


def who_of(items: Sequence[Item], foe: bool) -> Who:
    """Return the units that a phrase of the grammar names."""
    items = [item for item, later in pairwise([*items, Item("")]) if not (item.word == "one" and later.get("share"))]
    who, base = Who(foe=foe, part=number_of(items)), ""
    rank = ("", "they", "all", "type", "squad", "rest")
    who = replace(who, percent=who.part is not None and any(item.word in ("percent", "cent") for item in items))
    for item in items:
        kind = ""
        if item.get("percent") is not None:
            who = replace(who, part=int(str(item.get("percent"))), percent=True)
        elif item.get("share") and base == "rest":  # `the remaining half`
            who = replace(who, part=None, percent=True)
        elif item.get("share") and not (item.get("rest") and item.word.startswith(("the other", "other"))) and (
            who.part is None or who.percent
        ) and not (item.get("all") and len(items) > 1 and item is items[-1]):  # fmt: skip
            who = replace(who, part=SHARES[str(item.get("share"))], percent=True)
        elif item.get("rest"):
            kind = "rest"
            who = replace(who, number=int(not re.search(r"every|\bmain\b|^all|whoever", item.word)))
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
    elif who.where and who.percent and not foe:
        who = replace(who, pick="most")  # `the left third`
    if who.part is not None and not foe and not any(item.get("squad") for item in items):
        who = replace(who, pick=who.pick or ("last" if who.number == -1 else ""), number=0 if not base else who.number)
    base = "squad" if not base and who.number else base
    if base == "squad":
        who = replace(who, number=who.number or who.part or 0, part=None)
    if foe and not who.percent and any(item.get("squad") for item in items) and (who.part or who.pick):
        return replace(who, base="all", number=who.part or 1, part=None)  # `the two nearest enemy groups`
    return replace(
        who, base=base or ("all" if foe else "they"), number=who.number if base in ("squad", "they", "rest") else 0
    )


def _place(name: str, items: Sequence[Item]) -> Place:
    """Return the place that a phrase of the grammar names."""

    def values(kind: str) -> list[object]:
        return [value for item in items if (value := item.get(kind)) is not None]

    if name == "line":
        return Place("box", (values("at")[0], values("at")[1], any(item.text == "-" for item in items)))
    if len(values("xs")) > 1:
        return Place("span", tuple(value for each in values("xs") if isinstance(each, tuple) for value in each))
    if name in ("at", "axis"):
        (kind, value), *_ = items[0].means.items()
        return Place(kind, value)
    if name == "those":
        dirs = [str(item.get("dir")) for item in items if item.get("dir")]
        return Place("feature", "", dirs[0], every=True)
    if name in ("goal", "same", "home"):
        return Place(name)
    if name == "start":
        return Place("start", "foe" if values("foe") or values("pronoun") else None)
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
    every = bool(values("every"))
    if name == "feature":
        sided = next((at for at, item in enumerate(items[:-1]) if item.get("area") == "side"), 0)
        ways = [str(item.get("dir")) for item in items[: sided + 1] if item.get("dir")]
        if len(ways) == 1 and items[sided + 1].word == "of" and not every:  # `the east side of the bridge`
            return Place("part", "", ways[0], of=(_place(name, items[sided + 2 :]),))
        named = [str(value) for value in values("name")]
        last = next(at for at, item in enumerate(items) if item.get("name") or item.get("feature"))
        among = _numbers(items[last + 1 :])
        number = among[0] if len(among) == 1 else 0
        kind = named[0] if named else str(values("feature")[0])
        ordinal = next((int(str(item.get("ordinal"))) for item in items[:last] if item.get("ordinal")), 0)
        ordinal = 0 if every else ordinal
        several = kind == "bridge" and items[last].word.endswith("s")
        return Place(
            "feature",
            kind,
            side,
            number=number or ordinal,
            every=(bool(every or several or number_of(items[:last])) and not (named or among)) or len(among) > 1,
            among=among,
            deep=deep,
            most=any(item.get("dir") and item.word.endswith("most") for item in items),
            other=bool(values("rest")),
            own=any(item.get("own") and item.word != "own" for item in items),
        )
    areas = [area for area in areas if area not in ("map", "side", "deep")]
    area = (
        areas[-1] if areas[-1:] in (["row"], ["column"]) else areas[0] if areas else "half" if values("share") else ""
    )
    if area == "edge" and side and any(item.word in SHORES for item in items):  # `the west bank`: of the water
        return Place("part", area, side, of=(Place("feature", "water"),))
    if deep and not (side or area):
        return Place("feature", "forest", deep=True)
    return Place("part", area, side, every=(every and area == "corner") or area == "wings", deep=deep)
