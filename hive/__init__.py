"""HIVE: command thousands of units with a short plan, on a batched simulator in JAX.

    scenario = hive.load("coordinate", units=1000)
    plan = hive.read_plan("coordinate", scenario)
    result = hive.play(scenario, plan, seeds=range(10))

The pure layer is unbatched, for `jax.jit` and `jax.vmap`: `reset`, `step`, `rollout`. Names are loaded when first
used, so that commands which simulate nothing start without JAX.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hive.assembly import World, load, read_plan
    from hive.batch import play
    from hive.dynamics import step
    from hive.episode import Episode, rollout
    from hive.errors import ScenarioError
    from hive.result import Result
    from hive.spawning import reset
    from hive.sweep import Sweep
    from hive.types import Action, Params, Plan, State

__all__ = [
    "Action",
    "Episode",
    "Params",
    "Plan",
    "Result",
    "ScenarioError",
    "State",
    "Sweep",
    "World",
    "load",
    "play",
    "read_plan",
    "reset",
    "rollout",
    "step",
]
__version__ = "0.1.0"

_HOMES = {
    "assembly": ("World", "load", "read_plan"),
    "batch": ("play",),
    "dynamics": ("step",),
    "episode": ("Episode", "rollout"),
    "errors": ("ScenarioError",),
    "result": ("Result",),
    "spawning": ("reset",),
    "sweep": ("Sweep",),
    "types": ("Action", "Params", "Plan", "State"),
}
_HOME = {name: f"{__name__}.{module}" for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
