"""The optimum of a small rescue by a search over all joint states: plain Python, without distances or tours."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import combinations, count

from hive.worlds.rescue.instance import Instance

Joint = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[tuple[bool, ...], ...]]
"""Rooms of the agents, their supplies, needs of the victims."""


def start(instance: Instance) -> Joint:
    return (
        tuple(agent.room for agent in instance.agents),
        tuple(agent.supplies for agent in instance.agents),
        tuple(victim.needs for victim in instance.victims),
    )


def cycles(instance: Instance, state: Joint) -> set[Joint]:
    """Every joint state that one step can lead to: each agent in its turn walks, gives or stays."""
    states = {state}
    for agent in range(len(instance.agents)):
        states = {after for before in states for after in _turns(instance, before, agent)}
    return states


def _turns(instance: Instance, state: Joint, agent: int) -> Iterator[Joint]:
    rooms, supplies, needs = state
    yield state
    for one, other in instance.doors:
        if rooms[agent] in (one, other):
            yield _put(rooms, agent, one + other - rooms[agent]), supplies, needs
    for number, victim in enumerate(instance.victims):
        for kind in range(3):
            if victim.room == rooms[agent] and needs[number][kind] and supplies[agent][kind]:
                less = _put(supplies[agent], kind, supplies[agent][kind] - 1)
                yield rooms, _put(supplies, agent, less), _put(needs, number, _put(needs[number], kind, False))


def _put(values: tuple, at: int, value: object) -> tuple:  # type: ignore[type-arg]
    return (*values[:at], value, *values[at + 1 :])


def least(instance: Instance, weights: tuple[int, ...] | None, limit: int) -> tuple[int, tuple[int, int]]:
    """The most victims that can be served, and the least cost of serving as many, then the fewest steps.

    Args:
        instance: A small one.
        weights: What a step until each victim is served costs; None: the cost is the number of steps.
        limit: What an unserved victim counts as, with weights.
    """
    names = range(len(instance.victims))
    for size in range(len(names), -1, -1):
        costs = [cost for chosen in combinations(names, size) for cost in _cost(instance, chosen, weights, limit)]
        if costs:
            return size, min(costs)
    raise AssertionError("no victims can always be served")


def _cost(
    instance: Instance, chosen: tuple[int, ...], weights: tuple[int, ...] | None, limit: int
) -> Iterator[tuple[int, int]]:
    """Dijkstra over joint states: a step costs the weights of the chosen victims that wait when it begins."""
    extra = limit * sum(weight for victim, weight in enumerate(weights) if victim not in chosen) if weights else 0
    numbers = count()
    heap = [((0, 0), next(numbers), start(instance))]
    known = {start(instance): (0, 0)}
    while heap:
        cost, _, state = heapq.heappop(heap)
        if cost > known[state]:
            continue
        waiting = [victim for victim in chosen if any(state[2][victim])]
        if not waiting:
            yield cost[0] + extra, cost[1]
            return
        further = cost[0] + (sum(weights[victim] for victim in waiting) if weights else 1), cost[1] + 1
        for after in cycles(instance, state):
            if after not in known or further < known[after]:
                known[after] = further
                heapq.heappush(heap, (further, next(numbers), after))
