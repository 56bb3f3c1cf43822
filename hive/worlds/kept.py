"""Drawings of saved games of every kind of world; the kind's row in `hive.worlds` says where they are.

What draws a kind offers `recording`, the class of its recordings; `pictures(recording)` and `movies()`, the functions
that draw a game by file name; `write_page(kept, page, every)`; and `scene_page(recording)` where agents play.
`hive.kit.view.drawing.Drawing` does for small worlds.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dsl import UserError
from dsl.wording import listing
from hive.kit.keep.packing import format_of
from hive.kit.keep.runfolder import Content
from hive.kit.view.movie import Movie
from hive.kit.view.pages import ScenePage
from hive.worlds import drawings_of, formats


def pictures(recording: Any) -> dict[str, Content]:
    """Return the functions that draw the pictures of a saved game, by file name."""
    drawn: dict[str, Content] = _drawings(recording).pictures(recording)
    return drawn


def movies(recording: Any) -> dict[str, Callable[..., Movie]]:
    """Return the functions that make movies of a saved game, by file name: `save(recording, path, progress=...)`."""
    films: dict[str, Callable[..., Movie]] = _drawings(recording).movies()
    return films


def scene_page(recording: Any) -> ScenePage:
    """Return what a page shows of a saved game whose world has agents; a game that goes on may be shown so too."""
    page: ScenePage = _drawings(recording).scene_page(recording)
    return page


def write_page(kept: Path, page: Path, every: int | None = None) -> int:
    """Write a page that plays a saved game back in a browser.

    Args:
        kept: The file of the recording.
        page: The file to write.
        every: Ticks between two frames, for battles.

    Returns:
        Bytes written.

    Raises:
        UserError: The file is missing, damaged or of an unknown format, or the page cannot be written.
    """
    found = format_of(kept)
    drawings = drawings_of(found)
    if drawings is None:
        raise UserError(
            f"cannot read the recording {kept}: its format is {found!r}, known are {', '.join(formats())}\n"
            "  = help: play the game again with this version of HIVE"
        )
    size: int = drawings.write_page(kept, page, every)
    return size


def _drawings(recording: Any) -> Any:
    """Return what draws a game of this process.

    Raises:
        UserError: No row names the format of its recording.
    """
    found = drawings_of(recording.format)
    if found is None:
        known, given = listing(formats(), "and"), recording.format
        raise UserError(
            f"nothing draws the format `{given}` of `{type(recording).__name__}`; there are drawings of {known}\n"
            "  = help: a format is the name of the kind's row in `hive.worlds` and a version, as in `pursuit/1`"
        )
    return found
