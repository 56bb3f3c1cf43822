"""PPO learns with both critics, and its parts are what the literature says."""

from __future__ import annotations

import re
from functools import cache, partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct

import hive.rl as rl
from dsl import UserError
from hive.kit.environment.env import Env
from hive.rl import ppo
from hive.rl.algorithms import ALGORITHMS, algorithm
from hive.rl.ppo import Transition, advantages, make_train, network_of
from hive.rl.settings import ELSEWHERE, NAMES, SHORT, VARYING, Config, Hyper, read_settings, setting_name
from hive.rl.training import Lane, Trainer
from hive.worlds.battle.world import load
from tests.rl.toys import ERRAND, LAST, Recall, recall

TINY = Config(total_timesteps=12_800, num_envs=32, num_steps=20, width=32, learning_rate=3e-3)
QUICK = {"total_timesteps": 64, "num_envs": 8, "num_steps": 8, "width": 8, "num_minibatches": 2}


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Env:
    file: Path = tmp_path_factory.mktemp("errand") / "errand.toml"
    file.write_text(ERRAND)
    return rl.make_env(load(file), nearest=1)


@pytest.mark.long
@pytest.mark.parametrize("centralised", [0, 1])
def test_two_units_learn_to_walk_to_a_place(env: Env, centralised: int) -> None:
    """In the first rollouts at most a few games of a hundred are won, after 20 nearly all; so for each of five keys."""
    config = Config(**{name: getattr(TINY, name) for name in NAMES} | {"centralised": centralised})
    _, metrics = jax.jit(make_train(env, config))(jax.random.key(0))
    share = np.asarray(metrics.won) / np.maximum(np.asarray(metrics.games), 1)
    assert metrics.finite.all()
    assert share[:2].mean() < 0.4 and share[-3:].mean() > 0.8, share


@cache
def rolled(centralised: int, recurrent: int) -> tuple[Any, Config, Any, Transition]:
    """A rollout of the toy: environment, settings, the runner before it, and its samples."""
    env, config = recall(), Config(**QUICK, centralised=centralised, recurrent=recurrent)
    runner = jax.jit(partial(ppo.begin, env, config))(jax.random.key(0))
    return env, config, runner, jax.jit(partial(ppo.rollout, env, config))(runner)[1]


class Cut(Recall, kw_only=True):
    """A game of it is truncated, and it says of its limit what it is told to say."""

    said: int = struct.field(pytree_node=False)

    max_steps = property(lambda self: self.said)

    def step(self, state: Any, actions: Any) -> Any:
        after, timestep = super().step(state, actions)
        return after, timestep.replace(terminated=jnp.array(False), truncated=timestep.terminated)


