"""The fire of a battle as codes of its recording."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, UInt8

from hive.ground.fire import Condition


def fire_codes(condition: UInt8[Array, "x y"]) -> UInt8[Array, "x y"]:
    """Return the codes of `hive.worlds.battle.recording.FireCode`: the conditions from `ignited` on, else 0."""
    return jnp.maximum(condition, Condition.NOT_BURNABLE) - Condition.NOT_BURNABLE
