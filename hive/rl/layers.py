"""Dense and recurrent layers as Flax has them, with gradients that take a processor less time.

Parameters and outputs are those of Flax's layers. JAX's own gradient of a kernel is the transpose of a product, which
XLA computes at half the speed on a CPU, and that of a GRU's kernels is summed up step by step. Here each is one
product.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from flax import linen as nn
from jax import lax
from jaxtyping import Array, Bool, Float, Int


def dense(width: int, kernel_init: Callable[..., Array] | None = None) -> nn.Dense:
    """Return a dense layer.

    Args:
        width: Number of outputs.
        kernel_init: Makes the kernel, `[inputs, width]`; None: that of Flax.
    """
    return nn.Dense(width, kernel_init=kernel_init or nn.initializers.lecun_normal(), dot_general=_dot_general)


def _dot_general(inputs: Array, kernel: Array, dimensions: Any, precision: Any = None) -> Array:
    product: Array = matmul(inputs, kernel)
    return product


def of_action(values: Float[Array, "*b a"], action: Int[Array, "*b"]) -> Float[Array, "*b"]:
    """Return the value of each action that was chosen, by a sum.

    The gradient of a gather adds to an array at computed places, in an order that a GPU does not promise.
    """
    number = lax.broadcasted_iota(jnp.int32, values.shape, values.ndim - 1)
    return jnp.where(action[..., None] == number, values, 0.0).sum(-1)


@jax.custom_vjp
def matmul(inputs: Float[Array, "*b n"], kernel: Float[Array, "n m"]) -> Float[Array, "*b m"]:
    """Return `inputs @ kernel`."""
    return inputs @ kernel


def _matmul_forward(inputs: Array, kernel: Array) -> tuple[Array, tuple[Array, Array]]:
    return inputs @ kernel, (inputs, kernel)


def _matmul_backward(saved: tuple[Array, Array], d_outputs: Array) -> tuple[Array, Array]:
    """Return the gradients (`d_`) by inputs and kernel; that by the kernel is no transpose of a product."""
    inputs, kernel = saved
    return d_outputs @ kernel.T, _rows(inputs).T @ _rows(d_outputs)


matmul.defvjp(_matmul_forward, _matmul_backward)


def _rows(array: Array) -> Array:
    return array.reshape(-1, array.shape[-1])


def _row(bias: Array, array: Array) -> Array:
    """Return a bias with as many axes as an array."""
    return bias.reshape(*[1] * (array.ndim - 1), -1)


def gru(
    cell: Mapping[str, Any], memory: Float[Array, "*b m"], inputs: Float[Array, "t *b f"], starts: Bool[Array, "t *s"]
) -> Float[Array, "t *b m"]:
    """Return the memory of a gated recurrent unit (Cho et al., 2014) after each step.

    What the inputs add to the gates is computed for all steps at once, and so are the gradients of all kernels.

    Args:
        cell: The parameters of a `flax.linen.GRUCell`.
        memory: Before the first step.
        inputs: Of each step.
        starts: Whether the memory is zero before the step. The axes are those of the memory but the last one; an axis
            of length 1 counts for all.
    """
    given = tuple(
        matmul(inputs, cell[gate]["kernel"]) + _row(cell[gate]["bias"], inputs) for gate in ("ir", "iz", "in")
    )
    kernels = tuple(cell[gate]["kernel"] for gate in ("hr", "hz", "hn"))
    return _steps(kernels, cell["hn"]["bias"], memory, given, starts[..., None])


Three = tuple[Array, Array, Array]
"""Of the reset gate, the update gate and the new value."""


@jax.custom_vjp
def _steps(kernels: Three, bias: Array, memory: Array, given: Three, starts: Array) -> Array:
    """Return the memory after each step.

    Args:
        kernels: From the memory to the gates, `[m, m]` each.
        bias: Of the memory in the new value, `[m]`.
        memory: Before the first step, `[*b, m]`.
        given: What the inputs add to the gates, `[t, *b, m]` each.
        starts: Whether the memory is zero before the step, `[t, *s, 1]`.
    """
    return _steps_forward(kernels, bias, memory, given, starts)[0]


def _steps_forward(kernels: Three, bias: Array, memory: Array, given: Three, starts: Array) -> tuple[Array, Any]:
    kernel = jnp.concatenate(kernels, axis=-1)

    def step(memory: Array, at: tuple[Three, Array]) -> tuple[Array, tuple[Array, ...]]:
        (given_reset, given_update, given_new), starts = at
        before = jnp.where(starts, 0.0, memory)
        own_reset, own_update, own_new = jnp.split(before @ kernel, 3, axis=-1)
        reset, update = jax.nn.sigmoid(given_reset + own_reset), jax.nn.sigmoid(given_update + own_update)
        recalled = own_new + _row(bias, own_new)
        new = jnp.tanh(given_new + reset * recalled)
        after = (1.0 - update) * new + update * before
        return after, (after, reset, update, recalled, new)

    after, *gates = lax.scan(step, memory, (given, starts))[1]
    return after, (kernels, memory, starts, after, *gates)


def _steps_backward(saved: Any, d_outputs: Array) -> tuple[Three, Array, Array, Three, None]:
    """Return the gradients (`d_`) by the chain rule, from the last step to the first."""
    kernels, memory, starts, after, *gates = saved
    before = jnp.where(starts, 0.0, jnp.concatenate([memory[None], after[:-1]]))
    back = jnp.concatenate(kernels, axis=-1).T

    def step(d_after: Array, at: tuple[Array, ...]) -> tuple[Array, tuple[Array, ...]]:
        d_output, starts, before, reset, update, recalled, new = at
        d_after = d_after + d_output
        d_new = d_after * (1.0 - update) * (1.0 - new**2)
        d_update = d_after * (before - new) * update * (1.0 - update)
        d_reset = d_new * recalled * reset * (1.0 - reset)
        d_recalled = d_new * reset
        d_before = d_after * update + jnp.concatenate([d_reset, d_update, d_recalled], axis=-1) @ back
        return jnp.where(starts, 0.0, d_before), (d_reset, d_update, d_new, d_recalled)

    steps = (d_outputs, starts, before, *gates)
    d_memory, (d_reset, d_update, d_new, d_recalled) = lax.scan(step, jnp.zeros_like(memory), steps, reverse=True)
    r, z, n = (_rows(before).T @ _rows(d_gate) for d_gate in (d_reset, d_update, d_recalled))
    return (r, z, n), _rows(d_recalled).sum(0), d_memory, (d_reset, d_update, d_new), None


_steps.defvjp(_steps_forward, _steps_backward)
