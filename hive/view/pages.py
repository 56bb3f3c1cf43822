"""The parts of HTML pages: which scripts draw a world on any page, and how a replay is put together."""

from __future__ import annotations

import base64
import html
import io
import json
import zlib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hive.keep.archive import Arrays
from hive.keep.runfolder import whole_file

if TYPE_CHECKING:
    from PIL import Image

STYLE = "shared_page/page.css"
"""The style sheet of all pages."""

MAP = "shared_page/map.html"
"""The layers of a map on any page, and its buttons."""

_FIRST = ("shared_page/parts.js", "shared_page/chart.js", "shared_page/view.js", "shared_page/screen.js")
BATTLE_SCRIPTS = (
    *_FIRST,
    "shared_page/marks.js",
    "shared_page/field.js",
    "shared_page/battle_screen.js",
)
"""Scripts that draw a battle and what stands around its map, in the order in which a page loads them."""

FIRE_SCRIPTS = (*_FIRST, "shared_page/fire_field.js", "shared_page/fire_screen.js")
"""The same for a wildfire."""

KITCHEN_SCRIPTS = (*_FIRST, "shared_page/talk.js", "shared_page/kitchen_field.js", "shared_page/kitchen_screen.js")
"""The same for a kitchen."""

HOUSE_SCRIPTS = (*_FIRST, "shared_page/talk.js", "shared_page/house_field.js", "shared_page/house_screen.js")
"""The same for a household."""

RESCUE_SCRIPTS = (*_FIRST, "shared_page/talk.js", "shared_page/rescue_field.js", "shared_page/rescue_screen.js")
"""The same for a rescue."""


def read_part(name: str) -> str:
    """Return the text of a file of `hive.view` that is part of a page, such as `STYLE`."""
    return (resources.files("hive.view") / name).read_text(encoding="utf-8")


def fill(template: str, parts: Mapping[str, str]) -> str:
    """Return a template with each `@@name@@` replaced by the part of that name, in one pass."""
    pieces = template.split("@@")  # text, name, text, name, …, text
    return "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))


def fill_replay(
    title: str, meta: dict[str, Any], packed: bytes, panel: str, scripts: Sequence[str], terrain: str = ""
) -> str:
    """Return the HTML text of a replay.

    Args:
        title: Its heading.
        meta: What the scripts need in addition to the arrays.
        packed: The arrays, as `pack` returns them.
        panel: File with the panel next to the map.
        scripts: Files of the scripts, in order.
        terrain: An element with a picture of the map, or empty text.
    """
    parts = {
        "title": html.escape(title),
        "style": read_part(STYLE),
        "map": read_part(MAP),
        "panel": read_part(panel),
        "terrain": terrain,
        "meta": json.dumps(meta, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c"),
        "data": base64.b64encode(packed).decode(),
        "script": "".join(read_part(name) for name in scripts),
    }
    return fill(read_part("replay_page/page.html"), parts)


def sprite_sheet(image: Image.Image) -> str:
    """Return the element that holds a picture from which a page cuts what it draws."""
    file = io.BytesIO()
    image.save(file, format="PNG", optimize=True)
    return (
        f'<img id="terrain" alt="" hidden src="data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}">\n'
    )


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
