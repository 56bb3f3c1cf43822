"""One level on many maps in one `vmap`: each lane is the game that its map gives alone."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import hive
from hive.wildfire.many import many_params
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
