"""The programs of crews lower for devices that are not here, as those of battles do."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest

import hive
from hive.worlds.wildfire import env
from hive.worlds.wildfire.env import make_env
from hive.worlds.wildfire.levels import find_level
from hive.worlds.wildfire.maps import device_places as spots
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
    "shared", [pytest.param(True, id="shared map"), pytest.param(False, id="own maps", marks=pytest.mark.slow)]
)
def test_whole_games_of_a_crew_lower(shared: bool) -> None:
    world = load_level("full_environment", size=40, limit=5, shared=shared)
    plan, key = hive.read_plan(PLAN, world), jax.random.key(0)
    assert lowered(hive.rollout, world.params, plan, key)


def test_the_environment_of_agents_lowers() -> None:
    made = make_env(load_level("rescue_search_transport", size=40))
    state, _ = jax.eval_shape(env.reset, made, jax.random.key(0))
    assert lowered(env.step, made, state, jnp.zeros((made.slots, 3)), jax.random.key(0))


def test_maps_of_many_seeds_lower() -> None:
    level, seeds = find_level("full_environment"), [1, 2]
    draws = jnp.asarray(spots.draw_layers(seeds))
    assert lowered(lambda seeds, draws: spots._make(level, seeds, draws, None), jnp.asarray(seeds, jnp.uint32), draws)
