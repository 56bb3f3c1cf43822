"""CREW-Wildfire: levels as worlds, their maps, games of commanders, observations and actions for agents, competency.

    world = hive.load("wildfire/suppress_contain", seed=733)
    played = hive.worlds.wildfire.play_level(world, commander_for(world.site.level))

For agents that act by numbers, as published: `observe`, and `hive.step` with `commands`, for `jax.jit` and `jax.vmap`.
Names are loaded when first used, so that the table of levels and the competency scores work without JAX.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hive.kit.lazy import attach

if TYPE_CHECKING:
    from hive.worlds.wildfire.action_tensor import ACTIONS, check_actions, commands
    from hive.worlds.wildfire.commanders import commander_for
    from hive.worlds.wildfire.competency import normalised_score
    from hive.worlds.wildfire.games import play_level
    from hive.worlds.wildfire.many import many_params, many_task_numbers
    from hive.worlds.wildfire.maps.host_land import make_map
    from hive.worlds.wildfire.observation import observe, published_observation, task_numbers
    from hive.worlds.wildfire.reports import Report
    from hive.worlds.wildfire.world import load_level

__all__ = [
    "ACTIONS",
    "Report",
    "check_actions",
    "commander_for",
    "commands",
    "load_level",
    "make_map",
    "many_params",
    "many_task_numbers",
    "normalised_score",
    "observe",
    "play_level",
    "published_observation",
    "task_numbers",
]

__getattr__, __dir__ = attach(
    globals(),
    {
        "action_tensor": ("ACTIONS", "check_actions", "commands"),
        "commanders": ("commander_for",),
        "competency": ("normalised_score",),
        "games": ("play_level",),
        "many": ("many_params", "many_task_numbers"),
        "maps.host_land": ("make_map",),
        "observation": ("observe", "published_observation", "task_numbers"),
        "reports": ("Report",),
        "world": ("load_level",),
    },
)
