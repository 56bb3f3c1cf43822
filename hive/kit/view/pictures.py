"""A picture as an array, and its file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hive.kit.keep.runfolder import whole_file

Picture = NDArray[np.uint8]  # [H, W, 3], RGB, rows from top to bottom


def save_picture(picture: Picture, path: Path | str) -> None:
    """Write a picture atomically, as PNG or in the format of the suffix of `path`; an existing file is replaced.

    Raises:
        UserError: The file cannot be written.
    """
    with whole_file(path) as part:
        Image.fromarray(picture).save(part, format=None if part.suffix else "PNG", optimize=True)
