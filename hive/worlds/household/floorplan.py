"""Random floor plans: boxes of rooms and the doors between them (docs/rules/household.md 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CLEAR = 0.75
"""Metres between a door and the corner of a wall."""

_TRIES = 200
_SHORTEST = 2.6  # metres of a side of a room in a cut rectangle


@dataclass(frozen=True)
class FloorBox:
    """A room's floor in metres; x to the east, z to the north."""

    west: float
    south: float
    east: float
    north: float

    @property
    def centre(self) -> tuple[float, float]:
        """Middle of the floor."""
        return (self.west + self.east) / 2, (self.south + self.north) / 2

    @property
    def size(self) -> tuple[float, float]:
        """Metres along x and along z."""
        return self.east - self.west, self.north - self.south

    def meets(self, other: FloorBox) -> bool:
        """Whether two floors overlap in more than an edge."""
        apart = 1e-6
        wide = min(self.east, other.east) - max(self.west, other.west) > apart
        return wide and min(self.north, other.north) - max(self.south, other.south) > apart


@dataclass(frozen=True)
class Opening:
    """A door: the two rooms that it joins, by number, and its place in metres."""

    first: int
    second: int
    place: tuple[float, float]


@dataclass(frozen=True)
class FloorPlan:
    """Rooms and doors; every room can be reached from every other."""

    boxes: tuple[FloorBox, ...]
    doors: tuple[Opening, ...]


def chain(rng: np.random.Generator, rooms: int, sides: tuple[float, float]) -> FloorPlan:
    """Return rooms in a row, each joined to the one before.

    Args:
        rng: Source of chance.
        rooms: Number of rooms.
        sides: Least and greatest side of a room in metres.
    """
    return _grow(rng, [number - 1 for number in range(1, rooms)], sides)


def star(rng: np.random.Generator, rooms: int, sides: tuple[float, float]) -> FloorPlan:
    """Return rooms that are all joined to the first one; see `chain`."""
    return _grow(rng, [0] * (rooms - 1), sides)


def cut(rng: np.random.Generator, rooms: int, width: float, depth: float) -> FloorPlan:
    """Cut a rectangle into rooms; doors on a random tree of walls, and one more so that there is a loop.

    Args:
        rng: Source of chance.
        rooms: Number of rooms.
        width: Metres along x.
        depth: Metres along z.

    Raises:
        ValueError: The rectangle is too small for that many rooms.
    """
    for _ in range(_TRIES):
        boxes = [FloorBox(0.0, 0.0, width, depth)]
        while len(boxes) < rooms and (halves := _halve(rng, boxes)):
            boxes = halves
        walls = _walls(boxes)
        if len(boxes) == rooms and (doors := _doors(rng, rooms, walls)):
            return FloorPlan(tuple(boxes), tuple(doors))
    raise ValueError(f"a floor of {width} x {depth} m cannot be cut into {rooms} rooms")


def _grow(rng: np.random.Generator, parents: Sequence[int], sides: tuple[float, float]) -> FloorPlan:
    """Put each further room against a wall of its parent where it overlaps no other room."""
    for _ in range(_TRIES):
        boxes, doors = [_at(0.0, 0.0, rng.uniform(*sides, 2))], []
        for number, parent in enumerate(parents, start=1):
            grown = _beside(rng, boxes, boxes[parent], rng.uniform(*sides, 2))
            if grown is None:
                break
            boxes.append(grown[0])
            doors.append(Opening(parent, number, grown[1]))
        else:
            return FloorPlan(tuple(boxes), tuple(doors))
    raise ValueError("no room fits next to the others")


