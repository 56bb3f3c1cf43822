"""Steps a second of an environment: a loop in the style of Gymnax and PureJaxRL, with `jax.vmap` and `jax.lax.scan`."""

from __future__ import annotations

import argparse
import time

import jax
import jax.numpy as jnp

import hive.rl


def main() -> None:
    """Step many games side by side with random available actions, in one compiled program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="skirmish_5v5", help="a task or a world of `hive list`")
    parser.add_argument("--num-envs", type=int, default=512, help="games side by side")
    parser.add_argument("--num-steps", type=int, default=200, help="steps of each game slot")
    args = parser.parse_args()
    env = hive.rl.make(args.task)

    def random_action(key: jax.Array, view: hive.rl.LearnerView) -> jax.Array:
        return jax.random.categorical(key, jnp.where(view.action_mask, 0.0, -jnp.inf))

    @jax.jit
    def rollout(key: jax.Array) -> tuple[jax.Array, jax.Array]:
        reset_key, scan_key = jax.random.split(key)
        state, view = jax.vmap(hive.rl.reset, (None, 0))(env, jax.random.split(reset_key, args.num_envs))

        def env_step(carry: tuple, step_key: jax.Array) -> tuple[tuple, tuple[jax.Array, jax.Array]]:
            state, view = carry
            act_key, new_key = jax.random.split(step_key)
            action = jax.vmap(random_action)(jax.random.split(act_key, args.num_envs), view)
            keys = jax.random.split(new_key, args.num_envs)  # of games that begin in this step
            state, restarted = jax.vmap(hive.rl.step_and_reset, (None, 0, 0, 0))(env, state, action, keys)
            timestep = restarted.timestep
            return (state, timestep.view), (timestep.reward, timestep.terminated | timestep.truncated)

        _, (reward, done) = jax.lax.scan(env_step, (state, view), jax.random.split(scan_key, args.num_steps))
        return reward.mean(), done.sum()

    jax.block_until_ready(rollout(jax.random.key(0)))  # compiles
    start = time.perf_counter()
    reward, done = jax.block_until_ready(rollout(jax.random.key(1)))
    seconds = time.perf_counter() - start
    steps = args.num_envs * args.num_steps
    print(f"{env.num_agents} agents in {args.task}, {args.num_envs} games side by side on {jax.devices()[0].platform}")
    print(f"{steps:,} steps in {seconds:.2f} s: {steps / seconds:,.0f} a second, of {env.num_agents} agents each")
    print(f"{int(done):,} games ended, mean reward {float(reward):+.4f}")


if __name__ == "__main__":
    main()
