"""A tick of a running game as a browser draws it; `hive.web.frames` sends it as bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Frame:
    """What a browser sees of one tick.

    Attributes:
        line: Number of the line of the game.
        tick: The tick.
        columns: Unsigned integers by name: those that `hive.web.frames` states.
    """

    line: int
    tick: int
    columns: dict[str, NDArray[np.unsignedinteger]]
