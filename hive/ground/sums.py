"""Sums of whole numbers by entry of a short table."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Int, UInt32

from hive.ground.sizes import current


def totals(value: UInt32[Array, "c n"], entry: Int[Array, "c n"], entries: int) -> UInt32[Array, " e"]:
    """Add each value to its entry of a table; entries outside the table, beyond its end, count nowhere."""
    copies = -(-value.shape[1] // current().adders)
    if copies == 1:
        return jnp.zeros(entries, jnp.uint32).at[entry.reshape(-1)].add(value.reshape(-1), mode="drop")
    copy = jnp.broadcast_to(jnp.arange(value.shape[1], dtype=jnp.int32) % copies, value.shape)
    table = jnp.zeros((entries, copies), jnp.uint32)
    return table.at[entry.reshape(-1), copy.reshape(-1)].add(value.reshape(-1), mode="drop").sum(1, dtype=jnp.uint32)
