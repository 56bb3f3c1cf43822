"""Independent PPO with shared parameters, from reset to the last update in one program.

`train = make_train(env, config)` is pure: `jax.jit(train)(key)` trains one policy, `jax.jit(jax.vmap(train))(keys)`
several seeds. Read it from top to bottom: begin, update, rollout, loss. `hive.rl.ppo` has the parts that MAPPO shares.

Each unit is an agent of its own with the parameters of all, as in de Witt et al., "Is Independent Learning All You Need
in the StarCraft Multi-Agent Challenge?" (2020).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Key

from hive.rl.env import Env, LearnerView, reset
from hive.rl.networks import ActorCritic
from hive.rl.ppo import (
    Config,
    FinishedGames,
    Hyper,
    Measures,
    Runner,
    Transition,
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


def make_train(env: Env, config: Config) -> Callable[..., tuple[Tree, Measures]]:
    """Return a pure function that trains from a key.

    Returns:
        `train(key, hyper)`: the parameters of the network, and the reports of all updates, leaves `[updates]`. `hyper`
        is that of the settings unless it is given.
    """
    return whole_run(begin, update, env, config)


def network_of(env: Env, config: Config) -> ActorCritic:
    """Return the network for an environment."""
    return ActorCritic(actions=env.actions, width=config.width, recurrent=bool(config.recurrent))


def begin(env: Env, config: Config, key: Key[Array, ""], hyper: Hyper | None = None) -> Runner:
    """Set up the network, the optimiser and the games."""
    key, weights, games = jax.random.split(key, 3)
    hyper = config.hyper() if hyper is None else hyper
    play, view = jax.vmap(reset, (None, 0))(env, jax.random.split(games, config.envs))
    starts, memory = jnp.ones(config.envs, bool), fresh_memory(env, config, config.envs)
    params = network_of(env, config).init(weights, memory, *_sequence(view, starts))
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


def roll(env: Env, config: Config, runner: Runner) -> tuple[Runner, Transition, FinishedGames]:
    """Play `horizon` steps in all environments."""
    look: Callable[..., Tree] = partial(network_of(env, config).apply, runner.params)

    def on(runner: Runner, _: None) -> tuple[Runner, tuple[Transition, FinishedGames]]:
        key, choosing, starting = jax.random.split(runner.key, 3)
        memory, logits, value = look(runner.memory, *_sequence(runner.view, runner.starts))
        action, chance = draw(logits[0], choosing)
        play, _, after, over, finished = next_step(env, runner.play, action, starting)
        turn = after.turn
        final = runner.view.replace(observation=after.final_observation)
        _, _, last = look(memory, *_sequence(final, jnp.zeros_like(over)))
        sample = Transition(
            view=runner.view,
            starts=runner.starts,
            action=action,
            chance=chance,
            value=value[0],
            reward=turn.reward,
            ended=jnp.broadcast_to(turn.terminated[:, None], turn.reward.shape),
            cut=jnp.broadcast_to(turn.truncated[:, None], turn.reward.shape),
            last=last[0],
        )
        return runner.replace(play=play, view=turn.view, memory=memory, starts=over, key=key), (sample, finished)

    runner, (samples, finished) = lax.scan(on, runner, None, config.horizon)
    return runner, samples, finished


def cost(
    env: Env,
    config: Config,
    hyper: Hyper,
    params: Tree,
    memory: Tree,
    samples: Transition,
    advantage: Float[Array, "t b n"],
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Return the loss on a minibatch, and the entropy.

    Only living units teach the policy. The critic learns from dead ones too, because their team plays on and the value
    of a dead unit ends the advantage of its last action.
    """
    view, starts = samples.view, samples.starts[..., None]
    look: Callable[..., Tree] = partial(network_of(env, config).apply, params)
    _, logits, value = look(memory, view.observation, view.available, starts)
    loss, entropy = policy_cost(hyper, logits, samples, advantage)
    return loss + hyper.value * value_cost(hyper, value, samples, advantage) - hyper.entropy * entropy, entropy


def logits_of(
    env: Env, config: Config, params: Tree, memory: Float[Array, "n m"], view: LearnerView
) -> tuple[Float[Array, "n m"], Float[Array, "n a"]]:
    """Return the memory after one step of one game, and the logits of the actions."""
    look: Callable[..., Tree] = partial(network_of(env, config).apply, params)
    memory, logits, _ = look(memory, *_sequence(view, jnp.zeros((), bool)))
    return memory, logits[0]


def _sequence(view: LearnerView, starts: Bool[Array, "*b"]) -> tuple[Array, Array, Array]:
    """One step as a sequence of length one."""
    return view.observation[None], view.available[None], starts[None, ..., None]
