"""Short games of the scenarios whose ground stops units."""

from __future__ import annotations

import numpy as np
import pytest

import hive
import scenarios
from hive.ground.shapes import Ground
from hive.worlds.battle.recorder import record
from hive.worlds.battle.scenario import load_scenario
from tests.scenarios.outcomes import PLANS

STOPPED = [
    name
    for name in scenarios.names()
    if any(shape.terrain in ("water", "building") for shape in load_scenario(name).map.shapes)
]


@pytest.mark.long
@pytest.mark.parametrize("name", STOPPED)
def test_a_small_short_game_on_ground_that_stops_units(name: str) -> None:
    """60 units and 20 ticks: both sides obey, guards apart, and no unit stands in water or in a building."""
    small = hive.load(name, units=60, limit=20)
    ability = next(ability for ability, scenario in PLANS.items() if scenario == name)
    game = record(small, hive.read_plan(ability, small), 20)
    assert game.tick[-1] == 20
    cells = np.clip(game.position[-1].astype(int), 0, small.scenario.map.size - 1)  # a frame rounds to the border
    assert not (small.kind[tuple(cells.T)] & (Ground.WATER | Ground.BUILDING)).any()
    walked = np.hypot(*(game.position[-1] - game.position[0]).T) > 3
    assert walked[game.side == 0].mean() > 0.5
    assert (walked[game.side == 1].mean() > 0.5) == (name != "markers_terrain")


def test_rivers_stop_units_in_three_scenarios() -> None:
    assert {"exploit_weakness", "markers_terrain", "strategize_points"} <= set(STOPPED)
