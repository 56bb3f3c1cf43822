"""HIVE: command thousands of units with a short plan, on a batched simulator in JAX.

    scenario = hive.load("coordinate", units=1000)
    plan = hive.read_plan("coordinate", scenario)
    result = hive.play(scenario, plan, seeds=range(10))

The pure layer is unbatched, for `jax.jit` and `jax.vmap`: `reset`, `step`, `rollout`, and for a game that is told new
plans `make_orders`, `begin`, `advance`, with `swap` between two calls of `advance`. Names are loaded when first
used, so that commands which simulate nothing start without JAX.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hive.lazy import attach

if TYPE_CHECKING:
    from hive.assembly import World, read_plan
    from hive.batch import play
    from hive.dynamics import step
    from hive.episode import Episode, Game, advance, begin, rollout
    from hive.errors import ScenarioError
    from hive.plan.arrays import make_orders
    from hive.result import Result
    from hive.spawning import reset
    from hive.swapping import swap, with_room
    from hive.sweep import Sweep
    from hive.types import Action, Command, Orders, Params, Plan, State
    from hive.worlds import load

__all__ = [
    "Action",
    "Command",
    "Episode",
    "Game",
    "Orders",
    "Params",
    "Plan",
    "Result",
    "ScenarioError",
    "State",
    "Sweep",
    "World",
    "advance",
    "begin",
    "load",
    "make_orders",
    "play",
    "read_plan",
    "reset",
    "rollout",
    "step",
    "swap",
    "with_room",
]
__version__ = "0.1.0"

__getattr__, __dir__ = attach(
    globals(),
    {
        "assembly": ("World", "read_plan"),
        "batch": ("play",),
        "dynamics": ("step",),
        "episode": ("Episode", "Game", "advance", "begin", "rollout"),
        "errors": ("ScenarioError",),
        "plan.arrays": ("make_orders",),
        "result": ("Result",),
        "spawning": ("reset",),
        "swapping": ("swap", "with_room"),
        "sweep": ("Sweep",),
        "types": ("Action", "Command", "Orders", "Params", "Plan", "State"),
        "worlds": ("load",),
    },
)
