"""Errors of estimated costs, with two references on the same options (docs/rules/household.md 12.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from hive.kit.intervals import SIGMAS
from hive.worlds.household.policies.figures import Mean
from hive.worlds.household.utility.estimator import Estimator
from hive.worlds.household.utility.exploring import Pairs

MEAN, LINE, LEARNED = "mean of each kind", "straight line through doors", "learned from texts"


@dataclass(frozen=True, eq=False)
class Error:
    """Errors of one estimate on some options, P of them.

    Attributes:
        gaps: `[P]` estimate less ticks.
        homes: `[P]` number of the episode of each option.
    """

    gaps: Float[np.ndarray, " p"]
    homes: Int[np.ndarray, " p"]

    @property
    def absolute(self) -> float:
        """Mean absolute error in ticks."""
        return float(np.abs(self.gaps).mean())

    @property
    def square(self) -> float:
        """Root of the mean squared error in ticks."""
        return float(np.sqrt((self.gaps**2).mean()))

    @property
    def count(self) -> int:
        """Options."""
        return len(self.gaps)

    @property
    def mean(self) -> Mean:
        """Mean absolute error with its interval; options of one episode are not independent."""
        return _clustered(np.abs(self.gaps), self.homes)


def gain(worse: Error, better: Error) -> Mean:
    """Return by how many ticks the mean absolute error of one estimate is larger than that of another, with interval.

    Args:
        worse: Errors on some options.
        better: Errors of the other estimate on the same options.
    """
    return _clustered(np.abs(worse.gaps) - np.abs(better.gaps), better.homes)


def errors(
    estimator: Estimator, learned: Pairs, held_out: Pairs, name: str = LEARNED, further: Estimator | None = None
) -> dict[str, Error]:
    """Return the errors of several estimates on the same options.

    Args:
        estimator: What was learned from texts.
        learned: Pairs that it was learned from; the references are fitted to them.
        held_out: Others.
        name: Name of the further estimator.
        further: Another estimator; None: there is none.

    Returns:
        By name: the mean ticks of each kind of option; the straight line through doors with an offset for each kind;
        what was learned; and the further one.
    """
    estimates = {
        MEAN: _by_kind(learned, held_out, learned.ticks.astype(float)),
        LINE: held_out.straight + _by_kind(learned, held_out, (learned.ticks - learned.straight).astype(float)),
        LEARNED: estimator.ticks(held_out.observations, held_out.options),
    }
    if further is not None:
        estimates[name] = further.ticks(held_out.observations, held_out.options)
    return {name: Error(np.asarray(found, float) - held_out.ticks, held_out.homes) for name, found in estimates.items()}


def _by_kind(learned: Pairs, held_out: Pairs, values: Float[np.ndarray, " p"]) -> Float[np.ndarray, " h"]:
    found = np.full(len(held_out), values.mean())
    for kind in np.unique(learned.kinds):
        found[held_out.kinds == kind] = values[learned.kinds == kind].mean()
    return found


def _clustered(values: Float[np.ndarray, " p"], homes: Int[np.ndarray, " p"]) -> Mean:
    """Return the mean of the values; its interval counts the episodes as what is independent."""
    mean = float(values.mean())
    sums = np.bincount(homes, values - mean)[np.unique(homes)]
    count = len(sums)
    if count < 2:
        return Mean(mean, math.nan, count)
    margin = SIGMAS * math.sqrt(count / (count - 1) * float((sums**2).sum())) / len(values)
    return Mean(mean, margin, count)
