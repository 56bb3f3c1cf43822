"""Signs on the picture of a battle: plan targets, lettered pins, the legend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from PIL import Image, ImageDraw

from dsl.vocabulary import UNIT_TYPES
from hive.ground.shapes import Ground
from hive.kit.view import palette
from hive.kit.view.lettering import font
from hive.kit.view.palette import Rgb
from hive.worlds.battle.view import stamps

_FINE = 4  # signs are drawn this much larger and then shrunk


def draw_signs(
    side: int, scale: float, unit: float, targets: Iterable[tuple[float, float, str]],
    markers: Mapping[str, tuple[float, float]],
) -> Image.Image:  # fmt: skip
    """Draw plan targets and lettered markers on a transparent picture the size of the map.

    Args:
        side: Pixels of a side of the map.
        scale: Pixels to a metre.
        unit: Size of the signs, 1 for a picture 720 pixels wide.
        targets: (x, y, label) in metres; targets at the same place share a sign.
        markers: Letter to (x, y) in metres.
    """
    image = Image.new("RGBA", (side * _FINE, side * _FINE), (255, 255, 255, 0))
    draw = ImageDraw.Draw(image)
    size, u = side * _FINE, unit * _FINE
    places: dict[tuple[float, float], list[str]] = {}
    for x, y, label in targets:
        places.setdefault((x * scale * _FINE, size - y * scale * _FINE), []).append(label)
    for (x, y), labels in places.items():
        _draw_target(draw, x, y, ", ".join(dict.fromkeys(filter(None, labels))), u, size)
    for letter, (x, y) in markers.items():
        _draw_pin(draw, x * scale * _FINE, size - y * scale * _FINE, letter, u, size)
    return image.resize((side, side), Image.Resampling.BOX)


def _draw_target(draw: ImageDraw.ImageDraw, x: float, y: float, label: str, u: float, size: float) -> None:
    """Draw a ring with a dot, and its label with a white edge next to it; near the border the sign moves inwards."""
    x, y = (min(max(v, 6 * u), size - 6 * u) for v in (x, y))
    for colour, width, grow in ((255, 255, 255, 220), 3.4 * u, 0.9 * u), ((*palette.TARGET, 255), 1.7 * u, 0.0):
        r = 5.2 * u + grow
        draw.ellipse((x - r, y - r, x + r, y + r), outline=colour, width=round(width))
        d = 1.5 * u + grow
        draw.ellipse((x - d, y - d, x + d, y + d), fill=colour)
    if label:
        lettering = font(round(11 * u), bold=True)
        right = x + 9 * u + lettering.getlength(label) < size
        place = (x + (8 if right else -8) * u, min(max(y, 8 * u), size - 8 * u))
        draw.text(
            place, label, (*palette.TARGET, 255), lettering, "lm" if right else "rm",
            stroke_width=round(1.6 * u), stroke_fill=(255, 255, 255, 235),
        )  # fmt: skip


def _draw_pin(draw: ImageDraw.ImageDraw, x: float, y: float, letter: str, u: float, size: float) -> None:
    """Draw a pin whose tip is the place and whose head, with the letter, stays on the map."""
    lettering = font(round(11 * u), bold=True)
    r = max(8.2 * u, lettering.getlength(letter) / 2 + 3.2 * u)
    rise = 1.8 * r
    head_x = min(max(x, r + 2 * u), size - r - 2 * u)
    head_y = y - rise if y - rise - r > 0 else y + rise
    head_y = min(max(head_y, r + 2 * u), size - r - 2 * u)
    away = float(np.hypot(head_x - x, head_y - y))
    east, south = (x - head_x) / away, (y - head_y) / away  # from the head to the tip
    for colour, grow in (((255, 255, 255, 235), 1.4 * u), ((*palette.MARKER, 255), 0.0)):
        wide, reach = r + grow, away + 1.6 * grow
        along, across = wide * wide / reach, wide * (1 - min(1.0, wide / reach) ** 2) ** 0.5  # where tangents touch
        feet = [
            (head_x + along * east + k * across * south, head_y + along * south - k * across * east) for k in (-1, 1)
        ]
        draw.polygon([*feet, (head_x + reach * east, head_y + reach * south)], fill=colour)
        draw.ellipse((head_x - wide, head_y - wide, head_x + wide, head_y + wide), fill=colour)
    draw.text((head_x, head_y), letter, (255, 255, 255, 255), lettering, "mm")


def draw_legend(
    width: int, unit: float, types: Iterable[int], sides: Iterable[int], terrain: int, target: bool, marker: bool,
    fire: bool = False,
) -> Image.Image:  # fmt: skip
    """Draw the legend of shapes and colours, wrapped to `width` pixels; only what the picture contains is listed.

    Args:
        width: Pixels.
        unit: Size of the lettering, 1 for a picture 720 pixels wide.
        types: Unit types present.
        sides: Sides present.
        terrain: Terrain bits present.
        target: Whether plan targets are marked.
        marker: Whether lettered markers are set.
        fire: Whether something burns.
    """
    lettering, box = font(round(12 * unit)), round(16 * unit)
    items: list[tuple[list[Image.Image], str]] = []
    for kind in sorted(types):
        items.append(([_unit_icon(box, kind, side) for side in sorted(sides)], UNIT_TYPES[kind]))
    for bit, colour, name in (
        (Ground.FOREST, palette.FOREST_COLOUR, "forest"),
        (Ground.WATER, palette.WATER_COLOUR, "water"),
        (Ground.BUILDING, palette.BUILDING_COLOUR, "building"),
    ):
        if terrain & bit:
            items.append(([_swatch(box, colour)], name))
    if fire:
        burning, burnt = palette.FIRE_COLOURS[1:3], palette.FIRE_COLOURS[3]
        items += [([_swatch(box, colour) for colour in burning], "burning"), ([_swatch(box, burnt)], "burnt")]
    if target:
        items.append(([draw_signs(box, 1, unit, [(box / 2, box / 2, "")], {})], "plan target"))
    if marker:
        items.append(([draw_signs(box, 1, unit * 0.55, [], {"": (box / 2, 1)})], "marker"))

    places, x, y = [], 0.0, 0
    for icons, name in items:
        wide = len(icons) * (box + 1) + 3 * unit + lettering.getlength(name)
        if x and x + wide > width:
            x, y = 0.0, y + box + round(6 * unit)
        places.append((round(x), y))
        x += wide + 11 * unit
    image = Image.new("RGB", (width, y + box if items else 1), palette.PAGE)
    draw = ImageDraw.Draw(image)
    for (icons, name), (left, top) in zip(items, places, strict=True):
        for icon in icons:
            image.paste(icon, (left, top), icon)
            left += box + 1
        draw.text((left + 3 * unit, top + box / 2), name, palette.INK, lettering, "lm")
    return image


def _unit_icon(box: int, kind: int, side: int) -> Image.Image:
    y, x = np.mgrid[0 : box * _FINE, 0 : box * _FINE] - (box * _FINE - 1) / 2
    shape, colour, r = palette.TYPE_SHAPES[kind], palette.unit_colour(side, kind), 0.36 * box * _FINE
    body, core = stamps.inside(shape, x, y, r), stamps.inside(shape, x, y, r - 0.06 * box * _FINE)
    pixels = np.zeros((*x.shape, 4), np.uint8)
    pixels[body] = (*palette.outline_colour(colour), 255)
    pixels[core] = (*colour, 255)
    return Image.fromarray(pixels).resize((box, box), Image.Resampling.BOX)


def _swatch(box: int, colour: Rgb) -> Image.Image:
    image = Image.new("RGBA", (box, box), (255, 255, 255, 0))
    inset = box // 8
    shape = (inset, inset, box - 1 - inset, box - 1 - inset)
    ImageDraw.Draw(image).rounded_rectangle(shape, box / 6, (*colour, 255), (*palette.darken(colour, 0.25), 255))
    return image
