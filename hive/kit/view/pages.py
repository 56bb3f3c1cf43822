"""The parts of HTML pages: which scripts draw a world on any page, and how a replay is put together."""

from __future__ import annotations

import base64
import html
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hive.kit.keep.archive import Arrays
from hive.kit.keep.recording import Recording
from hive.kit.keep.runfolder import whole_file
from hive.kit.view.palette import Rgb

if TYPE_CHECKING:
    from PIL import Image

    from hive.kit.view.display import Scene

STYLE = "shared_page/page.css"
"""The style sheet of all pages."""

MAP = "shared_page/map.html"
"""The layers of a map on any page, and its buttons."""

PixelBox = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""

_SHEET = 1024  # pixels of the width of a sheet of symbols, at least

_FIRST = tuple(f"shared_page/{name}.js" for name in ("parts", "chart", "view", "screen"))
_OWN = {
    "battle": ("talk", "marks", "field", "battle_screen"),
    "fire": ("talk", "fire_field", "fire_screen"),
    "scene": ("talk", "display", "scene_screen"),
}
SCRIPTS = {world: (*_FIRST, *(f"shared_page/{name}.js" for name in names)) for world, names in _OWN.items()}
"""Scripts that draw a world and what stands around its map, in the order in which a page loads them."""


def read_part(name: str) -> str:
    """Return the text of a file of `hive.kit.view` that is part of a page, such as `STYLE`."""
    return (resources.files("hive.kit.view") / name).read_text(encoding="utf-8")


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
    """Return the HTML text of the replay of a recording.

    Args:
        world: One of `SCRIPTS`.
        recording: The recording.
        arrays: Its compact form; its words are not on the page.
        meta: What the scripts need in addition to arrays and pictures.
        sprites: A picture from which the page cuts what it draws, and where each part is on it.
    """
    table, packed = pack({name: array for name, array in arrays.items() if name != "words"})
    meta = meta | {"frames": recording.frames, "arrays": table}
    if sprites is None:
        return fill_replay(recording.title, meta, packed, world)
    sheet, places = sprites
    return fill_replay(recording.title, meta | {"sprites": places}, packed, world, map_picture(png_text(sheet)))


@dataclass(frozen=True, kw_only=True)
class SceneWords:
    """What the page of a scene says around it.

    Attributes:
        beat: What a frame shows the end of.
        scene: What the map is.
        limit: What stands after the outcome.
        doing: What the card of the agents shows.
        talk: Heading of the lines.
        silence: What stands there where no line was said.
        verbs: The verb of each kind of line.
        agents: Names of the agents.
        tints: Their colours.
        legend: Signs and their meaning: the name of a symbol, a colour, or empty text.
        symbol: Pixels of the symbols of what an agent holds.
        reach: From the middle of what a tip describes to the tip, in units of the scene.
        pace: Ticks that pass in a second at speed 1.
        order: What the card of the order shows; empty where there is none.
        order_symbol: Pixels of the symbols there.
    """

    beat: str
    scene: str
    limit: str
    doing: str
    talk: str
    silence: str
    verbs: tuple[str, ...]
    agents: tuple[str, ...]
    tints: tuple[Rgb, ...]
    legend: tuple[tuple[str | Rgb, str], ...]
    symbol: int
    reach: float
    pace: float
    order: str = ""
    order_symbol: int = 0


@dataclass(frozen=True)
class ScenePage:
    """What a page shows of a recording whose frames are display lists.

    Attributes:
        scene: Its frames.
        words: What the page says around them.
        panels: Returns what the panels say in a frame: for each agent words after its name, its action, the symbols of
            what it holds, and that in words; then, where there is an order, its parts: a symbol, words, bold words.
    """

    scene: Scene
    words: SceneWords
    panels: Callable[[int], Sequence[Any]]

    def meta(self, recording: Any) -> dict[str, Any]:
        """Return the words of the page of a recording, which has an outcome and lines that agents wrote."""
        return asdict(self.words) | {
            "title": recording.title,
            "outcome": recording.outcome,
            "lines": [(line.tick, line.agent, int(line.kind), line.text) for line in recording.lines],
            "width": self.scene.width,
            "height": self.scene.height,
        }


def make_scene_page(page: ScenePage, recording: Any) -> str:
    """Return the HTML text of the replay of a recording that a scene shows."""
    from hive.kit.view.display import pack_frames

    scene = page.scene
    arrays = {"tick": recording.encode()["tick"], **pack_frames(scene, recording.frames, page.panels)}
    drawn = {name: symbol.draw(symbol.pixels) for name, symbol in scene.symbols.items()}
    sheet = lay_out(drawn, max([_SHEET, *(image.width for image in drawn.values())]))
    return make_replay("scene", recording, arrays, page.meta(recording), sheet)


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
    sheet = Image.new("RGBA", (wide, max(below, 1)), (255, 255, 255, 0))
    for name, image in drawn.items():
        sheet.paste(image, places[name][:2])
    return sheet, places


def png_text(image: Image.Image) -> str:
    """Return a picture as the base64 text of a PNG."""
    from hive.kit.view.pictures import png_bytes

    return base64.b64encode(png_bytes(image)).decode()


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
