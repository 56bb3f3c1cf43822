"""One level on many maps in one `vmap`: each lane is the game that its map gives alone."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
from hive.wildfire import env
from hive.wildfire.many import many_envs, many_params
from hive.wildfire.observation import task_numbers
from hive.wildfire.world import load_level

PLAN = """Step 0:
prerequisites: []
objective: extinguish
units: all
- target position: (40, 12)
- behavior: scout
"""


def test_a_lane_is_the_game_of_its_map() -> None:
    """Nothing of a game depends on the other maps of its batch, and no two maps are alike."""
    world = load_level("suppress_contain", size=48, limit=12, drones=2)
    plan, seeds = hive.read_plan(PLAN, world), [3, 4, 5]
    params, axes = many_params(world, seeds)
    keys = jax.vmap(jax.random.key)(jnp.arange(3))
    together = jax.jit(jax.vmap(hive.rollout, (axes, None, 0)))(params, plan, keys)
    alone, _ = many_params(world, seeds[1:2])

    def first(axis: int | None, part: Any) -> Any:
        return part if axis is None else jax.tree.map(lambda leaf: leaf[0], part)

    one = jax.tree.map(first, axes, alone, is_leaf=lambda axis: axis is None)
    game = jax.jit(hive.rollout)(one, plan, keys[1])
    for lane, whole in zip(jax.tree.leaves(together), jax.tree.leaves(game), strict=True):
        assert np.array_equal(lane[1], whole)
    starts = np.asarray(params.crews.spawn)[:, 0]  # type: ignore[union-attr]
    assert len(set(map(tuple, starts.tolist()))) == 3 and (np.asarray(together.ticks) == 12).all()


def test_the_manager_of_each_lane_tells_the_task_of_its_own_map() -> None:
    world = load_level("suppress_extinguish", size=48)
    envs, axes = many_envs(world, [3, 4, 5], slots=30)
    keys = jax.vmap(jax.random.key)(jnp.arange(3))
    states, seen = jax.jit(jax.vmap(env.reset, (axes, 0)))(envs, keys)
    assert seen.shape == (3, 30, 3728)
    for lane in range(3):
        fire = np.argwhere(np.asarray(states.fire.burning[lane]))
        water = np.argwhere(np.asarray(envs.params.crews.water[lane]))  # type: ignore[union-attr]
        assert seen[lane, 0, 4:8].tolist() == [*fire[0], *water[0]]
    assert len({tuple(row) for row in seen[:, 0, 4:8].tolist()}) == 3


@pytest.mark.parametrize("name", ["cut_trees_lines_small", "rescue_known_small"])
def test_tasks_of_lanes_have_the_published_form(name: str) -> None:
    """The labelled cells of a lane are those that its manager names, in the order of the host's."""
    world = load_level(name)
    envs, _ = many_envs(world, [3, 4])
    assert ((envs.told >= 0).sum(1) == (task_numbers(world.site) >= 0).sum()).all()
    for lane, told in enumerate(np.asarray(envs.told, int)):
        task = jax.tree.map(lambda leaf, lane=lane: np.asarray(leaf[lane]), envs.params.crews.task.cell)  # type: ignore[union-attr]
        if name == "cut_trees_lines_small":
            assert told[:2].tolist() == [1, 2] and told[2:10].reshape(4, 2).tolist() == task[[0, 4, 5, 9]].tolist()
        else:
            goal, civilian = envs.params.crews.task.goal[lane], envs.params.crews.civilian[lane, 0]  # type: ignore[union-attr]
            assert told[:4].tolist() == [*goal.tolist(), *civilian.tolist()]
