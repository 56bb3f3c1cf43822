"""Places on a map for rules that command: cells that can be entered, and how deep a wood is."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, UInt8

from hive.ground.shapes import Ground

Vector = tuple[float, float]
Cell = tuple[int, int]


def nearest(mask: Bool[np.ndarray, "X Y"], place: Vector) -> Cell:
    """Return the cell of a mask, which has at least one, that is nearest a place; of equal ones the first in rows."""
    size = len(mask)
    x, y = (min(max(round(value), 0), size - 1) for value in place)
    for radius in (8, 32, size):  # beyond a square no cell is nearer than its half side; the last one is the whole map
        west, south = max(0, x - radius), max(0, y - radius)
        cells = np.add(np.argwhere(mask[west : x + radius + 1, south : y + radius + 1]), (west, south))
        far = ((cells - np.array(place)) ** 2).sum(1)
        if len(cells) and far.min() <= radius**2:
            break
    x, y = cells[np.argmin(far)]
    return int(x), int(y)


class Terrain:
    """The cells of a map; all places that it returns can be entered."""

    def __init__(self, ground: UInt8[np.ndarray, "X Y"]) -> None:
        """Keep the kind of every cell, bits of `hive.ground.shapes.Ground`."""
        self.size = ground.shape[0]
        self.enter = ground & (Ground.BUILDING | Ground.WATER) == 0
        self.forest = ground & Ground.FOREST.value != 0

    def near(self, place: Vector, among: Bool[np.ndarray, "X Y"] | None = None) -> Cell:
        """Return the cell that can be entered (of a mask, if one is given) and is nearest a place."""
        x, y = (min(max(round(value), 0), self.size - 1) for value in place)
        both = self.enter if among is None else among & self.enter
        mask = both if both.any() else self.enter
        return (x, y) if mask[x, y] else nearest(mask, place)

    @cached_property
    def depth(self) -> Float[np.ndarray, "X Y"]:
        """`[X, Y]` metres from each forest cell to the nearest ground without trees, up to 24."""
        left, depth = self.forest.copy(), np.zeros(self.forest.shape)
        for _ in range(24):
            if not left.any():
                break
            depth += left
            grown = np.pad(left, 1, mode="edge")
            left = grown[1:-1, 1:-1] & grown[:-2, 1:-1] & grown[2:, 1:-1] & grown[1:-1, :-2] & grown[1:-1, 2:]
        return depth
