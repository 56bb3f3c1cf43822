"""A commander's estimate of a fire that it sees only at times: which cells spread, and when it reaches each cell."""

from __future__ import annotations

import numpy as np

from hive.engine.crews.explored import VIEW, Explored
from hive.engine.crews.frames import FRAMES
from hive.worlds.wildfire.commanders.spread_model import AROUND, SpreadModel
from hive.worlds.wildfire.commanders.terrain_facts import Bools, Floats, Ints, burns, trees_on
from hive.worlds.wildfire.reports import Report

_FAR = 99  # updates: beyond the horizon of any plan
_WAITS = ((0.3, 1), (0.12, 3), (0.0, 8))  # least odds, and the updates that a step in such a direction takes
_BY_BUILDING = 2  # cells round a building, which burn without trees


class FireWatch:
    """The fire as far as the team knows it.

    An ignited cell flames and spreads in the next update, and only once: a cell on fire has already spread, unless it
    flamed at once. So the fire continues from few cells, and neighbours that they did not ignite stay unburnt. In cells
    that no unit sees, the fire is simulated with the spread observed so far.

    Attributes:
        trees: `[X, Y]` standing trees, estimated in unseen cells.
        deadly: `[X, Y]` cells that burn or are burnt.
        sources: `[X, Y]` cells that spread in the next update.
        fuel: `[X, Y]` cells that can still catch.
        fixed: `[X, Y]` cells of `fuel` that cannot be felled.
        layer: `[X, Y]` updates until each cell is likely to catch, 0 where it burns, large where it never can.
        odds: `[8]` probability that the fire ignites a neighbour, in the directions of `spread_model.AROUND`.
    """

    def __init__(self, report: Report) -> None:
        """Begin with the first report."""
        shape = report.seen.shape
        self._model = SpreadModel()
        self._period = max(report.level.period // FRAMES, 1)
        self._codes = np.full(shape, Explored.UNSEEN)
        self.trees: Floats = trees_on(report.seen)
        self.sources: Bools = np.zeros(shape, bool)
        self.fuel: Bools = np.zeros(shape, bool)
        if report.known.fire is not None:
            self.sources[report.known.fire] = True
        self.deadly: Bools = self.sources.copy()
        self.look(report)

    def look(self, report: Report) -> None:
        """Update the estimate with a report."""
        seen, view = report.seen, _in_view(report)
        told = view & (seen != Explored.BUILDING) & (seen != Explored.CIVILIAN)  # both are drawn over fire
        self.tick = report.tick
        trees = np.where((seen == Explored.CIVILIAN) & view, self.trees, trees_on(seen))
        if self.tick % self._period == 0 and self.tick >= 2 * self._period:
            could = self.fuel & told & ((seen >= Explored.IGNITED) | (trees > 0))
            self._model.learn(self.sources, could, (seen == Explored.IGNITED) | (seen == Explored.ON_FIRE))
            self._burn_on()
        self.trees = trees
        self.sources = np.where(told, (seen == Explored.IGNITED) | self._kindled(seen), self.sources)
        self.deadly = np.where(told, burns(seen), self.deadly) | self.sources
        by_building = widen(seen == Explored.BUILDING, _BY_BUILDING)
        self.fuel = ((trees > 0) | by_building) & ~self.deadly & (seen != Explored.WATER)
        self.fixed: Bools = by_building & (trees == 0)
        self.odds = self._model.odds
        self.layer: Ints = layers(self.sources, self.fuel, self.odds)
        self._codes = np.where(told, seen, self._codes)

    @property
    def found(self) -> bool:
        """Whether any burning cell is known."""
        return bool(self.deadly.any())

    @property
    def next_update(self) -> int:
        """The tick after which the fire has spread next; a fire lit at the start waits for the second update."""
        return max((self.tick // self._period + 1) * self._period, 2 * self._period)

    def caught(self) -> Ints:
        """`[X, Y]` the tick after which each cell may have caught."""
        return self.next_update + self._period * (self.layer - 1)

    def _kindled(self, seen: Ints) -> Bools:
        """Cells on fire without being ignited before: they flamed at once in the last update and will spread next."""
        before = self._codes
        new = (before != Explored.IGNITED) & (before != Explored.ON_FIRE) & (before != Explored.UNSEEN)
        return (seen == Explored.ON_FIRE) & (new | (self.sources & (before == Explored.ON_FIRE)))

    def _burn_on(self) -> None:
        """Simulate one update of the complete fire; seen cells are corrected afterwards."""
        likely = [direction for direction, odds in zip(AROUND, self._model.odds, strict=True) if odds >= _WAITS[0][0]]
        padded = np.pad(self.sources, 1)
        caught = [_back(padded, direction) for direction in likely]
        self.sources = np.logical_or.reduce([np.zeros_like(self.sources), *caught]) & self.fuel
        self.deadly = self.deadly | self.sources


def layers(sources: Bools, fuel: Bools, odds: Floats) -> Ints:
    """Updates until a fire from the sources is likely to reach each cell; unlikely directions take longer."""
    layer = np.where(sources, 0, _FAR)
    steps = [next(wait for least, wait in _WAITS if each >= least) for each in odds]
    for _ in range(_FAR):
        padded = np.pad(layer, 1, constant_values=_FAR)
        best = layer
        for direction, wait in zip(AROUND, steps, strict=True):
            best = np.minimum(best, _back(padded, direction) + wait)
        best = np.where(fuel | sources, best, _FAR)
        if np.array_equal(best, layer):
            break
        layer = best
    return layer


def widen(mask: Bools, radius: int) -> Bools:
    """All cells within `radius` cells, along x and along y, of a true one."""
    wide = np.pad(mask, radius)
    size = mask.shape[0]
    along = np.logical_or.reduce([wide[i : i + size] for i in range(2 * radius + 1)])
    return np.logical_or.reduce([along[:, i : i + size] for i in range(2 * radius + 1)])


def _back(padded: np.ndarray, direction: tuple[int, int]) -> np.ndarray:
    """For each cell, the value of a field, padded by one, one step back along a direction."""
    (dx, dy), (size_x, size_y) = direction, padded.shape
    return padded[1 - dx : size_x - 1 - dx, 1 - dy : size_y - 1 - dy]


def _in_view(report: Report) -> Bools:
    """`[X, Y]` cells that a unit sees now."""
    view = np.zeros(report.seen.shape, bool)
    for unit in np.flatnonzero(report.alive):
        (x, y), reach = report.cell[unit], VIEW[report.kind[unit]]
        view[max(x - reach, 0) : x + reach + 1, max(y - reach, 0) : y + reach + 1] = True
    return view
