"""Work only where it is needed: on marked rows, found without moving the others, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int, UInt

from hive.ground.sizes import Sizes, current

_FEW = 1 << 15  # comparisons
WORD = 32  # marks in one word; a marked row is found by a search over the words' counts and bit by bit in its word

Carry = TypeVar("Carry")
Value = TypeVar("Value")


def for_marked(
    marked: Bool[Array, " r"],
    block: int,
    body: Callable[[Int[Array, " b"], Carry], Carry],
    carry: Carry,
) -> Carry:
    """Call `body(rows, carry)` for blocks of marked rows in ascending order, until all were processed.

    Args:
        marked: `[R]` which rows need work.
        block: Rows in a call, at least 1.
        body: Gets row numbers in `0..R-1`, and the carry. Row R is padding, out of range on purpose so that
            `mode="drop"` writes skip it. Where all rows fit one block, it gets `[R]` of them, unmarked ones padded;
            otherwise `[block]`, the last block padded.
        carry: Any pytree.

    Returns:
        The last carry. Without marked rows `body` is not called, except where loops are avoided and all rows fit one
        block: there it is called once in any case.
    """
    size, sizes = marked.shape[0], current()
    if size <= block:  # nothing to search for: a program with little code compiles sooner
        every = jnp.where(marked, jnp.arange(size, dtype=jnp.int32), size)
        if sizes.flat:
            return body(every, carry)
        return lax.fori_loop(0, marked.any().astype(jnp.int32), lambda _, carry: body(every, carry), carry)
    word = packed(marked)
    upto = jnp.cumsum(lax.population_count(word).astype(jnp.int32))
    total = upto[-1]

    def step(number: Int[Array, ""], carry: Carry) -> Carry:
        rank = number * block + jnp.arange(block, dtype=jnp.int32)
        row = jnp.minimum(search(upto, rank, sizes), len(word) - 1)
        before = jnp.where(row > 0, upto[jnp.maximum(row - 1, 0)], 0)
        marked_row = row * WORD + _set_bit(word[row], rank - before)
        return body(jnp.where(rank < total, marked_row, size), carry)

    return lax.fori_loop(0, (total + block - 1) // block, step, carry)


def packed(marked: Bool[Array, "*k n"]) -> UInt[Array, "*k w"]:
    """Return the marks of the last axis as bits of words, the first as the lowest; the end of the last word is 0."""
    padded = jnp.pad(marked, [*[(0, 0)] * (marked.ndim - 1), (0, -marked.shape[-1] % WORD)])
    table = padded.reshape(*marked.shape[:-1], -1, WORD).astype(jnp.uint32)
    return (table << np.arange(WORD, dtype=np.uint32).reshape(*[1] * marked.ndim, WORD)).sum(-1, dtype=jnp.uint32)


def only_if(needed: Bool[Array, ""], work: Callable[[], Value], otherwise: Value) -> Value:
    """Return `work()` where it is needed, else `otherwise`, a pytree of the same shapes.

    On a processor this is a branch. Where branches are to be avoided, the work is done in any case.
    """
    if current().flat:
        done: Value = jax.tree.map(lambda new, old: jnp.where(needed, new, old), work(), otherwise)
        return done
    branched: Value = lax.cond(needed, work, lambda: otherwise)
    return branched


def search(upto: Int[Array, " r"], rank: Int[Array, "*n"], sizes: Sizes) -> Int[Array, "*n"]:
    """Return how many of the ascending numbers `upto` are not above each rank.

    On a processor, few numbers are compared with all ranks, which takes no longer than a search and compiles sooner.
    """
    few = "compare_all" if upto.size * rank.size <= _FEW else "scan"
    method = "scan_unrolled" if sizes.flat else few
    return jnp.searchsorted(upto, rank, side="right", method=method).astype(jnp.int32)


def _set_bit(word: UInt[Array, " n"], rank: Int[Array, " n"]) -> Int[Array, " n"]:
    """Number of the bit that has `rank` set bits below it and is set itself, by halving."""
    number = jnp.zeros_like(rank)
    for width in (16, 8, 4, 2, 1):
        low = (word >> number.astype(jnp.uint32)) & np.uint32((1 << width) - 1)
        count = lax.population_count(low).astype(jnp.int32)
        above = rank >= count
        rank, number = jnp.where(above, rank - count, rank), jnp.where(above, number + width, number)
    return number


def block_for(rows: int, most: int) -> int:
    """Block length for `for_marked`: `most`, or less when the total number of rows is smaller."""
    return min(most, 1 << max(rows - 1, 1).bit_length())
