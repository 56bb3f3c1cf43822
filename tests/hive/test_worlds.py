"""Battles and levels: loaded by name through one function, their arrays made outside any trace, their ends final."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import hive
import hive.rl
from dsl import UserError
from hive.engine.episode import begin, tick
from hive.engine.plan.arrays import make_orders
from hive.engine.types import Outcome
from hive.kit.planned_world import Request
from hive.worlds import kind_of, kinds
from hive.worlds.wildfire.world import Fireground
from tests.lanes import lane_of
from tests.tiers import tiers


def test_the_error_of_users_can_be_caught_by_its_public_name() -> None:
    """The docstrings of `hive` and `hive.rl` say that they raise it."""
    assert hive.UserError is hive.rl.UserError is UserError
    with pytest.raises(hive.UserError, match="did you mean `coordinate`"):
        hive.load("cordinate")


def test_a_name_says_its_kind_of_world() -> None:
    """A file in a folder that is called `wildfire` is a scenario."""
    nouns = {
        "wildfire/scout_fire_small": "wildfire level",
        "wildfire/no_such_level": "wildfire level",
        "coordinate": "battle",
        "wildfire/mine.toml": "battle",
        "kitchen/boiled_egg": "kitchen order",
        "kitchen/mine.toml": "battle",
        "rescue/map_7/agents-1": "rescue",
        "rescue/mine.toml": "battle",
        "hive/worlds/rescue/data/map_7/agents-1.toml": "rescue",
        "household/cwah_0": "household",
        "household/mine.toml": "battle",
        "hive/worlds/household/data/episodes/cwah_0.toml": "household",
    }
    assert {name: kind_of(name).noun for name in nouns} == nouns


def test_the_enemys_plan_of_a_loaded_world_keeps_its_source() -> None:
    """The rule: the page and recordings name the steps of both sides; a crew's enemy has a plan without steps."""
    for name, steps in (("markers_terrain", 1), ("wildfire/cut_trees_sparse_small", 0)):
        source = hive.load(name).params.enemy.source
        assert source is not None and bool(len(source.steps)) == bool(steps), name


def test_every_shipped_world_is_claimed_by_its_own_kind_alone() -> None:
    for kind in kinds().values():
        assert kind.names() and {kind_of(name).noun for name in kind.names()} == {kind.noun}


def test_both_take_their_own_overrides() -> None:
    level = hive.load("wildfire/cut_trees_lines_small", seed=7, limit=9)
    assert isinstance(level, Fireground) and (level.site.seed, level.limit) == (7, 9)
    battle = hive.load("coordinate", units=10, limit=9)
    assert battle.sizes[0] == 10 and battle.limit == 9
    with pytest.raises(UserError, match="did you mean `limit`"):
        hive.load("wildfire/cut_trees_lines_small", limt=9)


@pytest.mark.parametrize("name", [name for kind in kinds().values() if not kind.planned for name in kind.names()[:1]])
def test_worlds_that_agents_play_refuse_plans(name: str) -> None:
    """Whatever concerns plans says how such a world is played; it can be described all the same."""
    kind, request = kind_of(name), Request(scenario=name)
    for refused in (
        lambda: kind.load(request),
        lambda: kind.context(request, 0),
        lambda: kind.own_plan(request),
        lambda: kind.prepare(request),
    ):
        with pytest.raises(UserError, match=r"agents.*\n.*`hive "):
            refused()
    assert kind.describe(request, 0).world == name
    with pytest.raises(UserError, match=r"load it with hive\.load_team_world"):
        hive.load(name)
    assert hive.load_team_world(name).players
    with pytest.raises(UserError, match="at its start"):
        kind.describe(request, 1)
    with pytest.raises(UserError, match="--seed"):
        kind.describe(Request(scenario=name, seed=1), 0)


def test_a_world_without_agents_is_not_loaded_for_a_team() -> None:
    assert hive.load_team_world("wildfire/cut_trees_sparse_small", limit=9).players
    with pytest.raises(UserError, match="coordinate is a battle"):
        hive.load_team_world("coordinate")
    with pytest.raises(UserError, match="did you mean"):
        hive.load_team_world("rescue/map_7/agents-1-v1", limt=9)


