"""Where: places that were read, taken into the clause, or into what was said before them."""

from __future__ import annotations

from dataclasses import replace

from hive.players.words.clauses import Place, Who, combined
from hive.players.words.collector import Collector, Rule, fit
from hive.players.words.cursor import fits

TOLD = ("dir", "of", "numbers", "every", "via")
"""What may be said of a place besides its kind, its value and a distance."""
WIDE = "feature !via !every !of !numbers !bridge !building !water"
"""A feature in which a place may be said; no narrow one."""
SIDES = "n|s|e|w|ne|nw|se|sw"


def _traits(place: Place) -> set[str]:
    """Return what patterns may say of a place: its kind, its value, and what else was said of it."""
    more = {name for name in TOLD if getattr(place, name)}
    return {place.kind, str(place.value), *more} | ({"metres"} if place.metres is not None else set())


class _Named:
    """A place that was read last, with the one before it in its clause, and the enemies.

    Traits besides those of places: `led:` with the word that led to it; `joined` and `comma`: they came before it;
    `and`: without a comma; `end`: its last word; `along`: units move along it; `attack`: its clause is of an attack.
    Of the place before it: `place`: there is one; `attacked`: enemies are named.
    """

    def __init__(self, reader: Collector, place: Place) -> None:
        self.reader, self.clause = reader, reader.clause
        self.last = self.clause.places[-1] if self.clause.places else Place("")
        self.foe = self.clause.foe[-1] if self.clause.foe else Who("")
        before = reader.items[reader.at - 1 :: -1]
        self.lead = next((item for item in before if item.get("to")), reader.items[0]).word  # what led to the place
        self.place = self._meant(place)
        words = [item.word for item in reader.items[max(0, reader.at - 5) : reader.at]]
        attacks = "attack" in self.clause.verbs
        flags = {
            "joined": reader.joined,
            "comma": reader.comma,
            "and": reader.joined and not reader.comma,
            "attack": attacks,
            "along": not {"down", "up", "along"}.isdisjoint(words),
            "end": words[-1] in ("end", "tip"),
        }
        self.traits = _traits(self.place) | {f"led:{self.lead}", *(flag for flag, holds in flags.items() if holds)}
        self.before = _traits(self.last) | ({"place"} if self.last.kind else set())
        self.before |= {"attacked"} if attacks and self.foe.foe else set()

    def ahead(self, pattern: str) -> bool:
        """Whether the place fits a pattern; before `>` there is one of the place before it."""
        before, _, after = pattern.rpartition(" > ")
        return fit(self.traits, after) and (not before or fit(self.before, before))

    def _meant(self, place: Place) -> Place:
        """Return the place as it is meant beside what was said before."""
        half = place.kind == "part" and place.value == "half"
        if half and place.dir and place.metres and not (self.last.kind or place.of):
            return Place("way", place.dir, metres=place.metres)  # `20 metres to the north-east`
        out = "spread" in self.clause.verbs or self.clause.squads
        if out and place.kind == "feature" and self.led_by("round", "around", "around the"):
            return Place("part", "ring", of=(replace(place, via=False),))  # `spread out round the camp`
        before = [each for one in self.reader.found[:-1] for each in one.places][-1:]
        if place.value == "side" and place.dir and not (place.of or self.last.kind) and self.clause.link == "and":
            sides = [each for each in before if each.kind == "part" and each.dir and each.of]
            sides = sides if fits(self.reader.item(-1), "area:side") else []  # not `the east side of the map`
            return replace(sides[0], dir=place.dir) if sides else place  # `one on its south side`
        return place

    def led_by(self, *words: str) -> bool:
        """Whether one of some words led to the place."""
        return self.lead in words

    @property
    def passed(self) -> bool:
        """Whether the place says nothing: `across the field`; `from A to B`."""
        place, clause = self.place, self.clause
        told = {"attack", "spread", "hold"} & {*clause.verbs}
        starts = place.kind == "at" and not (clause.acts or clause.who)
        return place == Place("part", "map") or (place.origin and not (told or starts))

    @property
    def exact(self) -> Place | None:
        """The cell that only says exactly where a place is that was named before it."""
        item, near = self.reader.item(-2), self.ahead("near")
        cell = self.place.of[0] if near else self.place
        about = near or fits(item, "'about'", "'around'", "'say'") or self.led_by("at", "near", "around")
        return cell if about and isinstance(cell, Place) and cell.kind == "at" and not self.ahead("and") else None

    @property
    def anchor(self) -> Place | None:
        """What the place is beside, if it only says where in a feature, named just before it, units go."""
        anchor, last = self.place.of[0], self.last
        if anchor in (Place("same"), Who("they")):  # `over the bridge to the wood north of it`
            before = [each for clause in self.reader.found for each in clause.places if each is not last]
            before = [each.of[0] if each.of and isinstance(each.of[0], Place) else each for each in before]
            anchor = before[-1] if before else anchor
        return anchor if isinstance(anchor, Place) and anchor != last and not anchor.of else None


def take_place(reader: Collector, place: Place) -> None:
    """Take a place into the clause."""
    said = _Named(reader, place)
    if said.passed and place.kind == "at" and not reader.ahead("to|via|then|'and'"):
        reader.lose(f"from {reader.item(-1).text}")
    if not said.passed:
        reader.first(PLACES, said)
        reader.joined = False


