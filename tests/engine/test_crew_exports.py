"""The programs of crews lower for devices that are not here, as those of battles do."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest

import hive
from hive.engine.types import Params, State
from hive.worlds.wildfire.action_tensor import commands
from hive.worlds.wildfire.levels import find_level
from hive.worlds.wildfire.maps import device_places as spots
from hive.worlds.wildfire.observation import observe, task_numbers
from hive.worlds.wildfire.world import load_level
from tests.engine.test_exports import PLATFORMS

PLAN = """Step 0:
prerequisites: []
objective: cut [(3, 4), (5, 6)]
units: all
- target position: (3, 4)
- behavior: contain

Step 1:
prerequisites: [0]
objective: scout (1, 1) (9, 9)
units: all
- target position: (9, 9)
- behavior: rescue
"""


def lowered(function: Any, *arguments: Any) -> bool:
    exported = jax.export.export(jax.jit(function), platforms=PLATFORMS)(*arguments)
    return exported.platforms == PLATFORMS and len(exported.mlir_module_serialized) > 0


@pytest.mark.parametrize(
    "shared",
    [
        pytest.param(True, id="shared map", marks=pytest.mark.slow),
        pytest.param(False, id="own maps", marks=pytest.mark.long),
    ],
)
def test_whole_games_of_a_crew_lower(shared: bool) -> None:
    world = load_level("full_environment", size=40, limit=5, shared=shared)
    plan, key = hive.read_plan(PLAN, world), jax.random.key(0)
    assert lowered(hive.rollout, world.params, plan, key)


def test_published_actions_and_observations_lower() -> None:
    world = load_level("rescue_search_transport", size=40)
    told = task_numbers(world.site)

    def play(params: Params, state: State, actions: jax.Array, key: jax.Array) -> tuple[State, jax.Array]:
        state = hive.step(params, state, commands(params, actions), key)
        return state, observe(params, state, told)

    state = jax.eval_shape(hive.reset, world.params, jax.random.key(0))
    assert lowered(play, world.params, state, jnp.zeros((20, 3)), jax.random.key(0))


def test_maps_of_many_seeds_lower() -> None:
    level, seeds = find_level("full_environment"), [1, 2]
    draws = jnp.asarray(spots.draw_layers(seeds))
    assert lowered(lambda seeds, draws: spots._make(level, seeds, draws, None), jnp.asarray(seeds, jnp.uint32), draws)
