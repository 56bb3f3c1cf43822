"""Errors of estimated costs, with two references on the same options (docs/rules/household.md 12.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from hive.worlds.household.utility.estimator import Estimator
from hive.worlds.household.utility.exploring import Pairs

MEAN, LINE, LEARNED = "mean of each kind", "straight line through doors", "learned from texts"


@dataclass(frozen=True)
class Error:
    """Errors of one estimate on some options, in ticks.

    Attributes:
        absolute: Mean absolute error.
        square: Root of the mean squared error.
        count: Options.
    """

    absolute: float
    square: float
    count: int


def errors(estimator: Estimator, learned: Pairs, held_out: Pairs) -> dict[str, Error]:
    """Return the errors of three estimates on the same options.

    Args:
        estimator: What was learned from texts.
        learned: Pairs that it was learned from; the references are fitted to them.
        held_out: Others.

    Returns:
        By name: the mean ticks of each kind of option; the straight line through doors with an offset for each kind;
        and what was learned.
    """
    estimates = {
        MEAN: _by_kind(learned, held_out, learned.ticks.astype(float)),
        LINE: held_out.straight + _by_kind(learned, held_out, (learned.ticks - learned.straight).astype(float)),
        LEARNED: estimator.ticks(held_out.observations, held_out.options),
    }
    return {name: _error(found, held_out.ticks) for name, found in estimates.items()}


def _by_kind(learned: Pairs, held_out: Pairs, values: Float[np.ndarray, " p"]) -> Float[np.ndarray, " h"]:
    found = np.full(len(held_out), values.mean())
    for kind in np.unique(learned.kinds):
        found[held_out.kinds == kind] = values[learned.kinds == kind].mean()
    return found


def _error(found: Float[np.ndarray, " h"], wanted: np.ndarray) -> Error:
    gap = np.asarray(found, float) - wanted
    return Error(float(np.abs(gap).mean()), float(np.sqrt((gap**2).mean())), len(wanted))