@pytest.mark.long  # tests/wildfire/test_many.py has a batch of a level in every run
def test_a_level_is_played_in_batches_like_a_battle() -> None:
    """Seeds of games draw how civilians walk; the map stays that of the level's seed."""
    world = hive.load("wildfire/rescue_known_small", seed=3, limit=6)
    groups = "units: all\n- target position: (9, 9)\n- behavior: stand\n"
    plan = hive.read_plan(f"Step 0:\nprerequisites: []\nobjective: rescue 3 (9, 9)\n{groups}", world)
    result = hive.play(world, plan, [0, 1])
    assert result.outcome == ("timeout", "timeout") and result.score.tolist() == [0, 0]
    assert result.json()["results"][0]["survivors"]["player"] == {"firefighter": 3}
    assert result.score_is == "points of the level"


RESCUE = """Step 0:
prerequisites: []
objective: rescue 3 (9, 9)
units: all
- target position: (9, 9)
- behavior: rescue
"""
KEY = jax.random.key(0)


def battle() -> tuple[hive.World, hive.Plan]:
    world = hive.load("coordinate", units=20, limit=3)
    return world, hive.read_plan("coordinate", world)


def level() -> tuple[hive.World, hive.Plan]:
    world = hive.load("wildfire/rescue_known_small", seed=3, limit=3)
    return world, hive.read_plan(RESCUE, world)


TRACES: dict[str, Callable[[Callable[[jax.Array], Any]], Any]] = {
    "jit": lambda made: jax.jit(made).trace(KEY),
    "vmap": lambda made: jax.vmap(made)(jax.random.split(KEY, 2)),
    "scan": lambda made: jax.lax.scan(lambda key, _: (key, made(key)), KEY, None, length=2),
    "shapes": lambda made: jax.eval_shape(made, KEY),
}


@pytest.mark.parametrize(("make", "trace"), [*((battle, trace) for trace in TRACES), (level, "vmap")])
def test_arrays_of_a_world_that_are_first_read_inside_a_trace_outlive_it(
    make: Callable[[], tuple[hive.World, hive.Plan]], trace: str
) -> None:
    """They are made once, by whatever program reads them first, and every later program takes them."""
    world, _ = make()

    with jax.checking_leaks():
        TRACES[trace](lambda key: world.params.rules.limit + 0)

    assert not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(world.params))
    other, _ = make()
    same = jax.tree.map(np.array_equal, world.params, other.params)
    assert jax.tree.all(same)


@pytest.mark.parametrize("make", tiers([battle, level], quick=[battle]))
def test_two_programs_that_name_one_fresh_world_play_the_same_game(
    make: Callable[[], tuple[hive.World, hive.Plan]],
) -> None:
    """`jax.jit(lambda key: hive.rollout(world.params, plan, key))`, twice."""
    world, plan = make()

    first, second = (jax.jit(lambda key: hive.rollout(world.params, plan, key)).trace(KEY) for _ in range(2))

    assert str(first.jaxpr.in_avals) == str(second.jaxpr.in_avals) and first.out_info == second.out_info


@pytest.mark.long
def test_ticks_past_the_end_of_a_crews_game_change_nothing() -> None:
    """Fire, civilians and the explored map stay as well."""
    world, plan = level()
    orders = jax.jit(make_orders)(world.params, plan)
    game = jax.jit(begin)(world.params, orders, KEY)

    def one(game: hive.Game, _: None) -> tuple[hive.Game, hive.Game]:
        after, _ = tick(world.params, orders, game, KEY)
        return after, after

    last, each = jax.jit(lambda game: jax.lax.scan(one, game, None, 5))(game)

    assert each.state.tick.tolist() == [1, 2, 3, 3, 3]
    assert each.outcome.tolist() == [Outcome.RUNNING] * 2 + [Outcome.TIMEOUT] * 3
    ended = lane_of(each, 2)
    assert ended.state.alive.all() and ended.state.crew is not None
    assert jax.tree.all(jax.tree.map(np.array_equal, ended, last))
