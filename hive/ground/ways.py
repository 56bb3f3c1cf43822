"""Places and ways on a map for rules that command: cells that can be entered, how deep a wood is, ways under trees."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, UInt8

from hive.ground.shapes import Ground

BLOCKS = 50  # along each side of the coarse map on which ways are searched
OPEN, SEEN, TREES = 4.0, 40.0, 1.0  # what a block costs on a way under cover
Vector = tuple[float, float]
Cell = tuple[int, int]


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
        mask = self.enter if among is None or not (among & self.enter).any() else among & self.enter
        if mask[x, y]:
            return x, y
        cells = np.argwhere(mask)
        x, y = cells[np.argmin(((cells - np.array(place)) ** 2).sum(1))]
        return int(x), int(y)

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

    def inside(self, cells: Bool[np.ndarray, "X Y"], near: Vector, margin: int = 6) -> Cell:
        """Return a cell of a forest that is near a place and, if possible, `margin` metres from its edge."""
        mask = cells & self.forest
        most = int(self.depth[mask].max()) if mask.any() else 0
        return self.near(near, mask & (self.depth >= min(margin, most)))

    def way(
        self, start: Vector, end: Vector, watched: Float[np.ndarray, "N 2"] | None = None, sight: float = 0
    ) -> list[Cell]:
        """Return the corners of a short way between two places, without its start.

        Args:
            start: Where it begins, metres.
            end: Where it ends.
            watched: `[N, 2]` metres: the way prefers trees, and keeps `sight` metres off these; None: it does not.
            sight: Metres.
        """
        step = max(1, math.ceil(self.size / BLOCKS))
        count = math.ceil(self.size / step)
        middle = np.minimum(np.arange(count) * step + step // 2, self.size - 1)
        free = self.enter[np.ix_(middle, middle)]
        cost = np.where(free, 1.0, np.inf)
        if watched is not None:
            trees = self.forest[np.ix_(middle, middle)] & (self.depth[np.ix_(middle, middle)] >= 2)
            cost = np.where(free, np.where(trees, TREES, OPEN), np.inf)
            seen = np.zeros_like(free)
            reach = math.ceil(sight / step) + 1
            for x, y in {(int(x / step), int(y / step)) for x, y in watched}:
                seen[max(0, x - reach) : x + reach + 1, max(0, y - reach) : y + reach + 1] = True
            cost = np.where(seen & free & ~trees, SEEN, cost)
        blocks = [(min(int(x / step), count - 1), min(int(y / step), count - 1)) for x, y in (start, end)]
        for block in blocks:
            cost[block] = min(cost[block], OPEN)
        far = _distances(cost, blocks[1])
        path, here = [blocks[0]], blocks[0]
        while here != blocks[1] and len(path) < 4 * count:
            x, y = here
            options = [
                (far[x + i, y + j] + (0.41 if i and j else 0), (x + i, y + j))
                for i in (-1, 0, 1) for j in (-1, 0, 1)
                if (i or j) and 0 <= x + i < count and 0 <= y + j < count
            ]  # fmt: skip
            here = min(options)[1]
            path.append(here)
        corners = _corners(path, cost)
        return [self.near((float(middle[x]), float(middle[y]))) for x, y in corners[1:-1]] + [self.near(end)]


def _distances(cost: np.ndarray, goal: Cell) -> np.ndarray:
    """Return the cost of the cheapest way from each block to a goal."""
    far = np.full(np.array(cost.shape) + 2, np.inf)
    inner = far[1:-1, 1:-1]
    inner[goal] = 0
    slant = cost * math.sqrt(2)
    for _ in range(4 * len(cost)):
        straight = np.minimum(np.minimum(far[:-2, 1:-1], far[2:, 1:-1]), np.minimum(far[1:-1, :-2], far[1:-1, 2:]))
        across = np.minimum(np.minimum(far[:-2, :-2], far[2:, 2:]), np.minimum(far[:-2, 2:], far[2:, :-2]))
        better = np.minimum(straight + cost, across + slant)
        if not (better < inner - 1e-9).any():
            break
        np.minimum(inner, better, out=inner)
    return inner


def _corners(path: list[Cell], cost: np.ndarray) -> list[Cell]:
    """Return the places of a path between which the straight way costs hardly more than the path."""
    kept, at = [path[0]], 0
    while at < len(path) - 1:
        reach = at + 1
        for far in range(at + 2, min(len(path), at + 14)):
            along = sum(cost[path[i]] for i in range(at + 1, far + 1))
            (ax, ay), (bx, by) = path[at], path[far]
            count = max(abs(bx - ax), abs(by - ay))
            line = sum(
                cost[round(ax + (bx - ax) * i / count), round(ay + (by - ay) * i / count)] for i in range(1, count + 1)
            )
            if line <= 1.05 * along + 1e-6:
                reach = far
        kept.append(path[reach])
        at = reach
    return kept
