"""Independent PPO learns, and its parts are what the literature says."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive.rl as rl
from dsl import UserError
from hive.battle.world import load
from hive.rl.env import Env
from hive.rl.ippo import make_train
from hive.rl.ppo import Config, Transition, advantages
from tests.rl.toys import ERRAND

TINY = Config(steps=12_800, envs=32, horizon=20, width=32, rate=3e-3)


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Env:
    file: Path = tmp_path_factory.mktemp("errand") / "errand.toml"
    file.write_text(ERRAND)
    return rl.make_env(load(file), nearest=1)


@pytest.mark.long
def test_two_units_learn_to_walk_to_a_place(env: Env) -> None:
    """In the first rollouts at most a few games of a hundred are won, after 20 nearly all; so for each of five keys."""
    _, reports = jax.jit(make_train(env, TINY))(jax.random.key(0))
    share = np.asarray(reports.won) / np.maximum(np.asarray(reports.games), 1)
    assert reports.finite.all()
    assert share[:2].mean() < 0.4 and share[-3:].mean() > 0.8, share


def test_advantages_are_those_of_the_definition() -> None:
    """Sums of discounted errors, cut where a game ends; a game that was cut goes on with its last value."""
    random = np.random.default_rng(2)
    steps, config = 12, Config(discount=0.9, trace=0.8)
    value, reward, last = (random.normal(size=(steps, 1, 1)).astype(np.float32) for _ in range(3))
    ended, cut = np.zeros((2, steps, 1, 1), bool)
    ended[4], cut[8] = True, True
    parts = {"value": value, "reward": reward, "ended": ended, "cut": cut, "last": last}
    samples = Transition(view=None, starts=None, action=None, chance=None, **parts)
    found = np.asarray(advantages(config.hyper(), jax.tree.map(jnp.asarray, samples)))[:, 0, 0]
    for first in range(steps):
        wanted, weight = 0.0, 1.0
        for step in range(first, steps):
            follows = 0.0 if ended[step] else last[step]
            wanted += weight * float((reward[step] + 0.9 * follows - value[step]).item())
            weight *= 0.9 * 0.8
            if ended[step] or cut[step]:
                break
        assert found[first] == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"envs": 10, "minibatches": 4}, "cannot be split"),
        ({"steps": 100}, "less than one update"),
        ({"rate": -1.0}, "`rate` is -1: it is from 0 to 10"),
        ({"epochs": 0}, "`epochs` is 0: it is a whole number, at least 1"),
        ({"recurrent": 2}, "`recurrent` is 2: it is from 0 to 1"),
    ],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, float], words: str) -> None:
    with pytest.raises(UserError, match=words):
        Config(**wrong)
