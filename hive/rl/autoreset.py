"""Automatic reset, outside the engine: a game that has ended makes room for a new one in the same step."""

from __future__ import annotations

from typing import Any

import jax
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key

from hive.ground.compaction import for_marked, only_if
from hive.ground.flat import over_worlds
from hive.ground.sizes import current
from hive.kit.environment.env import Env, OwnState, TimeStep, reset, step

Tree = Any

_BLOCK = 8  # games that are reset together


class Restarted(struct.PyTreeNode, kw_only=True):
    """The result of `step_and_reset`.

    Attributes:
        timestep: As `step` returns it, but where the game has ended `timestep.view` is the first one of the new game.
        final_observation: `[n, F]` observation after the step, before a reset: what a truncated game is valued by.
    """

    timestep: TimeStep
    final_observation: Float[Array, "n f"]


def step_and_reset(
    env: Env[OwnState], state: OwnState, actions: Int[Array, " n"], key: Key[Array, ""]
) -> tuple[OwnState, Restarted]:
    """Play one tick; where it ends the game, begin another with `key`.

    Args:
        env: The environment.
        state: Its state.
        actions: As in `step`.
        key: The key of a game that begins; not used otherwise.
    """
    return restart(env, *step(env, state, actions), key)


def restart(env: Env[OwnState], after: OwnState, timestep: TimeStep, key: Key[Array, ""]) -> tuple[OwnState, Restarted]:
    """Begin another game with `key` if a step has ended the game: the second half of `step_and_reset`.

    Args:
        env: The environment.
        after: Its state after the step.
        timestep: What the step returned.
        key: The key of a game that begins; not used otherwise.
    """
    ended, games = timestep.terminated | timestep.truncated, (after, timestep.view)
    if current().flat:  # all games are reset, and the new ones selected
        state, view = only_if(ended, lambda: reset(env, key), games)
    else:
        state, view = _reset_ended(env, (ended, key, games))
    return state, Restarted(timestep=timestep.replace(view=view), final_observation=timestep.view.observation)


@over_worlds
def _reset_ended(env: Tree, own: tuple[Bool[Array, " w"], Key[Array, " w"], Tree]) -> Tree:
    """Return the states and views of W games; those that have ended are reset, a block of them at a time.

    A batch that resets all games in every step and selects takes a third longer: few games end in a step.

    Args:
        env: The environment, leaves `[1, ...]`, or one for each game, leaves `[W, ...]`.
        own: Whether each game has ended, the key of a new one, and its state and view; leaves `[W, ...]`.
    """
    ended, keys, games = own
    axes = jax.tree.map(lambda leaf: None if len(leaf) == 1 else 0, env)

    def body(rows: Int[Array, " b"], games: Tree) -> Tree:
        envs = jax.tree.map(lambda leaf: leaf[0] if len(leaf) == 1 else leaf.at[rows].get(mode="clip"), env)
        new = jax.vmap(reset, (axes, 0))(envs, keys.at[rows].get(mode="clip"))
        return jax.tree.map(lambda old, new: old.at[rows].set(new, mode="drop"), games, new)

    return for_marked(ended, _BLOCK, body, games)
