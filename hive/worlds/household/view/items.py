"""Small pictures of objects."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image, ImageDraw

from hive.kit.view.palette import Look, Rgb, darken
from hive.worlds.household.view.palette import look

_FINE = 4  # pictures are drawn this much larger and then shrunk


@lru_cache(maxsize=256)
def draw_item(kind: str, side: int) -> Image.Image:
    """Return the picture of a class of objects on a transparent square with `side` pixels."""
    size = side * _FINE
    image = Image.new("RGBA", (size, size), (255, 255, 255, 0))
    _Pen(ImageDraw.Draw(image), size / 100, look(kind)).draw()
    return image.resize((side, side), Image.Resampling.LANCZOS)


class _Pen:
    """Draws in a square of 100 x 100."""

    def __init__(self, draw: ImageDraw.ImageDraw, unit: float, which: Look) -> None:
        self._draw, self._unit, self._look = draw, unit, which
        self._width = max(1, round(4 * unit))

    def draw(self) -> None:
        shape, colour, accent = self._look
        edge = darken(colour, 0.45)
        if shape == "plate":
            self._oval(6, 6, 94, 94, colour, accent)
            self._oval(26, 26, 74, 74, colour, accent)
        elif shape == "fork":
            self._box(45, 40, 55, 96, colour, accent)
            self._box(28, 34, 72, 46, colour, accent)
            for x in (28, 46, 64):
                self._box(x, 4, x + 8, 38, colour, accent)
        elif shape == "cupcake":
            self._shape((24, 52, 76, 52, 66, 94, 34, 94), accent)
            self._oval(16, 12, 84, 62, colour, edge)
        elif shape == "pudding":
            self._shape((32, 22, 68, 22, 88, 86, 12, 86), colour)
            self._shape((32, 22, 68, 22, 74, 44, 26, 44), accent)
        elif shape == "round":
            self._oval(12, 20, 88, 94, colour, edge)
            self._box(47, 4, 53, 26, accent, accent)
            self._oval(54, 6, 78, 20, accent, accent)
        elif shape == "carton":
            self._box(24, 26, 76, 96, colour, edge)
            self._shape((24, 26, 38, 6, 62, 6, 76, 26), accent)
        elif shape == "bottle":
            self._box(30, 38, 70, 96, colour, edge)
            self._box(43, 4, 57, 40, colour, edge)
            self._box(30, 56, 70, 78, accent, edge)
        elif shape == "stack":
            for y in (62, 46, 30):
                self._oval(8, y - 10, 92, y + 28, colour, edge)
            self._box(42, 24, 58, 38, accent, edge)
        elif shape == "loaf":
            self._box(8, 38, 92, 88, colour, accent)
            self._oval(8, 18, 92, 58, colour, accent)
        else:  # pot
            self._shape((28, 24, 72, 24, 84, 92, 16, 92), colour)
            self._box(36, 8, 64, 24, accent, edge)
            self._oval(76, 36, 98, 70, None, colour)

    def _oval(self, left: float, top: float, right: float, bottom: float, fill: Rgb | None, edge: Rgb) -> None:
        self._draw.ellipse(self._place(left, top, right, bottom), fill, edge, self._width)

    def _box(self, left: float, top: float, right: float, bottom: float, fill: Rgb, edge: Rgb) -> None:
        self._draw.rectangle(self._place(left, top, right, bottom), fill, edge, max(1, self._width // 2))

    def _shape(self, corners: tuple[float, ...], fill: Rgb) -> None:
        self._draw.polygon(self._place(*corners), fill, darken(fill, 0.45), self._width)

    def _place(self, *values: float) -> tuple[float, ...]:
        return tuple(value * self._unit for value in values)
