"""CREW-Wildfire: levels as worlds, their maps, games of commanders, observations and actions for agents, competency.

    world = hive.load("wildfire/suppress_contain", seed=733)
    played = hive.worlds.wildfire.play_level(world, commander_for(world.site.level))

For agents that act by numbers, as published: `observe`, and `hive.step` with `commands`, for `jax.jit` and `jax.vmap`.
Modules that need JAX are loaded on first use, so that the table of levels and the competency scores work without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hive.kit.lazy import attach
from hive.worlds.wildfire.competency import Competency, competency, normalised_score
from hive.worlds.wildfire.levels import Level, find_level, levels
from hive.worlds.wildfire.maps.host_land import Map, make_map
from hive.worlds.wildfire.maps.host_places import Places, place
from hive.worlds.wildfire.maps.raster import burn_raster
from hive.worlds.wildfire.maps.site import Site, make_site
from hive.worlds.wildfire.score_files import MethodRun, published_runs, read_runs

if TYPE_CHECKING:
    from hive.worlds.wildfire.action_tensor import ACTIONS, check_actions, commands
    from hive.worlds.wildfire.commanders import commander_for
    from hive.worlds.wildfire.games import Played, play_level
    from hive.worlds.wildfire.many import many_params, many_task_numbers
    from hive.worlds.wildfire.observation import observe, published_observation, task_numbers
    from hive.worlds.wildfire.reports import Commander, Report
    from hive.worlds.wildfire.world import Fireground, load_level

__all__ = [
    "ACTIONS",
    "Commander",
    "Competency",
    "Fireground",
    "Level",
    "Map",
    "MethodRun",
    "Places",
    "Played",
    "Report",
    "Site",
    "burn_raster",
    "check_actions",
    "commander_for",
    "commands",
    "competency",
    "find_level",
    "levels",
    "load_level",
    "make_map",
    "make_site",
    "many_params",
    "many_task_numbers",
    "normalised_score",
    "observe",
    "place",
    "play_level",
    "published_observation",
    "published_runs",
    "read_runs",
    "task_numbers",
]

__getattr__, __dir__ = attach(
    globals(),
    {
        "commanders": ("commander_for",),
        "action_tensor": ("ACTIONS", "check_actions", "commands"),
        "world": ("Fireground", "load_level"),
        "many": ("many_params", "many_task_numbers"),
        "observation": ("observe", "published_observation", "task_numbers"),
        "games": ("Played", "play_level"),
        "reports": ("Commander", "Report"),
    },
)
