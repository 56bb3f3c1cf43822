"""Items of an order to phrases: numbers, units, places and what is waited for, each read from where it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from dsl.wording import is_whole
from hive.players.words.clauses import NAMED, Clause, Event, Place, Who
from hive.players.words.lexicon import Item

SHARES = {
    "half": 1 / 2, "third": 1 / 3, "two_thirds": 2 / 3, "quarter": 1 / 4, "three_quarters": 3 / 4, "most": 3 / 4,
    "some": 1 / 3, "few": 1 / 10, "tenth": 1 / 10, "sixth": 1 / 6, "eighth": 1 / 8, "fifth": 1 / 5,
}  # fmt: skip
DONE = {  # what has happened once a verb is done
    "go": "arrive", "gather": "arrive", "spread": "arrive", "hold": "arrive", "retreat": "arrive", "stay": "arrive",
    "attack": "attack", "avoid": "sighted",
}  # fmt: skip
ENDS = ("arrive", "dead", "ticks")  # kinds of events with nothing after their verb
KILLS = ("kill", "destroy", "eliminat", "beat", "defeat", "clear", "finish")
WORDS = {  # small words that patterns name together
    "det": "the|a|an|of|this|that|these|those|about|around|roughly|same|whole|any|own|other|entire|main|very",
    "joint": "and|or|&|plus|as well as|together with|along with|,",
    "approx": "at|least|about|by|another|some|up|to|a|within|not|more|than|of",
    "onward": "up|down|off|way|then|over|right|all the way|as far as",
    "in": "in|at|on|near|around|by|north of|south of|east of|west of",
    "it": "it|there|each|them|those|that",
    "fewer": "fewer|less|fewer than|less than|under|below",
    "someone": "anyone|anybody|anything|someone|any|one|something",
    "called": "screen|rearguard|vanguard|garrison|picket|decoy",
    "bring": "the|all|every|each|four|marked|lettered|of",
    "teams": "forces|teams|halves|parts",
    "everyone": "everybody|everyone|all|everything",
}
LONGEST = 12  # items of a phrase without those in it
NESTED = 4  # phrases in each other
SIDES = {name: side for side, name in NAMED.items()}
NOUN = "type|class|all|squad|foe"


@cache
def _terms(pattern: str) -> tuple[tuple[bool, frozenset[str], str], ...]:
    """Return the terms of a pattern: whether it is denied, what fits it, and `?` or `*` for how often."""
    found = []
    for term in pattern.split():
        mark = term[-1] if term[-1] in "?*" else ""
        found.append((term[0] == "!", _tags(*term.removeprefix("!").removesuffix(mark).split("|")), mark))
    return tuple(found)


@cache
def _tags(*terms: str) -> frozenset[str]:
    """Return what items have of which a term is said: names of `WORDS` stand for their words, and `$` for a stop."""
    words = (f"'{word}'" for term in terms if term in WORDS for word in WORDS[term].split("|"))
    return frozenset((*("stop" if term == "$" else term.replace("_", " ") for term in terms), *words))


def fits(item: Item, *terms: str) -> bool:
    """Whether an item is one of several things: `kind`, `kind:value`, `'word'`, a name of `WORDS`, `$` for a stop."""
    return not item.tags.isdisjoint(_tags(*terms))


class Phrases:
    """Reads phrases from left to right; whoever reads one that does not come leaves the items as they are."""

    def __init__(self, items: Sequence[Item]) -> None:
        """Begin at the first item."""
        self.items, self.at = list(items), 0
        self.clause = Clause()
        self.found = [self.clause]
        self.nested = 0
        self.types: tuple[str, ...] = ()  # that were named last, which numbers without a type are of
        self.labels: dict[str, tuple[Who, ...]] = {}  # units that were given a name

    def item(self, ahead: int = 0) -> Item:
        """Return the next item, or one further ahead or back; a stop beyond the ends."""
        at = self.at + ahead
        return self.items[at] if 0 <= at < len(self.items) else Item("", {"stop": "."})

    def ahead(self, pattern: str, ahead: int = 0) -> int:
        """Return how many items fit a pattern of terms from here on, or from further ahead; 0 if they do not come.

        A term is one of `fits`, or several joined by `|`; after it `?` means at most once, `*` any number of times; `!`
        before it means that the item is none of them, and is not stepped over.
        """
        at = ahead
        for denied, terms, mark in _terms(pattern):
            came = not self.item(at).tags.isdisjoint(terms)
            if denied and came:
                return 0
            if not denied and not came and not mark:
                return 0
            while came and not denied and at < ahead + LONGEST:
                at += 1
                came = mark == "*" and not self.item(at).tags.isdisjoint(terms)
        return at - ahead or int("!" in pattern and ahead == at)

    def skip(self, pattern: str) -> bool:
        """Step over the items of a pattern; return whether they came."""
        start = self.at
        self.at += self.ahead(pattern)
        return self.at > start

    def text(self, start: int) -> str:
        """Return what was written from an item to the next one."""
        return " ".join(item.text for item in self.items[start : self.at])

    def split(self) -> bool:
        """Whether squads were named, which are then called by their number."""
        return any(clause.squads for clause in self.found)

    # ---- numbers

    def count(self) -> int | None:
        """Read a whole number in digits or words, such as `two hundred and fifty`."""
        start, total, part = self.at, 0, 0
        while isinstance(number := self.item().get("number"), int) and self.item().word != "ones":
            digits = is_whole(self.item().text[:1])
            fits_on = part % 100 == 0 or (part % 10 == 0 and number < 10)
            if self.at > start and (digits or (number < 100 and not fits_on)):
                break
            if number == 1000:
                total, part = total + max(1, part) * 1000, 0
            else:
                part = max(1, part) * 100 if number == 100 and not digits else part + number
            self.at += 1
            if part >= 100 and self.ahead("'and' number"):
                self.at += 1
        return total + part if self.at > start else None

    def share(self) -> float:
        """Read a part of some units: `30%`, `half`, `a ninth of`, `thirty percent`; 0 if none comes."""
        start = self.at
        self.skip("'a'|'an'|'the'|'about'|'some'|'roughly'|'equal'|'another'*")
        item, found = self.item(), 0.0
        if isinstance(percent := item.get("percent"), int):
            found = percent / 100
        elif (
            fits(item, "share")
            and not fits(item, "area", "share:some", "share:few")
            and not self.ahead("share:most dir")
        ):
            found = SHARES[str(item.get("share"))]
        elif isinstance(ordinal := item.get("ordinal"), int) and ordinal > 2 and self.ahead("ordinal 'of'"):
            found = 1 / ordinal
        elif (
            (self.ahead("number 'out_of' number") or self.ahead("number 'in' number 'of'|type|class|all|own"))
            and (part := self.count())
            and self.skip("'in'|'out_of'")
            and (whole := self.count())
        ):
            found, self.at = min(1.0, part / whole), self.at - 1  # `one in four of the archers`
        elif (count := self.count()) and self.ahead("'percent'|'per_cent'"):
            found = count / 100
        self.at = self.at + 1 if found else start
        return found

    def distance(self) -> int | None:
        """Read metres."""
        start = self.at
        self.skip("approx*")
        metres = self.item().get("metres")
        found = metres if isinstance(metres, int) else self.count()
        if found and (isinstance(metres, int) or fits(self.item(), "metres")):
            self.at += 1
            return found
        if found is None and self.skip("'few'|'couple_of'|'a_few'|'a_couple_of' metres"):
            return 5
        self.at = start
        return None

    # ---- units

    def units(self) -> tuple[Who, ...]:
        """Read some units of one side, and those that are joined to them; nothing if none come."""
        found, start = list[Who](), self.at
        if named := self.labels.get(self.item().text, ()):
            self.at += 1
            return named
        while one := self.who():
            if found and (one.foe != found[0].foe or one.base in ("they", "rest")):
                break
            found.append(one)
            start = self.at
            if not self.skip("joint joint*") or (len(found) == 1 and self.item(-1).text == "," and not self._listed()):
                break
        self.at = start
        return tuple(found)

    def _listed(self) -> bool:
        """Whether units that come after a comma are part of a list that ends with `and`."""
        start = self.at
        listed = self.who() is not None and (self.skip("','") or True) and self.skip("'and'|'&'")
        listed = listed and (self.skip("','*") or True) and self.who() is not None
        self.at = start
        return listed

    def who(self) -> Who | None:
        """Read some units: how many, which, of what type, on which side, and what narrows them."""
        start, who, head = self.at, Who(), False
        last = self.ahead("'one'|'ones'") and fits(self.item(-1), "ordinal", "dir")  # `from the last one`
        if self.nested > NESTED or last or self.ahead("offset:near 'it'"):
            return None
        while self.at < start + LONGEST or head:
            item, kind = self.item(), str(self.item().get("type", "class"))
            half = replace(who, where=Place("part", "half", dir=str(item.get("dir"))))
            if who == Who("all") and head and self.ahead("own|'of'|'the'") and self.noun("type|class|all|squad"):
                self.at += 1
            elif who.base == "rest" and who.count is None and self._numbered(who):
                who = replace(who, count=self.count(), names=who.names or self.types)
            elif head and not self._goes_on(who):
                break
            elif ids := self._ids(who.foe and head):
                who, head = replace(who, ids=ids), True
            elif fits(item, "except"):
                who, head = replace(who, base="all"), True
                break
            elif item.get("id") and who.count:  # `the last five ids of the riders`
                who, head, self.at = replace(who, base="all"), True, self.at + 1
            elif item.get("type", "class") and (not head or who.foe or who.base in ("rest", "all")):
                base = who.base if who.base == "rest" else ""
                who, head, self.at = replace(who, names=(*who.names, kind), base=base), True, self.at + 1
            elif item.get("comer"):
                who, head, self.at = Who("all", foe=True, pick="comer"), True, self.at + 1
            elif item.get("foe") or (self.ahead("'their'|'his'") and self.ahead(NOUN, 1)):
                who, head, self.at = replace(who, foe=True, base="all"), bool(item.get("foe")), self.at + 1
            elif item.get("rest") and not self.ahead("rest area|feature|goal|marker"):
                pick = "all" if item.word.startswith(("every", "all")) else who.pick  # not of one type alone
                names = self.types if who.count else who.names  # `the 14 others`
                who, head, self.at = replace(who, base="rest", pick=pick, names=names), True, self.at + 1
                self.skip("'ones'|'one'")
            elif self.ahead("'both' verb|light") or (
                fits(item, "pronoun") and not self.ahead("every|'its'|'their'|'these'|'those'")
            ):
                number = 2 if item.word == "both" else 0  # of the groups before
                who, head, self.at = replace(who, base="they", number=number), True, self.at + 1
            elif self.ahead("squad 'at'|'in'|'near'") and self.clause.verbs[-1:] in (["avoid"], ["attack"], ["flank"]):
                who, head, self.at = replace(who, foe=True, base="all"), True, self.at + 1  # `avoid the group at A`
            elif self.ahead("squad 'of' type|class|number|own"):  # `a detachment of spearmen`
                self.at += 2
            elif item.get("squad") and (who != Who() or self.ahead("squad number")) and not who.count:
                head, self.at = True, self.at + 1
                number = who.number or (0 if who.foe else self.count() or 0)
                who = replace(who, base="squad" if number else who.base or "all", number=number)
            elif self.skip("'all_of_them'"):
                who, head = replace(who, base="they", number=99), True
            elif self.ahead("all 'of'? 'the'? 'their'|'his'|foe"):  # `all their cavalry`
                self.at += 1
            elif item.get("all") and not (item.get("every") and self.noun("feature|name|marker")):
                who, head, self.at = replace(who, base=who.base or ("" if who.names else "all")), True, self.at + 1
            elif head:
                break
            elif share := self.share():
                who = replace(who, share=share)
            elif self.ahead("share:some|share:few") and not (
                item.word == "part" and fits(self.item(-1), "area", "dir")
            ):
                who, self.at = replace(who, share=SHARES[str(item.get("share"))], vague=True), self.at + 1
            elif self.ahead("ordinal 'one'") and self.split():
                who, head, self.at = replace(who, number=int(str(item.get("ordinal")))), True, self.at + 2
            elif self._ordinal():
                counted = self.ahead("ordinal number")
                number, last = int(str(item.get("ordinal"))), item.get("ordinal") == -1
                who = replace(who, number=0 if counted else number, pick="last" if counted and last else "")
                self.at += 1
            elif (count := self.count()) is not None:
                if fits(self.item(), "metres", "event:ticks") or who.count:
                    break
                who = replace(who, count=count)
            elif self.ahead("'nearest'|'closest'|'nearby'|manner:weakest|manner:strongest"):
                pick = "nearest" if self.ahead("!manner") else str(item.get("manner"))
                who, self.at = replace(who, pick=pick), self.at + 1
            elif self.ahead("dir share:half to|verb|light"):  # `the right half to A`
                who, head, self.at = replace(half, names=self.types), True, self.at + 2
            elif self.ahead("dir share:half 'of'"):
                who, self.at = half, self.at + 2
            elif self.ahead("dir share 'of'"):  # `the left third of the spearmen`
                who, self.at = replace(half, share=SHARES[str(self.item(1).get("share"))], pick="side"), self.at + 2
            elif self.ahead("dir 'one'|'ones' verb|to|light|dir"):
                who, head, self.at = replace(half, base="all"), True, self.at + 2
            elif self.ahead("'those'|'the_ones' 'on'|'in'|'at' 'the' dir"):
                where = Place("part", "half", dir=str(self.item(3).get("dir")))
                who, head, self.at = replace(who, base="all", names=self.types, where=where), True, self.at + 4
            elif self.ahead("dir share:half") and "with" in (self.item(-1).word, self.item(-2).word):
                who, head, self.at = half, True, self.at + 2
            elif self.ahead("dir !offset") and self.noun(NOUN) and not item.get("offset"):
                who, self.at = half, self.at + 1
            elif self.ahead("'you'|'us'|'ours'") and self.item(-1).word == "of" and (who.count or who.share):
                who, head, self.at = replace(who, base="all"), True, self.at + 1
            elif item.get("every") and not self.noun("feature|name|marker|area"):
                each = item.word.startswith(("each", "every", "per", "one "))
                who, self.at = replace(who, each=who.each or each), self.at + 1
            elif self.ahead("det|own"):
                self.at += 1
            else:
                break
        if not head and not self._alone(who, start):
            self.at = start
            return None
        if not head and self.types and not (who.number or who.where or (who.count == 1 and self.split())):
            who = replace(who, names=self.types)  # `half of the archers to A, a third to B`
        self.types = who.names if who.names and not who.foe else self.types
        if fits(self.items[start], "'those'", "'these'") and who.count and not who.names:  # `those ten`
            who = Who("they", foe=who.foe)
        base = "" if who.names or who.ids else "squad" if who.number else "all"
        self.nested += 1
        found = self._restricted(replace(who, base=who.base or base))
        self.nested -= 1
        return self.labels.get(f"squad {found.number}", (found,))[0] if found.base == "squad" else found

    def _goes_on(self, who: Who) -> bool:
        """Whether an item belongs to units of which the noun was read."""
        item = self.item()
        typed = ((who.foe or who.base == "rest") and not who.names) or who == Who("all")
        numbered = self._numbered(who) and is_whole(item.text)
        return bool(
            fits(item, "all", "squad", "ids", "range", "id") or numbered or (typed and item.get("type", "class"))
        )

    def _ordinal(self) -> bool:
        """Whether a word such as `first` counts units, or squads."""
        if not isinstance(self.item().get("ordinal"), int):
            return False
        alone = (self.item(-1).word == "the" or self.split()) and self.ahead("ordinal verb|to|light|at")
        return bool(alone or self.ahead(f"ordinal {NOUN}") or self.ahead("ordinal !'one'|'ones' number"))

    def _alone(self, who: Who, start: int) -> bool:
        """Whether a number, or a share, without a noun counts units: `20 go to A`, `half hold B`."""
        if not (who.count is not None or who.share or who.number) or fits(self.item(), "feature"):
            return False
        if who.vague and fits(self.item(), "metres"):  # `a few steps`
            return False
        follows = self.ahead("verb|to|letter|at|dir|name|light|offset|then") and self.ahead("!area")
        ends = fits(self.item(), "$") and bool(self.clause.verbs or self.clause.places)
        named = who.share and not who.vague and self.clause.who and not self.clause.acts
        ends = ends or bool(named and fits(self.item(), "$"))  # `most of them, say four out of five, ...`
        return bool(who.pick or ((follows or ends) and self.items[start].word != "the"))

    def _restricted(self, who: Who) -> Who:
        """Read what narrows some units: who is left out, where they stand."""
        if fits(self.item(), "except"):
            self.at += 1
            who = replace(who, minus=self.units())
        start = self.at
        if self.skip("'of'"):  # `cavalry of the eastern group`
            whole = self.who()
            if whole and whole.foe:
                return replace(who, foe=True)
            if whole and whole.whole:
                return who  # `the rest of the army`
            if whole and (whole.where or whole.ids or whole.number or whole.names):
                names = who.names or whole.names
                return replace(who, where=whole.where, ids=whole.ids, number=whole.number, names=names)
            self.at = start
        if self.ahead("'who'|'that'|'which'") or (who.foe and self.ahead("event")):
            self.skip("'who'|'that'|'which'|'is'|'are'|'stand'|'stands'|'standing'*")
        if who.base == "all" and self.ahead("offset xs|y"):  # `everyone left of x = 50`
            line = Place("xs" if self.item(1).get("xs") else "y", self.item(1).get("xs", "y"))
            who = replace(who, where=Place("beside", self.item().get("offset"), of=(line,)))
            self.at += 2
            return who
        beside = "'on'|'in'|'at' 'the'? dir"
        if not who.foe and (
            self.ahead(f"{beside} verb|light !feature|area")
            or self.ahead(f"{beside} area:side|area:half ','? verb|light")
        ):
            self.at += self.ahead(beside)
            side = str(self.item(-1).get("dir"))
            self.skip("area ','?")
            return replace(who, where=Place("part", "half", dir=side))
        if self.skip("'nearest'|'closest'|'near'") and self.ahead("to"):  # `the 20 archers nearest to A`
            who = replace(who, pick="nearest")
        near = who.pick == "nearest" and self.ahead("to|offset")
        inside = (who.foe or self.at > start) and self.ahead("in")
        place = self.place() if near or inside else None
        if place is None:
            self.at = start
            return who
        if place.kind == "part" and place.dir and not place.of and self.ahead("offset:n|offset:s|offset:e|offset:w"):
            other = self.place()  # `on the east bank, south of the bridge`
            if other and other.kind == "beside":
                place = replace(other, value=combined(str(other.value), place.dir))
        return replace(who, where=place)

    def noun(self, kinds: str) -> bool:
        """Whether an item of some kinds comes after words that only introduce a noun."""
        at = 1 + self.ahead("det|own|number|dir*", 1)
        return bool(self.ahead(kinds, at)) and not (fits(self.item(at), "verb") and fits(self.item(at - 1), "dir"))

    def _numbered(self, who: Who) -> bool:
        """Whether a number says which enemies are meant, or how many of the rest: `enemy 5`, `the other 10`."""
        counts = self.ahead("metres|type|class|all|feature|event:ticks", 1)
        known = isinstance(self.item().get("number"), int) and self.item().word != "ones"
        return known and not counts and (who.foe or who.base == "rest")

    def _ids(self, foe: bool = False) -> tuple[tuple[int, int], ...]:
        """Read units by their numbers, such as `units 0 to 9, 12 and 20-29`."""
        start, found = self.at, list[tuple[int, int]]()
        named = self.skip("id") or self.skip("'unit'|'units'|'nos'|'no'") or foe
        while True:
            if parts := self.item().get("ids", "range"):
                pairs = parts if isinstance(parts, tuple) and isinstance(parts[0], tuple) else (parts,)
                found += [(int(a), 10**9 if b is None else int(b)) for a, b in pairs]
            elif (named or found) and isinstance(number := self.item().get("number"), int):
                if not is_whole(self.item().text):
                    break
                found.append((number, number + 1))
            else:
                break
            self.at += 1
            counted = self.ahead("'and'|',' number type|metres|class|all|ids") and not self.ahead("ids|range", 1)
            if not self.ahead("'and'|',' ids|range|number") or counted:
                break
            self.at += 1
        if not found or self.ahead("metres|event:ticks"):
            self.at = start
            return ()
        return tuple(found)

    # ---- places

    def place(self) -> Place | None:
        """Read a place with the words that lead to it."""
        start, via, origin, metres = self.at, False, False, None
        if self.nested > NESTED:
            return None
        while self.at < start + LONGEST:
            to = self.item().get("to")
            if to is not None and not (to == "from" and start < self.at):
                via, origin = to == "via", origin or to == "from"
                self.at += 1
            elif long := self.ahead("size 'further'|'farther'? offset|dir|move|to|area"):
                metres = 5 if self.ahead("size:little") else metres
                self.at += long - 1
            elif self.ahead("onward to|dir|name|offset") or self.ahead("'the' offset"):
                self.at += 1
            elif (far := self._reach()) is not None:
                metres = far
            else:
                break
        before, leads = self.item(-1), self.at > start
        short = leads and fits(before, "to:short")
        self.nested, types = self.nested + 1, self.types
        found = self._core(metres)
        self.nested, self.types = self.nested - 1, types  # `17 behind the spearmen, 17 at A` are no spearmen
        if found is None and leads and fits(before, "'to'", "'toward'", "'towards'", "'near'", "'up_to'"):
            units = self.units()
            found = Place("units", of=units) if units and not units[0].foe and units[0].base != "they" else None
        if found is None and via and fits(before, "'over'", "'across'") and not self.ahead("to|dir|at|pronoun"):
            return Place("beside", "far_side", of=(Place("feature", "bridge"),))  # `dash over`
        if found is None:
            self.at = start
            return None
        if short and found.kind == "feature":
            return Place("beside", "this_side", of=(found,))  # `short of the wood`
        if (found.every or found.value == "all") and self.skip("except") and (other := self.place()):
            found = replace(found, minus=(other,))
        return replace(found, via=via or found.via, origin=origin and found.kind not in ("markers", "line"))

    def _reach(self) -> int | None:
        """Read how far a place is from something."""
        start = self.at
        if self.ahead("number offset:behind|offset:front") and fits(self.item(-1), "type", "class", "all"):
            return self.count()  # `archers 10 behind them`
        metres = self.distance()
        if metres is not None and not self.ahead("offset|dir|move|to:from|'to'"):
            self.at = start
            return None
        return metres

    def _core(self, metres: int | None) -> Place | None:
        item = self.item()
        if item.word.endswith(" of them") and fits(self.item(-1), "'on'", "'at'", "'over'") and self.skip("all|every"):
            return Place("same")  # `on every single one of them`
        if self.skip("at 'to'|'-'|'until' at"):
            return Place("line", (item.get("at"), self.item(-1).get("at")))
        if self.skip("xs 'to'|'-'|'and' xs"):
            return Place("xs", (*item.get("xs"), *self.item(-1).get("xs")))  # type: ignore[misc]
        for kind in ("at", "xs", "y"):
            if self.skip(kind):
                return Place(kind, item.get(kind))
        return self._markers() or self._relation(metres) or self._named(metres)

    def _markers(self) -> Place | None:
        start, letters = self.at, ""
        self.skip("bring*")
        every = any(fits(each, "every", "'all'") for each in self.items[start : self.at])
        every |= fits(self.item(), "marker") and self.item().word.endswith("s")
        self.skip("marker")
        while letter := self.item().get("letter"):
            letters += str(letter)
            self.at += 1
            gap = self.ahead("marker|then|to:to|to:via|joint|'-'|'>'|'–'|'the'*")
            self.at += gap if gap and self.ahead("letter", gap) else 0
        if letters:
            return Place("markers", letters)
        noun = self.at > start and fits(self.item(-1), "marker") and not fits(self.item(-1), "verb")
        if every and noun and not self.ahead("at"):
            return Place("markers", "all")
        self.at = start
        return None

    def _relation(self, metres: int | None) -> Place | None:
        """Read a place beside something, or so far from where the units are."""
        start, item, relation = self.at, self.item(), self.item().get("offset")
        if relation is not None and relation != "side" and not (relation == "between" and metres is not None):
            self.at += 1
            self.skip("'of'")
            named = self.ahead("name|feature|at|letter") or self.noun("feature|name|letter|goal|area")
            first = self.place() if named else None
            both = relation == "between" and self.skip("'the'? number:2 !type|class|all|feature|name|marker|squad|foe")
            of: tuple[Place | Who, ...] = (first,) if first else () if both else self.units()
            if both or (relation == "near" and of == (Who("they"),) and self.item(-1).word == "it"):
                return Place("beside", relation, of=() if both else (Place("same"),), metres=metres)
            if of and not first and self.skip("'at' at"):  # `behind the spearmen at (20, 30)`
                of = (Place("at", self.item(-1).get("at")),)
            if relation == "between" and first and first.kind == "feature" and first.every and first.count != 2:
                return replace(first, every=True)
            if relation == "between" and len(of) == 1 and self.skip("'and'"):
                other: Place | tuple[Who, ...] | None = self.place() or self.units()
                of = (*of, other) if isinstance(other, Place) else (*of, *(other or ()))
            if not of and (place := self.place()):
                of = (place,)
            if not of and self.skip("it"):
                of = (Place("same"),)
            if of or relation not in ("n", "s", "e", "w", "near"):
                return Place("beside", relation, of=of, metres=metres)
        elif (direction := item.get("move", "dir")) is not None:
            self.at += 1
            if metres is None and self.ahead("number|metres"):
                metres = self._reach() or self.distance()
            if metres is not None or item.get("move"):
                return Place("way", direction, metres=metres)
        self.at = start
        return None

    def _named(self, metres: int | None) -> Place | None:
        """Read a feature, a part of the map, or another place that has a name."""
        start, found, theirs, nearest = self.at, Place("feature"), False, False
        while self.at < start + LONGEST:
            item, side = self.item(), found.dir
            verb = item.get("verb") and not side and self.at == start
            if fits(item, "name", "feature") and not item.word.endswith("ed") and not verb:
                break
            if self.skip("goal|home|area:start"):
                kind = "goal" if item.get("goal") else "home" if item.get("home") else "start"
                return Place(kind, "foe" if item.get("foe") else None)
            if self.skip("area:deep"):
                found = replace(found, deep=True)
                self.skip("'part'|'in'|'inside'|'of'|'within'|'into'*")
            elif start < self.at and not side and self.skip("area:map"):
                return Place("part", "map")
            elif found.every and self.ahead("area:side 'of'"):  # `on each side of the spearmen`
                self.at += 2
                anchor = self.place()
                of: tuple[Place | Who, ...] = (anchor,) if anchor else self.units()
                return Place("part", "wings", of=of, every=True, each=found.each) if of else None
            elif item.get("area") and (side or item.get("area") != "map"):
                part = self._part(found)
                flank = theirs and side and part.value in ("side", "half", "edge") and not part.of
                return Place("beside", side, of=(Who("they"),)) if flank else part
            elif self.skip("dir"):
                found = replace(found, dir=combined(side, str(item.get("dir"))))
                self.skip("'most'|'and'*") if self.ahead("'most'|'and' dir|name|feature|area") else None
            elif self.ahead("'nearest'|'closest'|'farthest'|'last'|'first'"):
                nearest = nearest or fits(item, "'nearest'", "'closest'")
                self.at += 1
            elif self.skip("every|'all'|'both'"):
                each = item.word.startswith(("each", "every", "per", "one ", "wherever"))
                found = replace(found, every=True, each=found.each or each)
            elif self.ahead("number !'ones'") and item.word != "ones" and self.noun("feature|name|area"):
                found = replace(found, count=self.count() or 0)
            elif self.skip("det|own|'their'|'its'|'single'|'one'|'ones'|'remaining'"):
                theirs = theirs or item.word == "their"
            elif self.skip("'there'|'here'") or (start < self.at and self.skip("'it'")):
                return Place("way", "here", metres=0) if item.word == "here" else Place("same")
            elif side:
                self.skip("share:half !'of'|type|class|all|own")  # `the western half`
                return Place("part", "half", dir=side, metres=metres)
            elif found.every and (self.skip("'them'|'these'|'those'") or self.item(-1).word.endswith(("one", "ones"))):
                return Place("same")  # `on every single one of them`
            else:
                self.at = start
                return None
        else:
            self.at = start
            return None
        self.at += 1
        plural = item.word.endswith("s") and not item.get("name") and not fits(item, "feature:forest", "feature:water")
        numbers = self._feature_numbers()
        head, _, last = str(item.get("name")).rpartition(" ")
        if item.get("name") and is_whole(last) and self.ahead("','|'and' number !to|verb|type|class|all|metres|squad"):
            numbers = (int(last), *self._feature_numbers(True))  # `North-East Bridge 2, 3 and 4`
            found, item = replace(found, every=True), replace(item, means={"name": head})
        every = found.every or (plural and not numbers and not nearest)
        found = replace(found, value=item.get("name", "feature"), numbers=numbers, every=bool(every))
        if (long := self.ahead("'over'|'across'|'on'|'along'|'of' 'the'? name")) and item.get("feature") == "bridge":
            river = str(self.item(long - 1).get("name")).lower()
            if river.endswith(" river") and river.split()[0] in SIDES:  # `each bridge over the North-East River`
                self.at += long
                return replace(found, dir=SIDES[river.split()[0]])
        if self.skip("'of'|'on' home"):
            return replace(found, of=(Place("home"),))
        if nearest and self.skip("'to'|'from'"):
            anchor = self._core(None)
            return replace(found, of=(anchor,) if anchor else ())
        if self.ahead("'in'|'on'|'at'|'to' 'the' dir !name|feature|offset|area|type|squad"):
            found = replace(found, dir=combined(found.dir, str(self.item(2).get("dir"))))
            self.at += 3
        return found

    def _feature_numbers(self, begun: bool = False) -> tuple[int, ...]:
        """Read the numbers of features, as in `bridges 1 to 3`, `bridge no. 2`."""
        found = list[int]()
        sign = "'no'|'number'|'#'"
        while True:
            item, more = self.item(), "|'and'|','|'to'" if found or begun else ""
            if self.ahead("',' number verb"):  # `bridge 1, 30 hold the camp`
                break
            if isinstance(pair := item.get("range"), tuple):
                found += range(int(pair[0]), int(pair[1]))
            elif isinstance(number := item.get("number"), int) and is_whole(item.text):
                if self.ahead("type|class|all|metres|percent|squad|'of'", 1):
                    break
                found.append(number)
            elif not self.ahead(f"{sign}{more} number|range !type|class|all|metres|event"):
                break
            self.at += 1
        return tuple(found)

    def _part(self, found: Place) -> Place:
        """Read a part of the map or of something: `the south edge of the pond`, `middle row`, `left half`."""
        value, side = str(self.item().get("area")), found.dir
        self.at += 1
        while value in ("centre", "map", "side", "half") and self.ahead(
            "area:row|area:column|area:side|area:edge|area:half|area:map|area:corner"
        ):
            value = str(self.item().get("area"))
            self.at += 1
        if not side and (long := self.ahead("'in'|'at'|'of'|'on'|'the'|'to'* dir !feature|name|area")) > 1:
            self.at += long
            side = str(self.item(-1).get("dir"))
        start, of = self.at, tuple[Place | Who, ...]()
        if value in ("ring", "row", "column") and self.ahead("'of' type|class|number|all"):
            self.skip("'of'")  # `a line of archers`
        elif (not self.ahead("'in' squad") and self.skip("'of'|'in'")) or self.ahead("own"):
            anchor = self._core(None)
            if anchor is not None and anchor.value != "map" and anchor.kind in ("feature", "markers", "at", "same"):
                of = (anchor,)
            elif anchor is None and not (of := self.units()) and not self.skip("'the'|'our'|'this' area"):
                self.at = start
        value = "half" if value == "map" or (value == "side" and of) else value
        return Place("part", value, dir=side, of=of, every=found.every, each=found.each)

    # ---- events

    def event(self) -> Event | None:
        """Read what is waited for."""
        start = self.at
        found = self._event()
        if found is None:
            self.at = start
        return found

    def _event(self) -> Event | None:
        self.skip("'more'|'than'|'at'|'least'|'for'|'about'|'some'|'another'|'the'|'next'|'that'|'there'|light*")
        self.skip("'last' 'of'")
        begin = self.at
        if any(self.ahead("fewer", ahead) for ahead in range(self._to_stop())):
            return None
        if (count := self.count()) is not None and self.skip("event:ticks"):
            self.skip("light? 'over'|'up'|'gone'|'past'|'have_passed'")
            return Event("ticks", count)
        self.at = begin
        share = self.share()
        count = None if share else self.count()
        self.skip("'of'")
        if self.skip("event:losses"):  # `30% losses`, `losses of half`
            self.skip("'of'")
            share = share or self.share()
            return Event("losses", count or (0 if share else self.count() or 0), share)
        ours = self.skip("'ours'|'us'|'our_own'")
        units = self.units() if self.ahead("!$") else ()
        if not units and self.skip("'those'|'these'"):
            units = (Who("they", number=2),)
        if not units and self.skip("someone|comer"):
            units = self.units() or (Who("all", foe=True),)
        if units and units[0].base == "they" and self.clause.foe and not self.clause.who:
            some = units[0]  # `shoot the archers; once they are dead, come back`
            units = (replace(self.clause.foe[-1], share=some.share, count=some.count),)
        who = units[0] if units else None
        if who is not None and not (share or count):
            share, count = who.share, who.count
        found = self._happens(who, share, count)
        if found is None:
            return None
        kind, share, count, place, more = found
        foe, amount = who is not None and who.foe, count or 0
        named = any(clause.foe or "attack" in clause.verbs for clause in self.found)
        others = () if who is None or who.base in ("all", "they") else units
        if kind == "sighted" and place is not None and who in (None, Who("they")) and not self.clause.foe:
            kind = "arrive"  # `until they come to the bridge`
        if kind in ("sighted", "engaged") or (foe and kind in ("arrive", "attack")):
            certain = bool((who and who.ids) or (count or 1) > 1)
            return Event("sighted", 2 if certain else 0, place=place, who=units if kind == "engaged" else others)
        if more and not foe:  # `once you have killed the archers`
            return Event("dead", who=tuple(replace(each, foe=True) for each in more))
        if kind == "dead" and (ours or (who is not None and not foe and who.base != "they")):
            return Event("losses", amount, share or (0.0 if count or ours else 1.0), others)
        if kind == "dead" and not units and not (share or count or named):
            return Event("arrive", place=place)  # `once you are done with that`
        if kind == "dead":
            partly = foe and who is not None and not (who.names or who.ids) and (share or count)
            return Event("enemy losses", amount, share) if partly else Event("dead", who=units if foe else ())
        if kind == "losses":
            return Event("enemy losses" if foe else "losses", amount, share, others)
        return Event("arrive", amount, share, units, place) if kind else None

    def _to_stop(self) -> int:
        """Return how many items come before the next stop, up to ten."""
        return next((ahead for ahead in range(10) if self.ahead("$", ahead)), 10)

    def _happens(
        self, who: Who | None, share: float, count: int | None
    ) -> tuple[str, float, int | None, Place | None, tuple[Who, ...]] | None:
        """Read what happens to some units: the kind of event, how many of them, where, and to whom they do it."""
        place, kind, active, more = None, "", False, tuple[Who, ...]()
        for _ in range(12):
            item, ends = self.item(), ("losses",) if share or count else ENDS
            if self.ahead("$|then|when|'and'|'but'") or (kind and item.get("verb")):
                break
            if self.ahead("number? event:ticks") or fits(item, "event:unclear"):
                return None
            if kind and self.skip("'within'") and self.distance() is not None:  # `get within 20 m of our cavalry`
                self.skip("'of'")
                place = self.place() or Place("units", of=self.units())
                break
            if item.get("event") and not (kind and item.get("to")):
                active = item.word.startswith(KILLS) and not fits(self.item(-1), "'is'", "'are'", "'been'", "'be'")
                kind = kind or str(item.get("event"))
                self.at += 1
            elif item.get("verb"):
                kind = DONE.get(str(item.get("verb")), "")
                if not kind:
                    return None
                active = kind == "attack"
                self.at += 1
            elif kind and (said := self.share()):
                share = said
                self.skip("'of'")
            elif kind == "arrive" and fits(self.item(-1), "verb") and (of := self.units()):
                place = Place("units", of=of)
                break
            elif (kind and (place := self.place()) is not None) or (kind in ends and item.word != "of" and not active):
                break
            elif kind and (of := self.units()):
                if kind == "losses":
                    return kind, of[0].share, of[0].count, None, ()
                more = of if kind in ("attack", "dead") else ()
                break
            elif self.ahead("light|'all'|'both'|'them'|'with'|'near'|'been'|noise") or not item.means:
                self.at += 1
            elif item.get("not"):
                return None
            else:
                break
        start, toward = self.at, self.ahead("to|offset")
        if not kind and self.ahead("to|offset|dir|area|name|feature") and (place := self.place()):
            if self.skip("'is'|'are' 'ours'|'clear'|'taken'|'safe'|'free'|'secured'|'cleared'|'secure'"):
                return "dead", 0.0, None, None, (Who("all", where=place),)  # `until the south-east is ours`
            kind, place, self.at = ("arrive", place, self.at) if toward else ("", None, start)
        return kind, share, count, place, more


def combined(one: str, other: str) -> str:
    """Return a direction of two that were said one after the other, as in `the south, to the west`."""
    both = "".join(sorted({*one, *other}, key="nsew".index))
    return both if both in ("ne", "nw", "se", "sw") else other
