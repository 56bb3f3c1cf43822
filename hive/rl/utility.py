"""What an order costs: a small network from what is seen and ordered to the ticks until the order is fulfilled.

It is learned from exploratory games (`hive.rl.exploring`) and knows nothing of the goal of a game; `hive.rl.costs`
annotates the orders of a plan with it. The idea is the first half of LIET, "Learn as Individuals, Evolve as a Team",
which gives language agents the cost of each action that they may propose.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from flax.traverse_util import flatten_dict, unflatten_dict
from jaxtyping import Array, Float, Key

from dsl import UserError
from hive.keep.archive import Arrays, DataError
from hive.keep.learned import check_weights, read_learned
from hive.keep.runfolder import whole_file
from hive.rl.exploring import Samples
from hive.rl.order_features import ON_FOOT, STRAIGHT

_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of the regression.

    Attributes:
        width: Units of each of the two layers.
        epochs: Passes over the samples.
        batch: Samples of a step.
        rate: Learning rate at the start; it falls along a cosine to zero.
        decay: Weight decay.
    """

    width: int = 64
    epochs: int = 30
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
    """Two layers; the output is the logarithm of how much longer an order takes than a straight line says."""

    width: int

    @nn.compact
    def __call__(self, features: Float[Array, "*m f"]) -> Float[Array, "*m"]:
        """Return one number for each sample."""
        for _ in range(2):
            features = nn.tanh(nn.Dense(self.width)(features))
        return nn.Dense(1, kernel_init=nn.initializers.zeros)(features)[..., 0]


@dataclass(frozen=True, eq=False)
class Utility:
    """Learned costs of orders.

    Attributes:
        behaviours: Names of the trees that are told apart.
        weights: Parameters of `Regression`.
        centre: `[F]` mean of each feature.
        spread: `[F]` its standard deviation, 1 where it never changes.
        line: Slope and intercept of the straight line through what was learned from: ticks that the last unit needs as
            the crow flies, and ticks that the order took. The network's output multiplies it.
    """

    behaviours: tuple[str, ...]
    weights: Mapping[str, Any]
    centre: Float[np.ndarray, " f"]
    spread: Float[np.ndarray, " f"]
    line: tuple[float, float]

    @cached_property
    def width(self) -> int:
        """Units of a layer."""
        return int(self.weights["params"]["Dense_0"]["bias"].shape[0])

    def ticks(self, features: Float[np.ndarray, "m f"]) -> Float[np.ndarray, " m"]:
        """Return the estimated ticks of orders, at least 0."""
        given = (np.asarray(features) - self.centre) / self.spread
        found: Any = Regression(self.width).apply(self.weights, given)
        factor = np.exp(np.asarray(found))
        return np.maximum(factor * np.polyval(self.line, np.asarray(features)[:, STRAIGHT]), 0.0)


