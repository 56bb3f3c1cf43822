"""A kitchen as display lists: items, progress of utensils, cooks with their hands. A unit is the side of a tile."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from functools import partial

import numpy as np
from PIL import Image

from hive.kit.view.display import Item, Point, Shape, Sprite, Symbol, Text, Tip
from hive.kit.view.palette import INK, Rgb, darken, lighten
from hive.kit.view.pen import canvas
from hive.worlds.kitchen.assembly import grid
from hive.worlds.kitchen.codes import FACINGS, Place
from hive.worlds.kitchen.cookbook import Cookbook
from hive.worlds.kitchen.recording import KitchenRecording
from hive.worlds.kitchen.view import palette as kitchen_palette
from hive.worlds.kitchen.view.items import draw_item
from hive.worlds.kitchen.view.stations import draw_kitchen

_FINE = 3
_LABEL: Rgb = (255, 254, 250)
_TILE, _ITEM = 192, 128  # pixels of a tile and of an item in the pictures of a page
_WIDEST = 1024


class KitchenScene:
    """The kitchen in each frame of one recording; cooks are its movers."""

    def __init__(self, recording: KitchenRecording) -> None:
        """Name the symbols."""
        self.recording = recording
        book, layout = recording.book, recording.layout
        self.width, self.height = float(layout.width), float(layout.height)
        _, self._facing = grid(layout)
        tile = min(_TILE, _WIDEST // layout.width)
        whole = Symbol(lambda pixels: draw_kitchen(book, layout, pixels // layout.width), tile * layout.width)
        self.symbols = {"kitchen": whole}
        for cook in range(2):
            for facing in range(4):
                self.symbols[f"cook {cook} {facing}"] = Symbol(partial(draw_cook, cook, facing), tile)
        arrays = recording.held, recording.counters, recording.contents, recording.product
        orders = {wanted(book, order) for order in recording.orders or (recording.order,)}
        codes = orders.union(*(np.unique(each).tolist() for each in arrays)) - {0}
        self.symbols |= {f"item {code}": Symbol(partial(draw_item, book, code), _ITEM) for code in sorted(codes)}

    def back(self) -> list[Item]:
        """Return the empty kitchen."""
        return [Sprite("kitchen", (0, 0, self.width, self.height))]

    def frame(self, t: int, still: bool) -> list[Item]:
        """Return what lies in the kitchen, the cooks, and the tips of cooks and stations."""
        stations = range(len(self.recording.layout.stations))
        items = [*self._used(t), *(item for number in stations for item in self._station(t, number))]
        items += [item for cook in range(2) for item in self._cook(t, cook)]
        items += [self._tell_cook(t, cook) for cook in range(2)]
        return items + [self._tell_station(t, number) for number in stations]

    def places(self, t: int) -> list[Point]:
        """Return the north-west corners of the cooks' tiles."""
        return [self._tile(t, cook) for cook in range(2)]

    def _tile(self, t: int, cook: int) -> tuple[int, int]:
        y, x = divmod(int(self.recording.tile[t, cook]), self.recording.layout.width)
        return x, y

    def _used(self, t: int) -> Iterator[Item]:
        """Frames of the tiles where an action was completed."""
        for cook in range(2):
            station = self._facing[self.recording.tile[t, cook], self.recording.facing[t, cook]]
            if self.recording.done[t, cook] and station >= 0:
                yield Shape((*self.recording.layout.stations[station].tile, 1, 1), None, kitchen_palette.ACTS, 1 / 24)

    def _station(self, t: int, number: int) -> Iterator[Item]:
        station = self.recording.layout.stations[number]
        x, y = station.tile
        if station.place == Place.COUNTER:
            code = self._on_counter(t, number)
            if code:
                yield _item(code, x + 0.5, y + 0.38, 0.56)
                yield _label(self._name(code), x + 0.5, y + 0.93)
        elif station.place >= Place.UTENSIL:
            yield from self._utensil(t, station.place - Place.UTENSIL, x, y)

    def _on_counter(self, t: int, number: int) -> int:
        return int(self.recording.counters[t, self.recording.layout.counters.index(number)])

    def _name(self, code: int) -> str:
        return spelled(self.recording.book.name(code))

    def _utensil(self, t: int, utensil: int, x: int, y: int) -> Iterator[Item]:
        recording = self.recording
        product, work = int(recording.product[t, utensil]), int(recording.work[t, utensil])
        if product:
            yield _item(product, x + 0.5, y + 0.4, 0.46)
            yield _label(self._name(product), x + 0.5, y + 0.81)
            yield from _progress(work, recording.needed(product), x, y)
        codes = [int(code) for code in recording.contents[t, utensil] if code]
        for number, code in enumerate(codes):
            across = x + 0.5 + 0.28 * (number - (len(codes) - 1) / 2)
            yield _item(code, across, y + 0.38, 0.36 if len(codes) == 1 else 0.28)
        if codes:
            yield _label(", ".join(map(self._name, codes)), x + 0.5, y + 0.81)
        if recording.notice[t, utensil]:
            yield from _banner("deleted: no recipe", x, y, kitchen_palette.WRONG)

    def _cook(self, t: int, cook: int) -> Iterator[Item]:
        recording = self.recording
        facing, code = int(recording.facing[t, cook]), int(recording.held[t, cook])
        east, south = FACINGS[facing]
        yield Sprite(f"cook {cook} {facing}", (0, 0, 1, 1), mover=cook)
        if code:
            yield _item(code, 0.5 + 0.33 * east, 0.46 + 0.32 * south, 0.4, cook)
        name = recording.layout.cooks[cook].name
        yield _label(f"{name}: {self._name(code)}" if code else name, 0.5, 0.17 if south > 0 else 0.97, cook)

    def _tell_cook(self, t: int, cook: int) -> Tip:
        x, y = self._tile(t, cook)
        facts = (
            ("at", f"({x}, {y})"),
            ("faces", ("north", "south", "east", "west")[self.recording.facing[t, cook]]),
            ("did", last_action(self.recording, t, cook)),
            ("hand", in_hand(self.recording, t, cook)),
        )
        return Tip((0, 0, 1, 1), self.recording.layout.cooks[cook].name, facts, mover=cook)

    def _tell_station(self, t: int, number: int) -> Tip:
        station, recording = self.recording.layout.stations[number], self.recording
        facts = [("at", f"({station.tile[0]}, {station.tile[1]})")]
        if station.place == Place.COUNTER:
            code = self._on_counter(t, number)
            facts.append(("holds", self._name(code) if code else "nothing"))
        elif station.place >= Place.UTENSIL:
            utensil = station.place - Place.UTENSIL
            product, work = int(recording.product[t, utensil]), int(recording.work[t, utensil])
            if product:
                needed = recording.needed(product)
                facts.append(("ready" if work >= needed else "makes", self._name(product)))
                if work < needed:
                    facts.append(("worked", f"{work} of {needed} timesteps"))
            else:
                inside = [self._name(int(code)) for code in recording.contents[t, utensil] if code]
                facts.append(("holds", ", ".join(inside) or "nothing"))
        return Tip((*station.tile, 1, 1), spelled(station.name), tuple(facts))


