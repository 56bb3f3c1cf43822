"""Clauses to the stages of a plan: who goes where, does what, and waits for which other stage."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

import dsl
from dsl.wording import listing, plural
from hive.ground.places import Vector
from hive.kit.facts import Cell, Ids
from hive.players.words.clauses import STILL, Clause
from hive.players.words.phrases import Event, Place, Units
from hive.players.words.running import unit_ids
from hive.players.words.scene import COMPASS, GAP, Scene, Unclear

LEASH = 10  # metres that units stray from a place that they are not to leave
NEAR = 5  # metres from a place at which units stand there
THERE = 15  # metres from a place at which units have come to it
SPACING = 15  # metres between the squads of a line: about what units see
MOST_SQUADS = 16  # in which units are spread, or stand
BEHAVIOURS = {  # the first that a world has, by what is wanted, for those who fight close and from afar
    "fight": (("attack_in_close_range", "attack_and_move"), ("attack_in_long_range", "attack_and_move")),
    "go": (("attack_and_move",), ("attack_in_long_range", "attack_and_move")),
    "hold": (("hold", "attack_and_move"), ("attack_in_long_range", "hold", "attack_and_move")),
    "stay": (("hold", "attack_and_move"), ("hold", "attack_in_long_range", "attack_and_move")),
    "distance": (("attack_in_long_range",), ("attack_in_long_range",)),
    "close": (("attack_in_close_range",), ("attack_in_close_range",)),
    "peace": (("follow_map",), ("follow_map",)),
    "stand": (("stand",), ("stand",)),
}


@dataclass(eq=False)
class Squad:
    """Units of a stage with a place and a behaviour, maybe behind another squad."""

    ids: Ids
    cell: Cell
    behaviour: str
    types: tuple[str, ...] = ()
    leash: int | None = None
    cover: bool = False
    front: Squad | None = None
    gap: int = GAP


@dataclass(eq=False)
class Stage:
    """A step of the plan before it is written: what it waits for are numbers of earlier stages."""

    squads: list[Squad]
    after: set[int] = field(default_factory=set)
    objective: dsl.Objective = field(default_factory=dsl.Position)
    fixed: bool = False  # whether its objective was said
    whole: bool = False  # whether it was said of everyone
    until: set[int] = field(default_factory=set)  # what else has to be over before what comes after it

    def units(self) -> set[int]:
        """All units of the stage."""
        return {unit for squad in self.squads for unit in squad.ids.tolist()}


class Writer:
    """The stages of an order, clause by clause."""

    def __init__(self, scene: Scene) -> None:
        """Begin without stages."""
        self.scene, self.stages, self.before = scene, list[Stage](), set[int]()
        self.everyone = np.nonzero(scene.facts.own.alive)[0]

    def carry_out(self, clause: Clause) -> tuple[list[int], Ids]:
        """Carry out a clause; return the numbers of its stages, and its units.

        Raises:
            Unclear: It cannot be carried out.
        """
        scene, count = self.scene, len(self.stages)
        they = scene.groups[-1] if scene.groups else self.everyone
        if clause.when and clause.when.who == (Units(),) and clause.when.kind == "arrive" and not clause.who:
            clause.who = clause.when.who  # `once all are there, attack`
        who = self._apiece(clause, they)
        ids = scene.units(who) if who else they
        unsure = clause.verb == "gather" or (clause.fresh and (clause.link == "then" or clause.verb == "attack"))
        if not who and unsure and any(len(np.setxor1d(group, they)) for group in scene.groups):
            raise Unclear(f"`{clause.text}`: all who were named, or who else?")
        after = self.last_of(ids) | (self.before if clause.link == "then" else set())
        if who and who[0].base != "they" and not (clause.fresh or clause.link == "then" or clause.when):
            after = self._set_apart(clause, who[0].whole, ids, after)
        if clause.when is not None:
            fights = {n for n in after if isinstance(self.stages[n].objective, dsl.Elimination)}
            after = self._awaited(clause.when, ids, after - (fights if clause.when.kind == "arrive" else set()))
        if not self._fight_there(clause, ids):
            self._act(clause, ids, after)
        if clause.until is not None:
            self._until(clause, ids, count)
        if who:
            scene.name(who, ids)
        for stage in self.stages[count:]:
            stage.whole = not who or who[0].whole
        for place in clause.places:
            again = place.kind in ("same", "way", "row") or any(getattr(of, "kind", "") == "same" for of in place.of)
            scene.heard = scene.heard if again else place
        self.before = self.last_of(ids) if len(self.stages) > count else self.before
        return [*range(count, len(self.stages))] or sorted(self.last_of(ids)), ids

    def _set_apart(self, clause: Clause, whole: bool, ids: Ids, after: set[int]) -> set[int]:
        """Take units out of what was said of everyone, and return what they wait for: `everyone to A, archers to B`.

        Raises:
            Unclear: They have another order already.
        """
        if not (clause.places if whole else clause.full or clause.verb in STILL):
            return after
        over = set[int]() if whole else {n for n in after if self.stages[n].whole and not self.stages[n].fixed}
        for number in over:
            after = after - {number} | self.stages[number].after
        clash = after if whole else {n for n in after if not self.stages[n].fixed}
        if clash or any(self.stages[n].units() <= {*ids.tolist()} for n in over):
            raise Unclear(f"`{clause.text}`: some of them have an order already. What is each of them to do?")
        self._take_out(ids, over)
        return after

    def _apiece(self, clause: Clause, they: Ids) -> tuple[Units, ...]:
        """Return the units of a clause; `20 archers at each corner` are 20 for each of them."""
        each = clause.each or any(place.every for place in clause.places)
        if each and any(one.count == 1 and not one.types for one in clause.who):
            raise Unclear(f"`{clause.text}`: how many units are that at each place?")
        if not (each and clause.who and all(one.count or one.share for one in clause.who)):
            return clause.who
        spots = sum(len(self.scene.cells(place, self.scene.middle(they))) for place in clause.places)
        return tuple(
            replace(one, count=one.count and one.count * spots, share=min(1.0, one.share * spots)) for one in clause.who
        )

    def last_of(self, ids: Ids) -> set[int]:
        """Return the last stages of some units."""
        mine, found = set(ids.tolist()), set()
        for number in range(len(self.stages) - 1, -1, -1):
            if shared := mine & self.stages[number].units():
                found.add(number)
                mine -= shared
        return found

    def _take_out(self, ids: Ids, stages: Iterable[int]) -> None:
        """Take units out of some stages."""
        for squad in (squad for number in stages for squad in self.stages[number].squads):
            squad.ids = np.setdiff1d(squad.ids, ids)

    def add(self, squads: list[Squad], after: set[int], objective: dsl.Objective | None = None) -> int:
        """Add a stage and return its number."""
        after = after.union(*(self.stages[number].until for number in after))
        self.stages.append(Stage(squads, after, objective or dsl.Position(), objective is not None))
        self.scene.spots |= {unit: squad.cell for squad in squads for unit in squad.ids.tolist()}
        return len(self.stages) - 1

    def squads(
        self, ids: Ids, cell: Cell, clause: Clause, wanted: str, types: tuple[str, ...] = (), back: Vector | None = None
    ) -> list[Squad]:
        """Return units at a place as squads of one behaviour each.

        Args:
            ids: The units.
            cell: The place.
            clause: What was said of how they act.
            wanted: What they do if nothing was said.
            types: Whom they attack; empty: all.
            back: In which direction those who fight from afar stand behind others; None: all stand together.
        """
        scene, context, said = self.scene, self.scene.facts.context, clause.manner
        how = next((each for each in ("peace", "distance", "close") if each in said and wanted != "stand"), wanted)
        how = "peace" if "cover" in said and how == "go" else how  # whoever is not to be seen does not fight on the way
        kinds = np.array(scene.facts.own.types)
        mixed = len({scene.range_of(kind) for kind in kinds[ids]}) > 1
        found: dict[tuple[str, Cell], list[int]] = {}
        for kind in dict.fromkeys(kinds[ids].tolist()):
            mine, ranged = ids[kinds[ids] == kind], scene.range_of(kind) == "ranged"
            deed = "peace" if kind == "civilian" else how
            walks = (
                deed in ("hold", "stay") and clause.places and math.dist(scene.middle(mine), cell) > NEAR
            )  # `hold` never steps
            names = BEHAVIOURS["go" if walks else deed][ranged]
            name = next((each for each in names if each in context.behaviours), None)
            if name is None:
                raise Unclear(f"Units of this world cannot {how}: they know {listing(context.behaviours, 'and')}.")
            place = cell
            if back is not None and mixed and ranged:
                place = scene.terrain.near((cell[0] + back[0] * GAP, cell[1] + back[1] * GAP))
            found.setdefault((name, place), []).extend(mine.tolist())
        limit = clause.leash or (LEASH if how in ("hold", "stay") or "leash" in said else None)
        able = ("attack_and_move", "attack_in_close_range", *(("attack_in_long_range",) if clause.leash else ()))
        cover = "cover" in said and "under cover" in context.orders
        return [
            Squad(
                np.sort(units), place, name, types if name.startswith("attack") else (),
                limit if name in able and "within" in context.orders else None, cover,
            )
            for (name, place), units in found.items()
        ]  # fmt: skip

    def parts(self, ids: Ids, count: int) -> list[Ids]:
        """Return units in so many parts with an equal share of each type, low ids first."""
        kinds = np.array(self.scene.facts.own.types)[ids]
        split = [np.array_split(ids[kinds == kind], count) for kind in dict.fromkeys(kinds.tolist())]
        return [np.sort(np.concatenate([each[number] for each in split])) for number in range(count)]

    # ---- deeds

    def _fight_there(self, clause: Clause, ids: Ids) -> bool:
        """Let units fight at the place to which they are sent: `go to A and kill everything`."""
        bare = clause.verb == "attack" and clause.link == "and" and not (clause.places or clause.when)
        last, only = [n for n in self.last_of(ids) if not self.stages[n].fixed], "only" in clause.manner
        if not (bare and last and (only or all(foe.whole for foe in clause.foe))):
            return False
        near = self.scene.middle(ids)
        foes = [self.scene.foes(foe, near) for foe in clause.foe if foe.types]
        types = self.scene.foe_types(unit for each in foes for unit in each)
        for stage in (self.stages[n] for n in last):
            fights = [(squad, self.squads(squad.ids, squad.cell, clause, "fight")) for squad in stage.squads]
            for squad, new in fights:
                if len(np.intersect1d(squad.ids, ids)):
                    squad.behaviour, squad.types = new[0].behaviour, types
        return True

    def _act(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        verb, places = clause.verb, clause.places
        if verb == "follow" and not (clause.own or places) and clause.when:  # `the rest follow once they are there`
            places.append(Place("same"))
        if "peace" in clause.manner and verb in ("attack", "flank"):
            raise Unclear(f"`{clause.text}` asks for two things that exclude each other: which of them?")
        if verb == "resume":
            raise Unclear(f"`{clause.text}`: nothing was ordered before.")
        if verb in STILL and self.scene.groups:  # `spearmen to A, cavalry stay 20 m back`
            places = [
                replace(p, kind="beside", value="behind") if p.metres and p.value == "back" else p for p in places
            ]
        beside = [p for p in places if p.kind == "beside" and p.value in ("behind", "front") and _own(p)]
        if verb == "match":
            self._match(clause, ids, after)
        elif (beside or clause.own) and any(place not in beside for place in places):
            raise Unclear(f"`{clause.text}`: behind them, or at the place that is named?")
        elif beside or clause.own:
            self._behind(clause, (beside or [Place("beside", "behind", of=clause.own)])[0], ids, after)
        elif any(place.kind in ("row", "line") for place in places) or (
            [place.kind for place in places] == ["y"] and (verb in ("spread", "hold") or len(ids) > 1)
        ):
            self._spread(clause, ids, after)
        elif not self._share_out(clause, ids, after):
            self._move(clause, ids, after)

    def _move(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        scene, verb, near = self.scene, clause.verb, self.scene.middle(ids)
        if verb in ("attack", "flank") or (clause.foe and verb != "avoid" and "peace" not in clause.manner):
            self._attack(clause, ids, after)
        elif verb == "avoid" and not (clause.foe and clause.places):
            raise Unclear(f"`{clause.text}`: no plan keeps units out of a place. Say where they go instead.")
        elif verb == "retreat":
            cells = [cell for place in clause.places if not place.via for cell in scene.cells(place, near)]
            peace = replace(clause, manner=clause.manner | {"peace"})
            self._go(peace, cells or [scene.behind(near, 40)], ids, after)
        elif clause.places or verb == "hide":
            self._go(clause, [], ids, after)
        elif verb in ("hold", "stay", "stand", "gather"):
            self._stay(clause, ids, after)
        elif verb or not clause.manner:
            raise Unclear(f"`{clause.text}`: where to? {scene.places()}")

    def _go(self, clause: Clause, cells: list[Cell], ids: Ids, after: set[int]) -> None:
        """Units go to places one after the other, and hold the last one if so said."""
        scene, near = self.scene, self.scene.middle(ids)
        places = clause.places or [Place("feature", "forest")]
        ends = [place for place in places if not place.via]
        if len(ends) > 1 and "in_turn" not in clause.manner and any(p.kind in ("part", "beside") for p in ends[:-1]):
            raise Unclear(
                f"`{clause.text}`: to these places one after the other, or is one of them where the other is?"
            )
        if len(ends) == 1:
            places = sorted(places, key=lambda place: not place.via)  # `to B via A`
        elif all(place.via for place in places) and places[-1].kind == "feature":  # `over the bridge` ends beyond it
            places = [*places[:-1], Place("beside", "far_side", of=(places[-1],))]
        if clause.verb in ("hide", "avoid"):
            clause = replace(clause, manner=clause.manner | {"peace"})
        for place in () if cells else places:
            if place.kind == "way" and place.value == "back" and place.metres is None:  # `come back`
                near = tuple(scene.facts.own.position[ids].mean(0))
                place = Place("at", scene.terrain.near(near))
            cells += [cell for cell in scene.cells(place, near) if cells[-1:] != [cell]]
            near = cells[-1]
        wanted = {"hide": "hold", "gather": "go"}.get(clause.verb, clause.verb if clause.verb in STILL else "go")
        for number, cell in enumerate(cells):
            last = number == len(cells) - 1 and clause.verb != "stand"
            after = {self.add(self.squads(ids, cell, clause, wanted if last else "go"), after)}
        if clause.verb == "stand":
            self.add(self.squads(ids, cells[-1], clause, "stand"), after)

    def _stay(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        """Units stay where they are, or gather in their middle."""
        verb, rest = clause.verb, bool(clause.who) and clause.who[0].base in ("rest", "others")
        if verb == "gather":
            cell = self.scene.terrain.near(self.scene.middle(ids))
            self.add(self.squads(ids, cell, clause, "go"), after)
        elif not after or clause.until or clause.when or verb == "stand" or clause.link == "then":
            self.add(
                self._here(ids, clause, "stand" if verb == "stand" or (verb == "stay" and rest) else "stay"), after
            )

    def _here(self, ids: Ids, clause: Clause, wanted: str) -> list[Squad]:
        """Return units as squads where they stand, or will stand."""
        near, middle = self.scene.terrain.near, self.scene.middle
        return [squad for part in self._grouped(ids) for squad in self.squads(part, near(middle(part)), clause, wanted)]

    def _grouped(self, ids: Ids) -> list[Ids]:
        """Return units in groups that stand, or will stand, together; all of them where there are many such groups."""
        spots, size = dict[Cell, list[int]](), max(15, self.scene.size // 8)
        for unit in ids.tolist():
            known = self.scene.spots.get(unit)
            x, y = known or self.scene.facts.own.position[unit] // size
            spots.setdefault((int(x), int(y)), []).append(unit)
        return [np.array(units) for units in spots.values()] if len(spots) <= MOST_SQUADS else [ids]

    def _behind(self, clause: Clause, place: Place, ids: Ids, after: set[int]) -> None:
        """Units stay so far behind others of their side, who lead them where they go, or before them."""
        scene, of = self.scene, [each for each in place.of if isinstance(each, Units)]
        groups = [group for group in scene.groups if len(np.setdiff1d(group, ids))]
        named = of and of[0].base != "they"
        leaders = np.setdiff1d(scene.units(of) if named else groups[-1] if groups else ids, ids)
        if not len(leaders):
            raise Unclear(f"Behind whom are {scene.who(ids)} to stay?")
        gap = place.metres if place.metres is not None else clause.leash or GAP
        clause, front = replace(clause, leash=None), place.value == "front" or clause.verb == "shield"
        stages = sorted(self.last_of(leaders))
        if front or after - set(stages) or not stages or "behind" not in scene.facts.context.orders:
            cell = scene.behind(scene.middle(leaders), -gap if front else gap)
            self.add(self.squads(ids, cell, clause, "hold"), after)
            return
        self._take_out(ids, stages)
        fronts = [
            (n, squad) for n in stages for squad in self.stages[n].squads if len(np.intersect1d(squad.ids, leaders))
        ]
        for (number, ahead), part in zip(fronts, self.parts(ids, len(fronts)), strict=True):
            for squad in self.squads(part, ahead.cell, clause, "hold") if len(part) else ():
                squad.front, squad.gap = ahead.front or ahead, gap + (ahead.gap if ahead.front else 0)
                squad.leash, squad.cover = None, False
                self.stages[number].squads.append(squad)
                scene.spots |= dict.fromkeys(squad.ids.tolist(), scene.behind(ahead.cell, squad.gap))

    def _share_out(self, clause: Clause, ids: Ids, after: set[int]) -> bool:
        """Share units out over places, each with units of every type, if a clause says so."""
        scene, verb, places, near = self.scene, clause.verb, clause.places, self.scene.middle(ids)
        over = verb in ("split", "spread", "hold") or clause.squads  # `split over all bridges`
        cells = [cell for place in places if over or not place.via for cell in scene.cells(place, near)]
        each = clause.each or any(place.every for place in places) or bool(clause.squads)
        if clause.squads and not places:
            raise Unclear(f"`{clause.text}`: where is each of them to go? {scene.places()}")
        if verb == "spread" and len(cells) < 2:
            raise Unclear(f"`{clause.text}`: from where to where? Say it as in `from (20, 40) to (90, 40)`.")
        if len(cells) > 1 and verb == "" and places[0].kind == "at" and not (each or clause.manner):
            raise Unclear(f"`{clause.text}`: one after the other, or some units to each of these places?")
        if len(cells) < 2 or not (each or verb in ("hold", "spread", "split", "stay")):
            return False
        if clause.manner & {"peace", "in_turn", "cover"}:
            return False
        squads = clause.squads if clause.squads > 1 else len(ids)
        if len(cells) > min(squads, len(ids)):
            parties = plural(squads, "squad" if clause.squads > 1 else "unit")
            raise Unclear(f"{parties} cannot be at {len(cells)} places: which of them?")
        self._post([(cell, scene.back(cell)) for cell in self._near_ends(cells)], clause, ids, after)
        return True

    def _near_ends(self, cells: Sequence[Cell]) -> list[Cell]:
        """Return cells with those of bridges moved to the side that is ours."""
        scene, facts = self.scene, self.scene.facts
        home = facts.guarded or tuple(facts.own.position[facts.own.alive].mean(0))
        bridges = {each.place: each for each in facts.features if each.kind == "bridge"}
        return [scene.landing(bridges[cell], home, far=False) if cell in bridges else cell for cell in cells]

    def _post(self, posts: Sequence[tuple[Vector, Vector]], clause: Clause, ids: Ids, after: set[int]) -> None:
        """Share units out over posts, each with the direction of those who fight from afar."""
        parts = self.parts(ids, len(posts))
        near = self.scene.terrain.near
        wanted = "stand" if clause.verb == "stand" else "hold"
        self.add([s for (at, back), part in zip(posts, parts, strict=True) if len(part)
                  for s in self.squads(part, near(at), clause, wanted, back=back)], after)  # fmt: skip

    def _spread(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        """Spread units along a line, in squads of every type; those who fight from afar stand behind."""
        scene, last = self.scene, self.scene.size - 1
        lines = [each for kind in ("line", "y", "row") for each in clause.places if each.kind == kind]
        if others := [each for each in clause.places if each not in lines]:
            raise Unclear(f"`{clause.text}`: is the line at {scene.cells(others[0], (0, 0))[0]}, or elsewhere?")
        if clause.verb in ("attack", "retreat", "flank"):
            raise Unclear(f"`{clause.text}`: is everyone to go along the line, or to stand on it?")
        place, y = lines[0], last / 2
        y = float(str(place.value)) if place.kind == "y" else y * (1 + 0.67 * COMPASS.get(place.dir, (0, 0))[1])
        a, b = scene.cells(place, (0, 0)) if place.kind == "line" else ((0.0, y), (float(last), y))
        count = clause.squads if clause.squads > 0 else max(2, round(math.dist(a, b) / SPACING))
        count = min(count, MOST_SQUADS, len(ids))
        steps = [(n + 0.5) / count for n in range(count)]
        dx, dy = scene.back(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2))
        along = abs(b[0] - a[0]) >= abs(b[1] - a[1])
        back = (0.0, math.copysign(1, dy) if dy else -1.0) if along else (math.copysign(1, dx) if dx else -1.0, 0.0)
        self._post([((a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])), back) for s in steps], clause, ids, after)

    def _match(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        """Send each type against the type that it beats; those whose enemy stands farther wait for the others."""
        scene, kinds = self.scene, np.array(self.scene.facts.own.types)
        theirs, alive = np.array(scene.facts.foe.types), scene.facts.foe.alive
        pairs = [(mine, np.nonzero(alive & (theirs == their))[0], their) for mine, their in scene.facts.beats
                 if (kinds[ids] == mine).any() and (alive & (theirs == their)).any()]  # fmt: skip
        if not pairs:
            raise Unclear("No type of your army beats a type of the enemy here.")
        here, first = scene.middle(ids), set[int]()
        pairs.sort(key=lambda pair: math.dist(here, scene.foe_middle(pair[1])))
        nearest = math.dist(here, scene.foe_middle(pairs[0][1]))
        for mine, foes, their in pairs:  # the way to those who stand farther leads past the others
            part, at = ids[kinds[ids] == mine], scene.foe_middle(foes)
            squads = self.squads(part, scene.terrain.near(at), clause, "fight", types=(their,))
            later, waits = math.dist(here, at) > 1.2 * nearest, after
            share = 1 - (scene.facts.sight + 12) / math.dist(here, at)
            if later:
                waits = after | first
            if later and share > 0:  # a long way strings units out: they gather out of sight
                x, y = (a + share * (b - a) for a, b in zip(here, at, strict=True))
                waits = {self.add(self.squads(part, scene.terrain.near((x, y)), clause, "go"), waits)}
            number = self.add(squads, waits, self._death(foes))
            first |= set() if later else {number}

    def _attack(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        """Units go where the enemies stand that are meant until these are dead, or to the place that is named."""
        scene, near = self.scene, self.scene.middle(ids)
        meant = clause.foe or (Units(foe=True),)
        foes = scene.all_foes(meant, near)
        types = scene.foe_types(foes) if all(foe.types for foe in meant) else ()
        scene.foe = meant[0] if meant[0].base == "all" else scene.foe
        cells = [cell for place in clause.places for cell in scene.cells(place, near)]
        ids = ids[np.array(scene.facts.own.types)[ids] != "civilian"] if not clause.who else ids
        if clause.verb == "flank" and any(foe.at for foe in clause.foe):
            raise Unclear(f"`{clause.text}`: from which side? Say where they go, and then whom they attack.")
        if not len(ids):
            raise Unclear(f"`{clause.text}`: who is to attack? You have {scene.army(scene.facts.own)}.")
        for cell in cells if clause.foe else cells[:-1]:
            after = {self.add(self.squads(ids, cell, clause, "go"), after)}
        if clause.verb == "flank" and not cells:
            after = {self.add(self.squads(ids, self._side(foes, near), clause, "go"), after)}
        if cells and not clause.foe:  # `charge to (75, 60)`
            self.add(self.squads(ids, cells[-1], clause, "fight", types), after)
            return
        squads = self.squads(ids, scene.terrain.near(scene.foe_middle(foes)), clause, "fight", types)
        self.add(squads, after, self._death(foes))

    def _side(self, foes: Ids, near: Vector) -> Cell:
        """Return a cell at the nearer side of some enemies, out of their sight."""
        scene, at = self.scene, self.scene.facts.foe.position[foes]
        (x, y), wide = at.mean(0), np.ptp(at, axis=0) / 2 + scene.facts.sight + 3
        ways = [(0, 1), (0, -1)] if abs(x - near[0]) > abs(y - near[1]) else [(1, 0), (-1, 0)]
        spots = [(x + dx * wide[0], y + dy * wide[1]) for dx, dy in ways]
        inside = [spot for spot in spots if min(spot) >= 0 and max(spot) < scene.size] or spots
        return scene.terrain.near(min(inside, key=lambda spot: math.dist(spot, near)))

    def _death(self, foes: Ids) -> dsl.Elimination:
        return dsl.Elimination(listed(foes, len(self.scene.facts.foe.types)))

    # ---- what is waited for

    def _awaited(self, event: Event, ids: Ids, after: set[int]) -> set[int]:
        """Return the stages that some units wait for: those that end with an event."""
        if event.kind == "arrive":
            return after | self._arrivals(event, ids)
        own = event.who and not (event.who[0].foe or event.who[0].whole)
        watched = self.scene.units(event.who) if own else ids
        objective, ready = self.objective(event, ids), self.last_of(watched)
        same = {n for n, stage in enumerate(self.stages) if stage.objective == objective}
        if same and event.kind == "dead":
            return after | same
        if ready and not isinstance(objective, dsl.Time) and not any(self.stages[n].fixed for n in ready):
            for number in ready:  # they go on with what they did until then
                self.stages[number].objective, self.stages[number].fixed = objective, True
            return after | ready
        return after - ready | {self.add(self._here(watched, Clause(), "stay"), ready, objective)}

    def _arrivals(self, event: Event, ids: Ids) -> set[int]:
        """Return the stages after which units have arrived; who was sent nowhere is sent to the place that is named.

        Raises:
            Unclear: They were sent nowhere, or somewhere else.
        """
        scene, named = self.scene, event.who[0].base != "they"
        whom = scene.units(event.who) if named else scene.groups[-1] if scene.groups else ids
        ready, place = self.last_of(whom), event.place
        there = scene.cells(place, scene.middle(whom)) if place else []
        cells = [squad.cell for n in ready for squad in self.stages[n].squads]
        ready = ready if not there or any(math.dist(a, b) < THERE for a in cells for b in there) else set()
        if not ready and there and not event.who[0].whole:
            ready = {self.add(self.squads(whom, there[0], Clause(), "go"), self.last_of(whom))}
        if not ready:
            raise Unclear(f"Nobody was sent there before: whose arrival is waited for? You have {scene.who(ids)}.")
        share = event.share or event.amount / max(1, len(whom))
        for number in ready if share else ():
            self.stages[number].objective = dsl.Arrival(min(100, math.ceil(100 * share)))
            self.stages[number].fixed = True
        return ready

    def objective(self, event: Event, ids: Ids) -> dsl.Objective:
        """Return what a step must reach for an event.

        Raises:
            Unclear: No plan of this world can wait for it.
        """
        scene, whole = self.scene, self.scene.facts.foe.alive.sum() if event.kind == "enemy losses" else len(ids)
        share = event.share or event.amount / max(1, int(whole))
        found: dsl.Objective = dsl.Sighted()
        if event.kind == "dead":
            whom = event.who or (scene.foe or Units(foe=True),)
            found = self._death(scene.all_foes(whom, scene.middle(ids)))
        elif event.kind == "ticks":
            found = dsl.Time(max(1, event.amount))
        elif event.kind in ("losses", "enemy losses"):
            if not 0 < share <= 1:
                raise Unclear("After how many losses? Say `after losses of 30%`, `once 10 enemies are dead`.")
            percent = min(100, math.ceil(100 * share - 1e-9))
            found = dsl.Losses(percent) if event.kind == "losses" else dsl.EnemyLosses(percent)
        if found.word not in (known := scene.facts.context.objectives):
            raise Unclear(f"No plan of this world can wait for that: objectives are {listing(known, 'and')}.")
        return found

    def _until(self, clause: Clause, ids: Ids, first: int) -> None:
        """Let the last stage of a clause end with what was said."""
        event = clause.until
        assert event is not None
        others = event.who and not event.who[0].foe and event.who[0].base != "they"
        if event.kind == "arrive" and not others and clause.places:
            return  # `go to A until you are there`
        if event.kind == "arrive":
            ready = self._awaited(event, ids, set())
            for number in self.last_of(ids):
                self.stages[number].until |= ready
            return
        if len(self.stages) == first:
            self._stay(replace(clause, verb="stay"), ids, self.last_of(ids))
        stage, objective = self.stages[-1], self.objective(event, ids)
        if isinstance(objective, dsl.Time) and clause.places:
            raise Unclear(f"`{clause.text}`: from now on, or once they are there?")
        stage.objective, stage.fixed = objective, True

    # ---- the plan, and lines of an answer

    def plan(self, first: int) -> tuple[dsl.Step, ...]:
        """Return the steps of the stages, numbered from `first`; what nobody waits for lasts until the end."""
        facts, whole = self.scene.facts, len(self.scene.facts.own.types)
        waited = set[int]().union(*(stage.after for stage in self.stages if any(len(s.ids) for s in stage.squads)))
        for number, stage in enumerate(self.stages):
            stage.squads = [squad for squad in stage.squads if len(squad.ids)]
            idle = [
                n
                for n in stage.after
                if all(s.behaviour == "stand" for s in self.stages[n].squads) and not self.stages[n].fixed
            ]
            for n in idle:  # who stands reaches no place
                stage.after = stage.after - {n} | self.stages[n].after
            peace = all(squad.behaviour == "follow_map" for squad in stage.squads)
            ends = isinstance(stage.objective, dsl.Elimination) or not (stage.fixed or peace)
            if number not in waited and ends and len(facts.foe.types) and "elimination" in facts.context.objectives:
                stage.objective = dsl.Elimination(dsl.UnitList(None))
        numbers = {n: first + at for at, n in enumerate(n for n, stage in enumerate(self.stages) if stage.squads)}
        steps = list[dsl.Step]()
        for n, name in numbers.items():
            stage = self.stages[n]
            groups = tuple(
                dsl.Group(
                    listed(one.ids, whole), one.cell, one.behaviour, one.types, one.leash, one.cover,
                    behind=dsl.Behind(stage.squads.index(one.front), one.gap) if one.front in stage.squads else None,
                )
                for one in stage.squads
            )  # fmt: skip
            after = tuple(sorted({numbers[each] for each in stage.after if each in numbers}))
            steps.append(dsl.Step(name, after, stage.objective, groups))
        return tuple(steps)


def _own(place: Place) -> bool:
    return all(isinstance(each, Units) and not each.foe for each in place.of)


def listed(ids: Ids, whole: int) -> dsl.UnitList:
    """Return ids as a list of a plan: `all`, or single ids and slices."""
    if len(ids) == whole:
        return dsl.UnitList(None)
    return unit_ids(ids)
