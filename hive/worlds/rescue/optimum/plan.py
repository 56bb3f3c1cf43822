"""A best plan as the actions of every agent, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hive.worlds.rescue.codes import Act
from hive.worlds.rescue.optimum.problem import RescueProblem
from hive.worlds.rescue.optimum.search import BestService
from hive.worlds.rescue.state import Params


def actions(params: Params, problem: RescueProblem, found: BestService) -> np.ndarray:
    """Write a plan out: each agent walks to its victims on shortest paths, gives there, and then ends its mission.

    Args:
        params: The instance, on the host.
        problem: The same as numbers.
        found: The plan.

    Returns:
        `[T, A]` actions until the last item is given; agents that are not there make no call.
    """
    lists = [_of_agent(params, problem, found, agent) for agent in range(problem.agents)]
    table = np.full((max(map(len, lists)), len(params.agent_there)), Act.NOTHING, np.int32)
    for agent, mine in enumerate(lists):
        table[: len(mine), agent] = mine
        table[len(mine) : len(mine) + 1, agent] = Act.END_MISSION
    return table


def _of_agent(params: Params, problem: RescueProblem, found: BestService, agent: int) -> Sequence[int]:
    room = int(params.start[agent])
    mine: list[int] = []
    for victim in found.orders[agent]:
        goal = int(params.victim_room[victim])
        while room != goal:
            room = int(params.first_room[room, goal])
            mine.append(room)
        for kind, giver in zip(problem.needs[victim], found.givers[victim], strict=True):
            if giver == agent:
                mine.append(Act.GIVE_WATER + kind)
    return mine