@pytest.mark.parametrize("centralised", [pytest.param(0, marks=pytest.mark.long), 1])
def test_a_value_after_a_step_is_that_of_the_next_one_but_where_a_game_was_truncated(centralised: int) -> None:
    """All states are valued, those that there is room for by the true limit, or all as there are more by a wrong one.

    With a decentralised critic each agent has a value, else the team has one.
    """
    config = Config(**QUICK | {"total_timesteps": 128, "num_steps": 16}, centralised=centralised, recurrent=1)
    envs = [Cut(scale=jnp.float32(1.0), said=said) for said in (1, LAST + 1, 100)]
    runner = jax.jit(partial(ppo.begin, envs[0], config))(jax.random.key(0))
    every, some, more = (jax.jit(partial(ppo.rollout, env, config))(runner)[1] for env in envs)
    over = np.asarray(every.truncated)[..., 0]
    assert over[:-1].any() and not over.all()
    assert every.value.shape == every.reward.shape == (16, 8, 1 if centralised else 2)
    here, following = every.next_value[:-1], every.value[1:]
    np.testing.assert_allclose(here[~over[:-1]], following[~over[:-1]], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(some.next_value, every.next_value, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(more.next_value, every.next_value, rtol=1e-5, atol=1e-6)
    assert not np.allclose(here[over[:-1]], following[over[:-1]], rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("centralised", "recurrent"), [(0, 0), (1, 1)])
def test_a_step_of_a_rollout_calls_the_network_once(centralised: int, recurrent: int) -> None:
    """The toy multiplies no matrices itself, so the products in the loop are those of the network."""
    env, config = recall(), Config(**QUICK, centralised=centralised, recurrent=recurrent)
    runner = jax.eval_shape(partial(ppo.begin, env, config), jax.random.key(0))

    def call(runner: Any) -> Any:
        view, state = runner.view, jax.vmap(env.global_state)(runner.env_state)[None]
        shown = view.observation[None], view.action_mask[None], runner.starts[None, :, None]
        return network_of(env, config).apply(runner.params, runner.memory, *shown, state)

    once = jax.make_jaxpr(call)(runner)
    loop = max(loops(jax.make_jaxpr(partial(ppo.rollout, env, config))(runner).jaxpr), key=str)
    assert products(loop) == products(once.jaxpr) > 0


def inner(jaxpr: Any) -> list[Any]:
    """The programs inside the equations of one."""
    parts = [part for eqn in jaxpr.eqns for part in jax.tree.leaves(eqn.params, is_leaf=lambda x: hasattr(x, "jaxpr"))]
    return [getattr(part, "jaxpr", part) for part in parts if hasattr(getattr(part, "jaxpr", part), "eqns")]


def products(jaxpr: Any) -> int:
    """How many products of matrices a program has."""
    return sum(eqn.primitive.name == "dot_general" for eqn in jaxpr.eqns) + sum(map(products, inner(jaxpr)))


def loops(jaxpr: Any) -> list[Any]:
    """The loops of a rollout's steps."""
    return [
        eqn.params["jaxpr"].jaxpr
        for eqn in jaxpr.eqns
        if eqn.primitive.name == "scan" and eqn.params["length"] == QUICK["num_steps"]
    ]


@pytest.mark.parametrize("recurrent", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_a_policy_plays_without_its_centralised_critic(recurrent: int) -> None:
    """Of any parameters, memory, observation and state."""
    env, config = recall(), Config(**QUICK, centralised=1, recurrent=recurrent)
    form, random = jax.eval_shape(partial(ppo.begin, env, config), jax.random.key(0)), np.random.default_rng(0)
    whole = jax.eval_shape(jax.vmap(env.global_state), form.env_state)
    read = form.params, form.memory, form.view.observation, whole
    params, memory, observation, state = jax.tree.map(lambda leaf: random.normal(size=leaf.shape).astype("f4"), read)
    mask, starts = np.ones(form.view.action_mask.shape, bool), np.zeros(form.starts.shape, bool)
    apply, first = jax.jit(network_of(env, config).apply), (observation[None], mask[None], starts[None, :, None])
    _, logits, value = apply(params, memory, *first, state[None])
    (_, team), alone, none = apply(params, memory, *first)
    assert none is None and value.shape == (1, 8, 1) and (team == memory[1]).all()
    np.testing.assert_array_equal(alone, logits)


def test_metrics_are_those_of_the_definition() -> None:
    """Games of the toy have four steps and are rewarded in the last; a policy that stays has no divergence."""
    env, config, first, samples = rolled(0, 0)
    update = jax.jit(partial(ppo.update, env, config))
    for rate in (0.0, 0.01):
        runner = first.replace(hyper=first.hyper.replace(learning_rate=jnp.float32(rate)))
        _, found = update(runner)
        assert found.games == 16 and found.episode_length == LAST + 1
        assert found.episode_return == pytest.approx(float(found.score)) == pytest.approx(found.reward * (LAST + 1))
        wanted = np.asarray(jax.jit(advantages)(config.hyper(), samples))
        share = 1 - wanted.var() / (wanted + np.asarray(samples.value)).var()
        assert found.explained_variance == pytest.approx(share, abs=1e-4)
        total = found.policy_loss + config.vf_coef * found.value_loss - config.ent_coef * found.entropy
        assert found.loss == pytest.approx(float(total), abs=1e-5)
        assert 1 < found.entropy <= np.log(3) + 1e-5
        if rate:
            assert found.approx_kl > 1e-5 and 0 <= found.clip_fraction <= 1
        else:
            assert abs(found.approx_kl) < 1e-6 and found.clip_fraction == 0


def test_advantages_are_those_of_the_definition() -> None:
    """Sums of discounted errors up to the end of a game; a truncated game goes on with its last value."""
    random = np.random.default_rng(2)
    steps, config = 12, Config(gamma=0.9, gae_lambda=0.8)
    value, reward, following = (random.normal(size=(steps, 1, 1)).astype(np.float32) for _ in range(3))
    terminated, truncated = np.zeros((2, steps, 1, 1), bool)
    terminated[4], truncated[8] = True, True
    parts = {"value": value, "reward": reward, "next_value": following}
    parts |= {"terminated": terminated, "truncated": truncated}
    none: dict[str, Any] = dict.fromkeys(("view", "global_state", "starts", "action", "log_prob"))
    found = np.asarray(advantages(config.hyper(), jax.tree.map(jnp.asarray, Transition(**none, **parts))))[:, 0, 0]
    for first in range(steps):
        wanted, weight = 0.0, 1.0
        for step in range(first, steps):
            after = 0.0 if terminated[step] else following[step]
            wanted += weight * float((reward[step] + 0.9 * after - value[step]).item())
            weight *= 0.9 * 0.8
            if terminated[step] or truncated[step]:
                break
        assert found[first] == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"num_envs": 10, "num_minibatches": 4}, "cannot be split"),
        ({"total_timesteps": 100}, "less than one update"),
        ({"learning_rate": -1.0}, "`learning_rate` is -1: it is from 0 to 10"),
        ({"gamma": 1.5}, "`gamma` is 1.5: it is from 0 to 1"),
        ({"update_epochs": 0}, "`update_epochs` is 0: it is a whole number, at least 1"),
        ({"recurrent": 2}, "`recurrent` is 2: it is from 0 to 1"),
    ],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, float], words: str) -> None:
    with pytest.raises(UserError, match=words):
        Config(**wrong)


