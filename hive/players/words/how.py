"""How units act, what they are not to do, and what no plan carries out."""

from __future__ import annotations

from hive.players.words.clauses import Who
from hive.players.words.collector import Collector, Rule, fit
from hive.players.words.cursor import fits

NOBODY = ("nobody", "no one", "no unit", "none")
AFTER_NOT = "'ever'|'to'|'a'|'any'|'of'|'you'|'our'|'us'|'unit'|'units'|'to_be'|light*"


def is_manner(reader: Collector) -> bool:
    """Whether a word says how units act, and not what they do."""
    item = reader.item()
    other = "bother" in item.word and reader.noun("name|feature")  # `do not bother with the other river`
    if item.get("manner") in (None, "behind", "weakest", "strongest") or other:
        return False
    return not (item.get("verb") and (not reader.clause.verbs or reader.joined))


def manner(reader: Collector) -> None:
    """Read how units act, with the enemies that it is said of: `ignore the enemy`, `distance to the enemy`."""
    item, clause = reader.item(), reader.clause
    reader.at += 1
    if item.get("leave_out") and reader.noun("name|feature"):  # `ignore the wood`
        clause.verbs.append("avoid")
        return
    groups = {each.who for each in reader.found if each.who and not each.who[0].whole}
    before = reader.item(-2)
    said = before.text == "," or (before.word == "and" and item.word.startswith("no "))
    end = reader.item(more := reader.ahead("noise|'please'*"))
    ends = fits(end, "$") and (not more or str(end.get("stop", ".")) in ".!?;")
    if said and ends and clause.acts and len(groups) > 1:  # `..., no chasing`
        way = any("way" in each.word for each in reader.items[reader.at : reader.at + reader.to_stop()])
        clause, sentence = (clause, reader.found) if way else (reader.begin("stop"), [])
        for each in sentence[::-1]:  # `archers to A, spearmen to B and no fighting on the way`
            each.manner.add(str(item.get("manner")))
            if each.link == "stop":
                return
    clause.manner.add(str(item.get("manner")))
    if item.get("manner") == "peace":
        if "enem" in item.word:
            reader.skip("type|class")  # `ignore the enemy cavalry`
        if reader.skip("'to'|'in'|'into'|'a'|'any'* verb:attack") and reader.skip("'with'|'against'"):
            reader.units()  # `do not get drawn into battles with the archers`
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


class _Denied:
    """What a denial is said of: its traits are those of its items, and which verbs and types are among them."""

    def __init__(self, reader: Collector) -> None:
        self.reader, self.clause, self.denial, start = reader, reader.clause, reader.denied, reader.at
        reader.denied = ""
        reader.at += 1
        reader.to_end("$|when|then|'and'|'but'")
        self.said, self.text = reader.items[start : reader.at], reader.text(start)
        kinds = [each.get("type", "class") for each in self.said if not each.get("manner")]
        self.types = tuple(str(kind) for kind in kinds if kind)
        self.traits = {tag for each in self.said for tag in each.tags}
        self.traits |= {"types"} if self.types else set()
        verbs = {str(each.get("verb")) for each in self.said if each.get("verb")}
        self.traits |= {f"only:{verb}" for verb in verbs if len(verbs) == 1}
        self.traits |= {f"{size} words" for size in range(len(self.said), 4)}
        self.traits |= {"moves"} if verbs and verbs <= {"go", "avoid"} else set()
        self.traits |= {"nobody"} if self.denial in NOBODY else set()
        self.traits |= {"crosses"} if self.said[0].word.startswith("cross") else set()

    def ahead(self, pattern: str) -> bool:
        """Whether what is denied fits a pattern."""
        return fit(self.traits, pattern)

    def manner(self, manner: str) -> None:
        """Let units act in some manner."""
        self.clause.manner.add(manner)

    def other(self) -> bool:
        """Whether other types are denied than those that are attacked: `attack archers only, no spearmen`."""
        attacked = {name for foe in self.clause.foe for name in foe.names}
        return bool(self.clause.foe) and not {*self.types} & attacked

    def idle(self) -> bool:
        """Whether nothing is denied that an order says; `to A, not to B` sends nobody to B."""
        place = fits(self.said[0], "to:to") and self.clause.places
        return bool(place) or all(fits(each, "void", "noise", "$") for each in self.said)


def _avoid(said: _Denied) -> None:
    """Read whom nobody fights, or whom those do not fight who come before the verb."""
    verb = next((at for at, each in enumerate(said.said) if fits(each, "verb:attack")), 0)
    own = tuple(str(kind) for each in said.said[:verb] if (kind := each.get("type", "class")))
    if own:  # `do not let the cavalry fight spearmen`
        said.reader.apart().who = tuple(Who(names=(kind,)) for kind in own)
    said.reader.clause.verbs.append("avoid")
    said.reader.clause.foe.append(Who(foe=True, names=said.types[len(own) :]))


def _still(said: _Denied) -> None:
    clause = said.reader.apart()
    clause.verbs.append("stay")
    clause.manner.add("still")


_FAR = "deed:charge|'chase'|'pursue'|'leave'|'leaves'|'stray'|'strays'"
_PLACE = "to|name|feature|dir|at|offset|y|xs|'past'|'it'"
DENIED: tuple[Rule[_Denied, None], ...] = (
    Rule("archers go to A, never in the open", "manner:cover|manner:emerge", lambda s: s.manner("cover")),
    Rule("archers do not do hand to hand", "manner:close|manner:distance|class:melee", lambda s: s.manner("distance")),
    Rule("archers hold A. No one leaves his post", f"{_FAR} !types", lambda s: s.manner("leash")),
    Rule("do not let them be distracted by the archers", "verb:attack types", _avoid),
    Rule("attack archers only, no spearmen", "types !verb", also=_Denied.other),
    Rule("never attack", "verb:attack|foe|mind|manner:peace", lambda s: s.manner("peace")),
    Rule("go to A, do not wait", "only:stay 2_words"),
    Rule(
        "go to A, never east of x = 15",
        "xs|y offset !verb",
        lambda s: s.reader.leave(f"{s.denial} {s.text}"),
    ),
    Rule("hold A, no running away", "only:retreat 3_words", lambda s: s.reader.leave(f"no {s.text}")),
    Rule("archers, do not move", f"only:go 3_words 'move'|'moves'|'budge'|'stir' !{_PLACE}", _still),
    Rule("nobody crosses the river", "moves nobody !to:to", lambda s: s.manner("leash")),
    Rule("hold A, do not cross", "only:go crosses nobody|1_words", lambda s: s.manner("leash")),
    Rule("hold A, do not go too far", f"only:go !{_PLACE}", lambda s: s.manner("leash")),
    Rule("attack the archers and nothing else", "", also=_Denied.idle),
    Rule("do not go to A", "", lambda s: s.reader.lose(f"not {s.text}")),
)
"""What becomes of what is denied."""


def denied(reader: Collector) -> None:
    """Read what is not to be done: not to fight and not to chase are manners; what else it denies is lost."""
    said = _Denied(reader)
    fights = said.ahead("verb:attack") and said.clause.verbs  # `stay there and do not fight until they come`
    if said.ahead("verb !manner !types !foe") and reader.ahead("when:until|when:before") and not fights:
        reader.apart().verbs = ["stay"]  # `do not cross the river until the archers have crossed`
        return
    reader.first(DENIED, said)
