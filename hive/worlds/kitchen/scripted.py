"""The pair of cooks that follows the fastest plan of named actions, as a policy of the environment."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from hive.kit.environment.env import STAND, LearnerView, Policy
from hive.worlds.kitchen.codes import ActionKind
from hive.worlds.kitchen.layout import COOKS
from hive.worlds.kitchen.optimum.play import optima
from hive.worlds.kitchen.setting import Setting

_NONE = -1  # no action begins

Begins = Int[Array, "o t c"]
"""The action that each cook begins at each timestep of an order, or `_NONE`."""


def scripted(env: Any, setting: Setting) -> dict[str, Policy]:
    """Return the players of a kitchen without training; none where agents choose moves.

    Args:
        env: The environment, a `KitchenEnv`.
        setting: Its kitchen.

    Raises:
        UserError: An order is too large for the search of its plan.
    """
    if env.moves:
        return {}
    action = {text: number for number, text in enumerate(env.action_names)}
    begins = np.full((len(env.order), env.longest + 1, COOKS), _NONE, np.int32)
    orders = [setting.book.name(code) for code in np.asarray(env.order).tolist()]
    for number, best in enumerate(optima(setting, orders)):
        for cook, plan in enumerate(best.actions):
            for timestep, each in plan:
                if timestep <= env.longest:  # a limit may end games before the plan does
                    begins[number, timestep, cook] = action[str(each)]
    return {"planner": Policy(jnp.asarray(begins), _begin, _choose)}


def _begin(params: Begins, env: Any) -> Int[Array, " c"]:
    return jnp.full(COOKS, STAND, jnp.int32)


def _choose(
    params: Begins,
    env: Any,
    memory: Int[Array, " c"],
    state: Any,
    view: LearnerView,
    key: Key[Array, ""],
) -> tuple[Int[Array, " c"], Int[Array, " c"]]:
    """Go on with what a cook does until it is done; a game may be longer than the plan."""
    del view, key
    kitchen = state.state
    goes_on = jnp.where(kitchen.completed.kind == ActionKind.NOTHING, memory, STAND)
    begins = params[state.number, jnp.minimum(kitchen.clock, params.shape[1] - 1)]
    doing = jnp.where(begins == _NONE, goes_on, begins)
    return doing, doing
