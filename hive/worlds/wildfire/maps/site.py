"""A level on the map of a seed, ready to be played."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hive.worlds.wildfire.levels import Level
from hive.worlds.wildfire.maps.host_land import Land, Map, make_map
from hive.worlds.wildfire.maps.host_places import Places, place


@dataclass(frozen=True, kw_only=True)
class Site:
    """Everything that a level and a seed determine before the first step."""

    level: Level
    seed: int
    ground: Map
    places: Places


def make_site(level: Level, seed: int) -> Site:
    """Return a level on the map of a seed.

    Args:
        level: One of `levels()`, or one changed by `dataclasses.replace`.
        seed: Any of `host_land.SEEDS`, published for the level or not.

    Raises:
        UserError: Size, offset or seed is out of range, or the map has no room for a place.
    """
    ground = make_map(level.size, seed, level.offset)
    places = place(level, ground, seed)
    return Site(level=level, seed=seed, ground=prepare(ground, places), places=places)


def prepare(ground: Map, places: Places) -> Map:
    """Return the map as a game starts on it: with water, and three trees on every cell that is to be cut.

    Water has no trees, and labelled cells have three; the published program keeps the generated trees of both
    (docs/rules/wildfire_levels.md 2.3).
    """
    land, trees = ground.land.copy(), ground.trees.copy()
    building, burnable = ground.building.copy(), ground.burnable.copy()
    for cell in places.cells_to_cut:
        land[cell], trees[cell], building[cell], burnable[cell] = Land.DENSE, 3, False, True
    if places.water is not None:
        cell = places.water
        land[cell], trees[cell], building[cell], burnable[cell] = Land.WATER, 0, False, False
    return replace(ground, land=land, trees=trees, building=building, burnable=burnable)
