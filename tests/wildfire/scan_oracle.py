"""The fire of the published program, cell by cell in plain Python (docs/rules/wildfire.md 2.9)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hive.worlds.wildfire.maps.host_land import Map, make_map

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


def scan(
    ground: Map, fire: tuple[int, int], updates: int
) -> tuple[list[int], list[int], int, list[NDArray[np.integer]]]:
    """Trees and buildings lost after each update, how many cells flamed at once, and all states after each update."""
    state = np.where(ground.burnable, BURNABLE, NOT_BURNABLE)
    since = np.zeros_like(state)  # the update in which a cell took its state; nothing advances in that update
    state[fire], since[fire] = IGNITED, 1
    lost, history, states, sudden = [0, 0], [], [], 0

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
        states.append(state.copy())
    return [trees for trees, _ in history], [buildings for _, buildings in history], sudden, states


def wild(seed: int) -> tuple[Map, tuple[int, int]]:
    """A small steep map, on which many cells flame at once, and an inner cell that burns."""
    random = np.random.default_rng(seed)
    ground = make_map(16, seed, 20)
    rough = np.clip(ground.elevation + random.uniform(-0.1, 0.1, (16, 16)), 0, 1).astype(np.float32)
    building = random.random((16, 16)) < 0.1
    inner = [tuple(cell) for cell in np.argwhere(ground.burnable).tolist() if min(cell) > 0 and max(cell) < 15]
    return replace(ground, elevation=rough, building=building), inner[int(random.integers(len(inner)))]
