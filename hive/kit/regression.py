"""What regressions of costs share: their settings, the training of a small network, and the file of its weights."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from flax import linen as nn
from flax.traverse_util import flatten_dict, unflatten_dict
from jaxtyping import Array, Key
from numpy.typing import NDArray

from dsl import UserError
from hive.kit.errors import DataError
from hive.kit.keep.archive import Arrays
from hive.kit.keep.learned import check_weights, read_learned
from hive.kit.keep.packing import write_npz
from hive.kit.keep.places import because

_WEIGHTS = "weights/"  # before the name of each array of weights
_AGAIN = "name another file, or learn the costs again"


@dataclass(frozen=True, kw_only=True)
class RegressionSettings:
    """Settings of a regression.

    Attributes:
        width: Units of a layer.
        epochs: Passes over the samples.
        batch: Samples of a step.
        learning_rate: That of the start; it falls along a cosine to zero.
        decay: Weight decay.
    """

    width: int = 64
    epochs: int = 30
    batch: int = 64
    learning_rate: float = 3e-3
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


class Learned(NamedTuple):
    """Contents of a file that `write_learned` wrote: facts, weights by name, and other arrays."""

    facts: dict[str, Any]
    weights: Arrays
    arrays: Arrays

    @property
    def width(self) -> int:
        """Units of the first layer.

        Raises:
            DataError: There are none.
        """
        width = int(self.weights["params/Dense_0/bias"].size)
        if not width:
            raise DataError("the network has no width")
        return width

    def weights_of(self, network: nn.Module, example: NDArray[Any]) -> dict[str, Any]:
        """Return the weights for a network that reads arrays of the shape and type of `example`, `[rows, ...]`.

        Raises:
            DataError: They are not those of this network.
        """
        wanted = jax.eval_shape(network.init, jax.random.key(0), example)
        check_weights(self.weights, flatten_dict(wanted, sep="/"))
        return dict(unflatten_dict(self.weights, sep="/"))


def fit(
    network: nn.Module,
    loss: Callable[..., Array],
    samples: tuple[NDArray[Any], ...],
    key: Key[Array, ""],
    settings: RegressionSettings,
) -> tuple[Any, NDArray[np.floating]]:
    """Fit a network to samples by AdamW.

    Args:
        network: It reads rows of the first array.
        loss: From the outputs of the network and the same rows of all other arrays to their mean loss.
        samples: Arrays `[S, ...]` with one row for each sample.
        key: Of the first weights and of the order of the samples.
        settings: Of the regression.

    Returns:
        The weights, and the mean loss of each epoch, `[epochs]`.

    Raises:
        UserError: The weights became non-finite.
    """
    import optax

    count = len(samples[0])
    batch = min(settings.batch, count)
    steps = settings.epochs * (count // batch)
    optimiser = optax.adamw(optax.cosine_decay_schedule(settings.learning_rate, steps), weight_decay=settings.decay)

    @jax.jit
    def train(samples: tuple[Array, ...], key: Key[Array, ""]) -> Any:
        key, first = jax.random.split(key)
        weights = network.init(first, samples[0][:1])

        def cost(weights: Any, rows: Array) -> Array:
            given, *others = (each[rows] for each in samples)
            return loss(network.apply(weights, given), *others)

        def step(carry: tuple[Any, Any], rows: Array) -> tuple[tuple[Any, Any], Array]:
            weights, state = carry
            lost, slope = jax.value_and_grad(cost)(weights, rows)
            change, state = optimiser.update(slope, state, weights)
            return (optax.apply_updates(weights, change), state), lost

        def epoch(carry: tuple[Any, Any], key: Key[Array, ""]) -> tuple[tuple[Any, Any], Array]:
            order = jax.random.permutation(key, count)[: count // batch * batch]
            carry, costs = jax.lax.scan(step, carry, order.reshape(-1, batch))
            return carry, costs.mean()

        start = (weights, optimiser.init(weights))
        (weights, _), costs = jax.lax.scan(epoch, start, jax.random.split(key, settings.epochs))
        return weights, costs

    with jax.numpy_dtype_promotion("standard"):  # optax needs it
        weights, costs = jax.device_get(train(samples, key))
    if not np.isfinite(costs).all():
        raise UserError("the regression became non-finite\n  = help: lower `learning_rate`")
    return weights, costs


def write_learned(
    path: Path | str, facts: Mapping[str, Any], weights: Mapping[str, Any], **arrays: NDArray[Any]
) -> None:
    """Write learned costs to a file, atomically; its name ends in `.npz`.

    Raises:
        UserError: The file cannot be written, or has another suffix.
    """
    if Path(path).suffix != ".npz":
        raise UserError(f"cannot write {path}: the name of learned costs ends in .npz")
    flat = {f"{_WEIGHTS}{name}": leaf for name, leaf in flatten_dict(weights, sep="/").items()}
    kept: dict[str, Any] = {"facts": json.dumps(facts), **arrays, **flat}
    write_npz(kept, path)


@contextmanager
def reading_learned(path: Path | str, what: str) -> Iterator[Learned]:
    """Return the contents of a file; what the caller finds missing in them is reported as a wrong file.

    Args:
        path: The file.
        what: What messages say that it should hold.

    Raises:
        UserError: The file cannot be read, or holds something else.
    """
    try:
        facts, arrays = read_learned(path)
        weights = {name.removeprefix(_WEIGHTS): arrays.pop(name) for name in [*arrays] if name.startswith(_WEIGHTS)}
        yield Learned(facts, weights, arrays)
    except OSError as error:
        raise UserError(f"cannot read {path}: {because(error)}") from None
    except DataError as error:
        raise UserError(f"{path} holds no {what}: {error}\n  = help: {_AGAIN}") from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        wrong = "a fact is missing, or has a value of the wrong kind"
        raise UserError(f"{path} holds no {what}: {wrong}\n  = help: {_AGAIN}") from None
