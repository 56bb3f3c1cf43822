"""What a commander derives from the explored map: trees, fire, water, and travel times."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dsl.nodes import Cell
from hive.engine.crews.explored import Explored
from hive.engine.crews.frames import FRAMES, SPEED

STRIDE = SPEED * FRAMES  # cells a tick, by type
_FEW = 32  # number of units up to which no choice is needed
USUAL = 1.6  # trees assumed on an unseen cell

Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def trees_on(seen: NDArray[np.uint8]) -> Floats:
    """`[X, Y]` trees of each cell; `USUAL` in unseen cells, and none below civilians."""
    trees = np.where(
        (seen >= Explored.WET) & (seen < Explored.IGNITED),
        (seen.astype(int) - Explored.WET) % (Explored.DRY - Explored.WET),
        0,
    ).astype(float)
    return np.where(seen == Explored.UNSEEN, USUAL, trees)


def burns(seen: NDArray[np.uint8]) -> Bools:
    """`[X, Y]` cells that burn or are burnt, which are deadly."""
    return (seen >= Explored.IGNITED) & (seen <= Explored.BURNT)


def slowness(seen: NDArray[np.uint8]) -> Floats:
    """`[X, Y]` ticks that a firefighter needs for one cell."""
    return 1 / (STRIDE[0] * (1 - trees_on(seen) / 5))


def apart(one: ArrayLike, other: ArrayLike) -> Ints:
    """The larger of the distances along x and along y; places are `[..., 2]` and broadcast, the result is `[...]`."""
    return np.abs(np.asarray(one) - np.asarray(other)).max(-1)


def distance(one: ArrayLike, other: ArrayLike) -> Floats:
    """Straight distance in cells; places are `[..., 2]` and broadcast, the result is `[...]`."""
    x, y = np.moveaxis(np.asarray(one, float) - np.asarray(other, float), -1, 0)
    return np.hypot(x, y)


def nearest_few(units: Ints, cells: Ints, places: Ints, most: int) -> Ints:
    """Return the units nearest to one of the places, in order: units in excess of the work are left out.

    Args:
        units: `[K]` rows of `cells`.
        cells: `[N, 2]` cell of each unit.
        places: `[P, 2]` places of work.
        most: Most units to return; at least `_FEW` are allowed in any case.
    """
    most = max(most, _FEW)
    if len(units) <= most or not len(places):
        return units
    away = np.min([distance(cells[units], place) for place in places], axis=0)
    return np.sort(units[np.argsort(away, kind="stable")[:most]])


def cell_at(place: Ints | Floats) -> Cell:
    """Return the cell of a place, in plain numbers."""
    return int(place[0]), int(place[1])
