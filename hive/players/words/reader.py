"""Phrases of an order to clauses: every item fills a slot of its clause, or is kept as not read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hive.players.words.clauses import Clause, Event, Place, Who
from hive.players.words.lexicon import Item
from hive.players.words.phrases import NOUN, Phrases, combined, fits

OF_FOES = ("attack", "avoid", "flank", "match")
"""Verbs whose object is the other side, also where it is not called so."""
OF_OWN = ("follow", "shield", "gather")
"""Verbs whose object may be others of one's own side."""
GUARDS = ("guard", "protect", "defend", "cover", "watch", "look", "shield")
"""First words of verbs whose object is what is held."""
ALIKE = {"hold", "spread", "split", "stay", "stand", "gather", "hide", "shield"}
"""Verbs that say one thing together, as in `split and hold`."""
BINDING = ("not", "except", "forbidden", "instead", "when:unclear", "amount")
"""Items that an order does not mean the same without."""
TELLING = (
    "type", "class", "number", "percent", "ids", "range", "at", "letter", "name", "share", "dir", "offset", "xs", "y",
    "feature", "goal", "squad", "foe", "metres",
)  # fmt: skip
"""Items that say who, or where."""
VAGUE = ("one", "single", "some", "few", "first", "last", "right", "part", "parts", "a few", "a part of")
"""Words among these that say nothing alone."""
ASKS = ("is", "are", "how", "what", "where", "which", "who", "why", "does", "did")
NOBODY = ("nobody", "no one", "no unit", "none")
AFTER_NOT = "'ever'|'to'|'a'|'any'|'of'|'you'|'our'|'us'|'unit'|'units'|'to_be'|light*"
SOME_SQUADS = (
    "'into'|'in'|'as'|'of'|'by'|'the'|'several'|'many'|'different'|'even'|'equal'|'more'|'a_number_of'|'some'|'little'"
    "|'small'|'strong'|'large'|'big'*"
)
NOUNS = f"{NOUN}|area|marker|feature|goal|dir|share|rest|to|offset|number"
ASIDE = ("think", "concede", "cannot", "amount", "leave_out", "instead", "cancel", "forbidden")
OWN_SIDE = "of our own side: nobody attacks them"


