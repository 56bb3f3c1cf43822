"""Phrases to clauses: whether units are the subject of a clause, its object, or the subject of the next one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from hive.players.words.clauses import Clause, Event, Place, Who
from hive.players.words.lexicon import Item
from hive.players.words.phrases import BEFORE_NOUN, Parser, number_of, who_of

ACTIONS = {"attack", "avoid", "flank", "match"}
"""Verbs whose object is the other side, also where it is not called so."""
OWN_OBJECT = {"follow", "shield", "hold", "gather", "stay"}
"""Verbs whose object may be others of one's own side."""
GUARD = ("protect", "guard", "defend", "cover", "shield", "secure", "watch", "block")
"""Verbs that say what something is done for."""
LEADS = {
    "up", "on", "onto", "into", "in", "to", "over", "through", "along", "behind", "at", "from", "atop", "inside", "the",
    "a", "their",
}  # fmt: skip
"""Words before what no unit reaches, which are named with it."""
RIVALS_OF_GO = {"stay", "stand", "retreat"}
"""Verbs that no verb of motion without a place may come before, as in `advance and stay put`."""
GETS = ("get", "gets", "receive", "receives", "needs", "need", "take", "takes")
"""Verbs whose subject is a place, and whose object are the units that are sent there."""
LETS = ("let", "lets", "letting", "allow")
SENT = ("send", "bring", "lead", "take", "move", "keep", "get", "put", "let", "have", "use", "hold", "pull")
"""Verbs whose object `it` are units."""
OPEN = ("open ground", "in the open")
"""Where units are under cover only if they are not to be there."""
NOBODY = {"nobody", "no one", "no unit", "none", "not one", "not a single"}
"""Subjects of a clause of its own, which is said of everyone."""
COMES = ("come", "comes", "coming", "came", "approach", "approaches", "advance", "advances")
"""What enemies do in a sentence about them, which orders nothing."""
EVERYONE = ("everything", "everyone", "everybody", "all")
NUMBERS = {"number", "percent", "at", "xs", "y", "ids", "range", "metres", "name"}
"""Kinds of items that are not stepped over without a word."""


def clauses(items: Sequence[Item]) -> list[Clause]:
    """Return the clauses of an order in the order in which they were said."""
    found = [each for each in _Reader(items).read() if not (each.link == "otherwise" and each.verbs == ["resume"])]
    for one, other in pairwise(found):  # `after 80 ticks one goes here while another goes there`
        if other.link == "while" and other.when is None:
            other.when = one.when
    waited: Event | None = None  # `when the enemy is seen, archers retreat and cavalry charge`
    for clause in found:
        if clause.when is not None or clause.link != "and":
            leads = any(item.get("when") for item in clause.items[:1])
            waited = clause.when if leads and clause.who and clause.who[0].base != "all" else None
        elif clause.who and clause.who[0].base not in ("they", "all"):
            clause.when = waited
    _preceded(found)
    for one, other in pairwise(found):  # `kill archers first, then cavalry, spearmen last`
        bare = (
            other.who
            and not (other.acts or other.when)
            and all(who.base == "type" and not who.part for who in other.who)
        )
        if bare and other.link == "then" and one.foe and "attack" in one.verbs:
            parts = [Clause(one.who, ["attack"], foe=[replace(who, foe=True)], link="then") for who in other.who]
            parts[0].items, at = other.items, found.index(other)
            found[at : at + 1] = parts
    for clause in found:  # `once they are dead, whoever is left goes to A`
        left = clause.who and clause.who[0].base == "rest" and re.search(r"\bw\w+ is left\b", clause.text.lower())
        if left and clause.when is not None and clause.when.kind == "dead":
            clause.who = (Who("they"),)
    _meant(found)
    found = _led(found)
    _shunned(found)
    if not any(clause.acts for clause in found):  # `nobody moves`
        for clause in found:
            clause.verbs += ["stay"] if "go" in clause.denied else []
    for one, other in pairwise(found):  # `the left half of the spearmen go there, the right half stay`
        sides = one.who and other.who and _side(one.who[-1]) and _side(other.who[0])
        if sides and not (other.who[0].names or other.who[0].foe) and other.who[0].base in ("all", "they"):
            other.who = (replace(other.who[0], names=one.who[-1].names), *other.who[1:])
    _reorder(found)
    for number, clause in enumerate(found):  # `A if E, otherwise B` is B until E, then A
        if clause.link == "otherwise" and number and (before := found[number - 1]).when is not None:
            clause.until, before.when, before.link, clause.link = before.when, None, "then", before.link
            if clause.who == (Who("they"),):
                clause.who, before.who = before.who, clause.who
            found[number - 1], found[number] = clause, before
    return found


def _meant(found: Sequence[Clause]) -> None:
    """Let `the archers` be those of whom so many were sent: `20 archers hide; when enemies come, the archers shoot`."""
    for number, clause in enumerate(found):
        if len(clause.who) != 1 or not (clause.when or clause.link == "then"):
            continue
        names = clause.who[0].names
        sent = [each for each in found[:number] if names and any(who.names == names for who in each.who)]
        if len(sent) != 1 or len(sent[0].who) != 1 or clause.who[0] != Who("type", names=names):
            continue
        if (one := sent[0].who[0]).part and not (one.percent or one.where):
            sent[0].who, clause.who = (replace(one, called=names[0]),), (Who("called", called=names[0]),)


