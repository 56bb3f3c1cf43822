"""Scripted commanders: every few ticks, they turn what a crew may know into the text of a plan."""

from __future__ import annotations

from collections.abc import Callable

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.worlds.wildfire.commanders.airlift import Airlift
from hive.worlds.wildfire.commanders.cut import Cutter
from hive.worlds.wildfire.commanders.nothing import Nothing
from hive.worlds.wildfire.commanders.rescue import Rescuer
from hive.worlds.wildfire.commanders.scout import FireScout
from hive.worlds.wildfire.commanders.suppress import Suppressor
from hive.worlds.wildfire.commanders.transport import Transporter
from hive.worlds.wildfire.levels import Level
from hive.worlds.wildfire.methods import COMMANDERS
from hive.worlds.wildfire.reports import Commander

_SCRIPTED: dict[str, Callable[[], Commander]] = {
    "cut": Cutter,
    "scout": FireScout,
    "transport": Transporter,
    "rescue": Rescuer,
    "suppress": Suppressor,
    "full": Suppressor,
}

_MAKERS: dict[str, Callable[[Level], Commander]] = {
    "scripted": lambda level: Airlift() if level.game == "rescue" and level.helicopters else _SCRIPTED[level.game](),
    "nothing": lambda level: Nothing(),
}


def commander_for(level: Level, name: str = "scripted") -> Commander:
    """Return a new commander for one game of a level.

    Args:
        level: The level that is played.
        name: One of `COMMANDERS`.

    Raises:
        UserError: There is no commander of that name.
    """
    if name not in COMMANDERS:
        advice = did_you_mean(nearest(name, COMMANDERS)) or f"the commanders are {listing(COMMANDERS, 'and')}"
        raise UserError(f"there is no commander `{name}`\n  = help: {advice}")
    return _MAKERS[name](level.told)


__all__ = ["COMMANDERS", "commander_for"]
