"""The views keep the contracts of the libraries that they are for, and play the games of the environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive.rl as rl
from dsl import UserError
from hive.kit.environment.env import Env
from hive.rl.views.batched import BatchedView
from hive.worlds.battle.world import load
from tests.conftest import ROOT
from tests.rl.toys import recall

MEETING = """\
version = 1
title = "Meeting"
summary = "three spearmen meet three archers"
[map]
size = 16
[rules]
limit = 25
[player]
units = [{ type = "spearmen", count = 3, box = [0.2, 0.2, 0.2, 0.6] }]
[enemy]
plan = "enemy.plan"
units = [{ type = "archer", count = 3, box = [0.5, 0.2, 0.3, 0.6] }]
"""
PLAN = """\
Step 0:
prerequisites: []
objective: elimination all
units: all
- target position: (3, 8)
- behavior: attack_in_close_range
"""
SEED = 3  # of a game in which units die one by one

reset, step = jax.jit(rl.reset), jax.jit(rl.step)
begin_several = jax.jit(jax.vmap(rl.reset, (None, 0)))
several = jax.jit(jax.vmap(rl.step_and_reset, (None, 0, 0, 0)))


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Env:
    folder = tmp_path_factory.mktemp("meeting")
    (folder / "meeting.toml").write_text(MEETING)
    (folder / "enemy.plan").write_text(PLAN)
    return rl.make_env(load(folder / "meeting.toml"), nearest=2)


@pytest.fixture(scope="module")
def game(env: Env) -> list[tuple[Any, np.ndarray, Any]]:
    """The states, random actions and timesteps of one game of `env` itself, up to its end."""
    random = np.random.default_rng(0)
    play, view = reset(env, jax.random.key(SEED))
    found: list[tuple[Any, np.ndarray, Any]] = [(play, np.zeros(3, np.int32), view)]
    for _ in range(env.max_steps):
        actions = np.array([random.choice(np.flatnonzero(row)) for row in np.asarray(view.action_mask)], np.int32)
        play, timestep = step(env, play, actions)
        view = timestep.view
        found.append((play, actions, timestep))
        if timestep.terminated | timestep.truncated:
            break
    return found


class Shared:
    """An array of a third library: nothing but DLPack."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **how: Any) -> Any:
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


@pytest.mark.slow
def test_the_batched_view_shares_its_arrays_and_restarts_ended_games() -> None:
    """Each game is the one of its key to the bit; arrays are JAX's own memory; an ended game is followed by another."""
    env = recall()
    view = BatchedView(env, 4)
    with pytest.raises(UserError, match="no game has begun"):
        view.step(np.zeros((4, 2), int))
    seen = view.reset(seed=5)
    key, starting = jax.random.split(jax.random.key(5))
    states, shown = begin_several(env, jax.random.split(starting, 4))
    random, ends = np.random.default_rng(0), 0
    for tick in range(2 * env.max_steps + 1):
        for name in ("observation", "action_mask", "alive"):
            np.testing.assert_array_equal(getattr(seen, name), getattr(shown, name))
        actions = (random.random(seen.action_mask.shape) * seen.action_mask).argmax(-1)
        before, kept = seen.observation, seen.observation.copy()
        seen = view.step(Shared(actions) if tick % 2 else actions)
        assert not seen.observation.flags.owndata and not seen.observation.flags.writeable
        np.testing.assert_array_equal(before, kept, "an array that was handed out stays as it is")
        key, starting = jax.random.split(key)
        states, after = several(env, states, jnp.asarray(actions, jnp.int32), jax.random.split(starting, 4))
        shown = after.timestep.view
        for name in ("reward", "terminated", "truncated", "won", "score"):
            np.testing.assert_array_equal(getattr(seen, name), getattr(after.timestep, name))
        np.testing.assert_array_equal(seen.final_observation, after.final_observation)
        over = seen.terminated | seen.truncated
        ends += over.sum()
        assert (seen.final_observation[over] != seen.observation[over]).any() == over.any()
    assert ends == 8, "two games have ended in each place"
    np.testing.assert_array_equal(view.global_state(), jax.jit(jax.vmap(rl.global_state, (None, 0)))(env, states))


