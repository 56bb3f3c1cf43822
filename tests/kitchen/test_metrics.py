"""TES and ITES: published vectors, and agreement with an exhaustive definition."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.worlds.kitchen.metrics import ites, matched, tes

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
    assert matched(history, reference) == count
    assert round(tes(history, [reference]), 6) == value


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


def test_the_best_alternative_counts() -> None:
    assert tes("abd", ["abc", "abd", "xyz"]) == 1.0


def test_an_empty_history_scores_nothing_and_no_alternative_is_an_error() -> None:
    assert tes("", ["abc"]) == 0
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
