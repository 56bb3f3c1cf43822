"""A small network from the words of an observation and an option to the ticks that the option takes.

The idea is the first half of LIET, "Learn as Individuals, Evolve as a Team": costs that are learned from exploratory
episodes, know nothing of the goal, and are given to an agent with its options. The published backbone is a language
model of a billion weights with a value head; here the words of `features` are embedded, averaged, and read by a value
head of the same form (docs/rules/household.md 12.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from jaxtyping import Array, Float, Int, Key

from dsl import UserError
from hive.kit import regression
from hive.kit.errors import DataError
from hive.worlds.household.options import OptionKind
from hive.worlds.household.utility.exploring import Pairs
from hive.worlds.household.utility.features import BUCKETS, PADDING, features

_VERSION = 2  # of the words that are read (`features`)


@dataclass(frozen=True, kw_only=True)
class TextSettings(regression.RegressionSettings):
    """Settings of the regression; epochs, batch and weight decay are the published ones.

    Attributes:
        width: Units of a word's vector and of the hidden layer; 32 is the published width of the value head.
        epochs: Passes over the pairs.
    """

    width: int = 32
    epochs: int = 20


class TextRegression(nn.Module):
    """The mean of the words' vectors, read by a value head of two layers."""

    width: int

    @nn.compact
    def __call__(self, words: Int[Array, "*m w"]) -> Float[Array, "*m"]:
        """Return one number for each text: ticks in standard deviations from the mean."""
        there = (words != PADDING)[..., None]
        vectors = jnp.where(there, nn.Embed(BUCKETS, self.width)(words), 0.0)
        mean = vectors.sum(-2) / jnp.maximum(there.sum(-2), 1).astype(jnp.float32)
        hidden = nn.relu(nn.Dense(self.width)(mean))
        return nn.Dense(1, kernel_init=nn.initializers.zeros)(hidden)[..., 0]


@dataclass(frozen=True, eq=False)
class TextUtility:
    """Learned costs of options (an `Estimator`).

    Attributes:
        weights: Parameters of `TextRegression`.
        centre: Mean of the ticks that were learned.
        spread: Their standard deviation.
        kinds: Mean ticks of each kind of option that was learned.
        losses: Mean loss of each epoch, in squared standard deviations.
    """

    weights: Mapping[str, Any] = field(repr=False)
    centre: float
    spread: float
    kinds: Mapping[OptionKind, float]
    losses: tuple[float, ...] = ()

    def ticks(self, observations: Sequence[str], options: Sequence[str]) -> Float[np.ndarray, " m"]:
        """Return the estimated ticks of options, at least 0; see `Estimator`."""
        if not options:
            return np.zeros(0, np.float32)
        words = features(observations, options)
        room = 1 << (len(words) - 1).bit_length()  # sizes in powers of two: few programs
        padded = np.full((room, words.shape[1]), PADDING, np.int32)
        padded[: len(words)] = words
        found = np.asarray(_apply(self.weights, padded))[: len(words)]
        return np.maximum(self.centre + self.spread * found, 0.0).astype(np.float32)


@jax.jit
def _apply(weights: Any, words: Int[Array, "m w"]) -> Float[Array, " m"]:
    width = weights["params"]["Dense_0"]["bias"].shape[0]
    found: Any = TextRegression(width).apply(weights, words)
    return found


def learn(pairs: Pairs, key: Key[Array, ""], settings: TextSettings | None = None) -> TextUtility:
    """Learn the ticks of options.

    Args:
        pairs: Options that were finished (`exploring.explore`).
        key: Of the first weights and of the order of the pairs.
        settings: Of the regression.

    Raises:
        UserError: There are fewer than two pairs, or the weights became non-finite.
    """
    chosen = settings or TextSettings()
    count = len(pairs)
    if count < 2:
        raise UserError(f"{count} options were finished\n  = help: play more or longer exploratory episodes")
    words, wanted = features(pairs.observations, pairs.options), pairs.ticks.astype(np.float32)
    centre, spread = float(wanted.mean()), max(float(wanted.std()), 1.0)

    def loss(found: Array, wanted: Array) -> Array:
        return ((found - wanted) ** 2).mean()

    network, arrays = TextRegression(chosen.width), (words, (wanted - centre) / spread)
    weights, costs = regression.fit(network, loss, arrays, key, chosen)
    return TextUtility(weights, centre, spread, pairs.means, tuple(float(cost) for cost in costs))


def save(utility: TextUtility, path: Path | str) -> None:
    """Write learned costs to a file, atomically; its name ends in `.npz`.

    Raises:
        UserError: The file cannot be written, or has another suffix.
    """
    facts = {"version": _VERSION, "centre": utility.centre, "spread": utility.spread, "losses": utility.losses}
    facts["kinds"] = {int(kind): mean for kind, mean in utility.kinds.items()}
    regression.write_learned(path, facts, utility.weights)


def load(path: Path | str) -> TextUtility:
    """Read what `save` has written.

    Raises:
        UserError: The file cannot be read, holds something else, or was written by another version.
    """
    with regression.reading_learned(path, "learned costs of options") as found:
        if found.facts.get("version", _VERSION) != _VERSION:
            raise UserError(
                f"{path} was written by another version of HIVE, whose costs read other words\n"
                "  = help: learn the costs again, as with `hive household utility`"
            )
        if found.arrays:
            raise DataError(f'the weights "{min(found.arrays)[:60]}" are unknown')
        facts, width = found.facts, found.width
        centre, spread = float(facts["centre"]), float(facts["spread"])
        losses = tuple(map(float, facts["losses"]))
        kinds = {OptionKind(int(kind)): float(mean) for kind, mean in facts["kinds"].items()}
        if not np.isfinite([centre, spread, *losses, *kinds.values()]).all():
            raise DataError("a number is not finite")
        weights = found.weights_of(TextRegression(width), np.zeros((1, 1), np.int32))
        return TextUtility(weights, centre, spread, kinds, losses)
