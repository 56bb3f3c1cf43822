"""Drawings of a saved rescue: the row of rescues in `hive.view.kept`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dsl import UserError
from hive.keep.runfolder import Content
from hive.rescue.recording import RescueRecording
from hive.rescue.replay_data import load_rescue_recording
from hive.view.battle.picture import save_picture
from hive.view.movie import Movie, mp4_available
from hive.view.rescue.movie import save_rescue_gif, save_rescue_mp4
from hive.view.rescue.picture import rescue_sheet
from hive.view.rescue.replay import write_rescue_replay


def pictures(recording: RescueRecording) -> dict[str, Content]:
    """Return the functions that draw the pictures of a run folder, by file name."""
    return {"picture.png": lambda path: save_picture(rescue_sheet(recording), path)}


def movies() -> dict[str, Callable[..., Movie]]:
    """Return the functions that make movies of a recording, by file name."""
    return {"movie.gif": save_rescue_gif} | ({"movie.mp4": save_rescue_mp4} if mp4_available() else {})


def write_page(kept: Path, page: Path, every: int | None) -> int:
    """Write the page that plays a saved rescue back; return its size in bytes.

    Raises:
        UserError: `every` is given, although the page of a rescue shows every step.
    """
    if every:
        raise UserError("--every is for battles: the page of a rescue shows every step")
    return write_rescue_replay(load_rescue_recording(kept), page)
