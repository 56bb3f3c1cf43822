"""An estimator of costs of one's own: a Python function that is named as `module:function`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from dsl import UserError
from hive.kit.own_code import own_function, source_digest


@dataclass(frozen=True)
class OwnCosts:
    """Costs by a function of one's own (an `Estimator`).

    Attributes:
        name: The function as `module:function`.
        function: Takes the texts of observations and of options, as many of each, and returns a number of ticks for
            each option.
    """

    name: str
    function: Callable[[Sequence[str], Sequence[str]], Any]

    @property
    def identity(self) -> tuple[str, str]:
        """What decides the costs: the name, and the SHA-256 of the file of the function."""
        return self.name, source_digest(self.function)

    def ticks(self, observations: Sequence[str], options: Sequence[str]) -> Float[np.ndarray, " m"]:
        """Return the ticks of options, at least 0; see `Estimator`.

        Raises:
            UserError: The function fails, or returns something else than a finite number for each option.
        """
        try:
            found = np.asarray(self.function(list(observations), list(options)), np.float32)
        except Exception as error:
            why = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            raise UserError(f"the costs of {self.name} failed: {why}") from None
        if found.shape != (len(options),):
            raise UserError(
                f"{self.name} returned numbers of shape {found.shape} for {len(options)} options\n"
                "  = help: return a list with one number of ticks for each option"
            )
        wrong = np.flatnonzero(~np.isfinite(found))
        if wrong.size:
            raise UserError(
                f"{self.name} returned {found[wrong[0]]} for `{options[wrong[0]]}`\n"
                "  = help: return a finite number of ticks for each option"
            )
        return np.maximum(found, 0.0)


def own_costs(name: str) -> OwnCosts:
    """Return the function that `module:function` names; see `hive.kit.own_code.own_function`."""
    return OwnCosts(name, own_function(name, "costs"))
