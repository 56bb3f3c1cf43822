"""One level on many maps in one `vmap`: each lane is the game that its map gives alone."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
from hive.engine.episode import Episode
from hive.wildfire.many import many_params
from hive.wildfire.world import load_level

PLAN = """Step 0:
prerequisites: []
objective: extinguish
units: all
- target position: (40, 12)
- behavior: scout
"""


WORLD = load_level("suppress_contain", size=48, limit=12, drones=2)


def play(seeds: list[int]) -> tuple[Episode, np.ndarray]:
    """Games on the maps of these seeds, each with that seed for its own draws, and where their crews start."""
    params, axes = many_params(WORLD, seeds)
    keys = jax.vmap(jax.random.key)(jnp.asarray(seeds))
    games = jax.jit(jax.vmap(hive.rollout, (axes, None, 0)))(params, hive.read_plan(PLAN, WORLD), keys)
    return games, np.asarray(params.crews.spawn)[:, 0]  # type: ignore[union-attr]


def lane(games: Episode, number: int) -> Episode:
    return jax.tree.map(lambda leaf: np.asarray(leaf[number]), games)


def test_a_lane_depends_on_its_map_alone() -> None:
    """Other maps beside it, in other lanes, change nothing, and no two maps are alike."""
    games, starts = play([3, 4, 5])
    others, _ = play([6, 7, 4])
    jax.tree.map(np.testing.assert_array_equal, lane(games, 1), lane(others, 2))
    assert len(set(map(tuple, starts.tolist()))) == 3 and (np.asarray(games.ticks) == 12).all()


@pytest.mark.slow
def test_a_lane_is_the_game_of_its_map() -> None:
    params, axes = many_params(WORLD, [4])

    def first(axis: int | None, part: Any) -> Any:
        return part if axis is None else jax.tree.map(lambda leaf: leaf[0], part)

    one = jax.tree.map(first, axes, params, is_leaf=lambda axis: axis is None)
    game = jax.jit(hive.rollout)(one, hive.read_plan(PLAN, WORLD), jax.random.key(4))
    jax.tree.map(np.testing.assert_array_equal, lane(play([3, 4, 5])[0], 1), game)
