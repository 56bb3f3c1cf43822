"""The optimum of an instance: its value, proved by an exhaustive search, and a plan that reaches it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from dsl import UserError
from dsl.wording import listing
from hive.worlds.rescue.codes import URGENT
from hive.worlds.rescue.optimum.plan import actions
from hive.worlds.rescue.optimum.problem import RescueProblem
from hive.worlds.rescue.optimum.search import BestService, Fewest, SearchObjective, Weighted, search
from hive.worlds.rescue.optimum.tours import Tours
from hive.worlds.rescue.state import Params

OPTIMUM_OBJECTIVES = ("steps", "weighted")
"""What can be made least: the steps until all victims are served, or the weighted sum of each victim's steps."""


@dataclass(frozen=True, kw_only=True)
class Optimum:
    """The best that the team of an instance can do.

    Attributes:
        objective: One of `OPTIMUM_OBJECTIVES`.
        urgent_weight: Weight of an urgent victim.
        served: Victims that the plan serves; no plan serves more of them within the limit.
        value: Of the objective: the least of all plans that serve as many. Of plans with as few weighted steps, this
            one has the fewest steps.
        steps: Step of the plan's last delivery.
        weighted: Sum over all victims of weight times the step in which the plan serves it, the limit for others.
        actions: `[T, A]` actions of the plan (`state` has the numbers).
        nodes: Partial plans whose bound was computed.
        seconds: Time of the search.
    """

    objective: str
    urgent_weight: int
    served: int
    value: int
    steps: int
    weighted: int
    actions: np.ndarray
    nodes: int
    seconds: float


def problem_of(params: Params, urgent_weight: int = URGENT) -> RescueProblem:
    """Return what a search needs of an instance on the host."""
    agents = np.flatnonzero(params.agent_there)
    victims = np.flatnonzero(params.victim_there)
    rooms = np.asarray(params.victim_room)[victims]
    distance = np.asarray(params.distance)
    return RescueProblem(
        away=_rows(distance[np.asarray(params.start)[agents]][:, rooms]),
        between=_rows(distance[rooms][:, rooms]),
        needs=tuple(tuple(np.flatnonzero(needs).tolist()) for needs in np.asarray(params.needs)[victims]),
        weights=tuple(urgent_weight if urgent else 1 for urgent in np.asarray(params.urgent)[victims]),
        supplies=_rows(np.asarray(params.supplies)[agents]),
        limit=int(params.limit),
    )


def best(problem: RescueProblem, objective: str = "steps") -> BestService:
    """Find the most victims that can be served within the limit, and the best plan that serves as many.

    Args:
        problem: The instance.
        objective: One of `OPTIMUM_OBJECTIVES`.

    Returns:
        The plan; its value for `weighted` counts every other victim with the limit.
    """
    tours = Tours(problem)
    rule: SearchObjective = Fewest(problem, tours) if objective == "steps" else Weighted(problem, tours)
    found: BestService | None = None
    nodes = 0
    for chosen in problem.subsets():
        if found and len(chosen) < len(found.givers):
            break
        each = search(problem, chosen, rule)
        if each is None:
            continue
        nodes += each.nodes
        if objective == "weighted":
            others = set(range(problem.victims)).difference(chosen)
            waiting = problem.limit * sum(problem.weights[victim] for victim in others)
            each = replace(each, value=(each.value[0] + waiting, *each.value[1:]))
        if found is None or each.value < found.value:
            found = each
    assert found is not None, "no victims at all can always be served"
    return replace(found, nodes=nodes)


def optimum(params: Params, objective: str = "steps", urgent_weight: int = URGENT) -> Optimum:
    """Find a best plan of an instance, and prove that there is no better one (docs/rules/rescue.md 8).

    Args:
        params: The instance, on the host.
        objective: One of `OPTIMUM_OBJECTIVES`.
        urgent_weight: Weight of an urgent victim, 1 or more; other victims weigh 1.

    Raises:
        UserError: There is no such objective, or the weight is below 1.
    """
    if objective not in OPTIMUM_OBJECTIVES:
        raise UserError(f"there is no objective `{objective}`: objectives are {listing(OPTIMUM_OBJECTIVES, 'and')}")
    if urgent_weight < 1:
        raise UserError(f"an urgent victim weighs 1 or more, not {urgent_weight}")
    began = time.perf_counter()
    problem = problem_of(params, urgent_weight)
    found = best(problem, objective)
    at = served_at(problem, found)
    return Optimum(
        objective=objective,
        urgent_weight=urgent_weight,
        served=len(found.givers),
        value=int(found.value[0]),
        steps=max(at.values(), default=0),
        weighted=sum(weight * at.get(victim, problem.limit) for victim, weight in enumerate(problem.weights)),
        actions=actions(params, problem, found),
        nodes=found.nodes,
        seconds=time.perf_counter() - began,
    )


def served_at(problem: RescueProblem, found: BestService) -> dict[int, int]:
    """Return the step in which a plan serves each of its victims."""
    at: dict[int, int] = {}
    for agent, order in enumerate(found.orders):
        step, last = 0, -1
        for victim in order:
            step += problem.away[agent][victim] if last < 0 else problem.between[last][victim]
            step += found.givers[victim].count(agent)
            at[victim], last = max(at.get(victim, 0), step), victim
    return at


def _rows(array: np.ndarray) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, array.tolist()))