def _details(said: _Named) -> bool:
    """Whether a place only says more of the one before it, which becomes that."""
    found = said.reader.first(DETAILS, said) if said.last.kind else None
    if found is not None:
        said.clause.places[-1] = found
    return found is not None


def _on_side(said: _Named) -> Place:
    last, side = said.last, said.place.dir
    if last.kind == "feature" and last.every:  # `each of the bridges on the north-east side`
        return replace(last, dir=combined(last.dir, side))
    side = combined(str(last.value), side) if last.value in ("n", "s", "e", "w") else side
    return Place("beside", side, of=last.of if last.kind == "beside" else (last,), deep=True)


def _by_way(said: _Named) -> Place:
    said.clause.places.insert(-1, Place("beside", said.place.dir, of=(said.last,), via=True))
    return said.last


def _to_that_side(said: _Named) -> Place:
    said.reader.leave("a little to that side")
    return said.last


def _under_trees(said: _Named) -> Place:
    said.clause.manner.add("cover")
    return said.place


def _leave_direction(said: _Named) -> Place:
    said.reader.leave(f"{said.lead} {said.reader.item(-1).text}")
    return said.last


def _this_side(place: Place) -> Place:
    return Place("beside", "this_side", of=(place,))


def _line_at(said: _Named) -> Place:
    said.clause.verbs = ["spread"] if {*said.clause.verbs} <= {"go"} else said.clause.verbs
    return said.place


def _same(said: _Named) -> Place:
    return said.last


DETAILS: tuple[Rule[_Named, Place], ...] = (
    Rule("archers go to the camp, on its east side", "feature|beside !via > part side dir !of", _on_side),
    Rule("go to the bridge, a bit to the north", "feature > part metres dir !of", _to_that_side),
    Rule("go to A, round the south", "part half dir !of led:by|led:from|led:via|led:round", _by_way),
    Rule(
        "archers hold the bridge, at its north end",
        "feature > part edge dir !of end",
        lambda said: replace(said.place, of=(said.last,)),
    ),
    Rule("form our line at y = 60", "part row !of > y|xs !every !joined", _line_at),
    Rule("go home to (15, 20)", "start|home > at|feature|markers !joined", lambda said: said.place),
    Rule(
        "hide in the little wood, at (43, 43)",
        "feature|beside|part !via > at|near",
        lambda said: said.exact or said.place,
        also=lambda said: said.exact,
    ),
    Rule("meet in the middle between A and B", "centre|halfway !of > between !joined", lambda said: said.place),
    Rule("split the troops on all the bridges and make defence there", "same", _same),
    Rule("guard the bridge from our side", "feature !via > home", lambda said: _this_side(said.last)),
    Rule("go west to 16,41", "part !via !of !ring > at !joined", lambda said: said.place),
    Rule(
        "hide in the wood just north of the bridge",
        f"{WIDE} > beside {SIDES} of !and",
        lambda said: replace(said.last, of=(replace(said.place, of=(said.anchor or said.last,)),)),
        also=lambda said: said.anchor,
    ),
    Rule("archers behind them, towards the camp", "behind > feature led:towards|led:toward", _leave_direction),
    Rule("wait under the trees at A", "feature forest > markers led:at|led:near|led:around", _under_trees),
)
"""Places that say more of the one before them, and what that one becomes."""


def _inside(said: _Named) -> bool:
    """Whether enemies are said to be in a place."""
    before = said.reader.items[said.reader.at - 3 : said.reader.at]
    bare = said.place.kind == "part" and not any(item.get("to") for item in before)
    return said.foe.where is None and (bare or said.led_by("in", "at", "on", "near", "around", "by"))


def _attacked(said: _Named) -> None:
    said.clause.foe[-1] = replace(said.foe, where=said.exact or said.place)


def _behind_foe(said: _Named) -> None:
    said.reader.send(replace(said.place, of=(said.foe,)))


def _grid(said: _Named) -> None:
    one, other = (said.last, said.place) if said.last.kind == "xs" else (said.place, said.last)
    xs = one.value if isinstance(one.value, tuple) else ()
    said.clause.places[-1:] = [Place("at", (x, other.value)) for x in xs]
    said.clause.verbs = said.clause.verbs or ["hold"]


def _along(said: _Named) -> None:
    said.reader.send(replace(said.place, value="edge", via=True))


PLACES: tuple[Rule[_Named, None], ...] = (
    Rule("strike the archers in the rear", "attacked > beside behind !of !metres", _behind_foe),
    Rule("archers hold the bridge, at its north end", "", also=_details),
    Rule("archers at x 25, 75 and 125, all at y 40", "xs every > y", _grid),
    Rule("archers at y 40, x 25, 75 and 125", "y > xs every", _grid),
    Rule("archers go down the west side to A", "side dir along", _along),
    Rule("attack them from all sides", "ring attack", lambda said: said.reader.leave("from all sides")),
    Rule("attack them over the water", "water via attack", lambda said: said.reader.leave("over the water")),
    Rule("go to (30, 62) across the river", "place > water via !joined led:across|led:over", lambda _: None),
    Rule("attack the archers in the north", "attacked !place > at|part|feature !via", _attacked, also=_inside),
    Rule("go to the east side", "side", lambda said: said.reader.send(replace(said.place, value="half"))),
    Rule("go to A", "", lambda said: said.reader.send(said.place)),
)
"""What becomes of places."""
