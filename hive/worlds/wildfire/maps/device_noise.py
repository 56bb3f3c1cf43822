"""The published noise on the device, for many seeds at once (docs/rules/wildfire_levels.md 1.2).

`host_noise.py` gives the published bits in plain NumPy, one map at a time. Here a field is a pure function of the
offsets of its octaves, so thousands of maps are one `jax.vmap`. The lattice is far coarser than the map: each of its
squares gets one word with the slopes of its four corners, and a cell looks up only that word. Coordinates are the
published float32 numbers: thousands of lattice points from the origin they lose hundredths, and another rounding would
give another map. Later operations may differ from the host in the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int, UInt32
from numpy.typing import ArrayLike, NDArray

from hive.ground.exact import rounded
from hive.worlds.wildfire.maps.dotnet import DotNetRandom
from hive.worlds.wildfire.maps.host_noise import FARTHEST, GRADIENT_U, GRADIENT_V, HASH

_MODULUS = 2**31 - 1
# The two components of a lattice point's gradient, two bits each, counted from 0.
_CODE = (GRADIENT_U + 1 + (GRADIENT_V + 1) * 4).astype(np.uint32)[HASH & 15]


def draw_offsets(seeds: ArrayLike, octaves: int) -> NDArray[np.int32]:
    """Draw the offsets of octaves as `host_noise.octave_noise` does, on the host, for many seeds at once.

    Args:
        seeds: Whole numbers from 0 to `DotNetRandom.MOST_SEED`, any shape.
        octaves: Number of octaves.

    Returns:
        `[*seeds, octaves, 2]` cells from -100,000 to 99,999: along the first index and along the second.

    Raises:
        ValueError: A seed is out of range.
    """
    many = np.asarray(seeds, np.int64)
    if many.size and not 0 <= many.min() <= many.max() <= DotNetRandom.MOST_SEED:
        raise ValueError(f"seeds are 0 to {DotNetRandom.MOST_SEED}, not {many.min()} to {many.max()}")
    # The generator only adds and subtracts, so each of its numbers is a linear function of the seed.
    none, one = (np.array([draw.raw() for _ in range(2 * octaves)]) for draw in (DotNetRandom(0), DotNetRandom(1)))
    raw = (none + (one - none) % _MODULUS * many[..., None]) % _MODULUS
    offsets = (raw / _MODULUS * (2 * FARTHEST)).astype(np.int32) - FARTHEST
    return offsets.reshape(*many.shape, octaves, 2)


def noise_fields(
    size: int, offsets: Int[Array, "layers octaves 2"], layers: Sequence[tuple[int, int]]
) -> Float[Array, "layers p q"]:
    """Return square fields of summed noise; up to a factor and an offset, each is `host_noise.octave_noise`.

    Args:
        size: Cells a side.
        offsets: Offsets of each layer's octaves, from `draw_offsets`.
        layers: For each layer the scale, which is the number of cells between lattice points of the first octave, and
            the number of octaves; further offsets are not read.

    Returns:
        `[layers, size, size]` about -1 to 1.
    """
    offsets = jnp.asarray(offsets)
    squares = size * 2 ** (offsets.shape[1] - 1) // min(scale for scale, _ in layers) + 2  # most in a row
    scales, octaves = (jnp.asarray(column) for column in np.array(layers, np.int32).T)

    # A loop, since XLA on a CPU would fuse an unrolled sum into each of its readers and compute it again for each.
    def add(octave: Int[Array, ""], total: Float[Array, "layers p q"]) -> Float[Array, "layers p q"]:
        finer = (1 << octave).astype(jnp.float32)
        noise = jax.vmap(partial(_octave, size, squares, finer))(offsets[:, octave], scales)
        return total + noise * jnp.where(octave < octaves, 1 / finer, 0)[:, None, None]  # exact: a power of two

    return lax.fori_loop(0, offsets.shape[1], add, jnp.zeros((len(layers), size, size), jnp.float32))


def _octave(
    size: int, squares: int, finer: Float[Array, ""], offset: Int[Array, " 2"], scale: Int[Array, ""]
) -> Float[Array, "p q"]:
    (first, x, i), (second, y, j) = (_coordinates(size, finer, along, scale) for along in offset)
    word = _squares(first, second, squares)[:, j][i]  # complete rows last: far faster than cell by cell
    x, y = x[:, None], y[None, :]
    across = _fade(x)
    low = _blend(across, _corner(word, x, y), _corner(word >> 4, x - 1, y))
    high = _blend(across, _corner(word >> 8, x, y - 1), _corner(word >> 12, x - 1, y - 1))
    return _blend(_fade(y), low, high)


Coordinates = tuple[Int[Array, ""], Float[Array, " p"], Int[Array, " p"]]


def _coordinates(size: int, finer: Float[Array, ""], offset: Int[Array, ""], scale: Int[Array, ""]) -> Coordinates:
    """For a row of cells: the first lattice line, and each cell's fraction of a square and its square's number.

    Division by the scale uses integers except for the fraction, whose last bits the sum rounds away. So the coordinate
    has the published bits, even where a device divides by multiplying with the reciprocal.
    """
    away = jnp.abs(jnp.arange(size, dtype=jnp.int32) + offset)
    part = rounded((away % scale).astype(jnp.float32) * (1 / scale.astype(jnp.float32)))
    at = ((away // scale).astype(jnp.float32) + part) * finer
    line = jnp.floor(at)
    corner = line.astype(jnp.int32)
    first = jnp.min(corner)
    return first, at - line, corner - first


def _squares(first: Int[Array, ""], second: Int[Array, ""], count: int) -> UInt32[Array, "a b"]:
    """Words of `count` x `count` lattice squares: four bits for each corner, along the first index, then the second."""
    p, q = ((start + np.arange(count + 1, dtype=np.int32)) & 255 for start in (first, second))
    table = jnp.asarray(HASH)
    code = jnp.asarray(_CODE)[table[table[p][:, None] + q[None]]]
    return code[:-1, :-1] | code[1:, :-1] << 4 | code[:-1, 1:] << 8 | code[1:, 1:] << 12


def _corner(word: UInt32[Array, "p q"], x: Float[Array, "p 1"], y: Float[Array, "1 q"]) -> Float[Array, "p q"]:
    """The slope in a word's low four bits, evaluated at (x, y)."""
    along, down = ((word >> shift & 3).astype(jnp.float32) - 1 for shift in (0, 2))
    return along * x + down * y  # exact products


def _fade(t: Float[Array, "*p"]) -> Float[Array, "*p"]:
    return t * t * t * (rounded(t * (rounded(t * 6) - 15)) + 10)


def _blend(share: Float[Array, "*p"], low: Float[Array, "p q"], high: Float[Array, "p q"]) -> Float[Array, "p q"]:
    return low + rounded(share * (high - low))
