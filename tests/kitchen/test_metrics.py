"""TES, ITES and the batch form: published vectors, and agreement with an exhaustive definition."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.worlds.kitchen.metrics import ites, match, matched, tes, tes_batch

VECTORS = [  # reference, history, D and TES to six decimals
    ("abcde", "abcxe", 3, 0.600000),
    ("abcde", "abcde", 5, 1.000000),
    ("abcde", "abc", 3, 0.740512),
    ("abcde", "abcdexx", 5, 0.840512),
    ("abcde", "xabcdex", 5, 0.840512),
    ("abcde", "bcde", 0, 0.000000),
    ("abcde", "aabcde", 5, 0.913346),
    ("abcde", "axbyc", 3, 0.600000),
    ("abcde", "edcba", 1, 0.200000),
    ("ab", "abab", 2, 0.678253),
    ("ababab", "aabb", 2, 0.395942),
]
LETTERS = st.text("abc", max_size=6)


@pytest.mark.parametrize(("reference", "history", "count", "value"), VECTORS)
def test_tes_of_the_published_vectors(reference: str, history: str, count: int, value: float) -> None:
    found = match(history, [reference])

    assert (found.matched, found.reference, found.taken) == (count, len(reference), len(history))
    assert round(found.tes, 6) == value


def test_tes_of_the_published_vectors_in_batches() -> None:
    def codes(text: str, length: int) -> list[int]:
        return [ord(letter) for letter in text] + [-1] * (length - len(text))

    for reference, group in itertools.groupby(VECTORS, key=lambda each: each[0]):
        rows = list(group)
        histories = jnp.asarray([codes(row[1], 9) for row in rows], jnp.int32)
        scores = tes_batch(histories, jnp.asarray([codes(reference, 8)], jnp.int32))
        np.testing.assert_allclose(np.asarray(scores), [row[3] for row in rows], atol=1e-6)


def _longest_prefix(history: str, reference: str) -> int:
    """D by its definition: try every subset of places of the history."""
    return max(
        count
        for count in range(len(reference) + 1)
        if tuple(reference[:count]) in set(itertools.combinations(history, count))
    )


@given(LETTERS, LETTERS)
def test_matching_in_one_pass_is_the_longest_prefix_with_gaps(history: str, reference: str) -> None:
    assert matched(history, reference) == _longest_prefix(history, reference)


@given(st.lists(LETTERS, min_size=1, max_size=4), st.lists(LETTERS.filter(bool), min_size=1, max_size=3))
def test_batches_score_as_single_histories(histories: list[str], references: list[str]) -> None:
    rows, alternatives = np.full((4, 6), -1, np.int32), np.full((3, 6), -1, np.int32)
    for row, text in zip(rows, histories, strict=False):
        row[: len(text)] = [ord(letter) for letter in text]
    for row, text in zip(alternatives, references + [references[0]] * (3 - len(references)), strict=True):
        row[: len(text)] = [ord(letter) for letter in text]

    scores = jax.jit(tes_batch)(jnp.asarray(rows), jnp.asarray(alternatives))

    expected = [tes(history, references) for history in histories]
    np.testing.assert_allclose(np.asarray(scores)[: len(histories)], expected, atol=1e-6)


def test_the_best_alternative_counts() -> None:
    found = match("abd", ["abc", "abd", "xyz"])

    assert (found.alternative, found.tes) == (1, 1.0)
    assert (found.similarity, found.precision) == (1.0, 1.0)


def test_an_empty_history_scores_nothing_and_no_alternative_is_an_error() -> None:
    assert tes("", ["abc"]) == 0
    assert match("", ["abc"]).precision == 0
    with pytest.raises(ValueError, match="at least one reference"):
        tes("abc", [])
    with pytest.raises(ValueError, match="none may be empty"):
        tes("abc", [""])


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 4), st.integers(0, 4))
def test_new_actions_advance_the_task_exactly_when_they_outweigh_their_number(
    done: int, wasted: int, useful: int, useless: int
) -> None:
    """The sign of ITES for r new actions of which e extend the match: e (m + β² n) > β² r D."""
    reference = "abcdefghij"
    history = reference[:done] + "x" * wasted
    new = reference[done : done + useful] + "x" * useless
    weight = 0.95**2
    left, right = useful * (10 + weight * len(history)), weight * len(new) * done

    if abs(left - right) > 1e-9:
        assert (ites(new, history, [reference]) > 0) == (left > right)
