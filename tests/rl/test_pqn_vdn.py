"""PQN with value decomposition is what docs/rules/learning.md 18.3 says; `test_training.py` has that it learns."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.rl import ppo, pqn_vdn
from hive.rl.algorithms import algorithm
from hive.rl.ppo import Transition, advantages
from hive.rl.pqn_vdn import PqnRunner, QNetwork, epsilon_at, network_of
from hive.rl.settings import Config
from tests.rl.toys import recall

SMALL = Config(
    total_timesteps=1280, num_envs=8, num_steps=8, width=8, num_minibatches=2, eps_finish=0.2, rew_scale=10.0
)


def test_actions_are_greedy_but_for_a_share_of_available_ones() -> None:
    network = QNetwork(actions=4, width=8, recurrent=False, epsilon=0.3)
    seen = jax.random.normal(jax.random.key(0), (1, 3, 2, 5))
    mask = jnp.ones((1, 3, 2, 4), bool).at[0, 1, 0, 2:].set(False).at[0, 2, 1, 1:].set(False)
    memory, starts = network.initial_memory(3, agents=2), jnp.zeros((1, 3, 1), bool)
    params = jax.jit(network.init)(jax.random.key(1), memory, seen, mask, starts)
    _, logits, team, values = jax.jit(network.apply)(params, memory, seen, mask, starts)
    chances, opened = np.exp(np.asarray(logits)), np.where(mask, values, -np.inf)
    np.testing.assert_allclose(chances.sum(-1), 1.0, atol=1e-6)
    share = 0.3 / np.asarray(mask).sum(-1, keepdims=True)
    best = np.arange(4) == opened.argmax(-1, keepdims=True)
    np.testing.assert_allclose(chances, np.where(mask, share, 0.0) + 0.7 * best, atol=1e-6)
    np.testing.assert_allclose(team[..., 0], opened.max(-1).sum(-1), rtol=1e-6)


def test_returns_are_those_of_the_definition() -> None:
    """With truncated and terminated games: G = r + g ((1 - l) V(next) + l G(next)), which ends with a game."""
    random, steps = np.random.default_rng(4), 10
    config = Config(gamma=0.9, gae_lambda=0.7)
    reward, following = (random.normal(size=(steps, 1, 1)).astype(np.float32) for _ in range(2))
    value = np.concatenate([random.normal(size=(1, 1, 1)).astype(np.float32), following[:-1]])
    terminated, truncated = np.zeros((2, steps, 1, 1), bool)
    terminated[3], truncated[6] = True, True
    parts = {"value": value, "reward": reward, "next_value": following}
    parts |= {"terminated": terminated, "truncated": truncated}
    none: dict[str, Any] = dict.fromkeys(("view", "global_state", "starts", "action", "log_prob"))
    samples = jax.tree.map(jnp.asarray, Transition(**none, **parts))
    found = np.asarray(advantages(config.hyper(), samples) + samples.value)[:, 0, 0]
    wanted, after = np.zeros(steps), 0.0
    for step in reversed(range(steps)):
        ahead, now = following[step].item(), reward[step].item()
        last = truncated[step] or step == steps - 1
        after = now + 0.9 * (0.0 if terminated[step] else ahead if last else 0.3 * ahead + 0.7 * after)
        wanted[step] = after
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_exploration_falls_over_the_first_part_of_a_run() -> None:
    found = [float(epsilon_at(SMALL, jnp.int32(done))) for done in (0, 1, 2, 20)]
    assert found == pytest.approx([1.0, 0.6, 0.2, 0.2]), "20 updates, of which it falls over a tenth"
    assert network_of(recall(), SMALL).epsilon == 0.2, "drawn games are played as at the end"


def test_rewards_are_scaled_in_what_is_fitted_and_not_in_what_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rollout that is made up; values are not scaled."""
    config, random = SMALL, np.random.default_rng(2)
    parts = {
        name: jnp.asarray(random.normal(size=(8, 1, 1)), jnp.float32) for name in ("reward", "value", "next_value")
    }
    parts |= dict.fromkeys(("terminated", "truncated"), jnp.zeros((8, 1, 1), bool))
    none: dict[str, Any] = dict.fromkeys(("view", "global_state", "starts", "action", "log_prob"))
    samples, fitted = Transition(**none, **parts), []

    def update_policy(env: Any, config: Any, runner: Any, memory: Any, *given: Any) -> tuple[Any, dict[str, Any]]:
        fitted.extend(given[:2])
        return runner, {}

    monkeypatch.setattr(ppo, "rollout", lambda env, config, runner, method: (runner, samples, None))
    monkeypatch.setattr(ppo, "update_policy", update_policy)
    monkeypatch.setattr(ppo, "measured", lambda runner, samples, *_: samples)
    none = dict.fromkeys(field.name for field in fields(PqnRunner))
    runner = PqnRunner(**none | {"hyper": config.hyper(), "done": jnp.int32(0)})
    after, measured = pqn_vdn.update(recall(), config, runner)
    scaled = samples.replace(reward=10 * samples.reward)
    assert after.done == 1 and measured is samples
    np.testing.assert_array_equal(fitted[0].reward, scaled.reward)
    np.testing.assert_array_equal(fitted[1], advantages(config.hyper(), scaled))


@pytest.mark.long
def test_rewards_are_scaled_in_returns_and_not_in_metrics() -> None:
    """A network of zeros values everything 0, so the first loss is the mean square of what is fitted."""
    env, found = recall(), {}
    plain = replace(SMALL, update_epochs=1, num_minibatches=1)
    runner = jax.jit(partial(pqn_vdn.begin, env, plain))(jax.random.key(0))
    runner = runner.replace(params=jax.tree.map(jnp.zeros_like, runner.params))
    for scale in (1.0, 10.0):
        config = replace(plain, rew_scale=scale)
        after, found[scale] = jax.jit(partial(pqn_vdn.update, env, config))(runner)
        assert after.done == 1
    assert found[10.0].loss == pytest.approx(100 * float(found[1.0].loss), rel=1e-4) and found[1.0].loss > 0
    assert found[10.0].reward == found[1.0].reward == pytest.approx(float(found[1.0].episode_return) / 4)


def test_settings_that_it_cannot_have_are_fixed() -> None:
    assert algorithm("pqn_vdn").settings == {"centralised": 0, "attention": 0, "value_active_masks": 0}
