"""Decisions of the trees, for battles and crews alike, and how a leaf reads the flag of its slot."""

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


def pick(flags: Bool[Array, "s n"], row: Int[Array, "l n"]) -> Bool[Array, "l n"]:
    """Return for each leaf and unit the flag of one row; arbitrary where there is no such row.

    Up to 32 rows are the bits of one word a unit, which costs less than gathering rows.
    """
    if len(flags) > 32:
        return jnp.take_along_axis(flags, row, axis=0, mode="clip")
    number = jnp.arange(len(flags), dtype=jnp.int32)[:, None]
    return bit((flags.astype(jnp.int32) << number).sum(0, keepdims=True), row)


def bit(word: Array, number: Array) -> Array:
    """Whether the bit with that number is set, in the common shape of `word` and `number`, which broadcast."""
    return (word >> number & 1) != 0


__all__ = ["Decision", "bit", "pick"]
