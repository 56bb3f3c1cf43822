"""Drawings of saved runs whose worlds are small: pictures, movies and a page with every step in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.kit.keep.recording import Recording
from hive.kit.keep.runfolder import Content
from hive.kit.view.movie import Movie, MovieFrames, films
from hive.kit.view.pages import ScenePage, make_scene_page, save_page
from hive.kit.view.pictures import Picture, save_picture
from hive.kit.view.sheets import moments, tile


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """How the runs of one kind of world are drawn; see `hive.worlds.kept`.

    Attributes:
        world: What the messages call it, with an article.
        beat: What one frame shows.
        recording: The class of its recordings.
        paint: Returns the frames of a recording, as wide as the number of pixels says.
        scene_page: Returns what the page of a recording shows.
        fps: Frames a second of movies.
        widths: Pixels of a GIF and of an MP4.
        sheet: Of the picture of a run folder: how many moments it shows, how many of them are in a row, and the pixels
            of the width of each.
    """

    world: str
    beat: str
    recording: type[Recording]
    paint: Callable[[Any, int], MovieFrames]
    scene_page: Callable[[Any], ScenePage]
    fps: float
    widths: tuple[int, int]
    sheet: tuple[int, int, int]

    def draw_sheet(self, recording: Any, ticks: Iterable[int] | None = None, panel: int | None = None) -> Picture:
        """Return a few moments of one run side by side as one picture, uint8 [H, W, 3].

        Args:
            recording: The run.
            ticks: Steps to show, each as its nearest frame; None: as many as `sheet` says, from the first to the last.
            panel: Pixels of the width of each moment; None: as `sheet` says.

        Raises:
            ValueError: There is no step to show.
        """
        count, columns, wide = self.sheet
        shown = self.paint(recording, wide if panel is None else panel)
        return tile([shown.frame(t) for t in moments(recording, ticks, count)], columns)

    def pictures(self, recording: Any) -> dict[str, Content]:
        """Return the functions that draw the pictures of a run folder, by file name."""
        return {"picture.png": lambda path: save_picture(self.draw_sheet(recording), path)}

    def movies(self) -> dict[str, Callable[..., Movie]]:
        """Return the functions that make movies of a recording, by file name."""
        return films(self.paint, self.fps, self.widths)

    def write_page(self, kept: Path, page: Path, every: int | None) -> int:
        """Write the page that plays a saved run back; return its size in bytes.

        Raises:
            UserError: `every` is given, although the page shows every frame; or the recording cannot be read.
        """
        if every:
            raise UserError(f"--every is for battles: the page of {self.world} shows every {self.beat}")
        return save_page(self.page(self.recording.load(kept)), page)

    def page(self, recording: Any) -> str:
        """Return the HTML text of the page of a recording."""
        return make_scene_page(self.scene_page(recording), recording)
