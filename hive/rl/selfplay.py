"""Self-play: a policy learns by independent PPO against a pool of its own past, which grows while it learns.

The opponent is a part of the environment (`hive.rl.rivals`), so `hive.rl.ippo` trains as against a plan. Seen from
either side the map looks alike (`hive.rl.team.turn_of`), hence one network plays both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from dsl import UserError
from hive.rl import ippo, ppo
from hive.rl.env import Env
from hive.rl.ippo import logits_of, network_of
from hive.rl.networks import memory_size
from hive.rl.ppo import Config, Hyper, Measures, whole_run
from hive.rl.rivals import Rival, make_rival, with_policy

Tree = Any


class SelfPlayRunner(ppo.Runner):
    """Everything that an update changes, with the opponents.

    Attributes:
        pool: Past policies.
        done: Updates so far.
    """

    pool: Rival
    done: Int[Array, ""]


def make_train(env: Env, config: Config) -> Callable[..., tuple[Tree, Measures]]:
    """Return a pure function that trains from a key; see `hive.rl.ippo.make_train`."""
    return whole_run(begin, update, env, config)


def begin(env: Env, config: Config, key: Key[Array, ""], hyper: Hyper | None = None) -> SelfPlayRunner:
    """Set up the network, the optimiser, the pool with the untrained policy, and the games.

    Raises:
        UserError: No policy can play the other side of the environment.
    """
    if not hasattr(env, "against"):
        raise UserError("self-play needs two sides, and this task has one\n  = help: train with --algorithm ippo")
    params = ippo.begin(env, config, key, hyper).params
    memory = memory_size(config.width, bool(config.recurrent))
    pool = make_rival(network_of(env, config), params, memory=memory, room=config.pool)
    runner = ippo.begin(against(env, pool), config, key, hyper)
    shared = {name: getattr(runner, name) for name in ppo.Runner.__dataclass_fields__}
    return SelfPlayRunner(**shared, pool=pool, done=jnp.int32(0))


def update(env: Env, config: Config, runner: SelfPlayRunner) -> tuple[SelfPlayRunner, Measures]:
    """Play a rollout against the pool and learn from it; a game that is won is won against a past policy.

    After each `config.entry` updates the policy enters the pool, in place of the oldest one if the pool is full.
    """
    after, report = ippo.update(against(env, runner.pool), config, runner)
    assert isinstance(after, SelfPlayRunner), "an update keeps the form of what it changes"
    done = runner.done + 1
    entered = with_policy(runner.pool, (done // config.entry) % config.pool, after.params)
    due = done % config.entry == 0
    pool = jax.tree.map(lambda new, old: jnp.where(due, new, old), entered, runner.pool)
    return after.replace(pool=pool, done=done), report


def against(env: Env, rival: Rival) -> Env:
    """Return the environment with a rival on the other side.

    Raises:
        UserError: No policy of the learner's form can play that side.
    """
    found: Env = env.against(rival)  # type: ignore[attr-defined]
    return found


__all__ = ["SelfPlayRunner", "against", "begin", "logits_of", "make_train", "network_of", "update"]
