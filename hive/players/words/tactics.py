"""Clauses to stages of a plan: what each group of units does where, and what it waits for."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

import dsl
from dsl.id_ranges import ranges, unit_list
from dsl.source import NO_SPAN
from dsl.wording import listing, plural
from hive.ground.places import Vector
from hive.kit.facts import Cell, Ids, Running
from hive.players.words.clauses import Clause, Event, Place, Who
from hive.players.words.lines import reached
from hive.players.words.phrases import CALLED
from hive.players.words.scene import COMPASS, GAP, NAMED, Contrary, Dead, Scene, Spot, Unclear, shrunk
from hive.players.words.stages import Squad, Stage

SPACING = 15  # metres between the squads of a line: about what units see
MOST_SQUADS = 16
NEAR = 5  # metres from a place at which units stand there
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
DEEDS = "Units go, hold, attack, retreat, hide and follow."
UNHEARD = "I do not understand when"
WHEN = "Say `then`, `after 50 ticks`, `once the enemy archers are dead`."
RIVALS = (({"attack", "flank"}, {"go", "hold", "stay", "stand", "retreat", "hide"}),)
CONTRARY = (
    ({"hold", "stay", "stand"}, {"retreat"}), ({"attack"}, {"retreat"}), ({"hide"}, {"attack"}),
    ({"stay", "stand", "retreat"}, {"go"}), ({"stand"}, {"attack"}),
)  # fmt: skip


class Tactics:
    """The stages of an order, clause by clause."""

    def __init__(
        self, scene: Scene, manners: Sequence[tuple[set[int], set[str]]], running: Running | None = None
    ) -> None:
        """Begin without stages.

        Args:
            scene: The game.
            manners: How some units act in all that they do.
            running: The plan that is followed now.
        """
        self.scene, self.manners, self.running = scene, manners, running
        self.stages: list[Stage] = []
        self.before: set[int] = set()  # stages of the last clause, that others may follow
        self.told: list[tuple[tuple[Who, ...], set[str]]] = []  # whom the clauses named, and their verbs
        self.acted: tuple[Sequence[int], Ids] | None = None  # stages and units of the last clause that was carried out
        self.placed = False  # whether the last clause named a place
        self.resumed: dict[int, set[int]] = {}  # units that go on with the running plan, and what they wait for first
        self.zones: list[tuple[set[int], np.ndarray]] = []  # units, and the cells that they are not to leave
        self.shared = np.zeros(0, int)  # units that were shared out over features
        self.rings = 0  # that were formed, each outside of those before
        self.followed = 0  # stages before the last `then`

    # ---- what units do

    def said(self, ids: Ids, clause: Clause) -> set[str]:
        """Return how units act in a clause: what it says, and what was said of them in others."""
        mine = set(ids.tolist())
        return clause.manner.union(*(how for units, how in self.manners if units >= mine))

    def how(self, ids: Ids, clause: Clause, wanted: str) -> str:
        """Return what units do on the way and at a place: what was said of them wins over what is usual."""
        said = self.said(ids, clause)
        if wanted == "fight" and "peace" not in clause.manner:
            said.discard("peace")
        return next((m for m in ("peace", "distance", "close") if m in said and wanted != "stand"), wanted)

    def squads(
        self,
        ids: Ids,
        cell: Cell,
        clause: Clause,
        wanted: str,
        types: tuple[str, ...] = (),
        behind: int = 0,
        back: Vector | None = None,
    ) -> list[Squad]:
        """Return units at a place as squads of one behaviour each.

        Args:
            ids: The units.
            cell: The place.
            clause: What was said of how they act.
            wanted: What they do if nothing was said.
            types: Whom they attack; empty: all.
            behind: Metres at which those who fight from afar stand behind others.
            back: In which direction; None: away from the enemy.
        """
        scene, known, orders = self.scene, self.scene.facts.context.behaviours, self.scene.facts.context.orders
        how, kinds = self.how(ids, clause, wanted), scene.facts.own.types
        mixed = len({scene.range_of(kinds[unit]) for unit in ids.tolist()}) > 1
        found: dict[tuple[str, Cell], list[int]] = {}
        for kind in dict.fromkeys(kinds[unit] for unit in ids.tolist()):
            reach = scene.range_of(kind)
            mine = np.array([unit for unit in ids.tolist() if kinds[unit] == kind])
            walks = how in ("hold", "stay") and math.dist(scene.middle(mine), cell) > NEAR  # `hold` never steps
            name = next((name for name in BEHAVIOURS["go" if walks else how, reach] if name in known), None)
            if name is None:
                raise Unclear(f"Units of this world cannot {how}: they know {listing(known, 'and')}.")
            place = scene.away(cell, behind, back) if behind and mixed and reach == "ranged" else cell
            found.setdefault((name, place), []).extend(mine.tolist())
        said = self.said(ids, clause)
        cover = "cover" in said and "under cover" in orders
        limit = clause.leash or (LEASH if how in ("hold", "stay") or "leash" in said else None)
        leash = {name: limit for name in ("attack_and_move", "attack_in_close_range") if "within" in orders}
        leash |= {"attack_in_long_range": clause.leash} if "within" in orders else {}
        return [
            Squad(np.sort(units), place, name, types, leash.get(name), cover) for (name, place), units in found.items()
        ]

    def add(self, squads: list[Squad], after: set[int], objective: dsl.Objective | None = None) -> int:
        """Add a stage and return its number."""
        self.stages.append(Stage(squads, set(after), objective or dsl.Position(), objective is not None))
        for squad in squads:
            self.scene.spots |= dict.fromkeys(squad.ids.tolist(), squad.cell)
        return len(self.stages) - 1

    def last_of(self, ids: Ids) -> set[int]:
        """Return the last stages of some units."""
        mine, found = set(ids.tolist()), set()
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
        scene, verbs = self.scene, set(clause.verbs)
        self.refuse(clause, verbs)
        if clause.squads and re.search(r"\beach\b", clause.text.lower()):  # `five squads, each ten archers`
            many = [replace(who, part=who.part * clause.squads) for who in clause.who if who.part and not who.percent]
            clause.who = tuple(many) if len(many) == len(clause.who) else clause.who
        back = [place for place in clause.places if place.kind == "way" and place.value == "back" and not place.metres]
        if back == clause.places and back and verbs <= {"go"} and self.stages:  # `then come back`
            clause.places = [Place("start")]
        kind = scene.every.value if scene.every and scene.every.kind == "feature" else None
        clause.places = [  # after `the South-West bridges`, `the north-east` is that of the bridges
            named
            if place.kind == "part"
            and place.dir
            and not (place.value or place.of)
            and scene.on_side(named := Place("feature", kind, place.dir, every=True))
            else place
            for place in clause.places
        ]
        clause.places = [
            scene.every if place.kind == "same" and place.every and scene.every else place for place in clause.places
        ]
        clause.places = [  # `there`, before any place was named, says nothing beside other places
            place
            for place in clause.places
            if scene.heard
            or not (place.kind == "same" or Place("same") in place.of)
            or (len(clause.places) == 1 and not clause.squads)
        ]
        for one, other in pairwise(clause.places):  # `the part of the wood that lies on our side`
            if one.kind == "feature" and other.kind == "home" and " lies " in clause.text:
                clause.places = [
                    replace(one, own=True) if each is one else each for each in clause.places if each is not other
                ]
        it = scene.it(False)
        clause.places = [  # `two on the north side of the camp, two on the south side`
            replace(place, of=(it,)) if it and self.sided(clause, place) else place for place in clause.places
        ]
        scene.heard += [who.where for who in clause.who if who.where is not None]
        clause.places = self.apart(clause, ids=scene.last)
        every = [place for place in clause.places if place.every]
        apiece = re.search(r"\b(each|every|per|apiece|wherever)\b", clause.text.lower())
        if every and apiece and clause.who and all(who.part for who in clause.who):
            count = sum(len(scene.all_spots(place, scene.middle(scene.last))) for place in every)
            clause.who = tuple(  # `20 archers at each corner`; `a part of the army at each` is all of it
                replace(who, part=None)
                if who.part in (1, 33) and who.base in ("all", "they")
                else replace(who, part=min(100, who.part * count) if who.percent else who.part * count)
                for who in clause.who
                if who.part
            )
        if clause.places and any(who.pick == "nearest" for who in clause.who):
            scene.goal = scene.spot(clause.places[-1], scene.middle(scene.last))[0]
        goal = any(place.kind == "goal" for place in clause.places)
        if (
            not goal
            and clause.text.lower().startswith("one ")
            and any(who.part == 1 and not who.names for who in clause.who)
        ):
            raise Unclear(f"I cannot tell who is meant by `{clause.text}`. You have {scene.army(scene.facts.own)}.")
        scene.picked = set() if clause.link == "then" else scene.picked
        ids = scene.units(clause.who) if clause.who else scene.last
        if not clause.who and clause.link == "stop" and scene.sentence:  # `A go there, B there. Wait for them`
            ids = np.array(sorted(scene.sentence))
        if "gather" in verbs and not clause.who and scene.named:
            ids = np.array(sorted(scene.named))
        if clause.who and clause.who[0].base != "called":
            nouns = {word for item in clause.items for word in item.word.split()} & {*CALLED}
            scene.nouns |= dict.fromkeys(nouns | {who.called for who in clause.who}, ids)
        after = self.last_of(ids) | (self.before if clause.link == "then" else set())
        count = len(self.stages)
        if clause.when is not None:
            others = clause.when.who[:1] == (Who("they"),) and clause.who and clause.who[0].base != "they"
            after = self.wait(clause.when, scene.last if others and clause.when.kind == "arrive" else ids, after)
        still = clause.link == "stop" and not clause.places and verbs & {"stay", "stand"}
        joined = clause.link == "and" or still
        rival = {verb for told, verbs_ in self.told if joined and told == clause.who for verb in verbs_}
        plain = clause.who and clause.who[0].base not in ("they", "rest")
        if plain and any((one & rival and other & verbs) or (other & rival and one & verbs) for one, other in RIVALS):
            raise Contrary(f"`{clause.text}`: these units have another order already. Which of the two?")
        self.told.append((clause.who, verbs))
        back = [place for place in clause.places if place.kind == "way" and place.value == "back" and place.metres]
        earlier = set() if back and not verbs else self.overridden(ids, clause)  # `..., archers ten metres back`
        after = self.kept(after, earlier)
        if earlier and not after:  # they never go where everyone else goes
            for unit in ids.tolist():
                scene.spots.pop(unit, None)
        words = self.act(clause, verbs, ids, after)
        if clause.who or not scene.groups:
            scene.groups.append(ids)
        if any(who.part is not None and who.base != "rest" for who in clause.who):
            scene.picked = scene.picked | set(ids.tolist())
        scene.sentence = set(ids.tolist()) | (set() if clause.link == "stop" else scene.sentence)
        for place in clause.places:
            heard = [each for each in place.of if isinstance(each, Place)]
            heard = [*heard, place] if place.kind not in ("same", "units", "way") else heard
            scene.heard += heard[::-1] if place.kind == "part" else heard  # `its south end` leaves `it` what it was
        self.placed = any(place.kind != "same" for place in clause.places)
        self.until(clause, ids, count)
        if len(self.stages) > count:
            self.before = self.last_of(ids)
            for stage in self.stages[count:]:
                stage.general = not clause.who or (clause.who[0].base == "all" and clause.who[0].part is None)
            for number in earlier:
                for squad in self.stages[number].squads:
                    squad.ids = np.setdiff1d(squad.ids, ids)
                self.stages[number].squads = [squad for squad in self.stages[number].squads if len(squad.ids)]
        new = range(count, len(self.stages))
        told = any(set(ids.tolist()) & self.stages[number].units() for number in new) or "squads" in words
        self.acted = (new if told else sorted(self.last_of(ids)), ids)
        return words

    @staticmethod
    def sided(clause: Clause, place: Place) -> bool:
        """Whether a place is a side of something that is not said."""
        items = [one.get("dir") for one, other in pairwise(clause.items) if other.get("area") == "side"]
        return place == Place("part", "", place.dir) and place.dir in items and not clause.foe

    def apart(self, clause: Clause, ids: Ids) -> list[Place]:
        """Return the places of a clause; each is for a part of its own in `10 archers each to A and B`."""
        near, places = self.scene.middle(ids), clause.places
        spoken = re.search(r"\beach\b", clause.text.lower()) and not (clause.squads or clause.foe)
        if not spoken or any(place.every or place.via or place.kind in ("same", "units") for place in places):
            return places
        if sum(len(self.scene.all_spots(place, near)) for place in places) < 2:
            return places
        return [replace(place, every=True) for place in places]

    def confine(self, clause: Clause) -> str:
        """Keep units out of a place, or in it: targets are moved, and fights get a leash; see `confined`."""
        scene = self.scene
        ids = scene.units(clause.who, named=False) if clause.who else np.nonzero(scene.facts.own.alive)[0]
        masks = [scene.zone(place, scene.middle(ids)) for place in clause.places]
        known = [mask for mask in masks if mask is not None]
        if not known:
            return "nobody is sent there"
        names = [name for place in clause.places for _, name in scene.all_spots(place, scene.middle(ids))]
        said = listing(phrases=dict.fromkeys(names), joint="and")
        stays = "leave" in clause.denied
        if clause.until is not None and (objective := self.objective(clause.until, ids)) is not None:
            self.acted = ([self.add(self.here(ids, Clause(), "stay"), self.last_of(ids), objective)], ids)
            return f"nobody is sent there before {reached(scene, objective)}"
        self.zones.append((set(ids.tolist()), known[0] if stays else ~np.any(known, 0)))
        return (
            f"{scene.who(ids)} are kept {'in' if stays else 'out of'} {said} by targets, and leashes where they fight"
        )

    def confined(self) -> None:
        """Move the targets of units that are not to leave some ground into it, and keep their fights in it."""
        for units, allowed in self.zones:
            if not any(units & stage.units() for stage in self.stages):
                ids = np.array(sorted(units))
                self.add(self.here(ids, Clause(), "stay"), set())
            inner, outside = shrunk(allowed, LEASH + 1), np.argwhere(~allowed & self.scene.terrain.enter)
            for stage in self.stages:
                for squad in list(stage.squads):
                    mine = np.array([unit for unit in squad.ids.tolist() if unit in units], int)
                    if not len(mine) or squad.front is not None or not len(outside):
                        continue
                    if len(mine) < len(squad.ids):
                        squad.ids = np.setdiff1d(squad.ids, mine)
                        squad = replace(squad, ids=mine)
                        stage.squads.append(squad)
                    if not allowed[squad.cell]:
                        squad.cell = self.scene.terrain.near(squad.cell, inner)
                    if squad.behaviour not in ("follow_map", "hold", "stand"):
                        far = int(np.hypot(*(outside - np.array(squad.cell)).T).min())
                        squad.leash = max(1, min(squad.leash or far, far - 1))

    def refuse(self, clause: Clause, verbs: set[str]) -> None:
        """Refuse a clause with words in a decisive place that are not understood, or that contradicts itself.

        Raises:
            Unclear: It is such a clause.
        """
        scene, lost = self.scene, clause.lost
        if "when" in lost and clause.when is None and clause.until is None:
            raise Unclear(f"{UNHEARD}: `{lost['when']}`. {WHEN}")
        if "own" in lost:
            raise Contrary(f"`{lost['own']}` are of your own side: nobody attacks them. Which enemies are meant?")
        if "amount" in lost:
            raise Unclear(f"How many units does `{lost['amount']}` mean? Say it in numbers.")
        if "verb" in lost and not verbs:
            raise Unclear(f"I do not know how to `{lost['verb']}`. {DEEDS}")
        if "place" in lost and not (clause.places or clause.foe):
            raise Unclear(f"`{lost['place']}` is not a place that I know here. {scene.places()}")
        if "who" in lost and not clause.who and (clause.places or verbs or clause.foe):
            army = scene.army(scene.facts.own)
            raise Unclear(f"`{lost['who']}` is not one of your units or an enemy that I know here. You have {army}.")
        both = next((one for one in clause.denied if one in verbs), "")
        sides = "".join(place.dir for place in clause.places if place.kind == "part" and not place.value)
        opposite = sides in ("ns", "sn", "ew", "we") and len(clause.places) == 2 and "spread" not in verbs
        if both or opposite or ("peace" in clause.manner and verbs & {"attack"}) or any(
            some & verbs and others & verbs and not clause.places for some, others in CONTRARY
        ):  # fmt: skip
            raise Contrary(f"`{clause.text}` asks for two things that exclude each other: which of them?")

    def overridden(self, ids: Ids, clause: Clause) -> set[int]:
        """Return the earlier stages that meant more than these units, which get an order of their own now.

        What everyone does before a `then` holds for all who are named after it: a wait always, a way in one sentence.
        """
        mine = set(ids.tolist())
        own = clause.who and clause.who[0].base not in ("they", "squad", "all")
        if clause.link == "then" or clause.when or not own:
            return set()
        return {
            number
            for number, stage in enumerate(self.stages)
            if stage.general
            and stage.units() & mine
            and not (number < self.followed and (stage.ends or clause.link == "and"))
        }

    def kept(self, after: set[int], earlier: set[int]) -> set[int]:
        """Return stages that a clause waits for; for each that it takes the place of, those that this one waits for."""
        found = set[int]()
        for number in after:
            found |= self.kept(self.stages[number].after, earlier) if number in earlier else {number}
        return found

    def wait(self, event: Event, ids: Ids, after: set[int]) -> set[int]:
        """Return the stages that a clause waits for; what it waits for may be a stage that is added here."""
        scene = self.scene
        if event.kind == "arrive":
            who = scene.units(event.who, named=False) if event.who and event.who[0].base != "they" else ids
            if event.place is not None and not self.last_of(who):
                cell = scene.spot(event.place, scene.middle(who))[0]
                self.add(self.squads(who, cell, Clause(), "go"), after)
                scene.notes.append(
                    f"{scene.who(who)} are sent to {scene.labels.get(cell, cell)} to be waited for there"
                )
            ready = self.last_of(who)
            if event.who and event.place is None and not ready:  # `if spearmen come near`: nobody was sent anywhere
                raise Unclear(f"{UNHEARD}: {scene.who(who)} were sent nowhere before. {WHEN}")
            if event.some or 0 < event.amount < 100:
                share = 0 if event.some else self.share(event, len(who))
                if "arrival" in scene.facts.context.objectives:
                    for number in ready:
                        self.stages[number].objective, self.stages[number].ends = dsl.Arrival(share), True
                else:
                    self.scene.notes.append("a part that arrives cannot be waited for here: all of them are waited for")
            return after | ready
        objective = self.objective(event, ids)
        if objective is None:
            return after
        if event.kind == "dead" and event.who and event.foe and not self.last_of(who := scene.units(event.who)):
            self.attack(Clause(event.who, ["attack"], foe=[event.foe]), who, set())
            against = scene.opponents(scene.foes(event.foe, scene.middle(who)))
            scene.notes.append(f"{scene.who(who)} are sent against {against}, whose death is waited for")
            return after | {len(self.stages) - 1}
        apart = event.kind == "losses" and event.who and event.who[0].base not in ("all", "they")
        watched = scene.units(event.who, named=False) if apart else ids
        if event.kind == "losses" and len(np.setxor1d(watched, ids)):
            held = self.present(watched) or self.here(watched, Clause(), "stay")
            if others := self.present(np.setdiff1d(ids, watched)):
                self.add(others, set(), dsl.Elimination(dsl.UnitList(None)))
            return after | {self.add(held, self.last_of(watched), objective)}
        same = {n for n, stage in enumerate(self.stages) if stage.objective == objective and event.kind == "dead"}
        if same:
            return after | same
        fights = all(q.behaviour.startswith("attack_in") for n in after for q in self.stages[n].squads)
        if after and (fights or not isinstance(objective, dsl.Elimination)) and not isinstance(objective, dsl.Time):
            for number in after:  # they go on with what they did until then
                self.stages[number].objective, self.stages[number].ends = objective, True
            return after
        return {self.add(self.present(ids) or self.here(ids, Clause(), "stay"), after, objective)}

    def present(self, ids: Ids) -> list[Squad]:
        """Return what units are told now by the plan that is followed."""
        if self.running is None or self.last_of(ids):
            return []
        told: dict[int, tuple[dsl.Step, int]] = {}
        for step in self.running.plan.steps:
            if step.id not in self.running.achieved and self.running.achieved.issuperset(step.prerequisites):
                for number, group in enumerate(step.groups):
                    told |= {unit: (step, number) for unit in group.units.ids(len(self.scene.facts.own.types))}
        parts: dict[tuple[dsl.Step, int], list[int]] = {}
        for unit in ids.tolist():
            if unit in told:
                parts.setdefault(told[unit], []).append(unit)
        found: dict[tuple[dsl.Step, int], Squad] = {}
        for (step, number), units in parts.items():
            group = step.groups[number]
            cover = group.cover or (group.behind is not None and step.leader(group).cover)
            found[step, number] = Squad(np.array(units), group.target, group.behaviour, group.types, group.leash, cover)
        for (step, number), squad in found.items():
            if behind := step.groups[number].behind:
                squad.front, squad.gap = found.get((step, behind.group)), behind.gap
        return list(found.values())

    @staticmethod
    def share(event: Event, whole: int) -> int:
        """Return the amount of an event in percent."""
        return min(100, math.ceil(100 * event.amount / max(1, whole))) if event.count else event.amount

    def objective(self, event: Event, ids: Ids) -> dsl.Objective | None:
        """Return what a step must reach for an event; None, and a note, where plans of this world cannot say it."""
        scene = self.scene
        army, known = scene.facts.foe, scene.facts.context.objectives
        if event.kind == "dead":
            try:
                foes = scene.foes(event.foe or scene.enemies or Who("all", foe=True), scene.middle(ids))
            except Dead as dead:
                scene.notes.append(f"{str(dead).partition('.')[0]} already, so that this is not waited for")
                foes = scene.enemies_named(event.foe or scene.enemies or Who("all", foe=True))
            return dsl.Elimination(self.listed(foes, len(army.types)))
        if event.kind in ("losses", "enemy losses"):
            who = scene.units(event.who, named=False) if event.who and event.kind == "losses" else ids
            whole = len(who) if event.kind == "losses" else int(army.alive.sum())
            share = self.share(event, whole) or (100 if event.kind == "losses" and event.who else 0)
            if not share:
                raise Unclear("After how many losses? Say `after losses of 30%`, `once 10 enemies are dead`.")
            objective: dsl.Objective = dsl.Losses(share) if event.kind == "losses" else dsl.EnemyLosses(share)
        elif event.kind == "ticks":
            objective = dsl.Time(max(1, event.amount))
        else:
            if event.kind == "sighted" and event.foe is not None and (event.foe.ids or event.amount > 1):
                raise Unclear("Plans wait for the sight of any enemy, not of so many, and not of one by its number.")
            objective = dsl.Sighted()
        if objective.word not in known:
            self.scene.notes.append(
                f"plans of this world cannot wait for {reached(scene, objective)}, so that is left out"
            )
            return None
        return objective

    def until(self, clause: Clause, ids: Ids, first: int) -> None:
        """Let the last stage of a clause end with what was said."""
        event = clause.until
        last = [len(self.stages) - 1] if len(self.stages) > first else sorted(self.last_of(ids))
        if event is None or event.kind == "arrive" or not last:
            return
        objective = self.objective(event, ids)
        if objective is None:
            return
        stage = self.stages[last[-1]]
        others = [squad for squad in stage.squads if not len(np.intersect1d(squad.ids, ids))]
        if others and len(self.stages) <= first:  # those whom they follow go on
            self.add([replace(squad) for squad in others], {last[-1]})
        if isinstance(objective, dsl.Time) and clause.places and "stay" not in clause.verbs[:1]:
            self.add([replace(squad) for squad in stage.squads], {len(self.stages) - 1}, objective)
        else:
            stage.objective, stage.ends = objective, True

    def act(self, clause: Clause, verbs: set[str], ids: Ids, after: set[int]) -> str:
        """Add the stages of a clause, by the strongest of its verbs."""
        scene = self.scene
        arranged = not verbs and clause.who and clause.link != "then"  # `..., archers ten metres back`
        alone = len(clause.places) == 1 and clause.places[0].value == "back" and self.stages
        if alone and (verbs & {"hold", "stay"} or (arranged and clause.places[0].metres)):
            clause.places = [Place("beside", "behind", of=(Who("rest"),), metres=clause.places[0].metres)]
        if clause.places and all(place.kind == "same" for place in clause.places) and verbs <= {"hold", "stay"} and (
            self.last_of(ids) and not (clause.when or clause.who or (clause.until and clause.until.kind != "dead"))
        ):  # fmt: skip
            return self.hold_there(clause, ids)
        lined = bool(scene.heard) and (scene.heard[-1].kind == "box" or scene.heard[-1].value == "row")
        beside = [  # `behind it`, said of a line, is behind those who form it
            replace(p, of=(Who("they"),)) if lined and p.of[0] == Place("same") else p
            for p in clause.places
            if p.kind == "beside"
        ]
        near = [place for place in beside if place.value in ("behind", "front") or place.value in COMPASS]
        if len(clause.who) < 2 and any(p.kind in ("at", "y") for p in clause.places):
            near = []
        if len(clause.who) < 2 and any(p.kind in ("feature", "at", "goal") for p in clause.places):
            near = [p for p in near if isinstance(p.of[0], Who) and p.of[0].base not in ("they", "rest")]
        behind = next((p for p in near if isinstance(p.of[0], Who) and not p.of[0].foe), None)
        if len(self.shared) and clause.link != "then" and not len(np.setdiff1d(ids, self.shared)) and not (
            clause.foe or clause.manner - {"together"} or behind or clause.when or verbs & {"retreat", "attack"}
        ) and all(place.every or place.kind in ("same", "units") for place in clause.places):  # fmt: skip
            return "share out over them, as was said"
        if "match" in verbs:
            return self.match(clause, ids, after)
        if behind is not None and "retreat" not in verbs:
            return self.behind(clause, behind, ids, after)
        if "resume" in verbs and not clause.places:
            self.resumed |= {unit: after for unit in ids.tolist()}
            return "go on with their orders"
        if "retreat" in verbs or (verbs & {"avoid"} and not clause.places and not clause.foe):
            return self.retreat(clause, ids, after)
        if any(place.every for place in clause.places) and not verbs & {"attack"} and not clause.manner & {"in turn"}:
            return self.share_out(clause, ids, after)
        if words := self.spread(clause, verbs, ids, after):
            return words
        if "flank" in verbs and (clause.foe or not any(p.kind in ("feature", "at", "markers") for p in clause.places)):
            return self.flank(clause, ids, after)
        if clause.own and clause.who and verbs & {"follow", "shield", "hold", "gather"}:
            return self.follow(clause, ids, after)
        if "hide" in verbs:
            return self.hide(clause, ids, after)
        if clause.foe and "avoid" in verbs and not clause.places:
            return self.avoid(clause, ids, after)
        if (clause.foe and not verbs & {"avoid", "hold", "stay"}) or (
            "attack" in verbs and not (clause.places or "stay" in verbs)
        ):
            return self.attack(clause, ids, after)
        if clause.places:
            return self.go(clause, verbs, ids, after)
        helps = "follow" in verbs and not clause.until
        if helps and len(others := np.setdiff1d(np.array(sorted(scene.named), int), ids)):  # `come to help`
            cell = scene.terrain.near(scene.middle(others))
            scene.labels.setdefault(cell, f"{cell}, with {scene.who(others)}")
            self.add(self.squads(ids, cell, clause, "fight"), after)
            return ""
        rest = bool(clause.who) and clause.who[0].base == "rest"
        if rest and verbs and verbs <= {"hold", "stay"} and self.running is not None and not (
            self.last_of(ids) or clause.until or clause.when or clause.leash or clause.manner
        ):  # fmt: skip
            self.resumed |= {unit: after for unit in ids.tolist()}
            return "go on with their orders"
        if verbs & {"stay", "stand"} and clause.link == "and" and " where " in clause.text and self.last_of(ids):
            raise Unclear(f"`{clause.text}`: are they to stay, or to do what was said before?")
        if verbs & {"hold", "stay", "stand"} or clause.until or clause.when or clause.leash:
            if (
                clause.link != "then"
                and not clause.until
                and not clause.when
                and self.last_of(ids)
                and verbs & {"hold"}
            ):
                return self.hold_there(clause, ids)
            wanted = "stand" if "stand" in verbs or "peace" in clause.manner else "stay"
            self.add(self.here(ids, clause, wanted), after)
            return ""
        if "gather" in verbs:
            spot = scene.terrain.near(scene.middle(ids))
            self.add(self.squads(ids, spot, clause, "go"), after)
            return ""
        raise Unclear(f"Where {'are they' if len(ids) > 1 else 'is it'} to go? {scene.places()}")

    def grouped(self, ids: Ids) -> list[Ids]:
        """Return units in groups that stand, or will stand, together; all of them where there are many such groups."""
        scene, spots = self.scene, dict[Cell, list[int]]()
        for unit in ids.tolist():
            known = scene.spots.get(unit)
            x, y = known or scene.facts.own.position[unit]
            step = 1 if known else max(15, scene.size // 8)
            spots.setdefault((int(x // step), int(y // step)), []).append(unit)
        return [np.array(units) for units in spots.values()] if len(spots) <= MOST_SQUADS else [ids]

    def here(self, ids: Ids, clause: Clause, wanted: str) -> list[Squad]:
        """Return units as squads where they stand, or will stand."""
        near, middle = self.scene.terrain.near, self.scene.middle
        return [squad for part in self.grouped(ids) for squad in self.squads(part, near(middle(part)), clause, wanted)]

    def stops(self, places: Sequence[Place], ids: Ids, covered: bool = False) -> list[Spot]:
        """Return places in order as cells with names; those that are only passed come first.

        A place beside something, or a direction, after a wood says where in it: `the wood, just north of the bridge`.
        """
        scene, found = self.scene, list[Spot]()
        here, wood = scene.middle(ids), False
        foes = {
            each: each.of[0]
            for each in places
            if each.kind == "units" and isinstance(each.of[0], Who) and each.of[0].foe
        }
        certain = [each for each, who in foes.items() if who.where is not None]  # `to the enemies north of the wood`
        inner = [each for each in places if each in certain or not (each in foes or (certain and each.kind == "home"))]
        inner = [each for each in inner if each.kind != "same"] or inner[:1]
        if any(each.kind == "markers" and each.value == "all" for each in inner):
            inner = [each for each in inner if each.kind != "markers" or each.value == "all"]
        ends = [place for place in inner if not place.via]
        last = (
            inner[-1]
            if inner and not ends and inner[-1].kind == "feature" and inner[-1].value and not inner[-1].every
            else None
        )
        if last and last.value and scene.features(last, here)[0].kind == "bridge":  # `over the bridge` ends beyond it
            inner = [*inner, Place("beside", "far_side", of=(last,))]
        ordered = sorted(inner, key=lambda place: not place.via) if len(ends) == 1 else inner
        for number, place in enumerate(ordered):
            side = place.kind == "part" and place.dir and not place.value and not place.of
            if side and (ordered[number + 1 : number + 2] or (wood and covered)):
                continue  # `south to the corner`
            before = scene.middle(ids) if not found[:-1] else found[-2][0]
            if wood and place.kind == "beside" and covered:
                cell, name = scene.spot(ordered[number - 1], scene.spot(place, before)[0])
                found[-1] = (cell, name)
            else:
                found += scene.around(place, here)
                for cell, name in scene.all_spots(place, scene.middle(ids) if place.value == "far_side" else here):
                    found.append((scene.hidden(cell) if covered and place.kind == "part" else cell, name))
                    here = found[-1][0]
            wood = place.kind == "feature" and not place.every and scene.told[-1].kind == "forest"
            scene.heard.append(place)
        return found

    def go(self, clause: Clause, verbs: set[str], ids: Ids, after: set[int]) -> str:
        """Units go to places one after another."""
        holding = bool(verbs & {"hold", "stay", "spread"}) and not clause.manner & {"peace"}
        holding &= clause.leash is None
        wanted = "fight" if "attack" in verbs else "hold" if holding else "stand" if "stand" in verbs else "go"
        if any(p.kind == "feature" and p.value == "forest" for p in clause.places) and "attack" not in verbs:
            clause.manner.add("cover")
        if len(clause.places) == 1 and clause.places[0].kind in ("way", "y", "zone", "home"):
            return self.shift(clause, wanted, ids, after)
        stops = self.stops(clause.places, ids, "cover" in self.said(ids, clause))
        stops = stops[::-1] if "backward" in clause.manner else stops
        if not stops:
            raise Unclear(f"Where are they to go? {self.scene.places()}")
        if holding and len({name for _, name in stops}) > 1 and not clause.manner & {"cover", "in turn"}:
            raise Unclear(
                f"Are they to hold {listing(phrases=[name for _, name in stops], joint='and')} one after another, "
                "or in parts? Say who holds which."
            )
        for number, (cell, _) in enumerate(stops):
            last = number == len(stops) - 1
            doing = wanted if last or wanted != "hold" else "go"
            squads = self.squads(ids, cell, clause, doing, behind=GAP if holding and last else 0)
            after = {self.add(squads, after)}
        return ""

    def shift(self, clause: Clause, wanted: str, ids: Ids, after: set[int]) -> str:
        """Units move in a direction, or to a row, from where each group of them stands."""
        scene, squads = self.scene, list[Squad]()
        for part in self.grouped(ids):
            squads += self.squads(part, scene.spot(clause.places[0], scene.middle(part))[0], clause, wanted)
        self.add(squads, after)
        return ""

    def hold_there(self, clause: Clause, ids: Ids) -> str:
        """Let units hold where the last clause sends them."""
        for number in self.last_of(ids):
            stage = self.stages[number]
            mine = [squad for squad in stage.squads if len(np.intersect1d(squad.ids, ids))]
            stage.squads = [squad for squad in stage.squads if squad not in mine] + [
                replace(new, types=squad.types, front=squad.front, gap=squad.gap)
                for squad in mine
                for new in self.squads(squad.ids, squad.cell, clause, "hold")
            ]
        return ""

    def parts(self, ids: Ids, count: int) -> list[Ids]:
        """Return units in so many parts with an equal share of each type, lowest ids first."""
        kinds = np.array(self.scene.facts.own.types)[ids]
        split = [np.array_split(ids[kinds == kind], count) for kind in dict.fromkeys(kinds)]
        return [np.sort(np.concatenate([each[number] for each in split])) for number in range(count)]

    def share_out(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Share units out over all features of a kind, each with units of every type, at the end that is ours."""
        scene, spots = self.scene, list[Spot]()
        self.shared = ids
        for place in clause.places:
            here = scene.middle(ids)
            if place.kind == "feature":
                found = scene.features(place, here)
                spots += [
                    (self.inner(each.place) if each.kind == "bridge" else each.place, each.name) for each in found
                ]
            elif place.kind != "same":
                spots += scene.all_spots(place, here)
        if not spots:
            raise Unclear(f"Over which places are they to be shared out? {scene.places()}")
        parts = self.parts(ids, len(spots))
        squads = [
            squad
            for (cell, _), part in zip(spots, parts, strict=True)
            if len(part)
            for squad in self.squads(part, cell, clause, "hold", behind=GAP)
        ]
        self.add(squads, after)
        return f"share out over {listing(phrases=dict.fromkeys(name for _, name in spots), joint='and')}"

    def inner(self, centre: Cell) -> Cell:
        """Return the cell just off a bridge on the side of what is guarded, or of our army."""
        scene, own = self.scene, self.scene.facts.own
        home = scene.facts.guarded or tuple(own.position[own.alive].mean(0))
        x, y = np.indices(scene.terrain.enter.shape)
        far = np.hypot(x - centre[0], y - centre[1])
        straight = np.array(home, float) - centre
        straight /= np.linalg.norm(straight) or 1.0
        ring = (far >= 6) & (far <= 10) & scene.terrain.enter
        return scene.terrain.near((centre[0] + 9 * straight[0], centre[1] + 9 * straight[1]), ring)

    def spread(self, clause: Clause, verbs: set[str], ids: Ids, after: set[int]) -> str:
        """Spread units over a row, an area or between two places, or only name squads; nothing for other clauses."""
        scene = self.scene
        side = scene.heard[-1] if scene.heard and not clause.who and "width" in clause.text else None
        if (
            side and side.kind == "part" and side.dir and side.value == "edge"
        ):  # `at the south edge, over the full width`
            clause.places = [side]
        count, line = max(0, clause.squads), self.line(clause, verbs, ids)
        if line is None:
            return self.split(clause, verbs, ids, count)
        (ax, ay), (bx, by), cells = line
        if not cells:
            count = count or max(2, round(math.dist((ax, ay), (bx, by)) / SPACING))
            kinds = np.array(scene.facts.own.types)[ids]
            count = max(1, min(count, MOST_SQUADS, *((kinds == kind).sum() for kind in set(kinds))))
            shares = [(number + 0.5) / count for number in range(count)]
            cells = [scene.terrain.near((ax + (bx - ax) * share, ay + (by - ay) * share)) for share in shares]
        if count and not verbs & {"spread"}:
            scene.squads = dict(enumerate(self.parts(ids, count), 1))
        back = scene.back(((ax + bx) / 2, (ay + by) / 2), (bx - ax, by - ay))
        squads = [
            squad
            for cell, part in zip(cells, self.parts(ids, len(cells)), strict=True)
            if len(part)
            for squad in self.squads(part, cell, clause, "hold", behind=GAP, back=back)
        ]
        self.add(squads, after)
        return "spread"

    def split(self, clause: Clause, verbs: set[str], ids: Ids, count: int) -> str:
        """Split units into squads that are named by their numbers; nothing if they are to go somewhere."""
        scene = self.scene
        if clause.places or clause.foe or not (verbs & {"split", "spread"} or clause.squads):
            return ""
        if clause.squads == 0 and "split" not in verbs:
            raise Unclear("Over which place are they to spread? Say `spread over the middle row`.")
        if clause.squads < 0 or not (count or "split" in verbs):
            return "form squads, as many as are needed"
        count = count or 2
        if count > len(ids):
            raise Unclear(f"{plural(len(ids), 'unit')} cannot be split into {count} squads.")
        kinds = np.array(scene.facts.own.types)[ids]
        there = list(dict.fromkeys(kinds))
        by_type = count == len(there) and "type" in clause.text.lower()
        parts = [ids[kinds == kind] for kind in there] if by_type else self.parts(ids, count)
        scene.squads = dict(enumerate(parts, 1))
        return f"are split into {count} squads"

    def line(self, clause: Clause, verbs: set[str], ids: Ids) -> tuple[Vector, Vector, list[Cell]] | None:
        """Return the ends of the line that a clause spreads units over, and the cells where these are said."""
        scene, here, last = self.scene, self.scene.middle(ids), self.scene.size - 1.0
        wide, no_cells = "spread" in verbs, list[Cell]()
        places = [place if place.kind != "same" or not scene.heard else scene.heard[-1] for place in clause.places]
        for place in places:
            if place.kind == "span" and isinstance(place.value, tuple):
                along = next((each for each in places if each is not place), None)
                y = float(scene.spot(along, here)[0][1]) if along is not None else here[1]
                return (float(place.value[0]), y), (float(place.value[-1]), y), no_cells
            if place.kind == "xs":
                cells = [cell for cell, _ in scene.all_spots(place, here)]
                return (0.0, float(cells[0][1])), (last, float(cells[0][1])), cells
            if place.kind == "box" and isinstance(place.value, tuple):
                (ax, ay), (bx, by), _ = place.value
                return (float(ax), float(ay)), (float(bx), float(by)), no_cells
        points = [scene.spot(place, here)[0] for place in places if place.kind in ("at", "markers", "feature")]
        if len(points) == 2 == len(places) and wide:
            return (float(points[0][0]), float(points[0][1])), (float(points[1][0]), float(points[1][1])), no_cells
        if wide and len(places) == 1 and places[0].kind == "at":  # a line at a place, across the way to the enemy
            (px, py), (ux, uy) = points[0], scene.back(points[0])
            wing = 2 * SPACING
            ends = [
                tuple(min(max(each, 0), last) for each in (px + k * uy * wing, py + k * ux * wing)) for k in (-1, 1)
            ]
            return (ends[0][0], ends[0][1]), (ends[1][0], ends[1][1]), no_cells
        ring = any(place.value == "ring" for place in places)
        around = next((place for place in places if place.kind in ("feature", "beside", "at", "units")), None)
        if ring and around is not None:
            anchor = around.of[0] if around.kind == "beside" else around
            (x, y), (half_x, half_y) = scene.extent(anchor, here)
            self.rings += 1
            far = max(half_x, half_y) + GAP * self.rings
            turns = [number * math.pi / 4 for number in range(8)]
            cells = [scene.terrain.near((x + far * math.cos(turn), y + far * math.sin(turn))) for turn in turns]
            return (x - far, y), (x + far, y), cells
        level_said = next((place.value for place in places if place.kind == "y"), None)
        if isinstance(level_said, int) and (wide or any(place.value in ("row", "half") for place in places)):
            west, east = (any(place.dir == side for place in places) for side in "we")  # `the left half of the line`
            x0, x1 = last / 2 if east and not west else 0.0, last / 2 if west and not east else last
            return (x0, float(level_said)), (x1, float(level_said)), no_cells
        part = next((place for place in places if place.kind == "part"), None)
        if part is None and len(places) == 1 and places[0].kind == "feature" and wide:
            (x, y), (half_x, half_y) = scene.extent(places[0], here)
            dx, dy = (half_x, 0.0) if half_x >= half_y else (0.0, half_y)
            return (x - dx, y - dy), (x + dx, y + dy), no_cells
        row = part is not None and part.value == "row" and len(ids) > 1
        if part is None or not (row or wide or clause.squads):
            return None
        if part.of:  # along a side of something, just outside it
            (x, y), (half_x, half_y) = scene.extent(part.of[0], here)
            dx, dy = COMPASS.get(part.dir, (0.0, 0.0))
            if dx:
                return (x + dx * (half_x + 4), y - half_y), (x + dx * (half_x + 4), y + half_y), no_cells
            return (x - half_x, y + dy * (half_y + 4)), (x + half_x, y + dy * (half_y + 4)), no_cells
        sides = {place.dir for place in places if place.kind == "part"}
        spot = scene.spot(part, here)[0]
        if part.value == "column" or (part.dir in ("e", "w") and part.value in ("edge", "row") and len(sides) == 1):
            return (float(spot[0]), 0.0), (float(spot[0]), last), no_cells
        level = {"n": 0.8, "s": 0.2}.get(part.dir[:1], 0.5) * last
        if part.value == "edge" and part.dir in ("n", "s"):
            level = float(spot[1])
        elif not (row or part.value in ("edge", "centre") or part.dir in ("n", "s")):
            level = here[1]
        return (0.0, level), (last, level), no_cells

    def match(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Send each type against the type that it beats; those whose enemy stands farther wait for the others."""
        scene = self.scene
        kinds, theirs = np.array(scene.facts.own.types), np.array(scene.facts.foe.types)
        alive = scene.facts.foe.alive
        pairs = [
            (mine, their)
            for mine, their in scene.facts.beats
            if (kinds[ids] == mine).any() and (alive & (theirs == their)).any()
        ]
        if not pairs:
            raise Unclear("No type of your army beats a type of the enemy here.")
        far = {their: scene.foe_middle(np.nonzero(alive & (theirs == their))[0]) for _, their in pairs}
        here, first = scene.middle(ids), set[int]()
        pairs.sort(key=lambda pair: math.dist(here, far[pair[1]]))
        for mine, their in pairs:  # the way to those who stand farther leads past the others
            part, foes = ids[kinds[ids] == mine], np.nonzero(alive & (theirs == their))[0]
            squads = self.squads(part, scene.terrain.near(far[their]), clause, "fight", types=(their,))
            later = math.dist(here, far[their]) > 1.2 * math.dist(here, far[pairs[0][1]])
            waits = after | first if later else after
            share = 1 - (scene.facts.sight + 12) / math.dist(here, far[their])
            if later and share > 0:  # a long way strings units out: they gather out of sight
                x, y = (a + share * (b - a) for a, b in zip(here, far[their], strict=True))
                waits = {self.add(self.squads(part, scene.terrain.near((x, y)), clause, "go"), waits)}
            number = self.add(squads, waits, dsl.Elimination(self.listed(foes, len(theirs))))
            first |= set() if later else {number}
        rest = [kind for kind in dict.fromkeys(kinds[ids]) if kind not in {mine for mine, _ in pairs}]
        left = f"; {listing(phrases=rest, joint='and')} beat no type here and get no order" if rest else ""
        return f"attack by what they beat{left}"

    def behind(self, clause: Clause, place: Place, ids: Ids, after: set[int]) -> str:
        """Place units behind others wherever these are sent, at the side away from the enemy; or in front of them."""
        scene = self.scene
        assert isinstance(place.of[0], Who)
        others = place.of[0]
        if (
            others.base in ("rest", "they") and len(clause.who) > 1 and clause.who[0].base == "type"
        ):  # `spearmen, archers behind`
            leaders, followers = scene.units(clause.who[:-1]), scene.units(clause.who[-1:])
        else:
            of = Who("all", minus=clause.who) if others.base == "rest" and clause.who else others
            leaders, followers = scene.units([of], named=False), ids
        leaders = np.setdiff1d(leaders, followers)
        if place.value == "front":
            leaders, followers = (followers, leaders) if others.base == "rest" else (leaders, followers)
        if not len(followers) or not len(leaders):
            raise Unclear("Who is to stand beside whom? Name two different groups.")
        more = [each for each in clause.places if each is not place and each.kind not in ("same", "units")]
        gap = place.metres or GAP
        toward = COMPASS.get(str(place.value))
        side = next((each.dir for each in clause.places if each.kind == "part" and not (each.value or each.of)), "")
        if side and place.value == "behind":  # `behind them on the right`
            more = [each for each in more if each.dir != side]
            (ax, ay), (bx, by) = COMPASS[side], scene.back(scene.middle(leaders))
            long = math.hypot(ax + bx, ay + by) or 1.0
            toward = (ax + bx) / long, (ay + by) / long
        if more and not self.last_of(leaders):
            self.act(replace(clause, places=more, who=()), set(clause.verbs) | {"hold"}, leaders, after)
        if place.value == "front" and others.base != "rest":
            cell = scene.relative(leaders, -gap, "in front of")
            self.add(self.squads(followers, cell, clause, "hold"), self.last_of(followers))
        elif not self.mirror(followers, leaders, gap, clause, toward):
            side = f"{NAMED[str(place.value)]} of" if place.value in NAMED else "behind"
            self.add(self.squads(followers, scene.relative(leaders, gap, side, toward), clause, "hold"), after)
        return ""

    def mirror(self, followers: Ids, leaders: Ids, gap: int, clause: Clause, toward: Vector | None = None) -> bool:
        """Put followers behind leaders, or beside them, wherever these go; return whether they go anywhere."""
        scene, found, lead = self.scene, False, set(leaders.tolist())
        for stage in self.stages:
            fronts = [squad for squad in stage.squads if lead & set(squad.ids.tolist())]
            if not fronts:
                continue
            found = True
            (ax, ay), (bx, by) = fronts[0].cell, fronts[-1].cell
            line = (float(bx - ax), float(by - ay)) if (ax, ay) != (bx, by) else None
            back = toward or (None if scene.facts.guarded else scene.back((ax, ay), line))
            old = {unit: squad for squad in stage.squads for unit in squad.ids.tolist()}
            for squad in stage.squads:
                squad.ids = np.setdiff1d(squad.ids, followers)
            stage.squads = [squad for squad in stage.squads if len(squad.ids)]
            for front, part in zip(fronts, self.parts(followers, len(fronts)), strict=True):
                for squad in self.squads(part, scene.away(front.cell, gap, back), clause, "hold") if len(part) else []:
                    before = old.get(int(squad.ids[0]))
                    if front.behaviour == "follow_map" or (before and not clause.manner):
                        squad.behaviour = front.behaviour if front.behaviour == "follow_map" else before.behaviour  # type: ignore[union-attr]
                    if len(fronts) == 1 and not toward and "behind" in scene.facts.context.orders:
                        squad.front, squad.gap, squad.cell = front, gap, front.cell
                    stage.squads.append(squad)
                    scene.spots |= dict.fromkeys(squad.ids.tolist(), scene.away(front.cell, gap, back))
        return found

    def follow(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Units go wherever others go, a little behind."""
        leaders = self.scene.units(clause.own, named=False)
        if clause.places and self.last_of(ids):  # `then join the cavalry at the bridge`
            return self.go(clause, {"go"}, ids, after)
        if clause.places and not self.last_of(leaders):  # `escort the archers over the bridge`
            self.go(clause, {"go"}, np.setdiff1d(leaders, ids), after)
        if not len(np.setdiff1d(leaders, ids)):  # `everybody follows the cavalry`
            ids = np.setdiff1d(ids, leaders)
        leaders = np.setdiff1d(leaders, ids)
        if not len(leaders) or not len(ids):
            raise Unclear("Whom are they to follow? Name another group.")
        if clause.when or not self.mirror(ids, leaders, GAP, clause):
            cell = self.scene.away(self.scene.middle(leaders), 0)
            self.add(self.squads(ids, cell, clause, "go"), after)
        return ""

    def retreat(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Units go back without fighting, to a place or away from the enemy."""
        metres = next((place.metres for place in clause.places if place.kind == "way" and place.metres), 40)
        places = [place for place in clause.places if place.kind != "way"]
        stops = self.stops(places, ids) or [(self.scene.away(self.scene.middle(ids), metres), "")]
        for cell, _ in stops:
            after = {
                self.add(self.squads(ids, cell, replace(clause, manner=clause.manner | {"peace"}), "peace"), after)
            }
        return ""

    def avoid(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Units keep away from enemies: they attack the other types, or go away."""
        scene = self.scene
        theirs = dict.fromkeys(np.array(scene.facts.foe.types)[scene.facts.foe.alive].tolist())
        shunned = scene.types([name for each in clause.foe for name in each.names], scene.facts.foe) if all(
            each.names for each in clause.foe
        ) else list(theirs)  # fmt: skip
        left = tuple(kind for kind in theirs if kind not in shunned)
        if not left:
            return self.retreat(replace(clause, foe=[]), ids, after)
        shun = replace(
            clause, manner=clause.manner - {"peace"}, foe=[Who("type", foe=True, names=left)], verbs=["attack"]
        )
        self.attack(shun, ids, after)
        return f"keep off {listing(shunned, 'and')}"

    def hide(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Units go under trees, and do not fight."""
        if not clause.places and self.last_of(ids):  # where they were sent
            self.add(self.here(ids, replace(clause, manner=clause.manner | {"peace", "cover"}), "peace"), after)
            return ""
        if not any(place.kind not in ("part", "way") or place.of for place in clause.places):
            spot = next((place.dir for place in clause.places if place.dir), "")
            clause.places = [Place("feature", "forest", dir=spot)]
        clause.manner |= {"peace", "cover"}
        return self.go(clause, {"go"}, ids, after)

    def targets(self, meant: Sequence[Who], ids: Ids) -> tuple[Ids, tuple[str, ...]]:
        """Return the ids of the enemies that are meant, and the types that were named."""
        scene = self.scene
        foes = np.unique(np.concatenate([scene.foes(each, scene.middle(ids)) for each in meant]))
        names = (kind for each in meant if each.names for kind in scene.types(each.names, scene.facts.foe))
        return foes, tuple(dict.fromkeys(names))

    def attack(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Units go where the enemies stand that are meant, group after group, until these are dead."""
        scene = self.scene
        meant = clause.foe or [Who("all", foe=True)]
        by = self.stops(clause.places, ids) if clause.places else []
        for cell, _ in by:
            after = {self.add(self.squads(ids, cell, clause, "go"), after)}
        foes, names = self.targets(meant, ids)
        scene.enemies = meant[0] if meant[0].base != "rest" else scene.enemies
        some = any(each.part is not None or each.ids or each.number for each in meant)
        words = f"against {scene.chosen(meant, foes)}" if some else ""
        placed = [squad for number in self.last_of(ids) for squad in self.stages[number].squads]
        joined = clause.link != "then" and not clause.who and self.placed
        if "shoot" in clause.deeds and (by or joined):  # from there, and not on the way to them
            squads = [
                new
                for squad in placed
                if len(mine := np.intersect1d(squad.ids, ids))
                for new in self.squads(mine, squad.cell, clause, "hold", types=names)
            ]
            self.add(squads, after, dsl.Elimination(self.listed(foes, len(scene.facts.foe.types))))
            return words
        army = len(scene.facts.foe.types)
        groups, here, ordered = scene.clusters(foes), scene.middle(ids), list[Ids]()
        groups = [group for group in groups if len(group) * 12 >= len(foes)][:4] or groups[:1]
        while groups:
            group = min(groups, key=lambda each: math.dist(here, scene.foe_middle(each)))
            groups = [each for each in groups if each is not group]
            ordered.append(group)
            here = scene.foe_middle(group)
        for number, group in enumerate(ordered):
            objective = dsl.Elimination(self.listed(foes if number == len(ordered) - 1 else group, army))
            cell = scene.terrain.near(scene.foe_middle(group))
            after = {self.add(self.squads(ids, cell, clause, "fight", types=names), after, objective)}
        return words

    def flank(self, clause: Clause, ids: Ids, after: set[int]) -> str:
        """Units go round the enemy on one side, or on both in two halves, and attack from there."""
        scene = self.scene
        words = pairwise(clause.items)
        which = any(one.get("dir") and other.get("foe", "squad") for one, other in words)  # `hit the northern group`
        meant = [each if which else replace(each, where=None) for each in clause.foe] or [Who("all", foe=True)]
        foes, names = self.targets(meant, ids)
        (fx, fy), (hx, hy) = scene.foe_middle(foes), scene.middle(ids)
        long = math.hypot(fx - hx, fy - hy) or 1.0
        ux, uy = (fx - hx) / long, (fy - hy) / long
        sides: dict[str, Vector] = {"left": (-uy, ux), "right": (uy, -ux)}
        said = [place.dir for place in clause.places if place.kind == "part" and place.dir]
        said += [each.where.dir for each in clause.foe if each.where is not None and each.where.dir and not which]
        one = any(re.search(r"\b(the|its|their|enemy's) (flank|side)$", item.word) for item in clause.items)
        if said:
            sides = {NAMED[said[0]]: COMPASS[said[0]]}
        elif one:  # `round the flank`: that on which they stand
            x, y = scene.middle(ids)
            mine = (x - scene.size / 2) * sides["left"][0] + (y - scene.size / 2) * sides["left"][1] > 0
            sides = {name: way for name, way in sides.items() if (name == "left") == mine}
        off = scene.facts.foe.position[foes] - (fx, fy)
        wide = max(20.0, float(np.abs(off @ np.array(next(iter(sides.values())))).max()) + 18)
        by = self.stops([place for place in clause.places if place.kind != "part"], ids)
        objective = dsl.Elimination(self.listed(foes, len(scene.facts.foe.types)))
        for (x, y), part in zip(sides.values(), self.parts(ids, len(sides)), strict=True):
            before = after
            for cell, _ in [*by, (scene.terrain.near((fx + x * wide, fy + y * wide)), "")]:
                before = {self.add(self.squads(part, cell, clause, "go"), before)} if len(part) else before
            if len(part):
                self.add(
                    self.squads(part, scene.terrain.near((fx, fy)), clause, "fight", types=names), before, objective
                )
        where = f"the {next(iter(sides))}" if len(sides) == 1 else "both sides, in two halves"
        return f"go round on {where}"

    @staticmethod
    def listed(ids: Ids, whole: int) -> dsl.UnitList:
        """Return ids as a list of a plan: `all`, or single ids and slices."""
        if len(ids) == whole:
            return dsl.UnitList(None)
        return unit_list(ranges((unit, unit + 1) for unit in ids.tolist()), NO_SPAN)
