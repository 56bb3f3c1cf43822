"""Fire as the published program spreads it: one scan over the map in place (docs/rules/wildfire.md 2.9).

This module exists only for parity: it checks maps, on the host, against the reference curves of trees lost without
action. Games use the automaton of `hive.ground`, whose constants are separate: the reference curves depend on the
constants here. Three traits of the program are kept: the scan (a cell that flames at once spreads in the same update if
it lies later in the scan, and never if it lies earlier), its three wrong directions, and the border, which catches fire
but never passes it on. The error that ends the scan in which the first cell burns out is left out.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from dsl import UserError
from hive.worlds.wildfire.maps.host_land import Map
from hive.worlds.wildfire.maps.host_noise import Floats
from hive.worlds.wildfire.maps.host_places import Cell

_IGNITE, _FLAME = 0.5, 8.0  # a neighbour's ratio above which it is ignited, or flames at once
_PER_DEGREE = 0.069
_RISE, _RUN = 890.0, 30.0  # metres: the complete relief, the side of a cell
_DRYNESS = 10.0  # the moisture at which nothing burns
_DIAGONAL = 0.5**0.5

# Step to a neighbour (x, y with y south), and the direction to it (east, north) as the program has it.
_NEIGHBOURS = (
    ((0, -1), (0.0, 1.0)),
    ((1, -1), (_DIAGONAL, _DIAGONAL)),
    ((1, 0), (1.0, 0.0)),
    ((1, 1), (_DIAGONAL, -_DIAGONAL)),
    ((0, 1), (-1.0, 0.0)),  # wrong: this is west
    ((-1, 1), (-_DIAGONAL, -_DIAGONAL)),
    ((-1, 0), (0.0, -1.0)),  # wrong: this is south
    ((-1, -1), (_DIAGONAL, -_DIAGONAL)),  # wrong: this is south-east
)


def burn_raster(ground: Map, fire: Cell, updates: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what a fire destroys if no unit acts.

    Args:
        ground: The map, dry.
        fire: The cell that is lit before the first update; it flames in the second.
        updates: At least 1.

    Returns:
        Trees, and buildings, lost after each update, `[updates]`.

    Raises:
        UserError: The cell is not on the map.
    """
    size = ground.size
    if not (min(fire) >= 0 and max(fire) < size):
        raise UserError(f"there is no cell {fire} on a map of {size} x {size} cells")
    steps = [x + y * size for (x, y), _ in _NEIGHBOURS]
    ignites, flames = _verdicts(ground)
    burnable = ground.burnable.T.ravel().tolist()  # the scan runs along rows: a cell's number is x + y * size
    trees, building = ground.trees.T.ravel().tolist(), ground.building.T.ravel().tolist()
    inner = [0 < x < size - 1 and 0 < y < size - 1 for y in range(size) for x in range(size)]
    lost = np.zeros((updates, 2), np.int64)
    start = fire[0] + fire[1] * size
    burnable[start] = False
    ignited = [start]
    for update in range(1, updates):
        queue = sorted(cell for cell in ignited if inner[cell])
        flaming = queue.copy()
        ignited = []
        while queue:
            cell = heapq.heappop(queue)
            for step, ignite, flame in zip(steps, ignites[cell], flames[cell], strict=True):
                other = cell + step
                if not (ignite and burnable[other]):
                    continue
                burnable[other] = False
                if not flame:
                    ignited.append(other)
                    continue
                flaming.append(other)
                if other > cell and inner[other]:
                    heapq.heappush(queue, other)
        lost[update] = sum(trees[cell] for cell in flaming), sum(building[cell] for cell in flaming)
    total = lost.cumsum(0)
    return total[:, 0], total[:, 1]


def _verdicts(ground: Map) -> tuple[list[list[bool]], list[list[bool]]]:
    """Whether a cell ignites each of its neighbours, and whether that flames at once, by number of the cell."""
    strength = np.sqrt((ground.wind**2).sum(-1, keepdims=True))
    wind = ground.wind / np.maximum(strength, 1e-5)
    ratios = [_ratio(ground, wind, step, towards) for step, towards in _NEIGHBOURS]
    table = np.stack([ratio.T.ravel() for ratio in ratios], -1)
    return (table > _IGNITE).tolist(), (table > _FLAME).tolist()


def _ratio(ground: Map, wind: Floats, step: Cell, towards: tuple[float, float]) -> Floats:
    """The ratio `[x, y]` with which a cell ignites one neighbour; it is undefined on the border."""
    elevation, moisture = (
        np.roll(layer, (-step[0], -step[1]), (0, 1)) for layer in (ground.elevation, ground.moisture)
    )
    rise = (elevation - ground.elevation) * (_RISE / _RUN)
    slope = np.arctan(rise) * (180 / np.pi)
    steep = np.exp(_PER_DEGREE * np.abs(slope))
    slant = np.where(slope >= 0, steep, steep / (2 * steep - 1))
    along = wind[..., 0] * towards[0] + wind[..., 1] * towards[1]
    return slant * (1 - moisture / _DRYNESS) * ((along + 1) / 2)
