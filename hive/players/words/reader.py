"""Phrases of an order to clauses: every item fills a slot of its clause, or is kept as not read."""

from __future__ import annotations

from dataclasses import replace

from hive.players.words.clauses import Clause, Place
from hive.players.words.collector import OF_FOES, Collector, Rule
from hive.players.words.cursor import fits
from hive.players.words.how import denied, deny, formation, is_manner, leave, manner
from hive.players.words.lexicon import Item
from hive.players.words.remarks import aside
from hive.players.words.stages import ONLY
from hive.players.words.units import NOUN
from hive.players.words.what import distance, take_verb, verb
from hive.players.words.when import ticks, when
from hive.players.words.where import take_place
from hive.players.words.who import OWN_SIDE, squads, take_units

BINDING = ("not", "except", "forbidden", "instead", "when:unclear", "amount", "rest")
"""Items that an order does not mean the same without."""
TELLING = (
    "type", "class", "number", "percent", "ids", "range", "at", "letter", "name", "share", "dir", "offset", "xs", "y",
    "feature", "goal", "squad", "foe", "metres",
)  # fmt: skip
"""Items that say who, or where."""
VAGUE = ("one", "single", "some", "few", "first", "last", "right", "part", "parts", "a few", "a part of")
"""Words among these that say nothing alone."""
TAKEN = ("take", "occupy", "capture", "seize", "storm", "hold", "defend", "guard", "secure", "block", "watch")
"""Verbs whose object without a meaning is a place that is not known."""
JOINED = (
    "light to|light|noise* verb|noise", "to verb|number|metres|every|letter|'number'", "'of' '('|at",
    f"'with'|'by'|'only' det|own* {NOUN}|number|ids", "'the' share|ordinal",
)  # fmt: skip
"""Small words with what they join, which needs no rule."""
ASKS = ("is", "are", "how", "what", "where", "which", "who", "why", "does", "did")


class Reader(Collector):
    """Collects phrases into clauses."""

    def read(self) -> list[Clause]:
        """Return the clauses as they were said; every item is in one of them."""
        while self.at < len(self.items):
            self.began = self.at
            self.first(PHRASES, self)
            read = self.items[self.began : self.at]
            if self.clause.items or any(item.get("stop") is None for item in read):
                self.clause.items += read
        return self.found


def _stop(reader: Collector) -> None:
    """End a sentence, or a part of it; a question, such as `where is the enemy?`, needs no order."""
    clause, stop = reader.clause, str(reader.item().get("stop"))
    if "?" in reader.item().text and reader.items[reader.sentence].word.partition(" ")[0] in ASKS:
        at, number = len(reader.items), len(reader.found)
        while number and at > reader.sentence:
            number -= 1
            at = reader.at - sum(len(each.items) for each in reader.found[number:])
            reader.found[number] = Clause(reader.found[number].link, verbs=["think"], items=reader.found[number].items)
        clause = reader.clause = reader.found[-1]
    reader.at += 1
    clause.colon = stop == ":"
    if stop in ".!?;\n":
        reader.sentence = reader.at
    if stop in ".!?;\n" or (stop == ":" and clause.acts and not (clause.places and not clause.verbs)):
        reader.begin("stop")
    reader.comma = stop == "," and (reader.comma or not reader.joined)
    reader.joined = reader.joined or stop == ","


def _and(reader: Collector) -> None:
    reader.joined, reader.comma = True, False


def _then(reader: Collector) -> bool:
    """Read `then`, `first` or `next`, unless it tells units or places apart."""
    item, clause = reader.item(), reader.clause
    noun = reader.ahead(f"then {NOUN}|number|marker|feature")
    apart = item.get("ordinal") and (reader.item(-1).word == "the" or reader.split() or noun)
    if apart or reader.ahead("then 'one'|'ones'"):
        return False
    reader.at += 1
    later = item.get("then") == "then"
    if later and clause.who and not clause.acts and reader.ahead("verb"):  # `the archers then attack`
        clause.link = "then"
        return True
    to = clause.verbs and not clause.full and not reader.joined and reader.ahead("to|at|via")
    if to and fits(item, "then:first"):  # `spearmen go first to A`
        return True
    later = later and (item.word != "last" or clause.full)
    before = fits(item, "then:first") and reader.joined and clause.places and reader.ahead("verb")
    reader.begin("then" if later else "before" if before else "and" if reader.joined else clause.link)
    return True


