"""Whole games of the shipped and the published plans: one program for all plans of a scenario."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import hive
from hive.engine.batch.result import Result
from hive.engine.plan.arrays import pad_plan

ABILITIES = {  # ability, which names its plan: scenario, published plan
    "coordinate": ("coordinate", "coordinate_sonnet"),
    "exploit_weakness": ("exploit_weakness", "exploit_weakness_sonnet"),
    "follow_markers": ("markers_terrain", "markers_4o_mini"),
    "exploit_terrain": ("markers_terrain", "terrain_4o"),
    "strategize_points": ("strategize_points", "strategic_points_o1_mini"),
}
PLANS = {ability: name for ability, (name, _) in ABILITIES.items()} | {name: name for name in ("burning_wood", "duel")}
ROOM = {  # steps, groups, memberships and places for all plans of a scenario, so that they share a compiled program
    "coordinate": (2, 32, 2, 32),
    "exploit_weakness": (8, 16, 4, 16),
    "markers_terrain": (16, 16, 8, 8),
    "strategize_points": (1, 32, 1, 32),
    "burning_wood": (4, 8, 4, 8),
    "duel": (8, 16, 8, 16),
}
SEEDS = (20, 21)


@cache
def games(plan: str | Path, ability: str, limit: int | None = None, seeds: tuple[int, ...] = SEEDS) -> Result:
    """The games of a plan for this ability."""
    where = hive.load(PLANS[ability], **({"limit": limit} if limit else {}))
    seeds = seeds[:1] if PLANS[ability] == "markers_terrain" else seeds  # marches of over a thousand ticks
    (result,) = hive.sweep(where, [pad_plan(hive.read_plan(plan, where), *ROOM[PLANS[ability]])], seeds).results
    return result


def ours(ability: str, seeds: tuple[int, ...] = SEEDS) -> tuple[str, ...]:
    """How the games of our plan end."""
    return games(ability, ability, seeds=seeds).outcome


def bad(ability: str) -> tuple[str, ...]:
    """How the games of the bad plan end, which may take a quarter longer than ours did."""
    return games(f"{ability}_bad", ability, int(1.25 * games(ability, ability).ticks.max())).outcome


def published(ability: str, shared: Path) -> tuple[str, ...]:
    """How the games of the published plan end."""
    return games(shared / "spec" / "plans" / f"{ABILITIES[ability][1]}.plan", ability).outcome
