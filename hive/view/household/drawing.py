"""Drawings of a saved episode of housework: the row of households in `hive.view.kept`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dsl import UserError
from hive.household.recording import HouseRecording
from hive.household.replay_data import load_house_recording
from hive.keep.runfolder import Content
from hive.view.battle.picture import save_picture
from hive.view.household.movie import save_house_gif, save_house_mp4
from hive.view.household.picture import house_sheet
from hive.view.household.replay import write_house_replay
from hive.view.movie import Movie, mp4_available


def pictures(recording: HouseRecording) -> dict[str, Content]:
    """Return the functions that draw the pictures of a run folder, by file name."""
    return {"picture.png": lambda path: save_picture(house_sheet(recording), path)}


def movies() -> dict[str, Callable[..., Movie]]:
    """Return the functions that make movies of a recording, by file name."""
    return {"movie.gif": save_house_gif} | ({"movie.mp4": save_house_mp4} if mp4_available() else {})


def write_page(kept: Path, page: Path, every: int | None) -> int:
    """Write the page that plays a saved episode back; return its size in bytes.

    Raises:
        UserError: `every` is given, although the page of a household shows every tick.
    """
    if every:
        raise UserError("--every is for battles: the page of a household shows every tick")
    return write_house_replay(load_house_recording(kept), page)