def _preceded(found: list[Clause]) -> None:
    """Put what was said of an order after it into it: what it waits for, and by which way it leads.

    As in `attack, but they have to wait until the archers are there` and `go to A; they should go through the wood`.
    """
    for one, other in [*pairwise(found)][::-1]:
        same = not other.who or other.who[0].base == "they"
        must = any(item.get("light") for item in other.items) or not other.who
        if not (same and must and one.acts) or other.link not in ("and", "stop") or other.foe:
            continue
        waits = other.verbs == ["stay"] and other.until is not None and bool(other.who)
        waits &= not (other.places or other.when or one.when)
        way = other.verbs == ["go"] and any(place.via for place in other.places) and not (other.when and one.when)
        way &= bool(other.who) or any(item.word == "routed" for item in other.items)
        if waits:
            one.when = other.until
        elif way and (one.places or one.foe):
            one.places = [*(replace(place, via=True) for place in other.places), *one.places]
            one.manner, one.when = one.manner | other.manner, one.when or other.when
        else:
            continue
        one.items, one.unknown = [*one.items, *other.items], [*one.unknown, *other.unknown]
        one.lost = one.lost | other.lost
        found.remove(other)


def _led(found: Sequence[Clause]) -> list[Clause]:
    """Return clauses with the places, and conditions, that were said before their units: `at A, archers wait`."""
    kept = list[Clause]()
    for clause in found:
        one = kept[-1] if kept else Clause()
        alone = (
            one.places
            and one.link != "later"
            and not (one.who or one.verbs or one.foe or one.own or one.until or one.squads or one.denied)
        )
        joined = clause.link == "and" or ":" in [item.text for item in clause.items[:1]]
        if alone and joined and clause.who and not any(place.kind != "same" for place in clause.places):
            when, lost = clause.when or one.when, one.lost | clause.lost
            clause = replace(
                clause, places=one.places, when=when, link=one.link, items=[*one.items, *clause.items], lost=lost,
                manner=one.manner | clause.manner, unknown=[*one.unknown, *clause.unknown],
            )  # fmt: skip
            kept.pop()
        kept.append(clause)
    return kept


def _shunned(found: Sequence[Clause]) -> None:
    """Turn enemies to be kept clear of, where units are sent somewhere, into how these act: nobody attacks them."""
    sent = any(clause.places and not (clause.foe or {"avoid", "attack"} & {*clause.verbs}) for clause in found)
    for number, clause in enumerate(found):
        if sent and clause.foe and clause.verbs == ["avoid"] and not (clause.places or clause.when or clause.until):
            clause.verbs, clause.foe, clause.manner = [], [], clause.manner | {"peace", "shun"}
            if not clause.who and clause.link == "and" and any(each.who for each in found[:number]):
                clause.who = (Who("they"),)
            clause.items = [item if item.get("stop") else Item(item.text, {"noise": "noise"}) for item in clause.items]
        elif clause.foe and clause.verbs == ["avoid"] and any(place.kind != "same" for place in clause.places):
            clause.verbs, clause.foe, clause.manner = ["go"], [], clause.manner | {"peace"}


def _whole(clause: Clause) -> bool:
    """Whether the last units of a clause are everyone, or all of a type."""
    return clause.who[-1].part is None and not clause.who[-1].minus


def _side(who: Who) -> bool:
    """Whether units are meant that stand on one side."""
    return who.where is not None and who.where.kind == "part" and bool(who.where.dir)


def _reorder(found: list[Clause]) -> None:
    """Put clauses in the order in which they are done: `attack; before that, wait`, `before you attack, wait`."""
    for number, clause in enumerate(found):
        first = number - 1 if clause.link == "before" else number
        if clause.link not in ("before", "later") or not 0 <= first < len(found) - 1:
            continue
        one, other = found[first : first + 2]
        other.link, one.link = one.link if clause.link == "before" else "stop", "then"
        if not other.who or other.who[0].base == "they":
            other.who, one.who = one.who or other.who, one.who
        found[first : first + 2] = [other, one]


