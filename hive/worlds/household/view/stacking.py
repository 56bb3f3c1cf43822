"""Where objects lie in or on a piece of furniture: on top of a large table, else next to it; always in its room.

All places are pixels: x to the right, y downwards.
"""

from __future__ import annotations

import math

from hive.worlds.household.apartment import Point

DrawnBox = tuple[float, float, float, float]
"""Left, top, right, bottom."""

_NEXT = 0.6  # steps from the edge of a piece of furniture to the first object
_LONGEST = 4  # objects of a row
_SHIFT = 0.2  # steps between two objects that share a place, because the room has no other one


def on_top(box: DrawnBox, room: DrawnBox, step: float, count: int) -> list[Point]:
    """Return the centres of objects on a table: a grid in its middle, wider where the room is not deep enough.

    Args:
        box: The table.
        room: Where centres of objects may be.
        step: Between two objects.
        count: Number of objects.
    """
    fits = 1 + int((room[3] - room[1]) / step)
    columns = max(1, int((box[2] - box[0]) / step), math.ceil(count / fits))
    rows, across = math.ceil(count / columns), min(count, columns)
    x = _clamp((box[0] + box[2]) / 2, room[0], room[2], (across - 1) / 2 * step)
    middle = max((box[1] + box[3]) / 2, box[1] + rows / 2 * step)  # more rows than fit end below the table
    y = _clamp(middle, room[1], room[3], (rows - 1) / 2 * step)
    return [
        (x + (n % columns - (across - 1) / 2) * step, y + (n // columns - (rows - 1) / 2) * step) for n in range(count)
    ]


def next_to(box: DrawnBox, room: DrawnBox, step: float, count: int) -> list[Point]:
    """Return the centres of objects at the side of furniture that faces the middle of its room.

    They begin a short row that leads away from the furniture, as far as the wall allows; it is followed by further rows
    next to it. The place of an object does not depend on the number of objects.

    Args:
        box: The furniture.
        room: Where centres of objects may be.
        step: Between two objects.
        count: Number of objects.
    """
    middle = [(box[axis] + box[axis + 2]) / 2 for axis in range(2)]
    aim = [(room[axis] + room[axis + 2]) / 2 for axis in range(2)]
    wide, high = room[2] - room[0], room[3] - room[1]
    along = 0 if abs(aim[0] - middle[0]) * high >= abs(aim[1] - middle[1]) * wide else 1
    way = 1 if aim[along] >= middle[along] else -1
    first = (box[along + 2] if way > 0 else box[along]) + way * _NEXT * step
    left = room[along + 2] - first if way > 0 else first - room[along]
    deep = min(_LONGEST, 1 + max(0, int(left / step)))
    rows = _rows(middle[1 - along], room[1 - along], room[3 - along], step)
    found = []
    for n in range(count):
        layer, place = divmod(n, deep * len(rows))
        row, steps = divmod(place, deep)
        spot = [0.0, 0.0]
        spot[along] = first + way * (steps + _SHIFT * layer) * step
        spot[1 - along] = rows[row] + _SHIFT * layer * step
        found.append((spot[0], spot[1]))
    return found


def _rows(middle: float, low: float, high: float, step: float) -> list[float]:
    """Return where rows are, from the middle of the furniture to both sides in turn."""
    sides = [middle + sign * number * step for number in range(1, 100) for sign in (1, -1)]
    return [middle, *(side for side in sides if low <= side <= high)]


def _clamp(value: float, low: float, high: float, margin: float) -> float:
    """Return the nearest value with a margin to both ends, or the middle where there is none."""
    if high - low < 2 * margin:
        return (low + high) / 2
    return min(max(value, low + margin), high - margin)
