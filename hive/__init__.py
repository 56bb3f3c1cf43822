"""HIVE: command thousands of units with a short plan, on a batched simulator in JAX.

    scenario = hive.load("coordinate", units=1000)
    plan = hive.read_plan("coordinate", scenario)
    result = hive.play(scenario, plan, seeds=range(10))

    order = hive.order(scenario, "archers behind the spearmen, and hold the middle row")
    result = hive.play(scenario, order.plan, seeds=range(10))

    run = hive.play(hive.load_team_world("rescue/map_7/agents-1"), hive.player("heuristic"), seeds=[0])

    hive.movie(hive.record(scenario, plan, seed=3), "game.gif")
    game = hive.command(scenario, lambda world, state: my_model(world.describe(state).full), every=50)

The pure layer is unbatched, for `jax.jit` and `jax.vmap`: `reset`, `step`, `rollout`, `value`, and for a game that is
told new plans `make_orders`, `begin`, `advance`, with `swap` between two calls of `advance`. An error in what a user
gives, such as a name, a plan's text or a scenario, is a `UserError`. Names are loaded when first used, so that commands
which simulate nothing start without JAX.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hive.kit.lazy import attach

if TYPE_CHECKING:
    from hive.engine.batch.capacities import Capacities
    from hive.engine.batch.playing import sweep
    from hive.engine.batch.result import Result
    from hive.engine.batch.sweep import Sweep
    from hive.engine.dynamics import step
    from hive.engine.episode import Episode, Game, advance, begin, rollout, value
    from hive.engine.plan.arrays import make_orders
    from hive.engine.reading import read_plan
    from hive.engine.spawning import reset
    from hive.engine.swapping import swap, with_room
    from hive.engine.types import Action, CrewAction, Orders, Params, Plan, State
    from hive.engine.world import EngineWorld, ReadableWorld
    from hive.kit.errors import ScenarioError, UserError
    from hive.kit.planned_world import World
    from hive.kit.team_world import TeamWorld
    from hive.players.ordering import OrderReading, order
    from hive.players.own_commander import CommandedGame, command
    from hive.players.playing import play, player, record
    from hive.worlds import load, load_team_world
    from hive.worlds.kept import movie, picture

__all__ = [
    "Action",
    "Capacities",
    "CommandedGame",
    "CrewAction",
    "EngineWorld",
    "Episode",
    "Game",
    "OrderReading",
    "Orders",
    "Params",
    "Plan",
    "ReadableWorld",
    "Result",
    "ScenarioError",
    "State",
    "Sweep",
    "TeamWorld",
    "UserError",
    "World",
    "advance",
    "begin",
    "command",
    "load",
    "load_team_world",
    "make_orders",
    "movie",
    "order",
    "picture",
    "play",
    "player",
    "read_plan",
    "record",
    "reset",
    "rollout",
    "step",
    "swap",
    "sweep",
    "value",
    "with_room",
]
__version__ = "0.1.0"

__getattr__, __dir__ = attach(
    globals(),
    {
        "engine.reading": ("read_plan",),
        "kit.planned_world": ("World",),
        "kit.team_world": ("TeamWorld",),
        "engine.world": ("EngineWorld", "ReadableWorld"),
        "engine.batch.playing": ("sweep",),
        "engine.dynamics": ("step",),
        "engine.episode": ("Episode", "Game", "advance", "begin", "rollout", "value"),
        "kit.errors": ("ScenarioError", "UserError"),
        "engine.plan.arrays": ("make_orders",),
        "players.ordering": ("OrderReading", "order"),
        "players.own_commander": ("CommandedGame", "command"),
        "players.playing": ("play", "player", "record"),
        "engine.batch.result": ("Result",),
        "engine.batch.capacities": ("Capacities",),
        "engine.spawning": ("reset",),
        "engine.swapping": ("swap", "with_room"),
        "engine.batch.sweep": ("Sweep",),
        "engine.types": ("Action", "CrewAction", "Orders", "Params", "Plan", "State"),
        "worlds": ("load", "load_team_world"),
        "worlds.kept": ("movie", "picture"),
    },
)
