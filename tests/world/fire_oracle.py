"""The fire automaton once more, cell by cell in plain Python and float64, from docs/rules/wildfire.md 2 alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

STEPS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
THRESHOLDS = (0.5, 8.0)


@dataclass
class Map:
    """One map: fixed fields, and what burns."""

    elevation: np.ndarray
    moisture: np.ndarray
    wind: np.ndarray
    burnable: np.ndarray
    trees: np.ndarray
    building: np.ndarray
    condition: np.ndarray = field(init=False)  # the six published states by number
    since: np.ndarray = field(init=False)  # updates in that state
    by_hand: set[tuple[int, int]] = field(init=False, default_factory=set)  # lit since the last update
    spreads_later: set[tuple[int, int]] = field(init=False, default_factory=set)  # flamed at once
    wet: np.ndarray = field(init=False)
    trees_lost: int = 0
    buildings_lost: int = 0

    def __post_init__(self) -> None:
        self.condition = np.where(self.burnable, 0, 1)
        self.since = np.zeros(self.condition.shape, int)
        self.wet = np.zeros(self.condition.shape, int)

    def ratio(self, s: tuple[int, int], t: tuple[int, int], wet: bool) -> float:
        """docs/rules/wildfire.md 2.3."""
        slope = math.degrees(math.atan((self.elevation[t] - self.elevation[s]) * 890 / 30))
        if slope >= 0:
            factor = math.exp(0.069 * slope)
        else:
            steep = math.exp(-0.069 * slope)
            factor = steep / (2 * steep - 1)
        wx, wy = self.wind[s]
        dx, dy = t[0] - s[0], t[1] - s[1]
        blown = math.hypot(wx, wy) * math.hypot(dx, dy)
        along = (wx * dx + wy * dy) / blown if blown else 0.0
        return factor * (1 - (self.moisture[t] + (5 if wet else 0)) / 10) * (along + 1) / 2

    def neighbours(self, cell: tuple[int, int]) -> list[tuple[int, int]]:
        width, height = self.condition.shape
        return [
            (cell[0] + dx, cell[1] + dy) for dx, dy in STEPS if 0 <= cell[0] + dx < width and 0 <= cell[1] + dy < height
        ]

    def light(self, cell: tuple[int, int]) -> None:
        if self.condition[cell] in (0, 1):
            self.condition[cell], self.since[cell] = 2, 0
            self.by_hand.add(cell)

    def spray(self, cell: tuple[int, int]) -> None:
        if self.condition[cell] in (2, 3, 4):
            self.condition[cell] = 5
            self.by_hand.discard(cell)
            self.spreads_later.discard(cell)
        else:
            self.wet[cell] = 30

    def cut(self, cell: tuple[int, int], count: int) -> None:
        felled = min(count, int(self.trees[cell]))
        self.trees[cell] -= felled
        self.trees_lost += felled
        if felled and self.trees[cell] == 0 and self.condition[cell] == 0:
            self.condition[cell] = 1

    def flame(self, cell: tuple[int, int]) -> None:
        self.condition[cell], self.since[cell] = 3, 0
        self.trees_lost += int(self.trees[cell])
        self.buildings_lost += int(self.building[cell])
        self.trees[cell], self.building[cell] = 0, False

    def update(self, chance: float | None = None, draw: np.ndarray | None = None) -> None:
        """docs/rules/wildfire.md 2.2, 2.4, synchronous; with a chance, each cell's draw decides."""
        sources = set(self.spreads_later)
        for cell in map(tuple, np.argwhere((self.condition >= 2) & (self.condition <= 4)).tolist()):
            self.since[cell] += 1
            if cell in self.by_hand:
                self.by_hand.discard(cell)
                self.since[cell] = 0
            elif self.condition[cell] == 2:
                self.flame(cell)
                sources.add(cell)
            elif self.condition[cell] == 3:
                self.condition[cell], self.since[cell] = 4, 0
            elif self.since[cell] == 10:
                self.condition[cell] = 5
        self.spreads_later = set()
        targets = {t for s in sources for t in self.neighbours(s) if self.condition[t] == 0}
        verdicts = {t: self.verdict(t, sources, chance, draw) for t in targets}
        for t, (ignites, flames) in verdicts.items():
            if flames:
                self.flame(t)
                self.spreads_later.add(t)
            elif ignites:
                self.condition[t], self.since[t] = 2, 0
        self.wet[self.wet > 0] -= 1

    def verdict(
        self, t: tuple[int, int], sources: set[tuple[int, int]], chance: float | None, draw: np.ndarray | None
    ) -> tuple[bool, bool]:
        ratios = [self.ratio(s, t, self.wet[t] > 0) for s in self.neighbours(t) if s in sources]
        if chance is None or draw is None:
            return max(ratios) > THRESHOLDS[0], max(ratios) > THRESHOLDS[1]
        whole = math.prod(1 - min(1, max(0, chance * r)) for r in ratios)
        cool = math.prod(1 - min(1, max(0, chance * r / 16)) for r in ratios)
        return bool(draw[t] < 1 - whole), bool(draw[t] < 1 - cool)

    def settle(self) -> None:
        """Change moisture where a ratio lies so close to a threshold that float32 could see it on the other side."""
        for t in map(tuple, np.argwhere(self.condition >= 0).tolist()):
            while any(
                abs(self.ratio(s, t, wet) / threshold - 1) < 1e-4
                for s in self.neighbours(t)
                for wet in (False, True)
                for threshold in THRESHOLDS
            ):
                self.moisture[t] -= 0.003


def make_map(rng: np.random.Generator, size: int, rough: float) -> Map:
    """A random map; `rough` is the relief between neighbours, about 0.02 for the published maps."""
    elevation = rng.random((size, size)) * rough
    trees = rng.integers(0, 4, (size, size))
    ground = Map(
        elevation=elevation,
        moisture=rng.uniform(0.4, 0.8, (size, size)),
        wind=rng.normal(size=(size, size, 2)) + rng.normal(size=2) * 2,
        burnable=(trees > 0) | (rng.random((size, size)) < 0.5),
        trees=trees,
        building=rng.random((size, size)) < 0.05,
    )
    ground.settle()
    return ground
