"""The heuristic team, and the team that follows a plan of the fewest steps, as policies of the environment."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from hive.kit.environment.env import LearnerView, Policy, unstack
from hive.worlds.rescue.codes import Act
from hive.worlds.rescue.heuristic import Variant, no_targets, turns, variant
from hive.worlds.rescue.instance import Instance
from hive.worlds.rescue.optimum.play import optimum

_HOW = "recheck"
"""The variant of the heuristic that drops a target which it cannot help: the environment has no action towards one."""


def scripted(env: Any, instances: list[Instance]) -> dict[str, Policy]:
    """Return the players of rescues without training.

    Args:
        env: The environment, a `RescueEnv`.
        instances: Of which its games draw one.
    """
    rows: Any = unstack(jax.device_get(env.instances), len(instances))
    plans = [optimum(params).actions for params in rows]
    table = np.full((len(plans), max(map(len, plans)) + 1, plans[0].shape[1]), Act.NOTHING, np.int32)
    for number, plan in enumerate(plans):
        table[number, : len(plan)] = plan
    return {
        f"heuristic:{_HOW}": Policy(variant(_HOW), _no_target, _help),
        "optimal": Policy(jnp.asarray(table), lambda params, env: (), _follow),
    }


def _no_target(how: Variant, env: Any) -> Int[Array, " a"]:
    return no_targets()


def _help(
    how: Variant,
    env: Any,
    targets: Int[Array, " a"],
    state: Any,
    view: LearnerView,
    key: Key[Array, ""],
) -> tuple[Int[Array, " a"], Int[Array, " n"]]:
    del view, key
    _, targets, acts, _ = turns(state.params, how, state.state, targets)
    return targets, _action_of(env, state, acts)


def _follow(
    plans: Int[Array, "i t a"],
    env: Any,
    memory: tuple[()],
    state: Any,
    view: LearnerView,
    key: Key[Array, ""],
) -> tuple[tuple[()], Int[Array, " n"]]:
    del view, key
    row = jnp.minimum(state.state.step, plans.shape[1] - 1)  # the last row is empty
    return memory, _action_of(env, state, plans[state.number, row])


def _action_of(env: Any, state: Any, acts: Int[Array, " a"]) -> Int[Array, " n"]:
    """Return the first action of each agent that means its act; standing, where none does."""
    each = jnp.broadcast_to(jnp.arange(env.num_actions, dtype=jnp.int32)[:, None], (env.num_actions, env.team))
    means = jax.vmap(env.acts, (None, 0))(state, each)[:, : env.team]
    return jnp.argmax(means == acts[None, : env.team], axis=0).astype(jnp.int32)
