"""The stages of a plan before it is written: squads with places and behaviours, and what they wait for."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

import dsl
from dsl.id_ranges import ranges, unit_list
from dsl.source import NO_SPAN
from dsl.wording import listing
from hive.ground.places import Vector
from hive.kit.facts import Cell, Ids
from hive.players.words.clauses import Clause, Event
from hive.players.words.scene import GAP, Scene, Unclear

NEAR = 5  # metres from a place at which units stand there
LEASH = 10  # metres that units stray from a place that they are not to leave
ONLY = "attack only "  # before a type, of those who attack nobody else
MOST_SQUADS = 16  # that units are spread, or stand, in
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
    fixed: bool = False  # whether its objective was said
    general: bool = False  # whether it was said of everyone
    typed: bool = False  # whether it was said of all units of a type
    spread: bool = False  # whether its units stand in parts, those who fight from afar behind the others
    whole: list[Squad] | None = None  # its squads before some of its units got another order
    instead: set[int] = field(default_factory=set)  # stages of those units
    until: set[int] = field(default_factory=set)  # what else has to be over before what comes after it

    def units(self) -> set[int]:
        """All units of the stage."""
        return {unit for squad in self.squads for unit in squad.ids.tolist()}

    @property
    def stands(self) -> bool:
        """Whether its units do nothing, so that they reach no place."""
        return all(squad.behaviour == "stand" for squad in self.squads)


class Stages:
    """The stages that were written for an order so far."""

    def __init__(self, scene: Scene, manners: Sequence[tuple[set[int], set[str]]] = ()) -> None:
        """Begin without stages.

        Args:
            scene: The game.
            manners: How some units act in all that they do.
        """
        self.scene, self.manners = scene, manners
        self.stages: list[Stage] = []
        self.last = False  # whether nothing follows the present clause
        self.ids: Ids = np.zeros(0, int)  # whom the last clause named
        self.alike: list[Ids] = []  # of one type, whom the last clauses of a sentence sent to a place each
        self.before: set[int] = set()  # stages of the last clause
        self.waited: tuple[Event | None, set[int]] = (None, set())  # what was waited for last, and its stages
        self.implied: Ids = self.ids  # whom the present clause sends somewhere, since it waits for them to be there
        self.acting: Ids | None = None  # who acts where nobody is named; None: those that were named last

    def said(self, ids: Ids, clause: Clause) -> set[str]:
        """Return how units act in a clause: what it says, and what was said of them in others."""
        mine = set(ids.tolist())
        return clause.manner.union(*(how for units, how in self.manners if units >= mine))

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
        scene, context = self.scene, self.scene.facts.context
        said, kinds = self.said(ids, clause), scene.facts.own.types
        how = next((m for m in ("peace", "distance", "close") if m in said and wanted != "stand"), wanted)
        how = "peace" if "cover" in said and how == "go" else how  # whoever is not to be seen does not fight on the way
        how = wanted if how == "peace" and wanted == "fight" else how
        mixed = len({scene.range_of(kinds[unit]) for unit in ids.tolist()}) > 1
        cover = bool(said & {"cover", "trees"}) and "under cover" in context.orders
        found: dict[tuple[str, Cell, tuple[str, ...]], list[int]] = {}
        for kind in dict.fromkeys(kinds[unit] for unit in ids.tolist()):
            reach = scene.range_of(kind)
            deed = "peace" if kind == "civilian" and "follow_map" in context.behaviours else how
            mine = np.array([unit for unit in ids.tolist() if kinds[unit] == kind])
            walks = deed in ("hold", "stay") and math.dist(scene.middle(mine), cell) > NEAR  # `hold` never steps
            name = next(
                (name for name in BEHAVIOURS["go" if walks else deed, reach] if name in context.behaviours), None
            )
            if name is None:
                raise Unclear(f"Units of this world cannot {how}: they know {listing(context.behaviours, 'and')}.")
            place = cell
            if back is not None and mixed and reach == "ranged":
                place = scene.terrain.near((cell[0] + back[0] * GAP, cell[1] + back[1] * GAP))
            own = self.said(mine, clause)
            told = types or tuple(sorted(m.removeprefix(ONLY) for m in own if m.startswith(ONLY)))
            only = told if name.startswith("attack") else ()
            found.setdefault((name, place, only), []).extend(mine.tolist())
        limit = clause.leash or (LEASH if how in ("hold", "stay") or "leash" in said else None)
        able = ("attack_and_move", "attack_in_close_range", *(("attack_in_long_range",) if clause.leash else ()))
        return [
            Squad(
                np.sort(units),
                place,
                name,
                only,
                limit if name in able and "within" in context.orders else None,
                cover,
            )
            for (name, place, only), units in found.items()
        ]

    def add(self, squads: list[Squad], after: set[int], objective: dsl.Objective | None = None) -> int:
        """Add a stage and return its number."""
        after = after.union(*(self.stages[number].until for number in after))
        self.stages.append(Stage(squads, after, objective or dsl.Position(), objective is not None))
        for squad in squads:
            for unit in squad.ids.tolist():
                if unit in self.scene.spots and self.scene.spots[unit] != squad.cell:
                    self.scene.left[unit] = self.scene.spots[unit]
                self.scene.spots[unit] = squad.cell
        return len(self.stages) - 1

    def last_of(self, ids: Ids, among: Collection[int] | None = None) -> set[int]:
        """Return the last stages of some units, or the last ones among some stages."""
        mine, found = set(ids.tolist()), set()
        for number in sorted(range(len(self.stages)) if among is None else among, reverse=True):
            if shared := mine & self.stages[number].units():
                found.add(number)
                mine -= shared
        return found

    def leave(self, numbers: Iterable[int], ids: Ids) -> None:
        """Take units out of stages."""
        for stage in (self.stages[number] for number in numbers):
            stage.whole = stage.whole or [replace(squad) for squad in stage.squads]
            for squad in stage.squads:
                squad.ids = np.setdiff1d(squad.ids, ids)
            stage.squads = [squad for squad in stage.squads if len(squad.ids)]

    def restore(self) -> None:
        """Let units go where everyone was sent first, if later orders sent all of them elsewhere: `to A; half to B`."""
        for number, stage in enumerate(self.stages):
            goes = isinstance(stage.objective, dsl.Position) and not stage.spread
            if (
                stage.whole
                and not stage.squads
                and goes
                and not any(squad.leash or squad.behaviour == "hold" for squad in stage.whole)
            ):
                stage.squads = stage.whole
                for each in stage.instead:
                    self.stages[each].after |= {number}

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
        parts = [ids] if wanted == "stand" else self.grouped(ids)
        return [squad for part in parts for squad in self.squads(part, near(middle(part)), clause, wanted)]

    def listed(self, ids: Ids, whole: int) -> dsl.UnitList:
        """Return ids as a list of a plan: `all`, or single ids and slices."""
        if len(ids) == whole:
            return dsl.UnitList(None)
        return unit_list(ranges((unit, unit + 1) for unit in ids.tolist()), NO_SPAN)

    def parts(self, ids: Ids, count: int, sizes: Sequence[int] = ()) -> list[Ids]:
        """Return units in so many parts with an equal share of each type, or in proportion to sizes; low ids first."""
        kinds = np.array(self.scene.facts.own.types)[ids]
        ends = np.cumsum(sizes)[:-1] / max(1, sum(sizes))
        apart = sizes and max(sizes) - min(sizes) > 1
        typed = [ids[kinds == kind] for kind in dict.fromkeys(kinds)]
        split = [
            np.split(each, np.rint(ends * len(each)).astype(int)) if apart else np.array_split(each, count)
            for each in typed
        ]
        return [np.sort(np.concatenate([each[number] for each in split])) for number in range(count)]
