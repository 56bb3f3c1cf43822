"""PQN with value decomposition: Q-learning for teams, without a replay buffer and without a target network.

Gallici et al., "Simplifying Deep Temporal Difference Learning" (2025): many environments play a rollout, lambda-returns
are made of it once, and several epochs of minibatches fit the values to them; LayerNorm keeps this stable. The value of
the team's actions is the sum of the values of its agents (Sunehag et al., "Value-Decomposition Networks for Cooperative
Multi-Agent Learning", 2018), which learns from the one reward of the team. Rollouts, returns and epochs are those of
`hive.rl.ppo`; what differs is in this file: the network, the loss, and how actions are explored
(docs/rules/learning.md 18.3).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp
import optax
from flax import linen as nn
from jax import lax
from jaxtyping import Array, Bool, Float, Int, Key

from hive.kit.environment.env import Env
from hive.rl import ppo
from hive.rl.layers import dense, of_action
from hive.rl.networks import NEVER, Memories, Trunk
from hive.rl.ppo import Method, TrainingMetrics, Transition
from hive.rl.settings import Config, Hyper

Tree = Any


class QNetwork(nn.Module):
    """Values of the actions of each agent, and the policy that is greedy but for a share `epsilon` of its actions."""

    actions: int
    width: int
    recurrent: bool
    epsilon: Any

    def initial_memory(self, *batch: int, agents: int) -> Memories:
        """Return the memories at the start of games; that of a critic has size zero."""
        return jnp.zeros((*batch, agents, self.width if self.recurrent else 0)), jnp.zeros((*batch, 0))

    @nn.compact
    def __call__(
        self,
        memory: Memories,
        observation: Float[Array, "t *b n f"],
        action_mask: Bool[Array, "t *b n a"],
        starts: Bool[Array, "t *b 1"],
        global_state: None = None,
    ) -> tuple[Memories, Float[Array, "t *b n a"], Float[Array, "t *b 1"], Float[Array, "t *b n a"]]:
        """Return the memories; logarithms of the actions' probabilities; the team's value; the actions' values.

        The team's value is the sum of the highest values that its agents' available actions have.
        """
        (own, team), seen = memory, observation
        for _ in range(2):
            seen = nn.relu(nn.LayerNorm()(dense(self.width)(seen)))
        if self.recurrent:
            own, seen = Trunk(self.width)(own, seen, starts)
        values = dense(self.actions)(seen)
        open_values = jnp.where(action_mask, values, NEVER)
        there, greedy = action_mask.astype(jnp.float32), nn.one_hot(open_values.argmax(-1), self.actions)
        chances = self.epsilon * there / there.sum(-1, keepdims=True) + (1 - self.epsilon) * greedy
        logits = jnp.where(chances > 0, jnp.log(jnp.where(chances > 0, chances, 1.0)), NEVER)
        return (own, team), logits, open_values.max(-1).sum(-1, keepdims=True), values


class PqnRunner(ppo.Runner):
    """Everything that an update changes.

    Attributes:
        done: Updates so far, by which exploration falls.
    """

    done: Int[Array, ""]


def network_of(env: Env, config: Config) -> QNetwork:
    """Return the network for an environment, which explores as at the end of training."""
    return _network(config.eps_finish, env, config)


def begin(env: Env, config: Config, key: Key[Array, ""], hyper: Hyper | None = None) -> PqnRunner:
    """Set up the network, the optimiser and the games."""
    runner = ppo.begin(env, config, key, hyper, _method(config.eps_start))
    return PqnRunner(**vars(runner), done=jnp.int32(0))


def update(env: Env, config: Config, runner: PqnRunner) -> tuple[PqnRunner, TrainingMetrics]:
    """Play a rollout and fit the values to its lambda-returns.

    With the team's value for that of a state, generalised advantages are lambda-returns less that value.
    """
    memory, method = runner.memory, _method(epsilon_at(config, runner.done))
    after, samples, finished = ppo.rollout(env, config, runner, method)
    scaled = samples.replace(reward=samples.reward * config.rew_scale)
    advantage = ppo.advantages(runner.hyper, scaled)
    after, losses = ppo.update_policy(env, config, after, memory, scaled, advantage, method)
    assert isinstance(after, PqnRunner), "an update keeps the form of what it changes"
    return after.replace(done=runner.done + 1), ppo.measured(after, samples, advantage, finished, losses)


def epsilon_at(config: Config, done: Int[Array, ""]) -> Float[Array, ""]:
    """Return the share of random actions after so many updates: it falls linearly over the first part of a run."""
    part = jnp.clip(done.astype(jnp.float32) / max(config.eps_decay * config.num_updates, 1.0), 0.0, 1.0)
    return config.eps_start + part * (config.eps_finish - config.eps_start)


def loss(
    env: Env,
    config: Config,
    hyper: Hyper,
    params: Tree,
    memory: Memories,
    samples: Transition,
    advantage: Float[Array, "t b 1"],
) -> tuple[Float[Array, ""], dict[str, Float[Array, ""]]]:
    """Return the mean squared error of the team's values on a minibatch, and its parts: 0 for what this has not."""
    view = samples.view
    seen = view.observation, view.action_mask, samples.starts[..., None]
    network: Callable[..., Tree] = network_of(env, config).apply
    *_, values = network(params, memory, *seen)
    chosen = of_action(values, samples.action).sum(-1, keepdims=True)
    error = ((chosen - lax.stop_gradient(samples.value + advantage)) ** 2).mean()
    none = dict.fromkeys(("policy_loss", "entropy", "approx_kl", "clip_fraction"), jnp.float32(0.0))
    return error, {"loss": error, "value_loss": error, **none}


def _network(epsilon: Any, env: Env, config: Config) -> QNetwork:
    return QNetwork(env.num_actions, config.width, bool(config.recurrent), epsilon)


def _method(epsilon: Any) -> Method:
    return Method(partial(_network, epsilon), _optimiser, loss)


def _optimiser(config: Config, hyper: Hyper) -> optax.GradientTransformation:
    """Rectified Adam behind a limit on the gradient's norm."""
    radam = optax.radam(ppo.learning_rate(config, hyper))
    return optax.chain(optax.clip_by_global_norm(hyper.max_grad_norm), radam)


__all__ = ["PqnRunner", "QNetwork", "begin", "epsilon_at", "loss", "network_of", "update"]
