"""The kitchen without cooks and items: floor, counters, dispensers, utensils, the delivery location."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image, ImageDraw

from hive.kit.view.lettering import fit, font
from hive.kit.view.palette import INK, Rgb, darken, lighten
from hive.kit.view.pen import Pen, canvas
from hive.worlds.kitchen.codes import Place
from hive.worlds.kitchen.cookbook import Cookbook
from hive.worlds.kitchen.layout import Layout, Station
from hive.worlds.kitchen.view import palette as kitchen_palette
from hive.worlds.kitchen.view.items import draw_item

_FINE = 3  # signs are drawn this much larger and then shrunk


def draw_kitchen(book: Cookbook, layout: Layout, tile: int) -> Image.Image:
    """Return the picture of an empty kitchen.

    Args:
        book: What exists.
        layout: Where it stands.
        tile: Pixels of a side of a tile.
    """
    image = Image.new("RGB", (layout.width * tile, layout.height * tile))
    draw = ImageDraw.Draw(image)
    stations = {station.tile: number for number, station in enumerate(layout.stations)}
    for y in range(layout.height):
        for x in range(layout.width):
            box = (x * tile, y * tile, (x + 1) * tile - 1, (y + 1) * tile - 1)
            if (x, y) in layout.floor:
                draw.rectangle(box, kitchen_palette.FLOOR[(x + y) % 2])
            else:
                _bench(draw, box, _colour(layout, stations.get((x, y))), tile)
    for station in layout.stations:
        if station.place != Place.COUNTER:
            _sign(image, draw, book, layout, station, tile)
    return image


def caption_height(tile: int) -> int:
    """Return the pixels at the lower edge of a tile where the name of what stands there is written."""
    return round(0.17 * tile)


def _colour(layout: Layout, number: int | None) -> Rgb:
    if number is None:
        return kitchen_palette.WALL
    if layout.stations[number].place != Place.COUNTER:
        return kitchen_palette.BENCH
    return kitchen_palette.SHARED if number in layout.shared else kitchen_palette.COUNTER


def _bench(draw: ImageDraw.ImageDraw, box: tuple[int, int, int, int], colour: Rgb, tile: int) -> None:
    """A slab with a light upper edge and a dark lower one."""
    left, top, right, bottom = box
    line = max(1, tile // 60)
    draw.rectangle(box, colour, darken(colour, 0.28), line)
    draw.rectangle((left + line, top + line, right - line, top + 2 * line), lighten(colour, 0.4))
    draw.rectangle((left + line, bottom - 3 * line, right - line, bottom - line), darken(colour, 0.14))


def _sign(
    image: Image.Image, draw: ImageDraw.ImageDraw, book: Cookbook, layout: Layout, station: Station, tile: int
) -> None:
    large, pen = canvas(tile * _FINE, 0.72, 0.92)
    if station.place >= Place.UTENSIL:
        kind = layout.utensils[station.place - Place.UTENSIL]
        _UTENSILS.get(book.utensil[kind].operation, _appliance)(pen)
    elif station.place == Place.DELIVERY:
        _delivery(pen)
    elif station.place == Place.DISHES:
        for y in (0.56, 0.3, 0.04):
            pen.oval(0, y, 0.9, 0.42, kitchen_palette.PLATE)
        pen.oval(0, 0.02, 0.58, 0.24, (230, 232, 236), rim=False)
    else:
        _crate(pen)
    sign = large.resize((tile, tile), Image.Resampling.BOX)
    left, top = station.tile[0] * tile, station.tile[1] * tile
    image.paste(sign, (left, top), sign)
    if station.place == Place.INGREDIENTS:
        size = round(0.3 * tile)
        count = len(book.ingredients)
        shown = [book.code[book.ingredients[k * count // 3]] for k in range(min(3, count))]
        for number, code in enumerate(shown):
            icon = draw_item(book, code, size)
            place = left + round((0.17 + 0.18 * number) * tile), top + round((0.16, 0.1, 0.16)[number] * tile)
            image.paste(icon, place, icon)
    name = station.name.replace("_", " ")
    sizes = (font(max(6, round(share * tile))) for share in (0.1, 0.09, 0.08))
    lettering = next((each for each in sizes if each.getlength(name) <= 0.95 * tile), font(max(6, round(0.08 * tile))))
    at = left + tile / 2, top + tile - caption_height(tile) / 2 - tile / 40
    draw.text(at, fit(name, lettering, 0.95 * tile), INK, lettering, "mm")


def _pot(pen: Pen) -> None:
    for x in (-0.94, 0.94):
        pen.oval(x, 0, 0.2, 0.16, kitchen_palette.DARK)
    pen.oval(0, 0, 0.88, 0.84, kitchen_palette.METAL)
    pen.oval(0, 0, 0.7, 0.66, kitchen_palette.DARK)


def _oven(pen: Pen) -> None:
    pen.box(-0.96, -0.92, 0.96, 0.96, kitchen_palette.METAL, 0.12)
    for x in (-0.6, -0.2, 0.2, 0.6):
        pen.oval(x, -0.72, 0.11, 0.1, (232, 232, 232))
    pen.box(-0.8, -0.5, 0.8, 0.8, (72, 58, 52), 0.1)
    pen.stroke([(-0.66, -0.56), (0.66, -0.56)], (226, 228, 232), 0.08)


def _board(pen: Pen) -> None:
    pen.box(-0.96, -0.72, 0.96, 0.76, kitchen_palette.BOARD, 0.16)
    pen.oval(0.8, -0.54, 0.09, 0.09, kitchen_palette.BENCH)
    pen.stroke([(0.56, 0.56), (0.84, -0.1)], (214, 220, 226), 0.16)
    pen.stroke([(0.47, 0.7), (0.56, 0.52)], (60, 50, 46), 0.16)


def _blender(pen: Pen) -> None:
    pen.box(-0.5, 0.5, 0.5, 0.96, kitchen_palette.DARK, 0.1)
    pen.oval(0, 0.74, 0.1, 0.1, (236, 80, 60))
    pen.area([(-0.72, -0.8), (0.72, -0.8), (0.5, 0.5), (-0.5, 0.5)], kitchen_palette.GLASS)
    pen.box(-0.78, -0.98, 0.78, -0.76, kitchen_palette.DARK, 0.06)


def _appliance(pen: Pen) -> None:
    pen.box(-0.92, -0.86, 0.92, 0.92, (176, 186, 196), 0.18)
    pen.box(-0.7, -0.6, 0.7, 0.66, (104, 112, 122), 0.12)


def _crate(pen: Pen) -> None:
    pen.box(-0.94, 0.0, 0.94, 0.92, (176, 128, 74), 0.06)
    for y in (0.3, 0.6):
        pen.stroke([(-0.9, y), (0.9, y)], (120, 82, 44), 0.05)


def _delivery(pen: Pen) -> None:
    pen.box(-0.96, -0.84, 0.96, 0.92, (86, 150, 104), 0.12)
    white = (250, 250, 250)
    pen.area([(-0.2, -0.56), (0.2, -0.56), (0.2, 0.1), (0.52, 0.1), (0, 0.7), (-0.52, 0.1), (-0.2, 0.1)], white)


_UTENSILS: dict[str, Callable[[Pen], None]] = {"cook": _pot, "bake": _oven, "cut": _board, "stir": _blender}
