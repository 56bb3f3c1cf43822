"""One level on many maps in one `vmap`: each lane is the game that its map gives alone."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
from hive.engine.episode import Episode
from hive.engine.types import Params, State
from hive.worlds.wildfire.many import many_params, many_task_numbers
from hive.worlds.wildfire.observation import observe, task_numbers
from hive.worlds.wildfire.world import load_level
from tests.tiers import tiers

PLAN = """Step 0:
prerequisites: []
objective: extinguish
units: all
- target position: (40, 12)
- behavior: scout
"""


WORLD = load_level("suppress_contain", size=48, limit=12, drones=2)


Played = tuple[Episode, np.ndarray]


@pytest.fixture(scope="module")
def played() -> tuple[Played, Played]:
    """Games on the maps of two lists of seeds by one program, each with its own draws, and where their crews start."""
    plan, each = hive.read_plan(PLAN, WORLD), ([3, 4, 5], [6, 7, 4])
    maps = [many_params(WORLD, seeds) for seeds in each]
    program = jax.jit(jax.vmap(hive.rollout, (maps[0][1], None, 0)))
    games = [
        program(params, plan, jax.vmap(jax.random.key)(jnp.asarray(s)))
        for (params, _), s in zip(maps, each, strict=True)
    ]
    starts = [np.asarray(params.crews.spawn)[:, 0] for params, _ in maps]  # type: ignore[union-attr]
    return (games[0], starts[0]), (games[1], starts[1])


def lane(games: Episode, number: int) -> Episode:
    return jax.tree.map(lambda leaf: np.asarray(leaf[number]), games)


@pytest.mark.long
def test_a_lane_depends_on_its_map_alone(played: tuple[Played, Played]) -> None:
    """Other maps beside it, in other lanes, change nothing, and no two maps are alike."""
    (games, starts), (others, _) = played
    jax.tree.map(np.testing.assert_array_equal, lane(games, 1), lane(others, 2))
    assert len(set(map(tuple, starts.tolist()))) == 3 and (np.asarray(games.ticks) == 12).all()


@pytest.mark.long
def test_a_lane_is_the_game_of_its_map(played: tuple[Played, Played]) -> None:
    params, axes = many_params(WORLD, [4])

    def first(axis: int | None, part: Any) -> Any:
        return part if axis is None else jax.tree.map(lambda leaf: leaf[0], part)

    one = jax.tree.map(first, axes, params, is_leaf=lambda axis: axis is None)
    game = jax.jit(hive.rollout)(one, hive.read_plan(PLAN, WORLD), jax.random.key(4))
    jax.tree.map(np.testing.assert_array_equal, lane(played[0][0], 1), game)


@pytest.mark.long
def test_the_manager_of_each_lane_reads_the_task_of_its_own_map() -> None:
    world = load_level("suppress_extinguish", size=30)  # the maps of `test_spots`
    (params, axes), told = many_params(world, [3, 4, 5]), many_task_numbers(world, [3, 4, 5])
    keys = jax.vmap(jax.random.key)(jnp.arange(3))

    def begin(params: Params, told: jax.Array, key: jax.Array) -> tuple[State, jax.Array]:
        state = hive.reset(params, key)
        return state, observe(params, state, told, 30)

    states, seen = jax.jit(jax.vmap(begin, (axes, 0, 0)))(params, told, keys)
    assert seen.shape == (3, 30, 3728)
    for number in range(3):
        fire = np.argwhere(np.asarray(states.fire.burning[number]))
        water = np.argwhere(np.asarray(params.crews.water[number]))  # type: ignore[union-attr]
        assert seen[number, 0, 4:8].tolist() == [*fire[0], *water[0]]
    assert len({tuple(row) for row in seen[:, 0, 4:8].tolist()}) == 3


@pytest.mark.parametrize("name", tiers(["cut_trees_lines_small", "rescue_known_small"], slow=["cut_trees_lines_small"]))
def test_tasks_of_lanes_have_the_published_form(name: str) -> None:
    """The labelled cells of a lane are those that its manager reads, in the same order as on the host."""
    world = load_level(name)
    every = many_task_numbers(world, [3, 4])
    crews = many_params(world, [3, 4])[0].crews
    assert crews is not None
    assert ((every >= 0).sum(1) == (task_numbers(world.site) >= 0).sum()).all()
    for number, told in enumerate(every.astype(int)):
        if name == "cut_trees_lines_small":
            ends = np.asarray(crews.task.cell[number])[[0, 4, 5, 9]]
            assert told[:2].tolist() == [1, 2] and told[2:10].reshape(4, 2).tolist() == ends.tolist()
        else:
            goal, civilian = crews.task.goal[number], crews.civilian[number, 0]
            assert told[:4].tolist() == [*goal.tolist(), *civilian.tolist()]
