"""The games that a crew plays and what its losses cost, as plain data; loads no JAX.

Rules: docs/rules/wildfire_levels.md 2.2 and docs/rules/wildfire.md 7.1.
"""

from __future__ import annotations

from enum import IntEnum


class LevelGame(IntEnum):
    """What the level of a crew asks for, in the published order."""

    CUT = 0
    SCOUT = 1
    TRANSPORT = 2
    SUPPRESS = 3
    RESCUE = 4
    FULL = 5


OPEN_ENDED = ("suppress", "full")  # where a fire is to be fought: the score is what was lost, and 0 the best

COSTS = {"trees": 1, "buildings": 10, "civilians": 100, "firefighters": 20, "bulldozers": 20}
"""Points that each loss costs where a fire is to be fought."""
