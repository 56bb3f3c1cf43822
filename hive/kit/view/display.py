"""Display lists: what a frame of a small world shows, as data that pictures and pages draw alike.

A scene has a width and a height in units of its own, x to the right and y downwards. An item with a mover is placed
relative to the place of that mover, which a page moves smoothly from frame to frame. `Painter` draws a list on a
picture; `shared_page/display.js` draws the same list on a page, where an item is its kind and its fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from PIL import Image, ImageDraw

from hive.kit.keep.archive import Arrays
from hive.kit.view import palette
from hive.kit.view.lettering import fit, font
from hive.kit.view.palette import Rgb

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, width, height."""


class Sprite(NamedTuple):
    """A symbol of the scene, as large as its box; `alpha` below 1 makes it faint."""

    name: str
    box: Box
    alpha: float = 1.0
    mover: int = -1


class Shape(NamedTuple):
    """A rectangle; with round corners of a radius, which make a square a disc where they are half of its side."""

    box: Box
    fill: Rgb | None
    rim: Rgb | None = None
    line: float = 0.0
    corner: float = 0.0
    mover: int = -1


class Polygon(NamedTuple):
    """A filled area."""

    points: tuple[Point, ...]
    fill: Rgb
    mover: int = -1


class Line(NamedTuple):
    """A line through points; `alpha` below 1 makes it faint."""

    points: tuple[Point, ...]
    colour: Rgb
    width: float
    alpha: float = 1.0
    mover: int = -1


class Text(NamedTuple):
    """Lines of text around a place: `align` is `center`, or `left` where they begin there.

    Lines that are longer than `room` are shortened (0: none is); a text may stand on a plate of a colour.
    """

    lines: tuple[str, ...]
    at: Point
    size: float
    colour: Rgb
    align: str = "center"
    bold: bool = False
    room: float = 0.0
    plate: Rgb | None = None
    mover: int = -1


class Tip(NamedTuple):
    """What a page tells about a box under the pointer, and a picture does not show: a title, and facts with names.

    All frames of a scene have the same tips in the same order; of several under the pointer the first is shown. One
    with a `ring` is the tip of a disc, which has a black rim of that width while its tip is shown.
    """

    box: Box
    title: str
    facts: tuple[tuple[str, str], ...]
    ring: float = 0.0
    mover: int = -1


Item = Sprite | Shape | Polygon | Line | Text | Tip


class Symbol(NamedTuple):
    """A picture that sprites show.

    Attributes:
        draw: Returns it this many pixels wide.
        pixels: Its width in the pictures of a page.
    """

    draw: Callable[[int], Image.Image]
    pixels: int


class Scene(Protocol):
    """The frames of one recording as display lists."""

    width: float
    height: float

    @property
    def symbols(self) -> Mapping[str, Symbol]:
        """The pictures that its sprites show, by name."""

    def back(self) -> Sequence[Item]:
        """Return what never changes, below all else."""

    def frame(self, t: int, still: bool) -> Sequence[Item]:
        """Return what frame t shows; `still`: in a picture, where nothing moves."""

    def places(self, t: int) -> Sequence[Point]:
        """Return the places of the movers in frame t."""


