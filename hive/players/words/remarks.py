"""Remarks: what no plan carries out, and what needs no order."""

from __future__ import annotations

from hive.players.words.collector import Collector, Rule
from hive.players.words.cursor import fits

NO_FIGHT = "leave_out every|'any'|'all'|'the'* verb:attack"
THINGS = "feature|name|area|goal|verb|manner"


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
    reader.waved = True
    while reader.place():  # `give up North-East Bridge 1 and South-West Bridge 4`
        reader.skip("'and'/ 'the'? name|feature|dir")
    reader.to_end("$|'and'|'but'|when:until")
    waits = reader.ahead("when:until")  # `never mind the other bridge until the enemies are dead`
    clause.verbs, clause.items = ["stay" if waits else "think"], [*clause.items, *reader.items[start : reader.at]]
    reader.began = reader.at
    if not waits:
        reader.begin("and")


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


ASIDES: tuple[Rule[Collector, object], ...] = (
    Rule("go to A, skip every fight", "leave_out", _peace, also=lambda reader: reader.skip(NO_FIGHT)),
    Rule("march to A, disregard enemies", "mind|leave_out", _no_mind, also=_enemies),
    Rule(
        "go to A. Fighting is not allowed", "forbidden", _no_fight, also=lambda reader: "attack" in reader.clause.verbs
    ),
    Rule("archers wait on the roofs of the hamlet", "impossible", _impossible),
    Rule(
        "hold A; mind that the archers stay", "mind|noise", also=lambda reader: reader.skip("!cannot|think mind|noise")
    ),
    Rule("never mind the bridges", "leave_out|'never_mind'", _never_mind, also=lambda reader: reader.noun(THINGS)),
    Rule("which corner holds which type?", "think", _think),
    Rule("keep moving even if someone spots us", "concede", _over),
    Rule("swim across at (100, 62)", "cannot", lambda reader: reader.leave(_over(reader))),
    Rule("abort, all units back to start", "", lambda reader: reader.lose(_over(reader))),
)
"""Remarks: what no plan carries out, what needs no order, and whom nobody fights."""


def aside(reader: Collector) -> None:
    """Read a remark."""
    reader.first(ASIDES, reader)
