"""Places of an order: cells, markers, features, parts of the map, and places beside others."""

from __future__ import annotations

from dataclasses import replace

from dsl.wording import is_whole
from hive.players.words.clauses import NAMED, Place, Who, combined
from hive.players.words.cursor import LONGEST, Row, fits
from hive.players.words.units import NESTED, Units

SIDES = {name: side for side, name in NAMED.items()}


class Places(Units):
    """Reads places."""

    def place(self) -> Place | None:
        """Read a place with the words that lead to it."""
        start = self.at
        if self.nested > NESTED:
            return None
        via, origin, metres = self._led()
        before, leads = self.item(-1), self.at > start
        short = leads and fits(before, "to:short")
        self.nested, types = self.nested + 1, self.types
        found = self._bare(metres)
        self.nested, self.types = self.nested - 1, types  # `17 behind the spearmen, 17 at A` are no spearmen
        if found is None and leads and fits(before, "'to'", "'toward'", "'towards'", "'near'", "'up_to'"):
            units = self.units()
            found = Place("units", of=units) if units and not units[0].foe and units[0].base != "they" else None
        if found is None and leads and fits(before, "'inside'", "'to'", "'into'", "'at'", "'on'") and self.skip("'it'"):
            return Place("same")
        if found is None and via and fits(before, "'over'", "'across'") and not self.ahead("to|dir|at|pronoun"):
            return Place("beside", "far_side", of=(Place("feature", "bridge"),))  # `dash over`
        if found is None:
            self.at = start
            return None
        if short:
            return Place("beside", "this_side", of=(found,))  # `short of the wood`
        if (found.every or found.value == "all") and self.skip("except") and (other := self.place()):
            found = replace(found, minus=(other,))
        return replace(found, via=via, origin=origin and found.kind not in ("markers", "line"))

    def _led(self) -> tuple[bool, bool, int | None]:
        """Read what leads to a place: whether it is only passed, whether units come from there, and how far."""
        start, via, origin, metres = self.at, False, False, None
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
        return via, origin, metres

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

    def _bare(self, metres: int | None) -> Place | None:
        """Read a place without the words that lead to it."""
        item, before = self.item(), self.item(-1)
        if item.word.endswith(" of them") and fits(before, "'on'", "'at'", "'over'") and self.skip("all|every"):
            return Place("same")  # `on every single one of them`
        if self.skip("at 'to'|'-'|'until' at"):
            return Place("line", (item.get("at"), self.item(-1).get("at")))
        for kind in ("at", "xs", "y"):
            if self.skip(kind):
                count = len(item.get("xs")) if kind == "xs" else 1  # type: ignore[arg-type]
                listed = count > 2 or (count > 1 and before.word == "at")  # `at x 25, 75 and 125`
                return Place(kind, item.get(kind), every=listed)
        return self._markers() or self._beside(metres) or self._way(metres) or self._named(metres)

    def _markers(self) -> Place | None:
        start, letters = self.at, ""
        self.skip("bring*")
        every = any(fits(each, "every", "'all'") for each in self.items[start : self.at])
        every |= fits(self.item(), "marker") and self.item().word.endswith("s")
        self.skip("marker")
        while letter := self.item().get("letter"):
            letters += str(letter)
            self.at += 1
            gap = self.ahead("to:via marker? letter to:to")
            gap = 1 if gap else self.ahead("marker|then|to:to|joint|'-'|'>'|'–'|'the'*")
            self.at += gap if gap and self.ahead("letter", gap) else 0
        if letters:
            return Place("markers", letters)
        noun = self.at > start and fits(self.item(-1), "marker") and not fits(self.item(-1), "verb")
        if every and noun and not self.ahead("at"):
            begun, lead = self.items[start], self.items[start - 1]
            return Place("markers", "all", each=fits(begun, "'each'", "'every'") and fits(lead, "'at'"))
        self.at = start
        return None

    def _anchor(self) -> tuple[Place | Who, ...]:
        """Read what a place is beside: another place, or units."""
        place = self.place()
        return (place,) if place else self.units()

    def _beside(self, metres: int | None) -> Place | None:
        """Read a place beside something: `north of the wood`, `between the bridges`, `20 m behind the archers`."""
        start, relation = self.at, self.item().get("offset")
        between = relation == "between"
        if relation in (None, "side"):
            return None
        self.skip("offset 'of'?")
        named = self.ahead("name|feature|at|letter") or self.noun("feature|name|letter|goal|area")
        first = self.place() if named else None
        if between and self.skip("'the'? number:2 !type|class|all|feature|name|marker|squad|foe"):
            return Place("beside", relation)
        if between and first and first.kind == "feature" and first.every and first.count != 2:
            return replace(first, every=True)
        ends = "!type|class|feature|name|number|'of'"
        each = not first and self.skip(f"'each'|'each_one' {ends}")  # `archers behind each`
        of: tuple[Place | Who, ...] = (first,) if first else (Who("they"),) if each else self.units()
        if relation == "near" and of == (Who("they"),) and self.item(-1).word == "it":
            return Place("beside", relation, of=(Place("same"),), metres=metres)
        alone = relation in ("front", "behind") and of in ((), (Who("they"),)) and metres is None
        if alone and not first and self.ahead("'at' at|y|xs"):  # `archers behind at y = 28`
            self.skip("'at'")
            return self.place()
        if of and not first and self.skip("'at' at"):  # `behind the spearmen at (20, 30)`
            of = (Place("at", self.item(-1).get("at")),)
        if between and len(of) == 1 and self.skip("'and'"):
            of = (*of, *self._anchor())
        if not of and (place := self.place()):
            of = (place,)
        if not of and self.skip("it"):
            of = (Place("same"),)
        if of or relation not in ("n", "s", "e", "w", "near"):
            return Place("beside", relation, of=of, metres=metres)
        self.at = start
        return None

    def _way(self, metres: int | None) -> Place | None:
        """Read a place so far from where the units are: `20 m forward`, `north 30 m`."""
        start, item = self.at, self.item()
        if not self.skip("!offset move|dir"):
            return None
        metres = self.distance() if metres is None else metres
        if metres is not None or item.get("move"):
            return Place("way", item.get("move", "dir"), metres=metres)
        self.at = start
        return None

    def _named(self, metres: int | None) -> Place | None:
        """Read a feature, a part of the map, or another place that has a name.

        Until its noun comes, `value` may say that it is the `nearest` one, and `of` that it is `their` flank.
        """
        start, item, found = self.at, self.item(), Place("feature")
        if (
            self.ahead("area:map|'it'")
            or self.ahead("area:start 'to' verb")
            or (item.get("verb") and fits(item, "name", "feature"))
        ):  # `cross it`
            return None
        while self.at < start + LONGEST and (came := self.step(NAMED_PLACES, found)):
            found, noun = came
            if noun:
                return found
        if found.dir:
            self.skip("share:half !'of'|type|class|all|own")  # `the western half`
            return Place("part", "half", dir=found.dir, metres=metres)
        if found.every and (self.skip("'them'|'these'|'those'") or self.item(-1).word.endswith(("one", "ones"))):
            return Place("same")  # `on every single one of them`
        self.at = start
        return None

    # ---- up to the noun

    def _toward(self, found: Place) -> Place:
        return replace(found, dir=combined(found.dir, str(self.item().get("dir"))))

    def _every(self, found: Place) -> Place:
        return replace(
            found, every=True, each=self.item().word.startswith(("each", "every", "per", "one ", "wherever"))
        )

    def _some_of(self, found: Place) -> Place | None:
        nearest = self.ahead("number 'nearest'|'closest'|rest feature|name")
        counts = self.item().word != "ones" and (nearest or self.noun("feature|name|area"))
        return replace(found, count=self.count() or 0) if counts else None

    # ---- the noun

    def _feature(self, found: Place) -> Place | None:
        """Read a feature, with its number, and with what tells it from others."""
        item, nearest = self.item(), found.value == "nearest"
        if item.word.endswith("ed"):  # `camped`
            return None
        self.at += 1
        plural = item.word.endswith("s") and not item.get("name") and not fits(item, "feature:forest", "feature:water")
        numbers, value, every = self._feature_numbers(), item.get("name", "feature"), found.every
        every = every or bool(plural and not numbers and not nearest)
        count = found.count or int(nearest and not every)
        found = replace(found, value=value, numbers=numbers, every=every, count=count, of=())
        if item.get("feature") == "bridge" and (long := self.ahead("'over'|'across'|'on'|'along'|'of' 'the'? name")):
            river = str(self.item(long - 1).get("name")).lower()
            if river.endswith(" river") and river.split()[0] in SIDES:  # `each bridge over the North-East River`
                self.at += long
                return replace(found, dir=SIDES[river.split()[0]])
        if self.skip("'of'|'on' home"):
            return replace(found, of=(Place("home"),))
        if self.skip("'that'|'which'* 'is'|'are'* 'nearest'|'closest' 'to' 'us'|'you'|'them'|pronoun"):
            return replace(found, count=1)
        nearest = nearest or self.skip("'that'|'which'* 'is'|'are'* 'nearest'|'closest'/ 'to'")
        if nearest and self.skip("'to'|'from'"):
            anchor = self._bare(None)
            return replace(found, of=(anchor,) if anchor else ())
        if self.ahead("'in'|'on'|'at'|'to' 'the' dir !name|feature|offset|area|type|squad"):
            self.at += 2
            found, self.at = self._toward(found), self.at + 1
        return found

    def _feature_numbers(self) -> tuple[int, ...]:
        """Read the numbers of features, as in `bridges 1 to 3`, `bridge no. 2`."""
        found = list[int]()
        sign = "'no'|'number'|'#'"
        while True:
            item, more = self.item(), "|'and'|','|'to'" if found else ""
            sent = found and (  # `bridge 3 and 20 to A`, `bridge 3 and 25 on the far side of it`
                self.ahead("','|'and' number to:to dir|name|feature|at|letter")
                or self.ahead("','|'and' number to:to 'the'? offset|area")
            )
            if sent or self.ahead("',' number verb"):  # `bridge 1, 30 hold the camp`
                break
            if isinstance(pair := item.get("range"), tuple):
                found += range(int(pair[0]), int(pair[1]))
            elif isinstance(number := item.get("number"), int) and is_whole(item.text):
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
        if not side and (long := self.ahead("'in'|'at'|'of'|'on'|'the'|'to'* dir !feature|name|area|share:half")) > 1:
            self.at += long
            side = str(self.item(-1).get("dir"))
        start, of, metres = self.at, tuple[Place | Who, ...](), None
        if value == "ring" and self.skip("'of'") and (metres := self.distance()) is None:
            self.at = start  # no `ring of 20 metres round the camp`
        if value == "ring" and self.skip("'around'|'around_the'|'round'"):
            of = (Place("same"),) if self.skip("'it'") else self._anchor()
        elif value in ("ring", "row", "column") and self.ahead("'of' type|class|number|all"):
            self.skip("'of'")  # `a line of archers`
        elif not self.ahead("'in' squad") and self.skip("'of'|'in'"):
            anchor = self._bare(None)
            if anchor and anchor.kind == "part" and anchor.dir and not anchor.of and value == "centre":
                return replace(anchor, deep=True)  # `the middle of the south edge`
            if anchor is not None and anchor.value != "map" and anchor.kind in ("feature", "markers", "at", "same"):
                of = (anchor,)
            elif anchor is None and not (of := self.units()) and not self.skip("'the'|'our'|'this' area"):
                self.at = start
        value = "half" if value == "map" or (value == "side" and of) else value
        return Place("part", value, dir=side, of=of, metres=metres, every=found.every, each=found.each)

    def _area(self, found: Place) -> Place | None:
        """Read a part of the map, of something, or of whoever was named last."""
        if self.ahead("area:side 'of'") and found.every:  # `on each side of the spearmen`
            self.at += 2
            of = self._anchor()
            return Place("part", "wings", of=of, every=True, each=found.each) if of else None
        if self.ahead("area:map") and not found.dir:
            return Place("part", "map")
        part = self._part(found)
        return Place("beside", found.dir, of=found.of) if found.of and found.dir else part  # `their left flank`


