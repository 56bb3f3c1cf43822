"""Rewards and observations of one's own replace those of an environment, and nothing else."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive.rl as rl
from dsl import UserError
from hive.kit.environment.around import AroundEnv
from hive.kit.environment.env import Env, Policy
from hive.rl.custom import CustomEnv, customise
from hive.rl.evaluation import play_policy, record
from hive.rl.policies import POLICIES
from hive.rl.registry import make
from hive.worlds.battle.environment.sets import BattleSetEnv
from tests.rl.toys import LAST, Recall, recall

reset, step = jax.jit(rl.reset), jax.jit(rl.step)


def haste(env: Any, before: Any, after: Any, timestep: Any) -> Any:
    """A part of the reward, and a cost of each step, even after the end."""
    return timestep.reward[0] * 0.5 - 0.25


def blindfold(env: Any, state: Any, view: Any) -> Any:
    """The clock alone."""
    return view.observation[:, 1:]


class Clipping(Recall, kw_only=True):
    """Takes a number that is no action for the nearest one."""

    def step(self, state: Any, actions: Any) -> Any:
        return super().step(state, jnp.clip(actions, 0, 2))


@pytest.mark.long
def test_the_kit_finds_numbers_that_are_no_action_and_do_something() -> None:
    """Games of random available actions do not show it."""
    assert rl.check(Clipping(scale=jnp.float32(1.0)), games=2) == [
        f"-1 and 3 are no actions, and differ from standing in step {LAST + 1}"
    ]


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ({"agent_0": 0, "agent_1": 1}, "actions are a dict, and no array"),
        ([0, 1], "actions are a list"),
        (np.zeros(3, np.int32), r"actions are int32\[3\]\n.*the shape \[2\]"),
        (np.zeros((4, 2), np.int32), r"actions are int32\[4, 2\]\n.*jax.vmap"),
        (np.zeros(2, np.float32), r"actions are float32\[2\]"),
        (np.zeros(2, bool), r"actions are bool\[2\]"),
    ],
)
def test_actions_of_another_form_are_refused(actions: Any, words: str) -> None:
    """Compiled or not: the form of an array is known when a program is traced."""
    env = recall()
    state, _ = reset(env, jax.random.key(0))
    for call in (rl.step, step):
        with pytest.raises(UserError, match=words):
            call(env, state, actions)


def test_a_reward_that_is_no_number_is_all_that_the_kit_finds() -> None:
    """A NaN differs from itself, and neither the batch nor standing is at fault."""
    env = customise(recall(), reward=lambda *_: jnp.nan)
    assert rl.check(env, games=2) == ["a reward is not finite"]


class Formed(Recall, kw_only=True):
    """Has an observation whose meaning has changed."""

    observation_form = property(lambda self: {"detail": "calls"})


def test_the_form_of_observations_is_passed_on_with_them() -> None:
    """Runs of another form are refused by it; observations of one's own have none."""
    env = Formed(scale=jnp.float32(1.0))
    assert rl.customise(env, reward=haste).observation_form == {"detail": "calls"}
    assert rl.customise(env, observation=blindfold).observation_form == {}


def test_an_environment_around_others_says_all_that_they_say() -> None:
    """A property that is left to `Env` would silently be its default."""
    assert {name for name, value in vars(Env).items() if isinstance(value, property)} <= vars(AroundEnv).keys()
    assert issubclass(CustomEnv, AroundEnv) and issubclass(BattleSetEnv, AroundEnv)


class Knowing(Recall, kw_only=True):
    """Has recordings, here what they are made of, and a player that reads the state."""

    def record(self, *of: Any) -> Any:
        return of

    def scripted(self, world: Any) -> Any:
        return {"right": Policy((), _nothing, _name_the_cue)}


def _nothing(params: Any, env: Any) -> Any:
    assert isinstance(env, Knowing)
    return ()


def _name_the_cue(params: Any, env: Any, memory: Any, state: Any, view: Any, key: Any) -> Any:
    assert isinstance(env, Knowing)
    return memory, jnp.full(2, state.cue)


def test_recordings_and_players_of_the_environment_are_kept() -> None:
    """They read the states and the environment inside."""
    env = customise(Knowing(scale=jnp.float32(1.0)), reward=haste)
    (policy,) = env.scripted("world").values()
    assert play_policy(env, policy, range(4), "right").won.all()
    world, states, actions, steps, title = cast(Any, record(env, "world", policy, 3, "a game"))
    assert (world, steps, title) == ("world", LAST + 1, "a game")
    assert set(np.asarray(states.cue)) == set(np.asarray(actions)[0])


