"""Automatic reset, outside the engine: a game that has ended makes room for a new one in the same step."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float, Int, Key

from hive.kit.environment.env import Env, EnvState, TimeStep, reset, step


class Restarted(struct.PyTreeNode, kw_only=True):
    """The result of `step_and_reset`.

    Attributes:
        timestep: As `step` returns it, but where the game has ended `timestep.view` is the first one of the new game.
        final_observation: `[n, F]` observation after the step, before a reset: what a truncated game is valued by.
    """

    timestep: TimeStep
    final_observation: Float[Array, "n f"]


def step_and_reset(
    env: Env, state: EnvState, actions: Int[Array, " n"], key: Key[Array, ""]
) -> tuple[EnvState, Restarted]:
    """Play one tick; where it ends the game, begin another with `key`.

    Args:
        env: The environment.
        state: Its state.
        actions: As in `step`.
        key: The key of a game that begins; not used otherwise.
    """
    return restart(env, *step(env, state, actions), key)


def restart(env: Env, after: EnvState, timestep: TimeStep, key: Key[Array, ""]) -> tuple[EnvState, Restarted]:
    """Begin another game with `key` if a step has ended the game: the second half of `step_and_reset`.

    Args:
        env: The environment.
        after: Its state after the step.
        timestep: What the step returned.
        key: The key of a game that begins; not used otherwise.
    """
    fresh, first = reset(env, key)
    ended = timestep.terminated | timestep.truncated
    state, view = jax.tree.map(lambda new, old: jnp.where(ended, new, old), (fresh, first), (after, timestep.view))
    return state, Restarted(timestep=timestep.replace(view=view), final_observation=timestep.view.observation)
