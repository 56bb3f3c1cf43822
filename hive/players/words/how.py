"""How units act, what they are not to do, and what no plan carries out."""

from __future__ import annotations

from hive.players.words.clauses import Who
from hive.players.words.collector import Collector, fit
from hive.players.words.cursor import fits

NOBODY = ("nobody", "no one", "no unit", "none")
AFTER_NOT = "'ever'|'to'|'a'|'any'|'of'|'you'|'our'|'us'|'unit'|'units'|'to_be'|light*"


def is_manner(reader: Collector) -> bool:
    """Whether a word says how units act, and not what they do."""
    item = reader.item()
    other = "bother" in item.word and reader.noun("name|feature")  # `do not bother with the other river`
    if item.get("manner") in (None, "behind") or other:
        return False
    return not (item.get("verb") and (not reader.clause.verbs or reader.joined))


def manner(reader: Collector) -> None:
    """Read how units act, with the enemies that it is said of: `ignore the enemy`, `distance to the enemy`."""
    item, clause = reader.item(), reader.clause
    reader.at += 1
    groups = {each.who for each in reader.found if each.who and not each.who[0].whole}
    before = reader.item(-2)
    said = before.text == "," or (before.word == "and" and item.word.startswith("no "))
    end = reader.item(more := reader.ahead("noise|'please'*"))
    ends = fits(end, "$") and (not more or str(end.get("stop", ".")) in ".!?;")
    if said and ends and clause.acts and len(groups) > 1:  # `..., no chasing`
        clause = reader.begin("stop")
    clause.manner.add(str(item.get("manner")))
    if item.get("manner") == "peace":  # `ignore the enemy cavalry`, `do not get drawn into any fights`
        reader.skip("type|class" if "enem" in item.word else "'to'|'in'|'into'|'a'|'any'* verb:attack")
    start = reader.at
    reader.skip("'to'|'from'|'with'|'of'|'the'|'between'|'them'|'and'*")
    if not ((units := reader.units()) and units[0].foe and not reader.ahead("verb|light")):
        reader.at = start


def leave(reader: Collector) -> None:
    """Step over what no plan can say, and keep it as left out: `facing west`, `so that ...`."""
    start, item = reader.at, reader.item()
    reader.at += 1
    if item.get("leftover") == "purpose":
        reader.to_end()
    elif item.word == "facing" and reader.place() is None:
        reader.skip("'the'? dir|foe*")
    reader.leave(reader.text(start))


def formation(reader: Collector) -> bool:
    """Step over a formation, which no plan can say: `in a tight wedge`, `like a checkerboard`, `two ranks`."""
    at = 0
    while at < 4 and (reader.ahead("'in'|'into'|'as'|'like'|'of'|det|number|size", at) or not reader.item(at).means):
        at += 1
    if not reader.ahead("formation", at):
        return False
    start = reader.at
    reader.at += at + 1
    reader.leave(reader.text(start))
    return True


# ---- what not


def deny(reader: Collector) -> None:
    """Read a denial, and leave open what it denies."""
    denial = reader.item().word
    reader.at += 1
    reader.skip(AFTER_NOT)
    if denial in NOBODY:
        clause = reader.apart()
        clause.who = clause.who or (Who("all"),)
    reader.denied = denial


_PLACE = "to|name|feature|dir|at|offset|y|xs|'past'|'it'"
DENIED = (
    ("manner:cover|manner:emerge", "cover"),  # `never in the open`
    ("manner:close|manner:distance|class:melee", "distance"),  # `not hand to hand`
    ("deed:charge|'chase'|'pursue'|'leave'|'leaves'|'stray'|'strays' !types", "leash"),  # `no one leaves his post`
    ("verb:attack|foe|mind|manner:peace !types", "peace"),  # `never attack`
    (f"only:go short 'move'|'moves'|'budge'|'stir' !{_PLACE}", "still"),  # `do not move`
    ("moves nobody !to:to", "leash"),  # `nobody crosses the river`
    (f"only:go !{_PLACE}", "leash"),  # `do not go too far`
    ("only:go alone", "leash"),  # `do not cross`
)
"""How units act of whom something is denied: the first pattern that fits what is denied says it.

Beside the tags of items there are `only:` with the verb where there is one, `moves`, where all verbs are of moving,
`types`, `short`, of up to three items, `alone`, of one, and `nobody`.
"""


def denied(reader: Collector) -> None:
    """Read what is not to be done: not to fight and not to chase are manners; what else it denies is lost."""
    start, clause, denial, reader.denied = reader.at, reader.clause, reader.denied, ""
    reader.at += 1
    reader.to_end("$|when|then|'and'|'but'")
    said = reader.items[start : reader.at]
    verbs = {str(each.get("verb")) for each in said if each.get("verb")}
    traits = {tag for each in said for tag in each.tags} | {f"only:{verb}" for verb in verbs if len(verbs) == 1}
    traits |= {"types"} if any(each.get("type", "class") and not each.get("manner") for each in said) else set()
    traits |= {"moves"} if verbs and verbs <= {"go", "avoid"} else set()
    traits |= {"short"} if len(said) <= 3 else set()
    traits |= {"alone"} if len(said) == 1 else set()
    traits |= {"nobody"} if denial in NOBODY else set()
    fights = "attack" in verbs and clause.verbs  # `stay there and do not fight until they come`
    if fit(traits, "verb !manner !types !foe") and reader.ahead("when:until|when:before") and not fights:
        reader.apart().verbs = ["stay"]  # `do not cross the river until the archers have crossed`
        return
    manner = next((manner for pattern, manner in DENIED if fit(traits, pattern)), "")
    there = fits(said[0], "to:to") and clause.places  # `to A, not to B` sends nobody to B
    if manner == "still":
        clause = reader.apart()
        clause.verbs.append("stay")
    if manner:
        clause.manner.add(manner)
    elif not (there or all(fits(each, "void", "noise", "$") for each in said)):
        reader.lose(f"not {reader.text(start)}")
