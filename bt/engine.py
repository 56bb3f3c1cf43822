"""The evaluator: one forward pass over leaves serves all units of all trees at once.

Leaves are the outer axis and units the inner one (`[L, N]`): every step is elementwise over units and carries one
number per unit. The pass is a `lax.scan` over leaves because an unrolled one was measured to be worse: on a CPU, XLA
recomputes the chain at each of its uses, which is no faster at 8 leaves and 20 times slower at 64.
"""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int

from bt.flatten import FAILURE
from bt.trees import Trees


class Program(NamedTuple):
    """The rows of `Trees` that each unit runs."""

    on_success: Int[Array, "l n"]
    on_failure: Int[Array, "l n"]
    is_action: Bool[Array, "l n"]


class Ticked(NamedTuple):
    """What the trees decided."""

    status: Int[Array, " n"]  # of the root: +1 success, -1 failure
    winner: Int[Array, " n"]  # the leaf whose action won; -1 when no action won, so the unit stands
    asked: Bool[Array, "l n"]  # the leaves that were asked; XLA removes it where it is not used


def program(trees: Trees, index: Int[Array, " n"]) -> Program:
    """Look up each unit's tree.

    Args:
        trees: The trees, `[T, L]`.
        index: `[N]` each unit's tree; values outside 0 to T - 1 are clipped.

    Returns:
        Rows `[L, N]`, as `tick` takes them.
    """
    # Gathers dominate the cost here, so the small table is packed into one word per leaf: one gather fetches all.
    table = (trees.on_success << 16) | ((trees.on_failure & 0x7FFF) << 1) | trees.is_action.astype(jnp.int32)
    word = jnp.take(jnp.transpose(table), index, axis=1, mode="clip")
    return Program(on_success=word >> 16, on_failure=(word << 16) >> 17, is_action=(word & 1) > 0)


def tick(
    on_success: Int[Array, "l n"],
    on_failure: Int[Array, "l n"],
    is_action: Bool[Array, "l n"],
    answers: Bool[Array, "l n"],
    unroll: int = 1,
) -> Ticked:
    """Evaluate every unit's tree once, from the root and without memory (docs/rules/trees.md 2).

    Args:
        on_success: `[L, N]` see `Trees`; the jumps of a leaf go forward or end the tree.
        on_failure: `[L, N]` the same.
        is_action: `[L, N]` whether the leaf is an action.
        answers: `[L, N]` whether the leaf succeeds for the unit; read only where the leaf is asked.
        unroll: Leaves in one turn of the loop. One is best on a CPU; a GPU pays for each turn.

    Returns:
        Status, winning leaf and asked leaves. A tree that succeeds by a condition alone reports +1 and no winner.
    """
    won = FAILURE - 1  # -3 - i: the action of leaf i won; one number says where a unit is, or how its tree ended
    order = jnp.arange(answers.shape[0], dtype=jnp.int32)
    succeeded = jnp.where(is_action, won - order[:, None], on_success)
    following = jnp.where(answers, succeeded, on_failure)

    def ask(
        at: Int[Array, " n"], leaf: tuple[Int[Array, ""], Int[Array, " n"]]
    ) -> tuple[Int[Array, " n"], Bool[Array, " n"]]:
        here = at == leaf[0]
        return jnp.where(here, leaf[1], at), here

    at, asked = lax.scan(ask, jnp.zeros(answers.shape[1:], jnp.int32), (order, following), unroll=unroll)
    return Ticked(
        status=jnp.where(at == FAILURE, -1, 1),
        winner=jnp.where(at <= won, won - at, -1),
        asked=asked,
    )
