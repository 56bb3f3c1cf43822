"""CREW-Wildfire's levels: the table of them, their procedural maps, and where everything stands at the start."""

from hive.wildfire.competency import Competency, competency, normalised_score
from hive.wildfire.levels import Level, find_level, levels
from hive.wildfire.maps import Map, make_map
from hive.wildfire.placement import Places, place
from hive.wildfire.raster import burn_raster
from hive.wildfire.score_files import Run, published_runs, read_runs
from hive.wildfire.site import Site, make_site

__all__ = [
    "Competency",
    "Level",
    "Map",
    "Places",
    "Run",
    "Site",
    "burn_raster",
    "competency",
    "find_level",
    "levels",
    "make_map",
    "make_site",
    "normalised_score",
    "place",
    "published_runs",
    "read_runs",
]
