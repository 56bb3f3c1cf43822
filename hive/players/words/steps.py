"""The stages that are written for an order, and what units do in them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import dsl
from dsl.id_ranges import ranges, unit_list
from dsl.source import NO_SPAN
from dsl.wording import listing
from hive.ground.places import Vector
from hive.kit.facts import Cell, Ids, Running
from hive.players.words.clauses import Clause, Place, Who
from hive.players.words.scene import Scene, Spot, Unclear
from hive.players.words.stages import MOST_SQUADS, Squad, Stage

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


class Steps:
    """Stages, and who was told what so far."""

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

    @staticmethod
    def listed(ids: Ids, whole: int) -> dsl.UnitList:
        """Return ids as a list of a plan: `all`, or single ids and slices."""
        if len(ids) == whole:
            return dsl.UnitList(None)
        return unit_list(ranges((unit, unit + 1) for unit in ids.tolist()), NO_SPAN)
