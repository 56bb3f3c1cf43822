"""The marks on a wildfire's map: crews, civilians, buildings, boxes and rings with labels, and a compass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PIL import Image, ImageDraw

from hive.kit.view import palette
from hive.kit.view.lettering import font
from hive.kit.view.palette import Rgb
from hive.worlds.wildfire.view import palette as fire_palette

WHITE: Rgb = (255, 255, 255)
SWATCHES: dict[str, Rgb] = {
    "brush": fire_palette.BRUSH,
    "rock": fire_palette.ROCK,
    "cleared": fire_palette.CLEARED,
    "water": fire_palette.LAKE,
    "wet": palette.mix(fire_palette.TREES[1], fire_palette.DAMP, 0.5),
    **{f"burning {k}": colour for k, colour in enumerate(fire_palette.BURNING)},
    "unseen": fire_palette.UNKNOWN,
}


def draw_crew(draw: ImageDraw.ImageDraw, kind: int, x: float, y: float, r: float) -> None:
    """Draw a unit about as large as a circle of radius `r`: its type's shape with a white rim."""
    rim = max(1.0, 0.2 * r)
    for colour, grow in ((WHITE, rim), (palette.darken(fire_palette.CREWS[kind], 0.45), 0.0), (None, -rim)):
        _shape(draw, fire_palette.CREW_SHAPES[kind], x, y, r + grow, colour or fire_palette.CREWS[kind])


def draw_fallen(draw: ImageDraw.ImageDraw, colour: Rgb, x: float, y: float, r: float) -> None:
    """Draw a cross with a white rim."""
    for paint, wide in ((WHITE, 0.95 * r), (palette.darken(colour, 0.3), 0.5 * r)):
        for slope in (-1, 1):
            draw.line((x - r, y - slope * r, x + r, y + slope * r), paint, max(1, round(wide)))


def draw_civilian(draw: ImageDraw.ImageDraw, state: str, x: float, y: float, r: float) -> None:
    """Draw a civilian as head and shoulders; `state` is a key of `palette.CIVILIANS`."""
    if state == "dead":
        draw_fallen(draw, fire_palette.CIVILIANS[state], x, y, 0.8 * r)
        return
    rim = max(1.0, 0.28 * r)
    for colour, grow in ((palette.INK, rim), (fire_palette.CIVILIANS[state], 0.0)):
        draw.ellipse(_around(x, y - 0.6 * r, 0.5 * r + grow), fill=colour)
        draw.pieslice((x - 0.9 * r - grow, y - grow, x + 0.9 * r + grow, y + 1.8 * r + grow), 180, 360, fill=colour)


def draw_house(draw: ImageDraw.ImageDraw, box: tuple[float, float, float, float], burnt: bool) -> None:
    """Draw a building into the box of its cell; of a burnt building only the walls."""
    left, top, right, bottom = box
    inset = 0.12 * (right - left) if right - left >= 6 else 0.0
    area = (left + inset, top + inset, right - inset - 1, bottom - inset - 1)
    if burnt:
        draw.rectangle(area, outline=fire_palette.HOUSE, width=max(1, round(0.14 * (right - left))))
        return
    draw.rectangle(area, fill=fire_palette.HOUSE)
    if right - left >= 6:
        draw.line((area[0], (top + bottom) / 2, area[2], (top + bottom) / 2), palette.lighten(fire_palette.HOUSE, 0.4))


MARK_REACH = 1.35  # how far the widest mark of a unit or civilian extends from its middle, in radii


def draw_box(
    draw: ImageDraw.ImageDraw, area: tuple[float, float, float, float], colour: Rgb, width: float, tick: bool = False
) -> None:
    """Draw a frame round `area`, with a white edge; with `tick` a tick in it."""
    left, top, right, bottom = area
    for paint, wide, grow in ((WHITE, width + max(2, 0.8 * width), 0.4 * width), (colour, width, 0.0)):
        corners = (left - grow, top - grow, right - 1 + grow, bottom - 1 + grow)
        draw.rectangle(corners, outline=paint, width=max(1, round(wide)))
    if tick:
        x, y, r = (left + right) / 2, (top + bottom) / 2, 0.28 * (right - left)
        stroke = [(x - r, y), (x - 0.3 * r, y + 0.8 * r), (x + r, y - 0.8 * r)]
        draw.line(stroke, colour, max(1, round(0.3 * r)), joint="curve")


def draw_ring(draw: ImageDraw.ImageDraw, x: float, y: float, r: float, colour: Rgb, width: float) -> None:
    """Draw a ring with a white edge."""
    for paint, wide, grow in ((WHITE, 2.2 * width, 0.6 * width), (colour, width, 0.0)):
        draw.ellipse(_around(x, y, r + grow), outline=paint, width=max(1, round(wide)))


