"""What the variants of PPO share: settings, advantages, the clipped loss, passes over a rollout, and whole runs.

The loss is that of Schulman et al., "Proximal Policy Optimization Algorithms" (2017), and the advantages are those of
Schulman et al., "High-Dimensional Continuous Control Using Generalized Advantage Estimation" (2016).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int, Key

from dsl import UserError
from hive.rl.autoreset import Restarted, restart
from hive.rl.env import Env, EnvState, LearnerView, step
from hive.rl.networks import memory_size

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
        width: Units of a layer, and of the memory of a recurrent network.
        recurrent: Whether the networks have a GRU: 0 or 1.
        pool: Self-play: most past policies that are opponents.
        entry: Self-play: updates after which the policy becomes one of them.
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
    recurrent: int = 0
    pool: int = 8
    entry: int = 10

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            UserError: A number is out of range.
        """
        for each in fields(self):
            number, (low, high) = getattr(self, each.name), _range(each.name, each.type == "int")
            whole = each.type != "int" or number == int(number)
            if not (low <= number <= (high or number) and whole):
                words = f"from {low} to {high}" if high else f"a whole number, at least {low}"
                raise UserError(f"`{each.name}` is {number:g}: it is {words}")
            if number > (most := _MOST.get(each.name, number)):
                raise UserError(f"`{each.name}` is {number:g}: it is at most {most:,}")
        if self.envs % self.minibatches:
            raise UserError(
                f"{self.envs} environments cannot be split into {self.minibatches} minibatches\n"
                "  = help: `envs` is a multiple of `minibatches`"
            )
        if self.batch > _MOST_STEPS:
            raise UserError(f"one update of {self.envs} x {self.horizon} steps is too large: at most {_MOST_STEPS:,}")
        if self.updates < 1:
            raise UserError(
                f"{self.steps} steps are less than one update of {self.envs} x {self.horizon}\n"
                f"  = help: give at least {self.envs * self.horizon:,} steps"
            )

    @property
    def batch(self) -> int:
        """Environment steps of an update."""
        return self.envs * self.horizon

    @property
    def updates(self) -> int:
        """Updates of the run."""
        return self.steps // self.batch

    def hyper(self) -> Hyper:
        """Return the settings that may differ between runs of one program."""
        return Hyper(**{name: jnp.float32(getattr(self, name)) for name in Hyper.__dataclass_fields__})


_MOST = {"epochs": 1_000, "width": 4_096, "pool": 1_000, "entry": 1_000_000}
_MOST_STEPS = 1 << 28  # of one update, which memory holds all at once


def _range(name: str, whole: bool) -> tuple[int, int | None]:
    if name == "recurrent":
        return 0, 1
    return (1, None) if whole else (0, 1 if name in ("discount", "trace") else 10)


class Hyper(struct.PyTreeNode, kw_only=True):
    """Settings as arrays, so that `jax.vmap` trains with several at once; see `Config`."""

    rate: Float[Array, ""]
    discount: Float[Array, ""]
    trace: Float[Array, ""]
    clip: Float[Array, ""]
    entropy: Float[Array, ""]
    value: Float[Array, ""]
    norm: Float[Array, ""]


class Runner(struct.PyTreeNode, kw_only=True):
    """Everything that an update changes or reads, apart from the environment."""

    params: Tree  # of the networks
    optimiser: Tree  # its state
    play: EnvState  # [envs, ...]
    view: LearnerView
    memory: Tree  # of recurrent networks; [envs, ...]
    starts: Bool[Array, " envs"]  # whether `view` is the first of a game
    key: Key[Array, ""]
    hyper: Hyper


class Transition(struct.PyTreeNode, kw_only=True):
    """One step of all units; leaves `[horizon, envs, ...]` in a rollout.

    Values and what follows them have one entry for each value of the critic: `n` of them, or one for the team.
    """

    view: LearnerView
    starts: Bool[Array, ""]
    action: Int[Array, " n"]
    chance: Float[Array, " n"]  # logarithm of the action's probability
    value: Float[Array, " *v"]
    reward: Float[Array, " *v"]
    ended: Bool[Array, " *v"]  # won or lost: nothing follows
    cut: Bool[Array, " *v"]  # the limit was reached: the value of the last state follows
    last: Float[Array, " *v"]  # value of the state after the step