def test_the_batched_view_takes_no_other_actions() -> None:
    """Whole numbers of one shape; a number that is no action stands."""
    env = recall()
    view, other = BatchedView(env, 4), BatchedView(env, 4)
    view.reset(), other.reset()
    with pytest.raises(UserError, match=r"actions are float64\[4, 2\]\n.*whole numbers of the shape \[4, 2\]"):
        view.step(np.zeros((4, 2)))
    with pytest.raises(UserError, match=r"actions are int32\[2\]"):
        view.step(Shared(np.zeros(2, np.int32)))
    odd = np.tile(np.array([-1, 2**31 - 1]), (4, 1))
    np.testing.assert_array_equal(view.step(odd).observation, other.step(odd * 0).observation)
    for last in (2**32, 2**32 + 1, -(2**32) + 1):
        wide = np.full((4, 2), last)
        np.testing.assert_array_equal(view.step(wide).observation, other.step(odd * 0).observation)
    for wrong, shown in ((0, "0"), (2.5, "2.5"), ("4", "'4'")):
        with pytest.raises(UserError, match=f"there are {shown} games side by side"):
            BatchedView(env, wrong)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="is no seed"):
        view.reset(seed=-1)


@pytest.fixture(scope="module")
def parallel(env: Env) -> Any:
    pytest.importorskip("pettingzoo", reason="the extra rl is not installed")
    from hive.rl.views.pettingzoo import ParallelView

    return ParallelView(env)


def view_for_jaxmarl(env: Env) -> Any:
    pytest.importorskip("jaxmarl", reason="the extra rl is not installed")
    from hive.rl.views.jaxmarl import MultiAgentView

    return MultiAgentView(env)


@pytest.fixture(scope="module")
def multi(env: Env) -> Any:
    return view_for_jaxmarl(env)


@pytest.fixture(scope="module")
def small() -> Any:
    """The view of a toy, which compiles in a moment."""
    return view_for_jaxmarl(recall())


@pytest.mark.slow
def test_the_parallel_view_passes_the_tests_of_pettingzoo(parallel: Any) -> None:
    """Its warnings count as failures; both tests play random actions until the games end."""
    from pettingzoo.test import parallel_api_test, parallel_seed_test

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(parallel, num_cycles=60)
        parallel_seed_test(lambda: type(parallel)(parallel.env), num_cycles=30)
    assert not parallel.agents, "the games have ended"


@pytest.mark.slow
def test_the_parallel_view_plays_the_game_of_its_seed(parallel: Any, game: list[Any]) -> None:
    seen, infos = parallel.reset(seed=SEED)
    view, died = game[0][2], 0
    for number, (play, actions, timestep) in enumerate(game):
        if number:
            agents = parallel.agents
            chosen = {agent: int(actions[int(agent[-1])]) for agent in agents}
            seen, rewards, terminated, truncated, infos = parallel.step(chosen)
            view = timestep.view
            over = bool(timestep.terminated | timestep.truncated)
            assert set(seen) == set(rewards) == set(terminated) == set(truncated) == set(infos) == set(agents)
            assert set(parallel.agents) == {agent for agent in agents if view.alive[int(agent[-1])] and not over}
            died += len(agents) - len(parallel.agents) if not over else 0
            assert all(rewards[agent] == timestep.reward[int(agent[-1])] for agent in agents)
            assert all(terminated[agent] != truncated[agent] for agent in agents if agent not in parallel.agents)
            np.testing.assert_array_equal(parallel.state(), rl.global_state(parallel.env, play))
        for agent, observation in seen.items():
            np.testing.assert_array_equal(observation, view.observation[int(agent[-1])])
            np.testing.assert_array_equal(infos[agent]["action_mask"], view.action_mask[int(agent[-1])])
    assert not parallel.agents and died
    assert next(iter(infos.values()))["won"] == bool(game[-1][2].won)


