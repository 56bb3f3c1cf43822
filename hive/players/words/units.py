"""Units of an order: how many, which, of what type, on which side, and what narrows them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

from dsl.wording import is_whole
from hive.players.words.clauses import ALL, Place, Who
from hive.players.words.cursor import LONGEST, Row, fits
from hive.players.words.numbers import SHARES, Numbers

NESTED = 4  # phrases in each other
NOUN = "type|class|all|squad|foe"
SHUNNED = (["avoid"], ["attack"], ["flank"])  # verbs whose object is a squad of the other side


class Units(Numbers, ABC):
    """Reads units; where they stand is a place, of which units may be a part in turn."""

    @abstractmethod
    def place(self) -> Place | None:
        """Read a place with the words that lead to it."""

    def units(self) -> tuple[Who, ...]:
        """Read some units of one side, and those that are joined to them; nothing if none come."""
        found, start = list[Who](), self.at
        while one := self.who():
            again = not one.part and any(one.names == each.names != () for each in found)  # `ten archers, archers ...`
            if found and (one.foe != found[0].foe or one.base in ("they", "rest") or again):
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
        listed = self.who() is not None and self.skip("','? 'and'|'&' ','*") and self.who() is not None
        self.at = start
        return listed

    def who(self) -> Who | None:
        """Read some units: what comes up to their noun, what may follow it, and what narrows them."""
        start, who, noun = self.at, Who(), False
        last = self.ahead("'one'|'ones'") and fits(self.item(-1), "ordinal", "dir")  # `from the last one`
        if self.nested > NESTED or last or self.ahead("offset:near 'it'"):
            return None
        while noun or self.at < start + LONGEST:
            came = self.step(AFTER_NOUN if noun else TO_NOUN, who)
            if came is None:
                break
            who, noun = came[0], noun or came[1]
        if not noun and who.count:
            self.count()  # `one of the two`
        if not noun and self.ahead("except"):  # `everyone but ten archers`
            who, noun = replace(who, base="all"), True
        if not noun and not self._alone(who, start):
            self.at = start
            return None
        if not noun and not (who.number or (who.count == 1 and self.split())):
            who = replace(who, names=self.types)  # `half of the archers to A, a third to B`
        self.types = who.names if who.names and not who.foe else self.types
        base = "" if who.names or who.ids else "squad" if who.number else "all"
        self.nested += 1
        found = self.with_numbers(self._restricted(replace(who, base=who.base or base)))
        self.nested -= 1
        return found

    def noun(self, kinds: str) -> bool:
        """Whether an item of some kinds comes after words that only introduce a noun."""
        at = 1 + self.ahead("det|own|number|dir|rest*", 1)
        return bool(self.ahead(kinds, at)) and not (fits(self.item(at), "verb") and fits(self.item(at - 1), "dir"))

    # ---- up to the noun, and after it

    def _ids(self, who: Who) -> Who | None:
        """Read units by their numbers, such as `units 0 to 9, 12 and 20-29`."""
        if self.ahead("number") and not self._numbered():
            return None
        found = list[tuple[int, int]]()
        single = fits(self.item(-1), "type", "all") and self.item(-1).word.endswith(("man", "er", "unit"))  # `man 7`
        named = self.skip("id") or self.skip("'unit'|'units'|'nos'|'no'") or who.foe or single
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
            counted = self.ahead("'and'|',' number type|metres|class|all|ids")
            if not self.ahead("'and'|',' ids|range|number") or counted:
                break
            self.at += 1
        return replace(who, ids=tuple(found)) if found else None

    def _numbered(self) -> bool:
        """Whether a number says which enemies are meant, or how many of the rest: `enemy 5`, `the other 10`."""
        return self.ahead("!'ones' number") > 0 and not self.ahead("metres|type|class|all|feature|event:ticks", 1)

    def _others(self, who: Who) -> Who | None:
        if who.base != "rest" or who.count is not None or not self._numbered():
            return None
        count = self.count() or 0
        return replace(who, count=count, names=who.names or self.types)

    def _type(self, who: Who) -> Who:
        kind = str(self.item().get("type", "class"))
        return replace(who, names=(*who.names, kind), base=who.base if who.base == "rest" else "")

    def _rest(self, who: Who) -> Who | None:
        if self.ahead("rest number feature") or (self.waved and self.ahead("rest number $|'and'")):  # `the other five`
            return None
        pick = "all" if self.item().word.startswith(("every", "all")) else who.pick  # not of one type alone
        return replace(who, base="rest", pick=pick, names=self.types if who.count else who.names)  # `the 14 others`

    def _squad(self, who: Who) -> Who | None:
        if who.count or (who == Who() and not self.ahead("squad number")):
            return None
        self.at += 1
        number = who.number or (0 if who.foe else self.count() or 0)
        return replace(who, base="squad" if number else who.base or "all", number=number)

    def _first(self, who: Who) -> Who | None:
        """Read a word such as `first`, where it counts units or squads."""
        number = int(str(self.item().get("ordinal")))
        if self.ahead("ordinal !'one'|'ones' number"):
            return replace(who, number=0, pick="last" if number == -1 else "")
        alone = (self.item(-1).word == "the" or self.split()) and self.ahead("ordinal verb|to|light|at")
        return replace(who, number=number, pick="") if alone or self.ahead(f"ordinal {NOUN}") else None

    def _count(self, who: Who) -> Who | None:
        count = None if who.count else self.count()
        return None if count is None or self.ahead("metres|event:ticks") else replace(who, count=count)

    def _counted(self, who: Who) -> Who | None:
        """Read groups, or units, that were counted before: `both groups`, `all four`, `the two of them`."""
        both = self.ahead("'both'")
        self.at += 1
        count = 2 if both else self.count() or 0
        squads = self.skip("squad|teams !'at'|'in'|'on'")
        if not squads:
            self.skip("'of' 'them'|'you'|'us'|'these'|'those'")
        follows = self.ahead("verb|light|manner") or (not both and self.ahead("to|then|$ !area|number"))
        if self.item().word.endswith("s") and self.ahead("verb") and not squads:  # `those three places`
            return None
        found = Who("they", number=count, pick="alike" if squads else "")
        return found if count > 1 and (follows or (both and squads)) and who == Who() else None

    def _there(self, who: Who) -> Who | None:
        """Read those who were sent to a place: `the ones at A`."""
        self.at += 1
        shunned = self.clause.verbs[-1:] in SHUNNED
        place = None if shunned or who.count else self.place()
        return replace(who, base="all", where=place, pick="there") if place and place.kind != "part" else None

    def _half(self, who: Who, ahead: int = 0) -> Who:
        return replace(who, where=Place("part", "half", dir=str(self.item(ahead).get("dir"))))

    # ---- without a noun, and narrowed

    def _alone(self, who: Who, start: int) -> bool:
        """Whether a number, or a share, without a noun counts units: `20 go to A`, `half hold B`."""
        if not (who.count is not None or who.share or who.number) or fits(self.item(), "feature"):
            return False
        if who.vague and fits(self.item(), "metres"):  # `a few steps`
            return False
        follows = self.ahead("verb|to|letter|at|dir|name|light|offset|then") and self.ahead("!area")
        follows = follows or (fits(self.items[start], "percent") and self.ahead("area:centre"))
        ends = fits(self.item(), "$") and bool(self.clause.verbs or self.clause.places)
        named = who.share and not who.vague and self.clause.who and not self.clause.acts
        ends = ends or bool(named and fits(self.item(), "$"))  # `most of them, say four out of five, ...`
        return bool(who.pick or ((follows or ends) and self.items[start].word != "the"))

    def _restricted(self, who: Who) -> Who:
        """Read what narrows some units: who is left out, of whom they are, where they stand."""
        if self.skip("except") or self.skip("'but'/ number"):
            who = without(who, self.units())
        return self._of(who) or self._standing(who)

    def with_numbers(self, who: Who) -> Who:
        """Read the numbers of some units behind them: `those in the north-east (0 to 71)`, `the 36 (enemies 0-35)`."""
        start = self.at
        if self.skip("'(' id|foe|'units'|'nos'*"):
            ids = self._ids(Who(foe=True))
            if ids and self.skip("')'"):
                foe = who.foe or not (who.names or who.base == "they" or fits(self.items[start - 1], "own"))
                return replace(who, base="", foe=foe, ids=ids.ids, count=None, share=0.0, where=None)
        self.at = start
        return who

    def _of(self, who: Who) -> Who | None:
        """Read the group of which some units are: `cavalry of the eastern group`."""
        start = self.at
        whole = self.who() if self.skip("'of'") else None
        if whole and whole.foe:
            return replace(who, foe=True)
        if whole and whole.whole:
            return who  # `the rest of the army`
        if whole and (whole.where or whole.ids or whole.number or whole.names):
            names = who.names or whole.names
            return replace(who, where=whole.where, ids=whole.ids, number=whole.number, names=names)
        self.at = start
        return None

    def _standing(self, who: Who) -> Who:
        """Read where some units stand: `everyone left of x = 50`, `archers on the left`, `those near A`."""
        start, item, line = self.at, self.item(), self.item(1)
        if self.ahead("'who'|'that'|'which'") or (who.foe and self.ahead("event")):
            self.skip("'who'|'that'|'which'|'is'|'are'|'stand'|'stands'|'standing'*")
        if who.base == "all" and self.skip("offset xs|y"):
            of = Place("xs" if line.get("xs") else "y", line.get("xs", "y"))
            return replace(who, where=Place("beside", item.get("offset"), of=(of,)))
        if self.skip("'nearest'|'closest'|'near'") and self.ahead("to"):  # `the 20 archers nearest to A`
            who = replace(who, pick="nearest")
        near = who.pick == "nearest" and self.ahead("to|offset")
        inside = (who.foe or self.at > start) and self.ahead("in")
        place = self.place() if near or inside else None
        if place is None:
            self.at = start
            return who
        return replace(who, where=place)


def without(who: Who, minus: tuple[Who, ...]) -> Who:
    """Return units less some, who are of their type where a number alone says who: `archers except ten of them`."""
    alike = (each.base in ("all", "they") and each.part for each in minus)
    own = (replace(each, base=who.base, names=who.names) for each in minus)
    return replace(who, minus=tuple(mine if one else each for one, mine, each in zip(alike, own, minus, strict=True)))


def _foes(_: Units, who: Who) -> Who:
    return replace(who, foe=True, base="all")


def _same(_: Units, who: Who) -> Who:
    return who


def _they(number: int) -> Callable[[Units, Who], Who]:
    return lambda _, who: replace(who, base="they", number=number)  # of the groups before


Rows = tuple[Row[Units, Who], ...]
EITHER: Rows = (  # up to the noun, and after it
    Row("squad 'of'/ type|class|number|own", "a detachment of spearmen goes to A", _same),
    Row("squad", "split into two squads, squad 2 goes to A", Units._squad, noun=True),
    Row("'all_of_them'", "archers to A, spearmen to B, then all of them to C", _they(ALL), noun=True),
    Row("all/ 'of'? 'the'? 'their'|'his'|foe", "attack all their cavalry", _same),
    Row("all", "everyone goes to A",
        lambda at, who: None if at.ahead("every") and at.noun("feature|name|marker") else replace(
            who, base=who.base or ("" if who.names else "all")), noun=True),
)  # fmt: skip
AFTER_NOUN: Rows = (
    Row("own|'of'|'the'", "all of our archers go to A",
        lambda at, who: who if who == Who("all") and at.noun("type|class|all|squad") else None),
    Row("number", "ten archers go to A, the other 10 to B", Units._others),
    Row("id|'unit'|'units'|ids|range|number", "archers 50-64 go to A", Units._ids),
    Row("type|class", "attack the enemy cavalry",
        lambda at, who: at._type(who) if (
            ((who.foe or who.base == "rest") and not who.names) or who == Who("all")) else None),
    *EITHER,
)  # fmt: skip
TO_NOUN: Rows = (
    Row("'all'|'the'|'those'|'these'/ number", "archers to A, spearmen to B, cavalry to C. All three wait",
        Units._counted, noun=True),
    Row("id|'unit'|'units'|'nos'|'no'|ids|range", "units 0 to 9 go to A", Units._ids, noun=True),
    Row("type|class", "the archers go to A", Units._type, noun=True),
    Row("comer", "shoot whoever comes", lambda _, who: Who("all", foe=True, pick="comer"), noun=True),
    Row("foe", "attack the enemy", _foes, noun=True),
    Row(f"'their'|'his'/ {NOUN}", "kill the archers, then their spearmen",
        lambda at, who: who if at.split() and fits(at.item(-1), "offset") else _foes(at, who)),
    Row("rest !area|feature|goal|marker 'ones'|'one'?", "ten archers to A, the others to B", Units._rest, noun=True),
    Row("'both'", "archers to A, spearmen to B, then both go to C", Units._counted, noun=True),
    Row("pronoun:former", "archers to A, spearmen to B, then the former go to C", _they(-2), noun=True),
    Row("pronoun:latter", "archers to A, spearmen to B, then the latter go to C", _they(1), noun=True),
    Row("'its'|'their' 'share_of'|'part_of'", "spearmen at A, each with its share of the archers behind it", _same),
    Row("!every|'its'|'their'|'these'|'those' pronoun", "archers to A, then they go to B", _they(0), noun=True),
    *EITHER,
    Row("'a'|'an'|'the'|'about'|'some'|'roughly'|'equal'|'another'|percent|share|ordinal|number",
        "a third of the archers go to A", 
        lambda at, who: replace(who, share=share) if (share := at.share()) else None),
    Row("share:some|share:few", "some archers go to A",
        lambda at, who: None if at.item().word == "part" and fits(at.item(-1), "area", "dir") else replace(
            who, share=SHARES[str(at.item().get("share"))], vague=True)),
    Row("ordinal 'one'", "split into two squads, the first one goes to A",
        lambda at, who: replace(who, number=int(str(at.item().get("ordinal")))) if at.split() else None, noun=True),
    Row("ordinal", "the last ten archers go to A", Units._first),
    Row("!'ones' number", "20 archers go to A", Units._count),
    Row("'nearest'|'closest'|'nearby'", "attack the nearest enemy", lambda _, who: replace(who, pick="nearest")),
    Row("dir share:half/ to|verb|light", "archers stay, the right half goes to A",
        lambda at, who: replace(at._half(who), names=at.types), noun=True),
    Row("'those'|'the_ones' 'on'|'in'|'at' 'the' dir", "archers stay, those on the left go to A",
        lambda at, who: replace(at._half(who, 3), base="all", names=at.types), noun=True),
    Row("dir share:half/ 'of'", "the left half of the archers goes to A", Units._half),
    Row("'those'|'ones' 'at'|'in'|'on'", "archers to (20, 40), spearmen to B. The ones at (20, 40) wait",
        Units._there, noun=True),
    Row("dir squad", "attack the western group",
        lambda at, who: _foes(at, at._half(who)) if at.clause.verbs[-1:] in SHUNNED and at.item(-2).word != "with"
        else None, noun=True),
    Row("dir !offset", "the western archers go to A", lambda at, who: at._half(who) if at.noun(NOUN) else None),
    Row("'you'|'us'|'ours'", "ten of you go to A",
        lambda at, who: replace(who, base="all") if at.item(-1).word == "of" and (who.count or who.share) else None,
        noun=True),
    Row("every", "every archer goes to A", lambda at, who: None if at.noun("feature|name|marker|area") else replace(
        who, each=at.item().word.startswith(("each", "every", "per", "one ")))),
    Row("det|own", "archers protect the spearmen", _same),
)  # fmt: skip
