"""Capacities grow in powers of two and padding is inert."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import bt
from bt.trees import MAX_LEAVES
from dsl import Fallback, Leaf, Sequence
from tests.bt.reference import random_tree
from tests.bt.test_engine import tick

PAIR = bt.flatten(Sequence((Leaf(role="C", name="a"), Leaf(role="A", name="b"))))
TRIPLE = bt.flatten(Fallback((Leaf(role="C", name="a"), Leaf(role="A", name="b"), Leaf(role="A", name="c"))))


@pytest.mark.parametrize(
    ("count", "expected"), [(0, 1), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (1024, 1024), (1025, 2048)]
)
def test_capacity_is_the_next_power_of_two(count: int, expected: int) -> None:
    assert bt.capacity(count) == expected


def test_stack_takes_the_next_powers_of_two_by_itself() -> None:
    trees = bt.stack([PAIR, TRIPLE, PAIR])

    assert trees.on_success.shape == trees.on_failure.shape == trees.is_action.shape == (4, 4)
    assert trees.on_success.dtype == trees.on_failure.dtype == jnp.int32
    assert trees.is_action.dtype == bool


def test_stack_says_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="3 trees do not fit in a capacity of 2 trees"):
        bt.stack([PAIR, PAIR, PAIR], trees=2)
    with pytest.raises(ValueError, match="tree 1 has 3 leaves, the capacity is 2 leaves a tree"):
        bt.stack([PAIR, TRIPLE], leaves=2)
    with pytest.raises(ValueError, match="limit of 16384"):
        bt.stack([PAIR], leaves=2 * MAX_LEAVES)


def test_a_padded_tree_fails_and_has_no_winner_whatever_is_answered() -> None:
    trees = bt.stack([PAIR], trees=4, leaves=8)
    answers = jnp.asarray(np.random.default_rng(2).random((8, 600)) < 0.5)

    ticked = tick(trees, jnp.arange(600) % 3 + 1, answers)

    assert np.all(np.asarray(ticked.status) == -1)
    assert np.all(np.asarray(ticked.winner) == -1)
    assert not np.any(np.asarray(ticked.asked)[1:])


def test_larger_capacities_change_nothing_even_when_padding_answers_yes() -> None:
    rng = np.random.default_rng(3)
    flats = [bt.flatten(random_tree(rng, 8)) for _ in range(32)]
    index = jnp.asarray(rng.integers(0, 32, 500))
    answers = rng.random((8, 500)) < 0.5
    padded = np.concatenate([answers, np.ones((24, 500), bool)])

    snug = tick(bt.stack(flats, leaves=8), index, jnp.asarray(answers))
    roomy = tick(bt.stack(flats, trees=64, leaves=32), index, jnp.asarray(padded))

    np.testing.assert_array_equal(snug.status, roomy.status)
    np.testing.assert_array_equal(snug.winner, roomy.winner)
    np.testing.assert_array_equal(snug.asked, roomy.asked[:8])
    assert not np.any(np.asarray(roomy.asked)[8:])


def test_program_brings_back_every_jump_up_to_the_largest_capacity() -> None:
    """Both jumps and the flag travel in one packed word."""
    long = bt.flatten(Fallback(tuple(Leaf(role="C" if i % 2 else "A", name="a") for i in range(MAX_LEAVES))))
    chain = bt.flatten(Sequence(tuple(Leaf(role="C", name="a") for _ in range(MAX_LEAVES))))
    trees = bt.stack([long, chain, PAIR])

    rows = jax.jit(bt.program)(trees, jnp.arange(4))

    np.testing.assert_array_equal(rows.on_success, trees.on_success.T)
    np.testing.assert_array_equal(rows.on_failure, trees.on_failure.T)
    np.testing.assert_array_equal(rows.is_action, trees.is_action.T)


def test_program_clips_an_index_outside_the_trees() -> None:
    trees = bt.stack([PAIR, TRIPLE])

    rows = bt.program(trees, jnp.array([-1, 0, 1, 7]))

    np.testing.assert_array_equal(rows.on_failure, trees.on_failure[jnp.array([0, 0, 1, 1])].T)
