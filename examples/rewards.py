"""A reward and an observation of your own: two functions for `hive.rl.make`.

`hive.rl.check(env)` plays some games of such an environment and lists what breaks the contract of environments.
"""

from __future__ import annotations

import argparse
from typing import Any

import jax
import jax.numpy as jnp

import hive.rl


def careful(env: Any, before: Any, after: Any, timestep: hive.rl.TimeStep) -> jax.Array:
    """The reward of the task, less a hundredth of the health that the own team loses in the step."""
    mine = env.own.rows
    lost = before.game.state.health[mine].sum() - after.game.state.health[mine].sum()
    return timestep.reward[0] - 0.01 * lost


def with_strength(env: Any, state: Any, view: hive.rl.LearnerView) -> jax.Array:
    """What the task shows, and the share of the own team that is alive, `[n, f + 1]`."""
    share = view.alive.mean(dtype=jnp.float32)
    return jnp.concatenate([view.observation, jnp.where(view.alive, share, 0.0)[:, None]], axis=1)


def episode_return(env: hive.rl.Env, key: jax.Array, steps: int) -> jax.Array:
    """Play one game with random available actions and add up the rewards of its first agent."""

    def env_step(carry: tuple, step_key: jax.Array) -> tuple[tuple, jax.Array]:
        state, view = carry
        action = jax.random.categorical(step_key, jnp.where(view.action_mask, 0.0, -jnp.inf))
        state, timestep = hive.rl.step(env, state, action)
        return (state, timestep.view), timestep.reward[0]

    _, rewards = jax.lax.scan(env_step, hive.rl.reset(env, key), jax.random.split(key, steps))
    return rewards.sum()


def main() -> None:
    """Compare the returns of the same games by the task's reward and by your own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=64, help="games side by side")
    args = parser.parse_args()

    task = hive.rl.make("skirmish_5v5")
    mine = hive.rl.make("skirmish_5v5", reward=careful, observation=with_strength)
    print(f"an agent observes {mine.observation_size} numbers, of which the task shows {task.observation_size}")
    keys = jax.random.split(jax.random.key(0), args.games)
    for name, env in {"of the task": task, "of your own": mine}.items():
        returns = jax.jit(jax.vmap(lambda key, env=env: episode_return(env, key, env.max_steps)))(keys)
        print(f"mean return by the reward {name}: {returns.mean():+.2f} ({args.games} games of random actions)")


if __name__ == "__main__":
    main()
