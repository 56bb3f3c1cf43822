"""Reinforcement learning in all worlds: environments, a conformance kit, baselines (docs/rules/learning.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hive.kit.lazy import attach
from hive.worlds import environments

if TYPE_CHECKING:
    from hive.kit.environment.env import Env, LearnerView, TimeStep, global_state, reset, step
    from hive.kit.environment.rivals import make_rival
    from hive.kit.errors import UserError
    from hive.rl.autoreset import step_and_reset
    from hive.rl.checking import check
    from hive.rl.custom import customise
    from hive.rl.facts import describe
    from hive.rl.registry import make, tasks
    from hive.worlds.environments import *  # noqa: F403

__all__ = [
    "Env",
    "LearnerView",
    "TimeStep",
    "UserError",
    "check",
    "customise",
    "describe",
    "global_state",
    "make",
    "make_rival",
    "reset",
    "step",
    "step_and_reset",
    "tasks",
]
__all__ += environments.__all__

__getattr__, __dir__ = attach(
    globals(),
    {
        "autoreset": ("step_and_reset",),
        "checking": ("check",),
        "custom": ("customise",),
        "facts": ("describe",),
        "registry": ("make", "tasks"),
        "hive.kit.environment.env": ("Env", "LearnerView", "TimeStep", "global_state", "reset", "step"),
        "hive.kit.environment.rivals": ("make_rival",),
        "hive.kit.errors": ("UserError",),
        "hive.worlds.environments": tuple(environments.__all__),
    },
)
