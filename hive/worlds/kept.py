"""Drawings of saved games of every kind of world; the kind's row in `hive.worlds` says where they are.

What draws a kind offers `recording`, the class of its recordings; `pictures(recording)` and `movies()`, the functions
that draw a game by file name; `write_page(kept, page, every)`; and `scene_page(recording)` where agents play.
`hive.kit.view.drawing.Drawing` does for small worlds.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dsl import UserError
from dsl.wording import listing
from hive.kit.keep.packing import format_of
from hive.kit.keep.runfolder import Content
from hive.kit.view.movie import Movie
from hive.kit.view.pages import ScenePage
from hive.worlds import drawings_of, formats


def pictures(recording: Any) -> dict[str, Content]:
    """Return the functions that draw the pictures of a saved game, by file name."""
    drawn: dict[str, Content] = _drawings(recording).pictures(recording)
    return drawn


def movies(recording: Any) -> dict[str, Callable[..., Movie]]:
    """Return the functions that make movies of a saved game, by file name: `save(recording, path, progress=...)`."""
    films: dict[str, Callable[..., Movie]] = _drawings(recording).movies()
    return films


def picture(recording: Any, path: Path | str) -> Path:
    """Write a few moments of a game side by side as one picture; an existing file is replaced.

    Args:
        recording: A game of any world, such as `hive.record` returns.
        path: The file, `.png`.

    Returns:
        The file.

    Raises:
        UserError: The name of the file ends otherwise, or the file cannot be written.
    """
    file = Path(path)
    save: Any = _by_suffix({"picture.png": pictures(recording)["picture.png"]}, file)
    save(file)
    return file


def movie(recording: Any, path: Path | str) -> Movie:
    """Write a game as a movie; an existing file is replaced.

    Args:
        recording: A game of any world, such as `hive.record` returns.
        path: The file: `.gif`, or `.mp4` where imageio-ffmpeg is installed.

    Returns:
        What was written; as text it is a line with the file, its frames and its size.

    Raises:
        UserError: The name of the file ends otherwise, or the file cannot be written.
    """
    file = Path(path)
    save: Callable[..., Movie] = _by_suffix(movies(recording), file)
    return save(recording, file)


def scene_page(recording: Any) -> ScenePage:
    """Return what a page shows of a saved game whose world has agents; a game that goes on may be shown so too."""
    page: ScenePage = _drawings(recording).scene_page(recording)
    return page


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
    drawings = drawings_of(found)
    if drawings is None:
        raise UserError(
            f"cannot read the recording {kept}: its format is {found!r}, known are {', '.join(formats())}\n"
            "  = help: play the game again with this version of HIVE"
        )
    size: int = drawings.write_page(kept, page, every)
    return size


def _by_suffix(files: dict[str, Any], path: Path) -> Any:
    """Return what writes a file with the suffix of `path`.

    Raises:
        UserError: Nothing does.
    """
    found = {Path(name).suffix: save for name, save in files.items()}
    if path.suffix not in found:
        more = "" if ".gif" not in found or ".mp4" in found else "; `.mp4` needs `pip install imageio-ffmpeg`"
        raise UserError(
            f"cannot write {path}: it has to end with {listing(list(found), 'or')}\n  = help: rename it{more}"
        )
    return found[path.suffix]


def _drawings(recording: Any) -> Any:
    """Return what draws a game of this process.

    Raises:
        UserError: No row names the format of its recording.
    """
    found = drawings_of(recording.format)
    if found is None:
        known, given = listing(formats(), "and"), recording.format
        raise UserError(
            f"nothing draws the format `{given}` of `{type(recording).__name__}`; there are drawings of {known}\n"
            "  = help: a format is the name of the kind's row in `hive.worlds` and a version, as in `pursuit/1`"
        )
    return found