def spelled(name: str) -> str:
    """Return a name in words."""
    return name.replace("_", " ")


def wanted(book: Cookbook, order: str) -> int:
    """Return the code of the item that an order wants."""
    return book.plated(order) if book.needs_dish(order) else book.code[order]


def order_words(book: Cookbook, order: str) -> str:
    """Return an order, such as `boiled egg, without a dish`."""
    return f"{spelled(order)}{' in a dish' if book.needs_dish(order) else ', without a dish'}"


def last_action(recording: KitchenRecording, t: int, cook: int) -> str:
    """Return what a cook did in the timestep before frame `t`."""
    done = int(recording.doing[t, cook])
    return f"{recording.deeds[done]}{' – done' if recording.done[t, cook] else ''}" if done >= 0 else "no action"


def in_hand(recording: KitchenRecording, t: int, cook: int) -> str:
    """Return what a cook holds, such as `holds dish with boiled egg`."""
    code = int(recording.held[t, cook])
    dish = "dish with " if code > recording.book.dish_code else ""
    return f"holds {dish}{spelled(recording.book.name(code))}" if code else "hand empty"


def _item(code: int, x: float, y: float, side: float, mover: int = -1) -> Sprite:
    """An item around (x, y)."""
    return Sprite(f"item {code}", (x - side / 2, y - side / 2, side, side), mover=mover)


def _label(name: str, x: float, bottom: float, mover: int = -1) -> Text:
    """The name of an item on a plate whose lower edge is at `bottom`, in as many lines as it needs."""
    lines = textwrap.wrap(name, 16)
    size = (0.105, 0.1, 0.09, 0.08)[min(len(lines), 4) - 1]
    middle = bottom - (1.12 * len(lines) + 0.2) * size / 2
    return Text(tuple(lines), (x, middle), size, INK, room=0.94, plate=_LABEL, mover=mover)


def _progress(work: int, needed: int, x: int, y: int) -> Iterator[Item]:
    """A bar with one part for each timestep of work; a banner when the product is ready."""
    if work >= needed:
        yield from _banner("ready", x, y, kitchen_palette.READY)
        return
    for part in range(needed):
        box = (x + 0.11 + 0.8 * part / needed, y + 0.05, 0.8 / needed - 0.02, 0.08)
        yield Shape(box, kitchen_palette.PROGRESS if part < work else (255, 255, 255), kitchen_palette.DARK, 0.01)


def _banner(words: str, x: int, y: int, colour: Rgb) -> Iterator[Item]:
    yield Shape((x + 0.1, y + 0.03, 0.8, 0.14), colour, corner=0.05)
    yield Text((words,), (x + 0.5, y + 0.1), 0.1, (255, 255, 255), bold=True, room=0.78)


def draw_cook(cook: int, facing: int, tile: int) -> Image.Image:
    """Return a cook seen from above on a transparent tile: shoulders, two hands in front, and the hat.

    Args:
        cook: 0 or 1.
        facing: `Move.NORTH` to `Move.WEST`.
        tile: Pixels of its side.
    """
    image, pen = canvas(tile * _FINE, 0.62, 0.92)
    colour = kitchen_palette.COOKS[cook]
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
