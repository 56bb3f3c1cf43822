"""Sizes of the arrays and sets of codes of households.

All apartments and episodes are padded to the same sizes, so that one compiled program serves them all: R rooms,
K receptacles (containers and surfaces), M objects, N agents, Q classes that a goal names, and O options.
"""

from __future__ import annotations

from enum import IntEnum

ACTING = "proposals"  # how agents of these worlds act, see `hive.kit.team_world.TeamWorld`

ROOMS = 8
RECEPTACLES = 24
OBJECTS = 24
AGENTS = 4
GOALS = 10
HANDS = 2
CARRIER_CAPACITY = 3
"""Objects that a container which is carried holds (docs/rules/household.md 9.2)."""
DOORS = 12

# Where an object is: a receptacle `k`, or one of these codes and those that follow it.
FLOOR = RECEPTACLES
"""`FLOOR + r`: on the floor of room r."""
HELD = FLOOR + ROOMS
"""`HELD + n`: in a hand of agent n."""
INSIDE = HELD + AGENTS
"""`INSIDE + m`: in the object m, which is a container that can be carried."""
DELIVERED = INSIDE + OBJECTS
"""Delivered, and gone from the world."""
ABSENT = DELIVERED + 1
"""There is no such object; the array is padded."""
UNKNOWN = -1
"""In beliefs: the agent does not know where the object is."""


class OptionStatus(IntEnum):
    """How the option of an agent stands at the end of a tick (docs/rules/household.md 4.1)."""

    GOES_ON = 0
    DONE = 1
    ABANDONED = 2
    ILLEGAL = 3