class FinishedGames(struct.PyTreeNode, kw_only=True):
    """The games that ended in a step."""

    games: Int[Array, ""]
    won: Int[Array, ""]
    score: Float[Array, ""]  # sum


class Measures(struct.PyTreeNode, kw_only=True):
    """What one update measured."""

    games: Int[Array, ""]  # finished in the rollout
    won: Int[Array, ""]  # of these
    score: Float[Array, ""]  # mean of these; 0 if there are none
    reward: Float[Array, ""]  # mean a step
    loss: Float[Array, ""]
    entropy: Float[Array, ""]
    finite: Bool[Array, ""]  # whether the loss and all parameters are finite


def next_step(
    env: Env, play: EnvState, action: Int[Array, "b n"], key: Key[Array, ""]
) -> tuple[EnvState, EnvState, Restarted, Bool[Array, " b"], FinishedGames]:
    """Step all environments.

    Returns:
        The next states, those before a reset, the results, which games ended, and what is reported of these.
    """
    ends, turn = jax.vmap(step, (None, 0, 0))(env, play, action)
    keys = jax.random.split(key, action.shape[0])
    play, after = jax.vmap(restart, (None, 0, 0, 0))(env, ends, turn, keys)
    over = turn.terminated | turn.truncated
    finished = FinishedGames(
        games=over.sum(dtype=jnp.int32),
        won=turn.won.sum(dtype=jnp.int32),
        score=jnp.where(over, turn.score, 0.0).sum(),
    )
    return play, ends, after, over, finished


def draw(logits: Float[Array, "*b a"], key: Key[Array, ""]) -> tuple[Int[Array, "*b"], Float[Array, "*b"]]:
    """Draw actions; also return the logarithms of their probabilities."""
    action = jax.random.categorical(key, logits)
    return action, chance_of(jax.nn.log_softmax(logits), action)


def chance_of(log: Float[Array, "*b a"], action: Int[Array, "*b"]) -> Float[Array, "*b"]:
    """Return the entries of the actions that were taken."""
    return jnp.take_along_axis(log, action[..., None], -1)[..., 0]


def advantages(hyper: Hyper, samples: Transition) -> Float[Array, "t b *v"]:
    """Return generalised advantage estimates; a game that was cut is continued by the value of its last state."""

    def back(trace: Array, sample: Transition) -> tuple[Array, Array]:
        follows = jnp.where(sample.ended, 0.0, sample.last)
        error = sample.reward + hyper.discount * follows - sample.value
        over = sample.ended | sample.cut
        trace = error + jnp.where(over, 0.0, hyper.discount * hyper.trace * trace)
        return trace, trace

    _, found = lax.scan(back, jnp.zeros_like(samples.value[0]), samples, reverse=True)
    return found


