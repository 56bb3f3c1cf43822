"""Functions over the units of all worlds."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from hive.ground.flat import over_worlds


def test_worlds_of_equal_number_are_traced_once() -> None:
    """Games in a loop, under a batch of policies: one world and all worlds are traced, and no number of them twice."""
    worlds: list[int] = []

    @over_worlds
    def times(shared: Array, own: Array) -> Array:
        worlds.append(len(own))
        return shared * own

    def policy(games: Array) -> Array:
        step = jax.vmap(times, (None, 0))
        return lax.scan(lambda games, _: (step(jnp.float32(3), games), None), games, None, 2)[0]

    played = jax.jit(jax.vmap(policy))(jnp.arange(4.0)[None])
    assert np.array_equal(played, 9 * np.arange(4.0)[None])
    assert worlds == [1, 4]
