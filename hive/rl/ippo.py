"""Independent PPO with shared parameters, from reset to the last update in one program.

`train = make_train(config)` is pure: `jax.jit(train)(key)` trains one policy, `jax.jit(jax.vmap(train))(keys)` several
seeds. Read it from top to bottom: rollout, advantages, minibatches, update.

The reward, the end of a game and the clipped loss are those of Schulman et al., "Proximal Policy Optimization
Algorithms" (2017); each unit is an agent of its own with the parameters of all, as in de Witt et al., "Is Independent
Learning All You Need in the StarCraft Multi-Agent Challenge?" (2020).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import struct
from flax.training.train_state import TrainState
from jax import lax
from jaxtyping import Array, Bool, Float, Int, Key

from dsl import UserError
from hive.rl.autoreset import step_and_reset
from hive.rl.env import Env, Play, View, reset
from hive.rl.networks import ActorCritic

Tree = Any


@dataclass(frozen=True, kw_only=True)
class Config:
    """Settings of a training run; every field is a number that the command line can set.

    Attributes:
        steps: Environment steps of the whole run, over all environments; rounded down to whole updates.
        envs: Environments side by side.
        horizon: Steps of a rollout.
        epochs: Passes over a rollout.
        minibatches: Parts of a pass; they divide `envs`.
        rate: Learning rate at the start; it falls linearly to zero.
        discount: Discount of a step.
        trace: Lambda of the generalised advantage estimate.
        clip: Clip range of the probability ratio and of the value.
        entropy: Weight of the entropy.
        value: Weight of the value loss.
        norm: Largest global norm of a gradient.
        width: Units of a layer.
    """

    steps: int = 1_000_000
    envs: int = 64
    horizon: int = 64
    epochs: int = 4
    minibatches: int = 4
    rate: float = 1e-3
    discount: float = 0.99
    trace: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    value: float = 0.5
    norm: float = 0.5
    width: int = 64

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            UserError: A number is out of range.
        """
        for each in fields(self):
            number = getattr(self, each.name)
            whole = each.type == "int"
            if not (number >= 1 if whole else 0 <= number <= 10):
                raise UserError(f"`{each.name}` is {number:g}: it is {'at least 1' if whole else 'from 0 to 10'}")
        if self.envs % self.minibatches:
            raise UserError(f"{self.envs} environments cannot be split into {self.minibatches} minibatches")
        if self.updates < 1:
            raise UserError(f"{self.steps} steps are less than one update of {self.envs} x {self.horizon}")

    @property
    def updates(self) -> int:
        """Updates of the run."""
        return self.steps // (self.envs * self.horizon)


class Sample(struct.PyTreeNode, kw_only=True):
    """One step of all units; leaves `[horizon, envs, n, ...]` in a rollout."""

    view: View
    action: Int[Array, " n"]
    chance: Float[Array, " n"]  # logarithm of the action's probability
    value: Float[Array, " n"]
    reward: Float[Array, " n"]
    ended: Bool[Array, " n"]  # won or lost: nothing follows
    cut: Bool[Array, " n"]  # the limit was reached: the value of the last state follows
    last: Float[Array, " n"]  # value of the state after the step


class Report(struct.PyTreeNode, kw_only=True):
    """What one update measured."""

    games: Int[Array, ""]  # finished in the rollout
    won: Int[Array, ""]  # of these
    reward: Float[Array, ""]  # mean a step
    loss: Float[Array, ""]
    entropy: Float[Array, ""]
    finite: Bool[Array, ""]  # whether the loss and all parameters are finite


class Runner(struct.PyTreeNode, kw_only=True):
    """Everything that an update changes."""

    state: TrainState
    play: Play
    view: View
    key: Key[Array, ""]


def make_train(env: Env, config: Config) -> Callable[[Key[Array, ""]], tuple[Tree, Report]]:
    """Return a pure function that trains from a key.

    Returns:
        `train(key)`: the parameters of the network, and the reports of all updates, leaves `[updates]`.
    """

    def train(key: Key[Array, ""]) -> tuple[Tree, Report]:
        runner, reports = lax.scan(
            lambda runner, _: update(env, config, runner), begin(env, config, key), None, config.updates
        )
        return runner.state.params, reports

    return train


def network_of(env: Env, config: Config) -> ActorCritic:
    """Return the network for an environment."""
    return ActorCritic(actions=env.actions, width=config.width)


def begin(env: Env, config: Config, key: Key[Array, ""]) -> Runner:
    """Set up networks, optimiser and games."""
    key, weights, games = jax.random.split(key, 3)
    play, view = jax.vmap(reset, (None, 0))(env, jax.random.split(games, config.envs))
    network = network_of(env, config)
    steps = config.updates * config.epochs * config.minibatches
    optimiser = optax.chain(
        optax.clip_by_global_norm(config.norm),
        optax.adam(optax.linear_schedule(config.rate, 0.0, steps), eps=1e-5),
    )
    params = network.init(weights, view.observation, view.available)
    return Runner(
        state=TrainState.create(apply_fn=network.apply, params=params, tx=optimiser), play=play, view=view, key=key
    )


