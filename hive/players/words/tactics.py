"""Clauses to stages of a plan: what each group of units does where, and what it waits for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

import dsl
from dsl.id_ranges import ranges, unit_list
from dsl.source import NO_SPAN
from dsl.wording import listing, plural, unit_words
from hive.ground.ways import Vector
from hive.kit.facts import Cell, Ids, Mask
from hive.players.words.clauses import Clause, Event, Foe, Place, Who
from hive.players.words.scene import COMPASS, GAP, NAMED, Scene, Unclear, Vague

SPACING = 15  # metres between the squads of a line: about what units see
MOST_SQUADS = 16
LEASH = 10  # metres that units stray from a place that they are not to leave

BEHAVIOURS = {  # the first that a world has, by what is wanted and how a type fights
    ("fight", "melee"): ("attack_in_close_range", "attack_and_move"),
    ("fight", "ranged"): ("attack_in_long_range", "attack_and_move"),
    ("go", "melee"): ("attack_and_move",),
    ("go", "ranged"): ("attack_in_long_range", "attack_and_move"),
    ("hold", "melee"): ("hold", "attack_and_move"),
    ("hold", "ranged"): ("attack_in_long_range", "hold", "attack_and_move"),
    ("stay", "melee"): ("hold", "attack_and_move"),
    ("stay", "ranged"): ("hold", "attack_in_long_range", "attack_and_move"),
    ("distance", "melee"): ("attack_in_long_range",),
    ("distance", "ranged"): ("attack_in_long_range",),
    ("close", "melee"): ("attack_in_close_range",),
    ("close", "ranged"): ("attack_in_close_range",),
    ("peace", "melee"): ("follow_map",),
    ("peace", "ranged"): ("follow_map",),
    ("stand", "melee"): ("stand",),
    ("stand", "ranged"): ("stand",),
}
DOES = {
    "fight": "fight what they see", "go": "go, fighting what is in reach", "hold": "hold, fighting",
    "stay": "stay, fighting what comes", "distance": "fight from a distance", "close": "fight at close range",
    "peace": "ignore the enemy", "stand": "stand and do nothing",
}  # fmt: skip
CONTRARY = (
    ({"hold", "stay", "stand"}, {"retreat"}), ({"attack"}, {"retreat"}), ({"hide"}, {"attack"}),
    ({"stay", "stand"}, {"attack", "go"}),
)  # fmt: skip


@dataclass
class Squad:
    """Units of a stage with a place and a behaviour."""

    ids: Ids
    cell: Cell
    behaviour: str
    types: tuple[str, ...] = ()
    leash: int | None = None


@dataclass
class Stage:
    """A step of the plan before it is written: what it waits for are numbers of earlier stages."""

    squads: list[Squad]
    after: set[int] = field(default_factory=set)
    objective: dsl.Objective = field(default_factory=dsl.Position)
    ends: bool = False  # whether its objective was said, or is that of an attack

    def units(self) -> set[int]:
        """All units of the stage."""
        return {unit for squad in self.squads for unit in squad.ids.tolist()}


class Tactics:
    """The stages of an order, clause by clause."""

    def __init__(self, scene: Scene, manners: Sequence[tuple[set[int], set[str]]]) -> None:
        """Begin without stages.

        Args:
            scene: The game.
            manners: How some units act in all that they do.
        """
        self.scene, self.manners = scene, manners
        self.stages: list[Stage] = []
        self.before: set[int] = set()  # stages of the last clause that others may follow
        self.notes: list[str] = []
        self.awaited = ""  # what the present clause waits for, in words
        self.subject = np.zeros(0, int)  # of the present clause
        self.holding = False  # whether the last clause lets units stay where they are sent
        self.matched: Ids | None = None
        self.shared: Ids | None = None  # units that were shared out over features

    # ---- what units do

    def how(self, ids: Ids, clause: Clause, wanted: str) -> str:
        """Return what units do on the way and at a place: what was said of them wins over what is usual."""
        said = set(clause.manner)
        for units, how in self.manners:
            if units >= set(ids.tolist()):
                said |= how
        if wanted == "fight" and "peace" not in clause.manner:
            said.discard("peace")
        for manner in ("peace", "distance", "close"):
            if manner in said and wanted != "stand":
                return manner
        return wanted

    def squads(
        self,
        ids: Ids,
        cell: Cell,
        how: str,
        types: tuple[str, ...] = (),
        behind: int = 0,
        back: Vector | None = None,
        near: bool = False,
    ) -> list[Squad]:
        """Return units at a place as squads of one behaviour each; those who fight from afar may stand behind."""
        known = self.scene.facts.context.behaviours
        found: dict[tuple[str, Cell], list[int]] = {}
        kinds = self.scene.facts.own.types
        mixed = len({self.scene.range_of(kinds[unit]) for unit in ids.tolist()}) > 1
        for unit in ids.tolist():
            reach = self.scene.range_of(kinds[unit])
            name = next((name for name in BEHAVIOURS[how, reach] if name in known), None)
            if name is None:
                raise Unclear(
                    f"Units of this world cannot {DOES[how].split(',')[0]}: they know {listing(known, 'and')}."
                )
            place = self.scene.away(cell, behind, back) if behind and mixed and reach == "ranged" else cell
            found.setdefault((name, place), []).append(unit)
        limited = "within" in self.scene.facts.context.orders and (near or how == "stay")
        leash = {"attack_and_move": LEASH, "attack_in_close_range": LEASH} if limited else {}
        return [Squad(np.array(units), place, name, types, leash.get(name)) for (name, place), units in found.items()]

    def add(self, squads: list[Squad], after: set[int], objective: dsl.Objective | None = None) -> int:
        """Add a stage and return its number."""
        self.stages.append(Stage(squads, set(after), objective or dsl.Position(), objective is not None))
        for squad in squads:
            for unit in squad.ids.tolist():
                self.scene.spots[unit] = squad.cell
        return len(self.stages) - 1

    def last_of(self, ids: Ids) -> set[int]:
        """Return the last stages of some units."""
        mine = set(ids.tolist())
        found: set[int] = set()
        for number in range(len(self.stages) - 1, -1, -1):
            if shared := mine & self.stages[number].units():
                found.add(number)
                mine -= shared
        return found

    # ---- clauses

    def clause(self, clause: Clause) -> str:
        """Carry out a clause; return in words how it was understood.

        Raises:
            Unclear: It cannot be carried out.
        """
        scene = self.scene
        verbs = list(dict.fromkeys(clause.verbs))
        if clause.lost_when and clause.when is None and clause.until is None:
            raise Unclear(
                f"I do not understand when: `{clause.lost_when}`. "
                "Say `then`, `after 50 ticks`, `once the enemy archers are dead`."
            )
        for word, what in ((clause.lost_place, "a place"), (clause.lost_who, "one of your units or")):
            if (word and not (clause.places or clause.foe or clause.behind)) or (
                word and what != "a place" and not clause.who
            ):
                known = scene.places() if what == "a place" else f"You have {scene.army(scene.facts.own)}."
                raise Unclear(f"`{word}` is not {what} that I know here. {known}")
        for some, others in CONTRARY:
            if some & set(verbs) and others & set(verbs) and not clause.places:
                raise Unclear(f"`{clause.text}` asks for two things that exclude each other: which of them?")
        if "peace" in clause.manner and "attack" in verbs and (clause.foe or clause.own):
            raise Unclear(f"`{clause.text}` asks to attack and not to fight: which of the two?")
        earlier = self._take_over(clause)
        if any(place.every for place in clause.places):  # `a part of the army at each` shares out all of it
            clause.who = tuple(
                replace(who, part=None) if who.part == 33 and who.base != "type" else who for who in clause.who
            )
        if "gather" in verbs and not clause.who and scene.named:
            scene.last = np.array(sorted(scene.named))
        each = [who for who in clause.who if who.part and who.base == "type"]
        if each and any(place.every for place in clause.places) and len(each) == len(clause.who):
            count = sum(len(self._every(place)) for place in clause.places)
            clause.who = tuple(replace(who, part=(who.part or 0) * count) for who in clause.who)
        if "match" in verbs and not any(who.base in ("type", "ids", "squad") for who in clause.who):
            clause.who = (Who("all"),)
        ids = scene.units(clause.who) if clause.who else (scene.last if len(scene.last) else scene.units([Who("all")]))
        self.subject = ids
        over = self._overrides(ids, clause)
        if clause.own and all(who.base == "they" for who in clause.own):
            clause.own = (
                (Who("ids", ids=tuple((int(unit), int(unit) + 1) for unit in scene.last)),) if len(scene.last) else ()
            )
        if clause.behind and clause.behind[1][0].base == "they" and len(scene.last):
            them = tuple((int(unit), int(unit) + 1) for unit in scene.last)
            clause.behind = (clause.behind[0], (Who("ids", ids=them),))
        scene.last = ids
        self.awaited = ""
        after = self._after(clause, ids, earlier) - over
        count = len(self.stages)
        words = self._act(clause, verbs, ids, after)
        self.holding = bool(set(verbs) & {"hold", "spread"}) or "spread in" in words or "share out" in words
        self.holding &= not (clause.until or clause.ticks)
        self._until(clause, ids, count)
        if len(self.stages) > count:
            self.before = self.last_of(ids)
            for number in over:
                self._without(self.stages[number], ids)
        return f"{scene.who(self.subject)} {words}{f'; {self.awaited}' if self.awaited else ''}"

    def _take_over(self, clause: Clause) -> set[int]:
        return self.before if clause.link == "then" else set()

    def _every(self, place: Place) -> list[Cell]:
        here = self.scene.middle(self.scene.last)
        return self.scene.cells(place, here) if place.kind in ("feature", "map", "same") and place.every else [(0, 0)]

    def _overrides(self, ids: Ids, clause: Clause) -> set[int]:
        """Return the earlier stages that meant more than these units, which get an order of their own now."""
        mine = set(ids.tolist())
        if (
            clause.link == "then"
            or clause.when
            or clause.behind
            or not clause.who
            or clause.who[0].base in ("they", "squad")
        ):
            return set()
        return {number for number, stage in enumerate(self.stages) if stage.units() > mine}

    @staticmethod
    def _without(stage: Stage, ids: Ids) -> None:
        for squad in stage.squads:
            squad.ids = np.setdiff1d(squad.ids, ids)
        stage.squads = [squad for squad in stage.squads if len(squad.ids)]

    def _after(self, clause: Clause, ids: Ids, earlier: set[int]) -> set[int]:
        """Return the stages that a clause waits for; what it waits for may be a stage that is added here."""
        after = self.last_of(ids) | earlier
        event = clause.when
        if event is None:
            return after
        return self._wait(event, ids, after)

    def _wait(self, event: Event, ids: Ids, after: set[int]) -> set[int]:
        scene = self.scene
        if event.kind in ("arrive", "some"):
            who = scene.units(event.who, named=False) if event.who and event.who[0].base != "they" else ids
            if event.place is not None and not (self.last_of(who)):
                cell = scene.cell(event.place, scene.middle(who))
                return after | {self.add(self.squads(who, cell, self.how(who, Clause(), "go")), after)}
            ready = self.last_of(who)
            share = 0 if event.kind == "some" else event.amount
            if event.kind == "some" or 0 < share < 100:
                if "arrival" in scene.facts.context.objectives:
                    for number in ready:
                        self.stages[number].objective = dsl.Arrival(share)
                    self.awaited = f"as soon as {f'{share}% of them' if share else 'one of them'} arrived"
                else:
                    self.notes.append("a part that arrives cannot be waited for here: all of them are waited for")
            return after | ready
        objective, words = self._objective(event, ids)
        if objective is None:
            self.notes.append(f"plans of this world cannot wait for {words}, so that is left out")
            return after
        self.awaited = f"after {words}"
        for number, stage in enumerate(self.stages):
            if stage.objective == objective and isinstance(objective, dsl.Elimination):
                return after | {number}
        if after and not isinstance(objective, dsl.Elimination | dsl.Time):
            for number in after:  # they go on with what they did until then
                self.stages[number].objective, self.stages[number].ends = objective, True
            return after
        here = self._here(ids)
        return {
            self.add(
                [s for cell, units in here for s in self.squads(units, cell, self.how(units, Clause(), "stay"))],
                after,
                objective,
            )
        }

    def _here(self, ids: Ids) -> list[tuple[Cell, Ids]]:
        """Return units by where they stand, in a few places."""
        scene = self.scene
        spots: dict[Cell, list[int]] = {}
        for unit in ids.tolist():
            known = scene.spots.get(unit)
            x, y = known or scene.facts.own.position[unit]
            step = 1 if known else max(15, scene.size // 8)
            spots.setdefault((int(x // step), int(y // step)), []).append(unit)
        if len(spots) > MOST_SQUADS:
            return [(scene.terrain.near(scene.middle(ids)), ids)]
        return [(scene.terrain.near(scene.middle(np.array(units))), np.array(units)) for units in spots.values()]

    def _objective(self, event: Event, ids: Ids) -> tuple[dsl.Objective | None, str]:
        """Return what a step must reach for an event, or None where plans cannot say it yet."""
        scene, known = self.scene, self.scene.facts.context.objectives
        if event.kind == "dead" and event.foe is None and scene.enemies is not None:
            event = replace(event, foe=scene.enemies)
        if event.kind == "losses" and event.who and event.who[0].base == "they":
            event = replace(event, kind="enemy losses")
        if event.kind == "dead":
            foes = scene.foes(event.foe or Foe(), scene.middle(ids))
            return dsl.Elimination(
                self.listed(foes, len(scene.facts.foe.types))
            ), f"the death of {plural(len(foes), 'enemy unit')}"
        later: dict[str, tuple[dsl.Objective, str]] = {
            "ticks": (dsl.Time(max(1, event.amount)), plural(event.amount, "tick")),
            "sighted": (dsl.Sighted(), "the sight of an enemy"),
            "losses": (dsl.Losses(event.amount or 10), f"losses of {event.amount or 10}%"),
            "enemy losses": (dsl.EnemyLosses(event.amount or 10), f"enemy losses of {event.amount or 10}%"),
        }
        objective, words = later[event.kind]
        return (objective if objective.word in known else None), words

    def _until(self, clause: Clause, ids: Ids, first: int) -> None:
        event = clause.until or (Event("ticks", clause.ticks) if clause.ticks else None)
        if event is None or event.kind == "arrive" or len(self.stages) <= first:
            return
        objective, words = self._objective(event, ids)
        if objective is None:
            self.notes.append(f"plans of this world cannot wait for {words}, so that is left out")
            return
        self.awaited = f"until {words}"
        self.stages[-1].objective, self.stages[-1].ends = objective, True

    def _act(self, clause: Clause, verbs: list[str], ids: Ids, after: set[int]) -> str:
        """Add the stages of a clause, by the strongest of its verbs."""
        said = set(verbs)
        if self.shared is not None and clause.link != "then" and not len(np.setdiff1d(ids, self.shared)) and not (
            clause.foe or clause.manner or clause.behind or clause.when or said & {"retreat", "attack"}
        ) and all(place.every or place.kind == "same" for place in clause.places):  # fmt: skip
            return "share out over them, as was said"
        if "match" in said and not clause.places:
            if self.matched is not None and not len(np.setdiff1d(ids, self.matched)):
                return "attack by what they beat, as was said"
            self.matched = ids
            return self.match(clause, ids, after)
        if clause.behind and not (clause.places and clause.places[0].kind != "offset"):
            return self.behind(clause, ids, after)
        if "retreat" in said:
            return self.retreat(clause, ids, after)
        rows = [place for place in clause.places if place.kind == "row"]
        if (said & {"spread", "split"} or clause.squads or (rows and len(ids) > 1)) and (
            words := self.spread(clause, said, ids, after)
        ):
            return words
        if "flank" in said:
            return self.flank(clause, ids, after)
        if "follow" in said and clause.own and not (clause.places and all(who.base == "they" for who in clause.own)):
            return self.follow(clause, ids, after)
        if "hide" in said:
            return self.hide(clause, ids, after)
        if clause.foe and not (said & {"avoid", "hold", "stay"} and clause.places) and "avoid" not in said:
            return self.attack(clause, ids, after)
        if clause.places:
            return self.go(clause, said, ids, after)
        if "attack" in said:
            return self.attack(clause, ids, after)
        if "avoid" in said:
            clause.manner.add("peace")
            raise Unclear(f"Where are they to go while they avoid the enemy? {self.scene.places()}")
        if "hold" in said and clause.own and clause.who:
            return self.follow(clause, ids, after)
        if said & {"hold", "stay"} and clause.link != "then" and self._there(clause, ids):
            return "hold there"
        if said & {"hold", "stay", "stand"} or clause.ticks:
            return self.stay(clause, said, ids, after)
        if "gather" in said:
            spot = self.scene.terrain.near(self.scene.middle(ids))
            self.add(self.squads(ids, spot, self.how(ids, clause, "go")), after)
            return f"gather at {spot}"
        raise Vague(f"Where {'are they' if len(ids) > 1 else 'is it'} to go? {self.scene.places()}")

    def stops(self, clause: Clause, ids: Ids, covered: bool) -> list[tuple[Cell, str]]:
        """Return the places of a clause in order as cells with names."""
        found: list[tuple[Cell, str]] = []
        here = self.scene.middle(ids)
        for place in tidy(clause.places):
            for cell in self.scene.cells(place, here, covered):
                found.append((cell, self.title(place, cell)))
                here = cell
        return found

    def title(self, place: Place, cell: Cell) -> str:
        """Return a place in words."""
        if place.kind == "markers":
            letter = next((letter for letter, at in self.scene.facts.context.markers or () if at == cell), "")
            return f"marker {letter} {cell}"
        if place.kind == "feature":
            inside = [each.name for each in self.scene.facts.features if each.cells[cell]]
            return f"{inside[-1]} {cell}" if inside else f"{place.value} {cell}"
        if place.kind == "map":
            side = NAMED.get(place.dir, "")
            part = {"centre": "the centre"}.get(str(place.value), f"the {side} {place.value or ''}".rstrip())
            return f"{part} {cell}"
        return {"goal": f"the objective {cell}"}.get(place.kind, str(cell))

    def covered(self, clause: Clause, ids: Ids) -> bool:
        """Whether units go under cover."""
        mine = set(ids.tolist())
        return "cover" in clause.manner or any("cover" in said for units, said in self.manners if units >= mine)

    def leashed(self, clause: Clause, ids: Ids) -> bool:
        """Whether units are not to leave their place."""
        mine = set(ids.tolist())
        return "leash" in clause.manner or any("leash" in said for units, said in self.manners if units >= mine)

    def go(self, clause: Clause, said: set[str], ids: Ids, after: set[int]) -> str:
        """Units go to places one after another, or share out over all of them to hold them."""
        scene = self.scene
        holding = (bool(said & {"hold", "stay"}) and "go" not in said) or "hold" in said
        fight = "attack" in said
        every = [place for place in clause.places if place.kind in ("feature", "map", "same") and place.every]
        if every and "attack" not in said:
            return self.share(clause, ids, after)
        wanted = "fight" if fight else "hold" if holding else "stand" if "stand" in said else "go"
        how = self.how(ids, clause, wanted)
        covered = self.covered(clause, ids)
        stops = self.stops(clause, ids, covered)
        if clause.manner & {"backward"}:
            stops = stops[::-1]
        watched = scene.facts.foe.position[scene.facts.foe.alive] if covered and len(scene.facts.foe.types) else None
        here, stage = scene.middle(ids), -1
        for number, (cell, _) in enumerate(stops):
            ways = [cell]
            if watched is not None:
                feature = next((f for f in scene.facts.features if f.kind == "bridge" and f.cells[cell]), None)
                if feature is not None and number < len(stops) - 1 and scene.terrain.forest.any():
                    cell = scene.terrain.near(cell, scene.terrain.forest & (scene.terrain.depth >= 4))
                    if scene.terrain.forest[scene.terrain.near(here)] and math.dist(here, cell) < 12:
                        continue
                ways = scene.terrain.way(here, cell, watched, scene.facts.sight)
            for at in ways:
                last = number == len(stops) - 1 and at == ways[-1]
                behind = GAP if holding and last else 0
                near = holding and last and self.leashed(clause, ids)
                doing = how if last or how != "hold" else "go"
                stage = self.add(self.squads(ids, at, doing, behind=behind, near=near), after)
                after = {stage}
            here = cell
        route = ", then ".join(name for _, name in stops)
        return f"{'hold' if holding else 'go to'} {route}{' under cover' if covered else ''}: {DOES[how]}"

    def share(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Share units out over all features of a kind, each with units of every type, at the end that is ours."""
        scene = self.scene
        self.shared = ids
        cells, names = [], []
        for place in clause.places:
            if place.kind == "map" and place.every:
                cells += scene.cells(place, scene.middle(ids))
                names.append("the corners")
            if place.kind == "same" and scene.place is not None:
                kind = scene.features(scene.place, scene.middle(ids))[0].kind
                place = Place("feature", kind, dir=place.dir, every=place.every)
            if place.kind != "feature":
                continue
            for feature in scene.features(place, scene.middle(ids)):
                centre = feature.place
                inner = self.inner(feature.cells, centre) if feature.kind == "bridge" else centre
                cells.append(inner)
                names.append(feature.name)
        if not cells:
            raise Unclear(f"Over which places are they to share out? {scene.places()}")
        how = self.how(ids, clause, "hold")
        squads = []
        for cell, part in zip(cells, self.parts(ids, len(cells)), strict=True):
            squads += self.squads(part, cell, how, behind=GAP) if len(part) else []
        self.add(squads, after)
        return f"share out over {listing(phrases=dict.fromkeys(names), joint='and')}: {DOES[how]}"

    def inner(self, cells: Mask, centre: Cell) -> Cell:
        """Return the cell just off a bridge on the side of what is guarded, or of our army."""
        scene = self.scene
        own = scene.facts.own
        home = scene.facts.guarded or tuple(own.position[own.alive].mean(0))
        low, high = np.maximum(np.array(centre) - 10, 0), np.minimum(np.array(centre) + 11, scene.size)
        box = slice(low[0], high[0]), slice(low[1], high[1])
        far = np.hypot(
            *np.meshgrid(*(np.arange(a, b) - c for a, b, c in zip(low, high, centre, strict=True)), indexing="ij")
        )
        ring = np.zeros_like(cells)
        ring[box] = scene.terrain.enter[box] & ~cells[box] & (far >= 6) & (far <= 10)
        straight = np.array(home, float) - centre
        straight /= np.linalg.norm(straight) or 1.0
        near = scene.terrain.near((centre[0] + 9 * straight[0], centre[1] + 9 * straight[1]), ring)
        return near

    def parts(self, ids: Ids, count: int) -> list[Ids]:
        """Return units in so many parts with an equal share of each type, lowest ids first."""
        kinds = np.array(self.scene.facts.own.types)[ids]
        split = [np.array_split(ids[kinds == kind], count) for kind in dict.fromkeys(kinds)]
        return [np.sort(np.concatenate([each[number] for each in split])) for number in range(count)]

    def spread(self, clause: Clause, said: set[str], ids: Ids, after: set[int]) -> str:
        """Spread units over a row or between two places, over all features of a kind, or only name squads."""
        scene = self.scene
        places = tidy(clause.places)
        if any(place.kind == "feature" and place.every for place in places):
            return self.share(clause, ids, after)
        ends = self._line(places, ids)
        count = clause.squads if clause.squads > 0 else 0
        if ends is None:
            if not places and clause.squads < 0:
                return "form squads, as many as are needed"
            if "spread" in said and not places and not count:
                x, y = scene.middle(ids)
                ends = ((0.0, y), (scene.size - 1.0, y))
            elif places and not (said & {"spread"}):
                return ""
            elif places:
                x, y = self.stops(clause, ids, False)[-1][0]
                ends = ((x - 20.0, float(y)), (x + 20.0, float(y)))
            elif count or "split" in said:
                count = count or 2
                if count > len(ids):
                    raise Unclear(f"{plural(len(ids), 'unit')} cannot be split into {count} squads.")
                kinds = np.array(scene.facts.own.types)[ids]
                there = list(dict.fromkeys(kinds))
                by_type = count == len(there) and "by type" in clause.text.lower()
                scene.squads = [ids[kinds == kind] for kind in there] if by_type else self.parts(ids, count)
                return f"are split into {count} squads"
            else:
                return ""
        (ax, ay), (bx, by) = ends
        count = count or max(2, round(math.dist(*ends) / SPACING))
        kinds = np.array(scene.facts.own.types)[ids]
        count = max(1, min(count, MOST_SQUADS, *((kinds == kind).sum() for kind in set(kinds))))
        how = self.how(ids, clause, "hold" if said & {"hold"} else "go")
        how = "hold" if how == "go" else how
        squads = []
        scene.squads = self.parts(ids, count)
        back = scene.back(((ax + bx) / 2, (ay + by) / 2), (bx - ax, by - ay))
        for number, part in enumerate(scene.squads):
            share = (number + 0.5) / count
            cell = scene.terrain.near((ax + (bx - ax) * share, ay + (by - ay) * share))
            squads += self.squads(part, cell, how, behind=GAP, back=back)
        self.add(squads, after)
        line = f"{tuple(map(round, ends[0]))} - {tuple(map(round, ends[1]))}"
        return f"spread in {plural(count, 'squad')} over {line}, those who fight from afar behind: {DOES[how]}"

    def _line(self, places: Sequence[Place], ids: Ids) -> tuple[Vector, Vector] | None:
        """Return the ends of the line that places stand for, if they are one."""
        scene = self.scene
        rows = [place for place in places if place.kind == "row"]
        edge = [place for place in places if place.kind == "map" and place.value in ("edge", "column", "centre")]
        last = float(scene.size - 1)
        points = [scene.cell(place, scene.middle(ids)) for place in places if place.kind in ("at", "markers")]
        if rows and len(points) == 2:
            (ax, ay), (bx, by) = points
            return (float(ax), float(ay)), (float(bx), float(by))
        side = next((p.of[0] for p in places if p.kind == "feature" and p.of and isinstance(p.of[0], Place)), None)
        if side is not None and side.dir in ("n", "s", "e", "w"):
            found = scene.features(next(p for p in places if p.kind == "feature" and p.of), scene.middle(ids))[0]
            corner, other = np.argwhere(found.cells).min(0), np.argwhere(found.cells).max(0)
            dx, dy = COMPASS[side.dir]
            if dx:
                x = float(other[0] + 4 if dx > 0 else corner[0] - 4)
                return (x, float(corner[1])), (x, float(other[1]))
            y = float(other[1] + 4 if dy > 0 else corner[1] - 4)
            return (float(corner[0]), y), (float(other[0]), y)
        if rows or (places and places[0].kind == "map" and places[0].value in ("centre",)):
            y = scene.row(rows[0]) if rows else scene.size / 2
            return (0.0, y), (last, y)
        if edge:
            x, y = scene.cell(edge[0], scene.middle(ids))
            across = edge[0].dir in ("n", "s")
            return ((0.0, float(y)), (last, float(y))) if across else ((float(x), 0.0), (float(x), last))
        cells = [scene.cell(place, scene.middle(ids)) for place in places if place.kind in ("at", "markers")]
        if len(places) == 2 and len(cells) == 2:
            (ax, ay), (bx, by) = cells
            return (float(ax), float(ay)), (float(bx), float(by))
        return None

    def match(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Send each type against the type that it beats, and let it wait where another enemy stands in its way."""
        scene = self.scene
        kinds = np.array(scene.facts.own.types)
        theirs = np.array(scene.facts.foe.types)
        alive = scene.facts.foe.alive
        pairs = [
            (mine, their)
            for mine, their in scene.facts.beats
            if (kinds[ids] == mine).any() and (alive & (theirs == their)).any()
        ]
        if not pairs:
            raise Unclear("No type of your army beats a type of the enemy here.")
        goals = {their: scene.foe_middle(np.nonzero(alive & (theirs == their))[0]) for _, their in pairs}
        order = sorted(pairs, key=lambda pair: -scene.facts.types[pair[0]].speed)
        stage_of: dict[str, int] = {}
        blocked: dict[str, list[Cell]] = {}
        for mine, their in order:
            part = ids[kinds[ids] == mine]
            how = self.how(part, clause, "fight")
            way = scene.terrain.way(scene.middle(part), goals[their])
            points = self._points(scene.middle(part), way)
            guards = [other for other in goals if other != their and self._met(points, other)]
            waits, first = set(after), after
            if guards:
                wait_at, past = self._around(points, guards[0])
                ready = self.add(self.squads(part, wait_at, how), first)
                waits = {ready} | {stage_of[g] for g in guards if g in stage_of}
                first = {self.add(self.squads(part, past, how), waits)}
                blocked[their] = way
            foes = np.nonzero(alive & (theirs == their))[0]
            cell = scene.terrain.near(goals[their])
            objective = dsl.Elimination(self.listed(foes, len(theirs)))
            stage_of[their] = self.add(self.squads(part, cell, how, (their,)), first if guards else after, objective)
        words = listing(phrases=[f"{mine} against {their}" for mine, their in order], joint="and")
        rest = [kind for kind in dict.fromkeys(kinds[ids]) if kind not in {mine for mine, _ in pairs}]
        left = f"; {listing(phrases=rest, joint='and')} beat no type here and get no order" if rest else ""
        return f"attack by what they beat: {words}{left}"

    def _points(self, start: Vector, way: Sequence[Cell]) -> list[Vector]:
        points: list[Vector] = [start]
        for end in way:
            count = max(1, round(math.dist(points[-1], end) / 3))
            ax, ay = points[-1]
            points += [(ax + (end[0] - ax) * i / count, ay + (end[1] - ay) * i / count) for i in range(1, count + 1)]
        return points

    def _met(self, points: Sequence[Vector], kind: str) -> list[int]:
        """Return the numbers of the points of a way to which live enemies of a type are near."""
        army = self.scene.facts.foe
        foes = army.position[army.alive & (np.array(army.types) == kind)]
        far = np.hypot(*(foes[:, None] - np.array(points)[None]).T)  # points by enemies
        return np.flatnonzero((far < self.scene.facts.sight + 3).any(1)).tolist()

    def _around(self, points: Sequence[Vector], kind: str) -> tuple[Cell, Cell]:
        """Return the last place of a way before units of a type come near, and the first place after."""
        near = self._met(points, kind)
        before, past = points[max(0, near[0] - 4)], points[min(len(points) - 1, near[-1] + 1)]
        return self.scene.terrain.near(before), self.scene.terrain.near(past)

    def behind(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Place units behind others wherever these are sent, at the side away from the enemy."""
        scene = self.scene
        assert clause.behind
        rear, front = clause.behind
        followers = scene.units(rear) if rear else ids
        leaders = scene.units(front, named=False)
        followers = np.setdiff1d(followers, leaders)
        if not len(followers):
            raise Vague("Who is to stay behind whom? Name two different groups.")
        gap = next((p.metres for p in clause.places if p.kind == "offset" and p.metres), None) or GAP
        if not self._mirror(followers, leaders, gap):
            cell = scene.away(scene.middle(leaders), gap)
            self.add(self.squads(followers, cell, self.how(followers, clause, "hold")), after)
        self.subject = followers
        return f"stay {gap} m behind {scene.who(leaders)}"

    def _mirror(self, followers: Ids, leaders: Ids, gap: int) -> bool:
        """Put followers behind leaders in all stages of these; return whether there were any."""
        scene, found = self.scene, False
        lead = set(leaders.tolist())
        for stage in self.stages:
            fronts = [squad for squad in stage.squads if lead & set(squad.ids.tolist())]
            if not fronts:
                continue
            found = True
            first, last = fronts[0].cell, fronts[-1].cell
            line = (float(last[0] - first[0]), float(last[1] - first[1])) if first != last else None
            back = None if scene.facts.guarded else scene.back(first, line)
            old = {unit: squad for squad in stage.squads for unit in squad.ids.tolist()}
            for squad in stage.squads:
                squad.ids = np.setdiff1d(squad.ids, followers)
            stage.squads = [squad for squad in stage.squads if len(squad.ids)]
            for front, part in zip(fronts, self.parts(followers, len(fronts)), strict=True):
                for unit_squad in self.squads(part, scene.away(front.cell, gap, back), "hold") if len(part) else []:
                    before = old.get(int(unit_squad.ids[0]))
                    unit_squad.behaviour = (
                        "follow_map"
                        if front.behaviour == "follow_map"
                        else (before.behaviour if before else unit_squad.behaviour)
                    )
                    stage.squads.append(unit_squad)
                    scene.spots |= dict.fromkeys(unit_squad.ids.tolist(), unit_squad.cell)
        return found

    def follow(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Units go wherever others go, a little behind."""
        leaders = np.setdiff1d(self.scene.units(clause.own, named=False), ids)
        if not len(leaders):
            raise Vague("Whom are they to follow? Name another group.")
        if not self._mirror(ids, leaders, GAP):
            cell = self.scene.away(self.scene.middle(leaders), GAP)
            self.add(self.squads(ids, cell, self.how(ids, clause, "go")), after)
        return f"follow {self.scene.who(leaders)}"

    def retreat(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Units go back without fighting, to a place or away from the enemy."""
        stops = self.stops(clause, ids, False)
        cell, name = stops[-1] if stops else (self.scene.away(self.scene.middle(ids), 40), "")
        self.add(self.squads(ids, cell, "peace"), after)
        return f"retreat to {name or cell} without fighting"

    def hide(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Units go under trees, and do not fight."""
        if not any(
            (place.kind == "feature" and place.value == "forest") or place.kind != "map" for place in clause.places
        ):
            spot = clause.places[0] if clause.places else None
            clause.places = [Place("feature", "forest", dir=spot.dir if spot else "nearest")]
        clause.manner |= {"peace", "cover"}
        return self.go(clause, {"go"}, ids, after)

    def attack(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Units go where the enemies stand that are meant, group after group, until these are dead."""
        scene, how = self.scene, self.how(ids, clause, "fight")
        foe = clause.foe[0] if clause.foe else Foe()
        scene.enemies = foe
        passed = ""
        if clause.places and foe.at is None:
            here = scene.middle(ids)
            for cell, _ in self.stops(clause, ids, self.covered(clause, ids)):
                after = {self.add(self.squads(ids, cell, "go" if how == "fight" else how), after)}
                here = cell
            passed = f"by way of {', '.join(name for _, name in self.stops(clause, ids, False))} "
        foes = np.unique(np.concatenate([scene.foes(each, scene.middle(ids)) for each in clause.foe or [foe]]))
        names = tuple(
            dict.fromkeys(
                kind for each in clause.foe if each.names for kind in scene.types(each.names, scene.facts.foe)
            )
        )
        army = len(scene.facts.foe.types)
        groups, here = scene.clusters(foes), scene.middle(ids)
        groups = [group for group in groups if len(group) * 12 >= len(foes)][:4] or groups[:1]
        ordered: list[Ids] = []
        while groups:
            group = min(groups, key=lambda each: math.dist(here, scene.foe_middle(each)))
            groups = [each for each in groups if each is not group]
            ordered.append(group)
            here = scene.foe_middle(group)
        for number, group in enumerate(ordered):
            meant = foes if number == len(ordered) - 1 else group
            objective = dsl.Elimination(self.listed(meant, army))
            cell = scene.terrain.near(scene.foe_middle(group))
            after = {self.add(self.squads(ids, cell, how, names), after, objective)}
        kinds = dict.fromkeys(np.array(scene.facts.foe.types)[foes].tolist())
        what = f"{len(foes):,} {'enemies' if len(kinds) > 1 else 'enemy ' + unit_words(next(iter(kinds)), len(foes))}"
        spots = ", then ".join(str(scene.terrain.near(scene.foe_middle(group))) for group in ordered)
        return f"{passed}attack {what} at {spots}: {DOES[how]}"

    def flank(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Units go round the enemy on one side, or on both in two halves, and attack from there."""
        scene = self.scene
        meant = [replace(each, dir="") for each in clause.foe] or [Foe()]  # `on the west` says where to go round
        foes = np.unique(np.concatenate([scene.foes(each, scene.middle(ids)) for each in meant]))
        fx, fy = scene.foe_middle(foes)
        hx, hy = scene.middle(ids)
        long = math.hypot(fx - hx, fy - hy) or 1.0
        ux, uy = (fx - hx) / long, (fy - hy) / long
        sides: dict[str, Vector] = {"left": (-uy, ux), "right": (uy, -ux)}
        said = [place.dir for place in clause.places if place.kind == "map" and place.dir]
        said += [foe.dir for foe in clause.foe if foe.dir]
        if said:
            sides = {NAMED[said[0]]: COMPASS[said[0]]}
        spread = max(
            20.0,
            float(np.abs((scene.facts.foe.position[foes] - (fx, fy)) @ np.array(next(iter(sides.values())))).max())
            + 18,
        )
        names = tuple(
            dict.fromkeys(
                kind for each in clause.foe if each.names for kind in scene.types(each.names, scene.facts.foe)
            )
        )
        both = not said
        by = [
            cell
            for cell, _ in self.stops(replace(clause, places=[p for p in clause.places if p.kind != "map"]), ids, False)
        ]
        for (_, (x, y)), part in zip(sides.items(), self.parts(ids, len(sides)), strict=True):
            if not len(part):
                continue
            beside = scene.terrain.near((fx + x * spread, fy + y * spread))
            before = after
            for cell in by:
                before = {self.add(self.squads(part, cell, self.how(part, clause, "go")), before)}
            first = self.add(self.squads(part, beside, self.how(part, clause, "go")), before)
            objective = dsl.Elimination(self.listed(foes, len(scene.facts.foe.types)))
            self.add(
                self.squads(part, scene.terrain.near((fx, fy)), self.how(part, clause, "fight"), names),
                {first},
                objective,
            )
        where = "both sides, in two halves" if both else f"the {next(iter(sides))}"
        return f"go round {len(foes):,} enemies on {where}, then attack"

    def _there(self, clause: Clause, ids: Ids) -> bool:
        """Let units hold where the last clause sends them; return whether there is such a place."""
        last = self.last_of(ids)
        if not last or clause.ticks or clause.when or (clause.who and clause.who[0].base != "they"):
            return False
        for number in last:
            stage = self.stages[number]
            held = [
                new
                for squad in stage.squads
                for new in self.squads(squad.ids, squad.cell, self.how(squad.ids, clause, "hold"), squad.types)
            ]
            stage.squads = held
        return True

    def stay(self, clause: Clause, said: set[str], ids: Ids, after: set[int]) -> str:
        """Units stay where they are, or will be."""
        how = self.how(ids, clause, "stand" if "stand" in said else "stay")
        here = self._here(ids)
        self.add([squad for cell, units in here for squad in self.squads(units, cell, how)], after)
        return f"stay where they are: {DOES[how]}"

    @staticmethod
    def listed(ids: Ids, whole: int) -> dsl.UnitList:
        """Return ids as a list of a plan: `all`, or single ids and slices."""
        if len(ids) == whole:
            return dsl.UnitList(None)
        return unit_list(ranges((unit, unit + 1) for unit in ids.tolist()), NO_SPAN)


def tidy(places: Sequence[Place]) -> list[Place]:
    """Join places that say one thing: `south to the corner`, `the forest, a bit north of the bridge`."""
    found: list[Place] = []
    for number, place in enumerate(places):
        last = found[-1] if found else None
        later = places[number + 1 :]
        if place.kind == "map" and place.dir and place.value != "corner" and later and (
            place.value is None or later[0].kind == "map"
        ):  # fmt: skip
            continue
        if place.kind == "map" and place.value == "side" and last is not None and last.kind == "feature":
            continue
        if place.kind == "offset" and place.of[0] == Place("same") and later:
            continue
        wood = last is not None and last.kind == "feature" and last.value == "forest"
        if wood and last is not None and place.kind in ("offset",) and last.near is None and not last.deep:
            found[-1] = replace(last, near=place)
            continue
        if (
            wood
            and last is not None
            and place.kind == "map"
            and place.dir
            and last.deep
            and not last.dir
            and place.value != "corner"
        ):
            found[-1] = replace(last, dir=place.dir)
            continue
        if wood and last is not None and place.kind == "map" and place.value is None and place.dir and not last.dir:
            found[-1] = replace(last, dir=place.dir)
            continue
        if (
            place.kind == "feature"
            and place.value == "forest"
            and not (place.dir or place.deep or place.near)
            and (found or later)
        ):
            continue
        found.append(place)
    return found
