"""The cheapest cells to fell so that a fire is enclosed: a minimum cut between the fire and the other cells."""

from __future__ import annotations

from collections import deque

import numpy as np

from hive.worlds.wildfire.commanders.fire_watch import FireWatch, layers
from hive.worlds.wildfire.commanders.spread_model import AROUND
from hive.worlds.wildfire.commanders.terrain_facts import Ints

_NEVER = 10**6
_UNIT = 10  # capacities are integer tenths of a tree
_LIKELY = 0.4  # odds above which a step of the fire is treated as certain
_LEAK = 8.0  # cost in trees of a step that was not expected


def firebreak(watch: FireWatch, first: int, depth: int, effort: float) -> Ints:
    """Find the cells with the least cost of felling and of the trees that then still burn.

    Cells that the fire is likely to reach before `first` updates are given up; the fire may come no farther than
    `depth` cells behind them. The cost of an unlikely step of the fire is its damage times its odds.

    Args:
        watch: The fire.
        first: The first layer to fell in.
        depth: How many cells behind it may be used.
        effort: Cost of the work on a cell, in trees for each tick of a firefighter.

    Returns:
        `[K, 2]` cells to fell.
    """
    near = layers(watch.sources, watch.fuel, np.ones(len(AROUND)))
    cells = np.argwhere(watch.fuel & (near <= first + depth))
    number = {(x, y): index for index, (x, y) in enumerate(cells.tolist())}
    net = _Net(2 * len(cells) + 2)
    start, end = 2 * len(cells), 2 * len(cells) + 1
    steps = [_NEVER if odds >= _LIKELY else round(_UNIT * _LEAK * odds) for odds in watch.odds]
    for (x, y), index in number.items():
        cost = float(watch.trees[x, y])
        given_up = watch.fixed[x, y] or watch.layer[x, y] < first
        net.join(2 * index, 2 * index + 1, _NEVER if given_up else round(_UNIT * (cost + effort * (1 + cost))))
        net.join(2 * index + 1, end, _NEVER if near[x, y] == first + depth else round(_UNIT * cost))
        for (dx, dy), room in zip(AROUND, steps, strict=True):
            if (other := number.get((x + dx, y + dy))) is not None:
                net.join(2 * index + 1, 2 * other, room)
    for x, y in np.argwhere(watch.sources).tolist():
        for (dx, dy), room in zip(AROUND, steps, strict=True):
            if (other := number.get((x + dx, y + dy))) is not None:
                net.join(start, 2 * other, room)
    reached = net.cut(start, end)
    chosen = [index for index in range(len(cells)) if reached[2 * index] and not reached[2 * index + 1]]
    return cells[chosen].reshape(-1, 2)


class _Net:
    """A network with capacities, and Dinic's algorithm."""

    def __init__(self, nodes: int) -> None:
        self.edges: list[list[int]] = [[] for _ in range(nodes)]
        self.head: list[int] = []
        self.room: list[int] = []

    def join(self, tail: int, head: int, room: int) -> None:
        """Add an edge."""
        for one, other, capacity in ((tail, head, room), (head, tail, 0)):
            self.edges[one].append(len(self.head))
            self.head.append(other)
            self.room.append(capacity)

    def cut(self, start: int, end: int) -> list[bool]:
        """Compute a maximum flow, and return which nodes the start still reaches."""
        while True:
            level = self._levels(start)
            if level[end] < 0:
                return [each >= 0 for each in level]
            turn = [0] * len(self.edges)
            while self._push(start, end, level, turn):
                pass

    def _levels(self, start: int) -> list[int]:
        level = [-1] * len(self.edges)
        level[start] = 0
        queue = deque([start])
        while queue:
            node = queue.popleft()
            for edge in self.edges[node]:
                if self.room[edge] and level[self.head[edge]] < 0:
                    level[self.head[edge]] = level[node] + 1
                    queue.append(self.head[edge])
        return level

    def _push(self, start: int, end: int, level: list[int], turn: list[int]) -> bool:
        """Push as much flow as fits along one path; False when no path is left."""
        path: list[int] = []
        node = start
        while node != end:
            edges = self.edges[node]
            while turn[node] < len(edges):
                edge = edges[turn[node]]
                if self.room[edge] and level[self.head[edge]] == level[node] + 1:
                    break
                turn[node] += 1
            if turn[node] < len(edges):
                path.append(edges[turn[node]])
                node = self.head[path[-1]]
            elif path:
                node = self.head[path.pop() ^ 1]
                turn[node] += 1
            else:
                return False
        most = min(self.room[edge] for edge in path)
        for edge in path:
            self.room[edge] -= most
            self.room[edge ^ 1] += most
        return True
