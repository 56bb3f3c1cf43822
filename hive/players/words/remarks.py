"""Remarks: what no plan carries out, what takes back or corrects what was said, and what needs no order."""

from __future__ import annotations

from dataclasses import replace

from hive.players.words.clauses import Clause, Place, Who
from hive.players.words.collector import Collector, Rule
from hive.players.words.cursor import fits


def corrected(reader: Collector) -> bool:
    """Read what is said in place of the last thing of its kind: `to A, no, to B`."""
    begun, denies = reader.at, reader.item().get("not")
    if not (reader.skip("correct") or (reader.ahead("'no' ','") and reader.skip("'no'"))):
        return False
    reader.skip("correct|','|'no'|'wait'*")
    start, one = reader.at, next((each for each in reader.found[::-1] if each.acts), None)
    if one is None or (reader.ahead("$") and not denies):  # `..., I mean.`
        return True
    found = _instead(reader)
    if reader.ahead("verb|light") or (reader.at == start and begun == reader.sentence):  # `no, the archers go there`
        reader.at = start
        take_back(reader, whole=begun == reader.sentence)
        reader.begin("stop" if reader.clause is one else "and").who = one.who if reader.ahead("verb") else ()
    elif found:
        _put_right(one, found)
        if reader.clause is not one and not reader.clause.items:
            reader.found.remove(reader.clause)
            reader.clause = one
    elif denies:
        reader.at = begun
        return False
    else:
        reader.to_end()
        one.lost.append(reader.text(begun))
    return True


def _instead(reader: Collector) -> int | tuple[Who, ...] | Place | None:
    """Read a number, units or a place."""
    counts = reader.ahead("number 'of' pronoun|$") or reader.ahead("number $")
    return (reader.count() if counts else None) or reader.units() or reader.place()


def _put_right(one: Clause, found: int | tuple[Who, ...] | Place) -> None:
    """Put a number, units or a place into a clause, for the last of the kind that it has."""
    if isinstance(found, Place):
        alike = [at for at, each in enumerate(one.places) if (each.kind, each.value) == (found.kind, found.value)]
        at = alike[-1] if alike else max(0, len(one.places) - 1)
        one.places[at : at + 1] = [found]
    elif isinstance(found, int):
        one.who = tuple(replace(who, count=found) for who in one.who)
    elif one.foe:
        one.foe[-1] = replace(found[0], foe=True)
    else:
        one.who = found


def take_back(reader: Collector, whole: bool) -> None:
    """Let the last clause that says something to do say nothing any more, or all that belong to it."""
    for one in [each for each in reader.found if each.acts][::-1]:
        one.verbs, one.places, one.foe, one.lost = ["cancel"], [], [], []
        one.own, one.when, one.until, one.squads, one.manner = (), None, None, 0, set()
        if one.link == "stop" or not whole:
            return


NO_FIGHT = "leave_out every|'any'|'all'|'the'* verb:attack"
THINGS = "feature|name|area|goal|verb|manner"


def _marker(reader: Collector) -> bool:
    return bool(reader.ahead("letter", 1)) or reader.noun("letter|marker")


def _enemies(reader: Collector) -> bool:
    named = reader.noun("foe|pronoun") or reader.ahead("foe|pronoun|comer|someone", 1) or reader.clause.foe
    return bool(named or reader.ahead("leave_out everyone !'of'|type|feature|marker"))


def _peace(reader: Collector) -> None:
    reader.clause.manner.add("peace")


def _no_mind(reader: Collector) -> None:
    reader.at += 1
    if not reader.skip("someone|everyone"):
        reader.units()
    reader.clause.manner.add("peace")
    reader.clause.foe = []


def _no_fight(reader: Collector) -> None:
    reader.at += 1
    reader.clause.verbs.remove("attack")
    reader.clause.manner.add("peace")


def _impossible(reader: Collector) -> None:
    reader.leave(reader.item().text)
    reader.at += 1
    reader.skip("'of'|'the'*")


