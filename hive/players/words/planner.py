"""Clauses to stages of a plan: what each group of units does where, and what it waits for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

import dsl
from dsl.id_ranges import ranges, unit_list
from dsl.source import NO_SPAN
from dsl.wording import listing
from hive.ground.places import Vector
from hive.kit.facts import Cell, Facts, Ids, Running
from hive.players.words.clauses import Clause
from hive.players.words.meaning import Amount, Event, Manner, Place, Squads, Who
from hive.players.words.places import World
from hive.players.words.world import COMPASS, GAP, NAMED, Dead, Spot, Unclear, grown

MOST_GROUPS = 40  # that are told apart by where they stand
SPACING, MOST_SQUADS = 15, 16  # metres between the squads of a line: about what units see
NEAR, LEASH = 5, 10  # metres from a place at which units stand there, and that they stray from one that they hold
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
HOW = {
    "peace": "do not fight", "cover": "go under cover", "distance": "keep their distance", "leash": "do not chase",
    "close": "fight at close range", "fast": "go at full speed, as always", "together": "gather at each place",
}  # fmt: skip
CONTRARY = (
    ({"hold", "stay", "stand"}, {"retreat"}), ({"attack"}, {"retreat"}), ({"hide"}, {"attack"}),
    ({"stay", "stand", "retreat"}, {"go"}), ({"stand"}, {"attack"}),
)  # fmt: skip


@dataclass(eq=False)
class Squad:
    """Units of a stage with a place and a behaviour."""

    ids: Ids
    cell: Cell
    behaviour: str
    types: tuple[str, ...] = ()
    leash: int | None = None
    cover: bool = False
    front: Squad | None = None  # whom they stay behind
    gap: int = GAP


@dataclass(eq=False)
class Stage:
    """A step of the plan before it is written: what it waits for are numbers of earlier stages."""

    squads: list[Squad]
    after: set[int] = field(default_factory=set)
    objective: dsl.Objective = field(default_factory=dsl.Position)
    ends: bool = False  # whether its objective was said, or is that of an attack
    clause: int = 0

    def units(self) -> set[int]:
        """All units of the stage."""
        return {unit for squad in self.squads for unit in squad.ids.tolist()}


def listed(ids: Ids, whole: int) -> dsl.UnitList:
    """Return ids as a list of a plan: `all`, or single ids and slices."""
    if len(ids) == whole:
        return dsl.UnitList(None)
    return unit_list(ranges((unit, unit + 1) for unit in np.unique(ids).tolist()), NO_SPAN)


class Planner:
    """The stages of an order, clause by clause."""

    def __init__(self, facts: Facts, running: Running | None = None) -> None:
        """Begin without stages."""
        self.world, self.running, self.facts = World(facts), running, facts
        self.stages: list[Stage] = []
        self.before: set[int] = set()  # stages of the last clause
        self.sentence: list[Ids] = []  # whom the clauses of the present sentence named
        self.resumed: dict[int, set[int]] = {}  # units that go on with the running plan, and what they wait for first
        self.zones: list[tuple[set[int], np.ndarray]] = []  # units, and the cells that they are not to leave
        self.manners: list[tuple[set[int], set[str]]] = []  # how some units act in all that they do
        self.number = 0  # of the present clause
        self.bare: list[Clause] = []  # clauses that hold for what others say
        self.told: list[tuple[int, Clause, set[int]]] = []  # those that say how units act, and which
        self.shared: Ids = np.zeros(0, int)  # units that were shared out over places
        self.starts: list[Event] = []  # what the last clause waits for
        self.followed = 0  # stages before the last `then`
        self.waiting: int | None = None  # the stage in which the units of the last clause wait
        self.said: dict[int, list[str]] = {}  # notes by clause
        self.shown: dict[int, list[int]] = {}  # stages that a clause changed, by clause

    def note(self, text: str) -> None:
        """Say something in the line of the present clause."""
        self.said.setdefault(self.number, []).append(text)

    # ---- squads and stages

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
        world, context = self.world, self.facts.context
        said = self.manner(ids, clause)
        how = next((each for each in ("peace", "distance", "close") if each in said and wanted != "stand"), wanted)
        if how == "peace" and wanted == "fight":
            how = "fight"
        types_of = np.array(self.facts.own.types)
        reach = {kind: world.range_of(kind) for kind in dict.fromkeys(types_of[ids].tolist())}
        found: dict[tuple[str, Cell], list[int]] = {}
        for kind, far in reach.items():
            mine = ids[types_of[ids] == kind]
            walks = how in ("hold", "stay") and math.dist(world.middle(mine), cell) > NEAR  # `hold` never steps
            key = "go" if walks or (kind == "civilian" and how == "fight") else how
            name = next((each for each in BEHAVIOURS[key, far] if each in context.behaviours), None)
            if name is None:
                raise Unclear(f"Units of this world cannot {how}: they know {listing(context.behaviours, 'and')}.")
            place = (
                world.away(cell, behind, back) if behind and len(set(reach.values())) > 1 and far == "ranged" else cell
            )
            found.setdefault((name, place), []).extend(mine.tolist())
        leash = next((each.metres for each in clause.manner if each.how == "leash" and each.metres), None)
        limit = leash or (LEASH if how in ("hold", "stay") or "leash" in said else None)
        within = "within" in context.orders
        leashed = ("attack_and_move", "attack_in_close_range", *(["attack_in_long_range"] if "leash" in said else []))
        cover = "cover" in said and "under cover" in context.orders
        for (_, place), units in found.items():
            world.spots |= dict.fromkeys(units, place)
            world.labels.setdefault(place, f"{place}")
        return [
            Squad(np.sort(units), place, name, types, limit if within and name in leashed else None, cover)
            for (name, place), units in found.items()
        ]

    def manner(self, ids: Ids, clause: Clause) -> set[str]:
        """Return how units act in a clause: what it says, and what was said of them in others."""
        mine = set(ids.tolist())
        said = {each.how for each in clause.manner}
        said |= (
            {"peace"} if any(act.denied and act.verb == "attack" for act in clause.acts) and not clause.foes else set()
        )
        said |= (
            {"leash"}
            if any(
                (act.denied and act.verb in ("go", "retreat")) or (act.denied and act.deed == "charge")
                for act in clause.acts
            )
            else set()
        )
        return said.union(*(how for units, how in self.manners if units >= mine))

    def add(self, squads: list[Squad], after: set[int], objective: dsl.Objective | None = None) -> int:
        """Add a stage and return its number."""
        self.stages.append(Stage(squads, set(after), objective or dsl.Position(), objective is not None, self.number))
        return len(self.stages) - 1

    def last_of(self, ids: Ids) -> set[int]:
        """Return the last stages of some units."""
        mine, found = set(ids.tolist()), set()
        for number in range(len(self.stages) - 1, -1, -1):
            if shared := mine & self.stages[number].units():
                found.add(number)
                mine -= shared
        return found

    def here(self, ids: Ids, clause: Clause, wanted: str) -> list[Squad]:
        """Return units as squads where they stand, or will stand."""
        world, groups = self.world, dict[Cell, list[int]]()
        for unit in ids.tolist():
            known = world.spots.get(unit)
            x, y = known or self.facts.own.position[unit]
            step = 1 if known else max(15, world.size // 8)
            groups.setdefault((int(x // step), int(y // step)), []).append(unit)
        parts = [np.array(units) for units in groups.values()] if len(groups) <= MOST_GROUPS else [ids]
        return [s for part in parts for s in self.squads(part, world.terrain.near(world.middle(part)), clause, wanted)]

    # ---- clauses

    def throughout(self, clauses: Sequence[Clause]) -> None:
        """Take in what some clauses say of all that units do, and of how long the fight lasts.

        `Archers keep their distance` holds for all that archers do, and `nobody fights` for everyone. `Destroy them
        all` beside a place that everyone is to hold is no march. What is said once of how to go, in an order that tells
        only one group, holds for the whole way.
        """
        world, last = self.world, self.world.fighters
        acting = [clause for clause in clauses if (clause.acts or clause.places or clause.foes) and not clause.bare]
        groups = {clause.who for clause in acting if clause.who is not None and clause.who.base not in ("all", "they")}
        fights = any(
            "attack" in clause.verbs or (clause.foes and not {"avoid"} & set(clause.verbs)) for clause in acting
        )
        for number, clause in enumerate(clauses):
            self.number = number
            if clause.who is not None and clause.who.base in ("all", "type", "ids"):
                with suppress(Unclear):
                    last = world.units(clause.who)
            if clause.bare:
                everyone = clause.who is None and clause.link in ("stop", "")
                ids = world.everyone if everyone or (clause.who is not None and clause.who.base == "all") else last
                self.manners.append((set(ids.tolist()), self.manner(ids, clause)))
                self.bare.append(clause)
                self.told.append((number, clause, set(ids.tolist())))
                self.note(
                    world.who(ids)
                    + " "
                    + listing(phrases=[HOW.get(each, each) for each in sorted(self.manner(ids, clause))], joint="and")
                )
            elif set(clause.verbs) == {"avoid"} and clause.foes and not clause.places and any(
                other.places and set(other.verbs) <= {"go", "retreat"} for other in acting if other is not clause
            ):  # fmt: skip
                self.manners.append((set(world.everyone.tolist()), {"peace"}))
                self.bare.append(clause)
                self.note("they are no target, so nobody fights on the way, but no way round them is planned")
            elif len(groups) <= 1 and not fights:
                how = {each.how for each in clause.manner} & {"peace", "cover"} | (
                    {"peace", "cover"} if "hide" in clause.verbs else set()
                )
                if how:
                    self.manners.append((set(world.everyone.tolist()), how))
            elif self._lasting(clause, clauses):
                self.bare.append(clause)
                self.note("the fight lasts until all enemies are dead")

    def _lasting(self, clause: Clause, clauses: Sequence[Clause]) -> bool:
        """Whether a clause only says that all enemies are to be destroyed by those who are sent to hold a place."""
        if (
            clause.places
            or clause.start
            or clause.end
            or clause.own
            or clause.squads
            or not set(clause.verbs) <= {"attack"}
        ):
            return False
        if any(each.base not in ("all", "comer", "they") for each in clause.foes) or not (
            clause.who is None or clause.who.base in ("all", "they")
        ):
            return False
        at = list(clauses).index(clause)
        return any(
            (set(other.verbs) & {"hold", "spread"} or other.squads)
            and other.places
            and (other.who is None or other.who.base == "all")
            and (
                "spread" in other.verbs
                or other.squads
                or any(p.every or p.value == "row" for p in other.places)
                or (clause.link != "then" and number < at)
            )
            for number, other in enumerate(clauses)
        )

    def idle(self) -> None:
        """Let units that were only told how to act do so where they stand, if nothing else is said of anyone."""
        told = set().union(*(stage.units() for stage in self.stages)) if self.stages else set()
        for number, clause, units in self.told:
            left = np.array(sorted(units - told), int)
            if (
                len(left)
                and self.running is None
                and ((clause.who is not None and clause.who.base != "all") or not self.stages)
            ):
                self.number = number
                self.add(self.here(left, clause, "stay"), set())
                told |= units

    def clause(self, number: int, clause: Clause) -> None:
        """Carry out a clause.

        Raises:
            Unclear: It cannot be carried out.
        """
        self.number = number
        world, verbs = self.world, set(clause.verbs)
        if clause.link in ("stop", ""):
            before, self.sentence = self.sentence, []
        else:
            before = []
        if (
            clause.squads is not None
            and clause.squads.count < 0
            and clause.who is not None
            and clause.squads.each is not None
        ):
            key = clause.who.names[0] if clause.who.names else clause.who.number
            world.squads[key] = world.units(clause.squads.each)
            self.note(f"the name of {world.who(world.squads[key])}")
            if not (clause.acts or clause.places or clause.foes):
                return world.groups.append(world.squads[key])
            clause.squads = None
        if {"split", "spread", "hold"} & set(clause.verbs):  # `share them between the bridges`
            clause.places = [
                replace(place.of[0], every=True, role="at")
                if place.kind == "between" and len(place.of) == 1 and getattr(place.of[0], "every", False)
                else place
                for place in clause.places
            ]
        clause.places = [
            each
            for place in clause.places
            for each in (place.of if place.kind == "both" and not place.every else (place,))
        ]
        split = clause.squads
        if split is not None and split.count > 0 and clause.who is not None and not world.squads and (
            clause.who.base == "squad" or (clause.who.base == "part" and clause.who.of[0].base == "some")
        ):  # fmt: skip
            self.split(split, clause, world.last)
            clause.squads = None
        ids = self.whom(clause, before)
        if not len(ids):
            raise Unclear(f"No unit is left for that. You have {world.army(self.facts.own)}.")
        if (
            any(some & verbs and others & verbs and not (clause.places or clause.foes) for some, others in CONTRARY)
            or {act.verb for act in clause.acts if act.denied} & verbs
        ):
            raise Unclear("This asks for two things that exclude each other: which of them?")
        count = len(self.stages)
        self.followed = count if clause.link == "then" else self.followed
        stays = verbs and verbs <= {"stay", "hold", "stand"} and not clause.places
        if clause.link == "and" and clause.who is not None and not clause.start and self.starts and not stays:
            clause.start = self.starts  # a condition holds for all who are named after it
        self.starts = clause.start
        again = clause.places and all(p.every or p.kind == "there" for p in clause.places)
        if len(self.shared) and again and clause.link != "then" and not (
            clause.foes or clause.start or verbs & {"retreat", "attack"} or len(np.setdiff1d(ids, self.shared))
        ):  # fmt: skip
            return self.note("shared out over them, as was said")
        if (
            clause.who is not None
            and clause.link != "then"
            and not clause.start
            and clause.who.base not in ("they", "squad")
        ):
            self.override(ids)
        after = self.last_of(ids) | (self.before if clause.link == "then" else set())
        if clause.link == "otherwise" and self.waiting is not None:
            return self.meanwhile(clause, verbs, ids)
        self.waiting = None
        for event in clause.start:
            after = self.wait(event, ids, after)
            if len(self.stages) > count and count in after:
                self.waiting = count
        self.act(clause, verbs, ids, after)
        if clause.end is not None:
            self.until(clause, ids, count)
        if clause.before is not None:
            self.note("left out: `before`, which is not understood here")
        world.named |= set(ids.tolist())
        world.groups.append(ids)
        world.heard.append((clause.words, ids))
        self.sentence.append(ids)
        if len(self.stages) > count:
            self.before = self.last_of(ids)

    def meanwhile(self, clause: Clause, verbs: set[str], ids: Ids) -> None:
        """Let units do something while they wait for what was said before: `until then they hold`."""
        assert self.waiting is not None
        stage = self.stages[self.waiting]
        first = len(self.stages)
        for unit in ids.tolist():
            self.world.spots.pop(unit, None)
        self.act(clause, verbs, ids, set(stage.after))
        if len(self.stages) > first:
            last = self.stages[-1]
            last.objective, last.ends, stage.squads, stage.after = stage.objective, True, [], {len(self.stages) - 1}
        self.waiting = None

    def override(self, ids: Ids) -> None:
        """Take units out of earlier stages that meant more than these, as they get an order of their own now."""
        mine = set(ids.tolist())
        for stage in self.stages[self.followed :]:
            if stage.units() > mine and not any(squad.front for squad in stage.squads):
                for squad in stage.squads:
                    squad.ids = np.setdiff1d(squad.ids, ids)
                stage.squads = [squad for squad in stage.squads if len(squad.ids)]
                for unit in mine:
                    self.world.spots.pop(unit, None)

    def whom(self, clause: Clause, before: Sequence[Ids]) -> Ids:
        """Return whom a clause tells; without words for them, those whom the clause before told."""
        world, who = self.world, clause.who
        if who is None:
            kinds = {world.range_of(kind) for kind in dict.fromkeys(self.facts.own.types)}
            if (
                any(act.deed == "shoot" and not act.denied for act in clause.acts)
                and not world.groups
                and len(kinds) > 1
            ):
                clause.who = Who("type", "own", names=("ranged",))
                return world.units(clause.who)
            if clause.link == "stop" and len(before) > 1:
                return np.unique(np.concatenate(before))
            return world.last
        if (
            who.base == "at" and who.pick == "perhaps"
        ):  # `the archers at the bridge retreat`, or `at the bridge, archers hold`
            try:
                return world.units(who)
            except Unclear:
                clause.who, clause.places = who.of[0], [who.where, *clause.places]
                return world.units(who.of[0])
        one = (
            who.base == "part"
            and who.of[0].base in ("some", "all")
            and who.amount
            and who.amount.value == 1
            and not who.pick
        )
        if one and (free := [key for key, squad in world.squads.items() if not set(squad.tolist()) & world.named]):
            return world.squads[free[0]]  # `two squads, one to the bridge`
        if who.base == "part" and who.amount and who.amount.vague and any(place.every for place in clause.places):
            return world.units(who.of[0])  # `a part of the army at each bridge`
        if who.side == "foe":
            raise Unclear("These are enemies, who take no orders: say who is to do that.")
        many = sum(
            len(world.spots_of(place, world.middle(world.last))) for place in clause.places if place.every
        ) or len(clause.places)
        if (
            (who.each or any(each.each for each in who.of))
            and who.of
            and who.amount
            and not who.amount.share
            and many > 1
            and clause.places
        ):
            for place in clause.places:
                clause.places[clause.places.index(place)] = (
                    replace(place, every=True) if place.kind != "both" else place
                )
            who = replace(who, amount=Amount(who.amount.value * many))
        elif who.base == "part" and who.amount and not who.amount.share and any(place.every for place in clause.places):
            who = replace(who, amount=Amount(who.amount.value * many))
        elif who.base == "union" and any(place.every for place in clause.places):
            who = replace(
                who,
                of=tuple(
                    replace(w, amount=Amount(w.amount.value * many)) if w.amount and not w.amount.share else w
                    for w in who.of
                ),
            )
        elif (
            who.base == "part"
            and who.amount
            and who.amount.share
            and any(place.every for place in clause.places)
            and who.amount.value * many <= 100
        ):
            who = replace(who, amount=Amount(who.amount.value * many, True))
        return world.units(who)

    def foes(self, clause: Clause, ids: Ids) -> tuple[Ids, tuple[str, ...]]:
        """Return the ids of the enemies of a clause, and the types that were named."""
        world = self.world
        if any(each.side == "own" for each in clause.foes):
            raise Unclear("These are of your own side: nobody attacks them. Which enemies are meant?")
        meant = [each for each in clause.foes if each.base != "comer"] or [Who("all", "foe")]
        found = np.unique(np.concatenate([world.units(each, "foe", world.middle(ids)) for each in meant]))
        kinds = np.array(self.facts.foe.types)
        named = [each for each in meant if self._types(each)]
        types = tuple(dict.fromkeys(kinds[found].tolist())) if len(named) == len(meant) else ()
        world.foes_named = found
        return found, types

    def _types(self, who: Who) -> tuple[str, ...]:
        return who.names or next((names for each in who.of if (names := self._types(each))), ())

    def act(self, clause: Clause, verbs: set[str], ids: Ids, after: set[int]) -> None:
        """Add the stages of a clause, by the strongest of its verbs."""
        world = self.world
        denied = {act.verb for act in clause.acts if act.denied}
        for place in [each for each in clause.places if each.role == "not"]:
            clause.places.remove(place)
            self.note(f"nobody is sent to {world.spot(place, world.middle(ids))[1]}")
        if "cannot" in verbs:
            if verbs == {"cannot"}:
                raise Unclear("No unit can do this. Units go, hold, attack, retreat, hide and follow.")
            self.note("left out what no unit can do")
        clause.places = [
            each
            for place in clause.places
            for each in (place.of if place.kind == "both" and not place.every else (place,))
        ]
        if not world.places:  # `there`, before any place was named
            clause.places = (
                [place for place in clause.places if place.kind != "there"]
                if len(clause.places) > 1 or clause.foes
                else clause.places
            )
        if not (verbs & {"spread"} or clause.squads is not None):  # from one place to another is a way
            for place in [p for p in clause.places if p.kind == "line" and p.value != "line"]:
                if "go" in verbs or any(end.kind not in ("at", "x", "y") for end in place.of):
                    at = clause.places.index(place)
                    clause.places[at : at + 1] = [replace(place.of[0], role="via"), place.of[1]]
        clause.places = [
            replace(p, role="via" if len(clause.places) > 1 and not verbs & {"hold", "stay", "spread"} else "at")
            if p.role == "by"
            else p
            for p in clause.places
        ]
        places = [place for place in clause.places if place.role not in ("out", "from", "short", "not")]
        out = [place for place in clause.places if place.role in ("out", "short")]
        away = [place for place in places if place.kind == "beside" and place.value == "away"]
        if away and away == clause.places and not verbs - {"hold", "stay", "avoid"}:
            return self.confine(away, ids, False)
        if (
            denied & {"go", "hold"}
            and all(place.kind in ("there", "line", "at", "y", "x") for place in clause.places)
            and not verbs - {"stay"}
        ):
            self.told.append((self.number, clause, set(ids.tolist())))  # `nobody walks past it`
            for number in self.last_of(ids):
                for squad in self.stages[number].squads:
                    close = (
                        squad.behaviour in ("attack_and_move", "attack_in_close_range", "attack_in_long_range")
                        and "within" in self.facts.context.orders
                    )
                    squad.leash = (squad.leash or LEASH) if close else None
            return self.note("do not go farther")
        if denied & {"go", "hold", "attack"} and clause.places and not verbs - {"stay"}:
            return self.confine(
                clause.places, ids, "go" in denied and any(p.role in ("out", "from") for p in clause.places)
            )
        if "avoid" in verbs and clause.places and not clause.foes and not verbs - {"avoid"}:
            return self.confine(clause.places, ids, False)
        if out and not places and not verbs & {"retreat", "go"}:
            return self.confine(out, ids, False)
        for at, place in enumerate(clause.places):  # `archers at the back`: behind those of the others
            if (
                place.kind == "beside"
                and place.value in ("behind", "front")
                and place.of[0] == Place("there", "it")
                and clause.who is not None
            ):
                others = self.last_of(np.setdiff1d(world.fighters, ids))
                if place.value == "front" and others & self.last_of(ids):
                    return self.note("in front of the others, as those stand behind who fight from afar")
                if others or place.value == "front":
                    clause.places[at] = replace(place, of=(Who("but", of=(Who("all"), clause.who)),))
        places = [place for place in clause.places if place.role not in ("out", "from", "short", "not")]
        behind = next(
            (p for p in places if p.kind == "beside" and p.value in ("behind", *COMPASS) and self.friends(p)), None
        )
        if "match" in verbs and not clause.foes:
            return self.match(clause, ids, after)
        if (
            (clause.squads is not None or (verbs & {"split", "spread"} and not clause.final))
            and not places
            and not clause.foes
        ):
            return self.split(clause.squads or Squads(0), clause, ids)
        if "resume" in verbs and not places:
            self.resumed |= {unit: after for unit in ids.tolist()}
            return self.note("go on with their orders")
        if behind is not None and "retreat" not in verbs:
            return self.behind(clause, behind, ids, after)
        if "retreat" in verbs or ("avoid" in verbs and not places and not clause.foes):
            return self.retreat(clause, ids, after)
        if self.spread(clause, verbs, places, ids, after):
            return None
        if "flank" in verbs:
            return self.flank(clause, ids, after)
        if clause.own and verbs & {"follow", "hold", "gather", "hide"}:
            return self.follow(clause, ids, after)
        if "hide" in verbs:
            return self.hide(clause, places, ids, after)
        if (clause.foes and "avoid" in verbs) or (clause.foes and "attack" in denied):
            return self.avoid(clause, places, ids, after)
        if (clause.foes and not verbs & {"hold", "stay"}) or ("attack" in verbs and not verbs & {"stay"}):
            return self.attack(clause, places, ids, after)
        if places:
            return self.go(clause, verbs, places, ids, after)
        if (
            verbs & {"hold", "stay", "stand"}
            or clause.end is not None
            or clause.start
            or any(m.how == "leash" for m in clause.manner)
        ):
            if verbs == {"hold"} and clause.unread and clause.who is None and not (clause.start or clause.end):
                return self.note("left out, since it is not understood what is to be held")
            if "hold" in verbs and clause.link != "then" and self.last_of(ids) and not clause.start:
                return self.hold_there(clause, ids)
            if (
                self.running is not None
                and clause.who is not None
                and clause.who.base == "rest"
                and not (clause.end or clause.start)
            ):
                self.resumed |= {unit: after for unit in ids.tolist()}
                return self.note("go on with their orders")
            wanted = "stand" if "stand" in verbs or "peace" in self.manner(ids, clause) else "stay"
            self.add(self.here(ids, clause, wanted), after)
            return None
        if "gather" in verbs:
            self.add(self.squads(ids, world.terrain.near(world.middle(ids)), clause, "go"), after)
            return None
        if denied & {"go"}:
            self.add(self.here(ids, clause, "stay"), after)
            return None
        if "go" in verbs and not clause.final:
            return self.note("it names no place")
        if clause.manner or denied:
            return self.note("")
        raise Unclear(f"Where {'are they' if len(ids) > 1 else 'is it'} to go? {world.known()}")

    @staticmethod
    def friends(place: Place) -> bool:
        """Whether a place is beside units of one's own side."""
        return bool(place.of) and isinstance(place.of[0], Who) and place.of[0].side != "foe"

    # ---- what is waited for

    def wait(self, event: Event, ids: Ids, after: set[int]) -> set[int]:
        """Return the stages that a clause waits for; what it waits for may be a stage that is added here."""
        world = self.world
        if event.kind == "arrive":
            who = world.units(event.who) if event.who is not None and event.who.base != "they" else ids
            share = event.who.amount if event.who is not None and event.who.base == "part" else None
            if share is not None and event.who is not None and self.last_of(world.units(event.who.of[0])):
                who = world.units(event.who.of[0])
            if event.who is not None and event.who.base == "they" and len(self.sentence) > 1:
                who = np.unique(np.concatenate(self.sentence))
            ready = self.last_of(who)
            if not ready and event.place is not None:
                cell, name = world.spot(event.place, world.middle(who))
                ready = {self.add(self.squads(who, cell, Clause(), "go"), set())}
                self.note(f"{world.who(who)} are sent to {name} to be waited for there")
            if not ready:
                raise Unclear(f"{world.who(who)} were sent nowhere before, so that their arrival cannot be waited for.")
            if share is not None and "arrival" in self.facts.context.objectives:
                percent = round(share.value) if share.share else min(100, math.ceil(100 * share.value / len(who)))
                for number in ready:
                    self.stages[number].objective, self.stages[number].ends = dsl.Arrival(percent), True
            return after | ready
        objective = self.objective(event, ids)
        if objective is None:
            return after
        if event.by is not None and not self.last_of(by := world.units(event.by)):
            self.attack(Clause(foes=[event.who or Who("all", "foe")]), [], by, set())
            self.note(f"{world.who(by)} are sent against them, whose death is waited for")
            return after | self.last_of(by)
        watched = ids
        if event.kind in ("losses", "dead") and isinstance(objective, dsl.Losses) and event.who is not None:
            watched = self.watched(event, ids)
        if isinstance(objective, dsl.Losses) and len(np.setxor1d(watched, ids)):
            squads = (
                self.present(watched)
                or [replace(s) for n in self.last_of(watched) for s in self.stages[n].squads]
                or self.here(watched, Clause(), "stay")
            )
            mine = self.add(squads, self.before_of(watched), objective)
            return after | {mine}
        same = {n for n, stage in enumerate(self.stages) if stage.objective == objective and event.kind == "dead"}
        if same:
            return after | same
        fights = all(q.behaviour.startswith("attack_in") for n in after for q in self.stages[n].squads)
        if after and (fights or not isinstance(objective, dsl.Elimination)) and not isinstance(objective, dsl.Time):
            all_ = set(ids.tolist())
            for number in after:  # they go on with what they did until then
                if self.stages[number].units() <= all_:
                    self.stages[number].objective, self.stages[number].ends = objective, True
                else:
                    squads = [replace(s, ids=np.intersect1d(s.ids, ids)) for s in self.stages[number].squads]
                    squads = [s for s in squads if len(s.ids)]
                    for squad in self.stages[number].squads:
                        squad.ids = np.setdiff1d(squad.ids, ids)
                    self.stages[number].squads = [s for s in self.stages[number].squads if len(s.ids)]
                    new = self.add(squads, set(self.stages[number].after), objective)
                    after = (after - {number}) | {new}
            return after
        return {self.add(self.present(ids) or self.here(ids, Clause(), "stay"), after, objective)}

    def before_of(self, ids: Ids) -> set[int]:
        """Return what the last stages of some units wait for."""
        return set().union(*(self.stages[number].after for number in self.last_of(ids)))

    def watched(self, event: Event, ids: Ids) -> Ids:
        """Return the units whose losses are counted."""
        who = event.who
        if who is None or who.base in ("they", "all"):
            return ids
        return self.world.units(who.of[0] if who.base == "part" and who.of else who)

    def objective(self, event: Event, ids: Ids) -> dsl.Objective | None:
        """Return what a step must reach for an event; None, and a note, where plans of this world cannot say it."""
        world, army = self.world, self.facts.foe
        who = event.who
        if event.kind == "left" and who is not None:
            named = world.units(who.of[0]) if who.base == "part" and who.of[0].base != "some" else ids
            keep = (who.amount.value / 100 * len(named) if who.amount.share else who.amount.value) if who.amount else 1
            objective: dsl.Objective = dsl.Losses(max(1, min(100, math.ceil(100 * (1 - keep / max(1, len(named)))))))
        elif event.kind == "losses" or (event.kind == "dead" and who is not None and self._own_side(who)):
            amount = event.amount or (who.amount if who is not None and who.base == "part" else None)
            foe = who is not None and who.side == "foe"
            whole = int(army.alive.sum()) if foe else len(self.watched(event, ids))
            if amount is None and event.kind == "losses":
                amount = Amount(1)
            percent = (
                100
                if amount is None
                else round(amount.value)
                if amount.share
                else min(100, math.ceil(100 * amount.value / max(1, whole)))
            )
            objective = dsl.EnemyLosses(max(1, percent)) if foe else dsl.Losses(max(1, percent))
        elif event.kind == "dead":
            if (
                who is not None
                and who.base == "part"
                and who.amount is not None
                and not who.pick
                and who.of[0].base == "all"
            ):
                percent = (
                    round(who.amount.value)
                    if who.amount.share
                    else math.ceil(100 * who.amount.value / max(1, army.alive.sum()))
                )
                objective = dsl.EnemyLosses(min(100, max(1, percent)))
            else:
                try:
                    foes = world.units(
                        replace(who, side="foe") if who is not None else Who("they", "foe"), "foe", world.middle(ids)
                    )
                except Dead as dead:
                    self.note(f"{str(dead).partition('.')[0]} already, so that this is not waited for")
                    return None
                objective = dsl.Elimination(listed(foes, len(army.types)))
        elif event.kind == "ticks":
            objective = dsl.Time(max(1, event.ticks))
        else:
            seen = [each for each in (event.who, event.foe) if isinstance(each, Who) and each.side == "foe"]
            if any(each.ids or each.amount for each in seen):
                raise Unclear("Plans wait for the sight of any enemy, not of so many, and not of one by its number.")
            if event.place is not None or isinstance(event.foe, Place):
                self.note("the first enemy who is seen is waited for, since plans do not know where enemies are")
            objective = dsl.Sighted()
        if objective.word not in self.facts.context.objectives:
            self.note(f"left out: plans of this world cannot wait for {objective.word}")
            return None
        return objective

    def _own_side(self, who: Who) -> bool:
        if who.side:
            return who.side == "own"
        if who.base == "they":
            return self.world.foes_named is None
        return (
            who.base == "part" and bool(who.of) and self._own_side(who.of[0])
            if who.base == "part" and who.of[0].base != "type"
            else who.base in ("all", "squad", "ids", "rest")
        )

    def present(self, ids: Ids) -> list[Squad]:
        """Return what units are told now by the plan that is followed."""
        if self.running is None or self.last_of(ids):
            return []
        told: dict[int, tuple[dsl.Step, int]] = {}
        for step in self.running.plan.steps:
            if step.id not in self.running.achieved and self.running.achieved.issuperset(step.prerequisites):
                for number, group in enumerate(step.groups):
                    told |= {unit: (step, number) for unit in group.units.ids(len(self.facts.own.types))}
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

    def until(self, clause: Clause, ids: Ids, first: int) -> None:
        """Let the last stage of a clause end with what was said."""
        event = clause.end
        assert event is not None
        if event.kind == "arrive":
            who = self.world.units(event.who) if event.who is not None and event.who.base != "they" else None
            mine = range(first, len(self.stages))
            if who is None or len(np.setxor1d(who, ids)) == 0 or not self.last_of(who):
                return self.note("left out: until they are there")
            for number in [n for n in mine if self.stages[n].units() & set(ids.tolist())][-1:]:
                waits = self.last_of(who) - {number}
                self.stages[number].ends = True
                self.stages.append(
                    Stage([replace(s) for s in self.stages[number].squads], waits | {number}, clause=self.number)
                )
            return None
        objective = self.objective(event, ids)
        last = [n for n in range(first, len(self.stages)) if self.stages[n].units() & set(ids.tolist())] or sorted(
            self.last_of(ids)
        )
        if objective is None or not last:
            return None
        stage = self.stages[last[-1]]
        if isinstance(objective, dsl.Time) and clause.places and not {"stay"} & set(clause.verbs[:1]):
            self.add([replace(squad) for squad in stage.squads], {last[-1]}, objective)
        else:
            stage.objective, stage.ends = objective, True
        return None

    # ---- deeds

    def stops(self, places: Sequence[Place], ids: Ids, covered: bool) -> list[Spot]:
        """Return places in order as cells with names; those that are only passed come first."""
        world, found, here = self.world, list[Spot](), self.world.middle(ids)
        ends = [place for place in places if place.role != "via"]
        solid = places and not ends and places[-1].kind in ("feature", "name") and not places[-1].every
        if solid and world.features_of(places[-1], here)[-1].kind == "bridge":  # `over the bridge` ends beyond it
            places = [*places, Place("beside", "far_side", of=(places[-1],))]
        ordered = sorted(places, key=lambda place: place.role != "via") if len(ends) == 1 else places
        for place in ordered:
            if (
                place.kind == "beside"
                and place.value == "behind"
                and isinstance(place.of[0], Who)
                and place.of[0].side == "foe"
            ):
                found += self.round(place.of[0], here)
            for cell, name in world.spots_of(place, here):
                cell = world.hidden(cell) if covered and place.kind == "part" else cell
                world.labels.setdefault(cell, f"{name} {cell}")
                found.append((cell, name))
                here = cell
            world.remember(place)
        return found

    def round(self, foe: Who, here: Vector) -> list[Spot]:
        """Return the place at the side of enemies that a way behind them leads by."""
        world = self.world
        (x, y), (half_x, half_y) = world.extent(foe, here)
        dx, dy = x - here[0], y - here[1]
        along = abs(dy) >= abs(dx)
        wide = (half_x if along else half_y) + self.facts.sight + 3
        sides = [(x + s * wide, y) if along else (x, y + s * wide) for s in (-1, 1)]
        inside = [side for side in sides if all(0 <= each < world.size for each in side)] or sides
        cell = world.terrain.near(min(inside, key=lambda side: math.dist(side, here)))
        world.labels[cell] = f"{cell}, round the enemy"
        return [(cell, str(cell))]

    def go(self, clause: Clause, verbs: set[str], places: list[Place], ids: Ids, after: set[int]) -> None:
        """Units go to places one after another, or hold several of them in parts."""
        world = self.world
        said = self.manner(ids, clause)
        holding = bool(verbs & {"hold", "stay", "spread"}) and "peace" not in said
        wanted = "hold" if holding else "stand" if "stand" in verbs else "go"
        if any(p.kind == "feature" and p.value == "forest" for p in places):
            clause.manner.append(Manner("cover"))
        relative = (len(places) == 1 and places[0].kind in ("way", "y", "x", "zone", "home")) or (
            len(places) == 1 and places[0].kind == "part" and places[0].dir and not places[0].of and not places[0].value
        )
        if relative:
            groups = [np.array(units) for units in _grouped(world, ids)]
            squads = []
            for part in groups:
                cell = world.spot(places[0], world.middle(part))[0]
                squads += self.squads(part, cell, clause, wanted)
            world.remember(places[0])
            self.add(squads, after)
            return
        if any(place.every for place in places) or (
            holding
            and sum(len(p.of) if p.kind == "both" else 1 for p in places) > 1
            and not any(p.role == "via" for p in places)
            and "cover" not in said
        ):
            spots = [spot for place in places for spot in world.spots_of(place, world.middle(ids))]
            world.remember(*places)
            self.share_out(spots, clause, ids, after)
            return
        stops = self.stops(places, ids, "cover" in said)
        for number, (cell, _) in enumerate(stops):
            last = number == len(stops) - 1
            doing = wanted if last or wanted != "hold" else "go"
            after = {self.add(self.squads(ids, cell, clause, doing, behind=GAP if holding and last else 0), after)}

    def share_out(self, spots: list[Spot], clause: Clause, ids: Ids, after: set[int]) -> None:
        """Share units out over places, each with units of every type, at the end that is ours."""
        world = self.world
        self.shared = ids
        if not spots:
            raise Unclear(f"Over which places are they to be shared out? {world.known()}")
        squads = list[Squad]()
        bridges = {each.place: each for each in self.facts.features if each.kind == "bridge"}
        for (cell, name), part in zip(spots, world.parts(ids, len(spots)), strict=True):
            inner = world.inner(cell) if cell in bridges else cell
            world.labels.setdefault(inner, f"{name} {inner}")
            squads += self.squads(part, inner, clause, "hold", behind=GAP) if len(part) else []
        self.add(squads, after)
        self.note("shared out")

    def hold_there(self, clause: Clause, ids: Ids) -> None:
        """Let units hold where the last clause sends them."""
        for number in self.last_of(ids):
            stage = self.stages[number]
            mine = [squad for squad in stage.squads if len(np.intersect1d(squad.ids, ids))]
            stage.squads = [squad for squad in stage.squads if squad not in mine] + [
                replace(
                    new,
                    types=squad.types,
                    front=squad.front,
                    gap=squad.gap,
                    leash=LEASH if new.behaviour in ("attack_and_move", "attack_in_close_range") else None,
                    behaviour="attack_and_move" if new.behaviour == "hold" else new.behaviour,
                )
                for squad in mine
                for new in self.squads(squad.ids, squad.cell, clause, "hold")
            ]

    def split(self, squads: Squads, clause: Clause, ids: Ids) -> None:
        """Split units into squads that are named by their numbers."""
        world = self.world
        if squads.each is not None:
            found, taken = {}, set(world.named)
            for number in range(1, squads.count + 1):
                found[number] = world.units(squads.each)
                world.named |= set(found[number].tolist())
            world.named = taken
            world.squads = {number: units for number, units in found.items()}
        else:
            count = squads.count
            if count > len(ids):
                raise Unclear(f"{len(ids)} units cannot be split into {count} squads.")
            if not count:
                return self.note("squads, as many as are needed")
            world.squads = dict(enumerate(world.parts(ids, count), 1))
        return self.note(f"are split into {len(world.squads)} squads")

    def line(self, clause: Clause, verbs: set[str], places: Sequence[Place], ids: Ids) -> tuple[Vector, Vector] | None:
        """Return the ends of the line that a clause spreads units over, if it names one."""
        world, here, last = self.world, self.world.middle(ids), self.world.size - 1.0
        wide = "spread" in verbs or clause.squads is not None
        for place in places:
            if place.kind == "line":
                a, b = place.of
                if a.kind in ("x", "y") and b.kind == a.kind:
                    other = next((p for p in places if p.kind in ("x", "y") and p.kind != a.kind), None)
                    along = float(other.value) if other is not None else here[1 if a.kind == "x" else 0]
                    ends = [(float(e.value), along) if a.kind == "x" else (along, float(e.value)) for e in (a, b)]
                else:
                    if not wide and place.role in ("", "from") and "go" in verbs and a.kind != "at":
                        return None
                    ends = [(float(x), float(y)) for x, y in (world.spot(each, here)[0] for each in (a, b))]
                return (ends[0][0], ends[0][1]), (ends[1][0], ends[1][1])
            if place.kind in ("y", "x") and (wide or (len(ids) > 3 and "hold" in verbs)):
                value = float(place.value)
                part = next((p for p in places if p.kind == "part" and p.dir), None)
                low, high = (0.0, last)
                if part is not None and part.dir in "we" and place.kind == "y":
                    low, high = (0.0, last / 2) if part.dir == "w" else (last / 2, last)
                return ((low, value), (high, value)) if place.kind == "y" else ((value, low), (value, high))
            if place.kind == "lined" or (place.kind == "part" and place.value in ("row", "column")):
                inner = place.of[0] if place.of else None
                if isinstance(inner, Place) and inner.kind == "line":
                    return self.line(clause, {"spread"}, [inner], ids)
                if isinstance(inner, Place) and inner.kind in ("y", "x"):
                    value = float(inner.value)
                    return ((0.0, value), (last, value)) if inner.kind == "y" else ((value, 0.0), (value, last))
                if isinstance(inner, Place) and inner.kind in ("at", "name", "feature", "marker"):
                    return self._across(world.spot(inner, here)[0])
                if place.value == "column":
                    return (last / 2, 0.0), (last / 2, last)
                level = {"n": 0.8, "s": 0.2}.get(place.dir[:1], 0.5) * last
                if place.value == "row" and place.dir in ("e", "w"):
                    level = (0.8 if place.dir == "e" else 0.2) * last
                    return (level, 0.0), (level, last)
                return (0.0, level), (last, level)
        if not wide:
            return None
        part = next((p for p in places if p.kind == "part"), None)
        if part is not None and part.value == "centre" and not part.of:
            return (0.0, last / 2), (last, last / 2)
        if part is not None and part.of:
            (x, y), (half_x, half_y) = world.extent(part.of[0], here)
            dx, dy = COMPASS.get(part.dir, (0.0, 0.0))
            if dx:
                return (x + dx * (half_x + 4), y - half_y), (x + dx * (half_x + 4), y + half_y)
            return (x - half_x, y + dy * (half_y + 4)), (x + half_x, y + dy * (half_y + 4))
        if part is not None:
            x, y = world.spot(part, here)[0]
            if part.dir in ("e", "w"):
                return (float(x), 0.0), (float(x), last)
            return (0.0, float(y)), (last, float(y))
        if len(places) == 1 and places[0].kind == "at":
            return self._across(world.spot(places[0], here)[0])
        if len(places) == 1 and places[0].kind in ("name", "feature") and not places[0].every:
            solid = world.features_of(places[0], here)[0]
            if solid.kind == "water":  # along our bank
                shore = np.argwhere(
                    grown(solid.cells, 4) & ~grown(solid.cells, 2) & world.bank(world.middle(world.everyone))
                )
                if len(shore):
                    axis = int(np.ptp(shore[:, 1]) > np.ptp(shore[:, 0]))
                    (ax, ay), (bx, by) = shore[np.argsort(shore[:, axis], kind="stable")][[0, -1]].tolist()
                    return (float(ax), float(ay)), (float(bx), float(by))
            (x, y), (half_x, half_y) = world.extent(places[0], here)
            dx, dy = (half_x, 0.0) if half_x >= half_y else (0.0, half_y)
            return (x - dx, y - dy), (x + dx, y + dy)
        return None

    def _across(self, cell: Cell) -> tuple[Vector, Vector]:
        """Return the ends of a line at a place, across the way to the enemy."""
        ux, uy = self.world.back(cell)
        wing, last = 2 * SPACING, self.world.size - 1.0
        ends = [
            tuple(min(max(each, 0.0), last) for each in (cell[0] + k * uy * wing, cell[1] + k * ux * wing))
            for k in (-1, 1)
        ]
        return (ends[0][0], ends[0][1]), (ends[1][0], ends[1][1])

    def spread(self, clause: Clause, verbs: set[str], places: list[Place], ids: Ids, after: set[int]) -> bool:
        """Spread units over a line, an area or a ring; return whether a clause says that."""
        world = self.world
        box = next((place for place in places if place.kind == "box"), None)
        ring = next((place for place in places if place.kind == "part" and place.value == "ring"), None)
        around = next((place for place in places if place.kind == "beside" and place.value == "around"), ring)
        line = self.line(clause, verbs, places, ids)
        cells: list[Cell] = []
        back: Vector | None = None
        if box is not None:
            (west, south), (east, north) = (world.spot(each, (0, 0))[0] for each in box.of)
            cells = [
                world.terrain.near((west + (east - west) * i / 4, south + (north - south) * j / 4))
                for i in (1, 3)
                for j in (1, 3)
            ]
            self.note(f"spread over the area {(west, south)} to {(east, north)}")
        elif line is not None:
            (ax, ay), (bx, by) = line
            count = clause.squads.count if clause.squads else 0
            count = count or max(1, round(math.dist((ax, ay), (bx, by)) / SPACING))
            kinds = np.array(self.facts.own.types)[ids]
            count = max(1, min(count, MOST_SQUADS, *((kinds == kind).sum() for kind in set(kinds))))
            cells = [
                world.terrain.near((ax + (bx - ax) * (n + 0.5) / count, ay + (by - ay) * (n + 0.5) / count))
                for n in range(count)
            ]
            back = world.back(((ax + bx) / 2, (ay + by) / 2), (bx - ax, by - ay))
            self.note(f"spread over the line ({ax:.0f}, {ay:.0f}) to ({bx:.0f}, {by:.0f})")
        elif around is not None and (around.of or len(places) > 1):
            of = around.of[0] if around.of else next(each for each in places if each is not around)
            (x, y), (half_x, half_y) = world.extent(of, world.middle(ids))
            far = max(half_x, half_y) + GAP
            turns = [n * math.pi / 4 for n in range(min(8, len(ids)))]
            cells = [world.terrain.near((x + far * math.cos(turn), y + far * math.sin(turn))) for turn in turns]
            self.note(f"spread round {world.what(of, world.middle(ids))}")
        if not cells:
            return False
        squads = [
            squad
            for cell, part in zip(cells, world.parts(ids, len(cells)), strict=True)
            if len(part)
            for squad in self.squads(part, cell, clause, "hold", behind=GAP, back=back)
        ]
        if clause.squads is not None:
            world.squads = dict(enumerate(world.parts(ids, len(cells)), 1))
        world.remember(*places)
        self.add(squads, after)
        return True

    def behind(self, clause: Clause, place: Place, ids: Ids, after: set[int]) -> None:
        """Place units behind others wherever these are sent, or on another side of them."""
        world = self.world
        others = place.of[0]
        who = Who("but", of=(Who("all"), clause.who)) if others.base == "rest" and clause.who else others
        leaders = np.setdiff1d(world.units(who), ids)
        if others.base == "they" and not len(leaders) and len(world.groups) > 1:
            leaders = np.setdiff1d(world.groups[-2], ids)
        if not len(leaders):
            raise Unclear("Who is to stand beside whom? Name two different groups.")
        gap, toward = place.metres or GAP, COMPASS.get(str(place.value))
        more = [each for each in clause.places if each is not place]
        if more and not self.last_of(leaders):
            self.act(replace(clause, places=more, who=None), set(clause.verbs) | {"hold"}, leaders, after)
        if not self.mirror(ids, leaders, gap, clause, toward):
            cell = world.away(world.middle(leaders), gap, toward)
            side = f"{NAMED[str(place.value)]} of" if place.value in NAMED else "behind"
            world.labels[cell] = f"{cell}, {gap} m {side} {world.who(leaders)}"
            self.add(self.squads(ids, cell, clause, "hold"), after)

    def mirror(self, followers: Ids, leaders: Ids, gap: int, clause: Clause, toward: Vector | None = None) -> bool:
        """Put followers behind leaders, or beside them, wherever these go; return whether they go anywhere."""
        world, found, lead = self.world, False, set(leaders.tolist())
        own = set(followers.tolist())
        for number, stage in enumerate(list(self.stages)):
            fronts = [squad for squad in stage.squads if lead & set(squad.ids.tolist())]
            if not fronts:
                continue
            found = True
            (ax, ay), (bx, by) = fronts[0].cell, fronts[-1].cell
            line = (float(bx - ax), float(by - ay)) if (ax, ay) != (bx, by) else None
            back = toward or (None if self.facts.guarded else world.back((ax, ay), line))
            old = {unit: squad for squad in stage.squads for unit in squad.ids.tolist()}
            for squad in stage.squads:
                squad.ids = np.setdiff1d(squad.ids, followers)
            stage.squads = [squad for squad in stage.squads if len(squad.ids)]
            new = list[Squad]()
            for front, part in zip(fronts, world.parts(followers, len(fronts)), strict=True):
                for squad in self.squads(part, world.away(front.cell, gap, back), clause, "hold") if len(part) else []:
                    before = old.get(int(squad.ids[0]))
                    if front.behaviour == "follow_map" or (before and not clause.manner):
                        squad.behaviour = (
                            before.behaviour if before and front.behaviour != "follow_map" else "follow_map"
                        )
                    if len(fronts) == 1 and not toward and "behind" in self.facts.context.orders:
                        squad.front, squad.gap, squad.cell = front, gap, front.cell
                    new.append(squad)
            stage.squads += new
            if stage.clause != self.number and not own & set(old):
                self.said.setdefault(self.number, [])
                self.shown.setdefault(self.number, []).append(number)
        return found

    def follow(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        """Units go wherever others go, a little behind."""
        world = self.world
        if any(each.side == "foe" for each in clause.own):
            return self.go(clause, {"go"}, [Place("who", of=(clause.own[0],), role="to")], ids, after)
        leaders = np.unique(np.concatenate([world.units(each) for each in clause.own]))
        if clause.places and self.last_of(ids):
            return self.go(clause, {"go"}, clause.places, ids, after)
        if clause.places and not self.last_of(leaders):
            self.go(clause, {"go"}, clause.places, np.setdiff1d(leaders, ids), after)
        if not len(np.setdiff1d(leaders, ids)):
            ids = np.setdiff1d(ids, leaders)
        leaders = np.setdiff1d(leaders, ids)
        if not len(leaders) or not len(ids):
            raise Unclear("Whom are they to follow? Name another group.")
        if clause.start or not self.mirror(ids, leaders, GAP, clause):
            cell = world.terrain.near(world.middle(leaders))
            world.labels[cell] = f"{cell}, with {world.who(leaders)}"
            self.add(self.squads(ids, cell, clause, "go"), after)
        return None

    def retreat(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        """Units go back without fighting, to a place or away from the enemy."""
        metres = next((place.metres for place in clause.places if place.kind == "way" and place.metres), 40)
        places = [
            place
            for place in clause.places
            if not (place.kind == "way" and place.value in ("back", "forward")) and place.role not in ("out", "from")
        ]
        fights = any(m.how in ("distance", "close") for m in clause.manner) or "attack" in clause.verbs
        clause = clause if fights else replace(clause, manner=[*clause.manner, Manner("peace")])
        if not places:
            self.add(
                [
                    s
                    for part in _grouped(self.world, ids)
                    for s in self.squads(
                        np.array(part),
                        self.world.away(self.world.middle(np.array(part)), metres),
                        clause,
                        "distance" if fights else "peace",
                    )
                ],
                after,
            )
            return
        for cell, _ in self.stops(places, ids, False):
            after = {self.add(self.squads(ids, cell, clause, "distance" if fights else "peace"), after)}

    def avoid(self, clause: Clause, places: list[Place], ids: Ids, after: set[int]) -> None:
        """Units keep away from enemies: they go their way without fighting, or attack the other types, or go away."""
        names = self.foes(clause, ids)[1]
        if places:
            self.note("they are no target, but no way round them is planned")
            quiet = replace(clause, foes=[], manner=[*clause.manner, Manner("peace")])
            return self.go(quiet, set(clause.verbs) - {"avoid", "attack"}, places, ids, after)
        theirs = dict.fromkeys(np.array(self.facts.foe.types)[self.facts.foe.alive].tolist())
        left = tuple(kind for kind in theirs if kind not in names)
        denied = any(act.denied for act in clause.acts)
        if names and left:
            last = self.last_of(ids)
            self.note(f"keep off {listing(phrases=names, joint='and')}")
            if denied and last:
                for number in last:
                    for squad in self.stages[number].squads:
                        squad.types = squad.types or left
                return None
            shun = [Who("type", "foe", names=(kind,)) for kind in left]
            return self.attack(replace(clause, foes=shun, acts=[]), [], ids, after)
        if denied:
            self.manners.append((set(ids.tolist()), {"peace"}))
            for number in self.last_of(ids):
                for squad in self.stages[number].squads:
                    squad.behaviour = "follow_map"
            return None
        return self.retreat(replace(clause, foes=[]), ids, after)

    def hide(self, clause: Clause, places: list[Place], ids: Ids, after: set[int]) -> None:
        """Units go under trees, and do not fight."""
        clause = replace(clause, manner=[*clause.manner, Manner("peace"), Manner("cover")])
        if not places and self.last_of(ids):
            self.add(self.here(ids, clause, "peace"), after)
            return
        woods = [place for place in places if place.kind not in ("part", "way") or place.of]
        if not woods and any(each.kind == "forest" for each in self.facts.features):
            side = next((place.dir for place in places if place.dir), "")
            places = [Place("feature", "forest", side)]
        self.go(clause, {"go"}, places, ids, after)

    def attack(self, clause: Clause, places: list[Place], ids: Ids, after: set[int]) -> None:
        """Units go where the enemies stand that are meant, group after group, until these are dead."""
        world, army = self.world, len(self.facts.foe.types)
        comers = bool(clause.foes) and all(each.base == "comer" for each in clause.foes)
        if comers and not places:
            if self.last_of(ids) and clause.link not in ("then",) and not clause.start:
                return self.hold_there(clause, ids)
            self.add(self.here(ids, clause, "stay"), after)
            return None
        froms = [place for place in clause.places if place.role == "from"]
        if "flank" not in clause.verbs:
            for cell, _ in self.stops([*places, *froms], ids, "cover" in self.manner(ids, clause)):
                after = {
                    self.add(
                        self.squads(ids, cell, clause, "hold" if comers else "go", behind=GAP if comers else 0), after
                    )
                }
        if comers:
            return None
        foes, names = self.foes(clause, ids)
        shoots = any(act.deed == "shoot" for act in clause.acts)
        if shoots and (places or froms or (clause.link == "and" and clause.who is None and self.last_of(ids))):
            placed = [squad for number in self.last_of(ids) for squad in self.stages[number].squads]
            squads = [
                new
                for squad in placed
                if len(mine := np.intersect1d(squad.ids, ids))
                for new in self.squads(mine, squad.cell, clause, "hold", types=names)
            ]
            self.add(squads, after, dsl.Elimination(listed(foes, army)))
            return None
        groups, here, ordered = world.clusters(foes), world.middle(ids), list[Ids]()
        groups = [group for group in groups if len(group) * 12 >= len(foes)][:4] or groups[:1]
        while groups:
            group = min(groups, key=lambda each: math.dist(here, world.foe_middle(each)))
            groups = [each for each in groups if each is not group]
            ordered.append(group)
            here = world.foe_middle(group)
        for number, group in enumerate(ordered):
            objective = dsl.Elimination(listed(foes if number == len(ordered) - 1 else group, army))
            cell = world.terrain.near(world.foe_middle(group))
            world.labels.setdefault(cell, f"{world.opponents(group)} at {cell}")
            after = {self.add(self.squads(ids, cell, clause, "fight", types=names), after, objective)}
        return None

    def match(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        """Send each type against the type that it beats; those whose enemy stands farther wait for the others."""
        world = self.world
        kinds, theirs, alive = np.array(self.facts.own.types), np.array(self.facts.foe.types), self.facts.foe.alive
        pairs = [(m, t) for m, t in self.facts.beats if (kinds[ids] == m).any() and (alive & (theirs == t)).any()]
        if not pairs:
            raise Unclear("No type of your army beats a type of the enemy here.")
        far = {their: world.foe_middle(np.nonzero(alive & (theirs == their))[0]) for _, their in pairs}
        here, first = world.middle(ids), set[int]()
        pairs.sort(key=lambda pair: math.dist(here, far[pair[1]]))
        for mine, their in pairs:  # the way to those who stand farther leads past the others
            part, foes = ids[kinds[ids] == mine], np.nonzero(alive & (theirs == their))[0]
            later = math.dist(here, far[their]) > 1.2 * math.dist(here, far[pairs[0][1]])
            waits = after | first if later else after
            share = 1 - (self.facts.sight + 12) / math.dist(here, far[their])
            if later and share > 0:  # a long way strings units out: they gather out of sight
                x, y = (a + share * (b - a) for a, b in zip(here, far[their], strict=True))
                waits = {self.add(self.squads(part, world.terrain.near((x, y)), clause, "go"), waits)}
            squads = self.squads(part, world.terrain.near(far[their]), clause, "fight", types=(their,))
            number = self.add(squads, waits, dsl.Elimination(listed(foes, len(theirs))))
            first |= set() if later else {number}
        rest = [kind for kind in dict.fromkeys(kinds[ids]) if kind not in {mine for mine, _ in pairs}]
        self.note(
            "attack by what they beat" + (f"; {listing(phrases=rest, joint='and')} beat no type here" if rest else "")
        )

    def flank(self, clause: Clause, ids: Ids, after: set[int]) -> None:
        """Units go round the enemy on one side, or on both in two halves, and attack from there."""
        world = self.world
        said = [place.dir for place in clause.places if place.kind == "part" and place.dir]
        said += [each.where.dir for each in clause.foes if each.base == "at" and each.where.dir]
        meant = replace(
            clause,
            foes=[each.of[0] if each.base == "at" and each.where.dir and each.of else each for each in clause.foes],
        )
        foes, names = self.foes(meant, ids)
        (fx, fy), (hx, hy) = world.foe_middle(foes), world.middle(ids)
        long = math.hypot(fx - hx, fy - hy) or 1.0
        ux, uy = (fx - hx) / long, (fy - hy) / long
        sides: dict[str, Vector] = {"left": (-uy, ux), "right": (uy, -ux)}
        if said:
            sides = {NAMED[said[0]]: COMPASS[said[0]]}
        off = self.facts.foe.position[foes] - (fx, fy)
        wide = max(20.0, float(np.abs(off @ np.array(next(iter(sides.values())))).max()) + 18)
        by = self.stops([place for place in clause.places if place.kind != "part"], ids, False)
        objective = dsl.Elimination(listed(foes, len(self.facts.foe.types)))
        for (x, y), part in zip(sides.values(), world.parts(ids, len(sides)), strict=True):
            before = after
            for cell, _ in [*by, (world.terrain.near((fx + x * wide, fy + y * wide)), "")]:
                before = {self.add(self.squads(part, cell, clause, "go"), before)} if len(part) else before
            if len(part):
                self.add(
                    self.squads(part, world.terrain.near((fx, fy)), clause, "fight", types=names), before, objective
                )
        self.note(f"round on {f'the {next(iter(sides))}' if len(sides) == 1 else 'both sides, in two halves'}")

    def confine(self, places: Sequence[Place], ids: Ids, stays: bool) -> None:
        """Keep units out of a place, or in it: targets are moved, and fights get a leash; see `confined`."""
        world = self.world
        masks, names = [], []
        for place in places:
            place = replace(place, every=True) if place.kind == "feature" else place  # `nobody crosses a bridge`
            away = place.kind == "beside" and place.value == "away" and isinstance(place.of[0], Place)
            mask = world.zone(place.of[0] if away else place)
            mask = grown(mask, min(80, place.metres or LEASH)) if away and mask is not None else mask
            names += [name for _, name in world.spots_of(place, world.middle(ids))]
            if mask is None:
                spots = np.array([cell for cell, _ in world.spots_of(place, world.middle(ids))])
                x, y = np.indices(world.terrain.enter.shape)
                away = np.hypot(x[..., None] - spots[:, 0], y[..., None] - spots[:, 1]).min(-1)
                mask = away <= (self.facts.sight if place.metres is None else place.metres)
            masks.append(mask)
        whole = np.any(masks, 0)
        self.zones.append((set(ids.tolist()), whole if stays else ~whole))
        said = listing(phrases=dict.fromkeys(names), joint="and")
        self.note(
            f"{world.who(ids)} are kept {'in' if stays else 'out of'} {said} by targets, and leashes where they fight; "
            "ways are not checked"
        )

    def confined(self) -> None:
        """Move the targets of units that are not to leave some ground into it, and keep their fights in it."""
        for units, allowed in self.zones:
            if not any(units & stage.units() for stage in self.stages):
                self.add(self.here(np.array(sorted(units)), Clause(), "stay"), set())
            inner = ~grown(~allowed, LEASH + 1)
            inner = inner if (inner & self.world.terrain.enter).any() else allowed
            outside = np.argwhere(~allowed & self.world.terrain.enter)
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
                        squad.cell = self.world.terrain.near(squad.cell, inner)
                    if squad.behaviour not in ("follow_map", "hold", "stand"):
                        far = int(np.hypot(*(outside - np.array(squad.cell)).T).min())
                        squad.leash = max(1, min(squad.leash or far, far - 1))


def _grouped(world: World, ids: Ids) -> list[list[int]]:
    """Return units in groups that stand, or will stand, together; all of them where there are many such groups."""
    groups = dict[Cell, list[int]]()
    for unit in ids.tolist():
        known = world.spots.get(unit)
        x, y = known or world.facts.own.position[unit]
        step = 1 if known else max(15, world.size // 8)
        groups.setdefault((int(x // step), int(y // step)), []).append(unit)
    return list(groups.values()) if len(groups) <= MOST_GROUPS else [ids.tolist()]
