"""The games of crews and the cost of losses, as plain data; loads no JAX.

Rules: docs/rules/wildfire_levels.md 2.2 and docs/rules/wildfire.md 7.1.
"""

from __future__ import annotations

from enum import IntEnum


class LevelGame(IntEnum):
    """The games that levels for crews can set, in the published order."""

    CUT = 0
    SCOUT = 1
    TRANSPORT = 2
    SUPPRESS = 3
    RESCUE = 4
    FULL = 5


OPEN_ENDED = ("suppress", "full")  # games against a fire: the score counts losses, and 0 is the best

COSTS = {"trees": 1, "buildings": 10, "civilians": 100, "firefighters": 20, "bulldozers": 20}
"""Points that each loss costs in games against a fire."""
