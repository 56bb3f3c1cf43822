"""The clauses of an order: what they say of each other, in the order in which they are done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from hive.players.words.clauses import Clause, Event, Place, Who
from hive.players.words.cursor import fits
from hive.players.words.lexicon import Item
from hive.players.words.reader import Reader

FORETELLS = ("will", "would")
"""Words with which something is said of `they`, who are the enemies where nobody was named before."""
KEEPS = ("stay", "keep", "remain", "stick", "hug", "use")
"""First words of what is said of a way, and not of its end, where it is said of woods."""


def clauses(items: Sequence[Item]) -> list[Clause]:
    """Return the clauses of an order in the order in which they are done."""
    found = [clause for clause in Reader(items).read() if clause.items]
    _merge(found)
    found = [clause for clause in found if clause.items]
    _order(found)
    _hold(found)
    _share(found)
    _settle(found)
    return [clause for clause in found if clause.items]


def _merge(found: Sequence[Clause]) -> None:
    """Put what was said before a clause, of its place, its units or what it waits for, into it."""
    for one, other in pairwise(found):
        placed = one.places and not (one.who or one.verbs or one.foe or one.until or one.manner or one.squads)
        if placed and other.who and other.link == "and":  # `at A, archers wait`
            other.places, other.when = [*one.places, *other.places], other.when or one.when
        elif _turns(one) and other.places and other.link == "and" and not (other.who and other.who[0].base != "they"):
            other.who, other.when = one.who or other.who, other.when or one.when  # `turn south and go to A`
        elif (
            one.verbs == ["go"]
            and one.who
            and not (one.full or (one.when and not one.colon))
            and (other.who == (Who("they"),) or (not other.who and (one.colon or other.items[0].word == "first")))
        ):
            other.when = other.when or one.when
            other.who = one.who  # `only unit 42 goes. He runs to A`, `the archers go first, to A`
        elif one.who and not (one.acts or one.manner or one.when or one.lost or other.who) and other.link != "then":
            other.who = one.who  # `archers: shoot them`
        elif one.when and not (one.acts or one.who or other.when):  # `when they come, attack`
            other.when = one.when
        else:
            continue
        other.items, other.link, other.lost = [*one.items, *other.items], one.link, [*one.lost, *other.lost]
        one.items, one.places, one.who, one.when, one.verbs = [], [], (), None, []


def _turns(clause: Clause) -> bool:
    """Whether a clause only says in which direction units go."""
    toward = [place for place in clause.places if place.kind == "part" and place.value == "half" and not place.of]
    told = clause.manner or clause.until or clause.lost or clause.left or clause.unread
    return clause.verbs == ["go"] and len(toward) == len(clause.places) == 1 and not told


def _order(found: list[Clause]) -> None:
    """Put clauses in the order in which they are done: `attack; before that, wait`, `A when E, until then B`."""
    for number, clause in enumerate(found):
        first = number - 1 if clause.link == "before" else number
        if clause.link in ("before", "later") and 0 <= first < len(found) - 1:
            one, other = found[first : first + 2]
            other.link, one.link = one.link if clause.link == "before" else "stop", "then"
        elif clause.link == "otherwise" and clause.acts and any(each.when for each in found[:number]):
            first = max(n for n in range(number) if found[n].when)
            one, other = found[first], clause
            found.remove(clause)
            found.insert(first + 1, clause)
            other.until, one.when, one.link, other.link = one.when, None, "then", one.link
        else:
            continue
        if not other.who or other.who[0].base == "they":
            other.who, one.who = one.who or other.who, one.who if clause.link != "stop" else ()
        found[first : first + 2] = [other, one]
    for number, clause in enumerate(found[1:], 1):  # `kill archers first, then cavalry, spearmen last`
        one = found[number - 1]
        types = clause.who and all(who.names and not (who.count or who.share or who.base) for who in clause.who)
        if types and not (clause.acts or clause.when or clause.manner) and one.foe and "attack" in one.verbs:
            more = [Clause("then", one.who, ["attack"], [replace(who, foe=True)]) for who in clause.who]
            for each in more:
                each.items = clause.items
            found[number : number + 1] = more


def _hold(found: Sequence[Clause]) -> None:
    """Let what is said once hold for all clauses that it is said of."""
    waited: Event | None = None
    them = False  # whether it was said of those named before: `once they are dead, come back, and archers go to A`
    for before, clause in pairwise([Clause(), *found]):  # `after 60 ticks archers go to A and cavalry go to B`
        own = clause.who and not clause.who[0].whole
        if clause.when is not None or clause.link not in ("and", "while"):
            them = bool(clause.who) and not own and clause.who[0].base == "they"
            waited = clause.when if (own or them) and clause.items[0].get("when") else None
        elif own and (not them or before.items[-1].word == "and") and clause.who[0].base != "they":
            clause.when = clause.when or waited
    chain = list[Clause]()  # `to A, then to B, no fighting` is said of both
    for clause in [*found, Clause()]:
        if not clause.items or clause.who or clause.link != "then":
            said = set().union(*(each.manner for each in chain)) & {"peace", "cover"}
            if not any("attack" in each.verbs or each.foe for each in chain):
                for each in chain:
                    each.manner |= said
            chain = []
        chain.append(clause)


def _share(found: Sequence[Clause]) -> None:
    """Let clauses have the verb, or the squads, of the one before, and headings say nothing more."""
    for one, other in pairwise(found):
        told = other.who and not other.who[0].whole and other.acts
        there = any(place.kind == "same" for place in other.places)
        if (
            one.colon
            and one.verbs
            and told
            and not (one.who or one.squads or one.when or there or "match" in one.verbs)
        ):
            one.verbs, one.places, one.foe = ["think"], [], []  # `hold the bridges: archers at the first, ...`
        heads = one.colon and one.verbs and not (one.full or one.when or one.squads or one.manner)
        if heads and other.full and "match" not in one.verbs and (not one.who or one.who[0].whole):
            one.verbs, one.lost = ["think"], []  # `we have to cover all of it: groups on the middle row`
        bare = other.who and other.places and not (other.verbs or other.foe or other.own or other.manner)
        same = bare and {*one.verbs} <= {"hold", "hide", "stay"} and one.places and other.link == "and"
        if same and one.who and not any(fits(item, "to:to", "to:via", "then") for item in other.items):
            other.verbs = [*one.verbs]  # `half of them guard A, half B`
    for one, other in pairwise(found):
        if one.squads and not (one.who or one.places or other.squads or other.who) and other.places:
            other.squads, one.squads = one.squads, 0  # `any number of squads; they hold the middle`


def _settle(found: Sequence[Clause]) -> None:
    """Let clauses that only say how others are done say it of these."""
    goes = [clause for clause in found if clause.places and not ({"attack", "avoid"} & {*clause.verbs} or clause.foe)]
    for number, clause in enumerate(found):
        before = found[number - 1] if number else None
        everyone = not clause.who or clause.who[0].whole
        under = clause.verbs == ["hide"] and not clause.full and fits(clause.items[0], "'keep_under_the_trees'")
        way = {*clause.verbs} <= {"go", "stay", "hold", "hide"}
        woods = under or (way and clause.places == [Place("feature", "forest")])
        if before and woods and everyone and clause.link in ("stop", "and") and clause.items[0].word.startswith(KEEPS):
            clause.verbs, clause.places = [], []  # `stay under the trees`
            clause.manner.add("cover")
        states = any(item.word in ("is", "are") for item in clause.items) and clause.unread and clause.link == "stop"
        if states and clause.places and not (clause.verbs or clause.who or clause.foe or clause.until or clause.when):
            clause.verbs, clause.places = ["think"], []  # `a bridge unguarded is a city lost`
        foretold = clause.who == (Who("they"),) and any(item.word in FORETELLS for item in clause.items[1:3])
        if foretold and not any(each.who or each.own for each in found[:number]):
            clause.verbs, clause.places, clause.who = ["think"], [], ()  # `they will be slow over the bridges`
        bare = not (clause.verbs or clause.who or clause.places or clause.own or clause.until or clause.when)
        if bare and clause.foe and any(item.word in ("is", "are") for item in clause.items) and not clause.manner:
            clause.verbs, clause.foe = ["think"], []  # `the shortest way is full of enemies`
        if goes and clause.verbs == ["avoid"] and clause.foe and not (clause.places or clause.when):
            clause.verbs, clause.foe = [], []  # `go to A, steering clear of the enemy cavalry`
            clause.manner |= {"peace", "shun"}
        elif "hold" in clause.verbs and "attack" not in clause.verbs and any(foe.where for foe in clause.foe):
            clause.places += [foe.where for foe in clause.foe if foe.where]  # `block him at the bridges`
            clause.foe = []
        elif (
            {*clause.verbs} <= {"hold", "stay"}
            and clause.verbs
            and all(foe == Who("all", foe=True) for foe in clause.foe)
        ):
            clause.foe = []  # `block him`
        elif clause.manner & {"peace", "cover"} and clause.foe and not (clause.verbs or clause.places):
            clause.foe = []  # `enemies are not worth it`
