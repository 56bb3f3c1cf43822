"""Short games of every scenario."""

from __future__ import annotations

import numpy as np
import pytest

import hive
import scenarios
from hive.battle.recorder import record
from hive.world.shapes import Ground
from tests.scenarios.outcomes import PLANS

QUICK = ("markers_terrain",)  # the one with guards, walls and water


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in scenarios.names()]
)
def test_a_small_short_game_of_every_scenario(name: str) -> None:
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
