"""What one agent perceives: the facts, the text that a perception model reads, and that text read back."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsl.wording import is_whole
from hive.engine.crews.explored import SYMBOLS
from hive.engine.crews.frames import CAPACITY
from hive.kit.agent_env import PictureView
from hive.worlds.wildfire.agents.catalogue import words
from hive.worlds.wildfire.minimap import window_text

Cell = tuple[int, int]

_NOBODY = "none"
_HEAD = re.compile(r"Name: (?P<name>\S+)\nType: (?P<kind>\w+)\nPosition: \((?P<x>\d+), (?P<y>\d+)\)\n")
_STATUS = re.compile(r"^Status: carries (?P<carried>\w+).*?(?:, water (?P<water>\d+) of \d+)?$", re.MULTILINE)
_MATE = re.compile(r"(\w+), a (\w+), at \((\d+), (\d+)\)")
_CARRIER = re.compile(r"(\S+) is inside the helicopter (\S+) and")
_LAST = re.compile(r"x runs from 0 in the west to (\d+)")


@dataclass(frozen=True, kw_only=True, eq=False)
class View:
    """What one agent perceives. Cells are (x, y), x east and y south.

    Attributes:
        name: Such as `AGENT_2`.
        kind: Type.
        size: Cells a side of the map.
        cell: Where it is.
        window: `[W, W]` codes of `hive.engine.crews.explored`, `[x, y]`, the agent's cell in the middle; 0 outside
            the map.
        mates: Name, type and cell of each team mate within W cells along x and y.
        carried: Civilians that a firefighter carries, firefighters that a helicopter carries.
        water: 0 to 5.
        carrier: The helicopter that it is in, if it is in one; then nothing else is perceived.
    """

    name: str
    kind: str
    size: int
    cell: Cell
    window: NDArray[np.uint8]
    mates: tuple[tuple[str, str, Cell], ...] = ()
    carried: int = 0
    water: int = 0
    carrier: str | None = None

    @property
    def corner(self) -> Cell:
        """The north-western cell of the window, which may lie outside the map."""
        reach = len(self.window) // 2
        return self.cell[0] - reach, self.cell[1] - reach


def role_text(view: View) -> str:
    """Return the system message for a model that turns `view_text` into a paragraph."""
    return _filled("Role", name=view.name, kind=view.kind, last=view.size - 1)


def view_text(view: View) -> str:
    """Return what that model reads."""
    if view.carrier:
        return _filled("Aboard", name=view.name, carrier=view.carrier)
    reach = len(view.window) // 2
    return _filled("View", **_facts(view), window=window_text(view.window), symbol=SYMBOLS[view.window[reach, reach]])


def picture_view(view: View, grid: bool) -> PictureView | None:
    """Return the window as a picture (docs/rules/wildfire.md 6.3), with what `view_text` says besides.

    Args:
        view: What the agent perceives.
        grid: Whether the picture has lines and coordinates; else it is as small as published.

    Returns:
        None for an agent that is in a helicopter.
    """
    from PIL import Image

    from hive.kit.view.pictures import png_bytes
    from hive.worlds.wildfire.view.minimap import SIDE, draw_grid, draw_minimap

    if view.carrier:
        return None
    west, north = view.corner
    if grid:
        picture, pixels = draw_grid(view.window, view.corner)
        legend = _filled("Picture with a grid", name=view.name, pixels=pixels)
    else:
        picture, size = draw_minimap(view.window), f"{SIDE / len(view.window):.1f}"
        legend = _filled("Bare picture", name=view.name, pixels=size, west=west, north=north)
    return PictureView(png_bytes(Image.fromarray(picture)), legend, _filled("Pictured", **_facts(view)))


def read_view(role: str, text: str) -> View | None:
    """Return the facts in the texts of `role_text` and `view_text`; None if they are other texts."""
    last, aboard, head = _LAST.search(role), _CARRIER.match(text), _HEAD.match(text)
    if last is None or (aboard is None and head is None):
        return None
    size = int(last[1]) + 1
    if aboard:
        none = np.zeros((1, 1), np.uint8)
        return View(name=aboard[1], kind="firefighter", size=size, cell=(0, 0), window=none, carrier=aboard[2])
    assert head is not None
    window = _window(text)
    if window is None:
        return None
    near = text.partition("Team mates nearby: ")[2].partition("\n")[0]
    status = _STATUS.search(text)
    carried = status["carried"] if status else "nothing"
    return View(
        name=head["name"],
        kind=head["kind"],
        size=size,
        cell=(int(head["x"]), int(head["y"])),
        window=window,
        mates=tuple((name, kind, (int(x), int(y))) for name, kind, x, y in _MATE.findall(near)),
        carried=int(carried) if is_whole(carried) else 0,
        water=int(status["water"] or 0) if status else 0,
    )


def _window(text: str) -> NDArray[np.uint8] | None:
    """Return the codes of the window in a text; None if they are not a square with a cell in its middle."""
    _, _, rest = text.partition("\n\n")
    rows = [line.replace("*", "").split(",")[:-1] for line in rest.partition("\n\n")[0].splitlines()]
    width = len(rows)
    if not width % 2 or any(len(row) != width or not set(row) <= set(SYMBOLS) for row in rows):
        return None
    return np.array([[SYMBOLS.index(symbol) for symbol in row] for row in rows], np.uint8).T


def _facts(view: View) -> dict[str, object]:
    """Return the fields that the texts of an agent on the ground or in the air share."""
    west, north = view.corner
    reach = len(view.window) // 2
    carried = view.carried and (f"{view.carried} firefighters" if view.kind == "helicopter" else "1 civilian")
    status = words().table("Status")[view.kind]
    return {
        "name": view.name,
        "kind": view.kind,
        "x": view.cell[0],
        "y": view.cell[1],
        "west": west,
        "east": west + 2 * reach,
        "north": north,
        "south": north + 2 * reach,
        "mates": "; ".join(f"{name}, a {kind}, at {cell}" for name, kind, cell in view.mates) or _NOBODY,
        "status": status.format(carried=carried or "nothing", water=view.water, capacity=CAPACITY),
    }


def _filled(title: str, **values: object) -> str:
    return words().fill(title, **values)
