"""Whole games of the tests, above and below the dense limit, and programs with other constants of the sweep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chex
import jax
import jax.numpy as jnp

import hive
from hive.engine.episode import Episode
from hive.engine.types import Params, Plan
from hive.ground.sizes import Sizes, use
from hive.worlds.battle.world import Battle
from tests.engine.worlds import plan_of, world_of
from tests.lanes import lane_of

ENEMY_PLAN = "elimination all;; all @ 26, 10: attack_in_close_range"
PLAN = [
    "elimination [0:8];; [0:40] @ 26, 18: attack_and_move; [40:] @ 26, 12: attack_in_long_range",
    "elimination [0:20]; 0; [0:20] @ 10, 40: attack_in_close_range; [20:40] @ 40, 40: attack_in_close_range any",
    "elimination all; 1; all @ 26, 45: attack_in_close_range",
]


def contest(archers: int, cavalry: int) -> Battle:
    """Across a river: 40 spearmen and archers against 30 spearmen and cavalry."""
    return world_of(f"""
[map]
size = 52
shapes = [
  {{ terrain = "water", box = [0, 25, 20, 28] }},
  {{ terrain = "forest", circle = [34, 26], radius = 6 }},
  {{ terrain = "building", box = [24, 20, 27, 30] }},
]
[rules]
limit = 120
[player]
units = [
  {{ type = "spearmen", count = 40, box = [0.1, 0.1, 0.8, 0.2] }},
  {{ type = "archer", count = {archers}, box = [0.1, 0.0, 0.8, 0.1] }},
]
[enemy]
units = [
  {{ type = "spearmen", count = 30, box = [0.1, 0.7, 0.8, 0.2] }},
  {{ type = "cavalry", count = {cavalry}, box = [0.1, 0.9, 0.8, 0.1] }},
]
""")


LARGE = contest(archers=160, cavalry=30)  # 260 units, above the dense limit
SMALL = contest(archers=12, cavalry=8)  # 90 units, below it


def whole(world: Battle) -> tuple[Params, Plan]:
    enemy = hive.read_plan(plan_of(ENEMY_PLAN), world, side=1)
    return world.params.replace(enemy=enemy), hive.read_plan(plan_of(*PLAN), world)


many = jax.vmap(hive.rollout, (None, None, 0))
rollout, batch = jax.jit(hive.rollout), jax.jit(many)


def keys(numbers: list[int]) -> jax.Array:
    return jax.vmap(jax.random.key)(jnp.asarray(numbers, jnp.uint32))


def same(one: Episode, other: Episode) -> None:
    """Equal to the bit."""
    chex.assert_trees_all_equal(one, other)


def of(episode: Episode, place: int) -> Episode:
    """The game at this place of a batch."""
    return lane_of(episode, place)


def compiled(function: Callable[..., Any], sizes: Sizes) -> Callable[..., Any]:
    """A program of its own, made with these sizes."""
    program = jax.jit(function)

    def call(*arguments: Any) -> Any:
        with use(sizes):
            return program(*arguments)

    return call
