"""What is data never retraces."""

from __future__ import annotations

from collections.abc import Iterator

import chex
import jax
import jax.numpy as jnp
import pytest

import hive
from hive.engine import episode
from hive.engine.plan.arrays import make_orders
from hive.engine.reading import read_behaviours
from hive.engine.types import Params, Plan
from hive.worlds.battle.world import Battle
from tests.engine.worlds import plan_of, world_of

ONE = "elimination all;; all @ 20, 20: attack_in_close_range"


def make_world(count: int = 8, first: str = "spearmen", **text: str) -> Battle:
    return world_of(f"""
[map]
size = 40
shapes = [{text.get("shape", '{ terrain = "forest", box = [15, 15, 20, 20] }')}]
[rules]
limit = {text.get("limit", "6")}
movement_randomness = {text.get("noise", "5")}
firmness = {text.get("firmness", "0.02")}
goal_radius = {text.get("radius", "3")}
[types.spearmen]
speed = {text.get("speed", "1")}
cooldown = {text.get("cooldown", "1")}
sight = {text.get("sight", "15")}
damage = {text.get("damage", "1")}
[player]
units = [{{ type = "{first}", count = {count // 2}, box = [0.1, 0.1, 0.5, 0.5] }}]
objective = {text.get("objective", "{ position = [38, 38] }")}
[enemy]
units = [{{ type = "archer", count = {count - count // 2}, box = [0.5, 0.5, 0.4, 0.4] }}]
""")


def variants() -> Iterator[tuple[str, Params, Plan, int]]:
    """What is changed, and the world, plan and seed with it changed."""
    world = make_world()
    params, plan = world.params, hive.read_plan(plan_of(ONE), world)
    yield "nothing", params, plan, 0
    yield "the seed", params, plan, 1
    for text in (
        "elimination [0:2];; [0:2] @ 5, 30: stand",
        "position;; [3] @ 39, 0: attack_in_long_range archer cavalry",
        "elimination [1];; all @ 0, 0: follow_map any",
    ):
        yield f"the plan: {text}", params, hive.read_plan(plan_of(text), world), 0
    mine = hive.read_plan(plan_of(ONE), world, side=1)
    yield "the enemy's plan", params.replace(enemy=mine), plan, 0
    names = world.behaviours
    yield "the order of the trees", params.replace(behaviours=read_behaviours(names[::-1])), plan, 0
    others = tuple("guard_in_close_range" if n == "attack_in_close_range" else n for n in names)
    yield "a tree", params.replace(behaviours=read_behaviours(others)), plan, 0
    for key, value in (
        ("speed", "3"),
        ("cooldown", "4"),
        ("sight", "9"),
        ("damage", "2.5"),
        ("noise", "0"),
        ("firmness", "0.5"),
        ("radius", "7"),
        ("limit", "9"),
        ("objective", "{ position = [30, 30] }"),
        ("shape", '{ terrain = "water", box = [1, 30, 39, 32] }'),
    ):
        yield key, make_world(**{key: value}).params, plan, 0
    yield "the types of units", make_world(first="cavalry").params, plan, 0


@pytest.fixture(scope="module")
def changed() -> list[tuple[str, Params, Plan, int]]:
    return list(variants())


@pytest.mark.long
def test_swapping_any_data_of_a_whole_game_retraces_nothing(changed: list[tuple[str, Params, Plan, int]]) -> None:
    chex.clear_trace_counter()
    rollout = jax.jit(chex.assert_max_traces(hive.rollout, n=1))
    outcomes = set()
    for what, params, plan, seed in changed:
        end = rollout(params, plan, jax.random.key(seed))
        assert 0 < end.outcome <= 4, what
        outcomes.add((int(end.outcome), int(end.ticks), float(end.score)))
    assert len(outcomes) > 3  # the changes do something


@pytest.mark.long  # tests/hive/test_swapping.py holds the same of `replan` in CI
def test_swapping_the_plan_of_a_running_game_retraces_nothing(changed: list[tuple[str, Params, Plan, int]]) -> None:
    chex.clear_trace_counter()
    advance = jax.jit(chex.assert_max_traces(episode.advance, n=1))
    orders_of, key = jax.jit(chex.assert_max_traces(make_orders, n=1)), jax.random.key(0)
    params = changed[0][1].replace(rules=changed[0][1].rules.replace(limit=jnp.int32(1000)))
    begin, start = jax.jit(episode.begin), jax.jit(episode.start)
    game = begin(params, orders_of(params, changed[0][2]), key)
    for number, (_, _, plan, _) in enumerate(changed[:5]):
        orders = orders_of(params, plan)
        game = game.replace(progress=start(params, orders, game.state))
        game = advance(params, orders, game, key, jnp.int32(3 * number + 3))
    assert game.state.tick == 15 or game.outcome > 0
