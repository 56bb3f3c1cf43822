"""A best plan, played by the world itself."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from hive.worlds.rescue.codes import STEPS, Act, Refusal
from hive.worlds.rescue.dynamics import reset, step
from hive.worlds.rescue.optimum.play import Optimum
from hive.worlds.rescue.state import Params, State


def replay(params: Params, found: Optimum) -> State:
    """Play a plan in the world.

    Args:
        params: The instance.
        found: Its optimum.

    Returns:
        The last state.

    Raises:
        RuntimeError: The world refuses an action of the plan or does not reach what the search promised, which is an
            error of HIVE.
    """
    table = np.full((STEPS, found.actions.shape[1]), Act.NOTHING, np.int32)
    table[: len(found.actions)] = found.actions
    states = jax.device_get(_play(params, jnp.asarray(table)))
    state: State = jax.tree.map(lambda rows: rows[-1], states)
    refused = np.argwhere(states.refusal[: len(found.actions)] != Refusal.NONE)
    if len(refused):
        raise RuntimeError(
            f"the world refused the action of agent {refused[0][1]} in step {refused[0][0] + 1} of a plan"
        )
    promised = found.served, found.steps, found.weighted
    if (reached := _reached(params, state, found)) != promised:
        raise RuntimeError(f"the search promised {promised}, and the world reached {reached}")
    return state


def _reached(params: Params, state: State, found: Optimum) -> tuple[int, int, int]:
    """Return the victims that were served, the step of the last one, and the weighted sum of steps."""
    there = np.asarray(params.victim_there)
    at = np.asarray(state.served_at)[there]
    waited = np.where(at >= 0, at, int(params.limit))
    weights = np.where(np.asarray(params.urgent)[there], found.urgent_weight, 1)
    return int(np.sum(at >= 0)), int(at.max(initial=0)), int(np.sum(weights * waited))


@jax.jit
def _play(params: Params, table: Int[Array, "t a"]) -> State:
    """Return the states after all steps."""

    def play(state: State, actions: Int[Array, " a"]) -> tuple[State, State]:
        state = step(params, state, actions)
        return state, state

    return jax.lax.scan(play, reset(params), table)[1]