def _beside(
    rng: np.random.Generator, boxes: Sequence[FloorBox], parent: FloorBox, size: np.ndarray
) -> tuple[FloorBox, tuple[float, float]] | None:
    """Return a room against a random wall of its parent with the door between them, or None when none was found."""
    for _ in range(20):
        side, reach = rng.integers(4), (np.asarray(parent.size) + size) / 2
        along = 1 if side < 2 else 0  # the axis of the shared wall
        shift = rng.uniform(-1, 1) * (reach[along] - 2 * CLEAR - 0.1)
        step = np.zeros(2)
        step[along], step[1 - along] = shift, reach[1 - along] * (1 if side % 2 else -1)
        x, z = np.asarray(parent.centre) + step
        box = _at(x, z, size)
        wall = _wall(parent, box)
        if wall is not None and not any(box.meets(other) for other in boxes):
            return box, _on(rng, wall)
    return None


def _halve(rng: np.random.Generator, boxes: Sequence[FloorBox]) -> list[FloorBox] | None:
    """Cut one room in two across its longer side; larger rooms are cut more often."""
    areas = np.array([np.prod(box.size) if max(box.size) >= 2 * _SHORTEST else 0.0 for box in boxes])
    if not areas.sum():
        return None
    chosen = int(rng.choice(len(boxes), p=areas / areas.sum()))
    box, share = boxes[chosen], rng.uniform(0.4, 0.6)
    if box.size[0] >= box.size[1]:
        at = box.west + max(_SHORTEST, min(share * box.size[0], box.size[0] - _SHORTEST))
        halves = [FloorBox(box.west, box.south, at, box.north), FloorBox(at, box.south, box.east, box.north)]
    else:
        at = box.south + max(_SHORTEST, min(share * box.size[1], box.size[1] - _SHORTEST))
        halves = [FloorBox(box.west, box.south, box.east, at), FloorBox(box.west, at, box.east, box.north)]
    return [*boxes[:chosen], *halves, *boxes[chosen + 1 :]]


Wall = tuple[tuple[float, float], tuple[float, float]]


def _walls(boxes: Sequence[FloorBox]) -> dict[tuple[int, int], Wall]:
    """Return the walls between rooms that are long enough for a door, each as its two ends."""
    pairs = [(first, second) for second in range(len(boxes)) for first in range(second)]
    found = {pair: _wall(boxes[pair[0]], boxes[pair[1]]) for pair in pairs}
    return {pair: wall for pair, wall in found.items() if wall is not None}


def _wall(one: FloorBox, other: FloorBox) -> Wall | None:
    west, east = max(one.west, other.west), min(one.east, other.east)
    south, north = max(one.south, other.south), min(one.north, other.north)
    if abs(east - west) < 1e-6 and north - south >= 2 * CLEAR:
        return (west, south), (west, north)
    if abs(north - south) < 1e-6 and east - west >= 2 * CLEAR:
        return (west, south), (east, south)
    return None


def _doors(rng: np.random.Generator, rooms: int, walls: dict[tuple[int, int], Wall]) -> list[Opening] | None:
    """Open walls in random order: those of a tree, and the first other one."""
    group, pairs = list(range(rooms)), list(walls)
    chosen: list[tuple[int, int]] = []
    spare: tuple[int, int] | None = None
    for index in rng.permutation(len(walls)):
        pair = pairs[index]
        old, new = group[pair[0]], group[pair[1]]
        if old != new:
            group = [new if each == old else each for each in group]
            chosen.append(pair)
        elif spare is None:
            spare = pair
    if len(chosen) < rooms - 1 or spare is None:
        return None
    return [Opening(one, other, _on(rng, walls[one, other])) for one, other in sorted([*chosen, spare])]


def _on(rng: np.random.Generator, wall: Wall) -> tuple[float, float]:
    """Return a random place on a wall that is clear of both corners."""
    (west, south), (east, north) = wall
    length = max(east - west, north - south)
    share = rng.uniform(CLEAR, length - CLEAR) / length
    return west + share * (east - west), south + share * (north - south)


def _at(x: float, z: float, size: np.ndarray) -> FloorBox:
    return FloorBox(float(x - size[0] / 2), float(z - size[1] / 2), float(x + size[0] / 2), float(z + size[1] / 2))
