"""Kitchens as environments keep to docs/rules/learning.md 14, and to the contract of all environments."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive.rl as rl
from dsl import UserError
from hive.kit.environment.env import STAND
from hive.rl.evaluation import play_policy
from hive.rl.registry import load_world, task
from hive.worlds.kitchen.codes import ActionKind
from hive.worlds.kitchen.cookbook import cookbook
from hive.worlds.kitchen.environment import KitchenEnv, items_of, make_kitchen_env
from hive.worlds.kitchen.optimum.play import optima
from hive.worlds.kitchen.setting import load_setting

ORDERS = ("boiled_egg", "baked_bell_pepper")
EGG = (  # what Bob and Alice name until each is done
    ("pickup(egg,counter)", "put_obj_in_utensil(pot0)", "cook(pot0)", "pickup(boiled_egg,pot0)", "deliver()"),
    ("pickup(egg,ingredient_dispenser)", "place_obj_on_counter()"),
)


@pytest.fixture(scope="module")
def env() -> KitchenEnv:
    """Two orders, of which a game draws one."""
    return make_kitchen_env(ORDERS)


@jax.jit
def _play(env: KitchenEnv, play: Any, actions: Any) -> Any:
    """What was completed in a step, and the step."""
    after, timestep = rl.step(env, play, actions)
    return after.state.completed.kind, after, timestep


@pytest.fixture(scope="module")
def egg(env: KitchenEnv) -> list[tuple[Any, Any]]:
    """Each play and timestep of a game in which both cooks name their next action as soon as it is available."""
    start = jax.jit(rl.reset)
    keys = (jax.random.key(seed) for seed in range(20))
    play, _ = next(found for found in (start(env, key) for key in keys) if int(found[0].number) == 0)
    at, found = [0, 0], []
    for _ in range(env.max_steps):
        names = [EGG[cook][at[cook]] if at[cook] < len(EGG[cook]) else "stand" for cook in range(2)]
        deeds, play, timestep = _play(env, play, jnp.asarray([env.action_names.index(name) for name in names]))
        at = [now + int(kind != ActionKind.NOTHING) for now, kind in zip(at, np.asarray(deeds), strict=True)]
        found.append((play, timestep))
    return found


@pytest.mark.parametrize(
    "orders",
    [
        pytest.param(ORDERS, marks=pytest.mark.slow),
        pytest.param(("boiled_corn_slices", "sliced_pumpkin_and_chickpea_stew"), marks=pytest.mark.long),
    ],
)
def test_the_scripted_pair_delivers_at_the_least_time(orders: tuple[str, ...]) -> None:
    """Its plan is that of the search (docs/rules/kitchen.md 8.1), whose times count from 0, named step by step."""
    env, setting = make_kitchen_env(orders), load_setting()
    played = play_policy(env, env.scripted(setting)["planner"], range(8), "planner")
    least = {best.time + 1 for best in optima(setting, orders)}
    assert played.won.all() and set(played.ticks.tolist()) == least


def test_a_game_that_is_played_well_is_won_at_the_least_time(egg: list[tuple[Any, Any]]) -> None:
    """Timestep 15 is the least one for this order with named actions, so the sixteenth step ends the game."""
    ends = [bool(timestep.terminated) for _, timestep in egg]
    assert ends.index(True) == 15
    assert not any(bool(timestep.truncated) for _, timestep in egg)


def test_rewards_are_the_changes_of_the_score_and_one_for_the_delivery(egg: list[tuple[Any, Any]]) -> None:
    """Each step that brings the egg nearer is rewarded; none is after the end."""
    rewards = np.array([float(timestep.reward[0]) for _, timestep in egg])
    scores = np.array([float(timestep.score) for _, timestep in egg])
    changes = np.diff(scores, prepend=0.0)
    changes[15] += 1.0
    np.testing.assert_allclose(rewards, changes, atol=1e-6)
    assert (rewards >= 0).all() and (rewards > 0).sum() >= 6
    assert scores[15:].tolist() == [1.0] * (len(scores) - 15)


def test_an_agent_sees_its_own_part_only(env: KitchenEnv, egg: list[tuple[Any, Any]]) -> None:
    """What lies on Alice's own counter, in her utensils and in her hand changes nothing for Bob, and the reverse."""
    play = egg[3][0]
    observe = jax.jit(lambda state: env._observe(state, play.number))
    before = np.asarray(observe(play.state))
    code = int(env.codes[0])
    chopping, pot = 0, 2  # utensils in the order of the cookbook
    hers = play.state.replace(
        held=play.state.held.at[1].set(code), contents=play.state.contents.at[chopping, 0].set(code)
    )
    his = play.state.replace(held=play.state.held.at[0].set(code), contents=play.state.contents.at[pot, 0].set(code))
    for state, same in ((hers, 0), (his, 1)):
        after = np.asarray(observe(state))
        np.testing.assert_array_equal(after[same], before[same])
        assert (after[1 - same] != before[1 - same]).any()


def test_actions_are_those_of_the_menu_and_standing(env: KitchenEnv) -> None:
    assert env.action_names[STAND] == "stand" and len(env.action_names) == env.num_actions == 25
    assert not any("tomato" in word or "wait" in word or "dish" in word for word in env.action_names)
    stew = items_of(cookbook(), ["sliced_pumpkin_and_chickpea_stew"])
    assert {"pumpkin", "chickpea", "pumpkin_slices", "mashed_chickpea", "baked_pumpkin_soup", "dish"} <= set(stew)


def test_the_planner_of_a_game_that_ends_before_its_plan_begins_what_the_game_has_time_for() -> None:
    """A given limit cuts the plan; what it begins in time stays as it is."""
    whole, cut = rl.make("kitchen_two_orders"), rl.make("kitchen_two_orders", limit=10)
    world = load_world(task("kitchen_two_orders"))
    plan, begun = (np.asarray(env.scripted(world)["planner"].params) for env in (whole, cut))
    assert (plan[:, 11:] >= 0).any()
    np.testing.assert_array_equal(begun, plan[:, :11])


@pytest.mark.parametrize(
    ("orders", "settings"),
    [
        pytest.param(ORDERS, {}, marks=pytest.mark.long),
        pytest.param(("boiled_egg",), {"moves": True, "sparse": True, "limit": 8}, marks=pytest.mark.slow),
        pytest.param(("sliced_pumpkin_and_chickpea_stew",), {"limit": 12}, marks=pytest.mark.long),
    ],
)
def test_environments_keep_the_contract(orders: tuple[str, ...], settings: dict[str, Any]) -> None:
    assert rl.check(make_kitchen_env(orders, **settings), games=3) == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_kitchen_env([]), "one order at least"),
        (lambda: make_kitchen_env(["boiled_egg"], limit=0), "at least 1 timestep"),
        (lambda: make_kitchen_env(["boiled_eg"]), "no task"),
        (lambda: rl.make("kitchen_two_orders", units=3), "no setting `units`"),
        (lambda: rl.make("kitchen_two_orders", seeds=[1]), "has no maps"),
    ],
)
def test_what_cannot_be_made_is_refused(make: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        make()
