"""What a commander makes of the explored map: trees, fire, water, and how long a way takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dsl.nodes import Cell
from hive.crews.explored import Explored
from hive.crews.frames import FRAMES, SPEED

STRIDE = SPEED * FRAMES  # cells a tick, by type
_FEW = 32  # units for which nobody needs to choose
USUAL = 1.6  # trees of a cell that nobody has seen

Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def trees_on(seen: NDArray[np.uint8], usual: float = USUAL) -> Floats:
    """`[X, Y]` trees of each cell; `usual` where nobody has looked, and none below civilians."""
    trees = np.where(
        (seen >= Explored.WET) & (seen < Explored.IGNITED),
        (seen.astype(int) - Explored.WET) % (Explored.DRY - Explored.WET),
        0,
    ).astype(float)
    return np.where(seen == Explored.UNSEEN, usual, trees)


def burns(seen: NDArray[np.uint8]) -> Bools:
    """`[X, Y]` cells that burn or are burnt: they kill."""
    return (seen >= Explored.IGNITED) & (seen <= Explored.BURNT)


def slowness(seen: NDArray[np.uint8]) -> Floats:
    """`[X, Y]` ticks that a firefighter needs for one cell."""
    return 1 / (STRIDE[0] * (1 - trees_on(seen) / 5))


def apart(one: ArrayLike, other: ArrayLike) -> Ints:
    """The larger of the distances along x and along y."""
    return np.abs(np.asarray(one) - np.asarray(other)).max(-1)


def distance(one: ArrayLike, other: ArrayLike) -> Floats:
    """Straight distance in cells."""
    x, y = np.moveaxis(np.asarray(one, float) - np.asarray(other, float), -1, 0)
    return np.hypot(x, y)


def nearest_few(units: Ints, cells: Ints, places: Ints, most: int) -> Ints:
    """Those of the units that stand nearest to one of the places, in order: more hands than work are left out.

    Args:
        units: `[K]` rows of `cells`.
        cells: `[N, 2]` where each unit is.
        places: `[P, 2]` where there is work.
        most: How many are wanted at most, and `_FEW` in any case.
    """
    most = max(most, _FEW)
    if len(units) <= most or not len(places):
        return units
    away = np.min([distance(cells[units], place) for place in places], axis=0)
    return np.sort(units[np.argsort(away, kind="stable")[:most]])


def cell_at(place: Ints | Floats) -> Cell:
    """The cell of a place, in plain numbers."""
    return int(place[0]), int(place[1])
