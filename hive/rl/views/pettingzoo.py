"""Any environment of `hive.rl` as a `ParallelEnv` of PettingZoo: one game at a time, in NumPy arrays.

A step of one small game is mostly the call itself. To train at speed, use `hive.rl` or `hive.rl.views.jaxmarl`.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import jax
import numpy as np
from jaxtyping import Float
from pettingzoo import ParallelEnv

from dsl import UserError
from hive.engine.batch.job import seeds_of
from hive.kit.environment.env import STAND, Env, LearnerView, global_state, reset, step
from hive.rl.registry import make as make_task

Named = dict[str, Any]
"""A value for each agent, by its name."""

_reset, _step, _global_state = jax.jit(reset), jax.jit(step), jax.jit(global_state)


class ParallelView(ParallelEnv[str, Any, int]):
    """An environment of `hive.rl`; agents are named `agent_0`, `agent_1` and so on.

    Agents that a game does not have, in a set of battles of different sizes, are not in `agents` when it begins. An
    agent that dies is terminated and leaves `agents`, as PettingZoo has it; when the game ends, the others are
    terminated or truncated. The mask of available actions is `infos[agent]["action_mask"]`, int8 as the spaces of
    gymnasium sample with; an action that is not available does nothing. `won` and `score` stand next to it.
    """

    def __init__(self, env: Env, name: str = "hive") -> None:
        """Make the view of an environment; `name` stands in `metadata`."""
        self.env = env
        self.metadata: Named = {"name": name, "render_modes": [], "is_parallelizable": True}
        self.render_mode = None
        self.possible_agents = [f"agent_{number}" for number in range(env.num_agents)]
        self._rows = {agent: row for row, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        spaces = gymnasium.spaces
        agents = self.possible_agents
        self.observation_spaces: Named = {
            agent: spaces.Box(-1.0, 1.0, (env.observation_size,), np.float32) for agent in agents
        }
        self.action_spaces: Named = {agent: spaces.Discrete(env.num_actions) for agent in agents}
        self._state: Any = None
        self._draws = np.random.default_rng()

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Named | None = None) -> tuple[Named, Named]:
        """Begin a game.

        Args:
            seed: The game is the one of `jax.random.key(seed)`, from 0 to 2^32 - 1, and those that follow draw from it;
                None: the next.
            options: Not used.

        Returns:
            Observations and infos.

        Raises:
            UserError: The seed is out of range.
        """
        del options
        if seed is None:
            seed = int(self._draws.integers(1 << 31))
        else:
            (seed,) = seeds_of([seed]).tolist()
            self._draws = np.random.default_rng(seed)
        self._state, view = _reset(self.env, jax.random.key(seed))
        view = jax.device_get(view)
        self.agents = [agent for agent, alive in zip(self.possible_agents, view.alive, strict=True) if alive]
        return self._shown(self.agents, view, won=False, score=0.0)

    def step(self, actions: Named) -> tuple[Named, Named, Named, Named, Named]:
        """Play one step; an agent without an action does nothing.

        Returns:
            Observations, rewards, terminations, truncations and infos of the agents that were alive before it.

        Raises:
            UserError: No game has begun, or an action is out of range.
        """
        state, agents = self._begun(), self.agents
        if not agents:
            return {}, {}, {}, {}, {}
        chosen = np.full(len(self.possible_agents), STAND, np.int32)
        for agent, action in actions.items():
            if agent not in agents:
                raise UserError(f"{agent} is not in the game\n  = help: `agents` lists those that are")
            if not self.action_spaces[agent].contains(action):
                raise UserError(f"{agent} has no action {action}\n  = help: they are 0 to {self.env.num_actions - 1}")
            chosen[self._rows[agent]] = action
        self._state, timestep = _step(self.env, state, chosen)
        timestep = jax.device_get(timestep)
        alive = {agent: bool(timestep.view.alive[self._rows[agent]]) for agent in agents}
        truncated = {agent: alive[agent] and bool(timestep.truncated) for agent in agents}
        terminated = {agent: not alive[agent] or bool(timestep.terminated) for agent in agents}
        seen, infos = self._shown(agents, timestep.view, won=bool(timestep.won), score=float(timestep.score))
        rewards = {agent: float(timestep.reward[self._rows[agent]]) for agent in agents}
        self.agents = [agent for agent in agents if not (terminated[agent] or truncated[agent])]
        return seen, rewards, terminated, truncated, infos

    def state(self) -> Float[np.ndarray, " g"]:
        """Return the global state for critics, in [-1, 1].

        Raises:
            UserError: No game has begun.
        """
        return np.asarray(_global_state(self.env, self._begun()))

    def _shown(self, agents: list[str], view: LearnerView, *, won: bool, score: float) -> tuple[Named, Named]:
        seen, infos = {}, {}
        for agent in agents:
            row = self._rows[agent]
            seen[agent] = np.asarray(view.observation[row])
            mask = np.asarray(view.action_mask[row]).astype(np.int8)
            infos[agent] = {"action_mask": mask, "won": won, "score": score}
        return seen, infos

    def _begun(self) -> Any:
        if self._state is None:
            raise UserError("no game has begun\n  = help: call reset() first")
        return self._state


def make(name: str, **settings: Any) -> ParallelView:
    """Return the view of a task.

    Args:
        name: One of `hive.rl.tasks()`.
        **settings: As in `hive.rl.make`.

    Raises:
        UserError: There is no such task, or a setting is unknown.
    """
    return ParallelView(make_task(name, **settings), name)
