"""Small pictures of rescues: resources, victims and agents, on transparent ground."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image

from hive.kit.view.lettering import font
from hive.kit.view.palette import darken, lighten
from hive.kit.view.pen import Pen, canvas
from hive.worlds.rescue.view import palette as rescue_palette

_FINE = 4  # icons are drawn this much larger and then shrunk

FADED = 0.72
"""Share of white in the icon of a need that is met."""


@lru_cache(maxsize=512)
def icon(name: str, pixels: int, faded: bool = False) -> Image.Image:
    """Return a picture: a resource, or a victim that is `urgent`, `waits` or is `helped`.

    Args:
        name: Which.
        pixels: Side.
        faded: Whether it is pale, as a need that is met.
    """
    image, pen = canvas(pixels * _FINE, 0.94, tone=lambda colour: lighten(colour, FADED) if faded else colour)
    {"water": _water, "food": _food, "medicine": _medicine}.get(name, _victim)(pen, name)
    return image.resize((pixels, pixels), Image.Resampling.BOX)


@lru_cache(maxsize=128)
def token(agent: int, letter: str, pixels: int, active: bool) -> Image.Image:
    """Return an agent's round sign with the first letter of its name."""
    image, pen = canvas(pixels * _FINE, 0.94)
    colour = rescue_palette.tint(agent) if active else rescue_palette.ENDED
    pen.oval(0, 0, 1, 1, darken(colour, 0.25), rim=False)
    pen.oval(0, 0, 0.88, 0.88, colour, rim=False)
    pen.draw.text((pen.x, pen.y), letter, (255, 255, 255), font(round(1.1 * pen.x), bold=True), "mm")
    return image.resize((pixels, pixels), Image.Resampling.BOX)


def _water(pen: Pen, name: str) -> None:
    pen.area([(0, -1.0), (0.56, 0.06), (-0.56, 0.06)], rescue_palette.WATER)
    pen.oval(0, 0.32, 0.62, 0.62, rescue_palette.WATER)
    pen.area([(0, -0.84), (0.44, 0.1), (-0.44, 0.1)], rescue_palette.WATER)
    pen.oval(0, 0.32, 0.54, 0.54, rescue_palette.WATER, rim=False)
    pen.oval(-0.2, 0.36, 0.12, 0.22, lighten(rescue_palette.WATER, 0.6), rim=False)


def _food(pen: Pen, name: str) -> None:
    """A loaf of bread."""
    pen.box(-0.94, -0.5, 0.94, 0.66, rescue_palette.FOOD, 0.5)
    for x in (-0.5, 0.0, 0.5):
        pen.stroke([(x - 0.12, 0.02), (x + 0.14, -0.34)], lighten(rescue_palette.FOOD, 0.6), 0.14)


def _medicine(pen: Pen, name: str) -> None:
    """A white case with a red cross."""
    pen.box(-0.34, -0.86, 0.34, -0.4, (206, 210, 216), 0.12)
    pen.box(-0.92, -0.6, 0.92, 0.82, (252, 252, 252), 0.16)
    pen.stroke([(-0.46, 0.11), (0.46, 0.11)], rescue_palette.MEDICINE, 0.3)
    pen.stroke([(0, -0.36), (0, 0.58)], rescue_palette.MEDICINE, 0.3)


def _victim(pen: Pen, name: str) -> None:
    """A person; an urgent one has an exclamation mark, one that is helped a tick."""
    colour = {"urgent": rescue_palette.URGENT, "waits": rescue_palette.WAITS, "helped": rescue_palette.HELPED}[name]
    pen.half(-0.1, 0.96, 0.72, 0.98, colour)
    pen.oval(-0.1, -0.36, 0.46, 0.46, rescue_palette.SKIN)
    if name == "urgent":
        pen.stroke([(0.78, -0.9), (0.78, -0.2)], colour, 0.26)
        pen.oval(0.78, 0.12, 0.15, 0.15, colour, rim=False)
    elif name == "helped":
        pen.stroke([(0.42, -0.5), (0.62, -0.24), (0.98, -0.86)], colour, 0.2)
