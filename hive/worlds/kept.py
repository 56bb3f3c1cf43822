"""Drawings of saved games of every kind of world: one row for each format of recordings."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.kit.keep.packing import format_of
from hive.kit.keep.runfolder import Content
from hive.kit.view.movie import Movie

_ROWS = {  # by the format that a recording's file names
    "hive-recording/1": "hive.worlds.battle.view.drawing",
    "hive-fire-recording/1": "hive.worlds.wildfire.view.drawing",
    "hive-kitchen-recording/1": "hive.worlds.kitchen.view.drawing",
    "hive-house-recording/2": "hive.worlds.household.view.drawing",
    "hive-rescue-recording/1": "hive.worlds.rescue.view.drawing",
}


def pictures(recording: Any) -> dict[str, Content]:
    """Return the functions that draw the pictures of a saved game, by file name."""
    drawn: dict[str, Content] = import_module(_ROWS[recording.format]).pictures(recording)
    return drawn


def movies(recording: Any) -> dict[str, Callable[..., Movie]]:
    """Return the functions that make movies of a saved game, by file name: `save(recording, path, progress=...)`."""
    films: dict[str, Callable[..., Movie]] = import_module(_ROWS[recording.format]).movies()
    return films


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
    if found not in _ROWS:
        raise UserError(
            f"cannot read the recording {kept}: its format is {found!r}, known are {', '.join(_ROWS)}\n"
            "  = help: play the game again with this version of HIVE"
        )
    size: int = import_module(_ROWS[found]).write_page(kept, page, every)
    return size