class _Reader:
    """Collects what a parser reads into clauses."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.parser = Parser(items)
        self.clause = Clause()
        self.found = [self.clause]
        self.weak = self.denied = False  # whether a comma or `and` came just before; whether `not` came in the clause
        self.crossing = False  # whether the place that follows is crossed

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
            clause.link = link if link != "and" or not clause.items else clause.link
        self.weak = self.denied = False
        return self.clause

    def read(self) -> list[Clause]:
        """Read all items."""
        parser = self.parser
        while parser.at < len(parser.items):
            start = parser.at
            self.step()
            if not any(parser.items[start] is item for each in self.found[-2:-1] for item in each.items):
                self.clause.items += parser.items[start : parser.at]
        for clause in self.found:
            bare = {*clause.verbs} == {"attack"} and not (clause.full or clause.denied or clause.manner)
            if bare and "shoot" in clause.deeds and len(self.found) > 1:  # `cavalry charge, archers shoot`
                clause.verbs, clause.manner = ["hold"], {"leash"}
            kept = clause.verbs == ["hold"] and clause.text.lower().startswith(("keep ", "keeping "))
            if kept and clause.manner and not (clause.full or clause.who or clause.when):  # `keep exposure low`
                clause.verbs = []
            told = [item for item in clause.items if not item.means.keys() <= {"noise", "then", "stop"}][:2]
            if len(told) > 1 and told[0].get("foe") and told[1].word in COMES and not clause.who:
                clause.verbs, clause.foe, clause.places = ["think"], [], []  # `the enemy comes over all bridges`
            passive = not clause.verbs and (clause.denied or "peace" in clause.manner)
            if clause.foe and passive:  # `enemies do not matter`
                clause.foe, clause.manner = [], {*clause.manner, "peace"}
                clause.places = [place for place in clause.places if place.kind != "same"]
        return [clause for clause in self.found if clause.text]

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
        elif item.get("then") == "first" and clause.acts and self.weak and parser.item(1).get("verb"):
            parser.at += 1  # `attack, but first go to A`
            self.begin("before")
        elif item.get("then") == "then" and not (
            parser.item(-1).word in BEFORE_NOUN and word in ("last", "next", "later")
        ):
            parser.at += 1
            if clause.acts and (parser.item().get("stop") or not parser.item().text):
                clause.link = "then"  # `meet at B afterwards`
            else:
                self.begin("then")
        elif item.get("concede"):
            clause.lost["purpose"] = self.rest(parser.at)
        elif item.get("when") and word != "as" and self.waits(str(item.get("when"))):
            pass
        elif parser.fits("none_left"):  # `no bridge is left open`
            kind = next(each.get("feature") for each in parser.take("none_left") if each.get("feature"))
            clause.places.append(Place("feature", kind, every=True))
        elif item.get("impossible") and not item.get("name", "feature"):
            first = parser.at
            while first and parser.items[first - 1].word in LEADS:
                first -= 1
            parser.at += 1
            if item.get("impossible") == "again":
                clause.lost.setdefault("again", item.text)
            elif parser.at - first > 1:
                clause.lost.setdefault("detail", parser.text(first))
            else:
                clause.unknown.append(item.text)
        elif clause.acts and word in LETS and parser.item(1).word in NOBODY and not parser.item(2).get("verb"):
            clause.lost.setdefault("purpose", self.rest(parser.at))  # `and let nobody into our quarter`
        elif item.word in ("whichever", "wherever") and (parser.item(1).get("feature") or word == "wherever"):
            clause.lost.setdefault("when", self.rest(parser.at))  # `to whichever bridge is in trouble`
        elif item.get("amount"):
            self.clause.lost.setdefault("amount", item.text)
            parser.at += 1
        elif item.word == "no" and parser.item(1).text == ",":  # `charge! No, stay`
            parser.at += 1
            self.begin("stop").verbs.append("cancel")
        elif word == "not" and clause.places and (self.weak or parser.item(1).get("to")) and self.barred(parser.at, 1):
            pass  # `go to A, not to B`
        elif item.get("not") and not item.get("manner") and not parser.item(1).get("squad", "foe"):
            parser.at += 1
            if word in NOBODY and clause.acts and self.weak and parser.item().get("verb", "light"):
                clause = self.begin("and")  # `A here, B there, and nobody shoots`
            self.denied = True
            clause.denied += [] if clause.verbs else [""]
        elif ((clause.acts or clause.squads) and (parser.take("no_exception") or parser.take("edge_to_edge"))) or (
            clause.squads and parser.take("apiece")
        ):
            pass
        elif item.get("instead"):  # `the spearmen rather than the archers`
            parser.at += 1
            start = parser.at
            if parser.who() is None:
                parser.place()
            self.passed(start)
        elif item.get("self") and not item.get("pronoun"):
            parser.at += 1
            if parser.item(-2).get("verb") == "attack" or parser.item(-2).get("against"):
                self.clause.lost.setdefault("own", item.text)
        elif clause.verbs[-1:] in (["attack"], ["hold"], ["stay"]) and parser.take("comers"):  # `shoot what comes near`
            clause.manner.add("leash")
            clause.verbs = [*clause.verbs[:-1], "hold"] if clause.verbs[-1:] == ["attack"] else clause.verbs
        elif (word in ("with", "using") and clause.acts and not clause.who and self.amount()) or (
            item.get("except") and clause.acts and clause.who and _whole(clause) and self.excepted()
        ):
            pass
        elif word == "at" and parser.grammar.end("distance", parser.at + 1) > parser.at + 1 and not clause.manner:
            start = parser.at
            parser.at += 1
            parser.distance()
            clause.lost.setdefault("distance", parser.text(start))
            self.passed(start)
        elif parser.take("unreachable"):
            clause.manner.add("distance")
        elif word == "within" and parser.grammar.end("distance", parser.at + 1) > parser.at + 1:
            parser.at += 1
            clause.leash = parser.distance()
        elif parser.fits("spacing"):
            parser.take("spacing")  # no plan can say how far apart units stand
        elif parser.fits("ticks") and not (clause.denied or self.denied):
            clause.until = Event("ticks", number_of(parser.take("ticks")) or 0)
        elif parser.fits("squads") and not (item.get("verb") and parser.verbal()):
            self.clause.squads = number_of(parser.take("squads")) or (2 if parser.item(-1).word == "halves" else -1)
            self.sized()
        elif parser.verbal() and (item.get("cannot") or (item.get("think") and not clause.full)):
            self.other(item)
        elif item.get("verb", "shield") and parser.verbal():
            self.verb(item)
        elif not self.noun_phrase():
            self.over()

    def amount(self) -> bool:
        """Read how many units do it, as in `hold the bridge with 100`."""
        parser, start = self.parser, self.parser.at
        parser.at += 1
        count = number_of(parser.take("count"))
        if count and (parser.item().get("stop") or parser.item().word in ("", "and", "but")):
            self.clause.who = (Who("all", part=count),)
            return True
        parser.at = start
        return False

    def excepted(self) -> bool:
        """Read who is left out after the place, as in `everyone go to A except the archers, who stay`."""
        parser, start = self.parser, self.parser.at
        parser.at += 1
        if not (units := parser.units()):
            parser.at = start
            return False
        self.clause.who = (*self.clause.who[:-1], replace(self.clause.who[-1], minus=units))
        self.clause.items += parser.items[start : parser.at]
        if parser.item(bool(parser.item().get("stop"))).word == "who":
            self.begin("and").who = units
        return True

    def sized(self) -> None:
        """Read of how many units each squad is, as in `two patrols of three cavalry`."""
        parser, clause, start = self.parser, self.clause, self.parser.at
        if not (said := parser.take("sized")):
            return
        end, parser.at = parser.at, start + 1
        units = parser.units()
        if not units or any(not who.part or who.percent for who in units):
            one, parser.at = who_of(said, False), end
            whose, base = clause.who[-1] if clause.who and not one.names else one, "type" if one.names else "all"
            units = (replace(whose, base=base, part=one.part or 1, each=False),)
        each = parser.skip("each") or any(item.word == "each" for item in said)  # which counts later
        clause.who = tuple(replace(who, part=(who.part or 1) * (1 if each else max(1, clause.squads))) for who in units)

    def waits(self, kind: str) -> bool:
        """Read `when`, `once`, `until`, `before` or `while` with what follows."""
        parser, start = self.parser, self.parser.at
        parser.at += 1
        if kind == "before" and (link := self.earlier()):
            self.begin(link)
            return True
        if kind in ("while", "otherwise"):
            self.begin(kind)
            return True
        if kind == "unclear":
            if parser.items[start].word == "unless" and self.clause.denied and (event := parser.event()):
                self.clause.until = event
                return True
            parser.at = start + 1
            self.clause.lost.setdefault("when", self.rest(start))
            return True
        bare = parser.item().word in ("and", "but", "then") or not parser.item().text.strip(".,;:!?")
        event = None if parser.items[start].word == "once" and bare else parser.event()  # `attack once and come back`
        parser.fresh = parser.at
        if event is not None and event.kind == "sighted" and event.place is not None:
            self.clause.lost.setdefault("where", parser.text(start))
            self.passed(start + 1)
        if event is None:
            word = parser.items[start].word
            parser.at = start + 1
            if kind == "before" or word in ("after", "upon"):
                self.begin("then")
            else:
                self.clause.lost.setdefault("until" if kind == "until" else "when", self.rest(start))
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

    def earlier(self) -> str:
        """Read what comes before what: the link of the clause that follows, or nothing before an event."""
        parser = self.parser
        if parser.items[parser.at - 1].word == "beforehand" or parser.skip("that", "this", "it"):
            return "before"
        start = parser.at
        parser.skip("you", "we")
        item = parser.item()
        moves = item.get("verb") or item.word in ("going", "moving")
        if moves and (parser.at > start or item.word.endswith("ing")):
            return "then" if self.clause.acts else "later"
        parser.at = start
        return ""

    def barred(self, start: int, skipped: int = 0) -> bool:
        """Read a place where nobody is to go, said from an item on, as a clause of its own; return whether it came."""
        here, self.parser.at = self.parser.at, self.parser.at + skipped
        place = None if self.parser.item().get("verb", "type") else self.parser.place()
        if place is None:
            self.parser.at = here
            return False
        who = self.clause.who
        clause = self.begin("and")
        clause.who, clause.places, clause.denied = who, [replace(place, via=False, barred=True)], ["go"]
        clause.items += self.parser.items[start : self.parser.at]
        self.begin("and")
        return True

    def rest(self, start: int) -> str:
        """Step over a condition that no plan can wait for, to the next sign; return it with its first word."""
        parser = self.parser
        while parser.item().text and not parser.item().get("stop", "then"):
            parser.at += 1
        return parser.text(start)

    def other(self, item: Item) -> None:
        """Read what no unit can do, or needs no order, to the end of the clause."""
        parser = self.parser
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
        if item.word.endswith(" within") and parser.fits("distance"):  # `keep within 10 m of A`
            verb, clause.leash = "hold", parser.distance()
        if item.word.startswith(("abandon", "vacat", "evacuat")) and self.barred(parser.at - 1):
            return
        if (
            item.word in ("focus on", "concentrate on")
            and self.leads()
            and not (parser.fits("foes") or parser.fits("units"))
        ):  # `concentrate on the bridge`
            verb = "hold"
        if item.word == "take care of" and parser.fits("units") and not parser.item().get("own"):
            verb = "attack"  # `spearmen take care of the cavalry`
        kept_out = parser.item().word == "out of" and item.word in ("keep", "stay", "remain")
        if (kept_out or parser.item().get("to") == "short") and self.barred(
            parser.at - 1, 1
        ):  # `stop short of the wood`
            return
        leaves = item.word in ("leave", "leaves", "leaving")  # `leave the trees`
        if leaves and self.denied:  # `nobody leaves the island`
            clause = self.begin("and") if clause.acts else clause
            clause.denied.append("leave")
            self.denied = self.weak = False
            return
        if leaves and (parser.fits("feature") or parser.fits("part")):
            parser.place()
            return
        if item.word.endswith(" out") and parser.skip("of"):  # `get out of the trees`
            parser.place()
        if item.get("shield") and clause.who and not (clause.places or clause.foe) and self.shields():
            return
        self.crossing = item.word.startswith("cross")
        if self.denied:
            if verb == "go" and self.weak and clause.acts and self.leads():  # `attack, but nobody goes to A`
                clause = self.begin("and")
            clause.denied.append(verb)
            self.denied = self.weak = False
            clause.manner |= (
                {"peace"}
                if verb == "attack" and item.get("deed") != "charge"
                else {"leash"}
                if verb in ("go", "retreat", "flank", "attack")
                else set()
            )
            return
        if self.purpose(item.word):
            return
        if item.word in GETS and clause.places and not (clause.who or clause.verbs) and (units := parser.units()):
            clause.who, clause.verbs, self.weak = units, ["hold"], False  # `every bridge gets 20 archers`
            return
        vague = clause.verbs == ["go"] and verb not in RIVALS_OF_GO
        if self.weak and vague and not (clause.full or clause.when):  # `go and harass them`
            clause.verbs, self.weak = [], False
        passive = clause.foe and not clause.verbs and not clause.places
        pairs = {"hold", "spread", "split", "stay", "think", "gather"}
        ahead = clause.places and not (clause.who or clause.verbs or self.weak)  # `10 m north of them make a line`
        flanks = clause.verbs[-1:] == ["flank"] and not clause.foe and verb in ("attack", "go")
        another = bool(clause.verbs) and self.weak and not {verb, clause.verbs[-1]} <= pairs
        own = self.weak and clause.who and clause.full and parser.fits("units") and not parser.item().get("pronoun")
        another |= bool(own) and verb in OWN_OBJECT and not parser.fits("feature")  # `and keep the archers back`
        if not flanks and ((clause.full and not passive and not ahead) or another or "think" in clause.verbs):
            clause = self.begin("and")
        clause.verbs.append(verb)
        clause.got = item.word in ("get", "gets")
        if verb == "avoid" and not (parser.fits("foes") or self.leads()) and (shunned := self.group()):
            clause.foe.append(shunned)
        if (verb == "retreat" or item.word.endswith(" forward")) and parser.fits("distance"):  # `fall back 20 metres`
            move = "back" if verb == "retreat" else "forward"
            clause.places.append(Place("way", move, metres=parser.distance()))
        clause.deeds |= {str(item.get("deed"))} if item.get("deed") else set()
        if item.get("manner") in ("cover", "distance", "close"):
            clause.manner |= {str(item.get("manner"))} | ({"peace"} if item.get("manner") == "cover" else set())
        self.weak = False

    def purpose(self, word: str) -> bool:
        """Read what is done for another thing, as in `hide in the wood to protect the bridge`; it is named."""
        parser, clause = self.parser, self.clause
        if parser.item(-2).word != "to" or not (clause.verbs and clause.places) or word not in GUARD:
            return False
        start = parser.at - 2
        clause.lost["purpose"] = self.rest(start)
        return True

    def leads(self) -> bool:
        """Whether a place comes next."""
        start = self.parser.at
        place, self.parser.at = self.parser.place(), start
        return place is not None

    def shields(self) -> bool:
        """Read `spearmen cover the archers`: the latter stand behind the former."""
        parser, start, clause = self.parser, self.parser.at, self.clause
        mine = parser.units() if parser.item().word != "it" else ()
        if mine and not mine[0].foe and mine[0].base in ("type", "they"):
            if mine[0].base == "they" and clause.own:
                clause.places.append(Place("beside", "behind", of=clause.own[-1:]))
                clause.verbs, clause.own = [*clause.verbs, "shield"], ()
            elif mine[0].base == "they":
                told = any(place.value == "behind" for each in self.found[-2:-1] for place in each.places)
                if told and clause.who[-1].base == "type":  # `archers stay back, the spearmen cover them`
                    clause.places.append(Place("beside", "behind", of=clause.who[-1:]))
                    clause.verbs, clause.who = [*clause.verbs, "shield"], mine
                else:
                    clause.places.append(Place("beside", "front", of=mine[:1]))
                    clause.verbs = [*clause.verbs, "shield"]
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
        if parser.take("apart"):
            clause.manner.add("distance")
            clause.denied, self.denied = [each for each in clause.denied if each], False  # `never closer than 10 m`
        elif manner == "behind":
            parser.at += 1
            if (front := parser.units()) and front[0].base == "type":
                clause.places.append(Place("beside", "behind", of=front))
            elif front:  # `every bridge is protected by a part of the army`
                clause.verbs, clause.who = [*clause.verbs, "hold"], clause.who or front
        elif item.get("leave_out") or (
            item.get("cancel")
            and any(parser.grammar.end(name, parser.at + 1) > parser.at + 1 for name in ("feature", "part", "markers"))
        ):  # `never mind the bridge`
            parser.at += 1
            if clause.foe and not clause.verbs:
                clause.foe, clause.manner = [], {*clause.manner, "peace"}
            elif parser.place() is None:
                start = parser.at
                unread = parser.who() is None and self.group() is None
                if unread and not parser.item().get("stop") and parser.item().text:
                    clause.unknown.append(self.rest(start))  # `forget the far ones`
                else:
                    self.passed(start)
                    clause.manner.add("peace")
            else:
                who, alone = clause.who, not clause.acts
                self.begin("and").denied.append("place")
                while parser.skip("and", ",") and parser.place() is not None:
                    pass
                self.begin("and").who = who if alone else ()  # `cavalry, forget the centre: go east`
        elif item.get("forbidden") and (clause.foe or clause.verbs):  # `fighting is out of the question`
            parser.at += 1
            clause.verbs, clause.foe, clause.manner = [], [], {*clause.manner, "peace"}
        elif item.get("mind") and (self.denied or clause.denied):  # `the enemy is of no interest`
            parser.at += 1
            if not parser.skip("it", "that", "about"):
                parser.units()
            clause.manner, self.denied = {*clause.manner, "peace"}, False
        elif item.get("mind") and clause.places and not (clause.who or clause.verbs):
            parser.at += 1  # `the northern bridges matter most`
            clause.verbs, clause.places = ["think"], []
            clause.items = [Item(each.text, {"noise": "noise"}) for each in clause.items]
        elif parser.fits("ignored"):  # `whatever the enemy does`
            parser.take("ignored")
            clause.manner.add("peace")
        elif (
            manner
            and not parser.fits("foes")
            and not (manner in ("weakest", "strongest", "nearest") and parser.fits("units"))
        ):
            parser.at += 1
            if item.word in OPEN and not (self.denied or clause.denied or "avoid" in clause.verbs):
                return True  # `wait on the open ground`
            if item.word.endswith(("enemy", "enemies")) and parser.item().get("type"):  # `ignore the enemy cavalry`
                parser.at += 1
            if manner == "peace":
                self.fight(item.word.endswith("into"))
            if manner in ("weakest", "strongest", "nearest") and clause.verbs[-1:] == ["attack"] and not clause.foe:
                clause.foe = [Who("all", foe=True)]
            far = manner == "close" and (self.denied or bool(clause.denied))
            clause.manner = {*(clause.manner - {"leash"} if far else clause.manner), "distance" if far else str(manner)}
            self.denied = False
        elif item.get("alphabet"):
            parser.at += 1
            clause.manner.add("backward" if item.get("alphabet") == "backward" else "in turn")
        elif item.get("cancel"):
            parser.at += 1
            clause.verbs.append("cancel")
        elif (
            clause.foe and not clause.who and item.word in ("by", "by the") and parser.item(-1).get("verb") == "attack"
        ):
            parser.at += 1  # `the enemies are to be killed by the archers`
            clause.who = parser.units()
        elif self.objects():
            pass
        elif (place := parser.place()) is not None:
            leads_on = parser.fits("lead") or parser.item().get("verb") == "go" or place.kind == "same"
            away = leads_on or "retreat" in clause.verbs or (item.word == "out of" and bool(clause.foe))
            out = "attack" in clause.verbs and place.kind == "feature" and "shoot" not in clause.deeds
            away |= out  # `attack out of the trees`
            away &= parser.items[start].get("to") == "from" and place.kind != "markers"
            if self.weak and clause.full and parser.item().get("verb", "light"):  # `and 10 m north of them make a line`
                clause = self.begin("and")
            if (
                place.kind == "beside"
                and place.of == (Who("rest"),)
                and (clause.foe or clause.verbs[-1:] == ["attack"])
            ):  # `hit them from behind`
                clause.verbs.append("flank")
                away = True
            if (
                "attack" in clause.verbs
                and "shoot" not in clause.deeds
                and (parser.items[start].get("to") == "from" and place.kind == "part" and place.dir and not place.value)
            ):  # `attack them from the north`
                clause.verbs.append("flank")
            if place.via and "shoot" in clause.deeds and not self.crossing:  # `shoot across the river`
                clause.lost["purpose"] = parser.text(start)
                return True
            if self.beside_it(place, start):
                self.weak = self.crossing = False
                return True
            via = place.via or (self.crossing and place.kind == "feature")
            clause.places += (
                []
                if away
                else [
                    replace(
                        place,
                        via=via,
                        barred=bool(set(clause.denied) & {"go", "leave"}),
                    )
                ]
            )
            self.weak = self.crossing = False
        else:
            parser.at = start
            return False
        return True

    def fight(self, drawn: bool) -> None:
        """Step over the fight that nobody is to be drawn into, and with whom: they are no target."""
        parser, start = self.parser, self.parser.at
        parser.skip("a", "an", "any", "the")
        if not parser.skip("fight", "fights", "fighting", "battle", "battles", "combat", "skirmish", "skirmishes"):
            parser.at = start
        self.passed(start)
        start = parser.at
        others = parser.skip("with", "by", "against", "of", "from") and drawn and not parser.item().get("own")
        if not ((others or parser.fits("foes")) and parser.units()):
            parser.at = start
        self.passed(start)

    def passed(self, start: int) -> None:
        """Let the items since one of them say nothing more than was read."""
        for number in range(start, self.parser.at):
            self.parser.items[number] = Item(self.parser.items[number].text, {"noise": "noise"})

    def group(self) -> Who | None:
        """Read a group that is no target and where it stands, as in `ignore the bunch at (40, 40)`."""
        parser, start = self.parser, self.parser.at
        parser.skip("the", "that", "this", "those", "these", "any")
        if not (parser.item().get("squad") or not parser.item().means):
            parser.at = start
            return None
        parser.at += 1
        led = parser.item().word in ("at", "in", "near", "on", "around", "by") or parser.item().get("at")
        return Who("all", foe=True, where=parser.place() if led else None)

    def beside_it(self, place: Place, start: int) -> bool:
        """Take a side said with a place as one of it: `behind the wood, on its north side`, `north around the wood`."""
        parser, before = self.parser, self.clause.places[-1:]
        way = bool(before) and bool(before[0].dir) and before[0] == Place("part", "", before[0].dir)
        round_it = parser.items[start].word.startswith(("around", "round")) and place.kind in ("beside", "feature")
        if way and round_it:  # `go south around the wood`
            of = (replace(place, via=False),) if place.kind == "feature" else place.of
            self.clause.places[-1] = Place("beside", before[0].dir, of=of, metres=place.metres)
            return True
        own = place.of == (Place("same"),)
        if place.kind != "part" or not place.dir or place.value or not (own or not place.of) or not before:
            return False
        (anchor,) = before
        said = parser.items[start : parser.at]
        side = own or any(item.get("area") == "side" for item in said)
        if anchor.kind == "beside" and anchor.value in ("behind", "far_side", "near", "this_side") and (
            isinstance(anchor.of[0], Place) and parser.items[start - 1].word != "and"
        ):  # fmt: skip
            self.clause.places[-1] = replace(anchor, value=place.dir)
        elif side and anchor.kind == "feature" and anchor.value and not (anchor.every or anchor.via):
            self.clause.places[-1] = replace(place, of=(anchor,))
        else:
            return False
        return True

    def objects(self) -> bool:
        """Read units: the subject of the clause, its object, or the subject of the next one."""
        parser, clause, start = self.parser, self.clause, self.parser.at
        if (one := self.told_apart()) is not None:
            if clause.acts:
                clause = self.begin("and")
            clause.who, self.weak = (one,), False
            return True
        if (parser.fits("feature") and not parser.fits("units")) or parser.fits("start") or parser.fits("those"):
            return False
        sent = parser.item(-1).word in SENT
        if (parser.item().word == "it" and (clause.verbs or clause.who) and not sent) or parser.fits("place_of_all"):
            return False
        joined = parser.item().word in ("with", "using")
        lead = not joined and parser.item().get("to", "against")
        if lead and parser.item(1).word == "it":
            return False
        named = any(place.kind == "feature" for each in self.found for place in each.places)
        fought = any(
            each.foe or any(event and event.kind == "dead" for event in (each.until, each.when)) for each in self.found
        )
        others = parser.item(1).word in ("the others", "others", "the other ones", "all others")
        if others and fought and parser.item().word in ("for", "against"):  # `then to the bridge for the others`
            parser.at += 2
            clause.foe.append(Who("rest", foe=True))
            return True
        back = parser.item(-1).get("move") == "back" or parser.item(-1).word in ("return", "returns")
        if others and back and parser.item().word == "to" and not any(each.foe for each in self.found):
            parser.at += 2  # `then come back to the others`
            clause.places.append(Place("start"))
            return True
        heard = named or any(item.get("feature") for item in parser.items[: parser.at])
        if lead and heard and parser.grammar.end("elided", parser.at + 1) > parser.at + 1:
            parser.at += 1  # `the rest on the other four`
            rest = any(item.get("rest") for item in parser.take("elided"))
            kinds = [item.get("feature") for item in parser.items[: parser.at] if item.get("feature")]
            clause.places.append(Place("feature", kinds[-1] if kinds else "", every=True, other=rest))
            return True
        if lead and named and others:
            parser.at += 2  # `spread over the others`: over the places that were not named
            clause.places.append(Place("feature", "", every=True, other=True))
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
        parser.at += bool(parser.item().get("pronoun") and parser.item(1).get("own"))  # `their own spearmen`
        units = parser.units(bool(clause.verbs or clause.places or lead))
        if not units:
            parser.at = start
            return False
        one, verb = units[0], clause.verbs[-1] if clause.verbs else ""
        against = lead == "against" or (parser.items[start].word == "for" and "attack" in self.found[-2:][0].verbs)
        if against and clause.who and not (clause.verbs or clause.places):
            clause.verbs.append("attack")
        fights = bool(ACTIONS & set(clause.verbs))
        said = parser.items[start : parser.at]
        subject = self.weak and (one.base == "they" or bool(parser.item().get("verb")))  # of the next clause
        theirs = (
            one.base in ("type", "they", "rest", "all") and one.part is None and not any(i.get("own") for i in said)
        )
        whole = one.base == "all" and not (clause.who or one.pick or one.where) and said[-1].word not in EVERYONE
        mine = any(i.get("own", "self") for i in said) or said[-1].word in ("us", "me")
        attacked = (
            "attack" in clause.verbs and lead in (None, False, "against") and not (joined or subject or clause.foe)
        )
        if attacked and mine and not one.foe and not (self.weak or parser.item().get("verb")):
            clause.lost.setdefault("own", parser.text(start))
            return True
        ends = parser.item().word in ("", "and", "but") or parser.item().get("stop", "then")
        if (
            verb == "go"
            and clause.got
            and ends
            and theirs
            and not (lead or joined or whole or subject)
            and not clause.full
        ):
            verb, fights, clause.verbs = "attack", True, [*clause.verbs[:-1], "attack"]  # `go west and get the archers`
        if lead and parser.items[start].word == "into" and one.base == "type" and theirs:  # `and into the archers`
            clause = self.begin("and") if clause.full else clause
            clause.verbs, clause.foe, self.weak = [*clause.verbs, "attack"], [replace(one, foe=True)], False
            return True
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
        elif one.foe and (
            leaving or ("distance" in clause.manner and not (fights or self.weak))
        ):  # `distance to the enemy`
            clause.manner.add("distance")
        elif one.foe or objects:
            foes = [
                replace(each, foe=True, base="all" if each.base == "they" else each.base, number=0)
                if each.base in ("they", "rest")
                else replace(each, foe=True)
                for each in units
            ]
            if lead and lead != "against" and not fights and clause.verbs:
                clause.places.append(Place("units", of=tuple(foes[:1])))
            else:
                clause = self.begin("and") if clause.full and self.weak and not clause.foe else clause
                if one.pick and not (one.part or one.number or one.names or one.where):  # `attack the nearest enemies`
                    clause.manner.add(one.pick)
                    foes[0] = replace(foes[0], pick="")
                clause.foe += [*foes[:-1], self.parser.found_at(foes[-1])]
        elif lead and said[-1].word in ("us", "me", "army", "troops") and parser.items[start].word in ("to", "towards"):
            clause.places.append(Place("start"))
        elif lead and parser.items[start].word == "by" and verb and not clause.who:  # `an attack by the archers`
            clause.who = units
        elif lead and one.base == "rest" and verb in ("go", "retreat", "follow", "gather"):
            them = Who("all", minus=clause.who or (Who("they"),))
            clause.places.append(Place("units", of=(them,)))  # `fall back on the main body`
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
            and (clause.who or (verb == "follow" and self.found[-2:][0].who))
            and not (clause.own or clause.places or self.weak or joined)
            and one.base != "all"
        ):
            clause.own, clause.who = units, clause.who or (Who("they"),)
            clause.verbs.append("follow")
        elif joined and clause.who and len(clause.places) > 1 and not parser.item().get("verb"):
            place, verbs = clause.places.pop(), list(clause.verbs)  # `to A with the archers and to B with the cavalry`
            clause = self.begin("and")
            clause.who, clause.places, clause.verbs = units, [place], verbs
        elif joined and clause.acts:
            more = (
                (Who("they"),) if parser.item(-1 - len(said)).word == "together" or said[0].word == "together" else ()
            )
            clause.who = (*(clause.who or more), *units)
        elif not clause.who and (
            (not (clause.full and (self.weak or clause.places)) and not (subject and clause.verbs))
            or (clause.verbs and one.part and ends and parser.item().word not in ("and", "but"))  # `hold A, 50 men`
        ):
            clause.who = units
        elif (
            clause.who
            and clause.who[-1].part is None
            and one.base == "they"
            and one.part
            and (not clause.acts or "each" in (parser.item().word, parser.item(1).word))  # `with archers, ten at each`
        ):
            clause.who = (replace(clause.who[-1], part=one.part, percent=one.percent),)  # `archers: 10 to A`
        elif clause.who and not (clause.acts or clause.when):
            clause.who = (*clause.who, *units)
        elif not (
            one.base == "all"
            and one.part is None
            and not one.minus
            and not self.weak
            and (clause.who or "of" in (said[0].word, parser.item(-1 - len(said)).word))  # `with parts of everything`
        ):
            self.begin("and").who = units
        self.weak = False
        return True

    def told_apart(self) -> Who | None:
        """Read `the first`, of squads, or `those on the right`, of the units that were named before, as a subject."""
        parser, clause, start = self.parser, self.clause, self.parser.at
        if clause.acts and not self.weak:
            return None
        squads = max((each.squads for each in self.found), key=abs)
        if (squads == 2 or (squads and not parser.item().get("rest"))) and (said := parser.take("nth")):
            ordinal = next((int(str(each.get("ordinal"))) for each in said if each.get("ordinal")), 0)
            told = max((who.number for each in self.found for who in each.who if who.base == "squad"), default=0)
            if ordinal or told < abs(squads):  # `one here, one there, the rest ...`
                return Who("squad", number=ordinal or told + 1)
            parser.at = start
        named = next((each.who[-1] for each in self.found[::-1] if each.who), None)
        if named is not None and named.where is not None and (those := parser.take("those")):
            if parser.item().get("verb", "light", "to"):
                return replace(named, where=Place("part", dir=next(str(i.get("dir")) for i in those if i.get("dir"))))
            parser.at = start
        return None

    def over(self) -> None:
        """Step over a word without a meaning here; keep it, if it has none at all."""
        parser, clause = self.parser, self.clause
        item = parser.item()
        parser.at += 1
        if item.means and not item.means.keys() & NUMBERS:
            return
        clause.unknown.append(item.text)
        before = parser.item(-2)
        noun = before.word in ("the", "a", "an", "our", "my", "some", "all")
        led = parser.item(-3) if noun else before
        if not clause.text and parser.item().word in BEFORE_NOUN | {"all", "yourselves", "yourself"}:
            clause.lost.setdefault("verb", item.text)
        leads = led.get("to") not in (None, "from") or led.get("offset")
        if leads and led.word not in ("with", "for") and not clause.places:
            clause.lost.setdefault("place", item.text)
        elif (noun or before.get("number") is not None) and not (clause.who or clause.places or clause.foe):
            clause.lost.setdefault("who", item.text)
