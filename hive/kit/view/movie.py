"""Movies of a recording: a small GIF that every viewer plays, and an MP4 where an encoder is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from dsl import UserError
from hive.kit.keep.runfolder import whole_file
from hive.kit.view.palette import Rgb
from hive.kit.view.pictures import Picture

FrameProgress = Callable[[int, int], None]

_REST_SECONDS = 2.0  # how long a movie rests on its last frame
_COLOURS = 63  # of a GIF; one more stands for a pixel that did not change
_ALIKE = 7  # largest difference in a channel of two colours that count as one


class MovieFrames(Protocol):
    """The pictures of a movie, all of one size."""

    @property
    def frames(self) -> int:
        """How many pictures there are."""

    @property
    def colours(self) -> list[Rgb]:
        """Colours that a GIF has to keep as they are; well below 63."""

    def frame(self, t: int) -> Picture:
        """Return picture `t`."""


@dataclass(frozen=True)
class Movie:
    """A movie that was written.

    Attributes:
        path: The file.
        frames: Frames of the recording in the movie, including the first and the last.
        recorded: Frames of the recording.
        fps: Frames a second.
        bytes: Size of the file.
    """

    path: Path
    frames: int
    recorded: int
    fps: float
    bytes: int

    def __str__(self) -> str:
        """Return one line for the command line."""
        some = f"{self.frames:,}" if self.frames == self.recorded else f"{self.frames:,} of {self.recorded:,}"
        return f"{self.path}: {some} frames at {self.fps:.3g} a second, {self.bytes / 1e6:.1f} MB"


def film_gif(
    pictures: MovieFrames, path: Path | str, fps: float, progress: FrameProgress | None = None, max_frames: int = 300
) -> Movie:
    """Write the pictures of a movie as a looping GIF, atomically.

    Frames share one palette, and a pixel that did not change is left out, which keeps the file small.

    Args:
        pictures: The pictures.
        path: The file; an existing one is replaced.
        fps: Frames a second, above 0 and at most 50; a GIF stores the time of a frame in hundredths of a second.
        progress: Called with (frames done, frames in all).
        max_frames: Most frames; a longer movie is thinned evenly, and the result has the number written.

    Raises:
        UserError: The file cannot be written.
        ValueError: `fps` is not above 0 and at most 50, or `max_frames` is below 1.
    """
    if not 0 < fps <= 50:
        raise ValueError(f"a GIF shows at most 50 frames a second, not {fps}")
    shown = thin(pictures.frames, max_frames)
    tint, pause = _shared_palette(pictures, shown), round(100 / fps)

    def encode() -> Iterator[Image.Image]:
        last: NDArray[np.uint8] | None = None
        for done, t in enumerate(shown, 1):
            frame = np.asarray(Image.fromarray(pictures.frame(t)).quantize(palette=tint, dither=Image.Dither.NONE))
            image = Image.fromarray(frame if last is None else np.where(frame == last, np.uint8(_COLOURS), frame))
            image.putpalette(tint.getpalette() or [])
            last = frame
            yield image
            if progress is not None:
                progress(done, len(shown))

    frames = encode()
    pauses = [10 * pause] * (len(shown) - 1) + [round(1000 * _REST_SECONDS)]
    with whole_file(path) as part, part.open("wb") as file:
        next(frames).save(
            file, format="GIF", save_all=True, append_images=frames, loop=0, duration=pauses, disposal=1,
            optimize=False, transparency=_COLOURS,
        )  # fmt: skip
    return Movie(Path(path), len(shown), pictures.frames, 100 / pause, Path(path).stat().st_size)


def mp4_available() -> bool:
    """Return whether the package imageio-ffmpeg is installed, which `film_mp4` needs."""
    return find_spec("imageio_ffmpeg") is not None


def film_mp4(
    pictures: MovieFrames, path: Path | str, fps: float, progress: FrameProgress | None = None, max_frames: int = 3000
) -> Movie:
    """Write the pictures of a movie as MP4 (H.264), atomically; arguments as in `film_gif`.

    Raises:
        UserError: The package imageio-ffmpeg is missing, or the file cannot be written.
        ValueError: `fps` is not above 0, or `max_frames` is below 1.
    """
    if not mp4_available():
        raise UserError(
            "an MP4 needs the package imageio-ffmpeg; without it, write a GIF\n"
            "  = help: pip install 'hive-swarm[movie]'"
        )
    if not fps > 0:
        raise ValueError(f"frames a second must be above 0, not {fps}")
    shown = thin(pictures.frames, max_frames)
    rest = round(_REST_SECONDS * fps)
    height, width, _ = pictures.frame(shown[0]).shape
    with whole_file(path) as part:
        encoder = import_module("imageio_ffmpeg").write_frames(
            str(part), (width, height), fps=fps, codec="libx264", macro_block_size=2, quality=7,
            output_params=["-f", "mp4", "-movflags", "+faststart", "-preset", "veryfast"],
        )  # fmt: skip
        with closing(encoder):
            encoder.send(None)
            for done, t in enumerate(shown, 1):
                frame = pictures.frame(t)
                for _ in range(rest if done == len(shown) else 1):
                    encoder.send(np.ascontiguousarray(frame))
                if progress is not None:
                    progress(done, len(shown))
    return Movie(Path(path), len(shown), pictures.frames, fps, Path(path).stat().st_size)


def films(
    paint: Callable[[Any, int], MovieFrames], fps: float, widths: tuple[int, int] = (500, 720)
) -> dict[str, Callable[..., Movie]]:
    """Return the functions that make movies of a recording, by file name: `save(recording, path, progress, size)`.

    Args:
        paint: Returns the frames of a recording, as wide as the number of pixels says.
        fps: Frames a second.
        widths: Pixels of a GIF and of an MP4; the latter is made where `mp4_available`.
    """

    def saver(make: Callable[..., Movie], wide: int) -> Callable[..., Movie]:
        return lambda recording, path, progress=None, size=wide: make(paint(recording, size), path, fps, progress)

    gif = {"movie.gif": saver(film_gif, widths[0])}
    return gif | ({"movie.mp4": saver(film_mp4, widths[1])} if mp4_available() else {})


def thin(frames: int, most: int) -> list[int]:
    """Return at most `most` evenly spaced numbers of `frames` frames, including the last, and the first if `most` > 1.

    Raises:
        ValueError: `most` is below 1.
    """
    if most < 1:
        raise ValueError("a movie needs at least one frame")
    if most == 1:
        return [frames - 1]
    return np.unique(np.linspace(0, frames - 1, min(most, frames)).round().astype(int)).tolist()


def _shared_palette(pictures: MovieFrames, shown: list[int]) -> Image.Image:
    """Return a palette picture: the colours that the movie must keep, and the most common others."""
    exact = pictures.colours
    some = [shown[i] for i in np.unique(np.linspace(0, len(shown) - 1, 5).round().astype(int))]
    sample = Image.fromarray(np.concatenate([pictures.frame(t) for t in some]))
    common = sample.quantize(_COLOURS - len(exact), Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    rest = np.array(common.getpalette(), int).reshape(-1, 3)
    apart = np.abs(rest[:, None] - np.array(exact)).max(axis=-1).min(axis=-1)
    colours = [*exact, *rest[apart > _ALIKE].tolist()]  # a similar colour would win the coarse search for the nearest
    tint = Image.new("P", (1, 1))
    tint.putpalette(np.array(colours + colours[-1:] * (_COLOURS + 1 - len(colours)), np.uint8).tobytes())
    return tint
