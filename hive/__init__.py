"""HIVE: command thousands of units with a short plan, on a batched simulator in JAX.

    scenario = hive.load("coordinate", units=1000)
    plan = hive.read_plan("coordinate", scenario)
    result = hive.play(scenario, plan, seeds=range(10))

The pure layer is unbatched, for `jax.jit` and `jax.vmap`: `reset`, `step`, `rollout`.
"""

from __future__ import annotations

from hive.assembly import World, load, read_plan
from hive.batch import Result, play
from hive.dynamics import step
from hive.episode import Episode, rollout
from hive.errors import ScenarioError
from hive.spawning import reset
from hive.types import Action, Params, Plan, State

__all__ = [
    "Action",
    "Episode",
    "Params",
    "Plan",
    "Result",
    "ScenarioError",
    "State",
    "World",
    "load",
    "play",
    "read_plan",
    "reset",
    "rollout",
    "step",
]
__version__ = "0.1.0"
