"""The layers with gradients of their own agree with Flax's and JAX's, which are differentiated step by step."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import linen as nn

from hive.rl.layers import dense, gru

TIMES, BATCH, INPUTS, WIDTH = 5, (3, 2), 4, 6


def drawn(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(np.float32)


def agree(ours: Any, flax: Any) -> None:
    for own, other in zip(jax.tree.leaves(ours), jax.tree.leaves(flax), strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("lanes", [0, 2])
def test_a_recurrent_layer_is_the_cell_of_flax_step_by_step(lanes: int) -> None:
    """Outputs, and gradients by parameters, memory and inputs; for several networks at once too."""
    cell, starts = nn.GRUCell(WIDTH), np.random.default_rng(1).random((TIMES, BATCH[0], 1)) < 0.4
    form = jax.eval_shape(cell.init, jax.random.key(0), drawn(*BATCH, WIDTH), drawn(*BATCH, INPUTS))["params"]
    many = (lanes,) * (lanes > 0)
    params = jax.tree.map(lambda leaf: 0.5 * drawn(*many, *leaf.shape, seed=2), form)
    memory, inputs, weight = drawn(*BATCH, WIDTH), drawn(TIMES, *BATCH, INPUTS), drawn(TIMES, *BATCH, WIDTH, seed=3)

    def flax(params: Any, memory: Any, inputs: Any) -> Any:
        def step(memory: Any, at: Any) -> Any:
            inputs, starts = at
            return cell.apply({"params": params}, jnp.where(starts[..., None], 0.0, memory), inputs)

        return (jax.lax.scan(step, memory, (inputs, jnp.asarray(starts)))[1] * weight).sum()

    def ours(params: Any, memory: Any, inputs: Any) -> Any:
        return (gru(params, memory, inputs, jnp.asarray(starts)) * weight).sum()

    both = [jax.value_and_grad(each, (0, 1, 2)) for each in (ours, flax)]
    found = [jax.jit(jax.vmap(each, (0, None, None)) if lanes else each)(params, memory, inputs) for each in both]
    assert np.abs(found[0][1][1]).max() > 0.1
    agree(*found)


def test_a_dense_layer_is_that_of_flax() -> None:
    """Parameters of the same names and initial values; outputs, and gradients by parameters and inputs."""
    inputs, weight = drawn(*BATCH, INPUTS), drawn(*BATCH, WIDTH)
    layers = dense(WIDTH), nn.Dense(WIDTH)
    params = [layer.init(jax.random.key(0), inputs) for layer in layers]
    assert jax.tree.structure(params[0]) == jax.tree.structure(params[1])
    agree(*params)
    agree(
        *(
            jax.value_and_grad(lambda params, inputs, of=layer: (of.apply(params, inputs) * weight).sum(), (0, 1))(
                params[0], inputs
            )
            for layer in layers
        )
    )