def _fight_there(reader: Collector) -> None:
    """Read `and kill everything` after a place: it says how units fight there, and no further place."""
    reader.skip("verb all|comer noise*")
    reader.clause.manner.add("fight")


def _only(reader: Collector) -> bool:
    """Read whom units attack and nobody else, where something else says where they go."""
    start, clause = reader.at, reader.clause
    said = reader.skip("'only' verb:attack|against") or reader.skip("verb:attack 'only'")
    sent = clause.places or (clause.who and any(each.places for each in reader.found[:-1]) and clause.link != "then")
    foes = reader.units() if said and sent and not (clause.verbs[-1:] == ["attack"] or clause.foe) else ()
    names = [name for foe in foes for name in foe.names if not (foe.part or foe.where)]
    clause.manner |= {f"{ONLY}{name}" for name in names}
    reader.at = reader.at if names else start
    return bool(names)


def _each(reader: Collector) -> None:
    count = reader.count()
    reader.clause.who = tuple(replace(who, count=count, each=True) for who in reader.clause.who)
    reader.at += 1


def _units(reader: Collector) -> bool:
    if units := reader.units():
        take_units(reader, units)
    return bool(units)


def _same(reader: Collector) -> None:
    """Read `the same at A`, which is asked about."""
    start = reader.at
    reader.skip("'the'? 'same' 'again'|'number'*")
    reader.lose(reader.text(start))


def _happens(reader: Collector) -> bool:
    """Whether what may be a place, such as `before the archers`, is what is waited for."""
    start = reader.at
    reader.at += 1
    found = reader.event() is not None
    reader.at = start
    return found


def _numbered(reader: Collector) -> bool:
    """Read numbers in brackets, of the enemies that were named last."""
    start, foes = reader.at, reader.clause.foe
    foes[-1:] = [reader.with_numbers(foe) for foe in foes[-1:]]
    return reader.at > start


def _place(reader: Collector) -> bool:
    if (place := reader.place()) is not None:
        take_place(reader, place)
    return place is not None


def _against(reader: Collector) -> None:
    reader.at += 1
    units = reader.units()
    if reader.own_side():
        reader.lose(OWN_SIDE)
    reader.clause.foe += [replace(who, foe=True) for who in units if OWN_SIDE not in reader.clause.lost]


def _every(reader: Collector) -> None:
    reader.clause.each = True


def _for_each(reader: Collector) -> bool:
    """Whether a squad is meant for each of several places."""
    places = [each for place in reader.clause.places for each in (place, *place.of) if isinstance(each, Place)]
    return any(place.each for place in places) or reader.ahead("squad to|'for' every") > 0


def _lose(reader: Collector) -> None:
    """Keep a word that has no place in the clause: one that says who or where has to be asked about."""
    item, start = reader.item(), reader.at
    clause, before = reader.clause, reader.item(-1) if not fits(reader.item(-1), "det") else reader.item(-2)
    if fits(item, "number", "metres") and reader.distance() is not None:  # `six metres between them`
        asks = reader.ahead("to:from") or fits(before, "'at'")
        (clause.lost if asks else clause.left).append(reader.text(start))
        return
    reader.at += 1
    if not item.means and len(item.text) > 1:
        sent = (
            fits(before, "verb", "light") and reader.ahead("to|dir|verb|area:start") and not (clause.who or clause.full)
        )
        free = not (clause.places or clause.foe or clause.own)
        acts = not (clause.who or clause.acts) and reader.item(-2).word == "the" and reader.ahead("verb|light|to:to")
        taken = free and before.word in TAKEN and reader.item(-2).word == "the"  # `take the hill`
        led = taken or (before.get("to") not in (None, "from") and not clause.places)  # `to the windmill`
        (clause.lost if sent or led or acts else clause.unread).append(item.text)
    elif fits(item, "ordinal") and any(who.part for who in clause.who) and not clause.acts:
        clause.lost.append(item.text)  # `ten shield the first group, five the second`
    elif fits(item, *BINDING, *TELLING) and item.word not in VAGUE:
        clause.lost.append(item.text)
    elif fits(item, "structure", "to") and not _joins(reader):
        clause.loose.append(item.text)