def test_the_parallel_view_refuses_what_no_agent_can_do(parallel: Any) -> None:
    from hive.rl.views.pettingzoo import ParallelView, make

    with pytest.raises(UserError, match="no game has begun"):
        ParallelView(parallel.env).step({})
    parallel.reset(seed=SEED)
    with pytest.raises(UserError, match="is no seed"):
        parallel.reset(seed=2**32)
    with pytest.raises(UserError, match="agent_0 has no action 11"):
        parallel.step({"agent_0": 11})
    with pytest.raises(UserError, match="agent_3 is not in the game"):
        parallel.step({"agent_3": 0})
    with pytest.raises(UserError, match="did you mean `skirmish_5v5`"):
        make("skirmish_5v")


@pytest.mark.slow
def test_the_view_for_jaxmarl_keeps_its_interface(small: Any) -> None:
    """What JaxMARL's `test_envs_implement_base_api.py` asks of its own environments."""
    from jaxmarl.environments import MultiAgentEnv, State
    from jaxmarl.environments.spaces import Space

    assert isinstance(small, MultiAgentEnv)
    for agent in small.agents:
        for spaces, space in (
            (small.observation_spaces, small.observation_space),
            (small.action_spaces, small.action_space),
        ):
            assert isinstance(spaces[agent], Space) and spaces[agent] is space(agent)
    assert [name for names in small.agent_classes.values() for name in names] == small.agents
    seen, first = small.reset(jax.random.PRNGKey(1))
    assert isinstance(first, State)
    result = small.step(jax.random.PRNGKey(4), first, _drawn(small))
    assert isinstance(result, tuple) and len(result) == 5
    for shown in (seen, result[0]):
        assert all(small.observation_space(agent).contains(shown[agent]) for agent in small.agents)
        assert shown["world_state"].shape == (small.state_size,)
    _, after, reward, done, info = result
    assert set(reward) == set(small.agents) and set(done) == {*small.agents, "__all__"} and isinstance(info, dict)
    assert after.step == 1 and not done["__all__"]


@pytest.mark.long
def test_the_view_for_jaxmarl_plays_the_game_of_its_key(multi: Any, game: list[Any]) -> None:
    """Either kind of key begins the same game; after its end comes another, and the last timestep is reported."""
    _, state = multi.reset(jax.random.PRNGKey(SEED))
    _, same = multi.reset(jax.random.key(SEED))
    jax.tree.map(np.testing.assert_array_equal, _data(state), _data(same))
    died = False
    for number, (_, actions, timestep) in enumerate(game[1:], 1):
        chosen = {agent: jnp.asarray(actions[row : row + 1]) for row, agent in enumerate(multi.agents)}  # as scripts do
        seen, state, reward, done, info = multi.step(jax.random.PRNGKey(number), state, chosen)
        over = bool(timestep.terminated | timestep.truncated)
        assert done["__all__"] == over == (number == len(game) - 1)
        for row, agent in enumerate(multi.agents):
            assert reward[agent] == timestep.reward[row]
            assert done[agent] == (over or not timestep.view.alive[row])
            died |= bool(done[agent]) and not over
            if not over:
                np.testing.assert_array_equal(seen[agent], timestep.view.observation[row])
                np.testing.assert_array_equal(multi.get_avail_actions(state)[agent], timestep.view.action_mask[row])
        assert (
            info["won"].tolist() == [bool(timestep.won)] * 3
            and info["truncated"].tolist() == [bool(timestep.truncated)] * 3
        )
    assert died and state.step == 0, "the last step began another game"


