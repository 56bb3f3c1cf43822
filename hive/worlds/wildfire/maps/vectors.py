"""Reference vectors of the published levels: the values for a level and a seed, compared one by one.

A vector is a table of the format `wildfire-levels/1`: a seed and some of the values named in `_VALUES`. Whole numbers
have to agree exactly, the three fields at the spawn cell to the printed decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from hive.worlds.wildfire.levels import Level
from hive.worlds.wildfire.maps.host_land import Land, make_map
from hive.worlds.wildfire.maps.host_places import place
from hive.worlds.wildfire.maps.raster import burn_raster
from hive.worlds.wildfire.maps.site import prepare

_LAND = {"rock": Land.ROCK, "brush": Land.BRUSH, "light": Land.LIGHT, "medium": Land.MEDIUM, "dense": Land.DENSE}
_UPDATES = 50  # updates of the fire in the published curves
_DECIMALS = {"wind_at_spawn": 2, "elevation_at_spawn": 4, "moisture_at_spawn": 4}


def compare(level: Level, vector: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences from a vector of a level, one sentence for each value.

    Raises:
        UserError: The seed is out of range.
    """
    made = _Made(level, vector["seed"])
    names = [name for name in vector if name != "seed"]
    if not names:
        yield "there is nothing to compare"
    for name in names:
        if name not in _VALUES:
            yield f"`{name}` is not a known value"
        elif not _same(wanted := vector[name], got := _VALUES[name](made), _DECIMALS.get(name)):
            if isinstance(wanted, dict) and isinstance(got, dict):
                got = {key: got.get(key) for key in wanted}
            yield f"`{name}` should be {wanted}, is {got}"


class _Made:
    """A map as generated, before any correction, with its places and its fire."""

    def __init__(self, level: Level, seed: int) -> None:
        self.ground = make_map(level.size, seed, level.offset)
        self.places = place(level, self.ground, seed)

    @property
    def land(self) -> dict[str, int]:
        return {name: int((self.ground.land == code).sum()) for name, code in _LAND.items()}

    @property
    def missing_trees(self) -> int:
        return sum(3 - int(self.ground.trees[cell]) for cell in self.places.cells_to_cut)

    @cached_property
    def losses(self) -> tuple[list[int], list[int]]:
        """Trees and buildings lost after each update; none without a fire."""
        if self.places.fire is None:
            return [], []
        trees, buildings = burn_raster(prepare(self.ground, self.places), self.places.fire, _UPDATES)
        return trees.tolist(), buildings.tolist()

    @property
    def curve(self) -> dict[str, int]:
        return {str(update): lost for update, lost in enumerate(self.losses[0], start=1)}

    def at_spawn(self, layer: np.ndarray) -> Any:
        return layer[self.places.spawn].tolist()


_VALUES: dict[str, Callable[[_Made], Any]] = {
    "spawn_nominal": lambda made: made.places.spawn,
    "land_counts": lambda made: made.land,
    "building_cells": lambda made: int(made.ground.building.sum()),
    "trees_total": lambda made: int(made.ground.trees.sum()),
    "wind_at_spawn": lambda made: made.at_spawn(made.ground.wind),
    "elevation_at_spawn": lambda made: made.at_spawn(made.ground.elevation),
    "moisture_at_spawn": lambda made: made.at_spawn(made.ground.moisture),
    "targets": lambda made: [(*cell, int(made.ground.trees[cell])) for cell in made.places.trees],
    "lines": lambda made: made.places.lines,
    "initial_score": lambda made: made.missing_trees,
    "initial_score_n_cells": lambda made: made.missing_trees,
    "target": lambda made: made.places.goal,
    "clusters": lambda made: made.places.clusters,
    "fire": lambda made: made.places.fire,
    "water": lambda made: made.places.water,
    "no_action_trees_lost_raster": lambda made: made.curve,
    "no_action_buildings_lost_raster_50": lambda made: made.losses[1][-1] if made.losses[1] else None,
}


def _same(wanted: Any, got: Any, decimals: int | None) -> bool:
    """Whether two values agree; a table may leave rows out, and a printed decimal may have been rounded at its half."""
    if isinstance(got, dict):
        return isinstance(wanted, dict) and bool(wanted) and all(got.get(key) == wanted[key] for key in wanted)
    if isinstance(got, (list, tuple)):
        return (
            isinstance(wanted, list)
            and len(wanted) == len(got)
            and all(_same(a, b, decimals) for a, b in zip(wanted, got, strict=True))
        )
    if decimals is None or not isinstance(wanted, (int, float)):
        return bool(wanted == got)
    return abs(wanted) < 1e300 and abs(wanted - got) <= 0.51 * 10.0**-decimals
