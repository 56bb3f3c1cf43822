"""Who: units that were read, taken into a clause as those who act or as its object, and squads."""

from __future__ import annotations

from dataclasses import replace

from hive.players.words.clauses import Who
from hive.players.words.collector import OF_FOES, Collector, Rule, fit
from hive.players.words.cursor import fits
from hive.players.words.units import without

OF_OWN = ("follow", "shield", "gather")
"""Verbs whose object may be others of one's own side."""
OWN_SIDE = "of our own side: nobody attacks them"
TOLD = ("foe", "count", "share", "names", "number")
"""What patterns may say of units besides their base."""
SAID = ("who", "verbs", "places", "own", "acts", "full", "squads")
"""What patterns may say of a clause; its enemies are its `object`."""
ADVERBS = "'only'|'just'|'also'|'simply'|'still'|'all'|'both'|'then'|'themselves'"
"""Words between those who act and their verb."""
SOME_SQUADS = (
    "'into'|'in'|'as'|'of'|'by'|'the'|'several'|'many'|'different'|'even'|'equal'|'more'|'a_number_of'|'some'|'little'"
    "|'small'|'strong'|'large'|'big'*"
)


class _Named:
    """Units that were read last, with the clause that they are named in.

    Traits: `next`: they do what comes next; `ends`: the order ends with them; `further`: they are joined to a clause
    whose verb has its object; `done` and `waits`: the clause has its object, or waits, and its verb is not just before;
    `with` and `by` led to them.
    """

    def __init__(self, reader: Collector, units: tuple[Who, ...]) -> None:
        self.reader, self.units, self.one = reader, units, units[0]
        self.clause = clause = reader.clause
        after = reader.items[reader.began - 1].get("verb")
        both = reader.joined and not reader.comma  # `they attack and the archers go to A`
        acts = reader.ahead(f"{ADVERBS}* verb|light !to") or (both and reader.ahead(f"{ADVERBS}* verb:go to"))
        flags = {
            "object": clause.foe,
            "joined": reader.joined,
            "further": reader.joined and clause.full,
            "next": acts or (reader.comma and reader.ahead("verb:stay|verb:hold")),
            "done": clause.full and not after,
            "waits": clause.when and not after,
            "named": self.one.base != "they",
            "all rest": self.one == Who("rest"),
            "with": reader.led_by("with"),
            "by": reader.led_by("by"),
            "stop": reader.ahead("$"),
            "ends": reader.ahead("$") and reader.at >= len(reader.items) - 1,
        }
        self.traits = {
            self.one.base,
            f"last:{clause.verbs[-1] if clause.verbs else ''}",
            *(name for name in TOLD if getattr(self.one, name)),
            *(name for name in SAID if getattr(clause, name)),
            *(name for name, holds in flags.items() if holds),
        }

    def ahead(self, pattern: str) -> bool:
        """Whether the units fit a pattern."""
        return fit(self.traits, pattern)

    def foes(self) -> list[Who]:
        """Return the enemies that were named last, or all."""
        found = self.reader.found[::-1]
        events = [event for done in found for event in (done.until, done.when) if event]
        named = [each for done in found for each in done.foe if not each.pick]
        named += [each for event in events for each in event.who if each.foe]
        one = named[0] if named else Who("all", foe=True)
        return [replace(one, where=None) if self.clause.places else one]  # `go to A and fight them`: there


def take_units(reader: Collector, units: tuple[Who, ...]) -> None:
    """Take units into the clause as who does it, as its object, or as those of a new clause."""
    reader.first(UNITS, _Named(reader, units))
    reader.joined = False


def _act(said: _Named) -> None:
    said.clause.who = said.units


def _act_too(said: _Named) -> None:
    said.clause.who = (*said.clause.who, *said.units)


def _apiece(said: _Named) -> bool:
    return said.clause.squads > 0 and bool(said.reader.ahead("','? 'each'|'apiece'"))


def _each_squad(said: _Named) -> None:
    said.clause.who = tuple(replace(who, count=(who.count or 0) * said.clause.squads) for who in said.units)
    said.clause.each = said.reader.skip("','? 'each'|'apiece'")


def _act_next(said: _Named) -> None:
    said.reader.begin("and").who = said.units


def _attacked(said: _Named) -> None:
    clause = said.reader.begin("and") if said.ahead(f"places joined !{_LAST_OF_FOES}") else said.clause
    clause.foe += said.units if said.one.foe else [replace(each, foe=True) for each in said.units]


def _rest(said: _Named) -> None:
    said.clause.foe.append(Who("rest" if said.reader.found[:-1] else "all", foe=True))


def _own(said: _Named) -> None:
    said.clause.own = said.units


def _unsure(said: _Named) -> None:
    said.reader.lose(said.reader.text(max(0, said.reader.at - 3)))


def _but(said: _Named) -> None:
    said.clause.who = tuple(without(each, said.one.minus) for each in said.clause.who)
    if said.reader.skip("','? 'who'"):
        said.reader.begin("and").who = said.clause.who[0].minus


def _narrower(said: _Named) -> bool:
    """Whether units say again who acts, and more exactly."""
    one, before = said.one, said.clause.who[0]
    same = said.ahead("count|share") and one.names == before.names
    heads = before.base == "rest" and said.reader.items[said.reader.began - 1].text == ":"  # `the rest: half to A, ...`
    again = one.whole and said.reader.item(-1).word == "all of them"
    return not again and (heads or (before.whole and not one.whole) or one.base == "they" or same)


