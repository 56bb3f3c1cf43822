"""A map in the making: rivers, ridges, woods, towns and what crosses them, in whole metres.

The map is sketched as if the player stood in the south: u runs from 0 to the side along the player's edge, v away from
it. A frame turns and mirrors all of it, so that the player may stand at any edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isqrt
from typing import Literal

from hive.ground.shapes import Band, Box, Circle, Shape, TerrainName
from hive.worlds.battle.drawn.dice import Dice

Point = tuple[int, int]
Role = Literal["island", "wood", "ridge", "river", "lake", "town", "farm", "bridge", "pass"]

_GROUND: dict[Role, TerrainName] = {  # in the order in which they are painted
    "island": "normal",
    "wood": "forest",
    "ridge": "building",
    "river": "water",
    "lake": "water",
    "town": "building",
    "farm": "building",
    "bridge": "normal",
    "pass": "normal",
}
ROLES = tuple(_GROUND)
"""Roles of the parts of a map; later ones lie over earlier ones."""

_NAMES: dict[Role, str] = {
    "island": "Gull Seal Heron Otter Plover Curlew Tern Swan Osprey Puffin Eider Shelduck Crane Bittern Island",
    "wood": "Oak Birch Fox Hazel Badger Pine Raven Elm Beech Deer Rowan Holly Maple Alder Larch Yew Cherry Ash Wood",
    "ridge": "Grey Eagle Stone Iron Ridge",
    "river": "Silver Mill Reed Willow Trout Amber Pebble Clear Winding Cold Salmon Marsh Sedge Rush Cress River",
    "lake": "Lily Duck Carp Mirror Frog Heron Pond",
    "town": "Ashford Millbrook Stonegate Elmstead Kingsbury",
    "farm": "Hill Meadow Orchard Hollow Clover Barley Farm",
    "bridge": "Miller Abbey Toll Market Castle Chapel Ferry Granite Timber Arch Guild Hunter Lantern Baker Weaver Bell "
    "Saddle Anchor Tanner Cooper Bridge",
    "pass": "Wolf Goat Falcon Thunder Pilgrim Wind Pass",
}


@dataclass(frozen=True)
class Frame:
    """How a sketch lies on the map."""

    size: int
    swap: bool
    flip_x: bool
    flip_y: bool

    def point(self, u: int, v: int) -> Point:
        """Return the place (x, y) of a place (u, v)."""
        x, y = (v, u) if self.swap else (u, v)
        return self.size - x if self.flip_x else x, self.size - y if self.flip_y else y

    def box(self, u0: int, v0: int, u1: int, v1: int) -> tuple[int, int, int, int]:
        """Return a box as its least x and y, then its greatest."""
        (x0, y0), (x1, y1) = self.point(u0, v0), self.point(u1, v1)
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


@dataclass(frozen=True)
class Part:
    """A named part of a map.

    Attributes:
        role: What it is.
        name: Its name, which no other part has.
        shapes: How it is drawn.
        middle: A place in its middle, in metres.
        ends: Where a river or a ridge begins and ends, cut off at the map; other parts have none.
    """

    role: Role
    name: str
    shapes: tuple[Shape, ...]
    middle: Point
    ends: tuple[Point, ...] = ()


class Sketch:
    """The parts of a map so far, and the ground that they take."""

    def __init__(self, dice: Dice, frame: Frame) -> None:
        """Begin an empty map."""
        self.dice, self.frame, self.size = dice, frame, frame.size
        self.parts: list[Part] = []
        self._taken: list[tuple[int, int, int]] = []  # discs (u, v, radius)
        self._names = {role: self._shuffled(role) for role in ROLES}

    def shapes(self) -> tuple[Shape, ...]:
        """Return all shapes in the order in which they are painted."""
        ordered = sorted(self.parts, key=lambda part: ROLES.index(part.role))
        return tuple(shape for part in ordered for shape in part.shapes)

    def take(self, u: int, v: int, radius: int) -> None:
        """Keep a disc free of what seeks a free spot later."""
        self._taken.append((u, v, radius))

    def free(self, u: int, v: int, radius: int) -> bool:
        """Return whether a disc touches nothing that was drawn."""
        return all((u - a) ** 2 + (v - b) ** 2 >= (radius + r) ** 2 for a, b, r in self._taken)

    def spot(self, radius: int, low: int = 0, high: int = 100) -> Point | None:
        """Return the middle of a free disc on the map, None if some tries found none.

        Args:
            radius: Of the disc.
            low: The least v of the middle, in percent of the side.
            high: The greatest.
        """
        for _ in range(12):
            u = self.dice.between(radius // 2, self.size - radius // 2)
            v = self.dice.between(self.size * low // 100, self.size * high // 100)
            if self.free(u, v, radius):
                return u, v
        return None

    def wood(self, u: int, v: int, radius: int) -> None:
        """Draw a wood of a few circles."""
        dice = self.dice
        circles = [(u, v, radius)]
        for _ in range(dice.between(1, 3)):
            part = max(3, radius * dice.between(50, 85) // 100)
            a, b = (dice.between(-radius, radius) * 9 // 10 for _ in range(2))
            circles.append((u + a, v + b, part))
        self._add("wood", [self._circle(*each, "forest") for each in circles], (u, v))
        self.take(u, v, radius * 3 // 2)

    def lake(self, u: int, v: int, radius: int) -> None:
        """Draw a pond of two circles."""
        a, b = (self.dice.between(-radius, radius) for _ in range(2))
        circles = [(u, v, radius), (u + a, v + b, max(2, radius * 2 // 3))]
        self._add("lake", [self._circle(*each, "water") for each in circles], (u, v))
        self.take(u, v, radius * 2)

    def farm(self, u: int, v: int) -> None:
        """Draw a few houses round a yard."""
        half = 3 + self.size // 60
        corners = self.dice.shuffled([(-1, -1), (1, -1), (-1, 1), (1, 1)])[: self.dice.between(2, 3)]
        houses = [self._house(u + a * half * 2, v + b * half * 2, half, half) for a, b in corners]
        self._add("farm", houses, (u, v))
        self.take(u, v, half * 4)

    def town(self, u: int, v: int, across: int, pitch: int, street: int) -> None:
        """Draw a town: blocks of houses on a grid, without the middle one, which is the market.

        Args:
            u: Its middle.
            v: Its middle.
            across: Blocks along a side, an odd number.
            pitch: Metres from block to block.
            street: Metres between two blocks.
        """
        houses, half = [], across // 2
        for a in range(-half, half + 1):
            for b in range(-half, half + 1):
                if (a or b) and not self.dice.chance(22):
                    wide, deep = (pitch - street - self.dice.between(0, (pitch - street) // 4) for _ in range(2))
                    houses.append(self._house(u + a * pitch, v + b * pitch, wide, deep))
        self._add("town", houses, (u, v))
        self.take(u, v, half * pitch + pitch)

    def line(self, role: Role, points: Sequence[Point], width: int) -> None:
        """Draw a river, a ridge or a belt of forest along points."""
        band = self._band(points, width, role)
        ends = [self.frame.point(*(min(max(value, 0), self.size) for value in end)) for end in (points[0], points[-1])]
        self._add(role, [band], points[len(points) // 2], tuple(ends))
        for (a, b), (c, d) in pairwise(points):
            pieces = 1 + max(abs(c - a), abs(d - b)) // width
            for number in range(pieces + 1):
                self.take(a + (c - a) * number // pieces, b + (d - b) * number // pieces, width // 2 + 2)

    def crossing(self, role: Role, start: Point, end: Point, width: int, broad: int) -> None:
        """Draw a bridge or a pass over the middle of a straight piece of a river or a ridge.

        Args:
            role: `bridge` or `pass`.
            start: One end of the piece.
            end: The other end.
            width: Of the river or the ridge.
            broad: Width of the way over it.
        """
        share = self.dice.between(40, 60)
        u, v = (a + (b - a) * share // 100 for a, b in zip(start, end, strict=True))
        a, b = end[0] - start[0], end[1] - start[1]
        half = width // 2 + 4
        long = isqrt(10_000 * (a * a + b * b))  # hundredths of a metre
        du, dv = (round(part * half * 100 / long) for part in (-b, a))
        self._add(role, [self._band([(u - du, v - dv), (u + du, v + dv)], broad, role)], (u, v))
        for sign in (-1, 1):
            self.take(u + sign * du, v + sign * dv, broad + 2)

    def island(self, u: int, v: int, radius: int) -> None:
        """Give a name to the ground round a place."""
        self._add("island", [self._circle(u, v, radius, "normal")], (u, v))

    def sea(self, boxes: Sequence[tuple[int, int, int, int]], pools: Sequence[tuple[int, int, int]]) -> None:
        """Draw the sea round islands as boxes (u0, v0, u1, v1) and pools (u, v, radius)."""
        shapes: list[Shape] = [self._box(*each, "water") for each in boxes]
        shapes += [self._circle(*each, "water") for each in pools]
        self._add("lake", shapes, (0, 0), name="Sea")

    def _add(
        self, role: Role, shapes: Sequence[Shape], middle: Point, ends: tuple[Point, ...] = (), name: str = ""
    ) -> None:
        name = name or self._names[role].pop(0)
        named = tuple(replace(shape, name=name) for shape in shapes)
        self.parts.append(Part(role, name, named, self.frame.point(*middle), ends))

    def _shuffled(self, role: Role) -> list[str]:
        words = _NAMES[role].split()
        return self.dice.shuffled(words if role == "town" else [f"{word} {words[-1]}" for word in words[:-1]])

    def _circle(self, u: int, v: int, radius: int, terrain: TerrainName) -> Circle:
        x, y = self.frame.point(u, v)
        return Circle(float(x), float(y), float(radius), terrain)

    def _box(self, u0: int, v0: int, u1: int, v1: int, terrain: TerrainName) -> Box:
        x0, y0, x1, y1 = self.frame.box(u0, v0, u1, v1)
        return Box(float(x0), float(y0), float(x1), float(y1), terrain)

    def _house(self, u: int, v: int, wide: int, deep: int) -> Box:
        return self._box(u - wide // 2, v - deep // 2, u - wide // 2 + wide, v - deep // 2 + deep, "building")

    def _band(self, points: Sequence[Point], width: int, role: Role) -> Band:
        placed = (self.frame.point(*point) for point in points)
        return Band(tuple((float(x), float(y)) for x, y in placed), float(width), _GROUND[role])
