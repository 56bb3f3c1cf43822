"""Many trees as one padded struct of arrays. It is an argument of compiled programs, so new trees never retrace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Int

from bt.flatten import FAILURE, Flat

MAX_LEAVES = 1 << 14  # a jump fits in 15 bits of a packed word, see `bt.engine.program`


class Trees(struct.PyTreeNode, kw_only=True):
    """Trees `[T]` of leaves `[L]`, both padded to a capacity.

    Padding is inert: no jump leads to a padded leaf, and a padded tree fails whatever its first leaf answers, so its
    units stand.
    """

    on_success: Int[Array, "t l"]  # next leaf, `bt.SUCCESS` or `bt.FAILURE`
    on_failure: Int[Array, "t l"]  # the same
    is_action: Bool[Array, "t l"]


def capacity(count: int) -> int:
    """Return the smallest power of two that is at least `count` and at least 1."""
    return 1 << max(count - 1, 0).bit_length()


def stack(flats: Sequence[Flat], trees: int | None = None, leaves: int | None = None) -> Trees:
    """Stack flattened trees; tree `t` of the result is `flats[t]`.

    Args:
        flats: The trees; an empty list gives only padding.
        trees: Capacity for trees; None takes the next power of two.
        leaves: Capacity for the leaves of a tree, at most 16,384; None takes the next power of two.

    Returns:
        The trees, padded to the capacities.

    Raises:
        ValueError: More trees, or more leaves in a tree, than the capacity.
    """
    sizes = [len(flat.leaves) for flat in flats]
    longest = max(sizes, default=0)
    trees = capacity(len(flats)) if trees is None else trees
    leaves = capacity(longest) if leaves is None else leaves
    if len(flats) > trees:
        raise ValueError(f"{len(flats)} trees do not fit in a capacity of {trees} trees")
    if longest > leaves:
        raise ValueError(f"tree {sizes.index(longest)} has {longest} leaves, the capacity is {leaves} leaves a tree")
    if leaves > MAX_LEAVES:
        raise ValueError(f"a capacity of {leaves} leaves a tree is more than the limit of {MAX_LEAVES}")

    on_success = np.full((trees, leaves), FAILURE, np.int32)
    on_failure = np.full((trees, leaves), FAILURE, np.int32)
    is_action = np.zeros((trees, leaves), bool)
    for tree, flat in enumerate(flats):
        used = sizes[tree]
        on_success[tree, :used] = flat.on_success
        on_failure[tree, :used] = flat.on_failure
        is_action[tree, :used] = flat.is_action
    columns: Any = {"on_success": on_success, "on_failure": on_failure, "is_action": is_action}
    return Trees(**jax.device_put(columns))  # which compiles nothing, unlike `jnp.asarray`
