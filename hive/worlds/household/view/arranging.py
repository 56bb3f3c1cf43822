"""Boxes of furniture on a floor plan: each at its place, or at the nearest free one where it would cover another.

Small furniture is drawn larger than it is, and some apartments hang cabinets over other furniture.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hive.worlds.household.apartment import Apartment, ApartmentRoom

_GAP = 0.02  # metres between two boxes
_STEP, _FARTHEST = 0.05, 3.0  # metres between two places that are tried, and of the farthest one


def arrange(apartment: Apartment, smallest: float, wall: float) -> NDArray[np.float64]:
    """Return the boxes of all furniture, `[F, 4]` in metres: west, south, east, north; none covers another.

    Furniture for which its room has no free place stays at its own place.

    Args:
        apartment: The apartment.
        smallest: Metres of the shortest side of a box.
        wall: Metres of the thickness of a wall.
    """
    sides = np.array([[max(side, smallest) for side in each.size] for each in apartment.receptacles]).reshape(-1, 2)
    own = np.array([each.at for each in apartment.receptacles], float).reshape(-1, 2)
    boxes = np.concatenate([own - sides / 2, own + sides / 2], axis=1)
    laid: list[int] = []
    for number in sorted(range(len(boxes)), key=lambda number: (-sides[number].prod(), number)):
        room = apartment.rooms[apartment.receptacles[number].room]
        boxes[number] = _free_place(boxes[number], boxes[laid], room, wall)
        laid.append(number)
    return boxes


def covers(boxes: NDArray[np.float64], others: NDArray[np.float64], gap: float = 0.0) -> NDArray[np.bool_]:
    """Return `[B]`: whether a box of `[B, 4]` covers a part of one of `[F, 4]`, or is nearer to it than the gap."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.asarray((high - low > 1e-9 - gap).all(-1).any(-1))


def box_around(middle: Sequence[float], wide: float, high: float) -> NDArray[np.float64]:
    """Return the box `[4]` of two sides around a middle."""
    half = np.array([wide, high]) / 2
    return np.concatenate([np.asarray(middle) - half, np.asarray(middle) + half])


def _free_place(
    box: NDArray[np.float64], laid: NDArray[np.float64], room: ApartmentRoom, wall: float
) -> NDArray[np.float64]:
    """Return the box at the nearest place of its room where it covers no other box."""
    if not covers(box[None], laid).any():
        return box
    along = np.arange(-_FARTHEST, _FARTHEST + _STEP / 2, _STEP)
    moves = np.stack(np.meshgrid(along, along, indexing="ij"), -1).reshape(-1, 2)
    tried = box + np.tile(moves[np.argsort((moves**2).sum(-1).round(6), kind="stable")], 2)
    bounds = box_around(room.centre, room.size[0] - 2 * wall, room.size[1] - 2 * wall)
    inside = (tried[:, :2] >= bounds[:2]).all(1) & (tried[:, 2:] <= bounds[2:]).all(1)
    free = tried[inside & ~covers(tried, laid, _GAP)]
    return free[0] if len(free) else box
