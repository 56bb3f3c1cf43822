"""CREW-Wildfire's levels: the table of them, their procedural maps, and where everything stands at the start."""

from hive.wildfire.levels import Level, find_level, levels
from hive.wildfire.maps import Map, make_map
from hive.wildfire.placement import Places, place
from hive.wildfire.raster import burn_raster
from hive.wildfire.site import Site, make_site

__all__ = ["Level", "Map", "Places", "Site", "burn_raster", "find_level", "levels", "make_map", "make_site", "place"]
