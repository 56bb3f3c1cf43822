"""What an order costs: a small network from what is seen and ordered to the ticks until the order is fulfilled.

It is learned from exploratory games (`hive.rl.exploring`) and knows nothing of the goal of a game; `hive.rl.costs`
annotates the orders of a plan with it. The idea is the first half of LIET, "Learn as Individuals, Evolve as a Team",
which gives language agents the cost of each action that they may propose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from jaxtyping import Array, Float, Key

from dsl import UserError
from hive.kit.errors import DataError
from hive.kit.regression import RegressionSettings, fit, reading_learned, write_learned
from hive.rl.exploring import OrderSamples
from hive.rl.order_features import ON_FOOT, STRAIGHT

_VERSION = 1


class OrderRegression(nn.Module):
    """Two layers; the output is the logarithm of how much longer an order takes than a straight line says."""

    width: int

    @nn.compact
    def __call__(self, features: Float[Array, "*m f"]) -> Float[Array, "*m"]:
        """Return one number for each sample."""
        for _ in range(2):
            features = nn.tanh(nn.Dense(self.width)(features))
        return nn.Dense(1, kernel_init=nn.initializers.zeros)(features)[..., 0]


@dataclass(frozen=True, eq=False)
class OrderUtility:
    """Learned costs of orders.

    Attributes:
        behaviours: Names of the trees that are told apart.
        weights: Parameters of `OrderRegression`.
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
        found: Any = OrderRegression(self.width).apply(self.weights, given)
        factor = np.exp(np.asarray(found))
        return np.maximum(factor * np.polyval(self.line, np.asarray(features)[:, STRAIGHT]), 0.0)


def learn(
    samples: OrderSamples, behaviours: Sequence[str], key: Key[Array, ""], settings: RegressionSettings | None = None
) -> OrderUtility:
    """Learn the ticks of orders from those that were fulfilled.

    Args:
        samples: From `hive.rl.exploring.explore` with the same `behaviours`; several may be joined with `join`.
        behaviours: Names of the trees.
        key: Of the first weights and of the order of the samples.
        settings: Of the regression.

    Raises:
        UserError: Fewer than two orders were fulfilled.
    """
    chosen = settings or RegressionSettings()
    done = samples.ticks >= 0
    if done.sum() < 2:
        raise UserError(f"{done.sum()} orders were fulfilled\n  = help: play more or longer games")
    given, ticks = samples.features[done], samples.ticks[done].astype(np.float32)
    centre, spread = given.mean(0), given.std(0)
    spread = np.where(spread > 1e-6, spread, 1.0).astype(np.float32)
    line = np.polyfit(given[:, STRAIGHT], ticks, 1)
    straight = np.polyval(line, given[:, STRAIGHT]).astype(np.float32)
    unit = max(float(ticks.std()), 1.0)

    def loss(factor: Array, straight: Array, wanted: Array) -> Array:
        return ((straight * jnp.exp(factor) - wanted) ** 2).mean()

    arrays = (given - centre) / spread, straight / unit, ticks / unit
    weights, _ = fit(OrderRegression(chosen.width), loss, arrays, key, chosen)
    return OrderUtility(tuple(behaviours), weights, centre, spread, (float(line[0]), float(line[1])))


def join(*parts: OrderSamples) -> OrderSamples:
    """Join the samples of several worlds or calls."""
    return OrderSamples(
        **{each.name: np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(OrderSamples)}
    )


def errors(utility: OrderUtility, learned: OrderSamples, held_out: OrderSamples) -> dict[str, dict[str, float]]:
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


def save(utility: OrderUtility, path: Path | str) -> None:
    """Write learned costs to a file, atomically; its name ends in `.npz`.

    Raises:
        UserError: The file cannot be written, or has another suffix.
    """
    facts = {"version": _VERSION, "behaviours": utility.behaviours, "line": utility.line}
    write_learned(path, facts, utility.weights, centre=utility.centre, spread=utility.spread)


def load(path: Path | str) -> OrderUtility:
    """Read what `save` has written.

    Raises:
        UserError: The file cannot be read, holds something else, or was written by another version.
    """
    with reading_learned(path, "learned costs") as found:
        if (version := found.facts.get("version", _VERSION)) != _VERSION:
            raise UserError(f"{path} has version {version!r}, this is {_VERSION}\n  = help: learn the costs again")
        behaviours = tuple(map(str, found.facts["behaviours"]))
        slope, intercept = map(float, found.facts["line"])
        centre, spread = found.arrays["centre"], found.arrays["spread"]
        if centre.ndim != 1 or centre.shape != spread.shape:
            raise DataError("mean and deviation of the features do not fit together")
        if not all(np.isfinite(each).all() for each in (slope, intercept, centre, spread)):
            raise DataError("a number is not finite")
        weights = found.weights_of(OrderRegression(found.width), np.zeros((1, len(centre)), np.float32))
        return OrderUtility(behaviours, weights, centre, spread, (slope, intercept))
