"""How time grows with size: a line through logarithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

FROM, UPTO = 1_000, 64_000  # units between which the speed contract fits the exponent


@dataclass(frozen=True)
class Growth:
    """`time = factor * size ** exponent` over sizes from `low` to `high`."""

    exponent: float
    factor: float
    low: int
    high: int

    def at(self, size: float) -> float:
        """The fitted time at a size."""
        return self.factor * size**self.exponent


def fit(sizes: Sequence[int], times: Sequence[float], low: int = FROM, high: int = UPTO) -> Growth | None:
    """Fit the exponent by least squares over the sizes from `low` to `high`; None with fewer than two of them."""
    some = [(size, time) for size, time in zip(sizes, times, strict=True) if low <= size <= high]
    if len({size for size, _ in some}) < 2:
        return None
    x, y = np.log(np.array(some, float)).T
    slope, start = np.polyfit(x, y, 1)
    used = [size for size, _ in some]
    return Growth(float(slope), float(np.exp(start)), min(used), max(used))
