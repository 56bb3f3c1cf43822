"""The drawn map as cells: which of them are joined on foot, and where armies and places may stand.

Rules: docs/rules/drawn.md 2.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int

from hive.ground.shapes import Ground, Shape, rasterise
from hive.worlds.battle.drawn.dice import Dice
from hive.worlds.battle.drawn.sketch import Frame, Part, Point

Area = tuple[int, int, int, int]
"""Cells of a box: least x and y, greatest x and y, both included."""


class NoRoomError(Exception):
    """The map has no room for what a battle needs; another one is drawn."""


class Land:
    """The cells of a map.

    Attributes:
        size: Side of the map.
        frame: How its sketch lies on it.
        parts: Its named parts.
        shapes: Its shapes, in the order in which they are painted.
        way: The largest set of cells that units can enter and that are joined on foot.
        open: The cells of `way` without forest.
        forest: The cells of `way` in a forest.
    """

    def __init__(self, frame: Frame, parts: Sequence[Part], shapes: Sequence[Shape]) -> None:
        """Paint a map."""
        self.size, self.frame = frame.size, frame
        self.parts, self.shapes = tuple(parts), tuple(shapes)
        kind = rasterise(self.size, self.shapes)
        self.free = kind & (Ground.BUILDING | Ground.WATER) == 0
        self.way = largest_region(self.free)
        self.forest = self.way & (kind == Ground.FOREST)
        self.open = self.way & ~self.forest
        self._room: dict[int, Bool[np.ndarray, "X Y"]] = {}

    def box(self, u0: int, v0: int, u1: int, v1: int) -> Area:
        """Return the cells between two places of the sketch, given in percent of the side."""
        x0, y0, x1, y1 = self.frame.box(*(self.size * value // 100 for value in (u0, v0, u1, v1)))
        return x0, y0, min(x1, self.size - 1), min(y1, self.size - 1)

    def start_box(
        self, dice: Dice, within: Area, wide: int, deep: int, avoid: Sequence[Area] = (), forest: bool = False
    ) -> Area:
        """Return where an army may start: a box of cells that are all joined with the rest of the map.

        Args:
            dice: Chooses among the boxes.
            within: Cells in which the box lies.
            wide: Cells along x.
            deep: Cells along y.
            avoid: Boxes that it must not touch.
            forest: Whether every free cell is in a forest, else hardly any is.

        Raises:
            NoRoomError: There is no such box.
        """
        x0, y0, x1, y1 = within
        if x1 - x0 + 1 < wide or y1 - y0 + 1 < deep:
            raise NoRoomError
        view = slice(x0, x1 - wide + 2), slice(y0, y1 - deep + 2)
        tables = self._free, self._way, self._forest if forest else self._open
        free, joined, good = (_in_boxes(table, wide, deep)[view] for table in tables)
        most = wide * deep
        fits = (free == joined) & ((good == free) & (free * 4 >= most * 3) if forest else good * 10 >= most * 9)
        for a0, b0, a1, b1 in avoid:
            fits[max(a0 - wide + 1 - x0, 0) : max(a1 + 1 - x0, 0), max(b0 - deep + 1 - y0, 0) : max(b1 + 1 - y0, 0)] = (
                False
            )
        x, y = _any_cell(dice, fits)
        return x0 + x, y0 + y, x0 + x + wide - 1, y0 + y + deep - 1

    def place(self, dice: Dice, within: Area, room: int) -> Point:
        """Return a cell on open ground with open ground for `room` metres round it.

        Raises:
            NoRoomError: There is none.
        """
        x0, y0, x1, y1 = within
        x, y = _any_cell(dice, self._with_room(room)[x0 : x1 + 1, y0 : y1 + 1])
        return x0 + x, y0 + y

    def spot(self, u: int, v: int) -> Point:
        """Return the cell on open ground that is nearest to a place of the sketch, given in percent of the side.

        Raises:
            NoRoomError: There is none.
        """
        x, y = self.frame.point(self.size * u // 100, self.size * v // 100)
        return self.near((min(x, self.size - 1), min(y, self.size - 1)))

    def near(self, place: Point, room: int = 1) -> Point:
        """Return the cell on open ground, with room round it, that is nearest to a place.

        Raises:
            NoRoomError: There is none.
        """
        fits, reach = self._with_room(room), 8
        while True:
            west, south = (max(value - reach, 0) for value in place)
            found = np.argwhere(fits[west : place[0] + reach + 1, south : place[1] + reach + 1])
            found += np.array([west, south])
            distance = ((found - np.array(place)) ** 2).sum(1)
            if len(found) and distance.min() <= reach * reach:
                x, y = found[int(distance.argmin())].tolist()
                return x, y
            if reach > 2 * self.size:
                raise NoRoomError
            reach *= 2

    def part_of(self, place: Point) -> str:
        """Return the part of the map in which a place lies, or to which it is nearest, such as `north-west`."""
        x, y = (min(max(value, 0) * 3 // self.size, 2) for value in place)
        return ("south", "", "north")[y] + ("-" if x != 1 and y != 1 else "") + ("west", "", "east")[x] or "centre"

    def _with_room(self, room: int) -> Bool[np.ndarray, "X Y"]:
        if room not in self._room:
            wide = 2 * room + 1
            fits = np.zeros(self.way.shape, bool)
            full = _in_boxes(self._open, wide, wide) == wide * wide
            fits[room : room + full.shape[0], room : room + full.shape[1]] = full
            self._room[room] = fits
        return self._room[room]

    @cached_property
    def _free(self) -> Int[np.ndarray, "X+1 Y+1"]:
        return _table(self.free)

    @cached_property
    def _way(self) -> Int[np.ndarray, "X+1 Y+1"]:
        return _table(self.way)

    @cached_property
    def _open(self) -> Int[np.ndarray, "X+1 Y+1"]:
        return _table(self.open)

    @cached_property
    def _forest(self) -> Int[np.ndarray, "X+1 Y+1"]:
        return _table(self.forest)


def _any_cell(dice: Dice, fits: Bool[np.ndarray, "A B"]) -> Point:
    """Return one of the marked cells.

    Raises:
        NoRoomError: There is none.
    """
    found = np.flatnonzero(fits)
    if not len(found):
        raise NoRoomError
    x, y = divmod(int(found[dice.below(len(found))]), fits.shape[1])
    return x, y


def largest_region(free: Bool[np.ndarray, "X Y"]) -> Bool[np.ndarray, "X Y"]:
    """Return the largest region of cells that are joined by their sides; of equal ones, that of the least x, then y.

    The cells of each column x are cut into runs along y, and runs that touch from column to column are one region.
    """
    wide = free.shape[1] + 2
    padded = np.zeros((len(free), wide), np.int8)
    padded[:, 1:-1] = free
    edges = np.flatnonzero(np.diff(padded.ravel()))
    starts, stops = (edges[0::2] + 1).tolist(), (edges[1::2] + 1).tolist()  # of runs, in the padded array
    root = list(range(len(starts)))

    def find(run: int) -> int:
        while root[run] != run:
            root[run] = root[root[run]]
            run = root[run]
        return run

    left = 0  # the first run of the column before that may touch
    for run, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        while stops[left] + wide <= start:
            left += 1
        other = left
        while other < run and starts[other] + wide < stop:
            one, two = sorted((find(other), find(run)))
            root[two] = one
            other += 1
    cells = np.zeros(len(root) + 1, np.int64)
    found = np.array([find(run) for run in range(len(root))], np.int64)
    lengths = np.array(stops, np.int64) - np.array(starts, np.int64)
    np.add.at(cells, found, lengths)
    marks = np.zeros(padded.size + 1, np.int8)
    largest = found == int(cells.argmax())
    marks[np.array(starts, np.int64)[largest]] = 1
    marks[np.array(stops, np.int64)[largest]] = -1
    return np.cumsum(marks[:-1], dtype=np.int8).reshape(padded.shape)[:, 1:-1] > 0


def _table(mask: Bool[np.ndarray, "X Y"]) -> Int[np.ndarray, "X+1 Y+1"]:
    """Return how many cells of a mask have smaller coordinates than each corner."""
    table = np.zeros((mask.shape[0] + 1, mask.shape[1] + 1), np.int32)
    np.cumsum(np.cumsum(mask, axis=0, dtype=np.int32), axis=1, out=table[1:, 1:])
    return table


def _in_boxes(table: Int[np.ndarray, "X+1 Y+1"], wide: int, deep: int) -> Int[np.ndarray, "A B"]:
    """Return how many cells of a mask are in each box of a size, by the least corner of the box."""
    return table[wide:, deep:] - table[:-wide, deep:] - table[wide:, :-deep] + table[:-wide, :-deep]
