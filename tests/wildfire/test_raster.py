"""The raster scan against the published program told cell by cell (docs/rules/wildfire.md 2.9)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dsl import UserError
from hive.worlds.wildfire.maps.raster import burn_raster
from tests.wildfire.scan_oracle import scan, wild


def test_losses_equal_those_of_a_cell_by_cell_program() -> None:
    burnt = flamed = 0
    for seed in range(25):
        ground, fire = wild(seed)
        trees, buildings, sudden, _ = scan(ground, fire, 30)
        found = burn_raster(ground, fire, 30)
        assert (found[0].tolist(), found[1].tolist()) == (trees, buildings)
        burnt, flamed = burnt + trees[-1], flamed + sudden
    assert burnt > 1000 and flamed > 100


def test_the_lit_cell_waits_one_update_more() -> None:
    ground, fire = wild(0)
    alone = replace(ground, burnable=np.zeros_like(ground.burnable), trees=np.full_like(ground.trees, 3))
    assert burn_raster(alone, fire, 4)[0].tolist() == [0, 3, 3, 3]


def test_a_border_cell_takes_fire_and_never_flames() -> None:
    ground, _ = wild(0)
    forest = replace(ground, trees=np.full_like(ground.trees, 3), burnable=np.ones_like(ground.burnable))
    assert not burn_raster(forest, (0, 5), 20)[0].any()


@pytest.mark.parametrize("fire", [(-1, 3), (3, 16)])
def test_a_fire_outside_the_map_is_refused(fire: tuple[int, int]) -> None:
    with pytest.raises(UserError, match=r"there is no cell .* on a map of 16 x 16 cells"):
        burn_raster(wild(0)[0], fire, 5)
