"""Multi-agent PPO: shared parameters, and a critic that reads the global state, from reset to the last update.

`train = make_train(env, config)` is pure, as in `hive.rl.ippo`. Read it from top to bottom: begin, update, rollout,
loss. All units of a team get the same reward, so the critic has one value for the team; the policy reads what a unit
observes itself, and needs no critic once it is trained.

The method is that of Yu et al., "The Surprising Effectiveness of PPO in Cooperative Multi-Agent Games" (2022).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Key

from hive.rl import ppo
from hive.rl.env import Env, LearnerView, critic_state, reset
from hive.rl.networks import Actor, Critic, memory_size
from hive.rl.ppo import (
    Config,
    FinishedGames,
    Hyper,
    Measures,
    Runner,
    draw,
    fresh_memory,
    improve,
    next_step,
    optimiser_of,
    policy_cost,
    value_cost,
    whole_run,
)

Tree = Any


class TeamTransition(ppo.Transition):
    """One step, with what the critic reads; values have one entry, for the team."""

    state: Float[Array, " g"]


def make_train(env: Env, config: Config) -> Callable[..., tuple[Tree, Measures]]:
    """Return a pure function that trains from a key; see `hive.rl.ippo.make_train`."""
    return whole_run(begin, update, env, config)


def networks_of(env: Env, config: Config) -> tuple[Actor, Critic]:
    """Return the policy and the critic for an environment."""
    recurrent = bool(config.recurrent)
    return Actor(env.actions, config.width, recurrent), Critic(config.width, recurrent)


def begin(env: Env, config: Config, key: Key[Array, ""], hyper: Hyper | None = None) -> Runner:
    """Set up both networks, the optimiser and the games."""
    key, acting, judging, games = jax.random.split(key, 4)
    hyper = config.hyper() if hyper is None else hyper
    play, view = jax.vmap(reset, (None, 0))(env, jax.random.split(games, config.envs))
    starts = jnp.ones(config.envs, bool)
    size = memory_size(config.width, bool(config.recurrent))
    memory = fresh_memory(env, config, config.envs), jnp.zeros((config.envs, size))
    state = jax.vmap(critic_state, (None, 0))(env, play)
    actor, critic = networks_of(env, config)
    params = (
        actor.init(acting, memory[0], view.observation[None], view.available[None], starts[None, :, None]),
        critic.init(judging, memory[1], state[None], starts[None]),
    )
    with jax.numpy_dtype_promotion("standard"):  # optax needs it
        optimiser = optimiser_of(config, hyper).init(params)
    return Runner(
        params=params, optimiser=optimiser, play=play, view=view, memory=memory, starts=starts, key=key, hyper=hyper
    )


def update(env: Env, config: Config, runner: Runner) -> tuple[Runner, Measures]:
    """Play a rollout and learn from it."""
    before = runner.memory
    runner, samples, finished = roll(env, config, runner)
    return improve(config, runner, partial(cost, env, config, runner.hyper), before, samples, finished)


def roll(env: Env, config: Config, runner: Runner) -> tuple[Runner, TeamTransition, FinishedGames]:
    """Play `horizon` steps in all environments."""
    choose, judge = _functions(env, config, runner.params)

    def on(runner: Runner, _: None) -> tuple[Runner, tuple[TeamTransition, FinishedGames]]:
        key, choosing, starting = jax.random.split(runner.key, 3)
        view, starts = runner.view, runner.starts
        state = jax.vmap(critic_state, (None, 0))(env, runner.play)
        own, logits = choose(runner.memory[0], view.observation[None], view.available[None], starts[None, :, None])
        team, value = judge(runner.memory[1], state[None], starts[None])
        action, chance = draw(logits[0], choosing)
        play, ends, after, over, finished = next_step(env, runner.play, action, starting)
        turn = after.turn
        final = jax.vmap(critic_state, (None, 0))(env, ends)
        _, last = judge(team, final[None], jnp.zeros_like(over)[None])
        sample = TeamTransition(
            view=view,
            starts=starts,
            action=action,
            chance=chance,
            value=value[0],
            reward=turn.reward[:, 0],
            ended=turn.terminated,
            cut=turn.truncated,
            last=last[0],
            state=state,
        )
        runner = runner.replace(play=play, view=turn.view, memory=(own, team), starts=over, key=key)
        return runner, (sample, finished)

    runner, (samples, finished) = lax.scan(on, runner, None, config.horizon)
    return runner, samples, finished


def cost(
    env: Env,
    config: Config,
    hyper: Hyper,
    params: Tree,
    memory: Tree,
    samples: TeamTransition,
    advantage: Float[Array, "t b"],
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Return the loss on a minibatch, and the entropy; only living units teach the policy."""
    choose, judge = _functions(env, config, params)
    view, starts = samples.view, samples.starts
    _, logits = choose(memory[0], view.observation, view.available, starts[..., None])
    _, value = judge(memory[1], samples.state, starts)
    shared = jnp.broadcast_to(advantage[..., None], view.alive.shape)
    loss, entropy = policy_cost(hyper, logits, samples, shared)
    return loss + hyper.value * value_cost(hyper, value, samples, advantage) - hyper.entropy * entropy, entropy


def logits_of(
    env: Env, config: Config, params: Tree, memory: Float[Array, "n m"], view: LearnerView
) -> tuple[Float[Array, "n m"], Float[Array, "n a"]]:
    """Return the memory after one step of one game, and the logits of the actions."""
    choose, _ = _functions(env, config, params)
    memory, logits = choose(memory, view.observation[None], view.available[None], jnp.zeros((1, 1), bool))
    return memory, logits[0]


def _functions(env: Env, config: Config, params: Tree) -> tuple[Callable[..., Tree], Callable[..., Tree]]:
    """Both networks with their parameters."""
    actor, critic = networks_of(env, config)
    return partial(actor.apply, params[0]), partial(critic.apply, params[1])
