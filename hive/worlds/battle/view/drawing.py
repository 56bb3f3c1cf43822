"""Drawings of a saved battle: the row of battles in `hive.worlds.kept`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hive.kit.keep.runfolder import Content
from hive.kit.view.movie import Movie, mp4_available
from hive.kit.view.pictures import save_picture
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.view.movie import save_gif, save_mp4
from hive.worlds.battle.view.picture import contact_sheet
from hive.worlds.battle.view.replay import write_replay


def pictures(recording: BattleRecording) -> dict[str, Content]:
    """Return the functions that draw the pictures of a run folder, by file name."""
    return {"picture.png": lambda path: save_picture(contact_sheet(recording), path)}


def movies() -> dict[str, Callable[..., Movie]]:
    """Return the functions that make movies of a recording, by file name."""
    return {"movie.gif": save_gif} | ({"movie.mp4": save_mp4} if mp4_available() else {})


def write_page(kept: Path, page: Path, every: int | None) -> int:
    """Write the page that plays a saved game back; return its size in bytes."""
    return write_replay(BattleRecording.load(kept), page, every=every or 1)
