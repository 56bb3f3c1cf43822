"""Pictures of small worlds: a title, the scene, and below it a row for what each agent does and says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from hive.kit.keep.recording import Recording
from hive.kit.view import palette
from hive.kit.view.lettering import fit, font
from hive.kit.view.palette import Rgb
from hive.kit.view.pictures import Picture
from hive.kit.view.sheets import moments, tile

R = TypeVar("R", bound=Recording)


class ScenePainter(Generic[R]):
    """Draws any frame of one recording; the parts that do not change between frames are drawn once, at the start.

    A subclass prepares `_page` with the title and the legend, and `_scene` with its place.
    """

    least: ClassVar[int] = 240
    full: ClassVar[int] = 720  # the width for which lengths are given

    _scene: Any  # it has a method `draw(t)`
    _left: int
    _top: int
    _below: int  # where the rows begin
    _page: Image.Image

    def __init__(self, recording: R, size: int) -> None:
        """Prepare pictures.

        Args:
            recording: The run.
            size: Pixels of their width, at least `least`; the height follows, and both are even.

        Raises:
            ValueError: The width is below `least`.
        """
        if size < self.least:
            raise ValueError(f"a picture is at least {self.least} pixels wide, not {size}")
        self.recording = recording
        self._size = size + size % 2
        self._unit = self._size / self.full
        self._gap = round(16 * self._unit)

    @property
    def frames(self) -> int:
        """Number of frames."""
        return self.recording.frames

    def frame(self, t: int) -> Picture:
        """Return frame `t` (0 to T - 1, or from the end when negative) as a picture, uint8 [H, W, 3]."""
        t %= self.recording.frames
        page, u = self._page.copy(), self._unit
        draw = ImageDraw.Draw(page)
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

    def _head(self, page: Image.Image, draw: ImageDraw.ImageDraw, t: int) -> None:
        """Write what changes above the scene."""
        raise NotImplementedError

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


def paint_sheet(painter: ScenePainter[R], ticks: Iterable[int] | None, count: int, columns: int) -> Picture:
    """Return a few moments side by side as one picture; see `hive.kit.view.sheets.moments`."""
    return tile([painter.frame(t) for t in moments(painter.recording, ticks, count)], columns)
