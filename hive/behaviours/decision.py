"""What the trees decided, of battles and crews alike, and flags as the bits of a word."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int

import bt


class Decision(struct.PyTreeNode, kw_only=True):
    """What the trees decided, with all that `explain` shows."""

    action: Any  # an Action; of a crew a Command
    ticked: bt.Ticked
    answers: Bool[Array, "l n"]
    tree: Int[Array, " n"]
    senses: Any  # Senses; None of a crew, which looks at its explored map instead
    commanded: Bool[Array, " n"]  # a plan ever assigned the unit; else it stands
    looked: Any = None  # of a battle `hive.units.decide.Looked`, for explanations


def pack(flags: Bool[Array, "s n"]) -> Int[Array, "1 n"]:
    """Flags of at most 31 rows as the bits of one row of words, for `bit`."""
    number = jnp.arange(flags.shape[0], dtype=jnp.int32)[:, None]
    return (flags.astype(jnp.int32) << number).sum(0, keepdims=True)


def bit(word: Array, number: Array) -> Array:
    """Whether the bit of that number is set."""
    return (word >> number & 1) != 0


__all__ = ["Decision", "bit", "pack"]