def update(env: Env, config: Config, runner: Runner) -> tuple[Runner, Report]:
    """Play a rollout and learn from it."""
    runner, samples, won = roll(env, config, runner)
    advantage = advantages(config, samples)
    state, key = runner.state, runner.key
    losses = []
    for _ in range(config.epochs):
        key, mixing = jax.random.split(key)
        order = jax.random.permutation(mixing, config.envs).reshape(config.minibatches, -1)
        state, (loss, entropy) = lax.scan(
            lambda state, part: learn(config, state, *jax.tree.map(lambda leaf: leaf[:, part], (samples, advantage))),
            state,
            order,
        )
        losses.append((loss.mean(), entropy.mean()))
    loss, entropy = losses[-1]
    over = (samples.ended | samples.cut)[..., 0]
    finite = jnp.array([jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(state.params)]).all()
    report = Report(
        games=over.sum(dtype=jnp.int32),
        won=won,
        reward=samples.reward.mean(),
        loss=loss,
        entropy=entropy,
        finite=finite & jnp.isfinite(loss),
    )
    return runner.replace(state=state, key=key), report


def roll(env: Env, config: Config, runner: Runner) -> tuple[Runner, Sample, Int[Array, ""]]:
    """Play `horizon` steps in all environments; also return the number of games won."""
    apply, weights = runner.state.apply_fn, runner.state.params

    def on(carry: tuple[Play, View, Key[Array, ""]], _: None) -> tuple[Tree, tuple[Sample, Array]]:
        play, view, key = carry
        key, choosing, starting = jax.random.split(key, 3)
        logits, value = apply(weights, view.observation, view.available)
        action = jax.random.categorical(choosing, logits)
        chance = jnp.take_along_axis(jax.nn.log_softmax(logits), action[..., None], -1)[..., 0]
        keys = jax.random.split(starting, config.envs)
        play, after = jax.vmap(step_and_reset, (None, 0, 0, 0))(env, play, action, keys)
        turn = after.turn
        _, last = apply(weights, after.final_observation, jnp.ones_like(view.available))
        shape = turn.reward.shape
        sample = Sample(
            view=view,
            action=action,
            chance=chance,
            value=value,
            reward=turn.reward,
            ended=jnp.broadcast_to(turn.terminated[:, None], shape),
            cut=jnp.broadcast_to(turn.truncated[:, None], shape),
            last=last,
        )
        return (play, turn.view, key), (sample, turn.won.sum(dtype=jnp.int32))

    (play, view, key), (samples, won) = lax.scan(on, (runner.play, runner.view, runner.key), None, config.horizon)
    return runner.replace(play=play, view=view, key=key), samples, won.sum()


def advantages(config: Config, samples: Sample) -> Float[Array, "t b n"]:
    """Return generalised advantage estimates; a game that was cut is continued by the value of its last state."""

    def back(trace: Array, sample: Sample) -> tuple[Array, Array]:
        follows = jnp.where(sample.ended, 0.0, sample.last)
        error = sample.reward + config.discount * follows - sample.value
        over = sample.ended | sample.cut
        trace = error + jnp.where(over, 0.0, config.discount * config.trace * trace)
        return trace, trace

    _, found = lax.scan(back, jnp.zeros_like(samples.value[0]), samples, reverse=True)
    return found


def learn(
    config: Config, state: TrainState, samples: Sample, advantage: Float[Array, "t b n"]
) -> tuple[TrainState, tuple[Float[Array, ""], Float[Array, ""]]]:
    """Take one step of the optimiser on one minibatch.

    Only living units teach the policy. The critic learns from dead ones too, because their team plays on and the value
    of a dead unit ends the advantage of its last action.
    """
    weight = samples.view.alive.astype(jnp.float32)
    weight = weight / jnp.maximum(weight.sum(), 1.0)
    mean = (weight * advantage).sum()
    spread = jnp.sqrt((weight * (advantage - mean) ** 2).sum())
    scaled = (advantage - mean) / (spread + 1e-8)
    wanted = samples.value + advantage

    def cost(params: Tree) -> tuple[Array, Array]:
        logits, value = state.apply_fn(params, samples.view.observation, samples.view.available)
        log = jax.nn.log_softmax(logits)
        chance = jnp.take_along_axis(log, samples.action[..., None], -1)[..., 0]
        ratio = jnp.exp(chance - samples.chance)
        gain = jnp.minimum(ratio * scaled, jnp.clip(ratio, 1 - config.clip, 1 + config.clip) * scaled)
        kept = samples.value + jnp.clip(value - samples.value, -config.clip, config.clip)
        error = jnp.maximum((value - wanted) ** 2, (kept - wanted) ** 2)
        entropy = -(weight * (jnp.exp(log) * jnp.where(samples.view.available, log, 0.0)).sum(-1)).sum()
        loss = -(weight * gain).sum() + 0.5 * config.value * error.mean() - config.entropy * entropy
        return loss, entropy

    (loss, entropy), slope = jax.value_and_grad(cost, has_aux=True)(state.params)
    return state.apply_gradients(grads=slope), (loss, entropy)
