"""Random questions to the senses."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from hive.engine.units.senses import NOBODY, SenseQueries

SLOTS = 4


def asks(seed: int, count: int) -> SenseQueries:
    """Questions of every kind, another for each unit and slot."""
    rng = np.random.default_rng(seed)
    shape = (SLOTS, count)
    return SenseQueries(
        mask=jnp.asarray(rng.choice([0xFFFF, 0xFF00, 0x00FF, 0x0702, 0x0005, 0], shape), jnp.int32),
        base=jnp.asarray(rng.choice([1e6, 1.0, 15.0, 0.0], shape), jnp.float32),
        theirs=jnp.asarray(rng.choice([0.0, 1.0], shape), jnp.float32),
        steps=jnp.asarray(rng.integers(0, 4, shape), jnp.float32),
        health=jnp.asarray(rng.choice([np.inf, 0.25, 0.75], shape, p=(0.6, 0.2, 0.2)), jnp.float32),
        order=jnp.asarray(rng.integers(0, 4, shape), jnp.int32),
        flip=jnp.asarray(rng.choice([0, NOBODY], shape), jnp.int32),
        flock=jnp.asarray(rng.choice([0xFFFF, 0xFF00, 0x0003], (1, count)), jnp.int32),
    )
