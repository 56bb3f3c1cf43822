"""An integer hash, and draws from it that depend on the cell of a map, independent of the batch."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, UInt, UInt32


def mix(x: UInt[Array, " ..."]) -> UInt[Array, " ..."]:
    """Hash a 32-bit word so that every input bit affects all output bits (a published low-bias integer hash)."""
    x = x ^ (x >> 16)
    x = x * np.uint32(0x7FEB352D)
    x = x ^ (x >> 15)
    x = x * np.uint32(0x846CA68B)
    return x ^ (x >> 16)


def cell_words(word: UInt[Array, ""], shape: tuple[int, ...]) -> UInt32[Array, "*cells"]:
    """`[X, Y]` words, one a cell; the same cell of the same map size has the same word under one `word`."""
    cells = lax.iota(jnp.uint32, int(np.prod(shape))).reshape(shape)
    return mix(mix(cells * np.uint32(0x9E3779B1)) ^ mix(word.astype(jnp.uint32)))


def cell_uniform(word: UInt[Array, ""], shape: tuple[int, ...]) -> Float[Array, "x y"]:
    """`[X, Y]` uniform float32 in [0, 1) with 24 bits."""
    return (cell_words(word, shape) >> 8).astype(jnp.float32) * np.float32(2.0**-24)