def test_the_view_for_jaxmarl_refuses_actions_of_another_form(small: Any) -> None:
    key = jax.random.key(SEED)
    _, state = small.reset(key)
    for names, words in (
        (
            ("agent_0", "agent_9"),
            "^actions name other agents than the game has: `agent_9`, and there is no action of `agent_1`",
        ),
        (("agent_0",), "^there is no action of `agent_1`\n"),
        (("agent_0", "agent_1", "agent_9"), "^actions name other agents than the game has: `agent_9`\n"),
    ):
        with pytest.raises(UserError, match=words):
            small.step(key, state, dict.fromkeys(names, jnp.int32(0)))
    with pytest.raises(UserError, match=r"actions are float32\[2\]"):
        small.step(key, state, {agent: jnp.float32(0) for agent in small.agents})


@pytest.mark.long
def test_the_view_for_jaxmarl_goes_on_with_a_given_state(multi: Any) -> None:
    """What JaxMARL's `test_jaxmarl_api.py` asks of one of its environments."""
    _, first = multi.reset(jax.random.PRNGKey(1))
    _, other = multi.reset(jax.random.PRNGKey(2))
    _, after, _, done, _ = multi.step(jax.random.PRNGKey(4), first, _drawn(multi), reset_state=other)
    assert not done["__all__"] and after.step == 1
    game = first.env_state.game
    late = game.replace(state=game.state.replace(tick=jnp.int32(multi.max_steps - 1)))
    first = first.replace(env_state=first.env_state.replace(game=late))
    _, after, _, done, _ = multi.step(jax.random.PRNGKey(4), first, _drawn(multi), reset_state=other)
    assert done["__all__"]
    jax.tree.map(np.testing.assert_array_equal, _data(after), _data(other))


@pytest.mark.long
def test_an_unmodified_script_of_jaxmarl_trains(tmp_path: Path) -> None:
    """`JAXMARL` names a checkout of github.com/FLAIROx/JaxMARL; its own dependencies are in jaxmarl's extra `algs`."""
    script = Path(os.environ.get("JAXMARL", "")) / "baselines" / "IPPO" / "ippo_ff_mpe.py"
    if not script.is_file():
        pytest.skip("JAXMARL names no checkout of JaxMARL")
    program = f"""
import json, runpy, sys
import jaxmarl, numpy, wandb
from hive.rl.views.jaxmarl import make
jaxmarl.make = make
log = []
wandb.init = lambda **settings: None
wandb.log = lambda metrics: log.append(float(numpy.mean(metrics["returned_episode_returns"])))
sys.argv = ["ippo", "ENV_NAME=skirmish_5v5", "TOTAL_TIMESTEPS=3e5", "NUM_ENVS=64", "NUM_SEEDS=1", "LR=1e-3"]
runpy.run_path({str(script)!r}, run_name="__main__")
print(json.dumps(log))
"""
    surroundings = os.environ | {"PYTHONPATH": str(ROOT), "JAX_NUMPY_DTYPE_PROMOTION": "standard"}
    surroundings["JAX_NUMPY_RANK_PROMOTION"] = "allow"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    returns = json.loads(done.stdout.splitlines()[-1])
    assert len(returns) == 36
    assert np.mean(returns[-4:]) > np.mean(returns[4:8]) + 1.0, "summed over five agents, as the script does"


def _data(state: Any) -> Any:
    """The leaves of a state as numbers."""
    return jax.tree.map(
        lambda leaf: jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf, state
    )


def _drawn(multi: Any) -> dict[str, Any]:
    """An action of each agent, drawn by its space."""
    return {agent: multi.action_space(agent).sample(jax.random.PRNGKey(3)) for agent in multi.agents}


def test_wrappers_of_jaxmarl_s_baselines_can_be_imported() -> None:
    """The extra `rl` declares what this import needs and JaxMARL does not declare: `six`."""
    from jaxmarl.wrappers.baselines import LogWrapper

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert LogWrapper and any(each.startswith("six") for each in extras["rl"])
