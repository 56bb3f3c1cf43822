"""Routes over the complete map for flying units, so that every cell comes into view soon."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hive.worlds.wildfire.commanders.terrain_facts import Floats, Ints

_SLITS = 0.25  # total width, in lanes, that may stay unseen: a fire there grows into view
_GRAIN = 2.0  # cells between two points at which the route may be split between units


class SweepRoute:
    """One winding route over the map, split into a part for each unit so that all finish at the same time."""

    def __init__(
        self,
        size: int,
        radius: int,
        starts: Ints,
        strides: Sequence[float],
        late: Sequence[int] = (),
        slits: bool = True,
    ) -> None:
        """Plan the sweep.

        Args:
            size: Cells a side of the map.
            radius: Smallest view radius of the units.
            starts: `[K, 2]` positions of the units.
            strides: Speed of each unit, in cells a tick.
            late: Ticks before each unit can begin; empty: no delay.
            slits: Whether narrow gaps may stay unseen between lanes, where that saves a lane.
        """
        here = np.asarray(starts, float)
        options = [_share(way, here, list(strides)) for way in _snakes(size, radius, _SLITS if slits else 0.0)]
        _, parts = min(options, key=lambda option: option[0])
        self._ways = [np.vstack([start, part]) for start, part in zip(here, parts, strict=True)]
        self._strides = list(strides)
        self._flown = [-stride * ticks for stride, ticks in zip(strides, late or [0] * len(parts), strict=True)]

    def stops(self, unit: int, count: int) -> list[tuple[int, int]]:
        """Return the cells of a unit after each of the next ticks; fewer, or none, at the end of its route."""
        way, stride = self._ways[unit], self._strides[unit]
        total = _marks(way)[-1]
        flown = [self._flown[unit] + stride * number for number in range(1, count + 1)]
        kept = [min(max(each, 0.0), total) for each in flown if each < total + stride - 1e-6]
        return [(int(x), int(y)) for x, y in (_at(way, each) for each in kept)] if total > self._flown[unit] else []

    def fly(self, ticks: int) -> None:
        """Advance all units by the ticks that were flown."""
        self._flown = [flown + stride * ticks for flown, stride in zip(self._flown, self._strides, strict=True)]

    @property
    def done(self) -> bool:
        """Whether all routes are complete."""
        return all(flown >= _marks(way)[-1] for flown, way in zip(self._flown, self._ways, strict=True))


def _snakes(size: int, radius: int, slits: float) -> list[Floats]:
    """Winding routes that see the complete map: lanes along x or y, from one side or the other."""
    width = 2 * radius + 1
    lanes = max(1, math.ceil(size / width - slits))
    pitch = size / lanes
    margin = min(radius, (size - 1) / 2)
    ends = (margin, size - 1 - margin)
    middle = [min(max((lane + 0.5) * pitch - 0.5, margin), size - 1 - margin) for lane in range(lanes)]
    points = [(ends[(lane + turn) % 2], middle[lane]) for lane in range(lanes) for turn in (0, 1)]
    way = np.array(points)
    flipped = np.array([(size - 1 - x, y) for x, y in points])
    return [way, flipped, way[:, ::-1], flipped[:, ::-1]]


def _share(way: Floats, starts: Floats, strides: list[float]) -> tuple[float, list[Floats]]:
    """Split a route into a part for each unit in turn, in the shortest time in which all parts can be flown."""
    order = np.argsort([float(np.hypot(*(start - way[0]))) for start in starts], kind="stable").tolist()
    total = _marks(way)[-1]
    grid = np.append(np.arange(0, total, _GRAIN), total)
    points = np.array([_at(way, mark) for mark in grid])
    reach = np.array([np.hypot(*(points - start).T) for start in starts])
    low, high = 0.0, float(total / min(strides) + reach.max() / min(strides)) + 1
    cuts: list[int] = []
    for _ in range(24):
        middle = (low + high) / 2
        found = _cuts(grid, reach, strides, order, middle)
        if found is None:
            low = middle
        else:
            high, cuts = middle, found
    parts: list[Floats] = [points[:0]] * len(starts)
    first = 0
    for unit, last in zip(order, cuts, strict=True):
        part = _piece(way, grid[first], grid[last])
        if np.hypot(*(part[-1] - starts[unit])) < np.hypot(*(part[0] - starts[unit])):
            part = part[::-1]
        parts[unit] = part
        first = last
    return high, parts


def _cuts(grid: Floats, reach: Floats, strides: list[float], order: list[int], ticks: float) -> list[int] | None:
    """Where each unit's part ends if it takes as much as it can in that time; None if some of the route remains."""
    cuts, first = [], 0
    for unit in order:
        last = first
        while last + 1 < len(grid):
            get_there = min(reach[unit, first], reach[unit, last + 1])
            if get_there + grid[last + 1] - grid[first] > ticks * strides[unit]:
                break
            last += 1
        cuts.append(last)
        first = last
    return cuts if first == len(grid) - 1 else None


def _marks(way: Floats) -> Floats:
    """Distance of each corner along a route."""
    return np.append(0.0, np.hypot(*np.diff(way, axis=0).T).cumsum())


def _at(way: Floats, mark: float) -> Floats:
    """The point at a distance along a route."""
    marks = _marks(way)
    return np.array([np.interp(mark, marks, way[:, axis]) for axis in range(2)])


def _piece(way: Floats, first: float, last: float) -> Floats:
    """The part of a route between two distances, with its corners."""
    marks = _marks(way)
    inner = way[(marks > first) & (marks < last)]
    return np.vstack([_at(way, first), inner, _at(way, last)])
