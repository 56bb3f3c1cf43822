"""A small network from the words of an observation and an option to the ticks that the option takes.

The idea is the first half of LIET, "Learn as Individuals, Evolve as a Team": costs that are learned from exploratory
episodes, know nothing of the goal, and are given to an agent with its options. The published backbone is a language
model of a billion weights with a value head; here the words of `features` are embedded, averaged, and read by a value
head of the same form (docs/rules/household.md 12.3).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from flax.traverse_util import flatten_dict, unflatten_dict
from jaxtyping import Array, Float, Int, Key

from dsl import UserError
from hive.household.options import Kind
from hive.household.utility.exploring import Pairs
from hive.household.utility.features import BUCKETS, PADDING, features
from hive.keep.archive import Arrays, DataError
from hive.keep.learned import check_weights, read_learned
from hive.keep.runfolder import whole_file

_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of the regression.

    Attributes:
        width: Units of a word's vector and of the hidden layer; 32 is the published width of the value head.
        epochs: Passes over the pairs, published.
        batch: Pairs of a step, published.
        rate: Learning rate at the start; it falls along a cosine to zero.
        decay: Weight decay, published.
    """

    width: int = 32
    epochs: int = 20
    batch: int = 64
    rate: float = 3e-3
    decay: float = 0.1

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            UserError: A number is out of range.
        """
        for each in fields(self):
            number, whole = getattr(self, each.name), each.type == "int"
            if not (number >= 1 if whole else 0 <= number <= 1):
                raise UserError(f"`{each.name}` is {number:g}: it is {'at least 1' if whole else 'from 0 to 1'}")


class Regression(nn.Module):
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
class Utility:
    """Learned costs of options (an `Estimator`).

    Attributes:
        weights: Parameters of `Regression`.
        centre: Mean of the ticks that were learned.
        spread: Their standard deviation.
        kinds: Mean ticks of each kind of option that was learned.
        losses: Mean loss of each epoch, in squared standard deviations.
    """

    weights: Mapping[str, Any] = field(repr=False)
    centre: float
    spread: float
    kinds: Mapping[Kind, float]
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
    found: Any = Regression(width).apply(weights, words)
    return found


def learn(pairs: Pairs, key: Key[Array, ""], settings: Settings | None = None) -> Utility:
    """Learn the ticks of options.

    Args:
        pairs: Options that were finished (`exploring.explore`).
        key: Of the first weights and of the order of the pairs.
        settings: Of the regression.

    Raises:
        UserError: There are fewer than two pairs, or the weights became non-finite.
    """
    import optax

    chosen = settings or Settings()
    count = len(pairs)
    if count < 2:
        raise UserError(f"{count} options were finished\n  = help: play more or longer exploratory episodes")
    words, wanted = features(pairs.observations, pairs.options), pairs.ticks.astype(np.float32)
    centre, spread = float(wanted.mean()), max(float(wanted.std()), 1.0)
    batch = min(chosen.batch, count)
    steps = chosen.epochs * (count // batch)
    network = Regression(chosen.width)
    optimiser = optax.adamw(optax.cosine_decay_schedule(chosen.rate, steps), weight_decay=chosen.decay)

    @jax.jit
    def train(words: Array, wanted: Array, key: Key[Array, ""]) -> Any:
        key, first = jax.random.split(key)
        weights = network.init(first, words[:1])

        def loss(weights: Any, rows: Array) -> Array:
            found: Any = network.apply(weights, words[rows])
            return ((found - wanted[rows]) ** 2).mean()

        def step(carry: tuple[Any, Any], rows: Array) -> tuple[tuple[Any, Any], Array]:
            weights, state = carry
            cost, slope = jax.value_and_grad(loss)(weights, rows)
            change, state = optimiser.update(slope, state, weights)
            return (optax.apply_updates(weights, change), state), cost

        def epoch(carry: tuple[Any, Any], key: Key[Array, ""]) -> tuple[tuple[Any, Any], Array]:
            order = jax.random.permutation(key, count)[: count // batch * batch]
            carry, costs = jax.lax.scan(step, carry, order.reshape(-1, batch))
            return carry, costs.mean()

        start = (weights, optimiser.init(weights))
        (weights, _), costs = jax.lax.scan(epoch, start, jax.random.split(key, chosen.epochs))
        return weights, costs

    with jax.numpy_dtype_promotion("standard"):  # optax needs it
        weights, costs = jax.device_get(train(words, (wanted - centre) / spread, key))
    if not np.isfinite(costs).all():
        raise UserError("the regression became non-finite\n  = help: lower `rate`")
    return Utility(weights, centre, spread, pairs.means, tuple(float(cost) for cost in costs))


def save(utility: Utility, path: Path | str) -> None:
    """Write learned costs to a file, atomically; its name ends in `.npz`.

    Raises:
        UserError: The file cannot be written, or has another suffix.
    """
    if Path(path).suffix != ".npz":
        raise UserError(f"cannot write {path}: the name of learned costs ends in .npz")
    facts = {"version": _VERSION, "centre": utility.centre, "spread": utility.spread, "losses": utility.losses}
    facts["kinds"] = {int(kind): mean for kind, mean in utility.kinds.items()}
    arrays = {f"weights/{name}": leaf for name, leaf in flatten_dict(utility.weights, sep="/").items()}
    with whole_file(path) as part:
        np.savez(part, facts=json.dumps(facts), **arrays)


def load(path: Path | str) -> Utility:
    """Read what `save` has written.

    Raises:
        UserError: The file cannot be read, holds something else, or was written by another version.
    """
    try:
        facts, arrays = read_learned(path)
        if facts.get("version", _VERSION) != _VERSION:
            raise UserError(f"{path} was written by another version\n  = help: learn the costs again")
        return _utility(facts, arrays)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None
    except DataError as error:
        raise UserError(f"{path} holds no learned costs of options: {error}") from None


def _utility(facts: Mapping[str, Any], arrays: Arrays) -> Utility:
    weights = {name.removeprefix("weights/"): leaf for name, leaf in arrays.items()}
    try:
        centre, spread = float(facts["centre"]), float(facts["spread"])
        losses = tuple(map(float, facts["losses"]))
        kinds = {Kind(int(kind)): float(mean) for kind, mean in facts["kinds"].items()}
        width = weights["params/Dense_0/bias"].size
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        raise DataError("a fact is missing, or has a value of the wrong kind") from None
    if not np.isfinite([centre, spread, *losses, *kinds.values()]).all() or width < 1:
        raise DataError("a number is not finite, or the network has no width")
    wanted = jax.eval_shape(Regression(width).init, jax.random.key(0), np.zeros((1, 1), np.int32))
    check_weights(weights, flatten_dict(wanted, sep="/"))
    return Utility(unflatten_dict(weights, sep="/"), centre, spread, kinds, losses)
