"""Intervals of shares: of games that were won, and of the difference between pairs of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SIGMAS = 1.959963984540054  # standard deviations on each side of a 95% interval


def wilson(mean: float, count: int, sigmas: float = SIGMAS) -> tuple[float, float]:
    """Return the interval of a share, or of a mean of numbers between 0 and 1, by Wilson's score.

    Args:
        mean: The share that was seen, 0 to 1.
        count: Games in which it was seen.
        sigmas: Standard deviations on each side; the default gives a 95% interval.
    """
    middle = (mean + sigmas * sigmas / (2 * count)) / (1 + sigmas * sigmas / count)
    spread = np.sqrt(mean * (1 - mean) / count + sigmas * sigmas / (4 * count * count))
    half = sigmas / (1 + sigmas * sigmas / count) * spread
    low, high = float(middle - half), float(middle + half)
    return max(0.0, min(low, mean)), min(1.0, max(high, mean))  # rounding puts no bound beyond the mean


def paired_difference(one: Sequence[float], other: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean difference of pairs of shares, `one - other`, and its 95% interval.

    Two intervals of Wilson are joined by the correlation of the pairs, after R. G. Newcombe, *Improved confidence
    intervals for the difference between binomial proportions based on paired data*, Statistics in Medicine 17 (1998).
    Unlike that of a normal approximation, the interval has a width where all pairs agree.

    Args:
        one: A share of 0 to 1 for each pair, 1 or 0 where a pair is one game.
        other: As many shares.

    Returns:
        The difference, and the lower and the upper end of its interval.

    Raises:
        ValueError: There is no pair, or the numbers differ.
    """
    first, second = np.asarray(one, float), np.asarray(other, float)
    if not first.size or first.size != second.size:
        raise ValueError(f"{first.size} shares and {second.size} are no pairs")
    p, q = float(first.mean()), float(second.mean())
    (p_low, p_high), (q_low, q_high) = wilson(p, first.size), wilson(q, second.size)
    alike = 0.0
    if first.std() and second.std():
        alike = float(np.corrcoef(first, second)[0, 1])

    def half(down: float, up: float) -> float:
        return float(np.sqrt(max(down * down - 2 * alike * down * up + up * up, 0.0)))

    return p - q, max(-1.0, p - q - half(p - p_low, q_high - q)), min(1.0, p - q + half(p_high - p, q - q_low))