def _joins(reader: Collector) -> bool:
    """Whether the small word just before, which no rule has read, joins what comes, or belongs to what is left out."""
    after = next(each for each in [*reader.items[reader.at :], Item("")] if not fits(each, "noise", "to"))
    out = fits(after, "leftover", "impossible") or (after.text and not after.means)
    return bool(out or any(reader.ahead(pattern, -1) for pattern in JOINED))


PHRASES: tuple[Rule[Collector, object], ...] = (
    Rule("attack the archers in the north (numbers 50 to 59)", "'('", also=_numbered),
    Rule(
        "ten archers to A, the same at B",
        "'the'? 'same' 'again'|'number'* to:to|offset|at|letter",
        _same,
        also=lambda reader: reader.clause.who and reader.clause.places,
    ),
    Rule("the decoy goes to A", "'the' called !feature|name", lambda reader: reader.lose(f"the {reader.item(1).text}")),
    Rule("go to A.", "stop", _stop),
    Rule("go to A, facing west", "leftover", leave),
    Rule(
        "go to A, no, to B",
        "correct|'no'",
        lambda reader: reader.lose(reader.item().text),
        also=lambda reader: reader.ahead("correct") or reader.ahead("'no' ','"),
    ),
    Rule("go to A in a tight wedge", "", also=formation),
    Rule("go to A and wait", "'and'|'&'|'plus'|'but'|'while'", _and, also=lambda reader: not reader.ahead("except")),
    Rule(
        "take out the archers first, with the cavalry",
        "then:first ','? 'with'|$",
        Collector.step_over,
        also=lambda reader: reader.clause.full,
    ),
    Rule("wait 50 ticks, then attack", "then", also=_then),
    Rule("go to A once they come", "when", when, also=lambda reader: not reader.ahead("offset") or _happens(reader)),
    Rule("nobody crosses the river", "", denied, also=lambda reader: reader.denied),
    Rule("nobody crosses the river", "not", deny),
    Rule(
        "the archers are too exposed", "'open_ground'|'in_the_open'|'exposed'|'exposure'|'visible'", Collector.step_over
    ),
    Rule("go to A quietly", "manner", manner, also=is_manner),
    Rule(
        "archers go over the bridges, ten each",
        "number 'each' $",
        _each,
        also=lambda reader: reader.clause.places and reader.clause.who,
    ),
    Rule(
        "attack yourselves",
        "self",
        lambda reader: reader.lose(OWN_SIDE),
        also=lambda reader: {*reader.clause.verbs[-1:]} & {*OF_FOES},
    ),
    Rule(
        "never mind the bridges",
        "think|concede|cannot|amount|leave_out|instead|cancel|forbidden|mind|impossible",
        aside,
    ),
    Rule("split into three squads", "!verb|stop", also=squads),
    Rule(
        "go to A and kill everything",
        "verb:attack all|comer !'there' noise* stop|then",
        _fight_there,
        also=lambda reader: reader.joined and reader.clause.places and {*reader.clause.verbs} <= {"go"},
    ),
    Rule("go to A, shoot only spearmen", "", also=_only),
    Rule("attack", "verb", also=verb),
    Rule(
        "archers go to A and keep twelve paces apart",
        "'about'? number|metres|'within'|'at'",
        also=lambda reader: distance(reader) or ticks(reader),
    ),
    Rule(
        "spears at A, archers 10 behind them",
        "number offset:behind|offset:front",
        also=lambda reader: reader.clause.who and _place(reader),
    ),
    Rule(
        "archers at x 25, 75 and 125, all at y 40",
        "every 'about'|'at'|'on'* y|xs|metres|number",
        Collector.step_over,
        also=lambda reader: reader.clause.places and not reader.ahead("every number !metres"),
    ),
    Rule("archers go to A", "", also=_units),
    Rule("go to A", "", also=_place),
    Rule("go through the East Forest to the bridge, cross it", "verb", take_verb),
    Rule(
        "visit the markers in alphabetical order",
        "alphabet",
        lambda reader: reader.clause.manner.add(str(reader.item().get("alphabet"))),
    ),
    Rule("each bridge gets a squad", "squad", lambda reader: reader.clause.verbs.append("hold"), also=_for_each),
    Rule("fight against the archers", "against", _against),
    Rule("all the archers shoot only at dragons", "'at'", _against, also=lambda reader: reader.noun("type|class")),
    Rule("10 archers each to A and B", "every", _every, also=lambda reader: reader.clause.who),
    Rule("go to the windmill", "", _lose),
)
"""What phrases are read, in the order in which they are tried."""
