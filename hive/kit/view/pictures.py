"""A picture as an array, and its file."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hive.kit.keep.runfolder import whole_file

Picture = NDArray[np.uint8]  # [H, W, 3], RGB, rows from top to bottom


def png_bytes(image: Image.Image) -> bytes:
    """Return a picture as a PNG."""
    file = BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def save_picture(picture: Picture, path: Path | str) -> None:
    """Write a picture atomically, as PNG or in the format of the suffix of `path`; an existing file is replaced.

    Raises:
        UserError: The file cannot be written.
    """
    with whole_file(path) as part:
        Image.fromarray(picture).save(part, format=None if part.suffix else "PNG", optimize=True)


def grid_step(metres: int, parts: int = 8) -> int:
    """Return a round number of metres that divides a map into at most `parts`, without remainder where possible."""
    steps = [digit * 10**power // 10 for power in range(8) for digit in (10, 20, 25, 50)]
    enough = [step for step in steps if step * parts >= metres]
    return next((step for step in enough[:3] if metres % step == 0), enough[0])
