"""Reinforcement learning in all worlds: environments, a conformance kit, baselines (docs/rules/learning.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hive.lazy import attach

if TYPE_CHECKING:
    from hive.rl.autoreset import step_and_reset
    from hive.rl.battle import make_env
    from hive.rl.checking import check
    from hive.rl.crews import make_crew_env
    from hive.rl.custom import customise
    from hive.rl.env import Env, TimeStep, reset, step
    from hive.rl.facts import describe
    from hive.rl.households import make_household_env
    from hive.rl.kitchens import make_kitchen_env
    from hive.rl.orders import make_orders_env
    from hive.rl.rescues import make_rescue_env
    from hive.rl.tasks import make, tasks

__all__ = [
    "Env",
    "TimeStep",
    "check",
    "customise",
    "describe",
    "make",
    "make_crew_env",
    "make_env",
    "make_household_env",
    "make_kitchen_env",
    "make_orders_env",
    "make_rescue_env",
    "reset",
    "step",
    "step_and_reset",
    "tasks",
]

__getattr__, __dir__ = attach(
    globals(),
    {
        "autoreset": ("step_and_reset",),
        "battle": ("make_env",),
        "checking": ("check",),
        "crews": ("make_crew_env",),
        "custom": ("customise",),
        "env": ("Env", "TimeStep", "reset", "step"),
        "facts": ("describe",),
        "households": ("make_household_env",),
        "kitchens": ("make_kitchen_env",),
        "orders": ("make_orders_env",),
        "rescues": ("make_rescue_env",),
        "tasks": ("make", "tasks"),
    },
)
