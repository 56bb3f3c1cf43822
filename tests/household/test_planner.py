"""The planner that knows everything, against every order of the same deeds in the world itself (11.3)."""

from __future__ import annotations

from itertools import permutations, product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dsl import UserError
from hive.kit.environment.env import stack
from hive.worlds.household.assembly import make_params
from hive.worlds.household.codes import AGENTS
from hive.worlds.household.episode import HouseholdEpisode, episode
from hive.worlds.household.planner.following import LENGTH, Planner, _Follower, _play
from hive.worlds.household.planner.splitting import plan
from hive.worlds.household.planner.tours import PUT
from tests.household.homes import CABINET, KITCHEN, TABLE, line
from tests.tiers import tiers

pytestmark = pytest.mark.slow

LANES = 19


def ticks_of(episode: HouseholdEpisode, agents: int, scripts: list[list[tuple[int, ...]]]) -> np.ndarray:
    """Play lists of stops in the world, LANES at once: the ticks of each."""
    stops = np.full((LANES, AGENTS, LENGTH), -2, np.int32)
    for lane, script in enumerate(scripts):
        for agent, tour in enumerate(script):
            stops[lane, agent, : len(tour)] = tour
    params = stack([make_params(episode, agents)] * LANES)
    played = _play(_Follower(jnp.asarray(stops)), params, jax.random.split(jax.random.key(0), LANES))
    return np.asarray(played.ticks)[: len(scripts)]


def orders(things: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All tours with some objects: every order, with and without a return after each but the last."""
    found = set()
    for order in permutations(things):
        for returns in product((False, True), repeat=max(len(order) - 1, 0)):
            stops: list[int] = []
            for thing, back in zip(order, (*returns, True), strict=False):
                stops += [thing, *([PUT] if back else [])]
            found.add(tuple(stops))
    return [tour for tour in found if tour and _at_most_two(tour)]


def _at_most_two(tour: tuple[int, ...]) -> bool:
    held = 0
    for stop in tour:
        held = 0 if stop == PUT else held + 1
        if held > 2:
            return False
    return True


@pytest.mark.parametrize("start", tiers([1.0, 9.0, 14.0], slow=[9.0]))
def test_one_agent_cannot_be_faster_than_its_plan(start: float) -> None:
    """Three plates, all 18 orders and returns: the planner finds the fastest, and the world agrees on its ticks."""
    home = line({"a": TABLE, "b": CABINET, "c": CABINET}, starts=(start,), goal=3)
    every = orders((0, 1, 2))
    assert len(every) == 18
    best = plan(home, 1)
    *played, own = ticks_of(home, 1, [*([tour] for tour in every), [best.tours[0].stops]])
    assert best.ticks == min(played) == own
    assert best.least <= best.ticks


def test_two_agents_cannot_be_faster_than_their_plan() -> None:
    """Two plates, split in every way between agents in both rooms."""
    home = line({"a": TABLE, "b": CABINET}, starts=(1.0, 14.0), goal=2)
    splits = [
        [one, other]
        for mine in ((), (0,), (1,), (0, 1))
        for one in orders(mine) or [()]
        for other in orders(tuple({0, 1} - set(mine))) or [()]
    ]
    best = plan(home, 2)
    *played, own = ticks_of(home, 2, [*splits, [tour.stops for tour in best.tours]])
    assert best.least <= min(played) <= best.ticks
    assert own == min(played)


@pytest.mark.long
def test_giving_up_slow_beginnings_loses_nothing() -> None:
    shipped = episode("cwah_40")
    assert plan(shipped, 2) == plan(shipped, 2, slack=None)


def test_plans_are_for_housework() -> None:
    with pytest.raises(UserError, match="plans housework"):
        plan(episode("tdw_2_0_enough_food"), 2)


def test_a_plan_is_searched_once() -> None:
    planner, home = Planner(), line({"a": TABLE}, starts=(14.0,), goal=1)
    assert home.starts[0].room == KITCHEN
    assert planner.plan(home, 1) is planner.plan(home, 1)
