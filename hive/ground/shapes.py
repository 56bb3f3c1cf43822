"""Maps drawn with boxes, circles and bands, or read from rows of letters (host side, NumPy).

A cell has exactly one kind, and later shapes are painted over earlier ones: a bridge is a `normal` shape over water
(docs/rules/battles.md 1.2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Int, UInt8


class Ground(IntEnum):
    """Kind of a cell, one bit each; `NORMAL` is none of them."""

    NORMAL = 0
    BUILDING = 1
    WATER = 2
    FOREST = 4


TerrainName = Literal["normal", "forest", "water", "building"]

KINDS: dict[str, int] = {
    "normal": Ground.NORMAL,
    "forest": Ground.FOREST,
    "water": Ground.WATER,
    "building": Ground.BUILDING,
}
MOST_PIECES = 10_000
"""Largest number of boxes, circles and points of bands on a map, in total."""
MOST_CELLS = 50_000_000
"""Largest `drawing_cells` of a map."""

_CIRCLE = 100  # cells that can be tested in the time that the text of one circle takes
_STRIP = 32  # rows of cells that are tested at a time
_LETTERS = {".": Ground.NORMAL, "F": Ground.FOREST, "W": Ground.WATER, "B": Ground.BUILDING}


_Point = tuple[float, float]  # metres


@dataclass(frozen=True)
class Box:
    """Cells with `x0 <= x < x1` and `y0 <= y < y1` (metres)."""

    x0: float
    y0: float
    x1: float
    y1: float
    terrain: TerrainName
    name: str = ""

    def covers(self, x: Float[np.ndarray, "*n"], y: Float[np.ndarray, "*n"]) -> Bool[np.ndarray, "*n"]:
        """Whether each point lies in the box."""
        return (self.x0 <= x) & (x < self.x1) & (self.y0 <= y) & (y < self.y1)


@dataclass(frozen=True)
class Circle:
    """Cells within `radius` metres of (x, y), the rim included."""

    x: float
    y: float
    radius: float
    terrain: TerrainName
    name: str = ""

    def covers(self, x: Float[np.ndarray, "*n"], y: Float[np.ndarray, "*n"]) -> Bool[np.ndarray, "*n"]:
        """Whether each point lies in the circle."""
        return (x - self.x) ** 2 + (y - self.y) ** 2 <= self.radius**2


@dataclass(frozen=True)
class Band:
    """Cells within half of `width` metres of a line through `points`, the rim included; ends and joints are round.

    A band of one point is a disc. Rivers, roads and bridges are bands.
    """

    points: tuple[_Point, ...]
    width: float
    terrain: TerrainName
    name: str = ""

    def covers(self, x: Float[np.ndarray, "*n"], y: Float[np.ndarray, "*n"]) -> Bool[np.ndarray, "*n"]:
        """Whether each point lies in the band."""
        inside = np.zeros(np.broadcast(x, y).shape, bool)
        for start, end in self.lines():
            inside |= _near(x, y, start, end, self.width / 2)
        return inside

    def lines(self) -> Iterator[tuple[_Point, _Point]]:
        """The straight pieces of the line, from point to point."""
        return zip(self.points, self.points[1:] or self.points, strict=False)


Shape = Box | Circle | Band


def rasterise(size: int, shapes: Sequence[Shape]) -> UInt8[np.ndarray, "X Y"]:
    """Paint shapes, in order, on a square map of normal terrain.

    A cell belongs to a shape when its centre (x + 0.5, y + 0.5) does. Parts outside the map are cut off.

    Args:
        size: side of the map, metres.
        shapes: painted one after another, the later ones on top.

    Returns:
        The kind of every cell, indexed [x, y].

    Raises:
        ValueError: a shape names an unknown terrain.
    """
    centre = np.arange(size) + 0.5
    kind = np.full((size, size), Ground.NORMAL, np.uint8)
    for shape in shapes:
        if shape.terrain not in KINDS:
            raise ValueError(f"unknown terrain {shape.terrain!r}; known are {', '.join(KINDS)}")
        if isinstance(shape, Box):
            west, south, east, north = np.searchsorted(centre, (shape.x0, shape.y0, shape.x1, shape.y1))
            kind[west:east, south:north] = KINDS[shape.terrain]
            continue
        for start, end, half in _lines(shape):
            for west, east, south, north in _strips(start, end, half, size):
                x, y = centre[west:east, None], centre[None, south:north]
                inside = shape.covers(x, y) if isinstance(shape, Circle) else _near(x, y, start, end, half)
                kind[west:east, south:north][inside] = KINDS[shape.terrain]
    return kind


def drawing_cells(size: int, shapes: Sequence[Shape]) -> int:
    """Return the work of drawing shapes and describing them in words, counted in cells that are tested one by one.

    A cell counts for each circle and each straight piece of a band that it is near. Cells of boxes need no test, and 32
    of them count as one. A piece of a band also counts for its length in widths, since its text is a row of circles.
    """
    cells = 0
    for shape in shapes:
        if isinstance(shape, Box):
            west, south, east, north = (min(max(at, 0), size) for at in (shape.x0, shape.y0, shape.x1, shape.y1))
            cells += int((east - west) * (north - south)) // 32
            continue
        for line in _lines(shape):
            at = _strips(*line, size)
            near = int(((at[:, 1] - at[:, 0]) * (at[:, 3] - at[:, 2])).sum())
            (ax, ay), (bx, by), half = line
            circles = min(math.hypot(bx - ax, by - ay), 2 * size) / (2 * half) if near else 0
            cells += near + int(_CIRCLE * circles)
    return cells


def _lines(shape: Circle | Band) -> Iterator[tuple[_Point, _Point, float]]:
    """Straight lines, each with the distance up to which cells belong to the shape."""
    if isinstance(shape, Circle):
        yield (shape.x, shape.y), (shape.x, shape.y), shape.radius
    else:
        yield from ((start, end, shape.width / 2) for start, end in shape.lines())


def _strips(start: _Point, end: _Point, half: float, size: int) -> Int[np.ndarray, "S 4"]:
    """Windows [west:east, south:north] of a few rows that cover all cells within `half` of a line, and few others."""
    reach = half + 1  # a metre more than needed, so that rounding leaves no cell out
    (ax, ay), (bx, by) = min(start, end), max(start, end)
    low, high = (min(max(math.floor(at), 0), size) for at in (ax - reach, bx + reach))
    west = np.arange(low, high, _STRIP)
    east = np.minimum(west + _STRIP, high)
    along = np.clip((np.stack([west - reach, east + reach]) - ax) / (bx - ax or 1.0), 0.0, 1.0)
    if ax == bx:
        along = np.array([[0.0], [1.0]])
    y = ay + along * (by - ay) + np.zeros(len(west))
    south = np.clip(np.floor(y.min(0) - reach), 0, size).astype(int)
    north = np.clip(np.ceil(y.max(0) + reach), 0, size).astype(int)
    return np.stack([west, east, south, north], axis=1)[south < north]


def _near(
    x: Float[np.ndarray, "*n"], y: Float[np.ndarray, "*m"], start: _Point, end: _Point, half: float
) -> Bool[np.ndarray, "*k"]:
    """Whether each point lies within `half` of the line from `start` to `end`, the rim included."""
    (ax, ay), (bx, by) = start, end
    dx, dy = bx - ax, by - ay
    along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy or 1.0)
    t = np.clip(along, 0.0, 1.0)
    return (x - ax - t * dx) ** 2 + (y - ay - t * dy) ** 2 <= half**2


def from_rows(rows: Sequence[str]) -> UInt8[np.ndarray, "X Y"]:
    """Read a square map from letters: `rows[x][y]` is `.` normal, `F` forest, `W` water or `B` building.

    Returns:
        The kind of every cell, indexed [x, y].

    Raises:
        ValueError: the length of a row differs from the number of rows, or a letter is unknown.
    """
    for x, row in enumerate(rows):
        if len(row) != len(rows):
            raise ValueError(f"row {x} has {len(row)} letters, but a map of {len(rows)} rows needs {len(rows)}")
        if unknown := set(row) - set(_LETTERS):
            raise ValueError(f"row {x} holds {min(unknown)!r}; known letters are {' '.join(_LETTERS)}")
    kinds = [[_LETTERS[letter] for letter in row] for row in rows]
    return np.array(kinds, np.uint8).reshape(len(rows), len(rows))
