"""A model of where a fire spreads, learnt from which neighbours it ignited and which it did not.

Wind and slope are hidden from a crew, but their effects are known (docs/rules/wildfire.md 2.3). So every possible wind
and slope is a hypothesis, and each update of the fire changes the probabilities of the hypotheses.
"""

from __future__ import annotations

import numpy as np

from hive.worlds.wildfire.commanders.terrain_facts import Bools, Floats

AROUND = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""Directions from a burning cell to its neighbours."""

DRY = 0.94  # factor for usual moisture
_STEEPNESS, _CATCHES = 0.069, 0.5
SLOPES = {0.0: 0.2, 6.0: 0.25, 12.0: 0.25, 20.0: 0.2, 28.0: 0.1}  # degrees, and how common
_WINDS, _HEADINGS = 24, 12
_DOUBT = 0.08  # probability that a true hypothesis is wrong for one pair of cells
_MEMORY = 0.6  # share of the evidence kept from one update to the next: the fire moves to other ground
_MOST = 12.0  # most cells of one update that count as evidence, since neighbours are correlated


def _guesses() -> tuple[Floats, Floats]:
    """Prior of each hypothesis, and `[H, 8]` whether a fire ignites the neighbour in each direction under it."""
    turn = np.arctan2([dy for _, dy in AROUND], [dx for dx, _ in AROUND])
    share, takes = [], []
    for wind in np.arange(_WINDS) * 2 * np.pi / _WINDS:
        for slope, common in SLOPES.items():
            for uphill in np.arange(_HEADINGS) * 2 * np.pi / _HEADINGS:
                rise = slope * np.cos(turn - uphill)
                growth = np.exp(_STEEPNESS * np.abs(rise))
                pull = np.where(rise >= 0, growth, growth / (2 * growth - 1))
                takes.append(DRY * pull * (1 + np.cos(turn - wind)) / 2 > _CATCHES)
                share.append(common)
    return np.array(share) / np.sum(share), np.where(takes, 1 - _DOUBT, _DOUBT)


_COMMON, _TAKES = _guesses()


class SpreadModel:
    """Beliefs about wind and slope, and the resulting odds that a fire ignites each neighbour.

    Attributes:
        odds: `[8]` probabilities in the directions of `AROUND`.
    """

    def __init__(self) -> None:
        """Begin with the prior."""
        self._belief = np.log(_COMMON)
        self.odds: Floats = _COMMON @ _TAKES

    def learn(self, sources: Bools, could: Bools, did: Bools) -> None:
        """Learn from one update.

        Args:
            sources: `[X, Y]` cells that spread in it.
            could: `[X, Y]` cells that could catch and are seen now.
            did: `[X, Y]` cells that caught.
        """
        padded = np.pad(sources, 1)
        size_x, size_y = sources.shape
        from_where = np.stack(
            [padded[1 - dx : 1 - dx + size_x, 1 - dy : 1 - dy + size_y] for dx, dy in AROUND], axis=-1
        )
        tried = could & from_where.any(-1)
        if not tried.any():
            return
        exposed, caught = from_where[tried], did[tried]
        spared = np.log(1 - _TAKES) @ exposed.T
        likely = np.where(caught, np.log1p(-np.exp(spared)), spared).sum(1) * min(1.0, _MOST / len(caught))
        common = np.log(_COMMON)
        self._belief = common + _MEMORY * (self._belief - common) + likely
        weight = np.exp(self._belief - self._belief.max())
        self.odds = (weight / weight.sum()) @ _TAKES
