"""What the words of an order stand for in a game: units, units of the other side, and places as cells."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dsl.wording import listing, unit_words
from hive.ground.ways import Terrain, Vector
from hive.kit.facts import Army, Cell, Facts, Feature, Ids
from hive.players.words.clauses import Foe, Place, Who

COMPASS: dict[str, Vector] = {"n": (0, 1), "s": (0, -1), "e": (1, 0), "w": (-1, 0)}
COMPASS |= {a + b: (COMPASS[b][0], COMPASS[a][1]) for a in "ns" for b in "ew"}
NAMED = {
    "n": "north", "s": "south", "e": "east", "w": "west",
    "ne": "north-east", "nw": "north-west", "se": "south-east", "sw": "south-west",
}  # fmt: skip
FAR = 2.0  # metres: types that reach further fight from afar
GAP = 8  # metres between a line and those behind it


class Unclear(Exception):  # noqa: N818 - it is no fault: its text is the answer
    """Something that was said has no meaning in this game; the text is a question or tells what there is."""


class Vague(Unclear):
    """Something that was said is no order by itself: it may be left out beside others, and is named then."""


class Scene:
    """A game, and what an order has named so far."""

    def __init__(self, facts: Facts) -> None:
        """Begin with an order of which nothing was read yet."""
        self.facts = facts
        self.terrain = Terrain(facts.ground)
        self.size = self.terrain.size
        self.named: set[int] = set()  # by any clause so far
        self.last = np.zeros(0, int)  # whom the last clause named
        self.squads: list[Ids] = []  # of the last split
        self.pool = np.zeros(0, int)  # of whom the last clause named a part
        self.enemies: Foe | None = None  # whom the last clause named
        self.spots: dict[int, Vector] = {}  # where a unit will stand after the clauses so far
        self.place: Place | None = None  # the last one that `it` may stand for
        self.heard: Place | None = None  # the last one that `the western one` may stand for
        self.notes: list[str] = []

    def units(self, who: Sequence[Who], named: bool = True) -> Ids:
        """Return the ids of the live units that are meant, in order.

        Raises:
            Unclear: There are no such units.
        """
        found = np.unique(np.concatenate([self._one(each) for each in who])) if who else np.zeros(0, int)
        if named:
            self.named |= set(found.tolist())
        return found

    def _one(self, who: Who) -> Ids:
        own = self.facts.own
        everyone = np.arange(len(own.types))
        if who.base == "all":
            ids = everyone
        elif who.base == "they":
            ids = self.pool if who.percent and len(self.pool) else self.last if len(self.last) else everyone
        elif who.base == "rest":
            pool = self.pool if who.percent and len(self.pool) else everyone
            ids = np.array([unit for unit in pool if unit not in self.named], int)
            if who.names:
                ids = ids[np.isin(np.array(own.types)[ids], self.types(who.names, own))]
        elif who.base == "squad":
            if not self.squads:
                raise Unclear(
                    "There are no squads yet: say how the army is split, as in `split the army into 3 squads`."
                )
            number = who.number if who.number > 0 else len(self.squads)
            if number > len(self.squads):
                raise Unclear(f"There are {len(self.squads)} squads, and no number {number}.")
            ids = self.squads[number - 1]
        elif who.base == "type":
            ids = everyone[np.isin(own.types, self.types(who.names, own))]
        else:
            ids = everyone
        if who.ids:
            most = max((stop if stop is not None else start + 1) for start, stop in who.ids)
            if most > len(everyone):
                raise Unclear(f"There is no unit {most - 1}: your units are 0 to {len(everyone) - 1}.")
            chosen = np.concatenate([everyone[start:stop] for start, stop in who.ids])
            inside = np.intersect1d(chosen, ids)
            if who.base == "type" and len(inside) < len(chosen):
                raise Unclear(f"Units {self.ids(chosen)} are not all {who.names[0]}: {self.army(own)}.")
            ids = inside
        if who.where is not None and who.where.kind != "nearest" and len(ids):
            ids = self._there(who, ids)
        dead = ids[~own.alive[ids]]
        if len(dead) == len(ids) and len(ids):
            raise Unclear(
                f"{'They are' if len(ids) > 1 else 'It is'} dead: {self.ids(ids)}. You have {self.army(own)}."
            )
        whole, ids = len(ids), ids[own.alive[ids]]
        if len(dead) and who.base == "ids":
            self.notes.append(f"of these {whole} units {len(dead)} are dead")
        for less in who.minus:
            ids = np.setdiff1d(ids, self._one(less))
        if who.where is not None and who.where.kind == "nearest":
            (place,) = (each for each in who.where.of if isinstance(each, Place))
            goal = np.array(self.cell(place, self.middle(ids)))
            far = np.hypot(*(self.facts.own.position[ids] - goal).T)
            return np.sort(ids[np.argsort(far, kind="stable")[: who.part or 1]])
        if who.base not in ("they", "rest") or (who.base == "they" and who.percent and not len(self.pool)):
            self.pool = ids if who.part is not None else np.zeros(0, int)
        if who.part is not None and who.base != "rest":
            ids = self._part(who, ids)
        if not len(ids):
            raise Unclear(f"No unit is left for that. You have {self.army(own)}.")
        return ids

    def _part(self, who: Who, ids: Ids) -> Ids:
        """Return a share of units of each type, or a count, lowest ids first; those without an order before others."""
        assert who.part is not None
        kinds = np.array(self.facts.own.types)[ids]
        if who.percent:
            if not 0 < who.part <= 100:
                raise Unclear(f"{who.part}% of them cannot be sent: a share is between 1% and 100%.")
            share = {33: 1 / 3, 67: 2 / 3}.get(who.part, who.part / 100)
            free = [[unit for unit in ids[kinds == kind]] for kind in dict.fromkeys(kinds)]
            return np.sort(
                np.array([u for each in free for u in self._free(each)[: max(1, round(len(each) * share + 1e-9))]], int)
            )
        if who.part > len(ids) or not who.part:
            kind = unit_words(who.names[0], 2) if who.names else "units"
            raise Unclear(f"You have {len(ids)} {kind}, not {who.part}.")
        free = [unit for unit in ids.tolist() if unit not in self.named]
        if who.base == "all" and len(free) == who.part:
            return np.array(free)
        if who.base == "type":
            return np.sort(np.array(self._free(ids.tolist())[: who.part], int))
        parts, left = [], who.part
        groups = [ids[kinds == kind].tolist() for kind in dict.fromkeys(kinds)]
        for number, group in enumerate(groups):
            share = left * len(group) // max(1, sum(len(each) for each in groups[number:]))
            share = left if number == len(groups) - 1 else share
            parts += self._free(group)[:share]
            left -= share
        return np.sort(np.array(parts, int))

    def _free(self, ids: list[int]) -> list[int]:
        return sorted(ids, key=lambda unit: (unit in self.named, unit))

    def _there(self, who: Who, ids: Ids) -> Ids:
        """Return the units that stand in a part of the ground that the group covers."""
        assert who.where is not None
        at = self.facts.own.position[ids] - self.facts.own.position[ids].mean(0)
        if who.where.kind == "offset":
            middle, _ = self._anchor(who.where.of[0], self.middle(ids))
            at = self.facts.own.position[ids] - np.array(middle)
            if who.where.value == "near":
                return ids[np.hypot(at[:, 0], at[:, 1]) <= max(20, np.hypot(at[:, 0], at[:, 1]).min() + 10)]
            x, y = COMPASS[str(who.where.value)]
        else:
            x, y = COMPASS[who.where.dir]
        return ids[(at[:, 0] * x >= 0) & (at[:, 1] * y >= 0)]

    def types(self, names: Sequence[str], army: Army) -> list[str]:
        """Return the types that some words name: types, or `melee` and `ranged`.

        Raises:
            Unclear: The army has none of them.
        """
        there = dict.fromkeys(army.types)
        found = [kind for kind in there for name in names if name == kind or name == self.range_of(kind)]
        missing = [name for name in names if name not in found and name not in ("melee", "ranged")]
        if missing or not found:
            side = "You have" if army is self.facts.own else "The enemy has"
            raise Unclear(f"{side} no {unit_words((missing or list(names))[0], 2)}: {side.lower()} {self.army(army)}.")
        return found

    def range_of(self, kind: str) -> str:
        """Return `ranged` for a type that fights from afar, else `melee`."""
        return "ranged" if self.facts.types[kind].reach > FAR else "melee"

    def army(self, army: Army) -> str:
        """Return what lives of an army in words."""
        kinds = [kind for kind, lives in zip(army.types, army.alive, strict=True) if lives]
        parts = [f"{kinds.count(kind):,} {unit_words(kind, kinds.count(kind))}" for kind in dict.fromkeys(army.types)]
        return listing(phrases=parts, joint="and")

    @staticmethod
    def ids(ids: Ids) -> str:
        """Return ids in words."""
        return ", ".join(map(str, ids[:5])) + (", …" if len(ids) > 5 else "")

    def who(self, ids: Ids) -> str:
        """Return units in words."""
        kinds = np.array(self.facts.own.types)[ids]
        parts = [f"{(kinds == k).sum():,} {unit_words(str(k), int((kinds == k).sum()))}" for k in dict.fromkeys(kinds)]
        return listing(phrases=parts, joint="and")

    def foes(self, foe: Foe, near: Vector) -> Ids:
        """Return the ids of the live units of the other side that are meant.

        Raises:
            Unclear: There are none.
        """
        army = self.facts.foe
        ids = np.arange(len(army.types))
        if foe.names:
            ids = ids[np.isin(army.types, self.types(foe.names, army))]
        ids = ids[army.alive[ids]]
        if not len(ids):
            raise Unclear("There is no such enemy left." if len(army.types) else "There is no enemy in this world.")
        if foe.dir and foe.dir in COMPASS:
            x, y = COMPASS[foe.dir]
            at = army.position[ids] - self.size / 2
            kept = ids[(at[:, 0] * x >= 0) & (at[:, 1] * y >= 0)]
            ids = kept if len(kept) else ids
        if foe.at is not None:
            goal = np.array(self.cell(foe.at, near))
            groups = self.clusters(ids)
            ids = min(groups, key=lambda each: float(np.linalg.norm(army.position[each].mean(0) - goal)))
        if foe.pick == "nearest":
            ids = min(
                self.clusters(ids), key=lambda each: float(np.linalg.norm(army.position[each].mean(0) - np.array(near)))
            )
        elif foe.pick:
            groups = sorted(self.clusters(ids), key=lambda each: float(army.health[each].sum()))
            ids = groups[0 if foe.pick == "weakest" else -1]
        return ids

    def clusters(self, ids: Ids) -> list[Ids]:
        """Return groups of the other side whose units stand within 15 m of each other, about; largest first."""
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

    def middle(self, ids: Ids) -> Vector:
        """Return where units stand on the average, after the clauses so far."""
        if not len(ids):
            return self.size / 2, self.size / 2
        known = [self.spots.get(unit) or tuple(self.facts.own.position[unit]) for unit in ids.tolist()]
        x, y = np.mean(known, 0)
        return float(x), float(y)

    def foe_middle(self, ids: Ids | None = None) -> Vector:
        """Return the middle of the other side, or of some of its units."""
        army = self.facts.foe
        ids = np.nonzero(army.alive)[0] if ids is None else ids
        x, y = army.position[ids].mean(0) if len(ids) else (self.size / 2, self.size / 2)
        return float(x), float(y)

    def back(self, place: Vector, along: Vector | None = None) -> Vector:
        """Return the direction that leads away from the other side, of length 1, along one axis of the map.

        Args:
            place: From where.
            along: A line, to which it is then at right angles.
        """
        guarded = self.facts.guarded
        fx, fy = self.foe_middle()
        dx, dy = (guarded[0] - place[0], guarded[1] - place[1]) if guarded else (place[0] - fx, place[1] - fy)
        if along is not None:
            across = -along[1], along[0]
            sign = 1.0 if dx * across[0] + dy * across[1] >= 0 else -1.0
            dx, dy = sign * across[0], sign * across[1]
        elif not guarded:
            dx, dy = (0.0, dy) if abs(dy) >= abs(dx) else (dx, 0.0)
        long = math.hypot(dx, dy) or 1.0
        return dx / long, dy / long

    def away(self, place: Vector, metres: float, back: Vector | None = None) -> Cell:
        """Return the cell so many metres from a place, away from the other side (or in a direction)."""
        dx, dy = back or self.back(place)
        return self.terrain.near((place[0] + dx * metres, place[1] + dy * metres))

    def features(self, place: Place, near: Vector) -> list[Feature]:
        """Return the features that a place names.

        Raises:
            Unclear: There is none, or it is not clear which.
        """
        every = self.facts.features
        named = [each for each in every if each.name == place.value]
        if named:
            return named
        found = [each for each in every if each.kind == place.value]
        if not found:
            raise Unclear(f"There is no {place.value} here. {self.places()}")
        kind = found[0].kind
        if place.dir in COMPASS and len(found) > 1:
            found = self._on_side(found, place.dir, place.every)
        if place.metres and len(found) > 1:  # a number
            ends = [each for each in found if each.name.endswith(f" {place.metres}")]
            found = ends or found[place.metres - 1 : place.metres]
            if not found:
                raise Unclear(f"There is no {kind} number {place.metres}. {self.places()}")
        if place.every or len(found) == 1:
            return found
        if self.place is not None and self.place != place and not place.dir and not place.metres and place.near is None:
            same = [each for each in self.features(self.place, near) if each in found]
            if len(same) == 1:
                return same
        if place.near is not None or place.dir == "nearest" or kind in ("forest", "building"):
            goal = np.array(self.cell(place.near, near) if place.near is not None else near)
            return [min(found, key=lambda each: float(np.linalg.norm(np.array(each.place) - goal)))]
        names = listing((each.name for each in found), "or")
        raise Unclear(f"Which {kind} is meant: {names}?")

    def _on_side(self, found: list[Feature], side: str, every: bool) -> list[Feature]:
        word = NAMED[side].replace("-", " ")
        named = [each for each in found if " ".join(each.name.lower().replace("-", " ").split()).startswith(f"{word} ")]
        exact = [each for each in named if NAMED[side] + " " in each.name.lower()]
        if exact or named:
            return exact or named
        x, y = COMPASS[side]
        ranked = sorted(found, key=lambda each: each.place[0] * x + each.place[1] * y)
        if every:
            half = [
                each for each in ranked if (each.place[0] - self.size / 2) * x + (each.place[1] - self.size / 2) * y > 0
            ]
            return half or ranked[-1:]
        return ranked[-1:]

    def places(self) -> str:
        """Return a sentence that names what can be a place here."""
        markers = [f"marker {letter}" for letter, _ in self.facts.context.markers or ()]
        names = list(dict.fromkeys(each.name for each in self.facts.features))
        return f"Places here are {listing(phrases=[*names[:9], *markers, '(x, y)', 'the centre'], joint='and')}."

    def cells(self, place: Place, near: Vector, covered: bool = False) -> list[Cell]:
        """Return the cells that a place stands for, in order: several for markers and for all features of a kind.

        Raises:
            Unclear: There is no such place, or it is not clear which.
        """
        markers = dict(self.facts.context.markers or ())
        if place.kind == "markers":
            letters = list(markers) if place.value in ("all", "one") else list(str(place.value))
            missing = [letter for letter in letters if letter not in markers]
            if missing or not letters:
                known = f"markers are {listing(markers, 'and')}" if markers else "this map has no markers"
                raise Unclear(f"There is no marker {missing[0]}: {known}." if missing else f"Which markers? {known}.")
            if place.value == "one" and place.metres and place.metres <= len(letters):
                return [markers[letters[place.metres - 1 if place.metres > 0 else -1]]]
            if place.value == "one" and len(letters) > 1:
                raise Unclear(f"Which marker is meant: {listing(letters)}?")
            return [markers[letter] for letter in letters]
        if place.kind == "same":
            if place.dir and self.heard is not None:
                kind = self.features(self.heard, near)[0].kind
                return self.cells(Place("feature", kind, dir=place.dir, every=place.every), near, covered)
            if self.place is None:
                raise Unclear(f"Which place is meant? {self.places()}")
            return self.cells(self.place, near, covered)
        if place.kind == "own":
            x, y = self.middle(self.units([who for who in place.of if isinstance(who, Who)], named=False))
            return [self.away((x, y), 0)]
        if place.kind == "map" and place.value == "corner" and place.every:
            low, high = max(3, round(self.size * 0.04)), self.size - 1 - max(3, round(self.size * 0.04))
            corners = {"sw": (low, low), "se": (high, low), "nw": (low, high), "ne": (high, high)}
            return [self.terrain.near(at) for name, at in corners.items() if not place.dir or place.dir in name]
        if place.kind == "feature" and place.value != "forest":
            self.place = place
        if place.kind == "feature":
            return [self._on(each, place, near) for each in self.features(place, near)]
        return [self._spot(place, near, covered)]

    def cell(self, place: Place, near: Vector, covered: bool = False) -> Cell:
        """Return the one cell that a place stands for, as `cells` does."""
        return self.cells(place, near, covered)[-1]

    def _on(self, feature: Feature, place: Place, near: Vector) -> Cell:
        """Return the cell of a feature that is meant: near something, deep inside, on a side, or nearest."""
        wood = feature.kind == "forest"
        goal: Vector = self.cell(place.near, near) if place.near is not None else near
        if (place.dir in COMPASS and (place.deep or place.of)) or place.of:
            side = place.of[0].dir if place.of and isinstance(place.of[0], Place) else place.dir
            x, y = COMPASS.get(side, (0, 0))
            inside = (
                feature.cells & (self.terrain.depth >= min(9, self.terrain.depth[feature.cells].max()))
                if wood
                else feature.cells
            )
            inner = np.zeros_like(inside)
            inner[6:-6, 6:-6] = True
            cells = np.argwhere(inside & self.terrain.enter & inner)
            if len(cells):
                reach = cells @ np.array((x, y)) - 0.3 * np.linalg.norm(cells - np.array(goal), axis=1)
                ax, ay = cells[np.argmax(reach)]
                return int(ax), int(ay)
        if wood and place.deep:
            cells = np.argwhere(feature.cells & self.terrain.forest)
            depth = self.terrain.depth[tuple(cells.T)] - 0.1 * np.linalg.norm(cells - np.array(goal), axis=1)
            dx, dy = cells[np.argmax(depth)]
            return int(dx), int(dy)
        if wood:
            return self.terrain.inside(feature.cells, goal)
        return feature.place

    def _spot(self, place: Place, near: Vector, covered: bool) -> Cell:
        size, margin = self.size, max(3, round(self.size * 0.04))
        low, high = margin, size - 1 - margin
        if place.kind == "at":
            assert isinstance(place.value, tuple)
            at: Cell = place.value
            if not (0 <= at[0] < size and 0 <= at[1] < size):
                raise Unclear(f"{at} is not on the map, which is {size} m wide: x and y go from 0 to {size - 1}.")
            return at
        if place.kind == "goal":
            goal = self.facts.goal or self.facts.guarded
            if goal is None:
                raise Unclear(f"This mission has no place to reach: every enemy is to be eliminated. {self.places()}")
            return goal
        if place.kind == "start":
            own = self.facts.own
            x, y = own.position[own.alive].mean(0)
            return self.away((float(x), float(y)), 30)
        if place.kind == "way":
            x, y = near
            metres = place.metres or 20
            if place.value in ("forward", "back"):
                return self.away(near, -metres if place.value == "forward" else metres)
            dx, dy = COMPASS[str(place.value)]
            long = math.hypot(dx, dy)
            return self.terrain.near((x + dx / long * metres, y + dy / long * metres))
        if place.kind in ("offset", "between"):
            return self._beside(place, near)
        if place.kind == "row":
            return self.terrain.near((size / 2, self.row(place)))
        if place.value == "centre" and not place.dir:
            return self.terrain.near((size / 2, size / 2))
        x, y = near
        if place.value == "halfway":
            return self.terrain.near((x, size / 2))
        side = place.dir or "n"
        inner = 0.0 if place.value in ("corner", "edge") else size * 0.12
        x = {"e": high - inner, "w": low + inner}.get(side[-1], x if place.value != "centre" else size / 2)
        y = {"n": high - inner, "s": low + inner}.get(side[0], y)
        spot = self.terrain.near((x, y))
        if covered and place.value == "corner":
            wood = self.terrain.inside(self.terrain.forest, spot, 6) if self.terrain.forest.any() else spot
            return wood if math.dist(wood, spot) < 20 else spot
        return spot

    def row(self, place: Place) -> float:
        """Return the y of a row across the map."""
        return {"n": 0.8, "s": 0.2}.get(place.dir[:1], 0.5) * self.size

    def _beside(self, place: Place, near: Vector) -> Cell:
        anchors = [self._anchor(each, near) for each in place.of]
        x, y = np.mean([middle for middle, _ in anchors], 0)
        if place.kind == "between":
            return self.terrain.near((float(x), float(y)))
        (half_x, half_y) = anchors[0][1]
        metres = place.metres
        relation = str(place.value)
        if relation in COMPASS:
            dx, dy = COMPASS[relation]
            reach = 10 if metres is None else metres
            return self.terrain.near((x + dx * (half_x + reach), y + dy * (half_y + reach)))
        if relation in ("behind", "front"):
            foes = isinstance(place.of[0], Foe)
            gap = (GAP if metres is None else metres) + (max(half_x, half_y) if foes else 0.0)
            return self.away((float(x), float(y)), -gap if (relation == "front") != foes else gap)
        if relation in ("far_side", "this_side"):
            dx, dy = x - near[0], y - near[1]
            if half_x > 3 * half_y or half_y > 3 * half_x:
                dx, dy = (0.0, dy) if half_x > half_y else (dx, 0.0)
            long = math.hypot(dx, dy) or 1.0
            beyond = min(half_x, half_y) + (10 if metres is None else metres)
            beyond = beyond if relation == "far_side" else -beyond
            return self.terrain.near((x + dx / long * beyond, y + dy / long * beyond))
        return self.terrain.near((float(x), float(y)))

    def _anchor(self, anchor: Place | Who | Foe, near: Vector) -> tuple[Vector, Vector]:
        """Return the middle of what a place is beside, and half its extent along x and y."""
        if isinstance(anchor, Who):
            return self.middle(self.units([anchor], named=False)), (0.0, 0.0)
        if isinstance(anchor, Foe):
            at = self.facts.foe.position[self.foes(anchor, near)]
            x, y = at.mean(0)
            return (float(x), float(y)), (float(np.ptp(at[:, 0])) / 2, float(np.ptp(at[:, 1])) / 2)
        if anchor.kind == "same" and self.place is not None:
            anchor = self.place
        if anchor.kind == "feature":
            cells = np.argwhere(self.features(anchor, near)[0].cells)
            low, high = cells.min(0), cells.max(0)
            x, y = (low + high) / 2
            return (float(x), float(y)), (float(high[0] - low[0]) / 2, float(high[1] - low[1]) / 2)
        x, y = self.cell(anchor, near)
        return (float(x), float(y)), (0.0, 0.0)
