"""Ways on foot from one place to another that prefer cover, as a few waypoints."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float

Cell = tuple[int, int]


def find_way(cost: Float[np.ndarray, "X Y"], start: Cell, goal: Cell, grain: int = 1) -> list[Cell]:
    """Return the cheapest way between two cells, by Dijkstra's algorithm with steps in eight directions.

    Args:
        cost: `[X, Y]` cost of a metre in each cell, above 0; infinite where no unit can walk.
        start: First cell; it may be blocked.
        goal: Last cell; it may be blocked.
        grain: Metres between the cells that are searched; a narrow gap may be missed by a coarse one.

    Returns:
        The cells of the way, both ends included; empty if there is none.
    """
    coarse = np.pad(cost[::grain, ::grain], 1, constant_values=np.inf)  # so that no step leads off the map
    wide = coarse.shape[1]
    first, last = ((cell[0] // grain + 1) * wide + cell[1] // grain + 1 for cell in (start, goal))
    price: list[float] = coarse.ravel().tolist()
    price[last] = 1.0
    steps = [(dx * wide + dy, math.hypot(dx, dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
    best = [math.inf] * len(price)
    best[first] = 0.0
    came = {first: first}
    queue = [(0.0, first)]
    while queue:
        so_far, here = heapq.heappop(queue)
        if here == last:
            break
        if so_far > best[here]:
            continue
        for step, length in steps:
            there = here + step
            reached = so_far + price[there] * length
            if reached < best[there]:
                best[there], came[there] = reached, here
                heapq.heappush(queue, (reached, there))
    if last not in came:
        return []
    way = [last]
    while way[-1] != first:
        way.append(came[way[-1]])
    inner = [((here // wide - 1) * grain, (here % wide - 1) * grain) for here in reversed(way)]
    return [start, *inner[1:-1], goal]


def turning_points(way: Sequence[Cell], most: int) -> list[Cell]:
    """Return at most so many cells of a way, its end included and its start not, that follow its shape best.

    Each time the cell farthest from the straight line between its neighbours so far is added (Ramer, Douglas, Peucker).
    """
    kept = [0, len(way) - 1]
    while len(kept) <= most:
        farthest, place = 2.0, -1
        for low, high in pairwise(kept):
            for at in range(low + 1, high):
                off = _off_line(way[at], way[low], way[high])
                if off > farthest:
                    farthest, place = off, at
        if place < 0:
            break
        kept = sorted([*kept, place])
    return [way[at] for at in kept[1:]]


def cover_cost(
    free: Bool[np.ndarray, "X Y"],
    cover: Bool[np.ndarray, "X Y"],
    watched: Bool[np.ndarray, "X Y"],
    open_cost: float,
    watched_cost: float,
) -> Float[np.ndarray, "X Y"]:
    """Return the cost of a metre in each cell: 1 well inside cover, more near its edge, most where enemies watch.

    Args:
        free: Where units can walk.
        cover: Where no unit is seen.
        watched: Where enemies see from their starting places.
        open_cost: Added outside cover, and half of it within two cells of the edge.
        watched_cost: Added in open cells that are watched.
    """
    bare = ~cover
    edge = bare.copy()
    for _ in range(2):
        wide = edge.copy()
        wide[1:] |= edge[:-1]
        wide[:-1] |= edge[1:]
        wide[:, 1:] |= edge[:, :-1]
        wide[:, :-1] |= edge[:, 1:]
        edge = wide
    cost = 1 + open_cost * (0.5 * bare + 0.5 * edge) + watched_cost * (bare & watched)
    return np.where(free, cost, np.inf)


def _off_line(cell: Cell, start: Cell, end: Cell) -> float:
    """Return the distance of a cell from the piece of a line between two others."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    along = ((cell[0] - start[0]) * dx + (cell[1] - start[1]) * dy) / max(dx * dx + dy * dy, 1)
    along = min(max(along, 0.0), 1.0)
    return math.hypot(cell[0] - start[0] - along * dx, cell[1] - start[1] - along * dy)