class Painter:
    """Draws the frames of a scene as pictures; what never changes is drawn once."""

    def __init__(self, scene: Scene, scale: float) -> None:
        """Prepare pictures of `scale` pixels to a unit."""
        self.scene, self.scale = scene, scale
        self.size = round(scene.width * scale), round(scene.height * scale)
        self._back = Image.new("RGB", self.size, palette.PAGE)
        self._symbol = lru_cache(maxsize=512)(lambda name, wide: scene.symbols[name].draw(wide))
        self._paint(self._back, scene.back(), ())

    def draw(self, t: int) -> Image.Image:
        """Return frame t."""
        image = self._back.copy()
        self._paint(image, self.scene.frame(t, still=True), self.scene.places(t))
        return image

    def _paint(self, image: Image.Image, items: Sequence[Item], places: Sequence[Point]) -> None:
        draw, s = ImageDraw.Draw(image), self.scale
        for item in items:
            dx, dy = places[item.mover] if item.mover >= 0 else (0.0, 0.0)
            if isinstance(item, Tip):
                continue
            if isinstance(item, Sprite | Shape):
                left, top, wide, high = item.box
                box = (s * (left + dx), s * (top + dy), s * (left + dx + wide), s * (top + dy + high))
                if isinstance(item, Sprite):
                    self._sprite(image, item, box)
                else:
                    _shape(draw, item, box, s)
            elif isinstance(item, Text):
                _text(draw, item, (s * (item.at[0] + dx), s * (item.at[1] + dy)), s)
            else:
                points = [(s * (x + dx), s * (y + dy)) for x, y in item.points]
                if isinstance(item, Line):
                    mask = Image.new("L", image.size)
                    wide = max(1, round(item.width * s))
                    ImageDraw.Draw(mask).line(points, round(255 * item.alpha), wide, joint="curve")
                    image.paste(item.colour, mask=mask)
                else:
                    draw.polygon(points, item.fill)

    def _sprite(self, image: Image.Image, item: Sprite, box: Box) -> None:
        drawn = self._symbol(item.name, max(4, round(box[2] - box[0])))
        alpha = drawn.convert("RGBA").getchannel("A")
        mask = alpha.point(lambda value: round(value * item.alpha)) if item.alpha < 1 else alpha
        image.paste(drawn, (round(box[0]), round(box[1])), mask)


def _shape(draw: ImageDraw.ImageDraw, item: Shape, box: Box, scale: float) -> None:
    line = max(1, round(item.line * scale)) if item.rim else 0
    if 2 * item.corner >= min(item.box[2:]):
        draw.ellipse(box, item.fill, item.rim, line)
        return
    left, top, right, bottom = (round(value) for value in box)
    if item.corner:
        draw.rounded_rectangle((left, top, right, bottom), item.corner * scale, item.fill, item.rim, line)
    else:
        draw.rectangle((left, top, max(left, right - 1), max(top, bottom - 1)), item.fill, item.rim, line)


def _text(draw: ImageDraw.ImageDraw, item: Text, at: Point, scale: float) -> None:
    size = max(6, round(item.size * scale))
    lettering, high = font(size, bold=item.bold), 1.12 * size
    lines = [fit(line, lettering, item.room * scale) if item.room else line for line in item.lines]
    x, top = at[0], at[1] - len(lines) * high / 2
    if item.plate:
        half = max(lettering.getlength(line) for line in lines) / 2 + 0.25 * size
        plate = (x - half, top - 0.1 * size, x + half, top + len(lines) * high + 0.1 * size)
        draw.rounded_rectangle(plate, 0.3 * size, item.plate)
    for number, line in enumerate(lines):
        anchor = "lm" if item.align == "left" else "mm"
        draw.text((x, top + (number + 0.5) * high), line, item.colour, lettering, anchor)


def pack_frames(scene: Scene, frames: int, panels: Callable[[int], Sequence[Any]]) -> Arrays:
    """Return all frames as arrays: a table of distinct items in JSON, and numbers of its rows for each frame.

    Args:
        scene: What is drawn.
        frames: How many frames there are.
        panels: Returns what the panels next to the map say in a frame: as many values of JSON in each.
    """
    rows: dict[str, int] = {}

    def number(value: Any) -> int:
        return rows.setdefault(json.dumps(value, ensure_ascii=False, separators=(",", ":")), len(rows))

    back = [number(to_json(item)) for item in scene.back()]
    lists = [[number(to_json(item)) for item in scene.frame(t, still=False)] for t in range(frames)]
    sides = [[number(value) for value in panels(t)] for t in range(frames)]
    kind = np.uint16 if len(rows) < 1 << 16 else np.uint32
    return {
        "table": np.frombuffer(f"[{','.join(rows)}]".encode(), np.uint8),
        "back": np.array(back, kind),
        "count": np.array([len(each) for each in lists], np.uint16),
        "item": np.array([each for row in lists for each in row], kind),
        "panel": np.array(sides, kind),
        "place": np.array([scene.places(t) for t in range(frames)], np.float32),
    }


def to_json(item: Item) -> list[Any]:
    """Return an item as a page gets it: its kind, then its fields."""
    return [type(item).__name__.lower(), *(_rounded(value) for value in item)]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 3)
    return [_rounded(each) for each in value] if isinstance(value, tuple) else value
