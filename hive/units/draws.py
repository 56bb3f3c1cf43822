"""Random draws that belong to a unit, not to its place in an array.

A tick has one 32-bit word; every draw is an integer hash of that word, the unit's id (both ids for a pair) and a
stream number. So results do not change when units are reordered or games are batched.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, UInt

SPAWN, PAIR, WANDER, JITTER = 1, 2, 3, 4  # streams

_ID = np.uint32(0x9E3779B1)
_STREAM = np.uint32(0x85EBCA6B)


def mix(x: UInt[Array, "..."]) -> UInt[Array, "..."]:
    """Spread every bit of a 32-bit word over all of it (a published low-bias integer hash)."""
    x = x ^ (x >> 16)
    x = x * np.uint32(0x7FEB352D)
    x = x ^ (x >> 15)
    x = x * np.uint32(0x846CA68B)
    return x ^ (x >> 16)


def tick_word(key: Key[Array, ""], tick: Int[Array, ""]) -> UInt[Array, ""]:
    """The word of one tick of the game with this key."""
    return jax.random.bits(jax.random.fold_in(key, tick), dtype=jnp.uint32)


def unit_words(word: UInt[Array, ""], unit: Int[Array, " n"], stream: int, number: int = 0) -> UInt[Array, " n"]:
    """`[N]` words for the units with these ids; `number` tells apart several draws of one stream."""
    salt = np.uint32((stream * 0x2545F491 + number * 0x9E3779B9) & 0xFFFFFFFF)
    return mix(mix(unit.astype(jnp.uint32) * _ID ^ word) * _STREAM ^ salt)


def uniform(words: UInt[Array, "..."]) -> Float[Array, "..."]:
    """Uniform float32 in [0, 1) with 24 bits."""
    return (words >> 8).astype(jnp.float32) * np.float32(2.0**-24)


def normal_pair(word: UInt[Array, ""], unit: Int[Array, " n"], stream: int) -> Float[Array, "n 2"]:
    """`[N, 2]` independent standard normals by the Box-Muller transform, at most 5.8 in size."""
    first = 1.0 - uniform(unit_words(word, unit, stream, 0))
    angle = np.float32(2 * np.pi) * uniform(unit_words(word, unit, stream, 1))
    size = jnp.sqrt(-2.0 * jnp.log(first))
    return jnp.stack([size * jnp.cos(angle), size * jnp.sin(angle)], axis=-1)
