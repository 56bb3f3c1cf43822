"""IPPO and MAPPO: proximal policy optimisation for teams with shared parameters, from reset to the last update.

`train = make_train(env, config)` is pure: `jax.jit(train)(key)` trains one policy, `jax.jit(jax.vmap(train))(keys)`
several seeds. Read it from top to bottom: begin, update, rollout, advantages, update of the policy, loss. One algorithm
has two critics. `config.centralised = 0` values each agent by what it observes (de Witt et al., "Is Independent
Learning All You Need in the StarCraft Multi-Agent Challenge?", 2020); 1 values the team by the global state (Yu et al.,
"The Surprising Effectiveness of PPO in Cooperative Multi-Agent Games", 2022), which is possible because all agents of a
team get the same reward. The policy never reads the critic, so a trained one plays without it.

The loss is that of Schulman et al., "Proximal Policy Optimization Algorithms" (2017), and the advantages are those of
Schulman et al., "High-Dimensional Continuous Control Using Generalized Advantage Estimation" (2016).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int, Key

from dsl import UserError
from hive.kit.environment.env import Env, EnvState, LearnerView, global_state, reset, sample_actions, step
from hive.rl.autoreset import restart
from hive.rl.layers import of_action
from hive.rl.networks import ActorCritic, Memories
from hive.rl.settings import Config, Hyper

Tree = Any


class Runner(struct.PyTreeNode, kw_only=True):
    """Everything that an update changes or reads, apart from the environment. B environments."""

    params: Tree  # of the network
    opt_state: Tree
    env_state: EnvState  # [B, ...]
    view: LearnerView
    memory: Memories
    starts: Bool[Array, " b"]  # whether `view` is the first of a game
    returns: Float[Array, " b"]  # of the running games so far, mean over the agents
    lengths: Int[Array, " b"]
    key: Key[Array, ""]
    hyper: Hyper


class Transition(struct.PyTreeNode, kw_only=True):
    """One step; leaves `[T, B, ...]` in a rollout. A critic has `v` values: one for each agent, or 1 for the team."""

    view: LearnerView
    global_state: Float[Array, "*b g"] | None  # what a centralised critic reads
    starts: Bool[Array, "*b"]
    action: Int[Array, "*b n"]
    log_prob: Float[Array, "*b n"]
    value: Float[Array, "*b v"]
    reward: Float[Array, "*b v"]
    terminated: Bool[Array, "*b 1"]  # nothing follows
    truncated: Bool[Array, "*b 1"]  # the value of the last state follows
    next_value: Float[Array, "*b v"]  # of the state after the step, before a reset


class FinishedGames(struct.PyTreeNode, kw_only=True):
    """The games that ended in a step: how many, and sums over them."""

    games: Int[Array, "*t"]
    won: Int[Array, "*t"]
    score: Float[Array, "*t"]
    returns: Float[Array, "*t"]
    lengths: Float[Array, "*t"]


class TrainingMetrics(struct.PyTreeNode, kw_only=True):
    """What one update measured; what is of games is 0 where none ended, what is of losses is of the last epoch."""

    games: Int[Array, ""]  # ended in the rollout
    won: Int[Array, ""]  # of these
    score: Float[Array, ""]  # mean of these
    episode_return: Float[Array, ""]  # mean of these: undiscounted reward of an agent
    episode_length: Float[Array, ""]  # mean of these, in steps
    reward: Float[Array, ""]  # mean a step
    loss: Float[Array, ""]
    policy_loss: Float[Array, ""]
    value_loss: Float[Array, ""]
    entropy: Float[Array, ""]
    approx_kl: Float[Array, ""]  # of the policy of the rollout from the improved one: mean of (r - 1) - log r
    clip_fraction: Float[Array, ""]  # share of actions whose ratio r is outside the clip range
    explained_variance: Float[Array, ""]  # share of the variance of returns that the critic foresaw; 0 of none
    finite: Bool[Array, ""]  # whether the loss and all parameters are finite


class Method(NamedTuple):
    """In what algorithms differ that learn from rollouts: the parts of `PPO`, or others of the same form."""

    network_of: Callable[[Env, Config], Any]
    optimiser_of: Callable[[Config, Hyper], optax.GradientTransformation]
    loss: Callable[..., tuple[Float[Array, ""], dict[str, Float[Array, ""]]]]


def make_train(env: Env, config: Config) -> Callable[..., tuple[Tree, TrainingMetrics]]:
    """Return a pure function that trains from a key.

    Returns:
        `train(key, hyper)`: the parameters of the network, and the metrics of all updates, leaves `[updates]`. `hyper`
        is that of the settings unless it is given.
    """

    def train(key: Key[Array, ""], hyper: Hyper | None = None) -> tuple[Tree, TrainingMetrics]:
        runner, metrics = lax.scan(
            lambda runner, _: update(env, config, runner), begin(env, config, key, hyper), None, config.num_updates
        )
        return runner.params, metrics

    return train


def network_of(env: Env, config: Config) -> ActorCritic:
    """Return the network for an environment.

    Raises:
        UserError: The network is to attend over entities, and the environment lists none.
    """
    blocks = env.entity_blocks if config.attention else ()
    if config.attention and not blocks:
        raise UserError(
            "`attention` needs observations that list entities, and those of this task do not\n"
            "  = help: leave `attention` out; battles whose agents are units list units"
        )
    recurrent, centralised = bool(config.recurrent), bool(config.centralised)
    return ActorCritic(env.num_actions, config.width, recurrent, centralised, config.attention, blocks)


def begin(
    env: Env, config: Config, key: Key[Array, ""], hyper: Hyper | None = None, method: Method | None = None
) -> Runner:
    """Set up the network, the optimiser and the games."""
    method = method or PPO
    key, weights, games = jax.random.split(key, 3)
    hyper = config.hyper() if hyper is None else hyper
    env_state, view = jax.vmap(reset, (None, 0))(env, jax.random.split(games, config.num_envs))
    network, starts = method.network_of(env, config), jnp.ones(config.num_envs, bool)
    memory = network.initial_memory(config.num_envs, agents=env.num_agents)
    params = network.init(weights, memory, *_one_step(view, starts, _global_state(env, config, env_state)))
    with jax.numpy_dtype_promotion("standard"):  # optax needs it
        opt_state = method.optimiser_of(config, hyper).init(params)
    return Runner(
        params=params, opt_state=opt_state, env_state=env_state, view=view, memory=memory, starts=starts,
        returns=jnp.zeros(config.num_envs), lengths=jnp.zeros(config.num_envs, jnp.int32), key=key, hyper=hyper,
    )  # fmt: skip


def update(env: Env, config: Config, runner: Runner) -> tuple[Runner, TrainingMetrics]:
    """Play a rollout and learn from it."""
    memory = runner.memory
    runner, samples, finished = rollout(env, config, runner)
    advantage = advantages(runner.hyper, samples)
    runner, losses = update_policy(env, config, runner, memory, samples, advantage)
    return runner, measured(runner, samples, advantage, finished, losses)


def measured(
    runner: Runner,
    samples: Transition,
    advantage: Float[Array, "t b v"],
    finished: FinishedGames,
    losses: dict[str, Float[Array, "epochs minibatches"]],
) -> TrainingMetrics:
    """Return what an update measured.

    Args:
        runner: After it.
        samples: Its rollout.
        advantage: Of the actions.
        finished: The games that ended in it.
        losses: The parts of the loss, as `update_policy` returns them.
    """
    games, targets = finished.games.sum(), advantage + samples.value

    def mean(total: Float[Array, " t"]) -> Float[Array, ""]:
        return total.sum() / jnp.maximum(games, 1).astype(jnp.float32)

    return TrainingMetrics(
        games=games,
        won=finished.won.sum(),
        score=mean(finished.score),
        episode_return=mean(finished.returns),
        episode_length=mean(finished.lengths),
        reward=samples.reward.mean(),
        explained_variance=jnp.where(targets.var() > 0, 1 - advantage.var() / jnp.maximum(targets.var(), 1e-12), 0.0),
        finite=jnp.array([jnp.isfinite(leaf).all() for leaf in jax.tree.leaves((runner.params, losses))]).all(),
        **{name: rows[-1].mean() for name, rows in losses.items()},
    )


def rollout(
    env: Env, config: Config, runner: Runner, method: Method | None = None
) -> tuple[Runner, Transition, FinishedGames]:
    """Play `num_steps` steps in all environments, each with one call of the network.

    One more call values the states in which no action is taken: the last ones of the rollout and of truncated games.
    """
    network: Callable[..., Tree] = partial((method or PPO).network_of(env, config).apply, runner.params)

    def env_step(runner: Runner, _: None) -> tuple[Runner, tuple[Transition, Tree, FinishedGames]]:
        key, choosing, starting = jax.random.split(runner.key, 3)
        view, seen = runner.view, _global_state(env, config, runner.env_state)
        memory, logits, value, *_ = network(runner.memory, *_one_step(view, runner.starts, seen))
        action = sample_actions(choosing, logits[0])
        ends, timestep = jax.vmap(step, (None, 0, 0))(env, runner.env_state, action)
        keys = jax.random.split(starting, config.num_envs)
        env_state, after = jax.vmap(restart, (None, 0, 0, 0))(env, ends, timestep, keys)
        over = timestep.terminated | timestep.truncated
        returns, lengths = runner.returns + timestep.reward.mean(-1), runner.lengths + 1
        finished = FinishedGames(
            games=over.sum(dtype=jnp.int32),
            won=timestep.won.sum(dtype=jnp.int32),
            score=jnp.where(over, timestep.score, 0.0).sum(),
            returns=jnp.where(over, returns, 0.0).sum(),
            lengths=jnp.where(over, lengths, 0).sum(dtype=jnp.int32).astype(jnp.float32),
        )
        sample = Transition(
            view=view,
            global_state=seen,
            starts=runner.starts,
            action=action,
            log_prob=_log_prob(logits[0], action),
            value=value[0],
            reward=timestep.reward[:, : value.shape[-1]],  # the same for all agents of the team
            terminated=timestep.terminated[:, None],
            truncated=timestep.truncated[:, None],
            next_value=jnp.zeros_like(value[0]),
        )
        runner = runner.replace(
            env_state=env_state, view=after.timestep.view, memory=memory, starts=over, key=key,
            returns=jnp.where(over, 0.0, returns), lengths=jnp.where(over, 0, lengths),
        )  # fmt: skip
        return runner, (sample, (memory, timestep.view, _global_state(env, config, ends)), finished)

    runner, (samples, after, finished) = lax.scan(env_step, runner, None, config.num_steps)
    return runner, samples.replace(next_value=_next_values(env, config, network, samples, after)), finished


def _next_values(
    env: Env,
    config: Config,
    network: Callable[..., Tree],
    samples: Transition,
    after: tuple[Memories, LearnerView, Float[Array, "t b g"] | None],
) -> Float[Array, "t b v"]:
    """Return the values of the states after all steps, which are those of the next steps but where a game is over.

    An environment has room for as many states as there are games that are truncated at `max_steps`. If one has more,
    all states are valued.
    """
    room, envs = 2 + config.num_steps // env.max_steps, jnp.arange(config.num_envs)

    def values(at: tuple[Memories, LearnerView, Float[Array, "s b g"] | None]) -> Float[Array, "s b v"]:
        memory, view, seen = at
        starts = jnp.zeros(view.alive.shape[:2], bool)
        value: Float[Array, "s b v"] = network(memory, *_one_step(view, starts, seen))[2][0]
        return value

    def some() -> Float[Array, "t b v"]:
        times = jax.vmap(partial(jnp.flatnonzero, size=room), 1, 1)(unvalued)
        last = values(jax.tree.map(lambda leaf: leaf[times, envs], after))
        return jnp.roll(samples.value, -1, 0).at[times, envs].set(last)

    unvalued = samples.truncated[..., 0].at[-1].set(True)
    if room >= config.num_steps:
        return values(after)
    return lax.cond((unvalued.sum(0) <= room).all(), some, lambda: values(after))


def advantages(hyper: Hyper, samples: Transition) -> Float[Array, "t b v"]:
    """Return generalised advantage estimates; a truncated game is continued by the value of its last state."""

    def back(advantage: Array, sample: Transition) -> tuple[Array, Array]:
        next_value = jnp.where(sample.terminated, 0.0, sample.next_value)
        delta = sample.reward + hyper.gamma * next_value - sample.value
        over = sample.terminated | sample.truncated
        advantage = delta + jnp.where(over, 0.0, hyper.gamma * hyper.gae_lambda * advantage)
        return advantage, advantage

    return lax.scan(back, jnp.zeros_like(samples.value[0]), samples, reverse=True)[1]


def update_policy(
    env: Env,
    config: Config,
    runner: Runner,
    memory: Memories,
    samples: Transition,
    advantage: Float[Array, "t b v"],
    method: Method | None = None,
) -> tuple[Runner, dict[str, Float[Array, "epochs minibatches"]]]:
    """Learn from a rollout in several epochs, each of minibatches of whole environments.

    Args:
        env: The environment.
        config: The settings.
        runner: After the rollout.
        memory: Of the network before the rollout.
        samples: The rollout.
        advantage: Of its actions.
        method: Network, optimiser and loss; None: those of PPO.

    Returns:
        The runner with the improved network, and the parts of the loss by epoch and minibatch.
    """
    method = method or PPO
    optimiser = method.optimiser_of(config, runner.hyper)
    grad_fn = jax.value_and_grad(partial(method.loss, env, config, runner.hyper), has_aux=True)

    def minibatch(carry: tuple[Tree, Tree], part: Int[Array, " b"]) -> tuple[tuple[Tree, Tree], Tree]:
        params, opt_state = carry
        first = jax.tree.map(lambda leaf: leaf[part], memory)
        (_, losses), grads = grad_fn(params, first, *jax.tree.map(lambda leaf: leaf[:, part], (samples, advantage)))
        with jax.numpy_dtype_promotion("standard"):  # optax needs it
            updates, opt_state = optimiser.update(grads, opt_state, params)
            return (optax.apply_updates(params, updates), opt_state), losses

    def epoch(carry: tuple[Tree, Tree], key: Key[Array, ""]) -> tuple[tuple[Tree, Tree], Tree]:
        parts = jax.random.permutation(key, config.num_envs).reshape(config.num_minibatches, -1)
        return lax.scan(minibatch, carry, parts)

    key, mixing = jax.random.split(runner.key)
    keys = jax.random.split(mixing, config.update_epochs)
    (params, opt_state), losses = lax.scan(epoch, (runner.params, runner.opt_state), keys)
    return runner.replace(params=params, opt_state=opt_state, key=key), losses


def loss(
    env: Env,
    config: Config,
    hyper: Hyper,
    params: Tree,
    memory: Memories,
    samples: Transition,
    advantage: Float[Array, "t b v"],
) -> tuple[Float[Array, ""], dict[str, Float[Array, ""]]]:
    """Return the loss on a minibatch, and its parts.

    Only living units teach the policy. A decentralised critic learns from dead ones too, because their team plays on
    and the value of a dead unit ends the advantage of its last action; `config.value_active_masks` leaves them out.
    """
    view, clip = samples.view, hyper.clip_eps
    network: Callable[..., Tree] = partial(network_of(env, config).apply, params)
    seen = view.observation, view.action_mask, samples.starts[..., None], samples.global_state
    _, logits, value = network(memory, *seen)
    weight = view.alive.astype(jnp.float32)
    weight = weight / jnp.maximum(weight.sum(), 1.0)

    mean = (weight * advantage).sum()
    normalised = (advantage - mean) / (jnp.sqrt((weight * (advantage - mean) ** 2).sum()) + 1e-8)
    log_ratio = _log_prob(logits, samples.action) - samples.log_prob
    ratio = jnp.exp(log_ratio)
    policy_loss = -(weight * jnp.minimum(ratio * normalised, jnp.clip(ratio, 1 - clip, 1 + clip) * normalised)).sum()

    targets = samples.value + advantage
    clipped_value = samples.value + jnp.clip(value - samples.value, -clip, clip)
    errors = jnp.maximum((value - targets) ** 2, (clipped_value - targets) ** 2)
    value_loss = 0.5 * ((weight * errors).sum() if config.value_active_masks else errors.mean())

    log_probs = jax.nn.log_softmax(logits)
    entropy = -(weight * (jnp.exp(log_probs) * jnp.where(view.action_mask, log_probs, 0.0)).sum(-1)).sum()

    total = policy_loss + hyper.vf_coef * value_loss - hyper.ent_coef * entropy
    return total, {
        "loss": total,
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        "approx_kl": (weight * (ratio - 1 - log_ratio)).sum(),
        "clip_fraction": jnp.where(jnp.abs(ratio - 1) > clip, weight, 0.0).sum(),
    }


def _log_prob(logits: Float[Array, "*b a"], action: Int[Array, "*b"]) -> Float[Array, "*b"]:
    """Return the logarithms of the probabilities of actions."""
    return of_action(jax.nn.log_softmax(logits), action)


def _global_state(env: Env, config: Config, env_state: EnvState) -> Float[Array, "b g"] | None:
    """What a centralised critic reads of all environments; None for a decentralised one."""
    return jax.vmap(global_state, (None, 0))(env, env_state) if config.centralised else None


def _one_step(view: LearnerView, starts: Bool[Array, "*b"], seen: Float[Array, "*b g"] | None) -> tuple[Any, ...]:
    """What the network reads after its memory: one step as a sequence of length one."""
    return view.observation[None], view.action_mask[None], starts[None, ..., None], None if seen is None else seen[None]


def learning_rate(config: Config, hyper: Hyper) -> optax.Schedule:
    """Return the learning rate by the steps of the optimiser: it falls linearly to zero over the run, or stays."""
    if not config.anneal_lr:
        return optax.constant_schedule(hyper.learning_rate)
    steps = config.num_updates * config.update_epochs * config.num_minibatches
    schedule: optax.Schedule = optax.linear_schedule(hyper.learning_rate, 0.0, steps)
    return schedule


def _optimiser(config: Config, hyper: Hyper) -> optax.GradientTransformation:
    """Adam behind a limit on the gradient's norm."""
    adam = optax.adam(learning_rate(config, hyper), eps=1e-5)
    return optax.chain(optax.clip_by_global_norm(hyper.max_grad_norm), adam)


PPO = Method(network_of, _optimiser, loss)
"""The parts of IPPO and MAPPO."""
