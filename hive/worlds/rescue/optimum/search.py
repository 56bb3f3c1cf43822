"""Branch and bound over assignments of victims' needs to agents: exhaustive, with bounds that never overestimate.

The agents of a rescue interact only through the needs that they serve, so a joint plan is an assignment of needs
and an order of victims for each agent (docs/rules/rescue.md 8 has the proof). The search goes through the victims one
after another and branches over the agents that serve each need.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import inf, lcm
from operator import mul
from typing import Protocol

from hive.worlds.rescue.optimum.problem import Load, RescueProblem
from hive.worlds.rescue.optimum.tours import Route, Tours

Loads = tuple[Load, ...]
"""The load of each agent."""

Value = tuple[float, ...]
"""What plans are compared by: the first number, then the next."""

Orders = tuple[tuple[int, ...], ...]
"""For each agent the victims in the order in which it serves them."""


@dataclass(frozen=True)
class BestService:
    """The best way to serve some victims.

    Attributes:
        value: Of the objective; no plan that serves these victims has a smaller one.
        givers: For each of the chosen victims, for each kind that it needs, the agent that gives it.
        orders: The route of each agent.
        nodes: Partial plans whose bound was computed.
    """

    value: Value
    givers: dict[int, tuple[int, ...]]
    orders: Orders
    nodes: int


class SearchObjective(Protocol):
    """What a search makes as small as possible."""

    def key(self, loads: Loads) -> Hashable:
        """Return what the value of plans that extend these loads depends on; equal loads of this key are one branch."""

    def bound(self, loads: Loads, remaining: Sequence[int]) -> Value:
        """Return numbers, none of which is above that of any plan that extends these loads to the remaining victims."""

    def settle(self, loads: Loads, below: Value) -> tuple[Value, Orders] | None:
        """Return the least value with these loads, with a route for each agent; None unless it is below one."""


class Fewest:
    """The steps until all chosen victims are served: the longest tour of an agent."""

    def __init__(self, problem: RescueProblem, tours: Tours) -> None:
        """Take the problem and its tours."""
        self._problem, self._tours = problem, tours
        self._soonest = [problem.soonest(victim) for victim in range(problem.victims)]

    def key(self, loads: Loads) -> Hashable:
        """Which victims an agent goes to, and how many items it gives to all of them."""
        return tuple((tuple(map(bool, load)), sum(load)) for load in loads)

    def bound(self, loads: Loads, remaining: Sequence[int]) -> Value:
        """Tours only grow; every remaining victim needs its least steps, and every remaining item a turn."""
        steps = [self._tours.steps(agent, load) for agent, load in enumerate(loads)]
        items = sum(len(self._problem.needs[victim]) for victim in remaining)
        work = -(-(sum(steps) + items) // self._problem.agents)
        return (max(*steps, work, *(self._soonest[victim] for victim in remaining)),)

    def settle(self, loads: Loads, below: Value) -> tuple[Value, Orders] | None:
        """Each agent takes a shortest tour."""
        value = max(self._tours.steps(agent, load) for agent, load in enumerate(loads))
        if value > self._problem.limit or (value,) >= below:
            return None
        return (value,), tuple(self._tours.order(agent, load) for agent, load in enumerate(loads))


class Weighted:
    """The sum over the chosen victims of weight times the step in which the victim is served; then the fewest steps.

    A victim is served at the latest of the steps in which its givers give their last items, and no mean is above the
    latest. A bound therefore splits the weight of a shared victim evenly between its givers, each of which may then
    take its best route for itself. Such costs are multiplied by a common multiple, so that shares are whole numbers.
    """

    def __init__(self, problem: RescueProblem, tours: Tours) -> None:
        """Take the problem and its tours."""
        self._problem, self._tours = problem, tours
        self._scale = lcm(*range(1, problem.agents + 1))
        self._soonest = [problem.soonest(victim) for victim in range(problem.victims)]

    def key(self, loads: Loads) -> Hashable:
        """The loads themselves: when an item is given matters here."""
        return loads

    def bound(self, loads: Loads, remaining: Sequence[int]) -> Value:
        """Each agent takes its best route for itself; each remaining victim needs its least steps."""
        least = [min((share for share, _ in routes), default=inf) for routes in self._routes(loads)]
        rest = sum(self._problem.weights[victim] * self._soonest[victim] for victim in remaining)
        steps = [self._tours.steps(agent, load) for agent, load in enumerate(loads)]
        return self._whole(sum(least)) + rest, max([*steps, *(self._soonest[victim] for victim in remaining)])

    def settle(self, loads: Loads, below: Value) -> tuple[Value, Orders] | None:
        """Choose a route for each agent, in the order of shares, and leave what cannot be below the best so far."""
        routes = [sorted(each, key=lambda one: one[0]) for each in self._routes(loads)]
        if not all(routes):
            return None
        weights = self._problem.weights
        shares = [*accumulate((each[0][0] for each in reversed(routes)), initial=0)][::-1]
        owns = [*accumulate((min(route.own for _, route in each) for each in reversed(routes)), initial=0)][::-1]
        best: tuple[Value, Orders] | None = None

        def descend(agent: int, share: int, own: int, shared: tuple[int, ...], steps: int, orders: Orders) -> None:
            nonlocal best, below
            if agent == len(routes):
                below = own + sum(map(mul, weights, shared)), steps
                best = below, orders
                return
            for mine, route in routes[agent]:
                least = self._whole(share + mine + shares[agent + 1])
                if least > below[0]:
                    break
                latest, last = tuple(map(max, shared, route.shared)), max(steps, route.time)
                cost = own + route.own + owns[agent + 1] + sum(map(mul, weights, latest))
                if (max(least, cost), last) < below:
                    descend(agent + 1, share + mine, own + route.own, latest, last, (*orders, route.order))

        descend(0, 0, 0, (0,) * self._problem.victims, 0, ())
        return best

    def _routes(self, loads: Loads) -> Iterator[list[tuple[int, Route]]]:
        """Yield the routes of each agent, each with its share of the cost."""
        counts = [sum(load[victim] > 0 for load in loads) for victim in range(self._problem.victims)]
        shares = [
            self._scale // count * weight if count else 0
            for count, weight in zip(counts, self._problem.weights, strict=True)
        ]
        for agent, load in enumerate(loads):
            shared = frozenset(victim for victim, gives in enumerate(load) if gives and counts[victim] > 1)
            yield [
                (self._scale * route.own + sum(map(mul, shares, route.shared)), route)
                for route in self._tours.routes(agent, load, shared)
            ]

    def _whole(self, share: float) -> float:
        """Return a cost from a sum of shares, rounded up, since costs are whole numbers."""
        return share if share == inf else -(-share // self._scale)


def search(problem: RescueProblem, chosen: Sequence[int], objective: SearchObjective) -> BestService | None:
    """Find the best plan that serves some victims within the limit.

    Args:
        problem: The instance; the supplies of all agents together cover the needs of the chosen victims.
        chosen: The victims.
        objective: What is made as small as possible.

    Returns:
        A best plan; None if no plan serves all of them within the limit.
    """
    order = sorted(chosen, key=lambda victim: (-len(problem.needs[victim]), -problem.soonest(victim), victim))
    best: BestService | None = None
    nodes = 0
    seen: set[Hashable] = set()

    def descend(
        depth: int, loads: Loads, supplies: tuple[tuple[int, ...], ...], given: tuple[tuple[int, ...], ...]
    ) -> None:
        nonlocal best, nodes
        if depth == len(order):
            settled = objective.settle(loads, (inf,) if best is None else best.value)
            if settled:
                best = BestService(settled[0], dict(zip(order, given, strict=True)), settled[1], 0)
            return
        victim = order[depth]
        branches = []
        for givers in problem.ways(victim, supplies):
            more = _load(loads, victim, givers)
            left = _spend(supplies, problem.needs[victim], givers)
            key = (depth, objective.key(more), left)
            if key in seen:
                continue
            seen.add(key)
            nodes += 1
            branches.append((objective.bound(more, order[depth + 1 :]), more, left, givers))
        branches.sort(key=lambda branch: branch[0])
        for bound, more, left, givers in branches:
            if best is not None and bound >= best.value:
                break
            descend(depth + 1, more, left, (*given, givers))

    descend(0, tuple((0,) * problem.victims for _ in range(problem.agents)), problem.supplies, ())
    return None if best is None else replace(best, nodes=nodes)


def _load(loads: Loads, victim: int, givers: tuple[int, ...]) -> Loads:
    return tuple((*load[:victim], givers.count(agent), *load[victim + 1 :]) for agent, load in enumerate(loads))


def _spend(
    supplies: tuple[tuple[int, ...], ...], kinds: tuple[int, ...], givers: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    spent = [list(mine) for mine in supplies]
    for kind, agent in zip(kinds, givers, strict=True):
        spent[agent][kind] -= 1
    return tuple(map(tuple, spent))
