"""What the phrases of an order stand for in a game: ids of units on both sides, and places as cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from dsl.wording import counted, listing, unit_words
from hive.ground.places import Terrain, Vector, nearest
from hive.kit.facts import Army, Cell, Facts, Feature, Ids
from hive.players.words.lexicon import phrases, stem
from hive.players.words.phrases import Place, Units

NAMED = {
    "n": "north", "s": "south", "e": "east", "w": "west",
    "ne": "north-east", "nw": "north-west", "se": "south-east", "sw": "south-west",
}  # fmt: skip
COMPASS: dict[str, Vector] = {"n": (0, 1), "s": (0, -1), "e": (1, 0), "w": (-1, 0)}
COMPASS |= {a + b: (COMPASS[b][0], COMPASS[a][1]) for a in "ns" for b in "ew"}
FAR = 2.0  # metres: types that reach further fight from afar
GAP = 8  # metres between a line and those behind it


class Unclear(Exception):  # noqa: N818 - it is no fault: its text is the answer
    """Something that was said has no meaning in this game; the text is a question or tells what there is."""


class Scene:
    """A game, and what the clauses of an order have named so far."""

    def __init__(self, facts: Facts) -> None:
        """Begin with an order of which nothing was read yet."""
        self.facts, self.terrain = facts, Terrain(facts.ground)
        self.size = self.terrain.size
        self.groups: list[Ids] = []  # whom the clauses named, the last one last
        self.taken: set[int] = set()  # units of parts that were named
        self.pool: Ids = np.zeros(0, int)  # of whom the last clause named a part
        self.foe: Units | None = None  # enemies named last
        self.spots: dict[int, Vector] = {}  # where a unit will stand after the clauses so far
        self.heard: Place | None = None  # the place named last
        self.labels: dict[Cell, str] = {}  # what the cells of places are called

    # ---- units

    def units(self, who: Sequence[Units]) -> Ids:
        """Return the ids of the live units that are meant, in order.

        Raises:
            Unclear: There are no such units.
        """
        found, pools = list[Ids](), list[Ids]()
        for each in who:
            found.append(self._one(each))
            pools.append(self.pool)
        self.pool = np.unique(np.concatenate(pools)) if all(each.part for each in who) else self.pool
        return np.unique(np.concatenate(found))

    def _one(self, who: Units) -> Ids:
        army = self.facts.own
        ids = self._typed(who, np.arange(len(army.types)), army)
        if who.base in ("they", "both"):
            number = 1 + (who.base == "both")
            if len(self.groups) < number:
                raise Unclear(f"Who is meant? You have {self.army(army)}.")
            ids = np.intersect1d(ids, np.concatenate(self.groups[-number:]))
        elif who.base in ("rest", "others"):
            pool = np.setdiff1d(self.pool, [*self.taken]) if who.base == "rest" and not who.types else ids[:0]
            ids = pool if len(pool) else np.setdiff1d(ids, [*self.taken])
        if len(ids) and not army.alive[ids].any():
            raise Unclear(f"They are all dead. You have {self.army(army)}.")
        ids = ids[army.alive[ids]]
        if who.minus:
            ids = np.setdiff1d(ids, self.units(who.minus))
        if who.at is not None:
            ids = ids[self._inside_part(army.position[ids], who.at)]
        if who.count is not None or who.share:
            self.pool = ids
            ids = self._part(who, ids)
        if not len(ids):
            raise Unclear(f"No unit is left for that. You have {self.army(army)}.")
        return np.sort(ids)

    def name(self, who: Sequence[Units], ids: Ids) -> None:
        """Let `they` mean units from now on, and `the rest` those who are not among them."""
        self.groups.append(ids)
        if not all(each.whole for each in who):
            self.taken |= set(ids.tolist())

    def _typed(self, who: Units, ids: Ids, army: Army) -> Ids:
        if who.types:
            kinds = [kind for kind in army.types if who.types[0] in (kind, self.range_of(kind))]
            if not kinds:
                side = "You have" if army is self.facts.own else "The enemy has"
                raise Unclear(f"{side} no {unit_words(who.types[0], 2)}: {side.lower()} {self.army(army)}.")
            ids = ids[np.isin(np.array(army.types)[ids], kinds)]
        if who.ids:
            chosen = np.unique(np.concatenate([np.arange(a, min(b, a + 10**5)) for a, b in who.ids]))
            if chosen[-1] >= len(army.types) and max(b for _, b in who.ids) < 10**9:
                raise Unclear(f"There is no unit {chosen[-1]}: ids are 0 to {len(army.types) - 1}.")
            if who.types and len(np.setdiff1d(chosen[chosen < len(army.types)], ids)):
                raise Unclear(f"Not all of these are {unit_words(who.types[0], 2)}: {self.army(army)}, in this order.")
            ids = np.intersect1d(ids, chosen)
        return ids

    def _part(self, who: Units, ids: Ids) -> Ids:
        """Return a share of units of each type, or a count; those without an order, and low ids, before others."""
        if who.count is not None and not 0 < who.count <= len(ids):
            raise Unclear(f"You have {len(ids)} of them, not {who.count}: {self.army(self.facts.own)}.")
        if who.base == "all" and (who.count or 0) > (free := len(np.setdiff1d(ids, [*self.taken]))) < len(ids):
            raise Unclear(f"Only {free} of them have no order yet, not {who.count}.")
        kinds, found, left, whole = np.array(self.facts.own.types)[ids], list[int](), who.count or 0, len(ids)
        for kind in dict.fromkeys(kinds.tolist()):
            mine = sorted(ids[kinds == kind].tolist(), key=lambda unit: (unit in self.taken, unit))
            take = math.ceil(left * len(mine) / whole) if who.count else math.floor(len(mine) * who.share + 0.5)
            found, left, whole = [*found, *mine[:take]], left - take, whole - len(mine)
        return np.array(found)

    def _inside_part(self, position: np.ndarray, where: Place) -> np.ndarray:
        """Return which of some positions, `[N, 2]`, lie in a half of the map, or near a place, `[N]`."""
        if where.kind == "part" and where.dir and not where.of:
            for at in (np.array([self.size / 2] * 2), position.mean(0)):
                inside = ((position - at) * COMPASS[where.dir] >= 0).all(1)
                if inside.any() and not inside.all():
                    break
            return inside
        cell = self.cells(where, (self.size / 2, self.size / 2))[0]
        return np.hypot(*(position - np.array(cell)).T) <= max(2 * self.facts.sight, self.size / 8)

    def all_foes(self, meant: Iterable[Units], near: Vector) -> Ids:
        """Return the ids of the live enemies that any of several phrases means, in rising order."""
        return np.unique(np.concatenate([self.foes(each, near) for each in meant]))

    def foe_types(self, foes: Iterable[int]) -> tuple[str, ...]:
        """Return the types of some enemies, each once, in the order of the enemies."""
        return tuple(dict.fromkeys(self.facts.foe.types[foe] for foe in foes))

    def foes(self, who: Units, near: Vector) -> Ids:
        """Return the ids of the live enemies that are meant: of so many, those nearest to a place.

        Raises:
            Unclear: There are no such enemies.
        """
        army = self.facts.foe
        who = self.foe or Units(foe=True) if who.base == "they" else who
        ids = self._typed(who, np.arange(len(army.types)), army)
        ids = ids[army.alive[ids]]
        if who.at is not None and len(ids):
            inside = self._inside_part(army.position[ids], who.at)
            if not inside.any():
                raise Unclear(f"No enemy stands there now. The enemy has {self.army(army)}.")
            ids = ids[inside]
        if not len(ids) or (who.count or 0) > len(ids):
            raise Unclear(f"The enemy has no such units: it has {self.army(army)}.")
        if who.count or who.share:
            far = np.linalg.norm(army.position[ids] - near, axis=1)
            return np.sort(ids[np.argsort(far, kind="stable")[: who.count or max(1, round(len(ids) * who.share))]])
        return ids

    def range_of(self, kind: str) -> str:
        """Return `ranged` for a type that fights from afar, else `melee`."""
        return "ranged" if self.facts.types[kind].reach > FAR else "melee"

    def middle(self, ids: Ids) -> Vector:
        """Return where units stand on the average, after the clauses so far."""
        known = [self.spots.get(unit) or tuple(self.facts.own.position[unit]) for unit in ids.tolist()]
        x, y = np.mean(known, 0)
        return float(x), float(y)

    def foe_middle(self, ids: Ids | None = None) -> Vector:
        """Return the middle of the other side, or of some of its units."""
        at = self.facts.foe.position[self.facts.foe.alive if ids is None else ids]
        x, y = at.mean(0) if len(at) else (self.size / 2, self.size / 2)
        return float(x), float(y)

    # ---- words for lines and questions

    @staticmethod
    def counted(kinds: Sequence[str]) -> str:
        """Return types with their numbers in words."""
        return counted(kinds) or "nobody"

    def army(self, army: Army) -> str:
        """Return what lives of an army in words."""
        return self.counted([kind for kind, lives in zip(army.types, army.alive, strict=True) if lives])

    def who(self, ids: Ids) -> str:
        """Return units in words."""
        return self.counted([self.facts.own.types[unit] for unit in ids])

    def places(self) -> str:
        """Return a sentence that names what can be a place here."""
        markers = [f"marker {letter}" for letter, _ in self.facts.context.markers or ()]
        names = list(dict.fromkeys(each.name for each in self.facts.features))
        return f"Places here are {listing(phrases=[*names[:9], *markers, '(x, y)', 'the centre'], joint='and')}."

    def examples(self) -> str:
        """Return a sentence with orders that fit the game."""
        kinds = list(dict.fromkeys(self.facts.own.types))
        names = [each.name for each in self.facts.features if each.kind in ("bridge", "forest")]
        one, other = unit_words(kinds[0], 2), unit_words(kinds[-1], 2)
        return (
            f"For example: `half of the {one} hold the {names[-1] if names else 'centre'}`, "
            f"`{other} attack the enemy, then fall back to (20, 20)`, `everyone go to (30, 40) without fighting`."
        )

    def names(self) -> dict[tuple[str, ...], dict[str, object]]:
        """Return the names of the map as stems; `Hunter` alone is the Hunter Bridge, if nothing else begins so."""
        names: dict[tuple[str, ...], dict[str, object]] = {}
        firsts = [each.name.split()[0] for each in self.facts.features]
        for each in self.facts.features:
            words = tuple(stem(word) for word in each.name.lower().replace("-", " ").split())
            if len(words) > 1 or words not in phrases():
                names[words] = {"name": each.name}
            if "-" not in firsts[0] and firsts.count(each.name.split()[0]) == 1 and words[:1] not in phrases():
                names.setdefault(words[:1], {"name": each.name})
        return names

    # ---- places

    def cells(self, place: Place, near: Vector) -> list[Cell]:
        """Return the cells that a place stands for, in order: several for markers and all features of a kind.

        Args:
            place: What was said.
            near: Where the units stand that are sent there.

        Raises:
            Unclear: There is no such place, or it is not clear which.
        """
        value = place.value
        if place.kind == "same":
            if self.heard is None:
                raise Unclear(f"Which place is meant? {self.places()}")
            anchor = self.heard.of[0] if value == "it" and self.heard.of else self.heard
            return self.cells(anchor if isinstance(anchor, Place) else self.heard, near)[-1:]
        if place.kind == "markers":
            markers = dict(self.facts.context.markers or ())
            letters = [*markers] if value == "all" else [*str(value)]
            if missing := [letter for letter in letters if letter not in markers] or not letters:
                known = f"markers are {listing(markers, 'and')}" if markers else "this map has no markers"
                raise Unclear(f"There is no marker {missing[0] if isinstance(missing, list) else ''}: {known}.")
            return [self._called(markers[letter], f"marker {letter}") for letter in letters]
        if place.kind == "feature":
            return [self._called(self._on(each, near), each.name) for each in self.features(place, near)]
        if place.kind == "line" and isinstance(value, tuple):
            return [self._on_map(end) for end in value]
        if place.kind == "goal":
            goal = self.facts.goal or self.facts.guarded
            if goal is None:
                raise Unclear(f"This mission has no place to reach: every enemy is to be eliminated. {self.places()}")
            return [self._called(goal, "the objective")]
        of = place.of[0] if place.of else None
        if isinstance(of, Place) and of.every and place.value != "between":
            raise Unclear(f"Which {of.value} is meant? {self.places()}")
        cell = self._cell(place, near)
        part = f"the {NAMED.get(place.dir, '')} {value if value != 'half' else ''}".strip().replace("  ", " ")
        return [self._called(cell, part) if place.kind == "part" and not of else cell]

    def _called(self, cell: Cell, name: str) -> Cell:
        self.labels.setdefault(cell, f"{name} {cell}")
        return cell

    def _on_map(self, cell: object) -> Cell:
        x, y = (min(int(each), self.size - 1) if each == self.size else int(each) for each in cell)  # type: ignore[attr-defined]
        if not (0 <= x < self.size and 0 <= y < self.size):
            raise Unclear(
                f"({x}, {y}) is not on the map, which is {self.size} m wide: x and y go from 0 to {self.size - 1}."
            )
        return x, y

    def _cell(self, place: Place, near: Vector) -> Cell:
        value, last = place.value, self.size - 1
        if place.kind == "at":
            return self._on_map(value)
        if place.kind == "y":
            return self._on_map((near[0], value))
        if place.kind == "start":
            x, y = self.facts.own.position.mean(0)
            return self.terrain.near((float(x), float(y)))
        if place.kind == "way":
            dx, dy = COMPASS.get(str(value)) or self.back(near)
            metres = (20 if place.metres is None else place.metres) * (-1 if value == "forward" else 1)
            long = math.hypot(dx, dy) or 1.0
            return self.terrain.near((near[0] + dx / long * metres, near[1] + dy / long * metres))
        if place.kind == "beside":
            return self._beside(place, near)
        (x, y), (wide, high) = self.box(place.of[0], near) if place.of else ((last / 2, last / 2),) * 2
        dx, dy = COMPASS.get(place.dir, (0, 0))
        if value in ("corner", "edge") and not (dx or dy):
            raise Unclear(f"Which {value} is meant? Say it as in `the south-west {value}`.")
        inset = 0.96 if value in ("corner", "edge") else 0.67 if not place.of else 0.5
        middle = value in ("centre", "row", "deep") or bool(place.of)
        x = x + dx * inset * wide if dx or middle else near[0]
        y = y + dy * inset * high if dy or middle else near[1]
        named = self._feature(place.of, near)
        return self.terrain.near((x, y), self._wood(named) if named else None)

    def _feature(self, of: Sequence[Place | Units], near: Vector) -> Feature | None:
        """Return the feature that a place is beside or a part of, if it is one."""
        first = of[0] if of else None
        return self.features(first, near)[0] if isinstance(first, Place) and first.kind == "feature" else None

    def _wood(self, feature: Feature) -> np.ndarray | None:
        """Return the `[X, Y]` cells well inside a feature that is a wood."""
        if feature.kind != "forest":
            return None
        inner, depth = feature.cells & self.terrain.forest, self.terrain.depth
        return inner & (depth >= min(6, int(depth[inner].max())))

    def _on(self, feature: Feature, near: Vector) -> Cell:
        """Return the cell of a feature that is meant: of a wood, the one inside it that is nearest."""
        trees = self._wood(feature)
        return feature.place if trees is None else self.terrain.near(near, trees)

    def _beside(self, place: Place, near: Vector) -> Cell:
        relation, of = str(place.value), place.of
        if relation == "between" and isinstance(of[0], Place) and of[0].every:
            of = tuple(Place("feature", each.name) for each in self.features(of[0], near))
        boxes = [self.box(each, near) for each in of]
        (x, y), (wide, high) = boxes[0] if boxes else (near, (0.0, 0.0))
        if relation == "between":
            if len(boxes) != 2:
                raise Unclear("Between what? Say it as in `between marker A and marker B`.")
            spots = [middle for middle, _ in boxes]
            for n, each in enumerate(of):  # of a river, what is nearest to the other
                feature = self._feature([each], near)
                if feature and feature.kind == "water":
                    spots[n] = nearest(feature.cells, spots[1 - n])
            return self.terrain.near(tuple(np.mean(spots, 0)))
        named = self._feature(of, near)
        if relation in COMPASS:
            dx, dy = COMPASS[relation]
        elif relation in ("far_side", "this_side", "front") and named and named.kind == "bridge":
            return self.landing(named, near, relation == "far_side")
        elif relation in ("far_side", "this_side") or (of and isinstance(of[0], Units) and of[0].foe):
            dx, dy = x - near[0], y - near[1]
            dx, dy = (0.0, math.copysign(1, dy)) if abs(dy) >= abs(dx) else (math.copysign(1, dx), 0.0)
        elif relation in ("behind", "front"):
            dx, dy = self.back((x, y))
        else:
            return self.terrain.near((x, y))
        sign = -1 if relation in ("this_side", "front") else 1
        gap = float(GAP if place.metres is None else place.metres)
        wood = ~self.terrain.forest if named and named.kind == "forest" else None
        return self.terrain.near((x + sign * dx * (wide + gap), y + sign * dy * (high + gap)), wood)

    def landing(self, bridge: Feature, near: Vector, far: bool) -> Cell:
        """Return the cell just off an end of a bridge: the farther one from a place, or the nearer one."""
        ((x, y), (wide, high)), ends = _extent(bridge), list[Cell]()
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            spot = (x + dx * (wide + 4), y + dy * (high + 4))
            cell = self.terrain.near(spot)
            ends += [cell] if math.dist(cell, spot) < 2 else []
        return sorted(ends or [bridge.place], key=lambda cell: math.dist(cell, near))[-1 if far else 0]

    def box(self, anchor: Place | Units, near: Vector) -> tuple[Vector, Vector]:
        """Return the middle of what a place is beside or a part of, and half its extent."""
        if isinstance(anchor, Units) and not anchor.foe:
            return self.middle(self.units([anchor])), (0.0, 0.0)
        if isinstance(anchor, Units):
            at = self.facts.foe.position[self.foes(anchor, near)]
        elif anchor.value == "it" and self.heard:
            return self.box(self.heard.of[0] if self.heard.of else self.heard, near)
        elif anchor.kind == "feature":
            return _extent(self.features(anchor, near)[0])
        else:
            at = np.array(self.cells(anchor, near))
        (x, y), (wide, high) = (at.min(0) + at.max(0)) / 2, np.ptp(at, axis=0) / 2
        return (float(x), float(y)), (float(wide), float(high))

    def back(self, place: Vector) -> Vector:
        """Return the direction of length 1 along an axis that leads away from the other side, or to what is guarded."""
        foe, own = self.foe_middle(), self.facts.own.position.mean(0)
        if guarded := self.facts.guarded:
            dx, dy = guarded[0] - place[0], guarded[1] - place[1]
        else:
            dx, dy = np.subtract(place if math.dist(place, foe) > GAP else own, foe)
            dx, dy = (0.0, dy) if abs(dy) >= abs(dx) else (dx, 0.0)
        long = math.hypot(dx, dy) or 1.0
        return dx / long, dy / long

    def behind(self, place: Vector, metres: float) -> Cell:
        """Return the cell so far behind a place, or in front of it if the number is below 0; see `back`."""
        (x, y), (dx, dy) = place, self.back(place)
        return self.terrain.near((x + dx * metres, y + dy * metres))

    def features(self, place: Place, near: Vector) -> list[Feature]:
        """Return the features that a place names.

        Raises:
            Unclear: There is none, or it is not clear which.
        """
        every, kind, side = self.facts.features, place.value, place.dir
        found = [each for each in every if each.name == kind] or [each for each in every if each.kind == kind]
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
            return numbered
        if not place.every and len(found) > 1:
            if kind == "bridge" and not side:
                raise Unclear(f"Which bridge is meant: {listing((each.name for each in found), 'or')}?")
            found = sorted(found, key=lambda each: math.dist(self.terrain.near(near, each.cells), near))[:1]
        return found


def _extent(feature: Feature) -> tuple[Vector, Vector]:
    """Return the middle of the box round a feature, and half its extent."""
    (west, east), (south, north) = (np.flatnonzero(feature.cells.any(axis))[[0, -1]].tolist() for axis in (1, 0))
    return ((west + east) / 2, (south + north) / 2), ((east - west) / 2, (north - south) / 2)
