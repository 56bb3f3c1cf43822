"""Phrases to clauses: who does what, where, how and when; every word fills a slot of a clause, or is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from hive.players.words.lexicon import Item
from hive.players.words.phrases import Event, Phrases, Place, Units

OF_FOES = {"attack", "flank", "avoid"}
OF_OWN = {"follow", "shield"}
STILL = {"hold", "stay", "stand", "hide"}
LEADING = ("to", "into", "onto", "toward", "towards", "up to", "back")
"""Words that lead to a further place."""
LOCATED = ("in", "inside", "at", "on", "near", "around", "by")
"""Words before a second place of a clause that tell more exactly where the first one is."""
OUR_SIDE = "'on'|'at'|'from'|'inside'? home|'our_side'"
LED = "light|'to'|'only'|'also'|'all'|'both'|'just'|'please'"


@dataclass(eq=False)
class Clause:
    """One thing to be done, with what was said about it; empty fields were not said.

    `link` says how it follows the clause before: `stop`, `and` or `then`. `squads` is into how many parts units are
    split; -1: several; below: of so many units each. `lost` holds the words that have no place in it,
    and `left` what no plan can say. `fresh`: it begins a sentence.
    """

    link: str = "stop"
    who: tuple[Units, ...] = ()
    verb: str = ""
    foe: tuple[Units, ...] = ()
    own: tuple[Units, ...] = ()
    places: list[Place] = field(default_factory=list)
    manner: set[str] = field(default_factory=set)
    squads: int = 0
    each: bool = False
    when: Event | None = None
    until: Event | None = None
    leash: int | None = None
    items: list[Item] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    fresh: bool = False

    @property
    def text(self) -> str:
        """What was written."""
        return " ".join(item.text for item in self.items if item.get("stop") is None)

    @property
    def full(self) -> bool:
        """Whether its verb has its place or its object, so that a further verb begins another clause."""
        return bool(self.places or self.foe or self.own or self.until)

    @property
    def acts(self) -> bool:
        """Whether it says something to do."""
        return bool(self.verb or self.places or self.foe or self.squads)


class Clauses(Phrases):
    """Collects phrases into clauses, by the rules of `RULES`."""

    def __init__(self, items: Sequence[Item]) -> None:
        """Begin with an empty clause."""
        super().__init__(items)
        self.found = [Clause()]
        self.led = ""  # the word before the place that was read last
        self.lost_at = -1  # where the words that were lost last ended
        self.joined = False  # whether `and` or a comma came just before

    @property
    def clause(self) -> Clause:
        """The clause that is read now."""
        return self.found[-1]

    def begin(self, link: str) -> Clause:
        """Begin a clause, unless nothing was read in the present one."""
        if self.clause.acts or self.clause.who or self.clause.manner or self.clause.lost:
            self.found.append(Clause(link))
        elif link == "then" or self.clause.link != "then":
            self.clause.link = link
        self.clause.fresh |= link == "stop"
        return self.clause

    def lose(self, start: int) -> bool:
        """Keep the words from an item on as those that have no place; words that follow each other are one phrase."""
        lost = self.clause.lost
        if lost and start > 0 and self.lost_at == start:
            lost[-1] += f" {self.text(start)}"
        else:
            lost.append(self.text(start))
        self.lost_at = self.at
        return True

    def read(self) -> list[Clause]:
        """Return the clauses as they were said; every item is in one of them."""
        while self.at < len(self.items):
            start, joined = self.at, self.joined
            next(rule for _, pattern, rule in RULES if (not pattern or self.ahead(pattern)) and rule(self, self.item()))
            self.clause.items += self.items[start : self.at]
            self.joined = (self.joined and not joined) or self.fits("'and'|'&'|'but'|'while'|','", -1)
        return [clause for clause in self.found if clause.items]

    # ---- how clauses are joined

    def _stop(self, item: Item) -> bool:
        start, sign, clause, self.at = self.at, item.text[0], self.clause, self.at + 1
        if (sign == ":" and clause.verb) or sign not in ".!?;\n,:-)\"'…>":
            return self.lose(start)  # what follows a colon tells more of it
        if sign in ".!?;\n" or (sign == ":" and clause.acts):
            self.begin("stop")
        return True

    def _while(self, item: Item) -> bool:
        self.at += 1
        return bool(self.begin("and"))

    def _then(self, item: Item) -> bool:
        if self.fits("ordinal") and self.fits("squad|type|class|number", 1):
            return False
        start, clause, then, self.at = self.at, self.clause, item.get("then") == "then", self.at + 1
        next_one = not then and clause.foe and clause.foe[0].types and self.at >= len(self.items)
        on_the_way = clause.places and clause.places[-1].via and self.fits("name|feature|'the'")
        if next_one or on_the_way:  # `kill the archers first`; `by way of bridge 1 and then bridge 2`
            self.lose(start)
        if not (clause.who and not clause.acts and (then or self.ahead("verb"))):  # `the archers then attack`
            self.begin("then" if then else "and" if self.joined else clause.link)
        return True

    def _step_over(self, item: Item) -> bool:
        self.at += 1
        return True

    # ---- when

    def _event(self, item: Item) -> bool:
        """Read a condition; `until` says what ends a clause."""
        start, kind, self.at = self.at, str(item.get("when") or ""), self.at + 1
        event = self.event() if kind in ("when", "until") else None
        there, seen = self.at, event is not None and event.kind == "sighted"
        more = event and ((seen and self.fits("to")) or (self.skip("'and'") and self.event()))
        if event is None or more or (seen and self.units() and not self.ahead(f"{LED}* verb")):
            self.at = start + bool(kind)  # `once they come over the bridge`; two conditions
            return bool(kind) and self.lose(start)
        self.at = there
        if kind == "when" and self.clause.acts and self.joined:
            self.begin("and")
        setattr(self.clause, kind, event)
        return True

    def _ticks(self, item: Item) -> bool:
        if not (self.skip("'for'") or self.clause.verb):
            return False
        self.clause.until = self.event()
        return self.clause.until is not None

    # ---- how

    def _manner(self, item: Item) -> bool:
        manner, self.at = str(item.get("manner") or "in_turn"), self.at + 1
        if manner in ("weakest", "strongest", "slow", "nearest"):
            self.clause.left.append(item.text)
        if self.fits("not", -2) and manner in ("peace", "cover", "distance"):
            self.lose(self.at - 2)
        self.clause.manner.add(manner)
        return True

    def _only(self, item: Item) -> bool:
        if not (self.clause.verb in OF_FOES or self.fits("when|then|manner|against|verb:attack", 1)):
            return False
        self.at += 1
        clause = self.begin("and") if self.fits("against|verb:attack") and self.clause.places else self.clause
        clause.manner.add("only")
        return True

    def _within(self, item: Item) -> bool:
        self.clause.leash = self.distance()
        self.skip("'of'")
        return self.clause.leash is not None

    def _leave_out(self, item: Item) -> bool:
        start, self.at = self.at, self.at + 1
        self.skip("to|'the'|dir|foe*")
        self.clause.left.append(self.text(start))
        return True

    # ---- what

    def _verb(self, item: Item) -> bool:
        clause, verb = self.clause, str(item.get("verb"))
        if self.fits("not", -1):
            return False
        stands = verb == "spread" or (verb in STILL and clause.places[-1:] and clause.places[-1].kind == "beside")
        further = clause.verb and (clause.full or self.joined or clause.squads)
        if verb == "match" and clause.foe and not clause.places and not any(foe.types for foe in clause.foe):
            clause.foe = ()  # `send each type against the enemy that it beats`
        elif further or (clause.places and (self.joined or verb in OF_FOES)):
            clause = self.begin("and")
        elif clause.places and not clause.verb and clause.who and not stands:
            clause.lost.append(item.text)  # `those at A hold`
        if self.found[-2:-1] and self.fits("','", -1) and self.led in LOCATED and verb == "go":
            self.lose(self.at - 1)  # `cavalry on the west side, go to A`
        clause.verb = verb if verb != "go" or not clause.verb else clause.verb
        self.at += 1
        return True

    def _comer(self, item: Item) -> bool:
        """Read enemies who come by themselves: they are fought from where units stand."""
        self.at += 1
        stays = self.clause.verb in OF_FOES and item.text.lower().split()[-1] not in ("see", "meet", "find")
        self.clause.verb = "hold" if stays else self.clause.verb
        return True

    # ---- who

    def _infinitive(self, item: Item) -> bool:
        if not (self.fits("light|noise", -1) or (self.clause.who and not self.clause.acts)):
            return False
        self.at += 1
        return True

    def _each(self, item: Item) -> bool:
        if not (self.clause.places or self.clause.who) or self.fits("'with'", 1) or self.fits("offset|to", -1):
            return False
        self.at += 1
        self.clause.each = True
        return True

    def _squads(self, item: Item) -> bool:
        """Read into how many squads units are split: `in three squads`, `squads of ten`."""
        start, inside = self.at, self.skip("'into'|'in'|'as'")
        self.skip("'several'|'many'|'small'|'equal'|'mixed'|'even'*")
        count = self.count()
        self.skip("'equal'|'small'|'mixed'|'even'|'separate'*")
        teams = self.fits("squad") or (inside and self.fits("'parts'|'teams'|'halves'"))
        if not teams or not (count or self.item().text.lower().endswith("s")):
            self.at = start
            return False
        self.at += 1
        sized = self.ahead("'of' number") and not self.fits("type|class", 2) and not count
        self.at += bool(sized)
        self.clause.squads = -(self.count() or 1) if sized else count or -1
        return True

    def _units(self, item: Item) -> bool:
        """Read units: those who act, the object of a verb, or those of a new clause."""
        start, clause = self.at, self.clause
        units, verb = self.units(), clause.verb
        if not units:
            return False
        one, before = units[0], self.items[start - 1] if start else Item("")
        guided, against = "'with'" in before.tags, "against" in before.tags
        acts, free = self.ahead(f"{LED}* verb") > 0, not (clause.full or self.joined or guided)
        everything = units == (Units(),) and item.text.lower().startswith(("every", "any", "all"))
        types = (one.types and "own" not in item.tags) or one.base in ("they", "rest", "others")
        leads = not clause.who and clause.places and verb in ("", "go")
        if one.count == 1 and not one.types and self.fits("number", -1):
            return self.lose(start)  # `two squads: one to A, one to B`
        if before.tags & {"manner:peace", "manner:distance"}:
            return self.lose(start) if one.types else True  # `do not bother with any enemies`
        if against:
            stays = bool(clause.places) and verb in STILL  # `hold A against cavalry`
            clause = self.begin("and") if clause.places else clause
            clause.manner |= {"only"} if stays else set()
            clause.verb = "attack" if clause.verb in ("", "go") else clause.verb
        if against or one.foe or (verb in OF_FOES and (everything or (free and not acts and types))):
            again = self.joined and clause.full and (verb not in OF_FOES or clause.places)
            clause = self.begin("and") if again else clause
            clause.foe += tuple(replace(each, foe=True) for each in units)
        elif verb in OF_FOES and not acts and free:
            self.lose(start)
        elif verb in OF_OWN and free and not acts:
            clause.own = units
        elif leads and (clause.places[-1].every or (acts and self.led in LOCATED)):
            clause.who, clause.verb = units, verb or "go"  # `at A, archers wait`
        elif not clause.who and (guided or not clause.acts or not (clause.full or self.joined)):
            clause.who = units
        elif guided:
            self.lose(start)  # `all units with bows`
        elif clause.who and not clause.acts and (clause.who[0].whole or one.base == "they"):
            clause.who = clause.who if one == Units("they") else units
        elif acts or self.joined or units != (Units("they"),):
            self.begin("and").who = units
        elif verb in STILL:  # `archers guard them`, and not `archers, bring them to A`
            self.lose(start)
        return True

    # ---- where

    def _far(self, item: Item) -> bool:
        metres = self.distance() if self.clause.verb == "retreat" and not self.clause.places else None
        self.clause.places += [Place("way", "back", metres=metres)] if metres else []
        return metres is not None

    def _place(self, item: Item) -> bool:
        start, place, places = self.at, self.place(), self.clause.places
        if place is None:
            return False
        self.led = item.text.lower()
        comma, leads = self.items[start - 1].text == ",", self.led in LEADING
        detail = places and not leads and (not self.joined or (comma and self.led in LOCATED))
        if any(foe.at for foe in self.clause.foe) and not self.joined and not leads:
            self.lose(start)  # `the enemies on the east bank south of the bridge`
        elif not detail or place.via or places[-1].via or {places[-1].kind, place.kind} <= {"row", "y", "line"}:
            places.append(place)
        elif "at" in (places[-1].kind, place.kind):  # `to Island Wood at (92, 166)`
            places[-1] = place if place.kind == "at" else places[-1]
        else:
            self.lose(start)
        return True

    def _our_side(self, item: Item) -> bool:
        places = self.clause.places
        if not places or places[-1].kind != "feature":
            return False
        self.skip(OUR_SIDE)
        places[-1] = Place("beside", "this_side", of=(places[-1],))
        return True

    def _lose(self, item: Item) -> bool:
        """Step over a word that orders nothing; any other has no place in the clause."""
        start, self.at = self.at, self.at + 1
        other = item.get("self") and self.clause.verb in OF_FOES  # `attack each other`
        told = other or item.get("structure", "not", "feature", "dir", "number", "ordinal", "share")
        that = item.text.lower() == "that" and self.fits("pronoun|verb:match")  # `the enemy that it beats`
        return that or bool(item.get("light", "noise") and not told) or self.lose(start)


Rule = Callable[[Clauses, Item], bool]
RULES: tuple[tuple[str, str, Rule], ...] = (
    ("go to A.", "stop", Clauses._stop),
    ("spearmen go to A while archers hold", "when:while", Clauses._while),
    ("then attack", "then", Clauses._then),
    ("go to A once they come", "when|offset", Clauses._event),
    ("hold for 50 ticks", "'for'? number event:ticks", Clauses._ticks),
    ("go to A without fighting", "manner|alphabet", Clauses._manner),
    ("they are to hold", "'to' verb|light|manner|'also'|'only'", Clauses._infinitive),
    ("fall back 20 metres", "metres|number", Clauses._far),
    ("go to A, facing north", "leftover:detail", Clauses._leave_out),
    ("fight whatever comes", "comer", Clauses._comer),
    ("split into three squads", "", Clauses._squads),
    ("archers hold", "", Clauses._units),
    ("go to A", "", Clauses._place),
    ("hold A within 12 m", "'within' number|metres", Clauses._within),
    ("attack", "verb", Clauses._verb),
    ("go to A and hold", "'and'|'but'|'&'|'with'|against", Clauses._step_over),
    ("hold the bridge on our side", OUR_SIDE, Clauses._our_side),
    ("archers shoot only spearmen", "'only'", Clauses._only),
    ("10 archers each to A and B", "'each'|'apiece'", Clauses._each),
    ("please hurry", "", Clauses._lose),
)
"""What is read at each item: an example, a pattern, and the rule, which may decline; the first that reads it holds."""


def rivals(one: Clause, other: Clause) -> bool:
    """Whether a clause tells the units of the one before to do something else at the same time: `hold and charge`."""
    if other.who or other.link != "and" or other.when or one.until or one.when or one.full:
        return False
    charges = other.verb == "attack" and any("deed:charge" in item.tags for item in other.items)
    goes = other.verb in ("go", "retreat", "flank") or charges
    stops = other.verb in ("stay", "stand", "hide", "retreat") and one.verb in ("attack", "go", "retreat")
    return (one.verb in STILL and goes) or stops or (one.verb == "retreat" and other.verb == "attack")


def gist(items: Sequence[Item]) -> Clause | None:
    """Return the one clause that an order of the whole army comes to, where its parts cannot all be read.

    Squads by type go each against the enemies that they beat; an army spreads over the middle row, holds all bridges,
    or goes to places one after the other without fighting.
    """
    reader, places, types, whole = Phrases(items), list[Place](), set[str](), Clause(items=[*items])
    told = False  # whether some units are told apart
    while reader.at < len(items):
        if (place := reader.place()) is not None:
            place = replace(place, of=tuple(of for of in place.of if isinstance(of, Place) and of.value != "it"))
            nowhere = place.value in ("corner", "edge", "deep") and not (place.dir or place.of)
            vague = place.kind in ("same", "way", "beside") or nowhere
            places += [place] if not vague and place not in places[-1:] else []
        elif units := reader.units():
            bare = reader.fits("number|range", -1)  # `leg two: over the bridge`
            own = [each for each in units if not each.foe]
            types.update(*(each.types for each in own))
            told |= any(each.minus or each.ids or (not bare and (each.count or 1) > 1) for each in own)
            told |= any(each.types for each in units if each.foe)
        else:
            reader.at += 1
    tags = frozenset[str]().union(*(item.tags for item in items))
    bridges = tags & {"'bridges'", "'crossings'"} or ("every" in tags and tags & {"'bridge'", "'crossing'"})
    row = [place for place in places if place.kind in ("y", "line", "row") or place.value in ("centre", "halfway")]
    several = tags & {"squad", "verb:spread", "verb:split", "verb:hold", "share:part", "share:some"}
    kinds = tags & {"verb:match", "squad", "'type'", "'types'", "'kind'", "'kinds'"}
    denied = any("'not'" in item.tags and later.tags & {"to:to", "letter", "at"} for item, later in pairwise(items))
    if "foe" in tags and kinds and not (bridges or row or types or len(places) > 1):
        return replace(whole, verb="match")
    if told or denied or tags & {"correct", "cancel"}:
        return None
    named = [place for place in places if place.value == "bridge"]
    some = named and named[0].dir and all(place.dir == named[0].dir for place in named)  # `the south-west bridges`
    tour = "leave_out" in tags or any(place.kind in ("markers", "goal") for place in places)
    if bridges and several and not (some or tour):
        return replace(whole, verb="hold", places=[Place("feature", "bridge", every=True)])
    if row and several and len(places) < 4:
        return replace(whole, verb="spread", places=[row[0] if row[0].kind in ("y", "line") else Place("row", "row")])
    letters = {str(place.value) for place in places if place.kind == "markers"} - {"all"}
    if tags & {"marker", "alphabet"} and len(letters) < 3:
        places = [Place("markers", "all"), *(place for place in places if place.kind in ("goal", "at"))]
    calm = tags & {"manner:peace", "manner:cover", "forbidden", "leave_out", "mind", "not"}
    if not (len(places) > 1 and calm and len(types) < 2):
        return None
    goals = [place for place in places if place.kind == "goal"]
    places = [*(replace(place, via=False) for place in places if place.kind != "goal"), *goals[:1]]
    hidden = tags & {"manner:cover", "verb:hide"} and "marker" not in tags
    return replace(whole, verb="go", places=places, manner={"peace", "in_turn", *(["cover"] if hidden else [])})
