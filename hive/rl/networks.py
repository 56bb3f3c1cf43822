"""Policies and critics of the baselines.

All networks read sequences `[t, ..., n]` in the order of time, and carry a memory from one call to the next: a step of
a game is a sequence of length one. A network without recurrence has a memory of size zero.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from jax.custom_batching import sequential_vmap
from jaxtyping import Array, Bool, Float

NEVER = -1e9  # logit of an action that is not available

Memory = Float[Array, "*b m"]


class ActorCritic(nn.Module):
    """Logits of the actions and the value of the observation.

    Without recurrence these are two separate networks of two layers. With it both read one trunk, a layer and a GRU,
    through a layer of their own.
    """

    actions: int
    width: int = 128
    recurrent: bool = False

    @nn.compact
    def __call__(
        self,
        memory: Memory,
        observation: Float[Array, "t *b f"],
        available: Bool[Array, "t *b a"],
        starts: Bool[Array, t * s],
    ) -> tuple[Memory, Float[Array, "t *b a"], Float[Array, t * b]]:
        """Return the memory, masked logits and values; see `Trunk` for `starts`."""
        if self.recurrent:
            memory, seen = Trunk(self.width)(memory, observation, starts)
            ways = [nn.Sequential([_layer(self.width), nn.relu])(seen) for _ in range(2)]
        else:
            ways = [_body(self.width)(observation) for _ in range(2)]
        logits, value = _head(self.actions, 0.01)(ways[0]), _head(1, 1.0)(ways[1])
        return memory, jnp.where(available, logits, NEVER), value[..., 0]


class Actor(nn.Module):
    """Logits of the actions."""

    actions: int
    width: int = 128
    recurrent: bool = False

    @nn.compact
    def __call__(
        self,
        memory: Memory,
        observation: Float[Array, "t *b f"],
        available: Bool[Array, "t *b a"],
        starts: Bool[Array, t * s],
    ) -> tuple[Memory, Float[Array, "t *b a"]]:
        """Return the memory and masked logits; see `Trunk` for `starts`."""
        memory, seen = _read(self.width, self.recurrent, memory, observation, starts)
        return memory, jnp.where(available, _head(self.actions, 0.01)(seen), NEVER)


class Critic(nn.Module):
    """The value of a global state."""

    width: int = 128
    recurrent: bool = False

    @nn.compact
    def __call__(
        self, memory: Memory, state: Float[Array, "t *b g"], starts: Bool[Array, t * s]
    ) -> tuple[Memory, Float[Array, t * b]]:
        """Return the memory and values; see `Trunk` for `starts`."""
        memory, seen = _read(self.width, self.recurrent, memory, state, starts)
        return memory, _head(1, 1.0)(seen)[..., 0]


class Trunk(nn.Module):
    """A layer, and a GRU over time whose memory is zero where a game starts.

    `starts` has the axes of the memory but the last one; an axis of length 1 counts for all.
    """

    width: int

    @nn.compact
    def __call__(
        self, memory: Memory, inputs: Float[Array, "t *b f"], starts: Bool[Array, t * s]
    ) -> tuple[Memory, Float[Array, "t *b m"]]:
        """Return the memory after the last step, and the outputs."""
        return _Recall(self.width)(memory, (nn.relu(_layer(self.width)(inputs)), starts))


class _Recall(nn.Module):
    width: int

    @partial(nn.scan, variable_broadcast="params", split_rngs={"params": False}, in_axes=0, out_axes=0)
    @nn.compact
    def __call__(self, memory: Memory, step: tuple[Array, Array]) -> tuple[Memory, Array]:
        inputs, starts = step
        cell = nn.GRUCell(self.width, recurrent_kernel_init=_orthogonal(1.0))
        return cell(jnp.where(starts[..., None], 0.0, memory), inputs)


def memory_size(width: int, recurrent: bool) -> int:
    """Return the length of a network's memory."""
    return width if recurrent else 0


def _read(width: int, recurrent: bool, memory: Array, inputs: Array, starts: Array) -> tuple[Array, Array]:
    if not recurrent:
        return memory, _body(width)(inputs)
    memory, seen = Trunk(width)(memory, inputs, starts)
    return memory, nn.relu(_layer(width)(seen))


def _layer(width: int) -> nn.Dense:
    return nn.Dense(width, kernel_init=_orthogonal(np.sqrt(2)))


def _body(width: int) -> Callable[[Array], Array]:
    return nn.Sequential([_layer(width), nn.tanh, _layer(width), nn.tanh])


def _head(size: int, scale: float) -> nn.Dense:
    return nn.Dense(size, kernel_init=_orthogonal(scale))


def _orthogonal(scale: float) -> Callable[..., Array]:
    """Return an initialiser whose matrices are made one by one, even under `jax.vmap`.

    In JAX 0.10 on a CPU, two QR decompositions of several matrices each wait for threads of one pool: with as many
    threads as such decompositions the program never ends.
    """
    usual = nn.initializers.orthogonal(scale)

    def init(key: Array, shape: tuple[int, ...], dtype: Any = jnp.float32) -> Array:
        made: Array = sequential_vmap(lambda key: usual(key, shape, dtype))(key)
        return made

    return init
