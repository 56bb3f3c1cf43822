"""Where the places of a level may lie on its map, for maps on the host and on the device.

All lengths are fractions of the map's side in float32, as in the published program.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hive.worlds.wildfire.levels import Level


class Area(NamedTuple):
    """A square of the map, by its width and its distance from the map's corner."""

    width: float
    margin: float


class Gap(NamedTuple):
    """A least distance of two places: along both axes, or along at least one."""

    length: float
    both: bool


INNER, OUTER = Area(0.8, 0.1), Area(0.9, 0.05)

SPAWN = TREES = LINES = CLUSTERS = RESCUE_GOAL = INNER
TRANSPORT_GOAL = WATER = OUTER

TREE_FROM_SPAWN, LINE_FROM_SPAWN = Gap(0.15, both=True), Gap(0.2, both=True)
TRANSPORT_GOAL_FROM_SPAWN = Gap(0.4, both=True)
CLUSTER_FROM_GOAL, CLUSTER_FROM_SPAWN = Gap(0.3, both=False), Gap(0.2, both=False)
CLUSTER_FROM_FIRE = Gap(0.25, both=True)

_FIRES = {  # by game: where a fire may start, and how far from the crew
    "scout": (OUTER, Gap(0.4, both=False)),
    "suppress": (INNER, Gap(0.0, both=False)),
    "full": (Area(0.7, 0.15), Gap(0.25, both=False)),
}


def fire_rule(level: Level) -> tuple[Area, Gap]:
    """Return where the fire of a level may start, and its gap to the crew.

    The published runs placed the fires of the suppression levels as goals of transport
    (docs/rules/wildfire_levels.md 4.2).
    """
    if level.rules == "published" and level.game == "suppress":
        return TRANSPORT_GOAL, TRANSPORT_GOAL_FROM_SPAWN
    return _FIRES[level.game]


def cells(size: int, part: float) -> float:
    """Return a fraction of the side in cells; the fraction is a float32, so 0.9 of 100 is less than 90."""
    return size * float(np.float32(part))


def whole_cells(size: int, part: float) -> int:
    """Return the same in complete cells, so 0.9 of 100 is 89."""
    return math.floor(cells(size, part))
