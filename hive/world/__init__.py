"""The ground units stand on: shapes and rasters, terrain words, distance maps."""

from __future__ import annotations

from hive.world.distance import distance_maps
from hive.world.shapes import Band, Box, Circle, from_rows, rasterise
from hive.world.terrain import Terrain, make_terrain

__all__ = ["Band", "Box", "Circle", "Terrain", "distance_maps", "from_rows", "make_terrain", "rasterise"]
