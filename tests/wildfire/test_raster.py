"""The raster scan against the published program told cell by cell (docs/rules/wildfire.md 2.9)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dsl import UserError
from hive.wildfire import Map, burn_raster, make_map

BURNABLE, NOT_BURNABLE, IGNITED, ON_FIRE, EXTINGUISHING, BURNT = range(6)
HALF = math.sqrt(0.5)
# neighbour (x, y with y south) to the direction (east, north) of the published table, mistakes included
DIRECTION = {
    (0, -1): (0, 1), (1, -1): (HALF, HALF), (1, 0): (1, 0), (1, 1): (HALF, -HALF),
    (0, 1): (-1, 0), (-1, 1): (-HALF, -HALF), (-1, 0): (0, -1), (-1, -1): (HALF, -HALF),
}  # fmt: skip


def ratio(ground: Map, source: tuple[int, int], target: tuple[int, int]) -> float:
    slope = math.degrees(math.atan((float(ground.elevation[target]) - float(ground.elevation[source])) * 890 / 30))
    growth = math.exp(0.069 * slope) if slope >= 0 else math.exp(-0.069 * slope) / (2 * math.exp(-0.069 * slope) - 1)
    east, north = ground.wind[source].astype(float) / math.hypot(*ground.wind[source].astype(float))
    towards = DIRECTION[target[0] - source[0], target[1] - source[1]]
    along = east * towards[0] + north * towards[1]
    return growth * (1 - float(ground.moisture[target]) / 10) * (along + 1) / 2


def scan(ground: Map, fire: tuple[int, int], updates: int) -> tuple[list[int], list[int], int]:
    """Trees and buildings lost after each update, and how many cells flamed at once."""
    state = np.where(ground.burnable, BURNABLE, NOT_BURNABLE)
    since = np.zeros_like(state)  # the update in which a cell took its state; nothing advances in that update
    state[fire], since[fire] = IGNITED, 1
    lost, history, sudden = [0, 0], [], 0

    def flame(cell: tuple[int, int], update: int) -> None:
        state[cell], since[cell] = ON_FIRE, update
        lost[0] += int(ground.trees[cell])
        lost[1] += int(ground.building[cell])

    for update in range(1, updates + 1):
        for y in range(1, ground.size - 1):
            for x in range(1, ground.size - 1):
                cell = x, y
                if since[cell] < update and state[cell] == IGNITED:
                    flame(cell, update)
                elif since[cell] < update and state[cell] == ON_FIRE:
                    state[cell], since[cell] = EXTINGUISHING, update
                elif state[cell] == EXTINGUISHING and since[cell] + 10 <= update:
                    state[cell] = BURNT
                if state[cell] != ON_FIRE:
                    continue
                for dx, dy in DIRECTION:
                    other = x + dx, y + dy
                    if state[other] != BURNABLE:
                        continue
                    found = ratio(ground, cell, other)
                    if found > 8:
                        flame(other, update)
                        sudden += 1
                    elif found > 0.5:
                        state[other], since[other] = IGNITED, update
        history.append(tuple(lost))
    return [trees for trees, _ in history], [buildings for _, buildings in history], sudden


def wild(seed: int) -> tuple[Map, tuple[int, int]]:
    """A small steep map, on which many cells flame at once, and an inner cell that burns."""
    random = np.random.default_rng(seed)
    ground = make_map(16, seed, 20)
    rough = np.clip(ground.elevation + random.uniform(-0.1, 0.1, (16, 16)), 0, 1).astype(np.float32)
    building = random.random((16, 16)) < 0.1
    inner = [tuple(cell) for cell in np.argwhere(ground.burnable).tolist() if min(cell) > 0 and max(cell) < 15]
    return replace(ground, elevation=rough, building=building), inner[int(random.integers(len(inner)))]


def test_losses_equal_those_of_a_cell_by_cell_program() -> None:
    burnt = flamed = 0
    for seed in range(25):
        ground, fire = wild(seed)
        trees, buildings, sudden = scan(ground, fire, 30)
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
