"""Any environment of `hive.rl` as a `MultiAgentEnv` of JaxMARL, so that its baselines train on it.

JaxMARL's scripts ask `jaxmarl.make` for an environment; `jaxmarl.make = hive.rl.views.jaxmarl.make` gives them tasks
of `hive.rl` instead.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jaxmarl.environments import multi_agent_env
from jaxmarl.environments.multi_agent_env import MultiAgentEnv
from jaxmarl.environments.spaces import Box, Discrete
from jaxtyping import Array, Bool, Float, Key

from dsl import UserError
from dsl.wording import listing
from hive.kit.environment.env import Env, EnvState, LearnerView, step
from hive.rl.registry import make as make_task

Named = dict[str, Any]
"""An array for each agent, by its name."""

Known = Any
"""A `JaxmarlState`, for arguments: a narrower type than JaxMARL's own is no argument of an overriding method."""


@struct.dataclass
class JaxmarlState(multi_agent_env.State):
    """A state of JaxMARL: `done` and `step` of the game, its state, and what the agents see."""

    env_state: EnvState
    view: LearnerView


class MultiAgentView(MultiAgentEnv):
    """An environment of `hive.rl`; agents are named `agent_0`, `agent_1` and so on.

    `step` comes from JaxMARL and begins another game when one has ended. An agent is done when it is dead or the game
    has ended, `"__all__"` when the game has ended. Observations have one more entry, `"world_state"`: the global state
    for critics. `info` holds `won`, `truncated` and `score`, each `[n]` with the same value for all agents.
    """

    def __init__(self, env: Env) -> None:
        """Make the view of an environment."""
        super().__init__(num_agents=env.num_agents)
        self.env = env
        self.observation_spaces = {agent: Box(-1.0, 1.0, (env.observation_size,)) for agent in self.agents}
        self.action_spaces = {agent: Discrete(env.num_actions) for agent in self.agents}
        self.max_steps = env.max_steps
        env_state, _ = jax.eval_shape(env.reset, jax.random.key(0))
        self.state_size = jax.eval_shape(env.global_state, env_state).shape[0]

    @partial(jax.jit, static_argnums=0)
    def reset(self, key: Array) -> tuple[Named, JaxmarlState]:
        """Begin a game with one key of either kind: `jax.random.key`, a scalar, or `jax.random.PRNGKey`, `[2]`."""
        env_state, view = self.env.reset(_typed(key))
        state = JaxmarlState(done=jnp.zeros((), bool), step=jnp.zeros((), jnp.int32), env_state=env_state, view=view)
        return self.get_obs(state), state

    def step_env(self, key: Array, state: Known, actions: Named) -> tuple[Named, JaxmarlState, Named, Named, Named]:
        """Play one step without a reset, by a scalar action of each agent.

        `key` is not used, since a game draws from the key of its reset.

        Raises:
            UserError: An agent has no action, or one that is no whole number, or there is no such agent.
        """
        del key
        missing, others = sorted({*self.agents} - actions.keys()), sorted(actions.keys() - {*self.agents})
        if missing or others:
            lacks = [f"there is no action of {listing(missing, 'and')}"] if missing else []
            names = [f"actions name other agents than the game has: {listing(others, 'and')}"] if others else []
            raise UserError(
                f"{', and '.join([*names, *lacks])}\n  = help: give one for each of {listing(self.agents, 'and')}"
            )
        chosen = jnp.stack([jnp.reshape(actions[agent], ()) for agent in self.agents])
        env_state, timestep = step(self.env, state.env_state, chosen)
        ended = timestep.terminated | timestep.truncated
        state = JaxmarlState(done=ended, step=state.step + 1, env_state=env_state, view=timestep.view)
        done = self._each(ended | ~timestep.view.alive) | {"__all__": ended}
        facts = {"won": timestep.won, "truncated": timestep.truncated, "score": timestep.score}
        info = {name: jnp.broadcast_to(fact, (self.num_agents,)) for name, fact in facts.items()}
        return self.get_obs(state), state, self._each(timestep.reward), done, info

    def get_obs(self, state: Known) -> Named:
        """Return what each agent observes, and the global state as `"world_state"`."""
        return self._each(state.view.observation) | {"world_state": self.env.global_state(state.env_state)}

    @partial(jax.jit, static_argnums=0)
    def get_avail_actions(self, state: Known) -> Named:
        """Return a mask of the actions of each agent."""
        return self._each(state.view.action_mask)

    @property
    def agent_classes(self) -> dict[str, list[str]]:
        """All agents share one policy."""
        return {"agent": list(self.agents)}

    def _each(self, rows: Float[Array, "n ..."] | Bool[Array, "n ..."]) -> Named:
        return {agent: rows[number] for number, agent in enumerate(self.agents)}


def make(name: str, **settings: Any) -> MultiAgentView:
    """Return the view of a task.

    Args:
        name: One of `hive.rl.tasks()`.
        **settings: As in `hive.rl.make`.

    Raises:
        UserError: There is no such task, or a setting is unknown.
    """
    return MultiAgentView(make_task(name, **settings))


def _typed(key: Array) -> Key[Array, ""]:
    return key if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else jax.random.wrap_key_data(key)
