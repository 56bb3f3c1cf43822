"""Paths on the ground: round dense forest, and never over burning cells."""

from __future__ import annotations

import numpy as np

from hive.worlds.wildfire.commanders.terrain_facts import Bools, Floats, Ints

SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1))
_CORNERS = ((1, 1), (-1, 1), (-1, -1), (1, -1))
_SAMPLES = 48  # samples of a straight line
_LOOK = 24  # largest distance of the next stop, in cells to either side
_STRAY = 0.3  # largest distance of a unit from the centre of its cell


def time_to(slow: Floats, goal: Bools) -> Floats:
    """`[X, Y]` ticks from each cell to the nearest goal, from cell to cell in eight directions.

    Args:
        slow: Ticks for one cell, infinite in forbidden cells; no path cuts the corner of such a cell.
        goal: Cells to reach.
    """
    time = np.where(goal, 0.0, np.inf)
    shut = np.pad(np.isinf(slow), 1)
    size_x, size_y = slow.shape

    def moved(field: np.ndarray, dx: int, dy: int) -> np.ndarray:
        return field[1 + dx : 1 + dx + size_x, 1 + dy : 1 + dy + size_y]

    free = {(dx, dy): ~(moved(shut, dx, 0) | moved(shut, 0, dy)) for dx, dy in _CORNERS}
    for _ in range(2 * (size_x + size_y)):
        wide = np.pad(time, 1, constant_values=np.inf)
        best = time
        for dx, dy in SIDES:
            best = np.minimum(best, moved(wide, dx, dy) + slow)
        for dx, dy in _CORNERS:
            best = np.where(free[dx, dy], np.minimum(best, moved(wide, dx, dy) + np.sqrt(2) * slow), best)
        if np.array_equal(best, time):
            break
        time = best
    return time


def straight(slow: Floats, here: Ints, places: Ints) -> Floats:
    """`[K]` ticks on straight lines from a cell to places, infinite where one passes too near to a forbidden cell."""
    share = (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    points = here + 0.5 + share[:, None, None] * (np.asarray(places) - here)
    x, y = np.moveaxis(points.astype(int), -1, 0)
    ticks = slow[x, y].mean(0) * np.hypot(*(np.asarray(places) - here).T)
    shut = np.isinf(slow)
    if shut.any():
        own = (points.astype(int) == here).all(-1)
        for dx, dy in _CORNERS:
            x, y = np.moveaxis((points + np.array([dx, dy]) * _STRAY).astype(int), -1, 0)
            x, y = np.minimum(x, slow.shape[0] - 1), np.minimum(y, slow.shape[1] - 1)
            ticks = np.where((shut[x, y] & ~own).any(0), np.inf, ticks)
    return ticks


def next_stop(
    slow: Floats, left: Floats, here: Ints, ticks: float, *, safe: Bools | None = None
) -> tuple[int, int] | None:
    """Return the cell to go straight to until the next plan, on the quickest path.

    Args:
        slow: Ticks for one cell.
        left: From `time_to`.
        here: The current cell.
        ticks: Ticks until the next plan. A unit that arrives earlier has to wait, unless the cell is the goal.
        safe: If given, the cell is one of these, and is reached within that time.

    Returns:
        The cell; None when there is no path.
    """
    low, high = np.maximum(here - _LOOK, 0), np.minimum(here + _LOOK + 1, slow.shape)
    places = np.stack(np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1]), indexing="ij"), -1)
    places = places.reshape(-1, 2)
    rest = left[places[:, 0], places[:, 1]]
    need = straight(slow, here, places)
    if safe is None:
        total = np.where(rest == 0, need, np.maximum(need, ticks) + rest)
    else:
        total = np.where(safe[places[:, 0], places[:, 1]] & (need <= ticks), rest, np.inf)
    best = int(total.argmin())
    return (int(places[best, 0]), int(places[best, 1])) if np.isfinite(total[best]) else None
