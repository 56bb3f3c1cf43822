"""Eight directions, for actions that name one."""

from __future__ import annotations

import numpy as np

DIRECTION_NAMES = ("east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east")
_ANGLES = np.arange(len(DIRECTION_NAMES)) * (np.pi / 4)
COMPASS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], -1).round(12).astype(np.float32)  # from east, anticlockwise
