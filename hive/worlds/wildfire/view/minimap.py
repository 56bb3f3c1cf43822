"""A unit's window of the explored map, as a picture for agents that read images (docs/rules/wildfire.md 6.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hive.engine.crews.explored import Explored
from hive.kit.view import palette
from hive.worlds.wildfire.maps.host_land import Land
from hive.worlds.wildfire.view.palette import CIVILIANS, HOUSE, ground_colours

SIDE = 300  # pixels, as published


def draw_minimap(window: NDArray[np.integer], side: int = SIDE) -> NDArray[np.uint8]:
    """Draw a window of codes, north at the top, the unit's own cell framed.

    Rock and brush look alike, because they have the same code.

    Args:
        window: `[W, W]` codes of `hive.engine.crews.explored`, `[x, y]`, as
            `hive.worlds.wildfire.minimap.window_of` gives them.
        side: Pixels of the picture; at least W.

    Returns:
        `[side, side, 3]` RGB, rows from the north.

    Raises:
        ValueError: The picture is smaller than the window.
    """
    cells = len(window)
    if side < cells:
        raise ValueError(f"a window of {cells} cells needs as many pixels, not {side}")
    colours = ground_colours()[:, Land.BRUSH].copy()
    colours[Explored.BUILDING], colours[Explored.CIVILIAN] = HOUSE, CIVILIANS["civilian"]
    at = np.arange(side) * cells // side  # the cell of each pixel
    picture = colours[np.asarray(window).T[at[:, None], at]]
    own = at == cells // 2
    first, last = np.flatnonzero(own)[[0, -1]]
    frame = own[:, None] & own
    frame[first + 1 : last, first + 1 : last] = False
    picture[frame] = palette.INK
    return picture
