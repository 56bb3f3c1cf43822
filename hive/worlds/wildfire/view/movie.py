"""Movies of a fire recording, written by the same functions as those of battles."""

from __future__ import annotations

from pathlib import Path

from hive.kit.view.movie import FrameProgress, Movie, film_gif, film_mp4
from hive.worlds.wildfire.recording import FireRecording
from hive.worlds.wildfire.view.field import MapView
from hive.worlds.wildfire.view.picture import FirePainter

_FPS = 8  # a tick is two seconds of a wildfire


def save_fire_gif(
    recording: FireRecording, path: Path | str, fps: float = _FPS, progress: FrameProgress | None = None,
    *, size: int = 500, max_frames: int = 300, view: MapView = "truth",
) -> Movie:  # fmt: skip
    """Write a looping GIF atomically.

    Args:
        recording: The game.
        path: The file; an existing one is replaced.
        fps: Frames a second, above 0 and at most 50.
        progress: Called with (frames done, frames in all).
        size: Width in pixels.
        max_frames: Most frames; a longer recording is thinned evenly, and the result has the number written.
        view: `truth` or `team`; see `hive.worlds.wildfire.view.field.FireField`.

    Raises:
        UserError: The file cannot be written.
    """
    return film_gif(FirePainter(recording, size, view), path, fps, progress, max_frames)


def save_fire_mp4(
    recording: FireRecording, path: Path | str, fps: float = _FPS, progress: FrameProgress | None = None,
    *, size: int = 720, max_frames: int = 3000, view: MapView = "truth",
) -> Movie:  # fmt: skip
    """Write an MP4 (H.264) atomically. Arguments and errors are those of `save_fire_gif`.

    Raises:
        UserError: imageio-ffmpeg is missing, or the file cannot be written.
    """
    return film_mp4(FirePainter(recording, size, view), path, fps, progress, max_frames)
