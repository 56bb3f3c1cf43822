"""What the shipped and the published plans come to: short games of every scenario, and whole ones as slow tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import hive
import scenarios
from hive.recorder import record
from hive.result import Result
from hive.world.shapes import BUILDING, WATER

ABILITIES = {  # ability, which names its plan: scenario, published plan
    "coordinate": ("coordinate", "coordinate_sonnet"),
    "exploit_weakness": ("exploit_weakness", "exploit_weakness_sonnet"),
    "follow_markers": ("markers_terrain", "markers_4o_mini"),
    "exploit_terrain": ("markers_terrain", "terrain_4o"),
    "strategize_points": ("strategize_points", "strategic_points_o1_mini"),
}
PLANS = {ability: name for ability, (name, _) in ABILITIES.items()} | {"burning_wood": "burning_wood"}
SEEDS = (20, 21)


@cache
def world(name: str, **overrides: int) -> hive.World:
    return hive.load(name, **overrides)


def play(plan: str | Path, name: str, **overrides: int) -> Result:
    where = world(name, **overrides)
    return hive.play(where, hive.read_plan(plan, where), SEEDS)


@pytest.mark.parametrize("name", scenarios.names())
def test_a_small_short_game_of_every_scenario(name: str) -> None:
    """60 units and 20 ticks: both sides obey, guards apart, and nobody stands in water or in a house."""
    small = hive.load(name, units=60, limit=20)
    ability = next(ability for ability, scenario in PLANS.items() if scenario == name)
    game = record(small, hive.read_plan(ability, small), 20)
    assert game.tick[-1] == 20
    cells = np.clip(game.position[-1].astype(int), 0, small.scenario.map.size - 1)  # a frame rounds to the border
    assert not (small.kind[tuple(cells.T)] & (WATER | BUILDING)).any()
    walked = np.hypot(*(game.position[-1] - game.position[0]).T) > 3
    assert walked[game.side == 0].mean() > 0.5
    assert (walked[game.side == 1].mean() > 0.5) == (name != "markers_terrain")


@pytest.mark.slow
@pytest.mark.parametrize("ability", PLANS)
def test_our_plan_wins(ability: str) -> None:
    assert play(ability, PLANS[ability]).outcome == ("win",) * len(SEEDS)


@pytest.mark.slow
@pytest.mark.parametrize("ability", PLANS)
def test_the_bad_plan_does_not_win(ability: str) -> None:
    """Winning means something: all in a corner, archers into cavalry, no cover, everyone in one place, into the fire.

    The limit is lower than the scenario's, to save time, and still above what ours needs, the long march apart.
    """
    assert "win" not in play(f"{ability}_bad", PLANS[ability], limit=500).outcome


@pytest.mark.slow
@pytest.mark.parametrize("ability", ABILITIES)
def test_the_published_plan_wins(ability: str, shared: Path) -> None:
    """Every one of them is published as a success (sheet 15); strategize points loses a race in a few games."""
    name, plan = ABILITIES[ability]
    result = play(shared / "spec" / "plans" / f"{plan}.plan", name)
    assert result.outcome.count("win") >= (1 if ability == "strategize_points" else len(SEEDS))
