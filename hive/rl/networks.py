"""Policies and critics of the baselines."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from jaxtyping import Array, Bool, Float

NEVER = -1e9  # logit of an action that is not available


class ActorCritic(nn.Module):
    """Two separate networks of two layers: logits of the actions, and the value of the observation."""

    actions: int
    width: int = 128

    @nn.compact
    def __call__(
        self, observation: Float[Array, "*b f"], available: Bool[Array, "*b a"]
    ) -> tuple[Float[Array, "*b a"], Float[Array, "*b"]]:
        """Return masked logits and values."""
        logits = _head(self.actions, 0.01)(_body(self.width)(observation))
        value = _head(1, 1.0)(_body(self.width)(observation))
        return jnp.where(available, logits, NEVER), value[..., 0]


def _body(width: int) -> nn.Sequential:
    def layer() -> nn.Dense:
        return nn.Dense(width, kernel_init=nn.initializers.orthogonal(np.sqrt(2)))

    return nn.Sequential([layer(), nn.tanh, layer(), nn.tanh])


def _head(size: int, scale: float) -> nn.Dense:
    return nn.Dense(size, kernel_init=nn.initializers.orthogonal(scale))
