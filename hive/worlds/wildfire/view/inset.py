"""A small fire on a large map: the square around it, and its enlarged picture in a corner."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from hive.kit.view import palette

SMALL = 0.3  # share of the map's side below which the square around a fire is also shown enlarged
_MARGIN = 7  # cells of a square that did not burn


class Window(NamedTuple):
    """A square of cells: its north-western corner, and its side."""

    x: int
    y: int
    cells: int

    def holds(self, places: NDArray[np.number]) -> NDArray[np.bool_]:
        """Return whether places `[..., 2]`, in cells, lie inside it."""
        away = np.asarray(places) - (self.x, self.y)
        return np.asarray(((away >= 0) & (away < self.cells)).all(-1))


def window_around(burnt: NDArray[np.bool_]) -> Window | None:
    """Return the square around all true cells of `[S, S]`; None if no cell is true, or the square is not small."""
    if not burnt.any():
        return None
    size = len(burnt)
    low, high = np.argwhere(burnt).min(0), np.argwhere(burnt).max(0)
    cells = min(int((high - low).max()) + _MARGIN, size)
    x, y = np.clip((low + high + 1 - cells) // 2, 0, size - cells).tolist()
    return Window(x, y, cells) if cells < size * SMALL else None


def paste_inset(image: Image.Image, shown: Image.Image, window: Window, size: int, unit: float) -> None:
    """Paste the enlarged picture of a square into the corner of the map that is farthest from it, and frame both.

    Args:
        image: The map, square; changed in place.
        shown: The enlarged picture, square.
        window: The square that it shows.
        size: Cells of the map's side.
        unit: Size of lines, 1 for a picture 720 pixels wide.
    """
    gap, edge = round(12 * unit), max(1, round(1.4 * unit))
    middle, scale = (size - window.cells) / 2, image.width / size
    left, top = (gap if at > middle else image.width - gap - shown.width for at in (window.x, window.y))
    draw = ImageDraw.Draw(image)
    small = (window.x, window.y, window.x + window.cells, window.y + window.cells)
    draw.rectangle([at * scale for at in small], outline=palette.INK, width=edge)
    image.paste(shown, (left, top))
    frame = (left - edge, top - edge, left + shown.width + edge - 1, top + shown.height + edge - 1)
    draw.rectangle(frame, outline=palette.INK, width=edge)
