"""The functions that make environments of single worlds, each loaded when it is first used.

`hive.rl` offers them under the same names; `hive.rl.make` makes the environment of any task by its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hive.kit.lazy import attach

if TYPE_CHECKING:
    from hive.worlds.battle.environment.orders import make_orders_env
    from hive.worlds.battle.environment.units import make_env
    from hive.worlds.household.environment import make_household_env
    from hive.worlds.kitchen.environment import make_kitchen_env
    from hive.worlds.rescue.environment import make_rescue_env
    from hive.worlds.wildfire.environment.crews import make_crew_env

__all__ = [
    "make_crew_env",
    "make_env",
    "make_household_env",
    "make_kitchen_env",
    "make_orders_env",
    "make_rescue_env",
]

__getattr__, __dir__ = attach(
    globals(),
    {
        "hive.worlds.battle.environment.orders": ("make_orders_env",),
        "hive.worlds.battle.environment.units": ("make_env",),
        "hive.worlds.household.environment": ("make_household_env",),
        "hive.worlds.kitchen.environment": ("make_kitchen_env",),
        "hive.worlds.rescue.environment": ("make_rescue_env",),
        "hive.worlds.wildfire.environment.crews": ("make_crew_env",),
    },
)