def policy_cost(
    hyper: Hyper, logits: Float[Array, "t b n a"], samples: Transition, advantage: Float[Array, "t b n"]
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Return the clipped loss of the policy, and its mean entropy; only living units count."""
    weight = samples.view.alive.astype(jnp.float32)
    weight = weight / jnp.maximum(weight.sum(), 1.0)
    mean = (weight * advantage).sum()
    spread = jnp.sqrt((weight * (advantage - mean) ** 2).sum())
    scaled = (advantage - mean) / (spread + 1e-8)
    log = jax.nn.log_softmax(logits)
    ratio = jnp.exp(chance_of(log, samples.action) - samples.chance)
    gain = jnp.minimum(ratio * scaled, jnp.clip(ratio, 1 - hyper.clip, 1 + hyper.clip) * scaled)
    entropy = -(weight * (jnp.exp(log) * jnp.where(samples.view.available, log, 0.0)).sum(-1)).sum()
    return -(weight * gain).sum(), entropy


def value_cost(
    hyper: Hyper, value: Float[Array, "t b *v"], samples: Transition, advantage: Float[Array, "t b *v"]
) -> Float[Array, ""]:
    """Return the clipped loss of the critic."""
    wanted = samples.value + advantage
    kept = samples.value + jnp.clip(value - samples.value, -hyper.clip, hyper.clip)
    return 0.5 * jnp.maximum((value - wanted) ** 2, (kept - wanted) ** 2).mean()


def optimiser_of(config: Config, hyper: Hyper) -> optax.GradientTransformation:
    """Return Adam with a falling rate, behind a limit on the gradient's norm."""
    steps = config.updates * config.epochs * config.minibatches
    return optax.chain(
        optax.clip_by_global_norm(hyper.norm), optax.adam(optax.linear_schedule(hyper.rate, 0.0, steps), eps=1e-5)
    )


def whole_run(
    begin: Callable[..., Runner], update: Callable[..., tuple[Runner, Measures]], env: Env, config: Config
) -> Callable[..., tuple[Tree, Measures]]:
    """Return a pure function that trains from a key.

    Args:
        begin: Of the algorithm: environment, settings, key and `Hyper` or None.
        update: Of the algorithm: environment, settings and runner.
        env: The environment.
        config: The settings.

    Returns:
        `train(key, hyper)`: the parameters of the networks, and the reports of all updates, leaves `[updates]`. `hyper`
        is that of the settings unless it is given.
    """

    def train(key: Key[Array, ""], hyper: Hyper | None = None) -> tuple[Tree, Measures]:
        runner, reports = lax.scan(
            lambda runner, _: update(env, config, runner), begin(env, config, key, hyper), None, config.updates
        )
        return runner.params, reports

    return train


def fresh_memory(env: Env, config: Config, *batch: int) -> Float[Array, "*b n m"]:
    """Return the policy's memory at the start of games."""
    return jnp.zeros((*batch, env.agents, memory_size(config.width, bool(config.recurrent))))


Cost = Callable[[Tree, Tree, Transition, Array], tuple[Array, Array]]
"""Returns the loss and the entropy of parameters on a minibatch: memory at its start, samples, advantages."""


def improve(
    config: Config, runner: Runner, cost: Cost, memory: Tree, samples: Transition, finished: FinishedGames
) -> tuple[Runner, Measures]:
    """Learn from a rollout in several passes, each over minibatches of whole environments.

    Args:
        config: The settings.
        runner: After the rollout.
        cost: What is minimised.
        memory: Of the networks before the rollout.
        samples: The rollout.
        finished: Leaves `[horizon]`.
    """
    optimiser = optimiser_of(config, runner.hyper)
    advantage = advantages(runner.hyper, samples)

    def learn(carry: tuple[Tree, Tree], part: Int[Array, " b"]) -> tuple[tuple[Tree, Tree], tuple[Array, Array]]:
        params, state = carry
        first, rest = jax.tree.map(lambda leaf: leaf[part], memory), (samples, advantage)
        rows = jax.tree.map(lambda leaf: leaf[:, part], rest)
        found, slope = jax.value_and_grad(cost, has_aux=True)(params, first, *rows)
        with jax.numpy_dtype_promotion("standard"):  # optax needs it
            change, state = optimiser.update(slope, state, params)
            return (optax.apply_updates(params, change), state), found

    def again(carry: tuple[Tree, Tree], key: Key[Array, ""]) -> tuple[tuple[Tree, Tree], tuple[Array, Array]]:
        return lax.scan(learn, carry, jax.random.permutation(key, config.envs).reshape(config.minibatches, -1))

    key, mixing = jax.random.split(runner.key)
    (params, state), (loss, entropy) = lax.scan(
        again, (runner.params, runner.optimiser), jax.random.split(mixing, config.epochs)
    )
    finite = jnp.array([jnp.isfinite(leaf).all() for leaf in jax.tree.leaves((params, loss))]).all()
    games = finished.games.sum()
    report = Measures(
        games=games,
        won=finished.won.sum(),
        score=finished.score.sum() / jnp.maximum(games, 1).astype(jnp.float32),
        reward=samples.reward.mean(),
        loss=loss[-1].mean(),
        entropy=entropy[-1].mean(),
        finite=finite,
    )
    return runner.replace(params=params, optimiser=state, key=key), report
