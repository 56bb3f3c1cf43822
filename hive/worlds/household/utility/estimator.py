"""What an option costs, estimated from texts alone: the one interface that every estimator of costs has.

The texts are what a household agent reads: its observation, and one of its options. An estimate knows no coordinates
and no goal (docs/rules/household.md 12.5). `hive.worlds.household.utility.regression` learns one; a language
model with a value head fits in the same place: a class with `ticks`, which may be given wherever a `TextUtility` is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from jaxtyping import Float


class Estimator(Protocol):
    """Whatever estimates how many ticks options take."""

    def ticks(self, observations: Sequence[str], options: Sequence[str]) -> Float[np.ndarray, " m"]:
        """Return the estimated ticks of options, at least 0.

        Args:
            observations: What the agent reads, one text for each option.
            options: The text of each option, as the agent reads it.
        """
