"""What a single agent needs for the needs assigned to it: the shortest tour, and all routes that may be best."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from hive.worlds.rescue.optimum.problem import Load, RescueProblem


class Route(NamedTuple):
    """An order in which an agent serves its victims, each in one stay.

    Attributes:
        own: Weighted steps of the victims that this agent serves alone.
        shared: For each victim the step of this agent's last item for it, if other agents give to it too; else 0.
        order: The victims.
        time: Step of the last item.
    """

    own: int
    shared: tuple[int, ...]
    order: tuple[int, ...]
    time: int


class Tours:
    """Tours of the agents of a problem; each is computed when it is first asked for, and kept."""

    def __init__(self, problem: RescueProblem) -> None:
        """Take the problem."""
        self._problem = problem
        self._tours = [self._all_tours(agent) for agent in range(problem.agents)]
        self.steps = cache(self._steps)
        self.routes = cache(self._routes)

    def order(self, agent: int, load: Load) -> tuple[int, ...]:
        """Return a shortest order of the victims of a load."""
        return self._tours[agent][_mask(load)][1]

    def _steps(self, agent: int, load: Load) -> int:
        """Return the least steps in which an agent gives its load: those of a shortest tour, and one for each item."""
        return self._tours[agent][_mask(load)][0] + sum(load)

    def _all_tours(self, agent: int) -> list[tuple[int, tuple[int, ...]]]:
        """Return the shortest tour through each set of victims, from the agent's first room, with its order.

        Held and Karp's recursion: the best tour through a set that ends at a victim extends the best tour through the
        rest of the set.
        """
        problem = self._problem
        ending: list[dict[int, tuple[int, tuple[int, ...]]]] = [{} for _ in range(1 << problem.victims)]
        for mask in range(1, 1 << problem.victims):
            for last in range(problem.victims):
                rest = mask & ~(1 << last)
                if rest == mask:
                    continue
                if not rest:
                    ending[mask][last] = (problem.away[agent][last], (last,))
                else:
                    ending[mask][last] = min(
                        (far + problem.between[before][last], (*order, last))
                        for before, (far, order) in ending[rest].items()
                    )
        return [min(each.values(), default=(0, ())) for each in ending]

    def _routes(self, agent: int, load: Load, shared: frozenset[int]) -> list[Route]:
        """Return the routes of an agent that no other route of it beats everywhere, within the limit of steps.

        A route beats another if it takes no longer, its own victims cost no more, and no shared victim gets its last
        item later.

        Args:
            agent: The agent.
            load: What it gives.
            shared: The victims among them that other agents give to as well.
        """
        problem = self._problem
        mine = [victim for victim, gives in enumerate(load) if gives]
        begun: dict[tuple[frozenset[int], int], list[Route]] = {
            (frozenset(), -1): [Route(0, (0,) * problem.victims, (), 0)]
        }
        for _ in mine:
            further: dict[tuple[frozenset[int], int], list[Route]] = {}
            for (done, last), routes in begun.items():
                for victim in mine:
                    if victim in done:
                        continue
                    walk = problem.away[agent][victim] if last < 0 else problem.between[last][victim]
                    steps = walk + load[victim]
                    further.setdefault((done | {victim}, victim), []).extend(
                        self._extend(route, victim, route.time + steps, victim in shared)
                        for route in routes
                        if route.time + steps <= problem.limit
                    )
            begun = {key: unbeaten(routes) for key, routes in further.items()}
        return unbeaten(route for routes in begun.values() for route in routes)

    def _extend(self, route: Route, victim: int, time: int, shared: bool) -> Route:
        order = (*route.order, victim)
        if not shared:
            return Route(route.own + self._problem.weights[victim] * time, route.shared, order, time)
        return Route(route.own, (*route.shared[:victim], time, *route.shared[victim + 1 :]), order, time)


def unbeaten(routes: Iterable[Route]) -> list[Route]:
    """Return the routes that no other one beats; of equal ones the first."""
    found: list[Route] = []
    for route in sorted(routes, key=lambda each: (each.own, sum(each.shared), each.time, each.order)):
        if not any(
            other.own <= route.own
            and other.time <= route.time
            and all(a <= b for a, b in zip(other.shared, route.shared, strict=True))
            for other in found
        ):
            found.append(route)
    return found


def _mask(load: Load) -> int:
    return sum(1 << victim for victim, gives in enumerate(load) if gives)