def draw_label(
    draw: ImageDraw.ImageDraw, text: str, x: float, y: float, colour: Rgb, pixels: float, size: float
) -> None:
    """Write to the right of a place `x, y`, with a white edge; near the right border to its left."""
    lettering = font(round(pixels), bold=True)
    right = x + 0.7 * pixels + lettering.getlength(text) < size
    place = (x + (0.55 if right else -0.55) * pixels, min(max(y, 0.7 * pixels), size - 0.7 * pixels))
    anchor = "lm" if right else "rm"
    draw.text(place, text, colour, lettering, anchor, stroke_width=round(pixels / 7), stroke_fill=WHITE)


def draw_compass(draw: ImageDraw.ImageDraw, x: float, y: float, u: float) -> None:
    """Draw an arrow to the north, which is up, with its letter; `x, y` is its middle."""
    points: Sequence[tuple[float, float]] = ((0, -8), (4, 6), (0, 3), (-4, 6))
    draw.polygon([(x + px * u, y + py * u) for px, py in points], palette.INK)
    draw.text((x + 7 * u, y), "N", palette.INK, font(round(11 * u), bold=True), "lm")


def legend_items(keys: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the entries of a legend in order: a key and its words, for the requested keys."""
    names = {f"crew {kind}": name for kind, name in enumerate(fire_palette.CREW_NAMES)}
    names |= {"lost": "lost", "path": "way so far", "civilian": "civilian", "safe": "brought to safety"}
    names |= {"dead": "dead", "task": "to clear", "done": "cleared", "goal": "goal", "fire sign": "reported fire"}
    names |= {"group": "reported civilians", "trees": "1, 2, 3 trees", "brush": "brush", "rock": "rock"}
    names |= {"cleared": "felled", "water": "water", "house": "building", "wet": "sprayed"}
    names |= {f"burning {k}": name for k, name in enumerate(("catches", "burns", "smoulders", "burnt"))}
    names |= {"unseen": "not explored"}
    yield from ((key, name) for key, name in names.items() if key in keys)


def legend_icon(key: str, box: int) -> Image.Image:
    """Draw the icon of a legend's entry, `box` pixels high."""
    fine = 4
    wide = 2 if key == "trees" else 1
    image = Image.new("RGBA", (box * fine * wide, box * fine), (255, 255, 255, 0))
    draw, size = ImageDraw.Draw(image), box * fine
    x = y = size / 2
    if key.startswith("crew "):
        draw_crew(draw, int(key[5:]), x, y, 0.34 * size)
    elif key == "lost":
        draw_fallen(draw, fire_palette.CREWS[0], x, y, 0.25 * size)
    elif key == "path":
        colour = palette.lighten(fire_palette.CREWS[0], 0.25)
        draw.line(((0, 0.75 * size), (0.45 * size, 0.3 * size), (size, 0.6 * size)), colour, round(0.11 * size))
    elif key in fire_palette.CIVILIANS:
        draw_civilian(draw, key, x, y - 0.08 * size, 0.3 * size)
    elif key in ("task", "done"):
        colour = fire_palette.DONE if key == "done" else fire_palette.TASK
        area = (0.15 * size, 0.15 * size, 0.85 * size, 0.85 * size)
        draw_box(draw, area, colour, 0.11 * size, tick=key == "done")
    elif key == "goal":
        draw_box(draw, (0.1 * size, 0.1 * size, 0.9 * size, 0.9 * size), palette.INK, 0.12 * size)
    elif key in ("fire sign", "group"):
        draw_ring(draw, x, y, 0.32 * size, fire_palette.FIRE_SIGN if key == "fire sign" else palette.INK, 0.12 * size)
    elif key == "house":
        draw_house(draw, (0.1 * size, 0.1 * size, 0.9 * size, 0.9 * size), False)
    elif key == "trees":
        for k, colour in enumerate(fire_palette.TREES):
            left = 0.06 * size + k * 0.63 * size
            draw.rectangle((left, 0.14 * size, left + 0.58 * size, 0.86 * size), colour, palette.darken(colour, 0.3), 2)
    else:
        edge = palette.darken(SWATCHES[key], 0.3)
        draw.rounded_rectangle((0.12 * size, 0.12 * size, 0.88 * size, 0.88 * size), size / 6, SWATCHES[key], edge, 3)
    return image.resize((box * wide, box), Image.Resampling.BOX)


def _shape(draw: ImageDraw.ImageDraw, shape: str, x: float, y: float, r: float, colour: Rgb) -> None:
    if r <= 0:
        return
    if shape == "circle":
        draw.ellipse(_around(x, y, r), fill=colour)
    elif shape == "square":
        draw.rectangle(_around(x, y, 0.88 * r), fill=colour)
    else:
        corners = {
            "triangle": ((0, -1.3), (1.2, 0.85), (-1.2, 0.85)),
            "diamond": ((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
        }[shape]
        draw.polygon([(x + px * r, y + py * r) for px, py in corners], fill=colour)


def _around(x: float, y: float, r: float) -> tuple[float, float, float, float]:
    return x - r, y - r, x + r, y + r