class Reader(Phrases):
    """Collects phrases into clauses."""

    def __init__(self, items: Sequence[Item]) -> None:
        """Begin at the first item."""
        super().__init__(items)
        self.joined = False  # whether a comma or `and` came just before
        self.denied = ""  # the denial that came, and nothing yet that it denies
        self.sentence = 0  # where the present sentence began
        self.comma = False  # whether it was a comma
        self.began = 0  # where the present phrase began

    def read(self) -> list[Clause]:
        """Return the clauses as they were said; every item is in one of them."""
        while self.at < len(self.items):
            self.began = self.at
            self._next(self.item())
            read = self.items[self.began : self.at]
            if self.clause.items or any(item.get("stop") is None for item in read):
                self.clause.items += read
        return self.found

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

    def _next(self, item: Item) -> None:
        """Read the next phrase."""
        clause, manner = self.clause, item.get("manner")
        if self.ahead("det det det") or self.ahead("called 'of' number"):  # `a screen of 10 archers`
            self.at += 1
        elif self.ahead("'the' called !feature|name"):
            self.at += 2
            clause.lost.append(f"the {self.item(-1).text}")
        elif (stop := item.get("stop")) is not None:
            self._stop(str(stop), "?" in item.text)
        elif item.get("leftover"):
            self._leave(item)
        elif self._corrects(item) or self._names() or self._forms():
            pass
        elif self.ahead("'and'|'&'|'plus'|'but'|'while'") and not item.get("except"):
            self.at += 1
            self.joined, self.comma = True, False
        elif fits(item, "then:first") and clause.full and self.ahead("then ','? 'with'|$"):
            self.at += 1  # `take out the archers first, with the cavalry`
        elif item.get("then") and not self._counts():
            self.at += 1
            later = item.get("then") == "then" and (item.word != "last" or clause.full)
            before = fits(item, "then:first") and self.joined and clause.places and self.ahead("verb")
            self.begin("then" if later else "before" if before else "and" if self.joined else clause.link)
        elif item.get("when"):
            self._when(item, str(item.get("when")))
        elif item.get("not") or self.denied:
            self._not(item)
        elif self.skip("'open_ground'|'in_the_open'|'exposed'|'exposure'|'visible'"):
            pass  # where they are under cover only if they are not to be there
        elif manner not in (None, "behind", "weakest", "strongest") and self._is_manner(item):
            self._manner(item)
        elif item.word in ("by", "by the") and self._passive() and (units := self._agents()):
            clause.who = units
        elif (
            clause.places
            and item.word == "where"
            and not fits(self.item(-1), "light")
            and (self.ahead("type|class|all|rest", 1) or self.noun("type|class|all"))
        ):  # `to A, where all archers wait`
            self.at += 1
            self.begin("and").places = [Place("same")]
        elif clause.places and clause.who and self.ahead("number 'each' $"):  # `over the bridges, ten each`
            count = self.count()
            clause.who = tuple(replace(who, count=count, each=True) for who in clause.who)
            self.at += 1
        elif item.get("self") and clause.verbs and clause.verbs[-1] in OF_FOES:
            self.at += 1
            clause.lost.append(OWN_SIDE)
        elif self.ahead("intro 'to' verb"):  # `the plan is to kill them one by one. ...`
            self._to_end("$")
            clause.verbs += ["think"]
        elif fits(item, *ASIDE, "mind", "impossible"):
            self._aside(item)
        elif (
            self._squads()
            or (self._is_verb(item) and self._verb(item))
            or (self.ahead("'about'? number|metres|'within'|'at'") and (self._leash() or self._ticks()))
        ):
            pass
        elif clause.who and self.ahead("number offset:behind|offset:front") and (place := self.place()) is not None:
            self._place(place)  # `archers 10 behind them`
        elif units := self.units():
            self._units(units)
        elif (place := self.place()) is not None:
            self._place(place)
        elif item.get("verb"):
            self._verb(item)
        elif self.skip("alphabet"):
            clause.manner.add(str(item.get("alphabet")))
        elif item.get("against") or (
            item.word == "at"
            and self.noun("type|class")
            and ("attack" in clause.verbs or (clause.who and not clause.verbs))
        ):
            self.at += 1
            if (units := self.units()) and self._own_side(units):
                clause.lost.append(OWN_SIDE)
            clause.foe += [replace(who, foe=True) for who in units if OWN_SIDE not in clause.lost]
        elif clause.who and self.skip("every"):
            clause.each = True
        else:
            self._lose(item)

    def _stop(self, stop: str, asks: bool) -> None:
        """End a sentence, or a part of it; a question, such as `where is the enemy?`, needs no order."""
        clause = self.clause
        if asks and self.items[self.sentence].word.partition(" ")[0] in ASKS:
            at, number = len(self.items), len(self.found)
            while number and at > self.sentence:
                number -= 1
                at = self.at - sum(len(each.items) for each in self.found[number:])
                self.found[number] = Clause(self.found[number].link, verbs=["think"], items=self.found[number].items)
            clause = self.clause = self.found[-1]
        self.at += 1
        clause.colon = stop == ":"
        if stop in ".!?;\n":
            self.sentence = self.at
        if stop in ".!?;\n" or (stop == ":" and clause.acts and not (clause.places and not clause.verbs)):
            self.begin("stop")
        self.comma = stop == "," and (self.comma or not self.joined)
        self.joined = self.joined or stop == ","

    def _counts(self) -> bool:
        """Whether `first`, `next` and the like tell units or places apart, and not what is done then."""
        if self.ahead("then 'one'|'ones'"):
            return True
        noun = self.ahead(f"then {NOUN}|number|marker|feature")
        return bool(self.item().get("ordinal") and (self.item(-1).word == "the" or self.split() or noun))

    def _passive(self) -> bool:
        """Whether `by` says who does what is said: `the row is held by archers`, `by the archers it is held`."""
        clause, items = self.clause, self.clause.items
        bare = not (clause.acts or items)
        said = bool(clause.verbs) and any(item.word in ("be", "is", "are", "been") for item in items)
        return not clause.who and (bare or said)

    def _agents(self) -> tuple[Who, ...]:
        """Read units after `by`; nothing if none of one's own side come."""
        start = self.at
        self.at += 1
        units = self.units() if self.ahead("type|class|all|share|number|own") or self.noun("type|class|all") else ()
        if not units or units[0].foe:
            self.at = start
            return ()
        return units

    def _corrects(self, item: Item) -> bool:
        """Read what is said in place of the last thing of its kind: `to A, no, to B`."""
        begun = self.at
        if not (self.skip("correct") or (self.ahead("'no' ','") and self.skip("'no'"))):
            return False
        self.skip("correct|','|'no'|'wait'*")
        start, one = self.at, next((each for each in self.found[::-1] if each.acts), None)
        if one is None or (self.ahead("$") and not item.get("not")):  # `..., I mean.`
            return True
        count = self.count() if self.ahead("number 'of' pronoun|$") or self.ahead("number $") else None
        units = () if count else self.units()
        place = None if count or units else self.place()
        if self.ahead("verb|light") or (self.at == start and begun == self.sentence):  # `no, the archers go there`
            self.at = start
            self._take_back(whole=begun == self.sentence)
            self.begin("stop" if self.clause is one else "and").who = one.who if self.ahead("verb") else ()
            return True
        if place is not None and one.places:
            alike = [at for at, each in enumerate(one.places) if (each.kind, each.value) == (place.kind, place.value)]
            one.places[alike[-1] if alike else -1] = place
        elif place is not None:
            one.places.append(place)
        elif one.foe and units:
            one.foe[-1] = replace(units[0], foe=True)
        elif units or count:
            one.who = units or tuple(replace(who, count=count) for who in one.who)
        elif item.get("not"):
            self.at = begun
            return False
        else:
            self._to_end()
            one.lost.append(self.text(begun))
            return True
        if self.clause is not one and not self.clause.items:
            self.found.remove(self.clause)
            self.clause = one
        return True

    def _take_back(self, whole: bool) -> None:
        """Let the last clause that says something to do say nothing any more, or all that belong to it."""
        for one in [each for each in self.found if each.acts][::-1]:
            one.verbs, one.places, one.foe, one.lost = ["cancel"], [], [], []
            one.own, one.when, one.until, one.squads, one.manner = (), None, None, 0, set()
            if one.link == "stop" or not whole:
                return

    def _names(self) -> bool:
        """Read a name that is given to units: `Alpha, units 0 to 24, goes ...`, `Bravo is all the archers: ...`."""
        start = self.at
        squad = self.skip("squad")
        name, number = self.item(), self.item().get("number")
        known = (squad and isinstance(number, int)) or (not name.means and name.text[:1].isupper())
        if not known or name.text in self.labels or self.split():
            self.at = start
            return False
        self.at += 1
        link = self.item()
        again = any(item.text == name.text for item in self.items[self.at :])
        units = self.units() if self.skip("','|':'|'('|'-'|'is'|'are'|'that'|'means'*") else ()
        told = fits(link, "'is'", "'are'") or again or any(w.part or w.base == "rest" for w in units)
        if not units or units[0].foe or units[0].base == "they" or not told:
            self.at = start
            return False
        label = f"squad {number}" if squad and number else name.text
        named = tuple(replace(who, label=f"{label} {at}") for at, who in enumerate(units))
        self.labels[label] = named
        self.skip("')'")
        self._units(named)
        return True

    def _forms(self) -> bool:
        """Step over a formation, which no plan can say: `in a tight wedge`, `like a checkerboard`, `two ranks`."""
        at = 0
        while at < 4 and (self.ahead("'in'|'into'|'as'|'like'|'of'|det|number|size", at) or not self.item(at).means):
            at += 1
        if not self.ahead("formation", at) or self.ahead("formation 'of' verb", at):
            return False
        start = self.at
        self.at += at + 1
        self.clause.left.append(self.text(start))
        return True

    def _lose(self, item: Item) -> None:
        """Keep a word that has no place in the clause: one that says who or where has to be asked about."""
        clause, before = self.clause, self.item(-1) if not fits(self.item(-1), "det") else self.item(-2)
        start = self.at
        if fits(item, "number", "metres") and self.distance() is not None:  # `six metres between them`
            asks = self.ahead("to:from") or fits(before, "'at'")
            (clause.lost if asks else clause.left).append(self.text(start))
            return
        self.at += 1
        if not item.means and len(item.text) > 1:
            sent = fits(before, "verb", "light") and self.ahead("to|dir|verb") and not (clause.who or clause.full)
            led = before.get("to") not in (None, "from") and not clause.places  # `to the windmill`
            (clause.lost if sent or led else clause.unread).append(item.text)
        elif fits(item, *BINDING, *TELLING) and item.word not in VAGUE:
            clause.lost.append(item.text)

    def _leave(self, item: Item) -> None:
        """Step over what no plan can say, and keep it as left out: `facing west`, `so that ...`."""
        start = self.at
        self.at += 1
        if item.get("leftover") == "purpose":
            self._to_end()
        elif item.word == "facing" and self.place() is None:
            self.skip("'the'? dir|foe*")
        self.clause.left.append(self.text(start))

    def _to_end(self, but: str = "$|when|then") -> None:
        """Step over items to the end of the clause."""
        while not self.ahead(but):
            self.at += 1

    # ---- how, and what not

    def _is_manner(self, item: Item) -> bool:
        acts = item.get("verb") and (not self.clause.verbs or self.joined) and item.get("manner") != "peace"
        return not acts and not self._squads(look=True)

    def _manner(self, item: Item) -> None:
        """Read how units act, with the enemies that it is said of: `ignore the enemy`, `distance to the enemy`."""
        clause, peace = self.clause, item.get("manner") == "peace"
        self.at += 1
        if item.get("leave_out") and self.noun("name|feature"):  # `ignore the wood`
            clause.verbs.append("avoid")
            return
        groups = {each.who for each in self.found if each.who and not each.who[0].whole}
        if self.item(-2).text == "," and clause.acts and len(groups) > 1 and self.ahead("$"):  # `..., no chasing`
            clause = self.begin("stop")
        clause.manner.add(str(item.get("manner")))
        if item.get("verb") and not clause.verbs:
            clause.verbs.append(str(item.get("verb")))
        if peace and "enem" in item.word:
            self.skip("type|class")  # `ignore the enemy cavalry`
        if peace and self.skip("'to'|'in'|'into'|'a'|'any'* verb:attack") and self.skip("'with'|'against'"):
            self.units()  # `do not get drawn into battles with the archers`
        start = self.at
        self.skip("'to'|'from'|'with'|'of'|'the'|'between'|'them'|'and'*")
        if not ((units := self.units()) and units[0].foe and not self.ahead("verb|light")):
            self.at = start

    def _not(self, item: Item) -> None:
        """Read what is not to be done: not to fight and not to chase are manners; what else it denies is lost."""
        clause = self.clause
        if not self.denied:
            self.at += 1
            self.skip(AFTER_NOT)
            if item.word in NOBODY:
                clause = self.begin("and") if clause.acts else clause
                clause.who = clause.who or (Who("all"),)
            self.denied = item.word
            return
        denial, self.denied, start = self.denied, "", self.at
        self.at += 1
        self._to_end("$|when|then|'and'|'but'")
        said = self.items[start : self.at]
        types = tuple(
            str(each.get("type", "class")) for each in said if fits(each, "type", "class") and not each.get("manner")
        )
        verbs = {str(each.get("verb")) for each in said if each.get("verb")}

        def has(*terms: str) -> bool:
            return any(fits(each, *terms) for each in said)

        if has("manner:cover"):
            clause.manner.add("cover")
        elif has("manner:close", "manner:distance", "class:melee"):
            clause.manner.add("distance")
        elif has("deed:charge", "'chase'", "'pursue'", "'leave'", "'leaves'", "'stray'", "'strays'") and not types:
            clause.manner.add("leash")
        elif "attack" in verbs and types:
            clause.verbs.append("avoid")
            clause.foe.append(Who(foe=True, names=types))
        elif types and not verbs and clause.foe and not {*types} & {name for foe in clause.foe for name in foe.names}:
            pass  # `attack archers only, no spearmen`
        elif "attack" in verbs or has("foe", "mind", "manner:peace"):
            clause.manner.add("peace")
        elif verbs == {"stay"} and len(said) < 3:
            pass  # `do not wait`
        elif not verbs and has("xs", "y") and has("offset"):
            clause.left.append(f"{denial} {self.text(start)}")  # `never east of x = 15`
        elif verbs == {"retreat"} and len(said) < 4:
            clause.left.append("no " + self.text(start))  # `no running away`
        elif verbs == {"go"} and has("'move'", "'moves'", "'budge'", "'stir'") and len(said) < 3:
            self.clause = clause = self.begin("and") if clause.acts else clause
            clause.verbs.append("stay")
            clause.manner.add("still")
        elif (
            (verbs and verbs <= {"go", "avoid"} and denial in NOBODY and not has("to:to"))
            or (verbs == {"go"} and said[0].word.startswith("cross") and (denial in NOBODY or len(said) < 2))
            or (
                verbs == {"go"} and not has("to", "name", "feature", "dir", "at", "offset", "y", "xs", "'past'", "'it'")
            )
        ):  # `nobody crosses the river`
            clause.manner.add("leash")
        elif not (fits(said[0], "to:to") and clause.places) and not all(
            fits(each, "void", "noise", "$") for each in said
        ):
            clause.lost.append("not " + self.text(start))  # but `to A, not to B` sends nobody to B

    def _aside(self, item: Item) -> None:
        """Read words that no plan carries out, that need no order, or that say whom nobody fights."""
        clause, start = self.clause, self.at
        enemies = self.noun("foe|pronoun") or self.ahead("foe|pronoun|comer|someone", 1) or clause.foe
        enemies = enemies or self.ahead("leave_out everyone !'of'|type|feature|marker")
        if item.get("leave_out") and self.noun("squad") and not clause.acts:  # `ignore the bunch at A`
            self._to_end("$|'and'|'but'")
            clause.manner.add("peace")
        elif self.skip("leave_out every|'any'|'all'|'the'* verb:attack"):  # `skip every fight`
            clause.manner.add("peace")
        elif fits(item, "mind", "leave_out") and enemies:
            self.at += 1
            if not self.skip("someone|everyone"):
                self.units()
            clause.manner.add("peace")
            clause.foe = []
        elif item.get("forbidden") and "attack" in clause.verbs:  # `fighting is forbidden`
            self.at += 1
            clause.verbs.remove("attack")
            clause.manner.add("peace")
        elif item.get("impossible"):  # `on the roofs of the hamlet`
            self.at += 1
            clause.left.append(item.text)
            self.skip("'of'|'the'*")
        elif fits(item, "mind", "noise") and not fits(item, "cannot", "think"):
            self.at += 1
        elif fits(item, "leave_out", "'never mind'") and self.noun("feature|name|area|goal|verb|manner"):
            clause = self.begin("and") if clause.acts else clause
            self._to_end("$|'and'|'but'")  # `never mind the bridges`
            clause.verbs, clause.items = ["think"], [*clause.items, *self.items[start : self.at]]
            self.began = self.at
            self.begin("and")
        elif item.get("cancel") and any(each.acts for each in self.found):
            self.at += 1
            self._take_back(whole=True)
            self.skip("pronoun")
        elif item.get("leave_out") and (self.ahead("letter", 1) or self.noun("letter|marker")):
            self.at += 1
            gone = self.place()
            for one in self.found:
                one.places = [_without(each, gone) for each in one.places if each != gone]
        else:
            kind = next(kind for kind in ASIDE if item.get(kind))
            clause = self.begin("and") if clause.acts else clause
            while not self.ahead("$|then") and not (self.at > start + 1 and self.ahead("'and'|'but'")):
                if kind == "think" and self.at > start and self.ahead("'to' verb"):
                    break
                clause.verbs += ["match"] if kind == "think" and self.ahead("verb:match") else []
                self.at += 1
            clause.verbs += ["think"] if kind == "think" else []
            clause.left += [self.text(start)] if kind == "cannot" else []
            clause.lost += [self.text(start)] if kind not in ("think", "cannot", "concede", "instead") else []

    # ---- when

    def _when(self, item: Item, kind: str) -> None:
        """Read `when`, `once`, `until`, `before` or `while` with what follows."""
        clause, begun = self.clause, self.at
        self.at += 1
        you = self.ahead("'you'|'we'|'they'")
        gerund = self.ahead("verb") and self.item().word.partition(" ")[0].endswith("ing")
        if item.word == "as" and self.ahead("squad|formation"):
            return  # `as squads`
        if kind in ("while", "otherwise"):
            self.begin(kind)
            return
        if kind == "before" and (item.word == "beforehand" or self.skip("'that'|'this'|'it'")):
            self.begin("before")
            return
        if kind == "before" and (gerund or (you and self.ahead("verb", you))):  # `before you attack, go to A`
            self.at += you
            link = "then" if clause.acts else "later"
            self.begin(link).link = link
            return
        if item.word == "once" and self.ahead("'and'|'but'|$"):  # `attack once and come back`
            clause.lost.append("once")
            return
        if item.word == "after" and self.ahead("to:to"):  # `first to A, after to B`
            self.begin("then")
            return
        event = None if kind == "unclear" else self.event()
        start = self.at
        if event is not None and self.skip("'or'") and self.event() is not None:
            clause.left.append(self.text(start))  # `until they are dead or 400 ticks have passed`
        if event is None and kind == "until":
            self.skip("'you'|'they'|'we'|'are'|'almost'|'right'*")
        if event is None and kind == "until" and (place := self.place()) is not None:
            event = Event("arrive", place=place)
        if event is None and fits(item, "'after'", "'upon'", "'once'"):
            self.begin("then")
        elif event is None:
            self._to_end("$|then")
            clause = self.begin("and") if clause.acts and self.joined else clause
            ends = kind == "until" and not any(each.get("then") for each in self.items[self.at :])
            (clause.left if ends else clause.lost).append(self.text(begun))
        elif kind == "before" and "attack" in clause.verbs:
            clause.left.append(self.text(begun))
        elif kind == "until" and event.kind == "arrive" and event.place and all(who.whole for who in event.who):
            if event.place.kind not in ("units", "same"):
                clause.places.append(event.place)  # `until you are at the bridge`
        elif kind in ("until", "before"):
            clause.until = event
        else:
            clause = self.begin("and") if (clause.acts and self.joined) or clause.when else clause
            clause.when = event
        self.joined = False

    def _ticks(self) -> bool:
        """Read `50 ticks`, for which units do something, or `50 ticks later`."""
        start, count = self.at, self.count()
        if not count or not self.ahead("event:ticks") or (self.ahead("metres") and not self.ahead("'ticks'|'tick'")):
            self.at = start
            return False
        self.at += 1
        if self.skip("'later'") or (self.clause.full and not self.clause.verbs):
            clause = self.clause if self.clause.who and not self.clause.full else self.begin("then")
            clause.when = Event("ticks", count)
            clause.verbs = [
                "go" if verb == "follow" else verb for verb in clause.verbs
            ]  # `archers follow 40 ticks later`
        else:
            self.clause.until = Event("ticks", count)
        return True

    # ---- who, what, where

    def _squads(self, look: bool = False) -> bool:
        """Read into how many squads units are split: `three squads`, `in groups`."""
        start = self.at
        if self.ahead("verb|$"):
            return False
        self.skip(SOME_SQUADS)
        inside, count = fits(self.item(-1), "'into'", "'in'"), self.count()
        if count and inside and not look and self.ahead("$|'by'|'and'"):  # `cut us in three`
            self.clause.squads = count
            return True
        self.skip("'separate'|'different'|'equal'|'more'|'small'|'big'|'strong'|'large'|'even'|'distinct'|'mixed'*")
        plural = self.item().word.endswith("s") and not self.item().word.endswith("ss")
        teams = bool(count) and (inside or self.ahead("teams $")) and bool(self.ahead("teams"))
        parts = plural and bool(self.ahead("squad|area:row|area:column"))
        found = teams or (parts and (count is not None or bool(self.ahead("squad"))))
        found = found and not (self.ahead("foe", 1) or self.ahead("foe", 2))
        if look or not found:
            self.at = start
            return found
        self.at += 1
        self.clause.squads = count or -1
        if not count and self.ahead("'of' number !type|class|all"):  # `in squads of ten`
            self.at += 1
            self.clause.squads = -(self.count() or 1)
        if count and (
            long := self.ahead("'of' number") or self.ahead("',' 'each' number")
        ):  # `two patrols of 3 cavalry`
            self.at += long - 1
            units = self.units()
            if not units and not self.count():
                self.at -= 1
            if units and all(who.count for who in units):
                self.clause.who = tuple(replace(who, count=(who.count or 0) * count) for who in units)
                self.skip("','? 'each'")
        return True

    def _leash(self) -> bool:
        """Read how far units stray, or stay from the enemy, or how far they stand apart."""
        start, within = self.at, self.item().word == "within"
        metres = self.distance()
        if metres is not None and self.skip("to:from") and (units := self.units()) and units[0].foe:
            self.clause.manner.add("distance")
        elif metres is not None and (within or "follow" in self.clause.verbs):
            self.skip("'of'")
            self.clause.leash = metres
        elif metres is not None and self._rings() and self.skip("to:from"):  # `in a ring, 12 metres from the middle`
            self.skip("'the'? area|it")
            self.clause.places = [replace(each, metres=metres) for each in self.clause.places]
        elif metres is not None and self.clause.places and self.clause.places[-1].value == "wings":
            self.clause.places[-1] = replace(self.clause.places[-1], metres=metres)  # `on each side of them, at 15 m`
        elif metres is not None and self.clause.places and self.skip("'off'|'away'|'back'|'distant'"):
            last = self.clause.places[-1]
            self.clause.places[-1] = replace(last, metres=metres) if last.kind == "beside" else last
        elif metres is not None and self.ahead("'out'") and any(place.value == "ring" for place in self.clause.places):
            self.at += 1  # `in a ring round the camp, thirty metres out`
            places = self.clause.places
            self.clause.places = [replace(each, metres=metres) if each.value == "ring" else each for each in places]
        elif metres is not None and (self.skip("'between'|'apart'") or self.item(-1).word == "every"):
            self.units()
            self.clause.left.append(self.text(start))
        else:
            self.at = start
            return False
        return True

    def _rings(self) -> bool:
        """Whether a clause names a ring, and no other place."""
        places = self.clause.places
        return bool(places) and all(place.value == "ring" for place in places)

    def _is_verb(self, item: Item) -> bool:
        """Whether a word is the verb of its clause, also where it may be a noun."""
        if not item.get("verb") or not self.ahead(NOUNS):
            return bool(item.get("verb"))
        noun = fits(self.item(-1), "det", "dir", "number", "own", "every", "ordinal", "area", "foe", "to", "offset")
        return not noun and not self.clause.verbs and not (self.clause.who and self.ahead("to|offset"))

    def _verb(self, item: Item) -> bool:
        """Take a verb into the clause, or into a new one where the present one has its object."""
        clause, verb = self.clause, str(item.get("verb"))
        self.at += 1
        if verb == "follow" and (self.ahead("'it'|letter|alphabet") or self.noun("feature|name|marker")):
            verb = "go"  # `follow it to the corner`
            self.skip("'it'")
        bare = bool(clause.verbs) and {*clause.verbs} <= {"go", "stay"} and not (clause.full or clause.until)
        bare = bare and not (verb == "go" and self.joined and clause.verbs == ["stay"])
        alike = {verb, *clause.verbs} <= ALIKE and not (self.joined and clause.full)
        shoots = item.get("deed") == "shoot" and clause.places and not clause.foe
        if shoots and {*clause.verbs} <= {"go", "hold", "stay"}:  # `go to A and shoot them`
            clause.verbs = []
        if verb == "flank" and "attack" in clause.verbs and not self.joined:  # `attack them from the side`
            clause.verbs.append(verb)
            return True
        another = clause.verbs and not alike and (clause.full or (self.joined and not bare))
        if another or "think" in clause.verbs:
            who = () if clause.acts else clause.who
            clause = self.begin("and")
            clause.who = who
        elif clause.foe and not (clause.verbs or clause.who or clause.places) and self._states(verb):
            text, clause.foe = clause.text, []  # a sentence about enemies
            if any(fits(each, "manner:peace") for each in self.items[self.at : self.at + self._to_stop()]):
                return True  # `the enemy gets ignored`
            if not any(each.word in ("be", "being") for each in clause.items):
                clause.verbs = ["think"]  # `the enemy will come over the bridges`
                if verb in OF_FOES:
                    self._to_end("$|then")
                return True
            clause.lost.append(text)
        elif bare and verb not in ("go", "stay", "retreat"):  # `go and attack`
            clause.verbs = []
        clause.verbs.append(verb)
        if (verb == "retreat" or item.word.endswith((" back", " forward"))) and (metres := self.distance()) is not None:
            clause.places.append(Place("way", "forward" if item.word.endswith(" forward") else "back", metres=metres))
            self.skip("move")
        if item.word.endswith(" within") and (metres := self.distance()) is not None:  # `stay within 10 m of A`
            clause.leash = metres
            self.skip("'of'")
        clause.manner |= {"shoot"} if item.get("deed") == "shoot" else set()
        clause.manner |= {str(item.get("manner"))} & {"cover", "distance", "close"}
        if clause.who and item.word.split()[0].removesuffix("s").removesuffix("ing") in GUARDS:
            self._guarded(clause)
        self.joined = False
        return True

    def _states(self, verb: str) -> bool:
        """Whether a sentence about enemies says what they do: `the enemy comes over the bridges`, `will attack`."""
        modal = any(item.word in ("will", "may", "might", "would", "could", "can") for item in self.clause.items)
        return verb not in OF_FOES or (modal and not any(item.word == "be" for item in self.clause.items))

    def _guarded(self, clause: Clause) -> None:
        """Read whom units guard: `spearmen protect the archers`."""
        units = self.units() if self.noun("type|class|pronoun") or self.ahead("type|class|pronoun") else ()
        if units and self.item(-1).word.endswith("selves"):
            clause.verbs = [verb for verb in clause.verbs if verb != "stand"]  # `stay and defend themselves`
            return
        if units and units[0].foe:
            clause.foe += units
        elif units and not (
            units[0] == Who("they") and (clause.places or self.item(-1).word == "it")
        ):  # `share out over the bridges to protect them`
            clause.own, clause.verbs[-1] = units, "shield"

    def _units(self, units: tuple[Who, ...]) -> None:
        """Take units into the clause as who does it, as its object, or as those of a new clause."""
        clause, one, last = self.clause, units[0], self.clause.verbs[-1] if self.clause.verbs else ""
        acts_next = bool(self.ahead("verb|light !to") and not self.ahead("to"))
        acts_next = acts_next or bool(self.comma and self.ahead("verb:stay|verb:hold"))
        ends = (one.count or one.share) and self.ahead("$") and self.at >= len(self.items) - 1
        mine = [each for each in units if each.names or each.count]
        part = one.number or one.count == 1 or one.base == "rest"
        if clause.foe and not (clause.verbs or one.foe or clause.who) and self._led_by("with", "by", before=True):
            clause.who, clause.verbs = units, ["attack"]  # `then their spearmen with our archers`
        elif clause.squads and part and not clause.places and not one.foe:
            self.begin("and").who = units  # `two groups, one to A`
        elif one.foe:
            clause = self.begin("and") if clause.places and last not in OF_FOES and self.joined else clause
            clause.foe += units
        elif one.base == "they" and last == "attack" and self._markers_before():
            clause.verbs[-1] = "go"  # `hit them in this order`
        elif one.base == "they" and last in ("attack", "flank", "avoid") and not clause.foe and not acts_next:
            events = [event for done in self.found[::-1] for event in (done.until, done.when) if event]
            named = [each for done in self.found[::-1] for each in done.foe if not each.pick]
            named += [each for event in events for each in event.who if each.foe]
            clause.foe += named[:1] or [Who("all", foe=True)]
        elif (
            last in OF_OWN
            and not (clause.own or acts_next or (clause.when and not self.items[self.began - 1].get("verb")))
            and not (clause.full and self.joined)
        ):
            clause.own = units
        elif (
            last in ("attack", "flank")
            and one == Who("all")
            and not (clause.foe or acts_next or self._led_by("with", before=True))
            and self.item(-1).word.startswith(("every", "any", "who", "what"))
        ):
            clause.foe.append(Who("all", foe=True))  # `kill everything there`
        elif last == "attack" and one == Who("rest") and not clause.foe and self.ahead("$") and not self.joined:
            clause.foe.append(
                Who("rest" if self.found[:-1] else "all", foe=True)
            )  # `when they are dead, attack the rest`
        elif last in ("attack", "flank") and not acts_next and self._own_side(units):
            clause.lost.append(OWN_SIDE)
        elif (
            last in OF_FOES
            and not (
                (clause.full and not self.items[self.began - 1].get("verb"))
                or acts_next
                or self._led_by("with", before=True)
            )
            and len(mine) == len(units)
        ):
            clause.foe += [replace(each, foe=True) for each in units]
        elif clause.who and clause.full and one.names and self.ahead("$") and self._led_by("with", before=True):
            clause.who = (*clause.who, *units)  # `civilians stay in the south with half of the archers`
        elif not clause.who and (
            not clause.acts
            or (last and not (clause.full and self.joined))
            or (last in OF_FOES and self._led_by("with", before=True))
            or ends
        ):
            clause.who = units
        elif clause.who and not clause.acts and one.base == "they" and (one.share or one.count):
            clause.lost.append(self.text(max(0, self.at - 3)))  # `80 men, half of them archers`
        elif clause.who and self.ahead("!verb|light") and self.item(-1).word == "all of them" and self.joined:
            pass
        elif clause.who and not clause.acts and (one.base != "they" or self.joined or acts_next):
            again = one.whole and self.item(-1).word == "all of them"
            whole = clause.who[0].whole and not one.whole  # `we ought to let a third of the archers ...`
            only = (
                whole or one.base == "they" or ((one.count or one.share) and one.names == clause.who[0].names)
            )  # `archers: 10 to A, 5 to B`
            clause.who = clause.who if again else units if only else (*clause.who, *units)
        elif one.base == "they" and not (acts_next or self.joined or one.part):
            pass
        elif clause.who and one.minus and not one.names and not self.joined:
            clause.who = tuple(replace(each, minus=one.minus) for each in clause.who)
            if long := self.ahead("','? 'who'"):  # `except 15 spearmen, who go to A`
                self.at += long
                self.begin("and").who = one.minus
        else:
            self.begin("and").who = units
        self.joined = False

    def _markers_before(self) -> bool:
        """Whether markers were named, and no enemies."""
        places = [place for clause in self.found for place in clause.places]
        return bool(places) and places[-1].kind == "markers" and not any(clause.foe for clause in self.found)

    def _own_side(self, units: tuple[Who, ...]) -> bool:
        """Whether units that were read last are said to be of one's own side, as the object of an attack."""
        at = self.at - 1
        while at > 0 and fits(self.items[at], "type", "class", "all", "pronoun", "self", "own", "det"):
            at -= 1
        own = any(fits(item, "own", "self", "'us'", "'me'") for item in self.items[at + 1 : self.at])
        return own and self.items[at].word not in ("with", "by", "using") and not units[0].foe

    def _place(self, place: Place) -> None:
        """Take a place into the clause, or into what was said before it."""
        clause, last = self.clause, self.clause.places[-1] if self.clause.places else None
        if place.kind == "part" and place.value == "half" and place.dir and place.metres and not (last or place.of):
            place = Place("way", place.dir, metres=place.metres)  # `20 metres to the north-east`
        if "spread" in clause.verbs and place.kind == "feature" and self._led_by("round", "around", "around the"):
            place = Place("part", "ring", of=(replace(place, via=False),))  # `spread out round the camp`
        told = {"attack", "spread", "hold"} & {*clause.verbs}
        if place == Place("part", "map") or (
            place.origin and not told and not (place.kind == "at" and not (clause.acts or clause.who))
        ):
            return  # `across the field`; `from A to B`
        rings = [each for one in self.found for each in one.places if each.value == "ring" and each.of]
        if place.value == "ring" and rings and not place.of and self._led_by("inside", "within", "in"):
            of = rings[-1].of[0]  # `archers inside the ring`
            place = of if isinstance(of, Place) else Place("units", of=(of,))
        before, foe = self.items[max(0, self.at - 5) : self.at], clause.foe[-1] if clause.foe else None
        if foe and place == Place("beside", "behind") and "attack" in clause.verbs:
            clause.places.append(replace(place, of=(foe,)))  # `strike the archers in the rear`
        elif last and self._details(place, last):
            pass
        elif place.value == "side" and place.dir and any(fits(item, "'down'", "'up'", "'along'") for item in before):
            clause.places.append(replace(place, value="edge", via=True))  # `down the west side to A`
        elif foe and foe.where and self.comma and place.kind in ("beside", "part") and not (place.via or clause.places):
            pass  # `attack those at (20, 30), north of the bridge`
        elif place.value == "ring" and "attack" in clause.verbs:
            clause.left.append("from all sides")
        elif foe and foe.pick == "comer" and place.via:
            clause.places.append(replace(place, via=False))  # `whoever comes over the bridge`
        elif place.via and place.value == "water" and "attack" in clause.verbs:
            clause.left.append("over the water")
        elif foe and foe.where is None and not clause.places and "attack" in clause.verbs and self._inside(place):
            clause.foe[-1] = replace(foe, where=place)
        else:
            clause.places.append(replace(place, value="half") if place.value == "side" else place)
        self.joined = False

    def _details(self, place: Place, last: Place) -> bool:
        """Whether a place only says more of the one before it, which becomes that: `the bridge, at its north end`."""
        clause, feature, word = self.clause, last.kind == "feature", self.item(-1)
        part = place.kind == "part" and place.dir and not place.of
        found: Place | None = None
        if part and place.value == "side" and last.kind in ("feature", "beside") and not last.via:
            of = last.of if last.kind == "beside" else (last,)
            side = combined(str(last.value), place.dir) if last.value in ("n", "s", "e", "w") else place.dir
            found = Place("beside", side, of=of, deep=True)  # `at the camp, on its east side`
        elif part and place.metres is not None and feature:
            clause.left.append("a little to that side")
            found = last
        elif part and place.value == "half" and self._led_by("by", "from", "via", "round"):
            clause.places.insert(-1, Place("beside", place.dir, of=(last,), via=True))  # `to A by the south`
            found = last
        elif part and place.value == "edge" and feature and fits(word, "'end'", "'tip'"):
            found = replace(place, of=(last,))  # `the bridge, at its north end`
        elif part and place.value == "edge" and feature and fits(word, "'bank'", "'shore'"):
            found = Place("beside", place.dir, of=(last,))  # `the bridge, but only its west bank`
        elif last.kind == "part" and last.value == "row" and place.kind == "y" and not (self.joined or last.of):
            found = place  # `our line at y = 60`
        elif last.kind in ("start", "home") and place.kind in ("at", "feature", "markers") and not self.joined:
            found = place  # `home to (15, 20)`
        elif (cell := self._exactly(place)) and not last.via and (feature or last.kind in ("beside", "part")):
            found = cell  # `in the little wood, at (43, 43)`
        elif (last.value == "ring" and not last.of) and (
            (place.kind == "beside" and place.value == "near") or self._led_by("around", "around the", "round", "of")
        ):
            of = place.of if place.kind in ("beside", "units") else (place,)  # `a ring around (20, 30)`
            found = place if place.value == "ring" else replace(last, of=of, metres=place.metres)
        elif last.kind == "at" and place.kind == "beside" and place.metres == 5 and self.comma:
            found = last  # `at (20, 40), just south of the bridge`
        elif last.value in ("centre", "halfway") and place.value == "between" and not (self.joined or last.of):
            found = place  # `in the middle between A and B`
        elif feature and place.kind == "feature" and not self.joined and self._led_by("on"):
            found = last if str(last.value).istitle() else replace(last, of=(place,))  # `the wood on the island`
        elif place.kind == "at" and fits(self.item(-2), "name", "feature", "goal", "letter"):
            found = place  # `Stonegate (129, 138)`
        elif place == Place("same"):
            found = last  # `to the bridge, and fight there`
        elif place.value in ("front", "behind") and not place.of and (last.value in ("row", "centre") or last.every):
            found = last  # `over the middle row, spearmen in front`
        elif place.kind == "home" and feature and not last.via:
            found = Place("beside", "this_side", of=(last,))  # `the bridge, from our side`
        elif last.kind == "part" and place.kind == "at" and not (self.joined or last.via or last.of):
            found = place  # `in the middle at (75, 45)`
        elif anchor := self._narrows(place, last):
            found = replace(last, of=(replace(place, of=(anchor,)),))  # `the wood just north of the bridge`
        elif last == Place("feature", "forest") and place.kind == "markers" and self._led_by("at", "near", "around"):
            clause.manner.add("cover")
            found = place  # `under the trees at A`
        if found is not None:
            clause.places[-1] = found
        return found is not None

    def _exactly(self, place: Place) -> Place | None:
        """Return the cell that only says exactly where a place is that was named before it."""
        near = place.kind == "beside" and place.value == "near" and bool(place.of)
        cell = place.of[0] if near else place
        if not isinstance(cell, Place) or cell.kind != "at" or (self.joined and not self.comma):
            return None
        about = near or fits(self.item(-2), "'about'", "'around'", "'say'") or self._led_by("at", "near", "around")
        return cell if about else None

    def _narrows(self, place: Place, last: Place) -> Place | None:
        """Return what a place is beside, if it only says where in a feature, named just before it, units go."""
        beside = place.kind == "beside" and str(place.value) in ("n", "s", "e", "w", "ne", "nw", "se", "sw")
        wide = last.kind == "feature" and not (last.via or last.every or last.of or last.numbers)
        anchor = place.of[0] if place.of else None
        joined = self.joined and not self.comma
        if not (beside and wide) or last.value in ("bridge", "building", "water") or joined:
            return None
        if anchor in (Place("same"), Who("they")):  # `over the bridge to the wood north of it`
            before = [each for clause in self.found for each in clause.places if each is not last]
            before = [each.of[0] if each.of and isinstance(each.of[0], Place) else each for each in before]
            anchor = before[-1] if before else None
        return anchor if isinstance(anchor, Place) and anchor != last and not anchor.of else None

    def _inside(self, place: Place) -> bool:
        """Whether enemies are said to be in a place that was read last."""
        known = place.kind in ("at", "part", "feature") and not place.via
        bare = place.kind == "part" and not any(item.get("to") for item in self.items[self.at - 3 : self.at])
        return (known and bare) or (known and self._led_by("in", "at", "on", "near", "around", "by"))

    def _led_by(self, *words: str, before: bool = False) -> bool:
        """Whether one of some words led to the phrase that was read last."""
        at = self.at - 1
        while at > 0 and not (self.items[at].word in words if before else self.items[at].get("to")):
            if before and fits(self.items[at], "verb", "$"):
                return False
            at -= 1
        return self.items[at].word in words


def _without(place: Place, gone: Place | None) -> Place:
    """Return markers without some of them."""
    if gone is None or {place.kind, gone.kind} != {"markers"}:
        return place
    if place.value == "all":
        return replace(place, minus=(*place.minus, gone))
    return replace(place, value="".join(letter for letter in str(place.value) if letter not in str(gone.value)))
