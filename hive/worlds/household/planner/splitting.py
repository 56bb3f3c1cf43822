"""The split of the objects among agents, by their tours: the least time until the last one is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from dsl import UserError
from hive.worlds.household.assembly import make_params
from hive.worlds.household.episode import HouseholdEpisode
from hive.worlds.household.planner.tours import SLACK, Tour, candidates_of, tours, wanted_of


@dataclass(frozen=True)
class TourPlan:
    """What a team does that knows everything.

    Attributes:
        tours: Of each agent.
        ticks: Of the longest tour, where each agent opens what it needs: what the plan takes at most.
        least: The same where all containers are open: the search found no straight tours that are faster.
    """

    tours: tuple[Tour, ...]
    ticks: int
    least: int


def plan(episode: HouseholdEpisode, agents: int = 2, slack: int | None = SLACK) -> TourPlan:
    """Return the best plan of straight tours.

    Args:
        episode: Of housework.
        agents: Size of the team.
        slack: See `tours.SLACK`; None searches all tours.

    Raises:
        UserError: The episode is one of transport.
    """
    if episode.rules != "housework":
        raise UserError(
            f"the planner that knows everything plans housework, and {episode.name} is {episode.rules}\n"
            "  = help: name an episode of housework, such as cwah_0"
        )
    params = make_params(episode, agents)
    host: Any = jax.device_get(params)
    starts = [(int(host.agent_room[n]), *host.agent_at[n].tolist()) for n in range(agents)]

    def of_all(pays: bool) -> list[dict[int, Tour]]:
        once = {start: tours(episode, params, starts.index(start), pays, slack) for start in set(starts)}
        return [once[start] for start in starts]

    wanted, goal = wanted_of(host), host.object_goal
    paid = _split(of_all(True), wanted, goal, candidates_of(host))
    free = _split(of_all(False), wanted, goal, candidates_of(host))
    return TourPlan(paid, max(tour.ticks for tour in paid), max(tour.ticks for tour in free))


def _split(
    found: Sequence[Mapping[int, Tour]], wanted: np.ndarray, goal: np.ndarray, candidates: Sequence[int]
) -> tuple[Tour, ...]:
    """Return tours of disjoint sets that bring exactly what is wanted, the longest of them as short as possible."""

    def counts(taken: int) -> tuple[int, ...]:
        return tuple(
            sum((taken >> thing) & 1 for thing in candidates if goal[thing] == kind) for kind in range(len(wanted))
        )

    limit = tuple(max(0, each) for each in wanted.tolist())
    joined: dict[int, tuple[Tour, ...]] = {0: ()}
    for tours_ in found:
        grown: dict[int, tuple[int, int, tuple[Tour, ...]]] = {}
        for taken, before in joined.items():
            so_far = max((tour.ticks for tour in before), default=0)
            for mine, tour in tours_.items():
                if taken & mine:
                    continue
                rank = max(so_far, tour.ticks), so_far + tour.ticks
                old = grown.get(taken | mine)
                if old is None or rank < old[:2]:
                    grown[taken | mine] = (*rank, (*before, tour))
        joined = {
            taken: each[2]
            for taken, each in grown.items()
            if all(have <= most for have, most in zip(counts(taken), limit, strict=True))
        }
    complete = [each for taken, each in joined.items() if counts(taken) == limit]
    return min(complete, key=lambda each: (max(t.ticks for t in each), sum(t.ticks for t in each)))
