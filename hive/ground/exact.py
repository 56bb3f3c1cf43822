"""Deterministic arithmetic: bit-identical results in every program that it is compiled into.

A compiler may fuse a product and a sum into one operation with a single rounding, depending on the code around them.
The same game would then differ between a single run and a batch. So every product that is added to something goes
through `rounded`, and so does one that other code multiplies by a factor of its own, which a compiler may multiply by
the first one's factor; nothing is divided by a value that a batch shares, since that division may become a product
with the reciprocal; sums over units that a game depends on are sums of integers; draws use no transcendental functions.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int

_LOWEST = np.float32(-3e38)
_UNIT = np.float32(1.5 * 2**23)  # the last bit of a number of this size is worth 1


def rounded(product: Float[Array, " ..."]) -> Float[Array, " ..."]:
    """Return the same finite numbers, rounded to float32 before anything is added to them."""
    return jnp.maximum(product, _LOWEST)


def whole(steps: Float[Array, " ..."]) -> Int[Array, " ..."]:
    """Round numbers of at most 2^22 in size to the nearest whole one, half to even; what larger ones give is arbitrary.

    It is `jnp.round` and a conversion in fewer instructions, since a conversion also handles NaN and overflow.
    """
    return lax.bitcast_convert_type(rounded(steps) + _UNIT, jnp.int32) - lax.bitcast_convert_type(_UNIT, jnp.int32)


def square(east: Float[Array, " ..."], north: Float[Array, " ..."]) -> Float[Array, " ..."]:
    """Squared length of vectors given by their two components."""
    return rounded(east * east) + rounded(north * north)


def length(vector: Float[Array, "*n 2"]) -> Float[Array, "*n"]:
    """Length of vectors."""
    return jnp.sqrt(square(vector[..., 0], vector[..., 1]))


def divided(vector: Float[Array, "*n 2"], by: Float[Array, "*n"]) -> Float[Array, "*n 2"]:
    """Return vectors divided by numbers of their own: one component at a time, which then share no divisor."""
    return jnp.stack([vector[..., 0] / by, vector[..., 1] / by], axis=-1)
