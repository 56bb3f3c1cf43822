"""Drawings of a saved wildfire: the row of wildfires in `hive.worlds`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dsl import UserError
from hive.kit.keep.runfolder import Content
from hive.kit.view.movie import Movie, films
from hive.kit.view.pages import save_page
from hive.kit.view.pictures import save_picture
from hive.worlds.wildfire.recording import FireRecording
from hive.worlds.wildfire.view.front import draw_front
from hive.worlds.wildfire.view.picture import FirePainter, fire_sheet
from hive.worlds.wildfire.view.replay import make_fire_page
from hive.worlds.wildfire.view.scene import fire_page

recording = FireRecording


def pictures(recording: FireRecording) -> dict[str, Content]:
    """Return the functions that draw the pictures of a run folder, by file name; a front map only if a cell burnt."""
    drawn: dict[str, Content] = {"picture.png": lambda path: save_picture(fire_sheet(recording), path)}
    if (recording.caught() >= 0).any():
        drawn["front.png"] = lambda path: save_picture(draw_front(recording), path)
    return drawn


scene_page = fire_page


def movies() -> dict[str, Callable[..., Movie]]:
    """Return the functions that make movies of a recording, by file name."""
    return films(FirePainter, fps=8)  # a tick is two seconds of a wildfire


def write_page(kept: Path, page: Path, every: int | None) -> int:
    """Write the page that plays a saved game back; return its size in bytes.

    Raises:
        UserError: `every` is given, although the page of a wildfire shows every tick.
    """
    if every:
        raise UserError("--every is for battles: the page of a wildfire shows every tick")
    return save_page(make_fire_page(FireRecording.load(kept)), page)
