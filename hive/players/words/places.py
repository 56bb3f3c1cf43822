"""Places of an order as cells of the map, with what they are called in an answer."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dsl.wording import listing
from hive.ground.places import Vector
from hive.kit.facts import Cell, Feature, Ids
from hive.players.words.meaning import Place, Who
from hive.players.words.world import COMPASS, GAP, NAMED, Ledger, Spot, Unclear, grown

RELATIONS = {each: f"{name} of" for each, name in NAMED.items()} | {
    "behind": "behind", "front": "in front of", "near": "by", "far_side": "beyond", "this_side": "this side of",
    "side": "beside",
    "away": "away from", "around": "around",
}  # fmt: skip


def _again(of: Place | Who) -> bool:
    """Whether a place is, or is part of, one that was named before."""
    return (isinstance(of, Place) and of.kind == "there") or any(_again(each) for each in of.of)


class World(Ledger):
    """A game: units, enemies and places."""

    def spot(self, place: Place, near: Vector) -> Spot:
        """Return the one cell that a place stands for, as `spots` does."""
        return self.spots_of(place, near)[-1]

    def spots_of(self, place: Place, near: Vector) -> list[Spot]:
        """Return the cells that a place stands for, in order, with names: several for markers and all of a kind.

        Args:
            place: The place.
            near: Where the units are that go there.

        Raises:
            Unclear: There is no such place, or it is not clear which.
        """
        if place.kind == "zone" and place.dir not in COMPASS:  # `behind y = 60`
            return self.spots_of(place.value, near)
        if place.kind == "there":
            if not self.places:
                raise Unclear(f"Which place is meant? {self.known()}")
            return self.spots_of(self.places[-1], near)
        if place.kind == "both":
            return [spot for each in place.of for spot in self.spots_of(each, near)]
        if place.kind == "marker":
            found = self._markers(place)
        elif place.kind in ("feature", "name"):
            found = [(self._on(each, near), each.name) for each in self.features_of(place, near)]
        elif place.kind == "part" and place.every and place.value in ("corner", "edge", "side"):
            sides = ("sw", "se", "nw", "ne") if place.value == "corner" else ("w", "e", "n", "s")
            wanted = [side for side in sides if not place.dir or place.dir in side]
            found = [self.spot(replace(place, dir=side, every=False), near) for side in wanted]
        elif place.kind == "part" and place.value == "wings":
            x, y = self.middle(self.everyone)
            found = [(self.terrain.near((x + way * self.size, y)), "a wing") for way in (-0.2, 0.2)]
        else:
            found = [(cell := self._cell(place, near), self.called(place, near, cell))]
        for cell, name in found:
            self.labels.setdefault(cell, name if str(cell) in name else f"{name} {cell}".strip())
        return found

    def called(self, place: Place, near: Vector, cell: Cell) -> str:
        """Return in words what a place is, for the lines of an answer."""
        if place.kind == "goal":
            return "the objective"
        if place.kind == "who":
            return f"the place of {self.kin(place.of[0], near)}"
        if place.kind == "zone":
            return f"{NAMED[place.dir]} of {place.value.kind}={place.value.value}"
        if place.kind == "between":
            ends = [self.what(each, near) for each in self._between(place, near)]
            return f"between {listing(phrases=ends, joint='and')}"
        if place.kind == "beside":
            far = f"{place.metres} m " if place.metres else ""
            return f"{far}{RELATIONS.get(place.value, place.value)} {self.what(place.of[0], near)}"
        if place.kind == "part":
            name = f"the {NAMED.get(place.dir, '')} {place.value or ''}".replace("  ", " ").strip()
            return f"{name} of {self.what(place.of[0], near)}" if place.of else name
        if place.kind == "way":
            return f"{place.metres or 20} m {NAMED.get(place.value, place.value)}"
        return {"start": "where the army is", "home": "our own side"}.get(place.kind, str(cell))

    def what(self, of: Place | Who, near: Vector) -> str:
        """Return what a place is beside, or a part of, in words."""
        if isinstance(of, Who):
            return self.kin(of, near)
        of = self.anchor(of)
        if of.kind in ("feature", "name"):
            return self.features_of(of, near)[0].name
        return self.spot(of, near)[1]

    def kin(self, who: Who, near: Vector) -> str:
        """Return units of either side in words."""
        ids = self.units(who, near=near)
        return self.opponents(ids) if who.side == "foe" else self.who(ids)

    def _markers(self, place: Place) -> list[Spot]:
        markers = dict(self.facts.context.markers or ())
        known = f"markers are {listing(markers, 'and')}" if markers else "this map has no markers"
        letters = list(markers) if place.value == "all" else list(str(place.value))
        missing = [letter for letter in letters if letter not in markers]
        if missing or not letters:
            raise Unclear(f"There is no marker {missing[0]}: {known}." if missing else f"Which markers? {known}.")
        return [(markers[letter], f"marker {letter}") for letter in letters]

    def features_of(self, place: Place, near: Vector) -> list[Feature]:
        """Return the features that a place names.

        Raises:
            Unclear: There is none, or it is not clear which.
        """
        every = self.facts.features
        if place.kind == "name":
            found = [each for each in every if each.name == place.value][:1]
            self.features += found
            return found
        if place.value == "last":
            place = replace(place, value=self.features[-1].kind if self.features else "bridge")
        found = [each for each in every if each.kind == place.value]
        if str(place.value).startswith("~"):  # a word of the names
            found = [each for each in every if re.search(rf"\b{place.value[1:-1]}", each.name.lower())]
        if not found:
            raise Unclear(f"There is no {place.value} here. {self.known()}")
        names = {id(each) for each in self.features}
        if place.which == "rest":
            found = [each for each in found if id(each) not in names] or found
        if place.which == "own" or (place.near and place.near[0] == "this_side"):
            bank = grown(self.bank(self.middle(self.everyone)), 4)
            found = [each for each in found if (each.cells & bank).any()] or found
        if place.dir:
            found = self._on_side(found, place.dir, place.every, place.number)
        if place.near:
            relation, to = place.near
            to = Place("name", to) if isinstance(to, str) else to
            goal = np.array(self.extent(to, near)[0])
            if relation in COMPASS:
                way = np.array(COMPASS[relation])
                found = [each for each in found if float((np.array(each.place) - goal) @ way) > 0] or found
            order = [math.dist(each.place, goal) * (-1 if relation == "farthest" else 1) for each in found]
            found = [found[n] for n in np.argsort(order, kind="stable")]
            found = found[: place.number or (len(found) if place.every else 1)]
        elif place.number and not place.every:
            found = [each for each in found if each.name.endswith(f" {place.number}")] or found[place.number - 1 :][:1]
            if not found:
                raise Unclear(f"There is no {place.value} number {place.number}. {self.known()}")
        elif place.every and place.number and place.number < len(found):
            recent = [each for each in self.features[::-1] if any(each is other for other in found)]
            if len({id(each) for each in recent}) != place.number:
                raise Unclear(f"Which {place.number} are meant: {listing((each.name for each in found), 'or')}?")
            found = list({id(each): each for each in recent}.values())
        if not place.every and len(found) > 1:
            same = [each for each in self.features[::-1] if any(each is other for other in found)]
            if same and not place.dir:
                found = same[:1]
            elif place.value == "bridge" and not place.dir:
                raise Unclear(f"Which {place.value} is meant: {listing((each.name for each in found), 'or')}?")
            else:
                found = [min(found, key=lambda each: math.dist(self.terrain.near(near, each.cells), near))]
        self.features += found
        return found

    def _on_side(self, found: list[Feature], side: str, every: bool, number: int) -> list[Feature]:
        word = NAMED[side].replace("-", " ")
        named = [each for each in found if f"{word} " in each.name.lower().replace("-", " ")]
        exact = [each for each in named if each.name.lower().replace("-", " ").startswith(f"{word} ")]
        if exact or named:
            return exact or named
        reach = [float(np.dot(np.array(each.place) - self.size / 2, COMPASS[side])) for each in found]
        if number > 1:
            return [found[n] for n in np.argsort([-each for each in reach])][:number]
        half = [each for each, far in zip(found, reach, strict=True) if far > 0]
        return half if every and half else [found[int(np.argmax(reach))]]

    def _on(self, feature: Feature, near: Vector, deep: int = 6) -> Cell:
        """Return the cell of a feature that is meant: some way into a wood, where it is nearest."""
        if feature.kind != "forest":
            return feature.place
        inner = feature.cells & self.terrain.forest & self.terrain.enter
        deepest = int(self.terrain.depth[inner].max()) if inner.any() else 0
        return self.terrain.near(near, inner & (self.terrain.depth >= min(deep, deepest)))

    def remember(self, *places: Place) -> None:
        """Keep places that later words may mean by `there` or `it`."""
        for place in places:
            if place.kind == "both":
                self.remember(*place.of)
            elif place.kind != "there" and not any(_again(inner) for each in place.of for inner in each.of):
                inner = place.of[0] if place.of else None
                known = isinstance(inner, Place) and inner.kind == "there"
                self.places.append(replace(place, of=(self.anchor(place.of[0]), *place.of[1:])) if known else place)

    def anchor(self, of: Place) -> Place:
        """Return the place that `there` or `it` stands for."""
        if of.kind != "there":
            return of
        if not self.places:
            raise Unclear(f"Which place is meant? {self.known()}")
        last = self.places[-1]
        inner = last.of[0] if last.kind in ("beside", "part") and last.of and isinstance(last.of[0], Place) else last
        return self.anchor(inner) if inner.kind == "there" else inner

    def _cell(self, place: Place, near: Vector) -> Cell:
        size, value = self.size, place.value
        if place.kind == "at":
            if not all(0 <= each < size for each in value):
                raise Unclear(
                    f"{tuple(value)} is not on the map, which is {size} m wide: x and y go from 0 to {size - 1}."
                )
            return int(value[0]), int(value[1])
        if place.kind in ("x", "y"):
            if not 0 <= value < size:
                raise Unclear(f"{place.kind}={value} is not on the map: x and y go from 0 to {size - 1}.")
            return self.terrain.near((value, near[1]) if place.kind == "x" else (near[0], value))
        if place.kind == "goal":
            goal = self.facts.goal or self.facts.guarded
            if goal is None:
                raise Unclear(f"This mission has no place to reach: every enemy is to be eliminated. {self.known()}")
            return goal
        if place.kind == "start":
            x, y = self.facts.own.position[self.everyone].mean(0)
            return self.terrain.near((float(x), float(y)))
        if place.kind == "way":
            metres = 20 if place.metres is None else place.metres
            if value in ("forward", "back"):
                return self.away(near, -metres if value == "forward" else metres)
            dx, dy = COMPASS[str(value)]
            long = math.hypot(dx, dy)
            return self.terrain.near((near[0] + dx / long * metres, near[1] + dy / long * metres))
        if place.kind in ("zone", "home"):
            zone = self.zone(place)
            assert zone is not None
            inner = ~grown(~zone, 3)
            return self.terrain.near(near, inner if (inner & self.terrain.enter).any() else zone)
        if place.kind == "who":
            return self.terrain.near(self.extent(place.of[0], near)[0])
        if place.kind == "between":
            ends = [self.extent(each, near)[0] for each in self._between(place, near)]
            x, y = np.mean(ends, 0)
            return self.terrain.near((float(x), float(y)))
        if place.kind in ("line", "lined", "box"):
            cells = [self.spot(each, near)[0] for each in place.of]
            x, y = np.mean(cells, 0)
            return self.terrain.near((float(x), float(y)))
        return self._beside(place, near) if place.kind == "beside" else self._part_of(place, near)

    def _between(self, place: Place, near: Vector) -> Sequence[Place | Who]:
        (one, *others) = place.of
        if isinstance(one, Who) and one.base == "they" and not others and len(self.groups) > 1:
            return [Place("at", tuple(map(round, self.middle(group)))) for group in self.groups[-2:]]
        if isinstance(one, Place) and one.kind == "feature" and not others:
            return [Place("name", each.name) for each in self.features_of(one, near)]
        return place.of

    def _part_of(self, place: Place, near: Vector) -> Cell:
        """Return the cell of a part of the map, or of a place: a corner, an edge, a side, the centre."""
        value, whole = place.value, not place.of
        of = None if whole else (self.anchor(place.of[0]) if isinstance(place.of[0], Place) else place.of[0])
        solid = None
        if isinstance(of, Place) and of.kind in ("feature", "name"):
            solid = self.features_of(of, near)[0]
        if value == "deep" and solid is not None:
            return self._on(solid, near, 14)
        if value == "ring":
            return self.terrain.near(self.extent(of, near)[0] if of else near)
        if value == "corner" and not place.dir:
            corners = [self._part_of(replace(place, dir=side), near) for side in ("sw", "se", "nw", "ne")]
            return min(corners, key=lambda each: math.dist(each, near))
        if (
            not whole
            and place.dir
            and solid is not None
            and solid.kind in ("building", "water", "bridge")
            and value != "centre"
        ):
            return self._beside(Place("beside", place.dir, of=(of,), metres=3), near)
        if solid is not None and value in ("edge", "side") and not place.dir:
            ring = grown(solid.cells, 3) & ~solid.cells
            return self.terrain.near(near, ring)
        (x, y), (half_x, half_y) = (
            self.extent(of, near) if of else ((self.size / 2 - 0.5,) * 2, (self.size / 2 - 0.5,) * 2)
        )
        share = {"corner": 0.92, "edge": 0.92, "side": 0.68, "": 0.68}.get(value or "", 0.0 if not place.dir else 0.68)
        dx, dy = COMPASS.get(place.dir, (0, 0))
        ends = ((x + dx * half_x * share), (y + dy * half_y * share))
        if whole and len(place.dir) == 1 and value in ("edge", "side", "", None) and value != "centre":
            ends = (ends[0] if dx else near[0], ends[1] if dy else near[1])  # straight on
        if whole and value in ("row", "column", "halfway"):
            ends = (near[0], y) if value != "column" else (x, near[1])
        mask = None
        if solid is not None and solid.kind == "forest":
            inner = solid.cells & self.terrain.forest
            mask = inner & (self.terrain.depth >= min(6, int(self.terrain.depth[inner].max()))) if inner.any() else None
        return self.terrain.near(ends, mask)

    def extent(self, of: Place | Who, near: Vector) -> tuple[Vector, Vector]:
        """Return the middle of what a place is beside or a part of, and half its extent along x and y."""
        if isinstance(of, Who):
            if of.side == "foe":
                at = self.facts.foe.position[self.units(of, near=near)]
                (x, y), half = at.mean(0), np.ptp(at, axis=0) / 2
                return (float(x), float(y)), (float(half[0]), float(half[1]))
            ids = self.everyone if of.base == "they" and of.number < 0 and not self.groups else self.units(of)
            return self.middle(ids), (0.0, 0.0)
        of = self.anchor(of)
        if of.kind in ("feature", "name"):
            at = np.argwhere(self.features_of(of, near)[0].cells)
            low, high = at.min(0), at.max(0)
            x, y = (low + high) / 2
            return (float(x), float(y)), (float(high[0] - low[0]) / 2, float(high[1] - low[1]) / 2)
        if of.kind == "who":
            return self.extent(of.of[0], near)
        x, y = self.spot(of, near)[0]
        return (float(x), float(y)), (0.0, 0.0)

    def _beside(self, place: Place, near: Vector) -> Cell:
        of = place.of[0]
        (x, y), (half_x, half_y) = self.extent(of, near)
        relation, metres = str(place.value), place.metres
        foes = isinstance(of, Who) and of.side == "foe"
        of = of if isinstance(of, Who) else self.anchor(of)
        bridge = None
        outside = None
        if isinstance(of, Place) and of.kind in ("feature", "name"):
            solid = self.features_of(of, near)[0]
            bridge = solid if solid.kind == "bridge" else None
            outside = ~solid.cells & self.terrain.enter if relation not in ("near", "side", "around") else None
        if relation in ("near", "side", "around"):
            return self.terrain.near((x, y))
        if bridge is not None and relation == "far_side":
            return self.across(bridge, near)
        if bridge is not None and relation == "this_side":
            return self.inner(bridge.place)
        if relation in COMPASS:
            dx, dy = COMPASS[relation]
            gap = 6 if metres is None else metres
            return self.terrain.near((x + dx * (half_x + gap), y + dy * (half_y + gap)), outside)
        if relation == "away":
            gap = 10 if metres is None else metres
            return self.away((x, y), gap)
        if relation in ("far_side", "this_side") or foes:
            dx, dy = x - near[0], y - near[1]
            if foes:
                dx, dy = (0.0, dy) if abs(dy) >= abs(dx) else (dx, 0.0)
            sign = 1 if relation in ("far_side", "behind") else -1
        else:
            (dx, dy), sign = self.back((x, y)), 1 if relation == "behind" else -1
        long = math.hypot(dx, dy) or 1.0
        dx, dy = dx / long, dy / long
        half = (
            min(h / abs(d) for h, d in ((half_x, dx), (half_y, dy)) if abs(d) > 1e-6)
            if (half_x or half_y) and (dx or dy)
            else 0.0
        )
        far = sign * (half + (GAP if metres is None else metres))
        cell = self.terrain.near((x + dx * far, y + dy * far), outside)
        if ((cell[0] - x) * dx + (cell[1] - y) * dy) * sign < half / 2:
            raise Unclear(
                f"There is no room {RELATIONS.get(relation, relation)} {self.what(of, near)}: the map ends there."
            )
        return cell

    def back(self, place: Vector, along: Vector | None = None) -> Vector:
        """Return the direction of length 1 that leads away from the other side, or towards what is guarded.

        Args:
            place: From where.
            along: A line, to which it is then at right angles; else it follows one axis of the map.
        """
        fx, fy = self.foe_middle()
        if math.dist(place, (fx, fy)) < GAP:  # in the middle of them: the way back is home
            place = tuple(self.facts.own.position.mean(0))
        guarded = self.facts.guarded
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

    def zone(self, place: Place) -> np.ndarray | None:
        """Return the `[X, Y]` cells of a place that is an area; None for points."""
        x, y = np.indices(self.terrain.enter.shape)
        if place.kind == "zone" and place.dir in COMPASS:
            along = x if place.value.kind == "x" else y
            return along > place.value.value if place.dir in ("n", "e") else along < place.value.value
        if place.kind == "home":
            return self.bank(self.middle(self.everyone))
        if place.kind in ("feature", "name"):
            return np.any([each.cells for each in self.features_of(place, (0, 0))], 0)
        if place.kind == "beside" and place.value in COMPASS:
            (mx, my), _ = self.extent(place.of[0], (self.size / 2, self.size / 2))
            dx, dy = COMPASS[place.value]
            return ((x - mx) * dx >= 0) & ((y - my) * dy >= 0)
        if place.kind == "box":
            (ax, ay), (bx, by) = (self.spot(each, (0, 0))[0] for each in place.of)
            return (x >= min(ax, bx)) & (x <= max(ax, bx)) & (y >= min(ay, by)) & (y <= max(ay, by))
        if place.kind == "part" and place.dir and not place.of:
            dx, dy = COMPASS[place.dir]
            return ((x - self.size / 2) * dx >= 0) & ((y - self.size / 2) * dy >= 0)
        return None

    def bank(self, near: Vector) -> np.ndarray:
        """Return the `[X, Y]` cells that are reached from a place without a bridge, in blocks of 3 m."""
        land = self.terrain.enter.copy()
        for each in self.facts.features:
            land &= ~each.cells if each.kind == "bridge" else True
        coarse = land[::3, ::3]
        found = np.zeros_like(coarse)
        x, y = self.terrain.near(near, land)
        found[x // 3, y // 3] = True
        count = 0
        while count != (count := int(found.sum())):
            found = grown(found, 1) & coarse
        return np.repeat(np.repeat(found, 3, 0), 3, 1)[: land.shape[0], : land.shape[1]] & land

    def across(self, bridge: Feature, near: Vector) -> Cell:
        """Return a cell just beyond a bridge, seen from a place."""
        own, (x, y) = self.bank(near), bridge.place
        far = self.terrain.enter & ~grown(own, 4)
        for each in self.facts.features:
            far &= ~each.cells if each.kind == "bridge" else True
        dx, dy = np.subtract(bridge.place, self.terrain.near(bridge.place, own))
        return self.terrain.near((x + 1.5 * dx, y + 1.5 * dy), far)

    def inner(self, centre: Cell) -> Cell:
        """Return the cell just off a bridge on the side of what is guarded, or of our army."""
        own = self.facts.own
        home = self.facts.guarded or tuple(own.position[own.alive].mean(0))
        x, y = np.indices(self.terrain.enter.shape)
        far = np.hypot(x - centre[0], y - centre[1])
        straight = np.array(home, float) - centre
        straight /= np.linalg.norm(straight) or 1.0
        ring = (far >= 6) & (far <= 10) & self.terrain.enter
        return self.terrain.near((centre[0] + 9 * straight[0], centre[1] + 9 * straight[1]), ring)

    def hidden(self, cell: Cell) -> Cell:
        """Return the cell under trees that is nearest a cell, if it is near, else the cell."""
        wood = self.terrain.forest & (self.terrain.depth >= 4)
        under = self.terrain.near(cell, wood) if wood.any() else cell
        return under if math.dist(under, cell) < 0.15 * self.size else cell

    def parts(self, ids: Ids, count: int) -> list[Ids]:
        """Return units in so many parts with an equal share of each type, lowest ids first."""
        if not len(ids):
            return [ids] * count
        kinds = np.array(self.facts.own.types)[ids]
        split = [np.array_split(ids[kinds == kind], count) for kind in dict.fromkeys(kinds)]
        return [np.sort(np.concatenate([each[number] for each in split])) for number in range(count)]
