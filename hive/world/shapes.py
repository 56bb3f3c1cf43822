"""Maps drawn with boxes, circles and bands, or read from rows of letters (host side, NumPy).

A cell has exactly one kind, and later shapes are painted over earlier ones: a bridge is a `normal` shape over water
(docs/rules/battles.md 1.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, UInt8

NORMAL, BUILDING, WATER, FOREST = 0, 1, 2, 4
"""Kind of a cell, one bit each; `NORMAL` is none of them."""

TerrainName = Literal["normal", "forest", "water", "building"]

KINDS: dict[str, int] = {"normal": NORMAL, "forest": FOREST, "water": WATER, "building": BUILDING}
_LETTERS = {".": NORMAL, "F": FOREST, "W": WATER, "B": BUILDING}


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

    points: tuple[tuple[float, float], ...]
    width: float
    terrain: TerrainName
    name: str = ""

    def covers(self, x: Float[np.ndarray, "*n"], y: Float[np.ndarray, "*n"]) -> Bool[np.ndarray, "*n"]:
        """Whether each point lies in the band."""
        inside = np.zeros(np.broadcast(x, y).shape, bool)
        for (ax, ay), (bx, by) in zip(self.points, self.points[1:] or self.points, strict=False):
            dx, dy = bx - ax, by - ay
            along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy or 1.0)
            t = np.clip(along, 0.0, 1.0)
            inside |= (x - ax - t * dx) ** 2 + (y - ay - t * dy) ** 2 <= (self.width / 2) ** 2
        return inside


Shape = Box | Circle | Band


def rasterise(size: int, shapes: Sequence[Shape]) -> UInt8[np.ndarray, "X Y"]:
    """Paints shapes, in order, on a square map of normal terrain.

    A cell belongs to a shape when its centre (x + 0.5, y + 0.5) does. What lies outside the map is cut off.

    Args:
        size: side of the map, metres.
        shapes: painted one after another, the later ones on top.

    Returns:
        The kind of every cell, indexed [x, y].

    Raises:
        ValueError: a shape names an unknown terrain.
    """
    centre = np.arange(size) + 0.5
    x, y = np.meshgrid(centre, centre, indexing="ij")
    kind = np.full((size, size), NORMAL, np.uint8)
    for shape in shapes:
        if shape.terrain not in KINDS:
            raise ValueError(f"unknown terrain {shape.terrain!r}; known are {', '.join(KINDS)}")
        kind[shape.covers(x, y)] = KINDS[shape.terrain]
    return kind


def from_rows(rows: Sequence[str]) -> UInt8[np.ndarray, "X Y"]:
    """Reads a square map from letters: `rows[x][y]` is `.` normal, `F` forest, `W` water or `B` building.

    Returns:
        The kind of every cell, indexed [x, y].

    Raises:
        ValueError: a row has another length than there are rows, or holds another letter.
    """
    for x, row in enumerate(rows):
        if len(row) != len(rows):
            raise ValueError(f"row {x} has {len(row)} letters, but a map of {len(rows)} rows needs {len(rows)}")
        if unknown := set(row) - set(_LETTERS):
            raise ValueError(f"row {x} holds {min(unknown)!r}; known letters are {' '.join(_LETTERS)}")
    kinds = [[_LETTERS[letter] for letter in row] for row in rows]
    return np.array(kinds, np.uint8).reshape(len(rows), len(rows))