def test_an_environment_without_recordings_has_none_with_a_reward_of_ones_own() -> None:
    with pytest.raises(UserError, match=r"cannot be recorded\n  = help: .*`record`"):
        record(customise(recall(), reward=haste), "world", POLICIES["stand"], 3, "a game")


class Counting(Recall, kw_only=True):
    """Has its limit in an array."""

    limit: Any

    max_steps = property(lambda self: int(self.limit))


def test_the_kit_finds_a_property_that_a_compiled_function_cannot_read() -> None:
    """docs/names.md: an environment may be an argument of a compiled function."""
    (found,) = rl.check(Counting(scale=jnp.float32(1.0), limit=jnp.int32(LAST + 1)), games=2)
    assert found.startswith("`max_steps` depends on an array")


def test_functions_replace_the_reward_and_the_observations() -> None:
    """The functions see the states of the environment inside; a finished game stays as it is without a reward."""
    env = rl.customise(recall(), reward=haste, observation=blindfold)
    assert rl.check(env, games=2) == []
    assert (env.observation_size, env.num_agents, env.num_actions, env.max_steps) == (1, 2, 3, LAST + 1)
    plain = recall()
    (state, view), (own, first) = reset(env, jax.random.key(1)), reset(plain, jax.random.key(1))
    for tick in range(LAST + 3):
        np.testing.assert_array_equal(view.observation, first.observation[:, 1:])
        np.testing.assert_array_equal(env.global_state(state), plain.global_state(own))
        actions = np.full(2, own.cue)
        (state, timestep), (own, wanted) = step(env, state, actions), step(plain, own, actions)
        view, first = timestep.view, wanted.view
        expected = wanted.reward * 0.5 - 0.25 if tick <= LAST else np.zeros(2)
        np.testing.assert_array_equal(timestep.reward, expected)
        assert timestep.won == wanted.won and timestep.score == wanted.score


def test_what_is_no_function_is_refused() -> None:
    for name in ("reward", "observation"):
        with pytest.raises(UserError, match=rf"`{name}` is 3, and no function\n  = help: "):
            rl.customise(recall(), **{name: 3})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("functions", "words"),
    [
        ({"reward": lambda before, after, timestep: 0.0}, r"`reward` fails: .*takes 3 positional arguments"),
        ({"reward": lambda env, before, after, ts: 1.0 if ts.won else 0.0}, r"`reward` fails: .*boolean conversion"),
        ({"reward": lambda *_: None}, r"`reward` fails: "),
        ({"observation": lambda env, state, view: view.nothing}, r"`observation` fails: .*nothing"),
    ],
)
def test_functions_that_fail_are_named_with_what_they_are_given(functions: Any, words: str) -> None:
    """The usual first mistakes: too few arguments, a condition in Python, nothing returned, an unknown field."""
    ((name, _),) = functions.items()
    given = {"reward": r"env, before, after, timestep", "observation": "env, state, view"}[name]
    with pytest.raises(UserError, match=rf"{words}.*\n  = help: it is called as `{name}\({given}\)` .*`jnp.where`"):
        rl.customise(recall(), **functions)


def test_arrays_of_other_shapes_are_refused() -> None:
    with pytest.raises(UserError, match="`reward` returns \\[2\\] numbers, and the reward of a team is one"):
        rl.customise(recall(), reward=lambda env, before, after, timestep: timestep.reward)
    with pytest.raises(UserError, match=r"`observation` returns an array of the shape \[2\]\n.*\[2, f\]"):
        rl.customise(recall(), observation=lambda env, state, view: view.observation[0])


def test_self_play_keeps_the_observations_of_the_task() -> None:
    env = rl.customise(recall(), observation=blindfold)
    with pytest.raises(UserError, match="self-play needs the observations of the environment"):
        env.against(None)
    with pytest.raises(UserError, match="self-play needs two sides"):
        rl.customise(recall(), reward=haste).against(None)


def test_a_task_takes_the_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    toys = SimpleNamespace(make_task_env=lambda *given, **more: recall())
    monkeypatch.setattr("hive.rl.registry.environments_of", lambda kind: toys)
    env = make("skirmish_5v5", reward=haste)
    assert isinstance(env, rl.Env) and env.observation_size == 2 and vars(env)["reward"] is haste
