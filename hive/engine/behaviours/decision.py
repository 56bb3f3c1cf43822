"""Decisions of the trees, for battles and crews alike, and flags packed into the bits of a word."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int

import bt


class Decision(struct.PyTreeNode, kw_only=True):
    """What the trees decided, with everything that `explain` shows."""

    action: Any  # an Action; for crews a CrewAction
    ticked: bt.Ticked
    answers: Bool[Array, "l n"]
    tree: Int[Array, " n"]
    senses: Any  # Senses; None for crews, which read their explored map instead
    commanded: Bool[Array, " n"]  # a plan has assigned the unit at least once; else it stands
    looked: Any = None  # for battles a `hive.engine.units.decide.Looked`, for explanations


def pack(flags: Bool[Array, "s n"]) -> Int[Array, "1 n"]:
    """Flags of at most 31 rows as the bits of one row of words, for `bit`."""
    number = jnp.arange(flags.shape[0], dtype=jnp.int32)[:, None]
    return (flags.astype(jnp.int32) << number).sum(0, keepdims=True)


def bit(word: Array, number: Array) -> Array:
    """Whether the bit with that number is set, in the common shape of `word` and `number`, which broadcast."""
    return (word >> number & 1) != 0


__all__ = ["Decision", "bit", "pack"]
