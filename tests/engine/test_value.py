"""The value of a game inside compiled functions is that of the host (docs/rules/rewards.md 1)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
from hive.engine.batch.value import values
from hive.engine.types import OUTCOMES, PLAYER, Goal, GoalKind, Goals, Outcome

GAMES = 64
GOALS = {
    "elimination": Goal(),
    "one unit at a place": Goal(kind=GoalKind.POSITION, places=((10.0, 10.0),), needed=1),
    "several units at a place": Goal(kind=GoalKind.POSITION, places=((10.0, 10.0),), needed=4),
    "survival": Goal(kind=GoalKind.SURVIVAL, needed=1, until=50),
}
compiled = jax.jit(jax.vmap(hive.value, (None, 0)))


def alike(params: hive.Params, score: np.ndarray, way: np.ndarray) -> None:
    """Compare both functions for games with these scores and ways `[B, side, when]`, with each outcome."""
    ended = np.arange(len(score)) % (len(OUTCOMES) - 1) + 1  # none goes on
    none: Any = np.zeros((len(score), 0), np.int32)
    episodes = hive.Episode(
        outcome=jnp.asarray(ended), ticks=none, score=jnp.asarray(score), survivors=none, achieved=none,
        way=jnp.asarray(way), game=none,
    )  # fmt: skip
    result: Any = SimpleNamespace(
        won=ended == Outcome.WIN, ticks=np.ones(len(score)), score=score.astype(float), way=way
    )
    world: Any = SimpleNamespace(params=params)
    expected = values(world, result)
    found = np.asarray(compiled(params, episodes))
    assert found.shape == (len(score),) and found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert len(np.unique(expected)) > 3


@pytest.mark.parametrize("name", GOALS)
def test_a_battle_has_the_value_of_the_host(name: str) -> None:
    draw = np.random.default_rng(4)
    params = hive.load("duel", units=20).params.replace(goals=jax.device_put(Goals.of(GOALS[name])))
    first = draw.integers(-1, 40, (GAMES, 2, 1))
    way = np.concatenate([first, np.minimum(first, draw.integers(-1, 40, first.shape))], -1).astype(np.int32)
    score = draw.random(GAMES, np.float32)
    if name == "one unit at a place":
        score = np.where(score < 0.2, np.inf, score * 40).astype(np.float32)
    alike(params, score, way)


@pytest.mark.parametrize("level", ["cut_trees_sparse_small", "suppress_contain"])
def test_a_level_has_the_value_of_the_host(level: str) -> None:
    params = hive.load(f"wildfire/{level}").params
    score = np.arange(-GAMES, GAMES, dtype=np.float32)
    alike(params, score, np.full((len(score), 2, 2), -1, np.int32))


@pytest.mark.long
def test_a_game_that_was_played_has_the_value_of_the_host() -> None:
    world = hive.load("duel", units=20, limit=60)
    plan = hive.read_plan("duel", world)
    keys = jax.vmap(jax.random.key)(jnp.arange(3))
    episodes = jax.jit(jax.vmap(hive.rollout, (None, None, 0)))(world.params, plan, keys)
    found = np.asarray(compiled(world.params, episodes))
    np.testing.assert_allclose(found, values(world, hive.play(world, plan, range(3))), atol=1e-6)
    assert episodes.way.shape == (3, 2, 2) and (found >= 0).all() and PLAYER == 0
