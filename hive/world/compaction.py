"""Work only on the rows that need it: the k-th marked row, found without moving the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int

_ROW = 64  # marks counted together; a marked one is found by a search over row counts and a scan of one row

Carry = TypeVar("Carry")


def for_marked(
    marked: Bool[Array, " r"],
    block: int,
    body: Callable[[Int[Array, " block"], Carry], Carry],
    carry: Carry,
) -> Carry:
    """Call `body(rows, carry)` for blocks of marked rows in ascending order, as many as there are.

    Args:
        marked: `[R]` which rows need work.
        block: Rows a call, at least 1.
        body: Gets `[block]` row numbers in `0..R-1`, the last block padded with row R, out of range on purpose so that
            `mode="drop"` writes skip it, and the carry.
        carry: Any pytree.

    Returns:
        The last carry. Without a marked row `body` never runs.
    """
    size = marked.shape[0]
    rows = -(-size // _ROW)
    table = jnp.pad(marked, (0, rows * _ROW - size)).reshape(rows, _ROW).astype(jnp.int32)
    upto = jnp.cumsum(table.sum(1))
    total = upto[-1]

    def step(number: Int[Array, ""], carry: Carry) -> Carry:
        rank = number * block + jnp.arange(block, dtype=jnp.int32)
        row = jnp.minimum(jnp.searchsorted(upto, rank, side="right"), rows - 1).astype(jnp.int32)
        before = jnp.where(row > 0, upto[jnp.maximum(row - 1, 0)], 0)
        seen = jnp.cumsum(table[row], axis=1)  # [block, _ROW]
        column = (seen <= (rank - before)[:, None]).sum(1)
        return body(jnp.where(rank < total, row * _ROW + column, size), carry)

    return lax.fori_loop(0, (total + block - 1) // block, step, carry)


def block_for(rows: int, most: int) -> int:
    """Block length for `for_marked`: `most`, or less when there are fewer rows in all."""
    return min(most, 1 << max(rows - 1, 1).bit_length())


__all__ = ["block_for", "for_marked"]
