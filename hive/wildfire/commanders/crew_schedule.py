"""Which unit fells which cells of a firebreak, and whether they are done before the fire is there."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from hive.types import CrewType
from hive.wildfire.commanders.terrain_facts import Bools, Floats, Ints

_WALK, _DRIVE = 7.0, 8.0  # cells a tick: a firefighter in usual forest, a bulldozer
_FELL = 0.3  # ticks that a bulldozer needs for the next cell of a row
_DETOUR = 1.7  # times the straight way where that leads over what burns
_URGENT = 0.4  # what a tick more till the fire comes is worth, in ticks of work


@dataclass
class Hand:
    """A unit that can fell.

    Attributes:
        unit: Its id.
        kind: Firefighter or bulldozer.
        place: Cell where it is, or will be set down.
        free: Ticks till it can begin.
        jobs: Cells it is to fell, in order.
    """

    unit: int
    kind: int
    place: Ints
    free: float = 0.0
    jobs: list[tuple[int, int]] = field(default_factory=list)


def schedule(hands: list[Hand], cells: Ints, trees: Floats, left: Floats, deadly: Bools) -> float:
    """Share cells out among hands, whose `jobs` are filled.

    Args:
        hands: Who can fell.
        cells: `[J, 2]` cells.
        trees: `[J]` trees on each.
        left: `[J]` ticks till the fire can be there.
        deadly: `[X, Y]` where nobody can go.

    Returns:
        Ticks by which cells are done too late, summed; infinite when there is nobody.
    """
    if not len(cells):
        return 0.0
    if not hands:
        return math.inf
    between = _ways(cells, cells, deadly)
    need = np.stack([_need(hand.kind, _ways(hand.place[None], cells, deadly)[0], trees) for hand in hands])
    free = np.array([hand.free for hand in hands])
    done = np.full(len(cells), np.inf)
    late = 0.0
    for _ in cells:
        cost = np.where(np.isinf(done), free[:, None] + need + _URGENT * left, np.inf)
        who, best = np.unravel_index(int(cost.argmin()), cost.shape)
        free[who] += need[who, best]
        done[best] = free[who]
        late += max(0.0, free[who] - float(left[best]))
        hands[who].jobs.append((int(cells[best, 0]), int(cells[best, 1])))
        need[who] = _need(hands[who].kind, between[best], trees)
    for number, hand in enumerate(hands):
        if not hand.jobs and hand.kind != CrewType.BULLDOZER:  # helps where that ends soonest what would end last
            gain = done - free[number] - need[number] + trees
            if gain.max() > 1:
                hand.jobs.append((int(cells[gain.argmax(), 0]), int(cells[gain.argmax(), 1])))
    return late


def _need(kind: int, way: Floats, trees: Floats) -> Floats:
    """Ticks to go so far and fell what stands there."""
    if kind == CrewType.BULLDOZER:
        return np.where(way <= 1.5, 0, np.ceil(way / _DRIVE)) + _FELL
    return np.where(way < 0.5, 0, np.ceil(way / _WALK)) + trees


def _ways(starts: Ints, ends: Ints, deadly: Bools) -> Floats:
    """`[S, E]` lengths of ways."""
    off = ends[None] - starts[:, None]
    long = np.hypot(*np.moveaxis(off, -1, 0))
    share = np.linspace(0, 1, 16)[:, None, None, None]
    x, y = np.moveaxis(np.floor(starts[:, None] + 0.5 + share * off).astype(int), -1, 0)
    return np.where(deadly[x, y].any(0), _DETOUR * long + 2, long)
