"""The evaluator decides what docs/rules/trees.md 2 says, for many units of many trees at once, without retracing."""

from __future__ import annotations

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import bt
from bt import Flat, Ticked
from dsl import Leaf, Sequence
from tests.bt.reference import evaluate, random_tree
from tests.lanes import lane_of, stack_lanes

TREES, LEAVES, DRAWS = 1000, 32, 6


@jax.jit
def tick(trees: bt.Trees, index: jax.Array, answers: jax.Array) -> Ticked:
    return bt.tick(*bt.program(trees, index), answers)


@pytest.fixture(scope="module")
def flats() -> list[Flat]:
    rng = np.random.default_rng(0)
    return [bt.flatten(random_tree(rng, LEAVES if i % 2 else 6)) for i in range(TREES)]


def test_agrees_with_the_rules_on_random_trees(flats: list[Flat]) -> None:
    rng = np.random.default_rng(4)
    index = np.repeat(np.arange(TREES), DRAWS)
    answers = rng.random((LEAVES, TREES * DRAWS)) < rng.choice([0.2, 0.5, 0.8], TREES * DRAWS)

    ticked = tick(bt.stack(flats, leaves=LEAVES), jnp.asarray(index), jnp.asarray(answers))

    status, winner, asked = (np.asarray(value) for value in ticked)
    assert {-1, 1} == set(status.tolist())
    for unit, tree in enumerate(index):
        expected = evaluate(flats[tree].root, answers[:, unit])
        found = (status[unit], winner[unit], np.flatnonzero(asked[:, unit]).tolist())
        assert found == expected, f"unit {unit}: {flats[tree].root}"


def test_a_tree_that_succeeds_by_a_condition_reports_success_and_stands() -> None:
    trees = bt.stack([bt.flatten(Sequence((Leaf(role="C", name="a"), Leaf(role="C", name="b"))))])

    ticked = tick(trees, jnp.zeros(1, int), jnp.ones((2, 1), bool))

    assert (ticked.status.tolist(), ticked.winner.tolist()) == ([1], [-1])


def test_many_trees_at_once_equal_one_at_a_time(flats: list[Flat]) -> None:
    rng = np.random.default_rng(5)
    chosen = flats[:40]
    index = np.sort(rng.integers(0, 40, 400))
    answers = rng.random((LEAVES, 400)) < 0.5

    together = tick(bt.stack(chosen, leaves=LEAVES), jnp.asarray(index), jnp.asarray(answers))

    for tree, flat in enumerate(chosen):
        own = answers * (index == tree)  # one shape for all, so one compilation
        alone = tick(bt.stack([flat], leaves=LEAVES), jnp.zeros(400, int), jnp.asarray(own))
        for one, all_ in zip(alone, together, strict=True):
            np.testing.assert_array_equal(np.asarray(one)[..., index == tree], np.asarray(all_)[..., index == tree])


def test_a_batch_of_games_equals_its_games(flats: list[Flat]) -> None:
    """Structs are unbatched: `vmap` over trees, indices and answers is the batch."""
    rng = np.random.default_rng(6)
    games = [bt.stack(flats[8 * game : 8 * game + 8], leaves=LEAVES) for game in range(3)]
    index = jnp.asarray(rng.integers(0, 8, (3, 50)))
    answers = jnp.asarray(rng.random((3, LEAVES, 50)) < 0.5)

    batch = jax.vmap(tick)(stack_lanes(*games), index, answers)

    for game in range(3):
        alone = tick(games[game], index[game], answers[game])
        chex.assert_trees_all_equal(alone, lane_of(batch, game))


def test_swapping_trees_and_assignments_retraces_nothing(flats: list[Flat]) -> None:
    traced = jax.jit(chex.assert_max_traces(tick.__wrapped__, n=1))
    rng = np.random.default_rng(7)
    answers = jnp.asarray(rng.random((LEAVES, 50)) < 0.5)

    winners = []
    for first, count in ((0, 8), (8, 5), (20, 1)):
        trees = bt.stack(flats[first : first + count], trees=8, leaves=LEAVES)
        index = jnp.asarray(rng.integers(0, count, 50))
        winners.append(traced(trees, index, answers).winner)

    assert not np.array_equal(winners[0], winners[1])  # the swap did reach the evaluator
