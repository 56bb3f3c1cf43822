"""The parts of HTML pages: which scripts draw a world on any page, and how a replay is put together."""

from __future__ import annotations

import base64
import html
import io
import json
import zlib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hive.keep.archive import Arrays
from hive.keep.recording import Recording
from hive.keep.runfolder import whole_file

if TYPE_CHECKING:
    from PIL import Image

STYLE = "shared_page/page.css"
"""The style sheet of all pages."""

MAP = "shared_page/map.html"
"""The layers of a map on any page, and its buttons."""

PixelBox = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""

_FIRST = tuple(f"shared_page/{name}.js" for name in ("parts", "chart", "view", "screen"))
_OWN = {
    "battle": ("marks", "field", "battle_screen"),
    "fire": ("talk", "fire_field", "fire_screen"),
    "kitchen": ("talk", "kitchen_field", "kitchen_screen"),
    "house": ("talk", "house_field", "house_screen"),
    "rescue": ("talk", "rescue_field", "rescue_screen"),
}
SCRIPTS = {world: (*_FIRST, *(f"shared_page/{name}.js" for name in names)) for world, names in _OWN.items()}
"""Scripts that draw a world and what stands around its map, in the order in which a page loads them."""


def read_part(name: str) -> str:
    """Return the text of a file of `hive.view` that is part of a page, such as `STYLE`."""
    return (resources.files("hive.view") / name).read_text(encoding="utf-8")


def fill(template: str, parts: Mapping[str, str]) -> str:
    """Return a template with each `@@name@@` replaced by the part of that name, in one pass."""
    pieces = template.split("@@")  # text, name, text, name, …, text
    return "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))


def make_replay(
    world: str,
    recording: Recording,
    arrays: Arrays,
    meta: dict[str, Any],
    sprites: tuple[Image.Image, dict[str, PixelBox]] | None = None,
) -> str:
    """Return the HTML text of the replay of a recording, whose words are not on the page.

    Args:
        world: One of `SCRIPTS`.
        recording: The recording.
        arrays: Its compact form.
        meta: What the scripts need in addition to arrays and pictures.
        sprites: A picture from which the page cuts what it draws, and where each part is on it.
    """
    del arrays["words"]
    table, packed = pack(arrays)
    meta = meta | {"frames": recording.frames, "arrays": table}
    if sprites is None:
        return fill_replay(recording.title, meta, packed, world)
    sheet, places = sprites
    return fill_replay(recording.title, meta | {"sprites": places}, packed, world, map_picture(png_text(sheet)))


def fill_replay(title: str, meta: dict[str, Any], packed: bytes, world: str, terrain: str = "") -> str:
    """Return the HTML text of a replay.

    Args:
        title: Its heading.
        meta: What the scripts need in addition to the arrays.
        packed: The arrays, as `pack` returns them.
        world: One of `SCRIPTS`.
        terrain: An element with a picture of the map, or empty text.
    """
    player = (f"replay_page/{name}.js" for name in ("unpack", world, "player", f"{world}_page"))
    parts = {
        "title": html.escape(title),
        "style": read_part(STYLE),
        "map": read_part(MAP),
        "panel": read_part(f"shared_page/{world}_panel.html"),
        "terrain": terrain,
        "meta": json.dumps(meta, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c"),
        "data": base64.b64encode(packed).decode(),
        "script": "".join(read_part(name) for name in (*SCRIPTS[world], *player)),
    }
    return fill(read_part("replay_page/page.html"), parts)


def lay_out(drawn: Mapping[str, Image.Image], wide: int) -> tuple[Image.Image, dict[str, PixelBox]]:
    """Return one picture with all of these in rows `wide` pixels wide, and where each is on it."""
    from PIL import Image

    places: dict[str, PixelBox] = {}
    left = top = below = 0
    for name, image in drawn.items():
        if left and left + image.width > wide:
            left, top = 0, below
        places[name] = (left, top, image.width, image.height)
        left, below = left + image.width, max(below, top + image.height)
    sheet = Image.new("RGBA", (wide, below), (255, 255, 255, 0))
    for name, image in drawn.items():
        sheet.paste(image, places[name][:2])
    return sheet, places


def png_text(image: Image.Image) -> str:
    """Return a picture as the base64 text of a PNG."""
    file = io.BytesIO()
    image.save(file, format="PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


def map_picture(png: str) -> str:
    """Return the element that holds a picture, given as base64 text, which the page draws or cuts its parts from."""
    return f'<img id="terrain" alt="" hidden src="data:image/png;base64,{png}">\n'


def pack(arrays: Arrays) -> tuple[list[dict[str, Any]], bytes]:
    """Compress arrays one after another; return the place of each, and the bytes."""
    table, packed = [], bytearray()
    for name, array in arrays.items():
        squeezed = zlib.compress(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes(), 9)
        kind = f"{array.dtype.kind}{array.dtype.itemsize}"
        table.append({"name": name, "kind": kind, "start": len(packed), "size": len(squeezed)})
        packed += squeezed
    return table, bytes(packed)


def save_page(page: str, path: Path | str) -> int:
    """Write the text of a page atomically; return its size in bytes."""
    text = page.encode()
    with whole_file(path) as part:
        part.write_bytes(text)
    return len(text)
