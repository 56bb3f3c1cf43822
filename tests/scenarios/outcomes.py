"""Whole games of the shipped and the published plans: one program for all plans of a scenario."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import hive
from hive.plan.arrays import pad_plan

ABILITIES = {  # ability, which names its plan: scenario, published plan
    "coordinate": ("coordinate", "coordinate_sonnet"),
    "exploit_weakness": ("exploit_weakness", "exploit_weakness_sonnet"),
    "follow_markers": ("markers_terrain", "markers_4o_mini"),
    "exploit_terrain": ("markers_terrain", "terrain_4o"),
    "strategize_points": ("strategize_points", "strategic_points_o1_mini"),
}
PLANS = {ability: name for ability, (name, _) in ABILITIES.items()} | {"burning_wood": "burning_wood"}
ROOM = {  # steps, groups, memberships and places for all plans of a scenario, so that they share a compiled program
    "coordinate": (2, 32, 2, 32),
    "exploit_weakness": (8, 16, 4, 16),
    "markers_terrain": (16, 16, 8, 8),
    "strategize_points": (1, 32, 1, 32),
    "burning_wood": (4, 8, 4, 8),
}
SEEDS = (20, 21)


@cache
def world(name: str, **overrides: int) -> hive.World:
    return hive.load(name, **overrides)


def outcomes(plan: str | Path, ability: str, **overrides: int) -> tuple[str, ...]:
    """How the games of a plan for this ability end."""
    where = world(PLANS[ability], **overrides)
    return hive.play(where, pad_plan(hive.read_plan(plan, where), *ROOM[PLANS[ability]]), SEEDS).outcome


def ours(ability: str) -> tuple[str, ...]:
    return outcomes(ability, ability)


def bad(ability: str) -> tuple[str, ...]:
    """The limit is lower than the scenario's, to save time, and still above what ours needs, the long march apart."""
    return outcomes(f"{ability}_bad", ability, limit=500)


def published(ability: str, shared: Path) -> tuple[str, ...]:
    return outcomes(shared / "spec" / "plans" / f"{ABILITIES[ability][1]}.plan", ability)
