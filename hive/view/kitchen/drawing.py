"""Drawings of a saved run in a kitchen: the row of kitchens in `hive.view.kept`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dsl import UserError
from hive.keep.runfolder import Content
from hive.kitchen.recording import KitchenRecording
from hive.kitchen.replay_data import load_kitchen_recording
from hive.view.battle.picture import save_picture
from hive.view.kitchen.movie import save_kitchen_gif, save_kitchen_mp4
from hive.view.kitchen.picture import kitchen_sheet
from hive.view.kitchen.replay import write_kitchen_replay
from hive.view.movie import Movie, mp4_available


def pictures(recording: KitchenRecording) -> dict[str, Content]:
    """Return the functions that draw the pictures of a run folder, by file name."""
    return {"picture.png": lambda path: save_picture(kitchen_sheet(recording), path)}


def movies() -> dict[str, Callable[..., Movie]]:
    """Return the functions that make movies of a recording, by file name."""
    return {"movie.gif": save_kitchen_gif} | ({"movie.mp4": save_kitchen_mp4} if mp4_available() else {})


def write_page(kept: Path, page: Path, every: int | None) -> int:
    """Write the page that plays a saved run back; return its size in bytes.

    Raises:
        UserError: `every` is given, although the page of a kitchen shows every timestep.
    """
    if every:
        raise UserError("--every is for battles: the page of a kitchen shows every timestep")
    return write_kitchen_replay(load_kitchen_recording(kept), page)
