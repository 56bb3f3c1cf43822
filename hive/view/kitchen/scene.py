"""What changes in a kitchen from frame to frame: items, progress of utensils, cooks with their hands."""

from __future__ import annotations

import textwrap

from PIL import Image, ImageDraw

from hive.kitchen.assembly import grid
from hive.kitchen.codes import FACINGS, Place
from hive.kitchen.recording import KitchenRecording
from hive.view.kitchen import palette as kitchen_palette
from hive.view.kitchen.items import draw_item
from hive.view.kitchen.stations import draw_kitchen
from hive.view.lettering import fit, font
from hive.view.palette import INK, Rgb, darken, lighten
from hive.view.pen import Pen

_FINE = 3
_LABEL: Rgb = (255, 254, 250)


class KitchenRenderer:
    """Draws the kitchen of any frame of one recording."""

    def __init__(self, recording: KitchenRecording, tile: int) -> None:
        """Prepare pictures in which a tile is `tile` pixels wide."""
        self.recording, self.tile = recording, tile
        self._empty = draw_kitchen(recording.book, recording.layout, tile)
        _, self._facing = grid(recording.layout)
        self._icons: dict[tuple[int, int], Image.Image] = {}
        self._cooks = [[draw_cook(cook, facing, tile) for facing in range(4)] for cook in range(2)]

    def draw(self, t: int) -> Image.Image:
        """Return the kitchen of frame `t`."""
        recording, tile = self.recording, self.tile
        image = self._empty.copy()
        draw = ImageDraw.Draw(image)
        self._frame_used(draw, t)
        for number, station in enumerate(recording.layout.stations):
            left, top = station.tile[0] * tile, station.tile[1] * tile
            if station.place == Place.COUNTER:
                code = int(recording.counters[t, recording.layout.counters.index(number)])
                if code:
                    self._item(image, code, left + tile / 2, top + 0.38 * tile, 0.56)
                    self._label(draw, recording.book.name(code), left + tile / 2, top + 0.93 * tile)
            elif station.place >= Place.UTENSIL:
                self._utensil(image, draw, t, station.place - Place.UTENSIL, left, top)
        for cook in range(2):
            self._cook(image, draw, t, cook)
        return image

    def icon(self, code: int, pixels: int) -> Image.Image:
        """Return the picture of an item."""
        if (code, pixels) not in self._icons:
            self._icons[code, pixels] = draw_item(self.recording.book, code, pixels)
        return self._icons[code, pixels]

    def _item(self, image: Image.Image, code: int, x: float, y: float, share: float) -> None:
        """Paste an item around (x, y), `share` of a tile wide."""
        icon = self.icon(code, round(share * self.tile))
        image.paste(icon, (round(x - icon.width / 2), round(y - icon.height / 2)), icon)

    def _label(self, draw: ImageDraw.ImageDraw, name: str, x: float, bottom: float) -> None:
        """Write the name of an item on a plate whose lower edge is at `bottom`, in as many lines as it needs."""
        lines = textwrap.wrap(name.replace("_", " "), 16)
        size = max(6, round((0.1, 0.095, 0.085, 0.075)[min(len(lines), 4) - 1] * self.tile))
        lettering, high = font(size), 1.12 * size
        words = [fit(line, lettering, 0.94 * self.tile) for line in lines]
        half = max(lettering.getlength(line) for line in words) / 2 + 0.25 * size
        top = bottom - len(lines) * high - 0.2 * size
        draw.rounded_rectangle((x - half, top, x + half, bottom), 0.3 * size, _LABEL)
        for number, line in enumerate(words):
            draw.text((x, top + (number + 0.5) * high + 0.1 * size), line, INK, lettering, "mm")

    def _utensil(self, image: Image.Image, draw: ImageDraw.ImageDraw, t: int, utensil: int, x: int, y: int) -> None:
        recording, tile = self.recording, self.tile
        product, work = int(recording.product[t, utensil]), int(recording.work[t, utensil])
        if product:
            self._item(image, product, x + tile / 2, y + 0.4 * tile, 0.46)
            self._label(draw, recording.book.name(product), x + tile / 2, y + 0.81 * tile)
            self._progress(draw, work, recording.needed(product), x, y)
        codes = [int(code) for code in recording.contents[t, utensil] if code]
        for number, code in enumerate(codes):
            across = x + tile * (0.5 + 0.28 * (number - (len(codes) - 1) / 2))
            self._item(image, code, across, y + 0.38 * tile, 0.36 if len(codes) == 1 else 0.28)
        if codes:
            names = ", ".join(recording.book.name(code) for code in codes)
            self._label(draw, names, x + tile / 2, y + 0.81 * tile)
        if recording.notice[t, utensil]:
            self._banner(draw, "deleted: no recipe", x, y, kitchen_palette.WRONG)

    def _progress(self, draw: ImageDraw.ImageDraw, work: int, needed: int, x: int, y: int) -> None:
        """A bar with one part for each timestep of work; a banner when the product is ready."""
        tile = self.tile
        if work >= needed:
            self._banner(draw, "ready", x, y, kitchen_palette.READY)
            return
        gap, left, wide = max(1, tile // 60), x + 0.1 * tile, 0.8 * tile
        for part in range(needed):
            box = (
                left + part * wide / needed + gap,
                y + 0.05 * tile,
                left + (part + 1) * wide / needed - gap,
                y + 0.13 * tile,
            )
            fill = kitchen_palette.PROGRESS if part < work else (255, 255, 255)
            draw.rectangle(box, fill, kitchen_palette.DARK, max(1, gap // 2))

    def _banner(self, draw: ImageDraw.ImageDraw, words: str, x: int, y: int, colour: Rgb) -> None:
        tile = self.tile
        box = (x + 0.1 * tile, y + 0.03 * tile, x + 0.9 * tile, y + 0.17 * tile)
        draw.rounded_rectangle(box, 0.05 * tile, colour)
        lettering = font(max(6, round(0.1 * tile)), bold=True)
        draw.text((x + tile / 2, y + 0.1 * tile), fit(words, lettering, 0.78 * tile), (255, 255, 255), lettering, "mm")

    def _frame_used(self, draw: ImageDraw.ImageDraw, t: int) -> None:
        """Frame the tiles where an action was completed."""
        tile = self.tile
        for cook in range(2):
            station = self._facing[self.recording.tile[t, cook], self.recording.facing[t, cook]]
            if self.recording.done[t, cook] and station >= 0:
                x, y = self.recording.layout.stations[station].tile
                box = (x * tile, y * tile, (x + 1) * tile - 1, (y + 1) * tile - 1)
                draw.rectangle(box, outline=kitchen_palette.ACTS, width=max(2, tile // 24))

    def _cook(self, image: Image.Image, draw: ImageDraw.ImageDraw, t: int, cook: int) -> None:
        recording, tile = self.recording, self.tile
        y, x = divmod(int(recording.tile[t, cook]), recording.layout.width)
        facing = int(recording.facing[t, cook])
        body = self._cooks[cook][facing]
        image.paste(body, (x * tile, y * tile), body)
        east, south = FACINGS[facing]
        code = int(recording.held[t, cook])
        middle, centre = (x + 0.5) * tile, (y + 0.46) * tile
        if code:
            self._item(image, code, middle + 0.33 * east * tile, centre + 0.32 * south * tile, 0.4)
        name = recording.layout.cooks[cook].name
        held = f"{name}: {recording.book.name(code)}" if code else name
        self._label(draw, held, middle, (y + (0.17 if south > 0 else 0.97)) * tile)


def draw_cook(cook: int, facing: int, tile: int) -> Image.Image:
    """Return a cook seen from above on a transparent tile: shoulders, two hands in front, and the hat.

    Args:
        cook: 0 or 1.
        facing: `Move.NORTH` to `Move.WEST`.
        tile: Pixels of its side.
    """
    image = Image.new("RGBA", (tile * _FINE, tile * _FINE), (255, 255, 255, 0))
    middle, colour = tile * _FINE / 2, kitchen_palette.COOKS[cook]
    pen = Pen(ImageDraw.Draw(image), middle, 0.92 * middle, 0.62 * middle, lambda shade: shade)
    east, south = FACINGS[facing]

    def ahead(along: float, across: float) -> tuple[float, float]:
        return along * east - across * south, along * south + across * east

    wide, high = (0.46, 0.86) if east else (0.86, 0.46)
    for side in (-1, 1):
        pen.stroke([ahead(0, 0.66 * side), ahead(0.66, 0.36 * side)], darken(colour, 0.2), 0.3)
        pen.oval(*ahead(0.72, 0.34 * side), 0.17, 0.17, kitchen_palette.SKIN)
    pen.oval(0, 0, wide, high, colour)
    pen.area([ahead(0.72, 0), ahead(0.36, -0.2), ahead(0.36, 0.2)], kitchen_palette.SKIN)
    pen.oval(0, 0, 0.5, 0.5, (252, 252, 252))
    pen.oval(*ahead(0.02, 0), 0.34, 0.34, lighten(colour, 0.82), rim=False)
    return image.resize((tile, tile), Image.Resampling.BOX)
