"""Schedule of a firebreak: which unit fells which cells, and whether they are felled before the fire arrives."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from hive.engine.types import CrewType
from hive.worlds.wildfire.commanders.terrain_facts import Bools, Floats, Ints

_WALK, _DRIVE = 7.0, 8.0  # cells a tick: a firefighter in usual forest, a bulldozer
_FELL = 0.3  # ticks that a bulldozer needs for the next cell of a row
_DETOUR = 1.7  # factor on the straight distance where that leads over burning cells
_URGENT = 0.4  # value of one more tick until the fire comes, in ticks of work


@dataclass
class Hand:
    """A unit that can fell.

    Attributes:
        unit: Its id.
        kind: Firefighter or bulldozer.
        place: Cell where it is, or will be set down.
        free: Ticks until it can begin.
        jobs: Cells to fell, in order.
    """

    unit: int
    kind: int
    place: Ints
    free: float = 0.0
    jobs: list[tuple[int, int]] = field(default_factory=list)


def schedule(hands: list[Hand], cells: Ints, trees: Floats, left: Floats, deadly: Bools) -> float:
    """Assign cells to hands by filling their `jobs`.

    Args:
        hands: The units that can fell.
        cells: `[J, 2]` cells.
        trees: `[J]` trees on each.
        left: `[J]` ticks until the fire can be there.
        deadly: `[X, Y]` cells that no unit can enter.

    Returns:
        Total delay in ticks of cells that are felled too late; infinite without hands.
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
        if not hand.jobs and hand.kind != CrewType.BULLDOZER:  # an idle firefighter helps where it saves most time
            gain = done - free[number] - need[number] + trees
            if gain.max() > 1:
                hand.jobs.append((int(cells[gain.argmax(), 0]), int(cells[gain.argmax(), 1])))
    return late


def _need(kind: int, way: Floats, trees: Floats) -> Floats:
    """Ticks to go a distance and fell the trees there."""
    if kind == CrewType.BULLDOZER:
        return np.where(way <= 1.5, 0, np.ceil(way / _DRIVE)) + _FELL
    return np.where(way < 0.5, 0, np.ceil(way / _WALK)) + trees


def _ways(starts: Ints, ends: Ints, deadly: Bools) -> Floats:
    """`[S, E]` lengths of paths."""
    off = ends[None] - starts[:, None]
    long = np.hypot(*np.moveaxis(off, -1, 0))
    share = np.linspace(0, 1, 16)[:, None, None, None]
    x, y = np.moveaxis(np.floor(starts[:, None] + 0.5 + share * off).astype(int), -1, 0)
    return np.where(deadly[x, y].any(0), _DETOUR * long + 2, long)
