"""A pen for small pictures: shapes in a square of any size, in changed colours where wanted."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image, ImageDraw

from hive.kit.view.palette import Rgb, darken


class Pen:
    """Draws in the square from (-1, -1) to (1, 1) around a place of a picture."""

    def __init__(self, draw: ImageDraw.ImageDraw, x: float, y: float, r: float, tone: Callable[[Rgb], Rgb]) -> None:
        """Draw around (x, y); `r` is half the side in pixels, and `tone` changes all colours."""
        self.draw, self.x, self.y, self.r, self.tone = draw, x, y, r, tone

    def part(self, x: float, y: float, r: float, tone: Callable[[Rgb], Rgb] | None = None) -> Pen:
        """Return a pen for a smaller square."""
        return Pen(self.draw, self.x + x * self.r, self.y + y * self.r, r * self.r, tone or self.tone)

    def oval(self, x: float, y: float, wide: float, high: float, colour: Rgb, rim: bool = True) -> None:
        """Draw an ellipse with half axes `wide` and `high`."""
        box = (x - wide, y - high, x + wide, y + high)
        self.draw.ellipse(self._at(*box), fill=self.tone(colour), outline=self._rim(colour, rim), width=self._line)

    def box(self, x0: float, y0: float, x1: float, y1: float, colour: Rgb, corner: float = 0.1) -> None:
        """Draw a rectangle with round corners."""
        self.draw.rounded_rectangle(
            self._at(x0, y0, x1, y1), corner * self.r, self.tone(colour), self._rim(colour, True), self._line
        )

    def area(self, points: list[tuple[float, float]], colour: Rgb) -> None:
        """Draw a polygon."""
        flat = [self._at(*point) for point in points]
        self.draw.polygon([(x, y) for x, y in flat], self.tone(colour), self._rim(colour, True), self._line)

    def half(self, x: float, y: float, wide: float, high: float, colour: Rgb, lower: bool = False) -> None:
        """Draw the upper or lower half of an ellipse."""
        first = 0 if lower else 180
        box = self._at(x - wide, y - high, x + wide, y + high)
        self.draw.pieslice(box, first, first + 180, self.tone(colour), self._rim(colour, True), self._line)

    def arc(self, x: float, y: float, wide: float, high: float, first: float, last: float, colour: Rgb) -> None:
        """Draw a part of an ellipse's line, from one angle to another, in degrees clockwise from the east."""
        box = self._at(x - wide, y - high, x + wide, y + high)
        self.draw.arc(box, first, last, self.tone(colour), 2 * self._line)

    def stroke(self, points: list[tuple[float, float]], colour: Rgb, width: float) -> None:
        """Draw a line."""
        flat = [self._at(*point) for point in points]
        self.draw.line([(x, y) for x, y in flat], self.tone(colour), max(1, round(width * self.r)), joint="curve")

    @property
    def _line(self) -> int:
        return max(1, round(0.07 * self.r))

    def _rim(self, colour: Rgb, rim: bool) -> Rgb | None:
        return darken(self.tone(colour), 0.4) if rim else None

    def _at(self, *values: float) -> tuple[float, ...]:
        return tuple((self.y if place % 2 else self.x) + value * self.r for place, value in enumerate(values))


def canvas(
    side: int, r: float, y: float = 1.0, tone: Callable[[Rgb], Rgb] = lambda colour: colour
) -> tuple[Image.Image, Pen]:
    """Return a clear square to be shrunk when it is drawn, and a pen on it.

    Args:
        side: Pixels of its side.
        r: Half the side of the pen's square, as a share of half of the canvas.
        y: How far down its middle is, in the same share.
        tone: Changes all colours.
    """
    image, middle = Image.new("RGBA", (side, side), (255, 255, 255, 0)), side / 2
    return image, Pen(ImageDraw.Draw(image), middle, y * middle, r * middle, tone)
