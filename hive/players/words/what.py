"""What: verbs with the distances that belong to them, and whom units guard."""

from __future__ import annotations

from dataclasses import replace

from hive.players.words.clauses import Clause, Place, Who
from hive.players.words.collector import OF_FOES, Collector
from hive.players.words.cursor import fits
from hive.players.words.units import NOUN

GUARDS = ("guard", "protect", "defend", "cover", "watch", "look", "shield")
"""First words of verbs whose object is what is held."""
ALIKE = {"hold", "spread", "split", "stay", "stand", "gather", "hide", "shield"}
"""Verbs that say one thing together, as in `split and hold`."""
NOUNS = f"{NOUN}|area|marker|feature|goal|dir|share|rest|to|offset|number"
BEFORE_NOUN = "det", "dir", "number", "own", "every", "ordinal", "area", "foe", "to", "offset"


def verb(reader: Collector) -> bool:
    """Read a verb, unless it is a noun where it stands."""
    if reader.ahead(NOUNS) and (fits(reader.item(-1), *BEFORE_NOUN) or reader.clause.verbs):
        return False
    take_verb(reader)
    return True


def take_verb(reader: Collector) -> None:
    """Take a verb into the clause, or into a new one where the present one has its object."""
    item = reader.item()
    told = str(item.get("verb"))
    reader.at += 1
    if told == "follow" and (reader.ahead("'it'|letter|alphabet") or reader.noun("feature|name|marker")):
        told = "go"  # `follow it to the corner`
        reader.skip("'it'")
    if told == "flank" and "attack" in reader.clause.verbs and not reader.joined:  # `attack them from the side`
        reader.clause.verbs.append(told)
        return
    clause = _clause(reader, told, item.get("deed") == "shoot")
    if clause is None:
        return
    clause.verbs.append(told)
    toward = "forward" if item.word.endswith(" forward") else "back"
    if (told == "retreat" or item.word.endswith((" back", " forward"))) and (metres := reader.distance()) is not None:
        clause.places.append(Place("way", toward, metres=metres))
        reader.skip("move")
    if item.word.endswith(" within") and (metres := reader.distance()) is not None:  # `stay within 10 m of A`
        clause.leash = metres
        reader.skip("'of'")
    clause.manner |= {"shoot"} if item.get("deed") == "shoot" else set()
    clause.manner |= {str(item.get("manner"))} & {"cover", "distance", "close"}
    if clause.who and item.word.split()[0].removesuffix("s").removesuffix("ing") in GUARDS:
        _guard(reader, clause)
    reader.joined = False


def _clause(reader: Collector, told: str, shoots: bool) -> Clause | None:
    """Return the clause that a verb belongs to; none if enemies do it."""
    clause, joined = reader.clause, reader.joined
    bare = bool(clause.verbs) and {*clause.verbs} <= {"go", "stay"} and not clause.full
    bare = bare and not (told == "go" and joined and clause.verbs == ["stay"])
    alike = {told, *clause.verbs} <= ALIKE and not (joined and clause.full)
    if shoots and clause.places and not clause.foe and {*clause.verbs} <= {"go", "hold", "stay"}:
        clause.verbs = []  # `go to A and shoot them`
    if shoots and clause.places and "spread" in clause.verbs:  # `line up at A and shoot the archers`: from there
        return clause
    if "think" in clause.verbs or (clause.verbs and not alike and (clause.full or (joined and not bare))):
        return reader.begin("and")
    if clause.foe and not (clause.verbs or clause.who or clause.places) and _enemies_do(clause, told):
        return _of_enemies(reader, told)
    if bare and told not in ("go", "stay", "stand", "retreat"):  # `go and attack`
        clause.verbs = []
    return clause


def _enemies_do(clause: Clause, told: str) -> bool:
    """Whether a sentence about enemies says what they do: `the enemy comes over the bridges`, `will attack`."""
    modal = any(item.word in ("will", "may", "might", "would", "could", "can") for item in clause.items)
    return told not in OF_FOES or (modal and not any(item.word == "be" for item in clause.items))


def _of_enemies(reader: Collector, told: str) -> Clause | None:
    """Read a sentence about enemies; return its clause if it is one's own side that does it."""
    clause = reader.clause
    clause.foe = []
    if any(fits(each, "manner:peace") for each in reader.items[reader.at : reader.at + reader.to_stop()]):
        return None  # `the enemy gets ignored`
    clause.verbs = ["think"]  # `the enemy will come over the bridges`
    if told in OF_FOES:
        reader.to_end("$|then")
    return None


def _guard(reader: Collector, clause: Clause) -> None:
    """Read whom units guard: `spearmen protect the archers`."""
    known = reader.noun("type|class|pronoun") or reader.ahead("type|class|pronoun")
    units = reader.units() if known else ()
    again = units[:1] == (Who("they"),) and (clause.places or reader.item(-1).word == "it")
    if units and reader.item(-1).word.endswith("selves"):
        clause.verbs = [each for each in clause.verbs if each != "stand"]  # `stay and defend themselves`
    elif units and not again:  # `share out over the bridges to protect them`
        clause.own, clause.verbs[-1] = units, "shield"


def distance(reader: Collector) -> bool:
    """Read how far units stray, how far they stand apart, or how far the last place is from what it is beside."""
    start, clause = reader.at, reader.clause
    metres = reader.distance()
    last = clause.places[-1] if clause.places else Place("")
    sided = last.value in ("ring", "wings") or (last.kind == "part" and bool(last.dir and last.of))
    if metres is None:
        return False
    if fits(reader.items[start], "'within'") or "follow" in clause.verbs:
        reader.skip("'of'")
        clause.leash = metres
    elif reader.skip("'between'|'apart'"):
        reader.units()
        reader.leave(reader.text(start))
    elif sided or (last.kind == "beside" and reader.skip("'off'|'away'|'back'|'distant'")):
        clause.places[-1] = replace(last, metres=metres)
    else:
        reader.at = start
        return False
    return True