def _everything(said: _Named) -> bool:
    return said.reader.item(-1).word.startswith(("every", "any", "who", "what")) and said.one == Who("all")


_LAST_OF_FOES = "|".join(f"last:{verb}" for verb in OF_FOES)
_LAST_OF_OWN = "|".join(f"last:{verb}" for verb in OF_OWN)
UNITS: tuple[Rule[_Named, None], ...] = (
    Rule(
        "split into two groups, one to (20, 40), the other to (60, 40)",
        "squads !places !foe",
        _act_next,
        also=lambda said: said.one.count == 1 or said.ahead("number|rest"),
    ),
    Rule("three squads at A, ten archers each", "squads count !who", _each_squad, also=_apiece),
    Rule("archers attack their cavalry", "foe", _attacked),
    Rule(
        "go to their archers and attack them",
        "they !object !next last:attack|last:flank|last:avoid",
        lambda said: said.clause.foe.extend(said.foes()),
    ),
    Rule("archers follow the spearmen", f"{_LAST_OF_OWN} !own !next !further !waits", _own),
    Rule(
        "go to A and kill everything there",
        "last:attack|last:flank all !object !next !with",
        lambda said: said.clause.foe.append(Who("all", foe=True)),
        also=_everything,
    ),
    Rule("when the archers are dead, attack the rest", "last:attack stop all_rest !object !joined", _rest),
    Rule(
        "attack our own archers",
        "last:attack|last:flank !next",
        lambda said: said.reader.lose(OWN_SIDE),
        also=lambda said: said.reader.own_side(),
    ),
    Rule(
        "attack archers and cavalry",
        f"{_LAST_OF_FOES} !next !done !with",
        _attacked,
        also=lambda said: all(each.names or each.count for each in said.units),
    ),
    Rule("the spearmen stay in the south with half of the archers", "who full names stop with", _act_too),
    Rule("archers go to A", "!who !acts", _act),
    Rule("attack with the archers", "!who verbs !further", _act),
    Rule("attack the bridge, with the archers", f"!who {_LAST_OF_FOES} with", _act),
    Rule("defend the bridge, 20 archers", "!who count|share ends", _act),
    Rule("80 men, half of them archers, go to A", "who !acts they count|share", _unsure),
    Rule(
        "the last ten archers are tired, they go to A",
        "who !acts they !count !share !number",
        lambda _: None,
        also=lambda said: not (said.clause.who[0].whole or said.clause.manner),
    ),
    Rule("archers: 10 to A, 5 to B", "who !acts named|joined|next", _act, also=_narrower),
    Rule("kill archers first, then cavalry, spearmen last", "who !acts !they", _act_too),
    Rule("archers kite them", "they !next !joined", also=lambda said: not said.one.part),
    Rule("archers hold except 15 archers, who go to B", "who !names !next", _but, also=lambda s: s.one.minus),
    Rule("archers go to A, cavalry go to B", "", _act_next),
)
"""What becomes of units."""


def squads(reader: Collector) -> bool:
    """Read into how many squads units are split: `three squads`, `in groups`."""
    start = reader.at
    if reader.ahead("verb|$"):
        return False
    reader.skip(SOME_SQUADS)
    inside, count = fits(reader.item(-1), "'into'", "'in'"), reader.count()
    if count and inside and reader.ahead("$|'by'|'and'"):  # `cut us in three`
        reader.clause.squads = count
        return True
    reader.skip("'separate'|'different'|'equal'|'more'|'small'|'big'|'strong'|'large'|'even'|'distinct'|'mixed'*")
    plural = reader.item().word.endswith("s") and not reader.item().word.endswith("ss")
    teams = count and (inside or reader.ahead("teams $|'on'|'at'")) and reader.ahead("teams")
    parts = plural and reader.ahead("squad|area:row|area:column") and (count is not None or reader.ahead("squad"))
    found = bool(teams or parts) and not (reader.ahead("foe", 1) or reader.ahead("foe", 2))
    begun = [item.word for item in reader.items[max(0, start - 1) : start + 1]]
    again = [clause.squads for clause in reader.found if clause.squads > 0 and "the" in begun]
    found = found and (not again or count in again)  # `ten squads to A. The two squads at the ends ...`
    if not found:
        reader.at = start
        return False
    reader.at += 1
    reader.clause.squads = count or -1
    if not count and reader.ahead("'of' number !type|class|all"):  # `in squads of ten`
        reader.at += 1
        reader.clause.squads = -(reader.count() or 1)
    elif count:
        _composed(reader, count)
    return True


def _composed(reader: Collector, count: int) -> None:
    """Read of whom each of some squads is made: `of 3 cavalry`, `, each half archers and half spearmen`."""
    start, first = reader.at, reader.item()
    reader.skip("','? 'of'|'with'|'each'|'each_of'*")
    led = any(fits(item, "'of'", "'each'", "'each_of'") for item in reader.items[start : reader.at])
    units = reader.units()
    apiece = reader.skip("','? 'each'|'apiece'")
    of_types = all(who.names and not who.foe for who in units)
    if fits(first, "'of'") and not units:
        reader.count()
    elif of_types and len({who.count is None for who in units}) == 1 and (led or apiece):
        reader.clause.who = tuple(
            replace(who, count=who.count and who.count * count, share=0.0, each=False) for who in units
        )
    else:
        reader.at = start
