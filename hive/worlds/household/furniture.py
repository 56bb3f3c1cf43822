"""Places for furniture in random rooms (docs/rules/household.md 8)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hive.worlds.household.floorplan import FloorPlan

Place = tuple[float, float]

OFF_WALL = 0.35
"""Metres from a wall to the centre of what stands against it."""

_TRIES = 24


class Furnisher:
    """Finds places in the rooms of a plan that are clear of doors and of what stands there already."""

    def __init__(self, rng: np.random.Generator, plan: FloorPlan) -> None:
        """Begin with empty rooms."""
        self._rng = rng
        self._plan = plan
        self._taken: list[list[Place]] = [[] for _ in plan.boxes]
        self._doors: list[list[Place]] = [[] for _ in plan.boxes]
        for door in plan.doors:
            for room in (door.first, door.second):
                self._doors[room].append(door.place)

    def against_wall(self, room: int) -> Place:
        """Return a place against a wall of a room, and keep it taken."""
        box = self._plan.boxes[room]

        def draw() -> Place:
            x = self._rng.uniform(box.west + OFF_WALL, box.east - OFF_WALL)
            z = self._rng.uniform(box.south + OFF_WALL, box.north - OFF_WALL)
            walls = (
                (box.west + OFF_WALL, z),
                (box.east - OFF_WALL, z),
                (x, box.south + OFF_WALL),
                (x, box.north - OFF_WALL),
            )
            return walls[self._rng.integers(4)]

        return self._keep(room, [draw() for _ in range(_TRIES)])

    def inside(self, room: int) -> Place:
        """Return a place in the open part of a room, and keep it taken."""
        box = self._plan.boxes[room]
        margin = 0.2 * min(box.size)
        xs = self._rng.uniform(box.west + margin, box.east - margin, _TRIES)
        zs = self._rng.uniform(box.south + margin, box.north - margin, _TRIES)
        return self._keep(room, [(float(x), float(z)) for x, z in zip(xs, zs, strict=True)])

    def _keep(self, room: int, candidates: Sequence[Place]) -> Place:
        """Take the first candidate with enough room around it; if there is none, the one with the most."""
        places = np.asarray(candidates)
        gaps = np.full(len(places), np.inf)
        for others, wanted in ((self._taken[room], 0.7), (self._doors[room], 1.0)):
            for other in others:
                gaps = np.minimum(gaps, np.linalg.norm(places - other, axis=1) / wanted)
        fit = np.flatnonzero(gaps >= 1)
        x, z = candidates[int(fit[0]) if len(fit) else int(gaps.argmax())]
        self._taken[room].append((float(x), float(z)))
        return float(x), float(z)
