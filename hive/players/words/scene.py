"""What the words of an order stand for in a game: ids of units on both sides, and places as cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dsl.wording import listing, plural, unit_words
from hive.ground.places import Terrain, Vector
from hive.kit.facts import Army, Cell, Facts, Feature, Ids
from hive.players.words.clauses import ALL, NAMED, Place, Who

COMPASS: dict[str, Vector] = {"n": (0, 1), "s": (0, -1), "e": (1, 0), "w": (-1, 0)}
COMPASS |= {a + b: (COMPASS[b][0], COMPASS[a][1]) for a in "ns" for b in "ew"}
FAR = 2.0  # metres: types that reach further fight from afar
TOGETHER = ("between", "near", "ring", "wings")  # what is said of several places together
THERE = 15  # metres from a place at which units are there
GAP = 8  # metres between a line and those behind it
Spot = tuple[Cell, str]
Box = tuple[Vector, Vector]
"""The middle of something, and half its extent along x and y."""


class Unclear(Exception):  # noqa: N818 - it is no fault: its text is the answer
    """Something that was said has no meaning in this game; the text is a question or tells what there is."""


class Scene:
    """A game, and what the clauses of an order have named so far."""

    def __init__(self, facts: Facts) -> None:
        """Begin with an order of which nothing was read yet."""
        self.facts = facts
        self.terrain = Terrain(facts.ground)
        self.size = self.terrain.size
        bridges = [each.cells for each in facts.features if each.kind == "bridge"]
        self.land = self.terrain.enter & ~np.any([np.zeros_like(self.terrain.enter), *bridges], 0)  # without bridges
        self.named: set[int] = set()  # units of any clause so far
        self.parted: set[int] = set()  # those of them who were named by a number or a share
        self.groups: list[Ids] = []  # whom the clauses named, the last one last
        self.full = 0  # how many of them there were when everyone had been named
        self.rests: list[Ids] = []  # those who were called the rest
        self.squads: dict[int, Ids] = {}  # by number
        self.turn = 0  # number of the squad that `one` named last
        self.pool: Ids = np.zeros(0, int)  # of whom the last clause named a share
        self.again = False  # whether it was a part of those who had been named before
        self.foe: Who | None = None  # enemies named last
        self.spots: dict[int, Vector] = {}  # where a unit will stand after the clauses so far
        self.left: dict[int, Vector] = {}  # where it stood before that
        self.heard: Place | None = None  # the place named last
        self.seen: list[Feature] = []  # features named so far
        self.labels: dict[Cell, str] = {}  # what the cells of places are called
        self.notes: list[str] = []  # what else is to be said

    # ---- units

    def units(self, who: Sequence[Who], named: bool = True) -> Ids:
        """Return the ids of the live units that are meant, in order.

        Raises:
            Unclear: There are no such units.
        """
        parts, pools = list[Ids](), list[Ids]()
        for each in who:
            parts.append(self._one(each))
            pools.append(self.pool)
        if all(each.share for each in who):  # `half the spearmen and half the archers to A, the other half to B`
            self.pool = np.unique(np.concatenate(pools))
        found = np.unique(np.concatenate(parts))
        self.named |= set(found.tolist()) if named and not who[0].whole else set()
        if not self.full and len(self.named) == self.facts.own.alive.sum():
            self.full = len(self.groups) + 1
        self.parted |= set(found.tolist()) if named and any(each.part for each in who) else set()
        return found

    def _one(self, who: Who) -> Ids:
        army = self.facts.own
        who = self._meant(who)
        ids = self._numbered(who, self._typed(who, self._based(who), army), army)
        if who.base == "rest":
            ids = self._others(who, ids)
            self.rests.append(ids)
        if len(ids) and not army.alive[ids].any():
            meant = listing(phrases=[f"your {unit_words(kind, 2)}" for kind in who.names] or ["of them"], joint="and")
            raise Unclear(f"All {meant} are dead. You have {self.army(army)}.")
        ids = ids[army.alive[ids]]
        if who.minus:
            ids = np.setdiff1d(ids, self.units(who.minus, named=False))
        if who.pick == "there" and who.where is not None:
            cell = self.cells(who.where, self.middle(ids))[0][0]
            ids = np.array([unit for unit in self.spots if math.dist(self.spots[unit], cell) < THERE], int)
        elif who.where is not None and who.pick != "nearest":
            ids = ids[self.standing(army.position[ids], who.where)]
        if who.count is not None or who.share:
            self.again = who.base in ("they", "squad")  # `one of them`
            self.pool = ids if who.share or self.again else np.zeros(0, int)
            self.parted -= set(ids.tolist()) if self.again else set()
            ids = self._part(who, ids)
        ids = np.sort(ids)
        if not len(ids):
            raise Unclear(f"No unit is left for that. You have {self.army(army)}.")
        return ids

    def _meant(self, who: Who) -> Who:
        """Return some units as they are meant beside what was said before."""
        if who.count == 1 and self.squads and who.base == "all":
            self.turn += 1
            return Who("squad", number=self.turn)  # `one to A, one to B`
        if who.pick == "nearest" and who.count is None and not who.share:
            raise Unclear("How many of them? Say it as in `the nearest 20 archers to (75, 75)`.")
        return who

    def _based(self, who: Who) -> Ids:
        """Return the units among which some are: those named last, those of a squad, or everyone."""
        army = self.facts.own
        ids = np.arange(len(army.types))
        if who.base == "they" and 2 < who.number < ALL and not self.groups:  # `the twenty go to A`
            return self._part(Who(count=who.number), ids)
        if who.base == "they" and self.groups:
            last = self.groups[-max(1, who.number) :]
            if who.number == -1:
                last = [group for group in self.groups if len(group) == 1][-1:] or last
            elif who.number == -2:
                last = self.groups[-2:-1] or last
            elif who.number > 1:
                last = self._counted(who.number, alike=who.pick == "alike")
            return np.unique(np.concatenate(last))
        if who.base != "squad":
            return ids
        if not self.squads and 0 < who.number <= len(self.groups) > 1:  # `the first lot`
            return self.groups[who.number - 1]
        if who.number not in self.squads and who.number != -1:
            squads = listing(phrases=map(str, self.squads), joint="and") or "none"
            raise Unclear(f"Which squad is meant? There are {squads}.")
        return self.squads[who.number if who.number > 0 else max(self.squads, default=0)] if self.squads else ids

    def _counted(self, number: int, alike: bool) -> list[Ids]:
        """Return the group of so many units, or so many groups; `alike`: those who are called something.

        Raises:
            Unclear: Nobody who was named is so many.
        """
        groups = [*{group.tobytes(): group for group in self.groups}.values()]
        rest = np.setdiff1d(np.nonzero(self.facts.own.alive)[0], list(self.named))
        if sized := [group for group in (*groups, rest) if len(group) == number and not alike]:
            return sized[-1:]
        if number == ALL or len(groups) == number or (len(groups) > number and not alike):
            return groups[-number:]
        if len(self.squads) == number:
            return list(self.squads.values())
        raise Unclear(f"Who are the {number} that are meant? You have {self.army(self.facts.own)}.")

    def _others(self, who: Who, ids: Ids) -> Ids:
        """Return the rest of some units: what a part was taken of, the squads that are left, or who was not named."""
        left = np.setdiff1d(self.pool, list(self.parted))
        if self.turn and not who.names:
            left = np.concatenate([squad for number, squad in self.squads.items() if number > self.turn] or [left])
        others = np.setdiff1d(ids, list(self.named))
        if not len(others):  # everyone was named. `Then only the cavalry goes on, the others stay`
            since = [
                group for group in self.groups[self.full :] if not any(np.array_equal(group, r) for r in self.rests)
            ]
            others = np.setdiff1d(ids, np.concatenate(since) if since else list(self.parted))
        return left if len(left) and not who.names and who.pick != "all" else others

    def _typed(self, who: Who, ids: Ids, army: Army) -> Ids:
        if not who.names:
            return ids
        there = dict.fromkeys(army.types)
        kinds = [kind for kind in there for name in who.names if name in (kind, self.range_of(kind))]
        if missing := [name for name in who.names if name not in {*there, *map(self.range_of, there)}]:
            side = "You have" if army is self.facts.own else "The enemy has"
            raise Unclear(f"{side} no {unit_words(missing[0], 2)}: {side.lower()} {self.army(army)}.")
        return ids[np.isin(np.array(army.types)[ids], kinds)]

    def _numbered(self, who: Who, ids: Ids, army: Army) -> Ids:
        if not who.ids:
            return ids
        whole = len(army.types)
        most = max(stop if stop < 10**9 else start + 1 for start, stop in who.ids)
        if most > whole:
            raise Unclear(f"There is no unit {most - 1}: ids are 0 to {whole - 1}.")
        chosen = np.unique(np.concatenate([np.arange(whole)[start:stop] for start, stop in who.ids]))
        if len(other := np.setdiff1d(chosen, ids)):
            raise Unclear(
                f"Units {other[0]} to {other[-1]} are no {unit_words(who.names[0], 2)}: you have {self.army(army)}."
            )
        return chosen

    def standing(self, position: np.ndarray, where: Place, own: bool = True) -> np.ndarray:
        """Return which of some positions lie in a place: in a half of the map, in a feature, or within sight of it.

        Args:
            position: Places in metres, `[N, 2]`.
            where: The place.
            own: Whether they are those of one's own side, whose middle halves are told from where all are on one side.

        Returns:
            Whether each lies there, `[N]`.
        """
        if where.kind == "beside" and isinstance(where.of[0], Place) and where.of[0].kind in ("xs", "y"):
            x, y = COMPASS[str(where.value)]
            at = where.of[0].value[0] if isinstance(where.of[0].value, tuple) else where.of[0].value
            return (position * (x, y)).sum(1) > (x + y) * float(str(at))
        if where.kind == "part" and where.dir and not where.of:
            x, y = COMPASS[where.dir]
            middles = [position.mean(0), np.array([self.size / 2] * 2)]
            for at in middles if own else middles[::-1]:
                inside = ((position - at) * (x, y) >= 0).all(1)
                if inside.any() and (not own or not inside.all()):
                    return inside
            return inside
        (cell, _), *_ = self.cells(where, (self.size / 2, self.size / 2))
        return np.hypot(*(position - np.array(cell)).T) <= max(self.facts.sight, self.size / 8)

    def _part(self, who: Who, ids: Ids) -> Ids:
        """Return a share of units of each type, or a count; those without an order, and low ids, before others.

        Raises:
            Unclear: There are too few.
        """
        kinds = np.array(self.facts.own.types)[ids]
        types = list(dict.fromkeys(kinds.tolist()))
        if who.share > 1 or (who.count is not None and not 0 < who.count * (len(types) if who.each else 1) <= len(ids)):
            asked = f"{who.share:.0%}" if who.share else f"{who.count}"
            raise Unclear(f"You have {len(ids)} of them, not {asked}: {self.army(self.facts.own)}.")
        if who.pick == "nearest":
            goal = self.cells(who.where, self.middle(ids))[0][0] if who.where else self.foe_middle()
            order = np.argsort(np.hypot(*(self.facts.own.position[ids] - np.array(goal)).T), kind="stable")
            return np.sort(ids[order[: who.count or math.floor(len(ids) * who.share + 0.5)]])
        found, left, whole = list[int](), who.count or 0, len(ids)
        for kind in types:
            mine = ids[kinds == kind].tolist()
            mine.sort(key=lambda unit: (unit in self.parted, unit in self.named, -unit if who.pick == "last" else unit))
            count = max(1, math.floor(len(mine) * who.share + 0.5 + 1e-9)) if who.share else who.count or 0
            if who.count is not None and not who.each:
                count = round(left * len(mine) / whole)
                left, whole = left - count, whole - len(mine)
            found += mine[:count]
        if again := self.parted & set(found):
            fresh = [unit for unit in found if unit not in again]
            if not who.share or len(again) > len(types) or not fresh:
                raise Unclear(
                    f"{len(again)} of them have an order already: say who goes where with numbers that add up."
                )
            found = fresh  # shares are rounded
        return np.array(sorted(found), int)

    def foes(self, who: Who, near: Vector) -> Ids:
        """Return the ids of the live units of the other side that are meant.

        Raises:
            Unclear: There are none.
        """
        army = self.facts.foe
        ids = self._numbered(who, self._typed(who, np.arange(len(army.types)), army), army)
        ids = ids[army.alive[ids]]
        if who.base == "rest" and self.foe is not None:
            ids = np.setdiff1d(ids, self.foes(self.foe, near))
        if who.where is not None and len(ids) and who.where.kind == "part":
            ids = ids[self.standing(army.position[ids], who.where, own=False)]
        if not len(ids):
            raise Unclear(f"There is no such enemy now: the enemy has {self.army(army)}.")
        goal = np.array(self.cells(who.where, near)[0][0] if who.where and who.where.kind != "part" else near)
        if who.count is not None or who.share:
            if (who.count or 0) > len(ids):
                raise Unclear(f"The enemy has {len(ids)} of them, not {who.count}: {self.army(army)}.")
            far = np.linalg.norm(army.position[ids] - goal, axis=1)
            return np.sort(ids[np.argsort(far, kind="stable")[: who.count or max(1, round(len(ids) * who.share))]])
        if who.pick == "nearest" or (who.where is not None and who.where.kind != "part"):
            groups = self.clusters(ids)
            return min(groups, key=lambda each: float(np.linalg.norm(army.position[each].mean(0) - goal)))
        return ids

    def clusters(self, ids: Ids) -> list[Ids]:
        """Return groups of the other side whose units are within about 15 m; largest first."""
        blocks: dict[Cell, list[int]] = {}
        for unit in ids.tolist():
            x, y = self.facts.foe.position[unit] // 15
            blocks.setdefault((int(x), int(y)), []).append(unit)
        groups = []
        while blocks:
            front, group = [next(iter(blocks))], []
            while front:
                x, y = front.pop()
                group += blocks.pop((x, y), [])
                front += [(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (x + i, y + j) in blocks]
            groups.append(np.array(sorted(group)))
        return sorted(groups, key=len, reverse=True)

    def range_of(self, kind: str) -> str:
        """Return `ranged` for a type that fights from afar, else `melee`."""
        return "ranged" if self.facts.types[kind].reach > FAR else "melee"

    def middle(self, ids: Ids, before: bool = False) -> Vector:
        """Return where units stand on the average, after the clauses so far, or where they stood before that."""
        spots = self.left if before else self.spots
        known = [spots.get(unit) or tuple(self.facts.own.position[unit]) for unit in ids.tolist()]
        x, y = np.mean(known, 0) if known else (self.size / 2, self.size / 2)
        return float(x), float(y)

    def foe_middle(self, ids: Ids | None = None) -> Vector:
        """Return the middle of the other side, or of some of its units."""
        army = self.facts.foe
        ids = np.nonzero(army.alive)[0] if ids is None else ids
        x, y = army.position[ids].mean(0) if len(ids) else (self.size / 2, self.size / 2)
        return float(x), float(y)

    def foe_types(self, foes: Ids) -> tuple[str, ...]:
        """Return the types of some units of the other side."""
        return tuple(dict.fromkeys(np.array(self.facts.foe.types)[foes].tolist()))

    # ---- words for lines and questions

    @staticmethod
    def counted(kinds: Sequence[str]) -> str:
        """Return types with their numbers in words."""
        parts = [f"{kinds.count(kind):,} {unit_words(kind, kinds.count(kind))}" for kind in dict.fromkeys(kinds)]
        return listing(phrases=parts, joint="and")

    def army(self, army: Army) -> str:
        """Return what lives of an army in words."""
        return self.counted([kind for kind, lives in zip(army.types, army.alive, strict=True) if lives]) or "nobody"

    def who(self, ids: Ids) -> str:
        """Return units in words."""
        return self.counted([self.facts.own.types[unit] for unit in ids])

    def opponents(self, foes: Ids) -> str:
        """Return enemies in words."""
        kinds = self.foe_types(foes)
        return f"{len(foes):,} {'enemies' if len(kinds) != 1 else 'enemy ' + unit_words(kinds[0], len(foes))}"

    def places(self) -> str:
        """Return a sentence that names what can be a place here."""
        markers = [f"marker {letter}" for letter, _ in self.facts.context.markers or ()]
        names = list(dict.fromkeys(each.name for each in self.facts.features))
        return f"Places here are {listing(phrases=[*names[:9], *markers, '(x, y)', 'the centre'], joint='and')}."

    # ---- places

    def cells(self, place: Place, near: Vector) -> list[Spot]:
        """Return the cells that a place stands for, in order, with names: several for markers and all of a kind.

        Args:
            place: What was said.
            near: Where the units stand that are sent there.

        Raises:
            Unclear: There is no such place, or it is not clear which.
        """
        found = self._cells(place, near)
        for each in place.minus:
            gone = {cell for cell, _ in self._cells(each, near)}
            found = [(cell, name) for cell, name in found if cell not in gone]
        self.labels |= {cell: name for cell, name in found if name}
        return found

    def hear(self, place: Place, near: Vector) -> None:
        """Let `there` mean a place from now on."""
        if place.kind not in ("same", "units", "way") and place.value != "ring":
            it = Place("same") in place.of  # `20 m south of it, and hold there`
            self.heard = Place("at", self.cells(place, near)[-1][0]) if it else place

    def _cells(self, place: Place, near: Vector) -> list[Spot]:
        value = place.value
        if place.kind == "same":
            if self.heard is None:
                raise Unclear(f"Which place is meant? {self.places()}")
            found = self._cells(self.heard, near)
            return found[-1:] if self.heard.kind == "markers" else found
        if place.kind == "markers":
            markers = dict(self.facts.context.markers or ())
            letters = list(markers) if value == "all" else list(str(value))
            if missing := [letter for letter in letters if letter not in markers] or not letters:
                known = f"markers are {listing(markers, 'and')}" if markers else "this map has no markers"
                raise Unclear(f"There is no marker {missing[0] if isinstance(missing, list) else ''}: {known}.")
            return [(markers[letter], f"marker {letter} {markers[letter]}") for letter in letters]
        if place.kind == "feature":
            return [
                (cell, f"{each.name} {cell}")
                for each in self.features(place, near)
                for cell in [self._on(each, place, near)]
            ]
        if len(apart := self.apart(place, near)) > 1:
            return [spot for each in apart for spot in self._cells(each, near)]  # `the south end of each bridge`
        one = place.of[0] if place.kind == "beside" and place.deep else None
        if isinstance(one, Place) and sum(each.kind == one.value for each in self.facts.features) > 1:
            return self._cells(replace(one, dir=str(value)), near)  # `the forest on the left side`
        if place.kind == "part" and value == "corner" and (place.every or not place.dir):
            corners = [self._cells(replace(place, every=False, dir=side), near)[0] for side in ("sw", "se", "nw", "ne")]
            return corners if place.every else [min(corners, key=lambda each: math.dist(each[0], near))]
        if place.kind == "part" and place.every and value in ("half", "edge") and not place.dir:
            raise Unclear("Which sides are meant? Say it as in `the north side and the south side of it`.")
        if place.kind == "part" and value == "wings":
            home = self.middle(np.nonzero(self.facts.own.alive)[0])
            (x, y), (wide, high) = (
                self.box(place.of[0], near) if place.of else (home, (0.2 * self.size, 0.2 * self.size))
            )
            dx, dy = self.back((x, y))
            gap = GAP if place.metres is None else place.metres
            far = abs(dy) * wide + abs(dx) * high + (gap if place.of else 0)
            return [(self.terrain.near((x + way * abs(dy), y + way * abs(dx))), "") for way in (-far, far)]
        if place.kind in ("xs", "line") and isinstance(value, tuple):
            ends = value if place.kind == "line" else [(x, near[1]) for x in value]
            return [(self._inside(end), "") for end in ends]
        if place.kind == "goal":
            goal = self.facts.goal or self.facts.guarded
            if goal is None:
                raise Unclear(f"This mission has no place to reach: every enemy is to be eliminated. {self.places()}")
            return [(goal, f"the objective {goal}")]
        cell = self._cell(place, near)
        part = f"{NAMED.get(place.dir, '')} {'' if value == 'half' and place.dir else value}".strip()
        name = f"the {part} {cell}" if place.kind == "part" and value != "ring" else ""
        return [(cell, name)]

    def apart(self, place: Place, near: Vector) -> list[Place]:
        """Return the places, one by one, that a place is: each feature of several, or the same side of each."""
        of = place.of[0] if place.of else None
        if place.kind == "feature":
            return [Place("feature", each.name) for each in self.features(place, near)]
        if not (isinstance(of, Place) and of.kind == "feature" and of.every) or place.value in TOGETHER or place.deep:
            return [place]
        return [replace(place, of=(each,)) for each in self.apart(of, near)]

    def _inside(self, cell: object) -> Cell:
        x, y = (min(int(each), self.size - 1) if each == self.size else int(each) for each in cell)  # type: ignore[attr-defined]
        if not (0 <= x < self.size and 0 <= y < self.size):
            raise Unclear(
                f"({x}, {y}) is not on the map, which is {self.size} m wide: x and y go from 0 to {self.size - 1}."
            )
        return x, y

    def _cell(self, place: Place, near: Vector) -> Cell:
        value, last = place.value, self.size - 1
        if place.kind == "at":
            return self._inside(value)
        if place.kind == "y":
            return self._inside((near[0], value))
        if place.kind == "start":
            x, y = self.facts.own.position.mean(0)
            return self.terrain.near((float(x), float(y)))
        if place.kind == "home":
            return self.terrain.near(near, self.bank(near))
        if place.kind == "way":
            dx, dy = (0.0, 0.0) if value == "here" else COMPASS.get(str(value)) or self.back(near)
            long = (math.hypot(dx, dy) or 1.0) * (-1 if value == "forward" else 1)
            metres = 20 if place.metres is None else place.metres
            return self.terrain.near((near[0] + dx / long * metres, near[1] + dy / long * metres))
        if place.kind == "units":
            return self.terrain.near(self.box(place.of[0], near)[0])
        if place.kind == "beside":
            return self._beside(place, near)
        (x, y), (wide, high) = self.box(place.of[0], near) if place.of else ((last / 2, last / 2), (last / 2, last / 2))
        wood = self._trees(place.of[0], near, edge=True) if place.of and value == "edge" and not place.dir else None
        if wood is not None:  # `the edge of the wood`: where it is nearest to them
            return self.terrain.near(near, wood)
        dx, dy = COMPASS.get(place.dir, (0, 0))
        ways = (dx * (x + dx * 0.67 * wide - near[0]), dy * (y + dy * 0.67 * high - near[1]))
        ahead = min(ways) >= (-GAP if dx and dy else 0)  # `to the north-west, then the north-east`: level with it
        inset = 0.96 if (not ahead and not place.of) or value in ("corner", "edge") else 0.67 if not place.of else 0.5
        middle = value in ("centre", "row", "column", "halfway") or bool(place.of) or place.deep
        x = x + dx * inset * wide if dx or middle else near[0]
        y = y + dy * inset * high if dy or middle else near[1]
        return self.terrain.near((x, y), self._trees(place.of[0], near, edge=value == "edge") if place.of else None)

    def _trees(self, anchor: Place | Who, near: Vector, edge: bool = False) -> np.ndarray | None:
        """Return the `[X, Y]` cells well inside a wood, or all of them, so that its parts are places under trees."""
        feature = self._feature("forest", anchor, near)
        if feature is None or not (inner := feature.cells & self.terrain.forest).any():
            return None
        if edge:
            return inner
        least = 12 if isinstance(anchor, Place) and anchor.deep else 6
        return inner & (self.terrain.depth >= min(least, int(self.terrain.depth[inner].max())))

    def _on(self, feature: Feature, place: Place, near: Vector) -> Cell:
        """Return the cell of a feature that is meant: of a wood, the one inside it that is nearest."""
        trees = self._trees(replace(place, value=feature.name, dir="", numbers=(), count=0, every=False, of=()), near)
        if place.of and isinstance(place.of[0], Place) and place.of[0].kind == "beside":
            near = self.cells(place.of[0], near)[0][0]  # `the wood just north of the bridge`
        return feature.place if trees is None else self.terrain.near(near, trees)

    def _beside(self, place: Place, near: Vector) -> Cell:
        of = place.of or (Who("they"),)
        if place.value == "between" and not place.of and len(self.groups) > 1:
            return self.terrain.near(tuple(np.mean([self.middle(group) for group in self.groups[-2:]], 0)))
        boxes = [self.box(each, near) for each in of]
        (x, y), (wide, high) = boxes[0]
        relation, metres = str(place.value), place.metres
        if relation == "between":
            return self.terrain.near(tuple(np.mean([middle for middle, _ in boxes], 0)))
        foes = isinstance(of[0], Who) and of[0].foe
        if relation in COMPASS:
            dx, dy = COMPASS[relation]
        elif relation in ("far_side", "this_side", "front") and (bridge := self._feature("bridge", of[0], near)):
            return self.across(bridge, near, relation == "far_side")
        elif relation in ("far_side", "this_side") or foes:
            dx, dy = x - near[0], y - near[1]
            dx, dy = (0.0, math.copysign(1, dy)) if abs(dy) >= abs(dx) else (math.copysign(1, dx), 0.0)
        elif relation in ("behind", "front"):
            dx, dy = self.back((x, y))
        else:
            return self.terrain.near((x, y))
        if relation in ("this_side", "front"):
            dx, dy = -dx, -dy
        wood = self._feature("forest", of[0], near)
        gap = float(GAP if metres is None else metres)
        cell = self.terrain.near((x + dx * (wide + gap), y + dy * (high + gap)), ~self.terrain.forest if wood else None)
        if (cell[0] - x) * dx + (cell[1] - y) * dy < 0.7 * (abs(dx) * wide + abs(dy) * high):
            if isinstance(of[0], Place) and relation in COMPASS:  # `the far west of the wood`
                return self._cell(Place("part", "edge", dir=relation, of=(of[0],)), near)
            raise Unclear(f"There is no room there: ({cell[0]}, {cell[1]}) is near the edge of the map.")
        return cell

    def _feature(self, kind: str, anchor: Place | Who, near: Vector) -> Feature | None:
        """Return the feature that something is, if it is one of a kind."""
        if not isinstance(anchor, Place) or anchor.kind != "feature":
            return None
        feature = self.features(anchor, near)[0]
        return feature if feature.kind == kind else None

    def box(self, anchor: Place | Who, near: Vector) -> Box:
        """Return the middle of what a place is beside or a part of, and half its extent."""
        if isinstance(anchor, Who) and not anchor.foe:
            return self.middle(self.units([anchor], named=False)), (0.0, 0.0)
        if isinstance(anchor, Who):
            at = self.facts.foe.position[self.foes(anchor, near)]
        elif anchor.kind == "feature":
            at = np.argwhere(self.features(anchor, near)[0].cells)
        elif anchor.kind == "same" and self.heard is not None:
            return self.box(self.heard, near)
        else:
            at = np.array([cell for cell, _ in self.cells(anchor, near)])
        low, high = at.min(0), at.max(0)
        x, y = (low + high) / 2
        return (float(x), float(y)), (float(high[0] - low[0]) / 2, float(high[1] - low[1]) / 2)

    def back(self, place: Vector) -> Vector:
        """Return the direction of length 1 along an axis that leads away from the other side, or to what is guarded."""
        foe = self.foe_middle()
        if math.dist(place, foe) < GAP:  # in the middle of them: the way back is home
            place = tuple(self.facts.own.position.mean(0))
        if guarded := self.facts.guarded:
            dx, dy = guarded[0] - place[0], guarded[1] - place[1]
        else:
            dx, dy = place[0] - foe[0], place[1] - foe[1]
            dx, dy = (0.0, dy) if abs(dy) >= abs(dx) else (dx, 0.0)
        long = math.hypot(dx, dy) or 1.0
        return dx / long, dy / long

    def kind(self, place: Place) -> str:
        """Return the kind of feature that a place names, `forest` and the like; empty for other places."""
        named = (each.kind for each in self.facts.features if place.value in (each.name, each.kind))
        return next(named, "") if place.kind == "feature" else ""

    def features(self, place: Place, near: Vector) -> list[Feature]:
        """Return the features that a place names.

        Raises:
            Unclear: There is none, or it is not clear which.
        """
        every, kind, side = self.facts.features, place.value, place.dir
        found = (
            [each for each in every if each.name == kind]
            or [each for each in every if each.kind == kind]
            or [each for each in every if each.name.rpartition(" ")[0] == kind]  # with numbers after it
        )
        if not found:
            raise Unclear(f"There is no {kind} here. {self.places()}")
        if side and len(found) > 1:
            word = NAMED[side]
            begins = [each for each in found if each.name.lower().startswith((f"{word} ", f"{word}ern "))]
            far = [float(np.dot(np.array(each.place) - self.size / 2, COMPASS[side])) for each in found]
            half = [each for each, metres in zip(found, far, strict=True) if metres > 0]
            found = begins or (half if place.every or place.numbers else [found[int(np.argmax(far))]])
        if place.numbers:
            numbered = [each for each in found if each.name.rpartition(" ")[2] in map(str, place.numbers)]
            if len(numbered) != len(place.numbers):
                raise Unclear(f"Which {kind} is meant: {listing((each.name for each in found), 'or')}?")
            found = numbered
        if place.of and place.of[0] == Place("home"):
            wide = self.bank(near)
            wide = wide | np.roll(wide, 4, 0) | np.roll(wide, -4, 0) | np.roll(wide, 4, 1) | np.roll(wide, -4, 1)
            found = [each for each in found if (each.cells & wide).any()] or found
        elif place.of:
            found = self._nearest(found, self.box(place.of[0], near)[0])[: place.count or 1]
        elif place.count and place.count < len(found):
            found = self._nearest(found, near)[: place.count]
        elif place.count > len(found):
            raise Unclear(f"There are {plural(len(found), str(kind))} of that name, not {place.count}.")
        elif not place.every and not place.numbers and len(found) > 1:
            told = [each for each in self.seen[::-1] if any(each is one for one in found)]
            if kind == "bridge" and not told:
                raise Unclear(f"Which bridge is meant: {listing((each.name for each in found), 'or')}?")
            found = told[:1] or self._nearest(found, near)[:1]
        for each in place.minus:
            gone = self.features(each, near)
            found = [one for one in found if not any(one is other for other in gone)]
        self.seen += found
        return found

    def _nearest(self, features: list[Feature], near: Vector) -> list[Feature]:
        """Return features by how far their nearest cell is from a place."""
        return sorted(features, key=lambda each: math.dist(self.terrain.near(near, each.cells), near))

    def bank(self, near: Vector) -> np.ndarray:
        """Return the `[X, Y]` cells that are reached from a place without a bridge, in blocks of 3 m."""
        land = self.land
        coarse = land[::3, ::3]
        found = np.zeros_like(coarse)
        x, y = self.terrain.near(near, land)
        found[x // 3, y // 3] = True
        count = 0
        while count != (count := int(found.sum())):
            wide = np.pad(found, 1)
            found = (wide[1:-1, 1:-1] | wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]) & coarse
        whole = np.repeat(np.repeat(found, 3, 0), 3, 1)[: land.shape[0], : land.shape[1]]
        return whole & land

    def across(self, bridge: Feature, near: Vector, beyond: bool = True) -> Cell:
        """Return a cell just beyond a bridge, seen from a place, or just before it."""
        own, (x, y) = self.bank(near), bridge.place
        before = self.terrain.near(bridge.place, own)
        if not beyond:
            return before
        dx, dy = x - before[0], y - before[1]
        return self.terrain.near((x + 1.8 * dx, y + 1.8 * dy), self.land & ~own)
