"""An instance as the numbers that its optimum depends on: distances, needs, supplies and weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

Load = tuple[int, ...]
"""For each victim the number of items that one agent gives to it; 0 where the agent does not go there."""


@dataclass(frozen=True, kw_only=True)
class RescueProblem:
    """What a search needs to know, all of it in whole numbers.

    Attributes:
        away: For each agent and victim the steps from the agent's first room to the victim's.
        between: For each pair of victims the steps between their rooms.
        needs: For each victim the kinds that it needs, by their numbers.
        weights: For each victim the cost of a step until it is served.
        supplies: For each agent the units of each kind that it carries.
        limit: Most steps of a run.
    """

    away: tuple[tuple[int, ...], ...]
    between: tuple[tuple[int, ...], ...]
    needs: tuple[tuple[int, ...], ...]
    weights: tuple[int, ...]
    supplies: tuple[tuple[int, ...], ...]
    limit: int

    @property
    def agents(self) -> int:
        """Number of agents."""
        return len(self.away)

    @property
    def victims(self) -> int:
        """Number of victims."""
        return len(self.needs)

    def subsets(self) -> Iterator[tuple[int, ...]]:
        """Yield each set of victims whose needs the supplies of all agents cover, the largest sets first."""
        carried = [sum(kind) for kind in zip(*self.supplies, strict=True)]
        for size in range(self.victims, -1, -1):
            for chosen in combinations(range(self.victims), size):
                needed = [kind for victim in chosen for kind in self.needs[victim]]
                if all(needed.count(kind) <= have for kind, have in enumerate(carried)):
                    yield chosen

    def ways(self, victim: int, supplies: tuple[tuple[int, ...], ...]) -> Iterator[tuple[int, ...]]:
        """Yield each way to serve a victim: for each kind that it needs, an agent that carries a unit of that kind."""
        choices = ([agent for agent, mine in enumerate(supplies) if mine[kind]] for kind in self.needs[victim])
        return product(*choices)

    def soonest(self, victim: int) -> int:
        """Return a lower bound of the step in which a victim is served, if nothing else is to be done."""
        found = self.limit + 1
        for givers in self.ways(victim, self.supplies):
            step = max((self.away[agent][victim] + givers.count(agent) for agent in givers), default=0)
            found = min(found, step)
        return found