def _never_mind(reader: Collector) -> None:
    start, clause = reader.at, reader.apart()
    reader.at += 1
    while place := reader.place():  # `give up North-East Bridge 1 and South-West Bridge 4`
        reader.gone.append(place)
        reader.skip("'and'/ 'the'? name|feature|dir")
    reader.to_end("$|'and'|'but'|when:until")
    waits = reader.ahead("when:until")  # `never mind the other bridge until the enemies are dead`
    clause.verbs, clause.items = ["stay" if waits else "think"], [*clause.items, *reader.items[start : reader.at]]
    reader.began = reader.at
    if not waits:
        reader.begin("and")


def _cancel(reader: Collector) -> None:
    reader.at += 1
    take_back(reader, whole=True)
    reader.skip("pronoun")


def _leave_out(reader: Collector) -> None:
    reader.at += 1
    gone = reader.place()
    for one in reader.found:
        one.places = [_without(each, gone) for each in one.places if each != gone]


def _without(place: Place, gone: Place | None) -> Place:
    """Return markers without some of them."""
    if gone is None or {place.kind, gone.kind} != {"markers"}:
        return place
    if place.value == "all":
        return replace(place, minus=(*place.minus, gone))
    return replace(place, value="".join(letter for letter in str(place.value) if letter not in str(gone.value)))


def _over(reader: Collector) -> str:
    """Step over a remark, and return it."""
    start, clause = reader.at, reader.apart()
    thinks = fits(reader.items[start], "think")
    while not reader.ahead("$|then") and not (reader.at > start + 1 and reader.ahead("'and'|'but'")):
        if thinks and reader.at > start and reader.ahead("'to' verb"):
            break
        clause.verbs += ["match"] if thinks and reader.ahead("verb:match") else []
        reader.at += 1
    return reader.text(start)


def _think(reader: Collector) -> None:
    _over(reader)
    reader.clause.verbs.append("think")


def _matters(reader: Collector) -> None:
    reader.at += 1
    reader.clause.verbs.append("think")


def _bunch(reader: Collector) -> None:
    reader.to_end("$|'and'|'but'")
    reader.clause.manner.add("peace")


ASIDES: tuple[Rule[Collector, object], ...] = (
    Rule(
        "leave out the bunch at A",
        "leave_out",
        _bunch,
        also=lambda reader: reader.noun("squad") and not reader.clause.acts,
    ),
    Rule("go to A, skip every fight", "leave_out", _peace, also=lambda reader: reader.skip(NO_FIGHT)),
    Rule("march to A, disregard enemies", "mind|leave_out", _no_mind, also=_enemies),
    Rule(
        "go to A. Fighting is not allowed", "forbidden", _no_fight, also=lambda reader: "attack" in reader.clause.verbs
    ),
    Rule("archers wait on the roofs of the hamlet", "impossible", _impossible),
    Rule(
        "the bridges matter most: hold them",
        "'matter_most'|'matters_most'|'matter'|'matters' $",
        _matters,
        also=lambda reader: reader.clause.places and not (reader.clause.who or reader.clause.verbs),
    ),
    Rule(
        "hold A; mind that the archers stay", "mind|noise", also=lambda reader: reader.skip("!cannot|think mind|noise")
    ),
    Rule("never mind the bridges", "leave_out|'never_mind'", _never_mind, also=lambda reader: reader.noun(THINGS)),
    Rule(
        "go to A. Scratch that, cavalry to B",
        "cancel",
        _cancel,
        also=lambda reader: any(each.acts for each in reader.found),
    ),
    Rule("go to all markers, leave out B", "leave_out", _leave_out, also=_marker),
    Rule("which corner holds which type?", "think", _think),
    Rule("keep moving even if someone spots us", "concede", _over),
    Rule("swim across at (100, 62)", "cannot", lambda reader: reader.leave(_over(reader))),
    Rule("attack the spearmen rather than the archers", "instead !amount|leave_out", _over),
    Rule("abort, all units back to start", "", lambda reader: reader.lose(_over(reader))),
)
"""Remarks: what no plan carries out, what needs no order, and whom nobody fights."""


def aside(reader: Collector) -> None:
    """Read a remark."""
    reader.first(ASIDES, reader)
