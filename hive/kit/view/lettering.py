"""Words on a picture: fonts, and texts cut to a width."""

from __future__ import annotations

import textwrap
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from PIL import ImageFont


@lru_cache(maxsize=64)
def font(pixels: int, bold: bool = False) -> ImageFont.FreeTypeFont:
    """Return DejaVu Sans, which matplotlib ships, with a height in pixels."""
    return ImageFont.truetype(str(_fonts() / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")), pixels)


def _fonts() -> Path:
    """Folder of the fonts; matplotlib is slow to import, so it is asked only where it keeps its data elsewhere."""
    spec = find_spec("matplotlib")
    here = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf" if spec and spec.origin else Path()
    if (here / "DejaVuSans.ttf").is_file():
        return here
    import matplotlib

    return Path(matplotlib.get_data_path()) / "fonts" / "ttf"


def shortened(text: str, letters: int = 96) -> str:
    """Return a text of one line, cut between words where it has more letters."""
    return textwrap.shorten(text, letters, placeholder=" …")


def fit(text: str, lettering: ImageFont.FreeTypeFont, width: float) -> str:
    """Return `text`, shortened with an ellipsis where it is wider than `width` pixels."""
    if lettering.getlength(text) <= width:
        return text
    while text and lettering.getlength(text + "…") > width:
        text = text[:-1]
    return text.rstrip() + "…"
