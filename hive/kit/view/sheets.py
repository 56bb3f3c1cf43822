"""A few moments of a recording side by side: which ones, and the pictures in rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hive.kit.keep.recording import Recording
from hive.kit.view import palette
from hive.kit.view.pictures import Picture


def moments(recording: Recording, ticks: Iterable[int] | None, count: int) -> list[int]:
    """Return the frames to show, each once.

    Args:
        recording: What is shown.
        ticks: Ticks to show, each as its nearest frame; None: `count` evenly from the first to the last.
        count: How many there are where no ticks are given.

    Raises:
        ValueError: There is no tick to show.
    """
    chosen = np.linspace(recording.tick[0], recording.tick[-1], count).round() if ticks is None else list(ticks)
    frames = list(dict.fromkeys(recording.frame_at(int(tick)) for tick in chosen))
    if not frames:
        raise ValueError("a sheet needs at least one tick")
    return frames


def tile(drawn: Sequence[Picture], columns: int) -> Picture:
    """Return pictures in rows, each row as high as its highest picture."""
    columns = min(columns, len(drawn))
    rows = [drawn[first : first + columns] for first in range(0, len(drawn), columns)]
    wide = max(picture.shape[1] for picture in drawn)
    heights = [max(picture.shape[0] for picture in row) for row in rows]
    page = np.full((sum(heights), columns * wide, 3), palette.PAGE, np.uint8)
    top = 0
    for row, high in zip(rows, heights, strict=True):
        for number, picture in enumerate(row):
            page[top : top + picture.shape[0], number * wide : number * wide + picture.shape[1]] = picture
        top += high
    return page