def test_settings_have_the_names_of_the_field() -> None:
    """In any case and by their short names."""
    assert {setting_name(name.upper()) for name in NAMES} == {*NAMES} == {setting_name(name) for name in NAMES}
    assert all(setting_name(short) == full for short, full in SHORT.items())
    assert tuple(Hyper.__dataclass_fields__) == VARYING and {*VARYING} <= {*NAMES}
    assert read_settings({"lr": 0.1, "NUM_ENVS": 8}) == {"learning_rate": 0.1, "num_envs": 8}
    for word, instead in ELSEWHERE.items():
        with pytest.raises(UserError, match=f"`{word.upper()}` is no setting\n  = help: leave it out: {instead}"):
            setting_name(word.upper())
    assert not ELSEWHERE.keys() & {*NAMES, *SHORT}
    with pytest.raises(UserError, match="`learning_rate` is given twice"):
        read_settings({"lr": 0.1, "learning_rate": 0.2})
    with pytest.raises(UserError, match=r"there is no setting `gama`\n.*did you mean `gamma`"):
        setting_name("gama")


def test_names_of_jaxmarl_are_settings() -> None:
    """docs/names.md lists them."""
    assert setting_name("FC_DIM_SIZE") == setting_name("GRU_HIDDEN_DIM") == "width"
    found = {}
    for annealed in (1, 0):
        config = Config(anneal_lr=annealed, learning_rate=0.5)
        rate = ppo.learning_rate(config, config.hyper())
        found[annealed] = [float(rate(at)) for at in (0, config.num_updates * 16)]
    assert found == {1: [0.5, 0.0], 0: [0.5, 0.5]}
    assert "anneal_lr" not in Config().json() and Config(anneal_lr=0).json()["anneal_lr"] == 0
    assert {*Config(anneal_lr=0).json()} == {*NAMES}, "runs of before have all settings but this one"


def test_settings_that_an_algorithm_does_not_read_change_nothing_of_a_run() -> None:
    """They are refused, unless they are what the task says in any case."""
    row = algorithm("ippo")
    row.check_read({"entry": 10, "gamma": 0.5}, {"entry": 10, "gamma": 0.9})
    with pytest.raises(UserError, match=r"ippo does not read `entry`\n.*it is read by `selfplay`"):
        row.check_read({"entry": 11}, {"entry": 10})
    with pytest.raises(UserError, match="pqn_vdn does not read `vf_coef`"):
        Trainer(recall(), "pqn_vdn", Config(), (Lane(0, {"vf_coef": 0.5}),))
    for row in ALGORITHMS.values():
        assert {*row.unread} <= {*NAMES} and not {*row.unread} & {*row.settings, *row.usual}


def test_an_algorithm_is_a_row_and_a_module() -> None:
    """Each has the functions that training calls, and fixes settings that there are."""
    for name, row in ALGORITHMS.items():
        assert row.name == name and {*row.settings, *row.usual} <= {*NAMES} and not {*row.settings} & {*row.usual}
        assert all(callable(getattr(row.load(), part)) for part in ("begin", "update", "network_of"))


@pytest.mark.parametrize(("name", "recurrent"), [("ippo", 0), ("mappo", 1), ("pqn_vdn", 1)])
def test_no_gradient_adds_numbers_at_computed_places(name: str, recurrent: int) -> None:
    """A GPU adds them in an order that it does not promise, so that two runs would train different policies."""
    row, env = algorithm(name), recall()
    train, config = row.load(), Config(**QUICK | row.settings, recurrent=recurrent)
    runner = jax.eval_shape(partial(train.begin, env, config), jax.random.key(0))
    text = jax.jit(partial(train.update, env, config)).trace(runner).lower(lowering_platforms=("cuda",)).as_text()
    added = re.findall(
        r"stablehlo\.scatter\"(?:(?!stablehlo\.return).)*stablehlo\.add .*? : tensor<(\w+)>", text, re.DOTALL
    )
    assert "stablehlo.dot_general" in text and not [kind for kind in added if kind.startswith(("f", "bf"))]
