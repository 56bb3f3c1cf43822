"""Means over episodes with their intervals (docs/rules/household.md 11.7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Num

from hive.kit.intervals import SIGMAS


@dataclass(frozen=True)
class Mean:
    """A mean over episodes.

    Attributes:
        value: The mean.
        margin: Half of its 95% interval, by the normal approximation; not a number for fewer than two episodes.
        count: Episodes.
    """

    value: float
    margin: float
    count: int

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.value - self.margin

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.value + self.margin

    def __str__(self) -> str:
        """Return the mean and half of its interval."""
        return f"{self.value:.1f}" + ("" if math.isnan(self.margin) else f" ± {self.margin:.1f}")


def mean_of(values: Sequence[float] | Num[np.ndarray, " n"]) -> Mean:
    """Return the mean of one number per episode.

    Args:
        values: At least one number. Several plays of one episode are averaged before, since they are not independent.

    Raises:
        ValueError: There is none.
    """
    found = np.asarray(values, float)
    if not found.size:
        raise ValueError("no episodes")
    margin = SIGMAS * float(found.std(ddof=1)) / math.sqrt(found.size) if found.size > 1 else math.nan
    return Mean(float(found.mean()), margin, found.size)


def difference(one: Sequence[float] | Num[np.ndarray, " n"], other: Sequence[float] | Num[np.ndarray, " n"]) -> Mean:
    """Return the mean difference of two policies on the same episodes, pair by pair.

    Raises:
        ValueError: The numbers of episodes differ.
    """
    return mean_of(np.subtract(np.asarray(one, float), np.asarray(other, float)))
