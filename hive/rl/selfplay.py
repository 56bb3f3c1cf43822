"""Self-play: a policy learns against a pool of its own past, which grows while it learns.

The opponent is a leaf of the environment (`hive.rl.rivals`), so any algorithm trains as against a plan, and another
pool compiles nothing anew. Seen from either side the map looks alike (`hive.rl.team.turn_of`), hence one network plays
both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Int, Key

from dsl import UserError
from hive.rl import ippo
from hive.rl.networks import memory_size
from hive.rl.ppo import Config, Report, Runner
from hive.rl.rivals import Rival, make_rival, with_policy

Tree = Any
MakeEnv = Callable[[Rival | None], Any]
"""Makes the environment against a rival, or against its plan; such as a `partial` of `hive.rl.make_orders_env`."""


def make_selfplay(make: MakeEnv, config: Config, *, room: int = 8, every: int = 10) -> Callable[..., Any]:
    """Return a pure function that trains by self-play from a key.

    The pool begins with the untrained policy. After each `every` updates the current policy enters it; once it is full,
    it replaces the oldest one. Each game draws its opponent from the pool alike.

    Args:
        make: Makes the environment.
        config: Settings of the training.
        room: Most policies of the pool, 1 to 64.
        every: Updates between two entries.

    Returns:
        `train(key)`: the parameters of the network, the pool, and the reports of all updates, leaves `[updates]`; a
        game that is won is won against a past policy.

    Raises:
        UserError: A number is out of range.
    """
    for name, number, most in (("room", room, 64), ("every", every, config.updates)):
        if not 1 <= number <= most:
            raise UserError(f"`{name}` is {number}: it is from 1 to {most}")
    plain = make(None)
    network, memory = ippo.network_of(plain, config), memory_size(config.width, bool(config.recurrent))
    untrained = jax.eval_shape(lambda key: ippo.begin(plain, config, key).params, jax.random.key(0))
    blank = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), untrained)
    env = make(make_rival(network, blank, memory=memory, room=room))

    def train(key: Key[Array, ""]) -> tuple[Tree, Rival, Report]:
        runner = ippo.begin(env, config, key)
        pool = with_policy(env.rival, jnp.int32(0), runner.params)

        def on(carry: tuple[Runner, Rival], number: Int[Array, ""]) -> tuple[tuple[Runner, Rival], Report]:
            runner, pool = carry
            runner, report = ippo.update(env.replace(rival=pool), config, runner)
            entered = with_policy(pool, ((number + 1) // every) % room, runner.params)
            due = (number + 1) % every == 0
            pool = jax.tree.map(lambda new, old: jnp.where(due, new, old), entered, pool)
            return (runner, pool), report

        (runner, pool), reports = lax.scan(on, (runner, pool), jnp.arange(config.updates))
        return runner.params, pool, reports

    return train
