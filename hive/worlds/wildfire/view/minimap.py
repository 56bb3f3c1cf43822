"""A unit's window of the explored map, as a picture for agents that read images (docs/rules/wildfire.md 6.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from hive.engine.crews.explored import Explored
from hive.kit.view import palette
from hive.kit.view.lettering import font
from hive.worlds.wildfire.maps.host_land import Land
from hive.worlds.wildfire.view.palette import CIVILIANS, HOUSE, ground_colours

SIDE = 300  # pixels, as published

_SIDE, _LEAST = 672, 12  # pixels of a picture with a grid without its edges, about, and of a cell, at least
_STEP, _EDGE, _LETTERS = 5, 30, 15  # cells between two lines; pixels of an edge with numbers, and of these
_WHITE = (255, 255, 255)
_DARK = (150, 150, 154)  # not seen: brush and the light grey of `UNKNOWN` are too much alike for a model


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
    colours = _colours()
    at = np.arange(side) * cells // side  # the cell of each pixel
    picture = colours[np.asarray(window).T[at[:, None], at]]
    own = at == cells // 2
    first, last = np.flatnonzero(own)[[0, -1]]
    frame = own[:, None] & own
    frame[first + 1 : last, first + 1 : last] = False
    picture[frame] = palette.INK
    return picture


def draw_grid(window: NDArray[np.integer], corner: tuple[int, int]) -> tuple[NDArray[np.uint8], int]:
    """Draw a window of codes with lines and coordinates, so that cells can be told by their numbers.

    Args:
        window: As in `draw_minimap`.
        corner: The north-western cell of the window, (x, y); it may lie outside the map.

    Returns:
        `[H, W, 3]` RGB, rows from the north, and the pixels of a cell's side.
    """
    cells = len(window)
    pixels = max(_LEAST, _SIDE // cells)
    colours = _colours()
    colours[Explored.UNSEEN] = _DARK
    inner = colours[np.asarray(window).T].repeat(pixels, 0).repeat(pixels, 1)
    page = Image.new("RGB", (cells * pixels + 2 * _EDGE,) * 2, palette.PAGE)
    page.paste(Image.fromarray(inner), (_EDGE, _EDGE))
    draw, lettering, far = ImageDraw.Draw(page), font(_LETTERS), page.width - _EDGE
    for axis, first in enumerate(corner):
        for number in range(-(-max(first, 0) // _STEP) * _STEP, first + cells, _STEP):
            edge = _EDGE + (number - first) * pixels
            middle = edge + pixels // 2
            ends = ((edge, _EDGE), (edge, far - 1)) if axis == 0 else ((_EDGE, edge), (far - 1, edge))
            draw.line(ends, _WHITE)
            for place, anchor in ((_EDGE - 4, "mb" if axis == 0 else "rm"), (far + 4, "mt" if axis == 0 else "lm")):
                at = (middle, place) if axis == 0 else (place, middle)
                draw.text(at, str(number), palette.INK, lettering, anchor)
    for code, rim in ((Explored.BUILDING, _WHITE), (Explored.CIVILIAN, palette.INK)):
        for x, y in np.argwhere(np.asarray(window) == code).tolist():
            left, top = _EDGE + x * pixels, _EDGE + y * pixels
            draw.rectangle((left, top, left + pixels - 1, top + pixels - 1), outline=rim, width=max(2, pixels // 8))
    own = _EDGE + cells // 2 * pixels
    for slope in ((own + 2, own + pixels - 3), (own + pixels - 3, own + 2)):
        draw.line(((own + 2, slope[0]), (own + pixels - 3, slope[1])), palette.INK, 2)
    return np.asarray(page), pixels


def _colours() -> NDArray[np.uint8]:
    """Return `[16, 3]` the colour of each code."""
    colours: NDArray[np.uint8] = ground_colours()[:, Land.BRUSH].copy()
    colours[Explored.BUILDING], colours[Explored.CIVILIAN] = HOUSE, CIVILIANS["civilian"]
    return colours
