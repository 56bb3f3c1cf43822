"""Ratings of the Bradley-Terry model from the results of games, with intervals.

Rules: docs/rules/league.md 3.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from hive.kit.intervals import SIGMAS

MEAN = 1500.0  # Elo points of a plan of average strength
POINTS = 400.0 / math.log(10.0)  # Elo points for one unit of log odds
PRIOR = 3.0  # standard deviation of a strength before any game, in log odds: 521 Elo points
_CLOSE = 1e-12  # a step of Newton's method that changes no digit of a rating


@dataclass(frozen=True)
class Ratings:
    """Strengths of n plans on the Elo scale, whose mean is 1500.

    Attributes:
        rating: `[n]` Elo points.
        low: `[n]` lower ends of the 95% intervals.
        high: `[n]` upper ends.
        covariance: `[n, n]` of the ratings, whose rows sum to 0 since their mean is fixed.
    """

    rating: Float[np.ndarray, " n"]
    low: Float[np.ndarray, " n"]
    high: Float[np.ndarray, " n"]
    covariance: Float[np.ndarray, "n n"]

    def expected(self) -> Float[np.ndarray, "n n"]:
        """Return the share of points that each plan is expected to win against each other one."""
        return _odds((self.rating[:, None] - self.rating[None]) / POINTS)

    def apart(self, one: int, other: int) -> bool:
        """Return whether the 95% interval of the difference of two ratings lies on one side of 0."""
        spread = self.covariance[one, one] + self.covariance[other, other] - 2 * self.covariance[one, other]
        return bool(abs(self.rating[one] - self.rating[other]) > SIGMAS * math.sqrt(max(spread, 0.0)))


def rate(points: Float[np.ndarray, "n n"]) -> Ratings:
    """Fit the Bradley-Terry model: plan i beats plan j with the probability 1 / (1 + 10^((R_j - R_i) / 400)).

    A draw counts as half a win of each side. Strengths have a normal prior around their common mean with a standard
    deviation of `PRIOR`, which keeps a plan finite that won or lost all its games. The ratings are the mode of the
    posterior, found by Newton's method, and the intervals those of its normal approximation there (the inverse of the
    Hessian), for differences from the mean rating. A bootstrap over seeds would give a plan that won all its games an
    interval of width 0.

    Args:
        points: `[n, n]` points of each plan (row) against each other one (column): a win 1, a draw 1/2; at least two
            plans. The diagonal does not count.

    Returns:
        The ratings.

    Raises:
        ValueError: The table is not square, has fewer than two plans, or has a value that is negative or not finite.
    """
    count = len(points)
    if points.shape != (count, count) or count < 2 or not np.isfinite(points).all() or (points < 0).any():
        raise ValueError("points are a square table of at least two plans, finite and not negative")
    points = np.where(np.eye(count, dtype=bool), 0.0, points)
    played = points + points.T
    weight = 1.0 / PRIOR**2
    strength = np.zeros(count)
    value = _loss(strength, points, weight)
    for _ in range(100):
        odds = _odds(strength[:, None] - strength[None])
        slope = (played * odds).sum(1) - points.sum(1) + weight * strength
        step = np.linalg.solve(_hessian(played, odds, weight), slope)
        size = 1.0
        while (after := _loss(strength - size * step, points, weight)) > value and size > 1e-10:
            size /= 2  # the loss is convex, so a shorter step lowers it
        strength, value = strength - size * step, min(after, value)
        if np.abs(size * step).max() < _CLOSE:
            break
    odds = _odds(strength[:, None] - strength[None])
    spread = np.linalg.inv(_hessian(played, odds, weight))
    centred = np.eye(count) - 1.0 / count
    covariance = POINTS**2 * (centred @ spread @ centred)
    rating = MEAN + POINTS * (strength - strength.mean())
    half = SIGMAS * np.sqrt(np.diag(covariance))
    return Ratings(rating=rating, low=rating - half, high=rating + half, covariance=covariance)


def first_beaten(ratings: Ratings) -> Bool[np.ndarray, " n"]:
    """Return `[n]` which plans are weaker than the first by more than chance explains (95%)."""
    first = int(np.argmax(ratings.rating))
    return np.array([each != first and ratings.apart(first, each) for each in range(len(ratings.rating))])


def _odds(difference: Float[np.ndarray, " ..."]) -> Float[np.ndarray, " ..."]:
    return 0.5 * (1.0 + np.tanh(0.5 * difference))


def _loss(strength: Float[np.ndarray, " n"], points: Float[np.ndarray, "n n"], weight: float) -> float:
    """Return the negative logarithm of the posterior, without its constant."""
    lost = np.logaddexp(0.0, strength[None] - strength[:, None])  # -log of the chance that the row wins
    return float((points * lost).sum() + 0.5 * weight * (strength**2).sum())


def _hessian(
    played: Float[np.ndarray, "n n"], odds: Float[np.ndarray, "n n"], weight: float
) -> Float[np.ndarray, "n n"]:
    known = played * odds * (1.0 - odds)
    return np.diag(known.sum(1) + weight) - known
