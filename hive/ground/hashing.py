"""An integer hash, and draws from it that depend on the cell of a map, independent of the batch."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int, Shaped, UInt, UInt32

from hive.ground.sizes import current

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def mix(x: UInt[Array, " ..."]) -> UInt[Array, " ..."]:
    """Hash a 32-bit word so that every input bit affects all output bits (a published low-bias integer hash)."""
    x = x ^ (x >> 16)
    x = x * np.uint32(0x7FEB352D)
    x = x ^ (x >> 15)
    x = x * np.uint32(0x846CA68B)
    return x ^ (x >> 16)


Pair = tuple[UInt32[Array, ""], UInt32[Array, ""]]


def threefry(key: Pair, count: Pair) -> Pair:
    """Hash two words under a key of two words (Threefry-2x32 of 20 rounds), as `jax.random` does.

    On a processor `jax.random` hashes in loops, which take longer to compile than these operations.
    """
    keys = (key[0], key[1], key[0] ^ key[1] ^ np.uint32(0x1BD11BDA))
    one, other = count[0] + keys[0], count[1] + keys[1]
    for turn in range(5):
        for left in _ROTATIONS[turn % 2]:
            one = one + other
            other = one ^ ((other << np.uint32(left)) | (other >> np.uint32(32 - left)))
        one, other = one + keys[(turn + 1) % 3], other + keys[(turn + 2) % 3] + np.uint32(turn + 1)
    return one, other


def kept(words: Shaped[Array, "*shape"]) -> Shaped[Array, "*shape"]:
    """Return the same words of 32 bits, in memory.

    On a processor XLA makes cheap arithmetic a part of each loop that reads its result, and repeats it for each element
    there: the hash of a unit once for each of the places that the unit may go to. A loop that reads an array at
    computed places is not vector code, and neither is the arithmetic that becomes a part of it. What enters a loop is
    computed before it, once; here the loop has two turns that change one bit and change it back, for XLA removes one
    that changes nothing. `lax.optimization_barrier` does not help: XLA removes it before it fuses loops.
    """
    if current().flat or not words.size:
        return words
    bits = lax.fori_loop(0, 2, _flip, lax.bitcast_convert_type(words, jnp.uint32))
    return lax.bitcast_convert_type(bits, words.dtype)


def _flip(turn: Array, words: UInt[Array, "*shape"]) -> UInt[Array, "*shape"]:
    """Change one bit of the first word."""
    first = lax.slice(words, (0,) * words.ndim, (1,) * words.ndim) ^ np.uint32(1)
    return lax.dynamic_update_slice(words, first, (0,) * words.ndim)


def read(array: Shaped[Array, " r"], place: Int[Array, "*shape"]) -> Shaped[Array, "*shape"]:
    """Return what an array of at most 2^32 numbers holds at places in it, which are computed first, as by `kept`.

    Sums of whole numbers that overflow in computing a place come round again: a place is taken modulo 2^32.
    """
    assert array.size <= 1 << 32, "a place is a word of 32 bits"
    return array.at[kept(place.astype(jnp.uint32))].get(mode="promise_in_bounds")


def cell_words(word: UInt[Array, ""], shape: tuple[int, ...]) -> UInt32[Array, "*cells"]:
    """`[X, Y]` words, one a cell; the same cell of the same map size has the same word under one `word`."""
    cells = lax.iota(jnp.uint32, int(np.prod(shape))).reshape(shape)
    return mix(mix(cells * np.uint32(0x9E3779B1)) ^ mix(word.astype(jnp.uint32)))


def cell_uniform(word: UInt[Array, ""], shape: tuple[int, ...]) -> Float[Array, "x y"]:
    """`[X, Y]` uniform float32 in [0, 1) with 24 bits."""
    return (cell_words(word, shape) >> 8).astype(jnp.float32) * np.float32(2.0**-24)
