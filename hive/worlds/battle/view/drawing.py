"""Drawings of a saved battle: the row of battles in `hive.worlds`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hive.kit.keep.runfolder import Content
from hive.kit.view.movie import Movie, films
from hive.kit.view.pages import save_page
from hive.kit.view.pictures import save_picture
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.view.picture import Painter, contact_sheet
from hive.worlds.battle.view.replay import make_page

recording = BattleRecording


def pictures(recording: BattleRecording) -> dict[str, Content]:
    """Return the functions that draw the pictures of a run folder, by file name."""
    return {"picture.png": lambda path: save_picture(contact_sheet(recording), path)}


def movies() -> dict[str, Callable[..., Movie]]:
    """Return the functions that make movies of a recording, by file name."""
    return films(Painter, fps=20)


def write_page(kept: Path, page: Path, every: int | None) -> int:
    """Write the page that plays a saved game back; return its size in bytes."""
    found = BattleRecording.load(kept)
    return save_page(make_page(found.thin(every) if every and every > 1 else found), page)