NAMED_PLACES: tuple[Row[Places, Place], ...] = (
    Row("name|feature", "archers to the wood", Places._feature, noun=True),
    Row("goal", "archers to the goal", lambda _, found: Place("goal"), noun=True),
    Row("home area:side|area:edge?", "archers to our side", lambda _, found: Place("home"), noun=True),
    Row("area:start", "archers go home", lambda _, found: Place("start"), noun=True),
    Row("area:deep 'part'|'in'|'inside'|'of'|'within'|'into'*", "archers deep into the wood",
        lambda _, found: replace(found, deep=True)),
    Row("area", "archers to the south edge", Places._area, noun=True),
    Row("dir 'most'|'and'/ dir|name|feature|area", "archers to the north and east", Places._toward),
    Row("dir", "archers to the western wood", Places._toward),
    Row("'nearest'|'closest'", "guard the nearest bridges", lambda _, found: replace(found, value="nearest")),
    Row("'farthest'|'last'|'first'", "archers go behind the last bridge", lambda _, found: found),
    Row("every|'all'|'both'", "archers to every bridge", Places._every),
    Row("number !'ones'", "archers to two bridges", Places._some_of),
    Row("'their'", "archers to their left flank", lambda _, found: replace(found, of=(Who("they"),))),
    Row("det|own|'its'|'single'|'one'|'ones'", "archers go behind the camp", lambda _, found: found),
    Row("'here'", "archers come here", lambda _, found: Place("way", "here", metres=0), noun=True),
    Row("'there'|'it'", "archers go to A and wait there", lambda _, found: Place("same"), noun=True),
)  # fmt: skip
