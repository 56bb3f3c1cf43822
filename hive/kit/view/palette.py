"""Colours of the pictures, and the shapes of the unit types (docs/rules/battles.md 2.1).

Rules: docs/rules/scenarios.md 4.2.

Everything here is plain data that pictures, movies and web pages share. Colours are RGB, 0 to 255.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple

from dsl.vocabulary import UNIT_TYPES

Rgb = tuple[int, int, int]


class Look(NamedTuple):
    """How a thing is drawn that is recognised by a shape in its colours."""

    shape: str
    colour: Rgb
    accent: Rgb  # of a part, such as a stalk, a leaf or the inside


class UnitLook(NamedTuple):
    """How units of one type are drawn.

    Attributes:
        shape: One that `hive.worlds.battle.view.stamps.inside` knows.
        colours: In the open, by side.
        in_forest: The same, inside a forest.
    """

    shape: str
    colours: tuple[Rgb, Rgb]
    in_forest: tuple[Rgb, Rgb]


# Spearmen, archer and cavalry are published; the other three are ours, further along the same scale.
UNIT_LOOKS = {
    "spearmen": UnitLook("square", ((0, 0, 128), (178, 34, 34)), ((0, 72, 88), (148, 64, 34))),
    "archer": UnitLook("circle", ((65, 105, 225), (220, 20, 60)), ((65, 143, 167), (180, 50, 50))),
    "cavalry": UnitLook("triangle", ((135, 206, 235), (255, 99, 71)), ((135, 216, 205), (225, 129, 81))),
    "balista": UnitLook("diamond", ((72, 61, 139), (128, 0, 50)), ((66, 98, 110), (108, 38, 44))),
    "dragon": UnitLook("star", ((0, 139, 190), (199, 21, 133)), ((0, 148, 140), (165, 60, 105))),
    "civilian": UnitLook("plus", ((176, 196, 222), (240, 170, 165)), ((172, 204, 196), (214, 178, 150))),
}
_LOOKS = tuple(UNIT_LOOKS[name] for name in UNIT_TYPES)
TYPE_SHAPES = tuple(look.shape for look in _LOOKS)  # in the order of `UNIT_TYPES`

GROUND_COLOUR: Rgb = (255, 255, 255)
FOREST_COLOUR: Rgb = (197, 214, 185)
WATER_COLOUR: Rgb = (193, 237, 254)
BUILDING_COLOUR: Rgb = (201, 199, 198)
# Fire in a battle, by code from 1 on: catches, flames, smoulders, burnt. The last is pale: units stand out on it.
FIRE_COLOURS: tuple[Rgb, ...] = ((255, 208, 84), (242, 96, 44), (222, 150, 116), (184, 176, 171))

PAGE: Rgb = (250, 249, 246)
INK: Rgb = (38, 42, 48)
FAINT_INK: Rgb = (122, 126, 132)
RULE: Rgb = (150, 153, 158)
TARGET: Rgb = (176, 104, 0)
MARKER: Rgb = (52, 58, 66)


def mix(colour: Rgb, other: Rgb, share: float) -> Rgb:
    """Return `colour` with `share` (0 to 1) of `other` stirred in."""
    r, g, b = (round(a + (b - a) * share) for a, b in zip(colour, other, strict=True))
    return r, g, b


def darken(colour: Rgb, share: float) -> Rgb:
    """Return `colour` moved by `share` (0 to 1) towards black."""
    return mix(colour, (0, 0, 0), share)


def lighten(colour: Rgb, share: float) -> Rgb:
    """Return `colour` moved by `share` (0 to 1) towards white."""
    return mix(colour, (255, 255, 255), share)


def luminance(colour: Rgb) -> float:
    """Return how bright a colour looks, 0 (black) to 255 (white)."""
    r, g, b = colour
    return 0.299 * r + 0.587 * g + 0.114 * b


def unit_colour(side: int, kind: int, forest: bool = False) -> Rgb:
    """Return the colour of a live unit of one side and type, which is a little greener inside a forest."""
    look = _LOOKS[kind]
    return (look.in_forest if forest else look.colours)[side]


def outline_colour(colour: Rgb) -> Rgb:
    """Return the edge colour that sets a unit off from the ground and from its neighbours in a crowd."""
    return lighten(colour, 0.45) if luminance(colour) < 80 else darken(colour, 0.35)


def corpse_colour(side: int) -> Rgb:
    """Return the faint colour of the mark that a dead unit leaves behind."""
    return mix(unit_colour(side, 0), (215, 213, 210), 0.72)


def made_look(name: str, shapes: Sequence[str]) -> tuple[str, Rgb]:
    """Return a shape and a colour that are made from the name of a thing."""
    mark = zlib.crc32(name.encode())
    return shapes[(mark >> 24) % len(shapes)], (60 + mark % 160, 60 + (mark >> 8) % 160, 60 + (mark >> 16) % 160)
