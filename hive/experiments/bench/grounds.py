"""Row `maps`: sixteen distance maps on 300 x 300, on the grounds that the speed contract names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from hive.experiments.bench.timing import build, measure, milliseconds
from hive.ground.distance import distance_maps
from hive.ground.shapes import Ground
from hive.ground.terrain import Terrain, make_terrain

TARGETS = 16
GROUNDS = ("rivers", "walls", "houses", "random", "maze")

_SIDE = 300


def run(side: int = _SIDE) -> Iterator[dict[str, Any]]:
    """Search the maps of sixteen new targets on free cells; `longest` is the farthest reached cell, in steps."""
    program = None
    for name in GROUNDS:
        terrain, places = make_search(name, side)
        program = program or build(distance_maps, terrain, places)
        (timing,) = measure(partial(program.call, terrain, places))
        steps = np.asarray(program.call(terrain, places))
        yield {
            "ground": name,
            "side_m": side,
            "targets": TARGETS,
            **milliseconds(timing, "maps"),
            "longest": int(steps[steps < side * side].max()),
            "blocked": round(float(make_blocked(name, side).mean()), 3),
            **program.figures,
        }


def make_search(name: str, side: int) -> tuple[Terrain, Int[Array, "d 2"]]:
    """Arguments of `distance_maps`: a ground of `make_blocked`, and sixteen targets on free cells."""
    blocked = make_blocked(name, side)
    terrain = make_terrain(jnp.asarray(blocked, jnp.uint8) * Ground.WATER)
    free = np.argwhere(~blocked)
    places = jnp.asarray(free[np.random.default_rng(0).choice(len(free), TARGETS, replace=False)], jnp.int32)
    return terrain, places


def make_blocked(name: str, side: int) -> Bool[np.ndarray, "X Y"]:
    """Blocked cells: `rivers` with bridges, 40 `walls`, 250 `houses`, 30% `random` cells, or a `maze`."""
    random = np.random.default_rng(side)
    blocked = np.zeros((side, side), bool)
    if name == "rivers":
        for number in range(1, 5):
            x = number * side // 5
            blocked[x : x + 6] = True
            for bridge in random.integers(0, side - 4, 2):
                blocked[x : x + 6, bridge : bridge + 4] = False
    elif name in ("walls", "houses"):
        for number in range(40 if name == "walls" else 250):
            long = side // 6 if name == "walls" else int(random.integers(4, 11))
            wide = 2 if name == "walls" else int(random.integers(4, 11))
            x, y = random.integers(0, side, 2)
            across = number % 2 and name == "walls"
            blocked[x : x + (wide if across else long), y : y + (long if across else wide)] = True
    elif name == "random":
        blocked = random.random((side, side)) < 0.3
    else:
        blocked = ~_maze(side, random)
    return blocked


def _maze(side: int, random: np.random.Generator) -> Bool[np.ndarray, "X Y"]:
    """Open cells of a perfect maze: corridors one cell wide, one way between any two places, dug depth first."""
    opened = np.zeros((side, side), bool)
    rooms = side // 2
    opened[0, 0] = True
    way = [(0, 0)]
    while way:
        x, y = way[-1]
        near = [(x + a, y + b) for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        shut = [(a, b) for a, b in near if 0 <= a < rooms and 0 <= b < rooms and not opened[2 * a, 2 * b]]
        if not shut:
            way.pop()
            continue
        a, b = shut[int(random.integers(len(shut)))]
        opened[2 * a, 2 * b] = opened[x + a, y + b] = True
        way.append((a, b))
    return opened
