"""Sites and evaluations for tests of the search: nothing is played."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

import dsl
import scenarios
from dsl import PlanSyntax
from hive.experiments.search.evolve import Search, SearchSettings
from hive.experiments.search.playing import capacities_for
from hive.experiments.search.site import SearchSite, site_of
from hive.worlds.battle.world import load

PLANS = {  # shipped plans with their scenarios
    "coordinate": "coordinate",
    "coordinate_bad": "coordinate",
    "exploit_weakness": "exploit_weakness",
    "exploit_weakness_bad": "exploit_weakness",
    "follow_markers": "markers_terrain",
    "exploit_terrain_bad": "markers_terrain",
    "strategize_points": "strategize_points",
    "burning_wood": "burning_wood",
}


@cache
def site_and_plan(name: str) -> tuple[SearchSite, PlanSyntax]:
    """The site of a shipped plan at 40 units, and the plan."""
    world, small = load(PLANS[name]), load(PLANS[name], units=40)
    plan = dsl.parse_plan(scenarios.plan(name), name, world.context(0))
    return site_of(world, small.sizes, capacities_for(plan, 16)), plan


@cache
def worded_site(name: str) -> SearchSite:
    """The same site for moves with words of the second edition."""
    site, _ = site_and_plan(name)
    return site_of(load(PLANS[name]), site.sizes, site.capacities, words=True)


def away(plans: Sequence[PlanSyntax], seeds: Sequence[int]) -> np.ndarray:
    """A made-up value: how near the targets of a plan are to (75, 75), with noise that depends on the seed."""
    noise = np.array([np.random.default_rng(seed).uniform(-0.05, 0.05) for seed in seeds])
    far = [np.mean([np.hypot(g.target[0] - 75, g.target[1] - 75) for s in p.steps for g in s.groups]) for p in plans]
    return np.clip(1 - np.array(far)[:, None] / 150 + noise[None], 0.0, 0.999)


def search(name: str = "coordinate_bad", **settings: float) -> Search:
    """A search from a shipped plan."""
    site, plan = site_and_plan(name)
    return Search(plan, site, SearchSettings(**settings))