def learn(
    samples: Samples, behaviours: Sequence[str], key: Key[Array, ""], settings: Settings | None = None
) -> Utility:
    """Learn the ticks of orders from those that were fulfilled.

    Args:
        samples: From `hive.rl.exploring.explore` with the same `behaviours`; several may be joined with `join`.
        behaviours: Names of the trees.
        key: Of the first weights and of the order of the samples.
        settings: Of the regression.

    Raises:
        UserError: Fewer than two orders were fulfilled.
    """
    chosen = settings or Settings()
    done = samples.ticks >= 0
    if done.sum() < 2:
        raise UserError(f"{done.sum()} orders were fulfilled\n  = help: play more or longer games")
    given, ticks = samples.features[done], samples.ticks[done].astype(np.float32)
    centre, spread = given.mean(0), given.std(0)
    spread = np.where(spread > 1e-6, spread, 1.0).astype(np.float32)
    line = np.polyfit(given[:, STRAIGHT], ticks, 1)
    straight = np.polyval(line, given[:, STRAIGHT]).astype(np.float32)
    batch = min(chosen.batch, len(ticks))
    steps = chosen.epochs * (len(ticks) // batch)
    network = Regression(chosen.width)
    optimiser = optax.adamw(optax.cosine_decay_schedule(chosen.rate, steps), weight_decay=chosen.decay)

    @jax.jit
    def train(given: Array, straight: Array, wanted: Array, key: Key[Array, ""]) -> Any:
        key, first = jax.random.split(key)
        weights = network.init(first, given[:1])

        def loss(weights: Any, rows: Array) -> Array:
            factor: Any = network.apply(weights, given[rows])
            return ((straight[rows] * jnp.exp(factor) - wanted[rows]) ** 2).mean()

        def step(carry: tuple[Any, Any], rows: Array) -> tuple[tuple[Any, Any], Array]:
            weights, state = carry
            cost, slope = jax.value_and_grad(loss)(weights, rows)
            change, state = optimiser.update(slope, state, weights)
            return (optax.apply_updates(weights, change), state), cost

        def epoch(carry: tuple[Any, Any], key: Key[Array, ""]) -> tuple[tuple[Any, Any], Array]:
            order = jax.random.permutation(key, len(ticks))[: len(ticks) // batch * batch]
            return jax.lax.scan(step, carry, order.reshape(-1, batch))

        start = (weights, optimiser.init(weights))
        (weights, _), costs = jax.lax.scan(epoch, start, jax.random.split(key, chosen.epochs))
        return weights, costs

    unit = max(float(ticks.std()), 1.0)
    weights, costs = jax.device_get(train((given - centre) / spread, straight / unit, ticks / unit, key))
    if not np.isfinite(costs).all():
        raise UserError("the regression became non-finite\n  = help: lower `rate`")
    return Utility(tuple(behaviours), weights, centre, spread, (float(line[0]), float(line[1])))


def join(*parts: Samples) -> Samples:
    """Join the samples of several worlds or calls."""
    return Samples(
        **{each.name: np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(Samples)}
    )


def errors(utility: Utility, learned: Samples, held_out: Samples) -> dict[str, dict[str, float]]:
    """Return the errors of estimates on fulfilled orders that were not learned from, in ticks.

    Returns:
        For `network`, `mean` (of the learned ticks), `straight line` and `on foot` (straight lines fitted by least
        squares to what was learned from, through the ticks that the last unit needs as the crow flies and by the map):
        `mean_error` (absolute) and `root_mean_square`.
    """
    known, new = (samples.ticks >= 0 for samples in (learned, held_out))
    wanted = held_out.ticks[new].astype(np.float64)

    def fitted(column: int) -> np.ndarray:
        line = np.polyfit(learned.features[known, column], learned.ticks[known], 1)
        return np.polyval(line, held_out.features[new, column])

    estimates = {
        "network": utility.ticks(held_out.features[new]),
        "mean": np.full(len(wanted), learned.ticks[known].mean()),
        "straight line": fitted(STRAIGHT),
        "on foot": fitted(ON_FOOT),
    }
    return {
        name: {
            "mean_error": float(np.abs(found - wanted).mean()),
            "root_mean_square": float(np.sqrt(((found - wanted) ** 2).mean())),
        }
        for name, found in estimates.items()
    }


def save(utility: Utility, path: Path | str) -> None:
    """Write learned costs to a file, atomically; its name ends in `.npz`.

    Raises:
        UserError: The file cannot be written, or has another suffix.
    """
    if Path(path).suffix != ".npz":
        raise UserError(f"cannot write {path}: the name of learned costs ends in .npz")
    facts = {"version": _VERSION, "behaviours": utility.behaviours, "line": utility.line}
    arrays = {f"weights/{name}": leaf for name, leaf in flatten_dict(utility.weights, sep="/").items()}
    with whole_file(path) as part:
        np.savez(part, facts=json.dumps(facts), centre=utility.centre, spread=utility.spread, **arrays)


def load(path: Path | str) -> Utility:
    """Read what `save` has written.

    Raises:
        UserError: The file cannot be read, holds something else, or was written by another version.
    """
    try:
        facts, arrays = read_learned(path)
        if (version := facts.get("version", _VERSION)) != _VERSION:
            raise UserError(f"{path} has version {version!r}, this is {_VERSION}\n  = help: learn the costs again")
        return _utility(facts, arrays)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None
    except DataError as error:
        raise UserError(f"{path} holds no learned costs: {error}") from None


def _utility(facts: Mapping[str, Any], arrays: Arrays) -> Utility:
    weights = {name.removeprefix("weights/"): leaf for name, leaf in arrays.items() if name.startswith("weights/")}
    try:
        behaviours = tuple(map(str, facts["behaviours"]))
        slope, intercept = map(float, facts["line"])
        centre, spread, width = arrays["centre"], arrays["spread"], weights["params/Dense_0/bias"].size
    except (ValueError, KeyError, TypeError, OverflowError):
        raise DataError("a fact is missing, or has a value of the wrong kind") from None
    if centre.ndim != 1 or centre.shape != spread.shape or width < 1:
        raise DataError("mean and deviation of the features do not fit together, or the network has no width")
    if not all(np.isfinite(each).all() for each in (slope, intercept, centre, spread)):
        raise DataError("a number is not finite")
    wanted = jax.eval_shape(Regression(width).init, jax.random.key(0), np.zeros((1, len(centre)), np.float32))
    check_weights(weights, flatten_dict(wanted, sep="/"))
    return Utility(behaviours, unflatten_dict(weights, sep="/"), centre, spread, (slope, intercept))
