"""The compact form of a kitchen's recording: the arrays that both the file `recording.npz` and a replay page hold.

Numbers are stored cook by cook, counter by counter and utensil by utensil; indices plus one. Cookbook and layout are
kept as the text of their files, so that reading one back runs the same checks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsl import UserError
from hive.keep.archive import Arrays, DataError
from hive.keep.layout import Format
from hive.keep.packing import by_unit, index, read_arrays, write_arrays
from hive.kitchen.codes import Move, Place
from hive.kitchen.cookbook import UTENSIL_CAPACITY, Cookbook, read_cookbook
from hive.kitchen.layout import Layout, read_layout
from hive.kitchen.recording import KitchenRecording, Line, LineKind

_CODES = "u1 u2 u4"

FORMAT = Format(  # T frames, C cooks, K counters, U utensils, P = 3 U places in utensils
    name=KitchenRecording.format,
    arrays={
        "tick": ("i4", "T"),
        "tile": ("u1", "C T"),
        "facing": ("u1", "C T"),
        "held": (_CODES, "C T"),
        "counters": (_CODES, "K T"),
        "contents": (_CODES, "P T"),
        "product": (_CODES, "U T"),
        "work": (_CODES, "U T"),
        "notice": ("u1", "U T"),
        "served": ("u1", "T"),
        "doing": (_CODES, "C T"),
        "done": ("u1", "C T"),
    },
    parts=(),
    words={
        "format": str,
        "title": str,
        "order": str,
        "limit": int,
        "cookbook": str,
        "layout": str,
        "deeds": [str],
        "lines": [(int, int, int, str)],
    },
)


def save_kitchen_recording(recording: KitchenRecording, path: Path | str) -> None:
    """Write a recording as one `.npz` file without pickled objects, atomically; an existing file is replaced.

    Raises:
        UserError: The file cannot be written.
    """
    write_arrays(encode_kitchen(recording), path)


def load_kitchen_recording(path: Path | str) -> KitchenRecording:
    """Read a recording that `save_kitchen_recording` wrote.

    Raises:
        UserError: The file is missing, damaged, or not a recording of a kitchen.
    """
    return read_arrays(path, FORMAT, decode_kitchen)


def encode_kitchen(recording: KitchenRecording) -> Arrays:
    """Return the arrays of a recording; see the module docstring."""
    words = {
        "format": FORMAT.name,
        "title": recording.title,
        "order": recording.order,
        "limit": recording.limit,
        "cookbook": cookbook_text(recording.book),
        "layout": layout_text(recording.layout, recording.book),
        "deeds": recording.deeds,
        "lines": [(line.tick, line.cook, int(line.kind), line.text) for line in recording.lines],
    }
    codes, frames = recording.book.codes, recording.frames
    return {
        "words": np.frombuffer(json.dumps(words).encode(), np.uint8),
        "tick": recording.tick.astype(np.int32),
        "tile": by_unit(recording.tile, 256),
        "facing": by_unit(recording.facing, 4),
        "held": by_unit(recording.held, codes),
        "counters": by_unit(recording.counters, codes),
        "contents": by_unit(recording.contents.reshape(frames, -1), codes),
        "product": by_unit(recording.product, codes),
        "work": by_unit(recording.work, int(recording.work.max(initial=0)) + 1),
        "notice": by_unit(recording.notice.astype(np.uint8), 2),
        "served": recording.served.astype(np.uint8),
        "doing": by_unit(recording.doing + 1, len(recording.deeds) + 1),
        "done": by_unit(recording.done.astype(np.uint8), 2),
    }


def decode_kitchen(arrays: Mapping[str, NDArray[Any]]) -> KitchenRecording:
    """Return the recording whose arrays these are, in the shapes that `FORMAT` lists.

    Raises:
        DataError: They do not fit together.
    """
    words = FORMAT.check(arrays, arrays.__getitem__)
    try:
        book = read_cookbook(words["cookbook"], "cookbook of the recording")
        layout = read_layout(words["layout"], book, "layout of the recording")
    except UserError as error:
        raise DataError(str(error)) from None
    if any(kind not in set(LineKind) for _, _, kind, _ in words["lines"]):
        raise DataError("kitchen recording: a line is of an unknown kind")
    frames = len(arrays["tick"])
    places = len(layout.utensils), UTENSIL_CAPACITY
    if len(arrays["contents"]) != places[0] * places[1]:
        raise DataError("kitchen recording: contents do not fit the utensils of its layout")
    return KitchenRecording(
        title=words["title"],
        order=words["order"],
        limit=words["limit"],
        book=book,
        layout=layout,
        tick=arrays["tick"],
        contents=arrays["contents"].T.astype(np.int32).reshape(frames, *places),
        notice=arrays["notice"].T.astype(bool),
        served=arrays["served"].astype(bool),
        doing=index(arrays["doing"]),
        done=arrays["done"].T.astype(bool),
        deeds=tuple(words["deeds"]),
        lines=tuple(Line(tick, cook, LineKind(kind), text) for tick, cook, kind, text in words["lines"]),
        **{name: arrays[name].T.astype(np.int32) for name in ("tile", "facing", "held", "counters", "product", "work")},
    )


def cookbook_text(book: Cookbook) -> str:
    """Return a cookbook as the text of a file that `read_cookbook` reads."""
    rows = ["schema = 1", f"dish = {_toml(book.dish)}", f"ingredients = {_toml(book.ingredients)}"]
    for utensil in book.utensils:
        rows += [f"[utensils.{utensil.name}]", f"letter = {_toml(utensil.letter)}"]
        rows += [f"operation = {_toml(utensil.operation)}", f"timesteps = {utensil.timesteps}"]
        rows += [f"[utensils.{utensil.name}.recipes]"]
        rows += [f"{each.product} = {_toml(each.inputs)}" for each in book.recipes if each.utensil == utensil.name]
    rows += ["[orders]", f"with_dish = {_toml(book.with_dish)}", f"without_dish = {_toml(book.without_dish)}"]
    return "\n".join([*rows, ""])


def layout_text(layout: Layout, book: Cookbook) -> str:
    """Return a layout as the text of a file that `read_layout` reads; what no cook reaches becomes a counter."""
    letters = {Place.COUNTER: "X", Place.INGREDIENTS: "I", Place.DISHES: "D", Place.DELIVERY: "S"}
    tiles = dict.fromkeys(layout.floor, " ")
    for station in layout.stations:
        kind = None if station.place < Place.UTENSIL else layout.utensils[station.place - Place.UTENSIL]
        tiles[station.tile] = book.utensil[kind].letter if kind else letters[Place(station.place)]
    tiles |= {cook.start: str(number) for number, cook in enumerate(layout.cooks, start=1)}
    drawn = ["".join(tiles.get((x, y), "X") for x in range(layout.width)) for y in range(layout.height)]
    rows = ["schema = 1", f"map = {_toml(drawn)}"]
    for cook in layout.cooks:
        rows += ["[[cooks]]", f"name = {_toml(cook.name)}", f"facing = {_toml(Move(cook.facing).name.lower())}"]
        rows += [f"operations = {_toml(cook.operations)}", f"delivers = {_toml(cook.delivers)}"]
        rows += [f"knows_recipe = {_toml(cook.knows_recipe)}"]
    return "\n".join([*rows, ""])


def _toml(value: object) -> str:
    """Return a text, a truth value or a list of texts as TOML; for these, JSON is the same."""
    return json.dumps(value)


__all__ = ["decode_kitchen", "encode_kitchen", "load_kitchen_recording", "save_kitchen_recording"]
