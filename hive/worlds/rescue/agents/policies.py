"""Teams without a model, one agent at a time: the heuristic, and a best plan of all (docs/rules/rescue.md 7, 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np

from hive.kit.agent_env import Choice
from hive.worlds.rescue.agents.agent_env import RescueAgentEnv, choice_of
from hive.worlds.rescue.codes import AGENTS, LITERAL, Act
from hive.worlds.rescue.heuristic import NO_TARGET, decide, variant
from hive.worlds.rescue.optimum.play import Optimum

Policy = Callable[[RescueAgentEnv, int], Choice]
"""Returns the action of the agent whose turn it is; it is asked once in a turn."""


def heuristic(how: str = LITERAL) -> Policy:
    """Return the heuristic team.

    Args:
        how: One of `hive.worlds.rescue.codes.VARIANTS`.
    """
    chosen = variant(how)
    targets: dict[RescueAgentEnv, np.ndarray] = {}

    def choose(run: RescueAgentEnv, agent: int) -> Choice:
        mine = targets.setdefault(run, np.full(AGENTS, NO_TARGET, np.int32))
        action, _, mine[agent] = jax.device_get(
            _decide(run.params, chosen, run.state, jnp.int32(mine[agent]), jnp.int32(agent))
        )
        return choice_of(run.instance, int(action))

    return choose


def best_plan(optima: Mapping[str, Optimum]) -> Policy:
    """Return the team that follows a best plan; who has no action left in it ends its mission.

    Args:
        optima: The plan of each instance, by its name.
    """

    def choose(run: RescueAgentEnv, agent: int) -> Choice:
        table = optima[run.instance.name].actions
        action = int(table[run.tick, agent]) if run.tick < len(table) else Act.NOTHING
        return choice_of(run.instance, Act.END_MISSION if action == Act.NOTHING else action)

    return choose


_decide = jax.jit(decide)
