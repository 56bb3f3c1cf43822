"""What an agent perceives as a paragraph made by rules: directions, and the coordinates of what matters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dsl.wording import listing, plural
from hive.engine.crews.explored import Explored
from hive.engine.crews.frames import CAPACITY
from hive.worlds.wildfire.agents.views import Cell, View

COMPASS = ("east", "south-east", "south", "south-west", "west", "north-west", "north", "north-east")

MOST_CELLS = 6  # cells of one sort whose coordinates are given
_SORTS = (  # code, and what such cells are called
    (Explored.IGNITED, "ignited"),
    (Explored.ON_FIRE, "on fire"),
    (Explored.EXTINGUISHING, "extinguishing"),
    (Explored.BURNT, "burnt out"),
    (Explored.CIVILIAN, "civilian"),
    (Explored.WATER, "water"),
    (Explored.BUILDING, "building"),
)
_TREES = Explored.DRY - Explored.WET


def direction(way: tuple[int, int]) -> str:
    """Return the compass direction of a vector (east, south) that is not zero."""
    angle = np.arctan2(way[1], way[0])
    return COMPASS[round(float(angle) / (np.pi / 4)) % 8]


def paragraph(view: View, aims: Iterable[Cell] = ()) -> str:
    """Return the paragraph of an agent.

    Args:
        view: What it perceives.
        aims: Cells to be cleared of trees; their trees are reported where they are in view.
    """
    if view.carrier:
        return f"I am inside the helicopter {view.carrier} and cannot act until it sets me down."
    reach = len(view.window) // 2
    sentences = [f"I am at {view.cell}, and {_ground(int(view.window[reach, reach]))}."]
    for code, name in _SORTS:
        cells = nearest(view, view.window == code)
        if cells:
            more = f" and {len(cells) - MOST_CELLS} more" if len(cells) > MOST_CELLS else ""
            sentences.append(f"I see {_count(len(cells), name)}: {_located(view, cells[:MOST_CELLS])}{more}.")
    if not any(name in sentence for sentence in sentences for name in ("ignited", "on fire", "extinguishing")):
        sentences.append("I see no fire.")
    sentences += _aims(view, aims)
    sentences += _lie_of_the_land(view)
    if view.mates:
        near = _list(f"{name}, a {kind}, at {cell}" for name, kind, cell in view.mates)
        sentences.append(f"Near me: {near}.")
    return " ".join([*sentences, *_status(view)])


def _list(phrases: Iterable[str]) -> str:
    return listing((), "and", phrases)


def _ground(code: int) -> str:
    if Explored.WET <= code < Explored.DRY + 4:
        trees = (code - Explored.WET) % _TREES
        return f"my cell has {plural(trees, 'tree') if trees else 'no trees'}"
    names = dict(_SORTS)
    return f"my cell is {names.get(Explored(code), 'unseen')}"


def nearest(view: View, chosen: NDArray[np.bool_]) -> list[Cell]:
    """Return the cells of the window in which `chosen`, `[W, W]` and `[x, y]`, is true, the nearest first."""
    offsets = np.argwhere(chosen) - len(chosen) // 2
    order = np.lexsort((offsets[:, 1], offsets[:, 0], (offsets**2).sum(1)))
    return [(int(x), int(y)) for x, y in offsets[order] + np.array(view.cell)]


def _count(number: int, name: str) -> str:
    if name in ("civilian", "building"):
        return plural(number, name)
    return f"{plural(number, 'cell')} {'of ' if name == 'water' else ''}{name}"


def _located(view: View, cells: Sequence[Cell]) -> str:
    return ", ".join(f"{cell}{_towards(view, cell)}" for cell in cells)


def _towards(view: View, cell: Cell) -> str:
    way = cell[0] - view.cell[0], cell[1] - view.cell[1]
    return f" to the {direction(way)}" if any(way) else " right here"


def _aims(view: View, aims: Iterable[Cell]) -> list[str]:
    west, north = view.corner
    told = []
    for x, y in dict.fromkeys(aims):
        inside = 0 <= x - west < len(view.window) and 0 <= y - north < len(view.window)
        code = int(view.window[x - west, y - north]) if inside else Explored.UNSEEN
        if Explored.WET <= code < Explored.DRY + 4:
            trees = (code - Explored.WET) % _TREES
            told.append(f"({x}, {y}) has {plural(trees, 'tree') if trees else 'no trees'}")
    return [f"Of the cells of my task, {_list(told)}."] if told else []


def _lie_of_the_land(view: View) -> list[str]:
    """Say where the forest is thickest, where nothing was seen yet and where the map ends."""
    reach, codes = len(view.window) // 2, view.window
    along = np.arange(-reach, reach + 1)
    sector = np.round(np.arctan2(along[None, :], along[:, None]) / (np.pi / 4)).astype(int) % 8
    at = along[:, None] + view.cell[0], along[None, :] + view.cell[1]
    inside = (at[0] >= 0) & (at[0] < view.size) & (at[1] >= 0) & (at[1] < view.size)
    inside[reach, reach] = False
    wooded = inside & (codes >= Explored.WET) & (codes < Explored.DRY + 4)
    trees = np.where(wooded, (codes.astype(int) - Explored.WET) % _TREES, 0)
    thick = [
        trees[wooded & (sector == number)].mean() if (wooded & (sector == number)).any() else -1.0
        for number in range(8)
    ]
    dark = [
        COMPASS[number]
        for number in range(8)
        if (there := inside & (sector == number)).any() and (codes[there] == Explored.UNSEEN).mean() > 0.5
    ]
    x, y = view.cell
    gaps = {"west": x, "north": y, "east": view.size - 1 - x, "south": view.size - 1 - y}
    ends = [name for name, gap in gaps.items() if gap <= reach]
    told = [f"The forest is thickest to the {COMPASS[int(np.argmax(thick))]}."] if max(thick) > 0 else []
    told += [f"Most of the ground to the {_list(dark)} was not seen yet."] if dark else []
    return told + ([f"The map ends in view to the {_list(ends)}."] if ends else [])


def _status(view: View) -> list[str]:
    if view.kind == "firefighter":
        carried = "a" if view.carried else "no"
        return [f"I carry {carried} civilian and have {view.water} of {CAPACITY} water."]
    if view.kind == "helicopter":
        return [f"I carry {plural(view.carried, 'firefighter')} and have {view.water} of {CAPACITY} water."]
    return []
