"""Random draws that depend on the unit, not on its row in an array.

A tick has one 32-bit word; every draw is an integer hash of that word, the unit's id (both ids for a pair) and a
stream number. So results do not change when units are reordered or games are batched.
"""

from __future__ import annotations

from enum import IntEnum

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, UInt

from hive.ground.exact import rounded
from hive.ground.hashing import kept, mix, threefry


class Stream(IntEnum):
    """Streams of draws, one for each consumer."""

    SPAWN = 1
    PAIR = 2
    WANDER = 3
    JITTER = 4
    CIVILIAN = 5


_ID = np.uint32(0x9E3779B1)
_STREAM = np.uint32(0x85EBCA6B)


def tick_word(key: Key[Array, ""], tick: Int[Array, ""]) -> UInt[Array, ""]:
    """Return the random word of one tick of the game with this key.

    It is `jax.random.bits(jax.random.fold_in(key, tick), dtype=jnp.uint32)`.
    """
    zero, words = jnp.uint32(0), jax.random.key_data(key)
    one, other = threefry(threefry((words[0], words[1]), (zero, tick.astype(jnp.uint32))), (zero, zero))
    return kept(one ^ other)


def unit_words(word: UInt[Array, ""], unit: Int[Array, " n"], stream: int, number: int = 0) -> UInt[Array, " n"]:
    """`[N]` words for the units with these ids; `number` distinguishes several draws of one stream."""
    salt = np.uint32((stream * 0x2545F491 + number * 0x9E3779B9) & 0xFFFFFFFF)
    return mix(mix(unit.astype(jnp.uint32) * _ID ^ word) * _STREAM ^ salt)


def uniform(words: UInt[Array, " ..."]) -> Float[Array, " ..."]:
    """Uniform float32 in [0, 1) with 24 bits."""
    return (words >> 8).astype(jnp.float32) * np.float32(2.0**-24)


def normal_pair(word: UInt[Array, ""], unit: Int[Array, " n"], stream: int) -> Float[Array, "n 2"]:
    """`[N, 2]` independent draws of mean 0 and variance 1, nearly normal: sums of eight bytes, at most 4.9 in size."""
    total = kept(jnp.stack([_eight_bytes(word, unit, stream, axis) for axis in (0, 1)]))
    off = (total.T.astype(jnp.int32) - 1020).astype(jnp.float32)
    return rounded(off * np.float32((8 * (256**2 - 1) / 12) ** -0.5))  # a compiler may multiply two factors first


def _eight_bytes(word: UInt[Array, ""], unit: Int[Array, " n"], stream: int, axis: int) -> UInt[Array, " n"]:
    """Sum of the bytes of two words."""
    one, other = (unit_words(word, unit, stream, number) for number in (2 * axis, 2 * axis + 1))
    every_second = np.uint32(0x00FF00FF)
    pairs = (one & every_second) + (one >> 8 & every_second) + (other & every_second) + (other >> 8 & every_second)
    return (pairs & np.uint32(0xFFFF)) + (pairs >> 16)
