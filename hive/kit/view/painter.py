"""Pictures of small worlds: a title, the scene, and below it a row for what each agent does and says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Generic, TypeVar

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from hive.kit.keep.recording import Recording
from hive.kit.view import palette
from hive.kit.view.display import Painter, Scene
from hive.kit.view.lettering import fit, font
from hive.kit.view.palette import Rgb
from hive.kit.view.pictures import Picture

R = TypeVar("R", bound=Recording)


class ScenePainter(Generic[R]):
    """Draws any frame of one recording; the parts that do not change between frames are drawn once, at the start.

    A subclass gives the scene and the room that it needs, and writes legend, caption and rows.
    """

    least: ClassVar[int] = 240
    full: ClassVar[int] = 720  # the width for which lengths are given

    def __init__(
        self,
        recording: R,
        size: int,
        scene: Scene,
        caption: Callable[[R, int], str],
        colours: list[Rgb],
        *,
        rows: int,
        above: float,
        between: float = 8,
        beneath: float = 10,
        longest: str,
        head: tuple[float, float] = (22, 14),
    ) -> None:
        """Prepare pictures.

        Args:
            recording: The run.
            size: Pixels of their width, at least `least`; the height follows, and both are even.
            scene: The scene of its frames.
            caption: Returns how the run stands in a frame.
            colours: Those that a movie must keep exactly.
            rows: Rows below the scene, with those of the legend.
            above: Length above the scene, in pixels of a picture `full` wide, as all lengths are.
            between: Length between the scene and the rows.
            beneath: Length below the rows.
            longest: A caption for which the title leaves room.
            head: From the upper edge to the middle of title and caption, and the size of the caption's letters.

        Raises:
            ValueError: The width is below `least`.
        """
        if size < self.least:
            raise ValueError(f"a picture is at least {self.least} pixels wide, not {size}")
        self.recording = recording
        self._size = size + size % 2
        self._unit = u = self._size / self.full
        self._gap = round(16 * u)
        self._scene = Painter(scene, self._scale(scene))
        wide, high = self._scene.size
        self._left, self._top = (self._size - wide) // 2, round(above * u)
        self._below = self._top + high + round(between * u)
        self.caption, self.colours = caption, colours
        self._head_at = head[0] * u
        self._lettering = font(round(head[1] * u))
        height = self._below + round(rows * 22 * u) + round(beneath * u)
        self._page = Image.new("RGB", (self._size, height + height % 2), palette.PAGE)
        draw = ImageDraw.Draw(self._page)
        room = self._size - 3 * self._gap - self._lettering.getlength(longest)
        sizes = [font(round(pixels * u), bold=True) for pixels in (17, 15, 13, 11)]
        words = " ".join(recording.title.split())
        bold = next((each for each in sizes if each.getlength(words) <= room), sizes[-1])
        draw.text((self._gap, self._head_at), fit(words, bold, room), palette.INK, bold, "lm")
        self._prepare(self._page, draw)

    @property
    def frames(self) -> int:
        """Number of frames."""
        return self.recording.frames

    def frame(self, t: int) -> Picture:
        """Return frame `t` (0 to T - 1, or from the end when negative) as a picture, uint8 [H, W, 3]."""
        t %= self.recording.frames
        page, u = self._page.copy(), self._unit
        draw = ImageDraw.Draw(page)
        now = self.caption(self.recording, t)
        draw.text((self._size - self._gap, self._head_at), now, palette.INK, self._lettering, "rm")
        self._head(page, draw, t)
        page.paste(self._scene.draw(t), (self._left, self._top))
        y = self._below + 11 * u
        for name, colour, words in self._rows(t):
            bold, plain = font(round(13 * u), bold=True), font(round(13 * u))
            x = self._gap + 14 * u
            draw.ellipse((self._gap, y - 5 * u, self._gap + 10 * u, y + 5 * u), colour)
            draw.text((x, y), name, colour, bold, "lm")
            x += bold.getlength(name) + 8 * u
            draw.text((x, y), fit(words, plain, self._size - self._gap - x), palette.INK, plain, "lm")
            y += 22 * u
        return np.asarray(page)

    def _scale(self, scene: Scene) -> float:
        """Return the pixels of a unit of the scene, which by default is as wide as the page."""
        return (self._size - 2 * self._gap) / scene.width

    def _prepare(self, page: Image.Image, draw: ImageDraw.ImageDraw) -> None:
        """Draw what every frame has besides the title: the legend, and what is the same above all scenes."""
        raise NotImplementedError

    def _head(self, page: Image.Image, draw: ImageDraw.ImageDraw, t: int) -> None:
        """Draw what changes above the scene, besides the caption; by default nothing."""

    def _rows(self, t: int) -> Iterator[tuple[str, Rgb, str]]:
        """Return the rows below the scene: the name of an agent, its colour, and what it does or says."""
        raise NotImplementedError


def draw_swatches(
    draw: ImageDraw.ImageDraw,
    legend: Sequence[tuple[Rgb, str]],
    place: tuple[float, float],
    lettering: ImageFont.FreeTypeFont,
    unit: float,
) -> float:
    """Draw a legend of colours in a row from `place` on; return where it ends."""
    x, y = place
    for colour, meaning in legend:
        draw.rectangle((x, y - 6 * unit, x + 12 * unit, y + 6 * unit), colour, palette.RULE)
        draw.text((x + 18 * unit, y), meaning, palette.FAINT_INK, lettering, "lm")
        x += 34 * unit + lettering.getlength(meaning)
    return x
