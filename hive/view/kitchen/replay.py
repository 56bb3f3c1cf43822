"""A kitchen's replay: one HTML file that plays a recording back in a browser, with the conversation next to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from hive.kitchen.codes import FACINGS, Place
from hive.kitchen.recording import KitchenRecording
from hive.view import palette
from hive.view.kitchen import palette as kitchen_palette
from hive.view.kitchen.items import draw_item
from hive.view.kitchen.scene import draw_cook
from hive.view.kitchen.stations import draw_kitchen
from hive.view.pages import PixelBox, lay_out, make_replay

_TILE, _ITEM = 192, 128  # pixels of a tile and of an item on the sprite sheet
_WIDEST = 1024


def make_kitchen_page(recording: KitchenRecording) -> str:
    """Return the HTML text of a recording's replay."""
    sprites = draw_sheet(recording)
    return make_replay("kitchen", recording, recording.encode(), page_meta(recording), sprites)


def page_meta(recording: KitchenRecording) -> dict[str, Any]:
    """Return what a page needs to know of a run in addition to arrays and pictures."""
    book, layout = recording.book, recording.layout
    stations = [
        {
            "tile": station.tile,
            "name": station.name,
            "counter": layout.counters.index(number) if station.place == Place.COUNTER else -1,
            "utensil": max(station.place - Place.UTENSIL, -1),
        }
        for number, station in enumerate(layout.stations)
    ]
    return {
        "title": recording.title,
        "beat": "timestep",
        "outcome": recording.outcome,
        "limit": recording.limit,
        "width": layout.width,
        "height": layout.height,
        "directions": FACINGS,
        "stations": stations,
        "counters": len(layout.counters),
        "utensils": len(layout.utensils),
        "cooks": [cook.name for cook in layout.cooks],
        "items": [book.name(code) for code in range(book.codes)],
        "needed": [recording.needed(code) if book.name(code) in book.recipe else 0 for code in range(book.codes)],
        "dish": book.dish_code,
        "order": (_served(recording), _order_words(recording)),
        "deeds": recording.deeds,
        "lines": [(line.tick, line.agent, int(line.kind), line.text) for line in recording.lines],
        "palette": {
            "ink": palette.INK,
            "cooks": kitchen_palette.COOKS,
            "progress": kitchen_palette.PROGRESS,
            "ready": kitchen_palette.READY,
            "wrong": kitchen_palette.WRONG,
            "acts": kitchen_palette.ACTS,
            "legend": kitchen_palette.LEGEND,
        },
    }


def draw_sheet(recording: KitchenRecording) -> tuple[Image.Image, dict[str, PixelBox]]:
    """Return one picture with the empty kitchen, the cooks and all items of a run, and where each is on it."""
    book, layout = recording.book, recording.layout
    tile = min(_TILE, _WIDEST // layout.width)
    drawn = {"kitchen": draw_kitchen(book, layout, tile)}
    drawn |= {f"cook {cook} {facing}": draw_cook(cook, facing, tile) for cook in range(2) for facing in range(4)}
    arrays = recording.held, recording.counters, recording.contents, recording.product
    codes = {_served(recording)}.union(*(np.unique(each).tolist() for each in arrays)) - {0}
    drawn |= {f"item {code}": draw_item(book, code, _ITEM) for code in sorted(codes)}
    return lay_out(drawn, _WIDEST)


def _served(recording: KitchenRecording) -> int:
    book = recording.book
    return book.plated(recording.order) if book.needs_dish(recording.order) else book.code[recording.order]


def _order_words(recording: KitchenRecording) -> str:
    dish = " in a dish" if recording.book.needs_dish(recording.order) else ", without a dish"
    return f"{recording.order.replace('_', ' ')}{dish}"
