"""Sets of codes of the kitchen."""

from __future__ import annotations

from enum import IntEnum


class Move(IntEnum):
    """What a cook does in one timestep (docs/rules/kitchen.md 2.1)."""

    NORTH = 0
    SOUTH = 1
    EAST = 2
    WEST = 3
    STAY = 4
    INTERACT = 5


FACINGS = ((0, -1), (0, 1), (1, 0), (-1, 0))
"""(x, y) of the first four moves; y points south. A facing is one of them."""


class ActionKind(IntEnum):
    """Kinds of named actions (docs/rules/kitchen.md 4)."""

    NOTHING = 0
    PICKUP = 1
    PLACE = 2
    PUT = 3
    OPERATE = 4
    FILL = 5
    DELIVER = 6
    WAIT = 7


class Place(IntEnum):
    """Where a named action happens; utensil number `u` of a layout is `UTENSIL + u`."""

    NONE = 0
    COUNTER = 1
    INGREDIENTS = 2
    DISHES = 3
    DELIVERY = 4
    UTENSIL = 5
