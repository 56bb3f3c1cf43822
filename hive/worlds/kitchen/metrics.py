"""Process metrics of one cook's trajectory: TES and ITES, singly and in batches (docs/rules/kitchen.md 11.2).

A reference trajectory is an ordered list of an agent's own actions that completes the task with as few as possible. A
task has several alternatives. A history is the list of the agent's completed actions. Both are compared as canonical
texts (`str` of an action), in batches as whole numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

BETA = 0.95
"""Weight of recall against precision in TES."""


@dataclass(frozen=True)
class TrajectoryMatch:
    """How well a history follows the alternative that it follows best.

    Attributes:
        tes: Trajectory efficiency score, 0 to 1.
        matched: D: length of the longest beginning of the alternative that occurs in the history in this order.
        reference: m: length of the alternative.
        taken: n: length of the history.
        alternative: Index of the alternative; the first of equally good ones.
    """

    tes: float
    matched: int
    reference: int
    taken: int
    alternative: int

    @property
    def similarity(self) -> float:
        """The share of the alternative that was done, D/m."""
        return self.matched / self.reference

    @property
    def precision(self) -> float:
        """The share of the history that counts, D/n; 0 for an empty history."""
        return self.matched / self.taken if self.taken else 0.0


def matched(history: Iterable[str], reference: Sequence[str]) -> int:
    """Return D: how many first elements of a reference occur in the history in this order, gaps allowed there."""
    count = 0
    for action in history:
        if count < len(reference) and action == reference[count]:
            count += 1
    return count


def match(history: Sequence[str], references: Sequence[Sequence[str]], beta: float = BETA) -> TrajectoryMatch:
    """Compare a history with every alternative and return the best match: the maximum of (1 + β²) D / (m + β² n).

    Args:
        history: The agent's completed actions in order.
        references: The alternatives, at least one, none of them empty.
        beta: β, above 0.

    Raises:
        ValueError: There is no alternative, or one is empty.
    """
    if not references or not all(references):
        raise ValueError("TES needs at least one reference trajectory, and none may be empty")
    weight = beta * beta
    found = []
    for index, reference in enumerate(references):
        count, length = matched(history, reference), len(reference)
        score = (count + weight * count) / (length + weight * len(history))  # exactly 1 when all are equal
        found.append(TrajectoryMatch(score, count, length, len(history), index))
    return max(found, key=lambda each: each.tes)  # the first of the best


def tes(history: Sequence[str], references: Sequence[Sequence[str]], beta: float = BETA) -> float:
    """Return the trajectory efficiency score of a history, 0 to 1; the arguments are those of `match`."""
    return match(history, references, beta).tes


def ites(
    actions: Sequence[str], history: Sequence[str], references: Sequence[Sequence[str]], beta: float = BETA
) -> float:
    """Return how much further actions would add to TES: above 0 they advance the task.

    The best alternative is chosen separately before and after.
    """
    return tes([*history, *actions], references, beta) - tes(history, references, beta)


def known(actions: Iterable[str], universe: Collection[str]) -> tuple[list[str], list[str]]:
    """Split actions into those that the agent can be scored for and the others, each in order."""
    listed = list(actions)
    return [each for each in listed if each in universe], [each for each in listed if each not in universe]


def pad(lists: Sequence[Sequence[str]], codes: Mapping[str, int]) -> np.ndarray:
    """Return lists of texts as codes `[J, M]`, each row padded at its end with -1.

    Args:
        lists: Histories or alternatives.
        codes: Code of each text, at least 0.

    Raises:
        KeyError: A text has no code.
    """
    rows = np.full((len(lists), max(map(len, lists), default=0)), -1, np.int32)
    for row, texts in zip(rows, lists, strict=True):
        row[: len(texts)] = [codes[text] for text in texts]
    return rows


def tes_batch(histories: Int[Array, "b n"], references: Int[Array, "j m"], beta: float = BETA) -> Float[Array, " b"]:
    """Return the TES of many histories of one agent in one task.

    Args:
        histories: `[B, N]` codes of completed actions in order, such as one entry a timestep; -1, anywhere, is none.
        references: `[J, M]` codes of the alternatives, padded at the end of each row with -1; no row may be empty.
        beta: β, above 0.

    Returns:
        `[B]` scores, 0 to 1.
    """
    lengths = (references >= 0).sum(1, dtype=jnp.int32)
    padded = jnp.concatenate([references, jnp.full((references.shape[0], 1), -1, references.dtype)], 1)
    rows = jnp.arange(references.shape[0])

    def one(history: Int[Array, " n"]) -> Float[Array, ""]:
        def advance(count: Int[Array, " j"], action: Int[Array, ""]) -> tuple[Int[Array, " j"], None]:
            fits = (action >= 0) & (padded[rows, count] == action)
            return count + fits.astype(jnp.int32), None

        count, _ = jax.lax.scan(advance, jnp.zeros(references.shape[0], jnp.int32), history)
        weight = beta * beta
        taken = (history >= 0).sum(dtype=jnp.int32).astype(jnp.float32)
        share = count.astype(jnp.float32)
        return ((share + weight * share) / (lengths.astype(jnp.float32) + weight * taken)).max()

    return jax.vmap(one)(histories)
