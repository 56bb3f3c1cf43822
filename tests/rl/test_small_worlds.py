"""Rescues and households as environments keep the contract, and mean what docs/rules/learning.md 15 and 16 say."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive.rl as rl
from dsl import UserError
from hive.rl.evaluation import PolicyGame, play_games, play_policy, record
from hive.rl.policies import POLICIES
from hive.rl.registry import load_world, task
from hive.worlds.household import dynamics
from hive.worlds.household.environment import HouseholdEnv, HouseholdEnvState, make_household_env
from hive.worlds.household.named import find_episode
from hive.worlds.rescue import heuristic
from hive.worlds.rescue.assembly import make_params
from hive.worlds.rescue.codes import Reason
from hive.worlds.rescue.environment import RescueEnv, make_rescue_env
from hive.worlds.rescue.generator import draw
from hive.worlds.rescue.optimum.play import optimum
from hive.worlds.rescue.shipped import shipped

MAP = "map_7/agents-1"
reset, step = jax.jit(rl.reset), jax.jit(rl.step)


@pytest.fixture(scope="module")
def rescue() -> RescueEnv:
    """One shipped rescue, and two generated ones with other numbers of agents and rooms."""
    return make_rescue_env([shipped(MAP), draw(1, 0), draw(2, 0)])


@pytest.fixture(scope="module")
def single() -> RescueEnv:
    """A small shipped rescue."""
    return make_rescue_env([shipped("map_1/agents")])


@pytest.fixture(scope="module")
def household() -> HouseholdEnv:
    """One published episode."""
    return make_household_env([find_episode("cwah_0")])


@pytest.mark.parametrize(
    ("seeds", "words"),
    [([-1], "-1 is no seed"), ([0.5], "0.5 is no seed"), ([2**40], "1099511627776 is no seed"), (5, "not 5")],
)
@pytest.mark.parametrize("name", ["rescue_generated", "household_generated", "scout_fire_small"])
def test_seeds_of_maps_that_are_none_are_refused(name: str, seeds: Any, words: str) -> None:
    """Before anything is drawn; a seed stands in the name of a generated world."""
    with pytest.raises(UserError, match=words):
        rl.make(name, seeds=seeds)
    with pytest.raises(UserError, match=words):
        load_world(task(name), seeds)


@pytest.mark.slow
def test_rescues_keep_the_contract(rescue: RescueEnv) -> None:
    assert rl.check(rescue, games=3) == []


@pytest.mark.long
def test_households_keep_the_contract(household: HouseholdEnv) -> None:
    assert rl.check(household, games=2, steps=40) == []


@pytest.mark.long
def test_transport_between_rooms_keeps_the_contract() -> None:
    """The environment is the one of all households; the rules of transport have tests of their own."""
    assert rl.check(make_household_env([find_episode("tdw_2_0_rare_food")], agents=3), games=2, steps=20) == []


def towards_needs(env: RescueEnv, view: Any) -> Any:
    """Give what can be given, else go towards the nearest victim that needs something the agent carries, else stand."""
    give, go = slice(env.action_names.index("give water"), env.action_names.index("end the mission")), slice(1, 9)
    mask = np.asarray(view.action_mask)
    found = []
    for row in mask:
        gives, goes = np.flatnonzero(row[give]), np.flatnonzero(row[go])
        found.append(give.start + gives[0] if len(gives) else 1 + goes[0] if len(goes) else 0)
    return np.asarray(found, np.int32)


def test_a_rescue_is_won_by_giving_and_going_where_something_is_needed(single: RescueEnv) -> None:
    """Rewards add up to 2: all needs met, and 1 for the end; the game is terminated, not truncated."""
    env, total = single, 0.0
    state, view = reset(env, jax.random.key(0))
    for _ in range(env.max_steps):
        state, timestep = step(env, state, towards_needs(env, view))
        view, total = timestep.view, total + float(timestep.reward[0])
        if bool(timestep.terminated | timestep.truncated):
            break
    assert bool(timestep.won) and bool(timestep.terminated) and not bool(timestep.truncated)
    assert total == pytest.approx(2.0) and float(timestep.score) == 1.0


def test_an_agent_that_ended_its_mission_only_stands(single: RescueEnv) -> None:
    state, _ = reset(single, jax.random.key(0))
    end = np.full(single.num_agents, single.action_names.index("end the mission"), np.int32)
    state, timestep = step(single, state, end)
    assert not timestep.view.alive.any() and not np.asarray(timestep.view.action_mask)[:, 1:].any()
    assert bool(timestep.terminated) and not bool(timestep.won)


def test_a_sparse_rescue_rewards_the_end_alone() -> None:
    env = make_rescue_env([shipped("map_1/agents")], sparse=True)
    state, view = reset(env, jax.random.key(0))
    rewards: list[float] = []
    while not rewards or not bool(timestep.terminated):
        state, timestep = step(env, state, towards_needs(env, view))
        view = timestep.view
        rewards.append(float(timestep.reward[0]))
    assert rewards[-1] == 1.0 and not any(rewards[:-1])


def test_actions_of_a_household_are_its_options_in_words(household: HouseholdEnv) -> None:
    assert household.action_names[0] == "stand" and "check fridge" in " ".join(household.action_names)
    assert len(household.action_names) == household.num_actions == 68


@pytest.mark.slow
def test_a_busy_agent_of_a_household_can_only_stand(household: HouseholdEnv) -> None:
    """docs/rules/learning.md 16; that an option goes on until it is done is in `household/test_dynamics.py`."""
    params, number = jax.tree.map(lambda each: np.asarray(each)[0], household.episodes), jnp.int32(0)
    state = jax.jit(dynamics.reset)(params, jax.random.key(0))
    busy = np.array(state.busy)
    assert not busy[: household.num_agents].any()
    busy[0] = True
    games = (
        HouseholdEnvState(number=number, params=params, state=each, key=jax.random.key(0))
        for each in (state, state.replace(busy=busy))
    )
    before, after = (np.asarray(jax.jit(HouseholdEnv._mask)(household, game)) for game in games)
    assert after[0, 0] and before[0, 1:].any() and not after[0, 1:].any()
    np.testing.assert_array_equal(after[1], before[1])


@pytest.mark.long
def test_an_option_of_several_ticks_leaves_a_household_s_agent_nothing_but_to_stand(household: HouseholdEnv) -> None:
    state, view = reset(household, jax.random.key(0))
    far = np.asarray(view.action_mask)[:, 3:11].argmax(axis=1) + 3  # the first room that can be explored
    state, timestep = step(household, state, jnp.asarray(far))
    busy = np.asarray(state.state.busy)[: household.num_agents]
    assert busy.any()
    assert not np.asarray(timestep.view.action_mask)[busy][:, 1:].any()


@pytest.mark.parametrize("name", [f"rescue/{MAP}", "household/cwah_0", "kitchen/boiled_egg"])
def test_every_world_of_the_list_is_a_task_by_its_name(name: str) -> None:
    assert task(name).kind == name.split("/")[0] and task(name).summary


@pytest.mark.parametrize("name", ["rescue/nowhere", "household/cwah_99", "nothing_like_it"])
def test_a_task_that_does_not_exist_is_refused_with_a_hint(name: str) -> None:
    with pytest.raises(UserError, match="help: "):
        rl.make(name)


def test_settings_that_a_kind_does_not_have_are_refused_by_name() -> None:
    with pytest.raises(UserError, match="a rescue has no setting `units`"):
        rl.make(f"rescue/{MAP}", units=3)
    with pytest.raises(UserError, match="a rescue has 1 to 60 steps, not 61"):
        rl.make(f"rescue/{MAP}", limit=61)
    with pytest.raises(UserError, match="a team has 1 to 4 agents, not 5"):
        rl.make("household/cwah_0", agents=5)


def test_a_game_of_a_rescue_is_recorded_with_its_calls() -> None:
    env = make_rescue_env([shipped(MAP)])
    seen = record(env, [shipped(MAP)], POLICIES["random"], 3, "a game")
    assert seen.frames >= 2 and seen.title == "a game"
    assert any(text.startswith("navigate_to(") for text in seen.deeds)  # type: ignore[attr-defined]


@pytest.mark.long
def test_a_game_of_a_household_is_recorded_with_its_options(household: HouseholdEnv) -> None:
    seen = record(household, [find_episode("cwah_0")], POLICIES["random"], 3, "a game")
    assert seen.frames >= 2 and "explore" in " ".join(seen.deeds)  # type: ignore[attr-defined]


def ended(env: RescueEnv, game: PolicyGame) -> tuple[Any, Any, Any]:
    """The instance of a game, its steps and why it ended."""
    return game.state.number, game.state.state.step, game.state.state.reason


@pytest.mark.long
def test_scripted_rescues_are_those_of_the_heuristic_and_of_the_optimum() -> None:
    """The rules of docs/rules/rescue.md 7 and 8, played by the actions of learners: step for step the same games."""
    instances = [shipped(MAP), *(draw(seed, 0) for seed in range(1, 7))]
    env = make_rescue_env(instances)
    players, seeds = env.scripted(instances), range(20)
    assert [*players] == ["heuristic:recheck", "optimal"]
    rows = [make_params(each) for each in instances]
    played = [jax.jit(heuristic.play)(params, heuristic.variant("recheck")).state for params in rows]
    for number, steps, reason in zip(*play_games(env, players["heuristic:recheck"], seeds, ended), strict=True):
        assert (steps, reason) == (played[number].step, played[number].reason)
    least = [optimum(jax.device_get(params)) for params in rows]
    numbers = set()
    for number, steps, reason in zip(*play_games(env, players["optimal"], seeds, ended), strict=True):
        numbers.add(int(number))
        assert (steps, reason) == (least[number].steps, Reason.SERVED)
    assert len(numbers) > 3, "the seeds draw several instances"


@pytest.mark.long
def test_the_scripted_team_of_rules_transports() -> None:
    """A shipped transport by its name is a task; by the actions of learners the rules bring most of what is wanted."""
    name = "household/tdw_2_0_rare_food"
    env = rl.make(name)
    players = env.scripted(load_world(task(name)))
    assert [*players] == ["own", "rules"]
    assert play_policy(env, players["rules"], [0], "rules").score[0] > 0.5


@pytest.mark.long
def test_the_scripted_team_of_households_does_the_housework(household: HouseholdEnv) -> None:
    """It takes the cheapest option that its agents know, by the actions of learners, and is done before the limit."""
    players = household.scripted([find_episode("cwah_0")])
    assert [*players] == ["own"]
    played = play_policy(household, players["own"], range(4), "own")
    assert played.won.all() and (played.ticks < household.max_steps / 2).all()
