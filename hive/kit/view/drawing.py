"""Drawings of saved runs whose worlds are small: pictures, movies and a page with every step in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.kit.keep.runfolder import Content
from hive.kit.view.movie import FrameProgress, Movie, MovieFrames, film_gif, film_mp4, mp4_available
from hive.kit.view.pages import save_page
from hive.kit.view.pictures import Picture, save_picture


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """How the runs of one kind of world are drawn; see `hive.worlds.kept`.

    Attributes:
        world: What the messages call it, with an article.
        beat: What one frame shows.
        paint: Returns the frames of a recording, as wide as the number of pixels says.
        sheet: Draws the picture of a run folder.
        load: Reads a recording.
        page: Returns the HTML text of the page of a recording.
        fps: Frames a second of movies.
        widths: Pixels of a GIF and of an MP4.
    """

    world: str
    beat: str
    paint: Callable[[Any, int], MovieFrames]
    sheet: Callable[[Any], Picture]
    load: Callable[[Path], Any]
    page: Callable[[Any], str]
    fps: float
    widths: tuple[int, int]

    def pictures(self, recording: Any) -> dict[str, Content]:
        """Return the functions that draw the pictures of a run folder, by file name."""
        return {"picture.png": lambda path: save_picture(self.sheet(recording), path)}

    def movies(self) -> dict[str, Callable[..., Movie]]:
        """Return the functions that make movies of a recording, by file name."""
        small, large = self.widths
        films: dict[str, Callable[..., Movie]] = {"movie.gif": partial(self._film, film_gif, size=small, most=300)}
        return films | ({"movie.mp4": partial(self._film, film_mp4, size=large, most=3000)} if mp4_available() else {})

    def write_page(self, kept: Path, page: Path, every: int | None) -> int:
        """Write the page that plays a saved run back; return its size in bytes.

        Raises:
            UserError: `every` is given, although the page shows every frame; or the recording cannot be read.
        """
        if every:
            raise UserError(f"--every is for battles: the page of {self.world} shows every {self.beat}")
        return save_page(self.page(self.load(kept)), page)

    def _film(
        self, make: Callable[..., Movie], recording: Any, path: Path, progress: FrameProgress | None = None,
        *, size: int, most: int,
    ) -> Movie:  # fmt: skip
        """Write a movie of this width; of more frames than `most` it has as many, evenly chosen."""
        return make(self.paint(recording, size), path, self.fps, progress, most)
