"""Many games of any environment of `hive.rl` at once, in the arrays of another library, which share memory with JAX's.

Arrays are passed by DLPack: `numpy.from_dlpack` and `torch.from_dlpack` copy nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from dsl import UserError
from hive.engine.batch.job import seeds_of
from hive.kit.environment.env import STAND, Env, EnvState, LearnerView, global_state, narrowed, reset
from hive.rl.autoreset import step_and_reset
from hive.rl.registry import make as make_task

Foreign = Any
"""An array of the other library."""


@dataclass(frozen=True)
class BatchStep:
    """What a step of all games returned; B games, n agents, F numbers of an observation, A actions.

    Where a game has ended, `observation`, `action_mask` and `alive` are the first of the next game, and the other
    fields are of the game that has ended. After `BatchedView.reset` rewards and scores are 0 and nothing has ended.

    Attributes:
        observation: `[B, n, F]` float32 in [-1, 1].
        action_mask: `[B, n, A]` bool, the actions that can be taken.
        alive: `[B, n]` bool.
        reward: `[B, n]` float32, the same for all agents of a game.
        terminated: `[B]` bool, won or lost.
        truncated: `[B]` bool, the limit was reached.
        won: `[B]` bool.
        score: `[B]` float32 from 0 to 1, how far the team has come.
        final_observation: `[B, n, F]` float32, after the step and before the next game began: what a truncated game
            is valued by.
    """

    observation: Foreign
    action_mask: Foreign
    alive: Foreign
    reward: Foreign
    terminated: Foreign
    truncated: Foreign
    won: Foreign
    score: Foreign
    final_observation: Foreign


class BatchedView:
    """Games side by side in one compiled program; a game that ends makes room for the next in the same step.

    The arrays that it returns are never written to again, so they stay valid; they must not be written to either.
    """

    def __init__(self, env: Env, games: int, to: Callable[[Any], Foreign] = np.from_dlpack) -> None:
        """Make the view of an environment.

        Args:
            env: The environment.
            games: Games side by side, at least 1.
            to: Makes an array of the other library from any array with `__dlpack__`, such as `torch.from_dlpack`.

        Raises:
            UserError: There is no game, or no whole number of them.
        """
        if not isinstance(games, int | np.integer) or games < 1:
            raise UserError(
                f"there are {games!r:.80} games side by side\n  = help: `games` is a whole number from 1 on"
            )
        self.env = env
        self.games = int(games)
        self._to = to
        self._state: EnvState = None
        self._key: Key[Array, ""]

    def reset(self, seed: int = 0) -> BatchStep:
        """Begin all games; the seed, 0 to 2^32 - 1, decides them and all that follow in their places.

        Raises:
            UserError: The seed is out of range.
        """
        self._key, self._state, found = _begin(self.games, self.env, seeds_of([seed])[0])
        return self._shared(found)

    def step(self, actions: Foreign) -> BatchStep:
        """Play one step of all games.

        Args:
            actions: `[B, n]` whole numbers in any array; one that an agent cannot take stands, as 0 does.

        Raises:
            UserError: No game has begun, or the actions have another form.
        """
        self._check_begun()
        self._key, self._state, found = _advance(self.env, self._key, self._state, self._taken(actions))
        return self._shared(found)

    def global_state(self) -> Foreign:
        """Return the global states for critics, `[B, g]` float32 in [-1, 1].

        Raises:
            UserError: No game has begun.
        """
        self._check_begun()
        return self._to(_global_states(self.env, self._state))

    def _taken(self, actions: Foreign) -> Array:
        """Return actions as an array of JAX, on the device where they are."""
        shape = (self.games, self.env.num_agents)
        known = hasattr(actions, "__dlpack__") and not isinstance(actions, np.ndarray)
        found = jnp.from_dlpack(actions) if known else np.asarray(actions)
        if found.shape != shape or not np.issubdtype(found.dtype, np.integer):
            raise UserError(
                f"actions are {found.dtype}{list(found.shape)}\n  = help: give whole numbers of the shape {list(shape)}"
            )
        return narrowed(found, self.env.num_actions)

    def _check_begun(self) -> None:
        if self._state is None:
            raise UserError("no game has begun\n  = help: call reset() first")

    def _shared(self, found: dict[str, Array]) -> BatchStep:
        return BatchStep(**{name: self._to(array) for name, array in found.items()})


def make(name: str, games: int, to: Callable[[Any], Foreign] = np.from_dlpack, **settings: Any) -> BatchedView:
    """Return the view of a task.

    Args:
        name: One of `hive.rl.tasks()`.
        games: Games side by side.
        to: As in `BatchedView`.
        **settings: As in `hive.rl.make`.

    Raises:
        UserError: There is no such task, or a setting is unknown.
    """
    return BatchedView(make_task(name, **settings), games, to)


_Batch = tuple[Key[Array, ""], EnvState, dict[str, Array]]


@partial(jax.jit, static_argnums=0)
def _begin(games: int, env: Env, seed: Int[Array, ""]) -> _Batch:
    key, starting = jax.random.split(jax.random.key(seed))
    state, view = jax.vmap(reset, (None, 0))(env, jax.random.split(starting, games))
    never, nothing = jnp.zeros(games, bool), jnp.zeros(games)
    return key, state, {
        **_seen(view), "reward": jnp.zeros(view.alive.shape), "terminated": never, "truncated": never, "won": never,
        "score": nothing, "final_observation": view.observation,
    }  # fmt: skip


@jax.jit
def _advance(env: Env, key: Key[Array, ""], state: EnvState, actions: Int[Array, "b n"]) -> _Batch:
    key, starting = jax.random.split(key)
    actions = jnp.where((actions >= 0) & (actions < env.num_actions), actions, STAND).astype(jnp.int32)
    keys = jax.random.split(starting, len(actions))
    state, after = jax.vmap(step_and_reset, (None, 0, 0, 0))(env, state, actions, keys)
    timestep = after.timestep
    names = ("reward", "terminated", "truncated", "won", "score")
    facts = {name: getattr(timestep, name) for name in names}
    return key, state, {**_seen(timestep.view), **facts, "final_observation": after.final_observation}


def _seen(view: LearnerView) -> dict[str, Array]:
    return {"observation": view.observation, "action_mask": view.action_mask, "alive": view.alive}


@jax.jit
def _global_states(env: Env, state: EnvState) -> Array:
    return jax.vmap(global_state, (None, 0))(env, state)
