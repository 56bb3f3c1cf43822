"""Movies of a household's recording, written by the same functions as those of battles."""

from __future__ import annotations

from pathlib import Path

from hive.household.recording import HouseRecording
from hive.view.household.picture import HousePainter
from hive.view.movie import Movie, Progress, film_gif, film_mp4

_FPS = 3  # ticks a second


def save_house_gif(
    recording: HouseRecording, path: Path | str, fps: float = _FPS, progress: Progress | None = None, *,
    size: int = 640, max_frames: int = 300,
) -> Movie:  # fmt: skip
    """Write a looping GIF atomically.

    Args:
        recording: The episode.
        path: The file; an existing one is replaced.
        fps: Frames a second, above 0 and at most 50.
        progress: Called with (frames done, frames in all).
        size: Width in pixels.
        max_frames: Most frames; a longer recording is thinned evenly, and the result has the number written.

    Raises:
        UserError: The file cannot be written.
    """
    return film_gif(HousePainter(recording, size), path, fps, progress, max_frames)


def save_house_mp4(
    recording: HouseRecording, path: Path | str, fps: float = _FPS, progress: Progress | None = None, *,
    size: int = 900, max_frames: int = 3000,
) -> Movie:  # fmt: skip
    """Write an MP4 (H.264) atomically. Arguments and errors are those of `save_house_gif`.

    Raises:
        UserError: imageio-ffmpeg is missing, or the file cannot be written.
    """
    return film_mp4(HousePainter(recording, size), path, fps, progress, max_frames)
