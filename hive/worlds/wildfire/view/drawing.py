"""Drawings of a saved wildfire: the row of wildfires in `hive.worlds.kept`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dsl import UserError
from hive.kit.keep.runfolder import Content
from hive.kit.view.movie import Movie, mp4_available
from hive.kit.view.pictures import save_picture
from hive.worlds.wildfire.recording import FireRecording
from hive.worlds.wildfire.view.front import draw_front
from hive.worlds.wildfire.view.movie import save_fire_gif, save_fire_mp4
from hive.worlds.wildfire.view.picture import fire_sheet
from hive.worlds.wildfire.view.replay import write_fire_replay


def pictures(recording: FireRecording) -> dict[str, Content]:
    """Return the functions that draw the pictures of a run folder, by file name; a front map only if a cell burnt."""
    drawn: dict[str, Content] = {"picture.png": lambda path: save_picture(fire_sheet(recording), path)}
    if (recording.caught() >= 0).any():
        drawn["front.png"] = lambda path: save_picture(draw_front(recording), path)
    return drawn


def movies() -> dict[str, Callable[..., Movie]]:
    """Return the functions that make movies of a recording, by file name."""
    return {"movie.gif": save_fire_gif} | ({"movie.mp4": save_fire_mp4} if mp4_available() else {})


def write_page(kept: Path, page: Path, every: int | None) -> int:
    """Write the page that plays a saved game back; return its size in bytes.

    Raises:
        UserError: `every` is given, although the page of a wildfire shows every tick.
    """
    if every:
        raise UserError("--every is for battles: the page of a wildfire shows every tick")
    return write_fire_replay(FireRecording.load(kept), page)
