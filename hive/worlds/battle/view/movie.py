"""Movies of a battle, written by the functions that write those of all worlds."""

from __future__ import annotations

from pathlib import Path

from hive.kit.view.movie import FrameProgress, Movie, film_gif, film_mp4
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.view.picture import Painter


def save_gif(
    recording: BattleRecording, path: Path | str, fps: float = 20, progress: FrameProgress | None = None,
    *, size: int = 500, max_frames: int = 300,
) -> Movie:  # fmt: skip
    """Write a looping GIF atomically; see `hive.kit.view.movie.film_gif`.

    Args:
        recording: The game.
        path: The file; an existing one is replaced.
        fps: Frames a second, above 0 and at most 50; a GIF stores the time of a frame in hundredths of a second.
        progress: Called with (frames done, frames in all).
        size: Width in pixels.
        max_frames: Most frames; a longer recording is thinned evenly, and the result has the number written.

    Raises:
        UserError: The file cannot be written.
    """
    return film_gif(Painter(recording, size), path, fps, progress, max_frames)


def save_mp4(
    recording: BattleRecording, path: Path | str, fps: float = 20, progress: FrameProgress | None = None,
    *, size: int = 720, max_frames: int = 3000,
) -> Movie:  # fmt: skip
    """Write an MP4 (H.264) atomically. Arguments and errors are those of `save_gif`.

    Raises:
        UserError: imageio-ffmpeg is missing, or the file cannot be written.
    """
    return film_mp4(Painter(recording, size), path, fps, progress, max_frames)
