"""A best plan, played by the world itself."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from hive.rescue.codes import STEPS, Act, Refusal
from hive.rescue.dynamics import reset, step
from hive.rescue.optimum.play import Optimum
from hive.rescue.state import Params, State


def replay(params: Params, found: Optimum) -> tuple[int, int, int]:
    """Play a plan in the world.

    Args:
        params: The instance.
        found: Its optimum.

    Returns:
        Victims served, step of the last delivery that served one, and the weighted sum of steps, as the world counted.

    Raises:
        ValueError: The world refused an action of the plan, so it is none.
    """
    table = np.full((STEPS, found.actions.shape[1]), Act.NOTHING, np.int32)
    table[: len(found.actions)] = found.actions
    state, refusals = jax.device_get(_play(params, jnp.asarray(table)))
    refused = np.argwhere(refusals[: len(found.actions)] != Refusal.NONE)
    if len(refused):
        at, agent = refused[0]
        raise ValueError(f"the world refused the action of agent {agent} in step {at + 1} of a best plan")
    at = np.asarray(state.served_at)[np.asarray(params.victim_there)]
    urgent = np.asarray(params.urgent)[np.asarray(params.victim_there)]
    waited = np.where(at >= 0, at, int(params.limit))
    weighted = int(np.sum(np.where(urgent, found.urgent_weight, 1) * waited))
    return int(np.sum(at >= 0)), int(max(0, *at)), weighted


def check(params: Params, found: Optimum) -> None:
    """Let the world play a plan.

    Raises:
        RuntimeError: It does not reach what the search promised, which is an error of HIVE.
    """
    if (reached := replay(params, found)) != (found.served, found.steps, found.weighted):
        raise RuntimeError(
            f"the search promised {(found.served, found.steps, found.weighted)}, the world reached {reached}"
        )


@jax.jit
def _play(params: Params, table: Int[Array, "t a"]) -> tuple[State, Int[Array, "t a"]]:
    return jax.lax.scan(lambda state, actions: step(params, state, actions), reset(params), table)
