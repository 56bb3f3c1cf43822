"""Self-play: a policy learns by PPO against a pool of its own past, which grows while it learns.

The opponent is a part of the environment (`hive.kit.environment.rivals`), so `hive.rl.ppo` trains as against a plan.
Seen from either side the map looks alike (`hive.worlds.battle.environment.team.turn_of`), hence one network plays both.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from hive.kit.environment.env import Env
from hive.kit.environment.rivals import Rival, make_rival, with_policy
from hive.rl import ppo
from hive.rl.ppo import TrainingMetrics, network_of
from hive.rl.settings import Config, Hyper


class SelfPlayRunner(ppo.Runner):
    """Everything that an update changes, with the opponents.

    Attributes:
        pool: Past policies.
        done: Updates so far.
    """

    pool: Rival
    done: Int[Array, ""]


def begin(env: Env, config: Config, key: Key[Array, ""], hyper: Hyper | None = None) -> SelfPlayRunner:
    """Set up the network, the optimiser, the pool with the untrained policy, and the games.

    Raises:
        UserError: No policy can play the other side of the environment.
    """
    params = ppo.begin(env, config, key, hyper).params
    pool = make_rival(network_of(env, config), params, room=config.pool)
    runner = ppo.begin(env.against(pool), config, key, hyper)
    return SelfPlayRunner(**vars(runner), pool=pool, done=jnp.int32(0))


def update(env: Env, config: Config, runner: SelfPlayRunner) -> tuple[SelfPlayRunner, TrainingMetrics]:
    """Play a rollout against the pool and learn from it; a game that is won is won against a past policy.

    After each `config.entry` updates the policy enters the pool, in place of the oldest one if the pool is full.
    """
    after, metrics = ppo.update(env.against(runner.pool), config, runner)
    assert isinstance(after, SelfPlayRunner), "an update keeps the form of what it changes"
    done = runner.done + 1
    entered = with_policy(runner.pool, (done // config.entry) % config.pool, after.params)
    due = done % config.entry == 0
    pool = jax.tree.map(lambda new, old: jnp.where(due, new, old), entered, runner.pool)
    return after.replace(pool=pool, done=done), metrics


__all__ = ["SelfPlayRunner", "begin", "network_of", "update"]
