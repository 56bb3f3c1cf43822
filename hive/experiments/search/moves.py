"""All moves of the search, drawing one or several of them, and making a plan from two."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dsl import PlanSyntax
from hive.experiments.search import group_moves, step_moves, word_moves
from hive.experiments.search.crossing import cross
from hive.experiments.search.site import SearchSite
from hive.experiments.search.tidy import fits, tidy

Move = Callable[[PlanSyntax, SearchSite, np.random.Generator], PlanSyntax | None]

MOVES: dict[Move, float] = {  # how often each is drawn, relative to the others
    group_moves.move_target: 4,
    group_moves.shift_step: 2,
    group_moves.trade_targets: 2,
    group_moves.split_group: 2,
    group_moves.merge_groups: 1,
    group_moves.change_behaviour: 2,
    group_moves.change_types: 1,
    group_moves.spread_group: 2,
    group_moves.share_bridges: 2,
    step_moves.go_on: 5,
    step_moves.remove_step: 1,
    step_moves.reorder_steps: 0.5,
    step_moves.change_prerequisites: 0.5,
    step_moves.change_objective: 0.5,
    step_moves.add_waypoint: 2,
    step_moves.take_way: 2,
}
WORD_MOVES: dict[Move, float] = {  # the same for those that are drawn where `SearchSite.words` is set
    word_moves.change_leash: 1.5,
    word_moves.take_cover: 1,
    word_moves.stay_behind: 2,
    word_moves.end_otherwise: 2,
}
_CROSSED, _CROSSED_ONLY = 0.4, 0.5  # chance of taking orders of another plan, and then of no move after it
_AGAIN = 0.4  # chance of one more move after each
_MOST = 4
_TRIES = 50  # of finding a move that applies


def mutate(plan: PlanSyntax, site: SearchSite, rng: np.random.Generator) -> tuple[PlanSyntax, tuple[str, ...]]:
    """Return a changed plan that checks without errors and fits the capacities, and the names of the moves.

    Args:
        plan: A plan that checks without errors and fits.
        site: The scenario.
        rng: Source of all draws.

    Returns:
        The plan with one to four moves, each followed by `tidy`; the same plan and no names if no move was found.
    """
    names: list[str] = []
    chances = MOVES | WORD_MOVES if site.words else MOVES
    moves, weights = list(chances), np.array([*chances.values()])
    wanted = 1
    while wanted < _MOST and rng.random() < _AGAIN:
        wanted += 1
    for _ in range(_TRIES):
        move = moves[rng.choice(len(moves), p=weights / weights.sum())]
        found = move(plan, site, rng)
        found = found and tidy(found, site)
        if found is None or found == plan or not fits(found, site):
            continue
        plan = found
        names.append(move.__name__)
        if len(names) == wanted:
            break
    return plan, tuple(names)


def change(
    plan: PlanSyntax, other: PlanSyntax, site: SearchSite, rng: np.random.Generator
) -> tuple[PlanSyntax, tuple[str, ...]]:
    """Return a changed plan, which may have orders of another plan, and the names of what was done.

    Args:
        plan: A plan that checks without errors and fits the capacities.
        other: Another such plan; if it is the same, nothing is taken from it.
        site: The scenario.
        rng: Source of all draws.
    """
    crossed = None
    if other != plan and rng.random() < _CROSSED:
        crossed = tidy(cross(plan, other, site, rng), site)
        crossed = crossed if crossed and fits(crossed, site) and crossed != plan else None
    if crossed and rng.random() < _CROSSED_ONLY:
        return crossed, (cross.__name__,)
    changed, names = mutate(crossed or plan, site, rng)
    return changed, (cross.__name__, *names) if crossed else names
