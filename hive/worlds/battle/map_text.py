"""The map in words, in the published format, made from the shapes that also make the raster.

Rules: docs/rules/scenarios.md 3.2.

    North-South River: water at (46, 0) - (52, 100)
    West Bridge: normal at (18, 47) - (23, 53)
    East Forest: forest at (158, 70) - (200, 150), (190, 152) with radius 16

A line holds shapes of one name and terrain. Later lines lie over earlier ones, so bridges follow their river.
Numbers are whole metres: boxes and circles are rounded, and a band (a river, a road) becomes boxes where it runs along
an axis and a row of circles elsewhere. The edge of such a row is at most 1 m outside the band's edge and, where two
circles meet, at most 2 m inside it; for a bridge, a row of normal ground, it is never inside. Rounding the centres of
the circles may move an edge by another 0.71 m.

The compact form is ours. It gives a band by the points of its line, so that the text of a winding river stays short:

    River: water along (110, 206), (104, 181), (93, 159) with width 12
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from hive.ground.shapes import Band, Box, Circle, Shape
from hive.worlds.battle.scenario import Scenario

_Point = tuple[float, float]
_ROUNDING = math.sqrt(0.5)  # metres from a point to the nearest whole one, at most


def map_text(scenario: Scenario, compact: bool = False) -> str:
    """Return the shapes of the map, one line for each run of a name: `Name: terrain at shape, shape, …`.

    A shape without a name is called by its terrain. Parts outside the map are left out. An open map is an empty text.

    Args:
        scenario: The scenario of the map.
        compact: Whether a band gets its own line `Name: terrain along (x, y), (x, y), … with width W`.
    """
    size = scenario.map.size
    lines: list[tuple[str, list[str]]] = []
    for shape in scenario.map.shapes:
        short = compact and isinstance(shape, Band)
        outlines = _outlines(shape, size)
        words = list(dict.fromkeys(islice(outlines, 1) if short else outlines))
        head = f"{shape.name or shape.terrain.capitalize()}: {shape.terrain} at "
        if short and words and isinstance(shape, Band):
            lines.append((head.removesuffix("at ") + "along ", [_along(shape)]))
        elif lines and lines[-1][0] == head:
            lines[-1][1].extend(words)
        elif words:
            lines.append((head, words))
    return "\n".join(head + ", ".join(words) for head, words in lines)


def markers_text(scenario: Scenario) -> str:
    """Return `Markers:` and a line `A at (17, 5)` for each, or an empty text when there is none."""
    lines = [f"{letter} at ({x}, {y})" for letter, (x, y) in scenario.markers.items()]
    return "\n".join(["Markers:", *lines]) if lines else ""


def _outlines(shape: Shape, size: int) -> Iterator[str]:
    if isinstance(shape, Box):
        yield from _box(shape.x0, shape.y0, shape.x1, shape.y1, size)
    elif isinstance(shape, Circle):
        yield from _circle((shape.x, shape.y), max(1, round(shape.radius)), size)
    else:
        yield from _band(shape, size)


def _along(band: Band) -> str:
    points = ", ".join(f"({round(x)}, {round(y)})" for x, y in band.points)
    return f"{points} with width {band.width:g}"


def _band(band: Band, size: int) -> Iterator[str]:
    half = band.width / 2
    run = [band.points[0]]
    for start, end in pairwise(band.points):
        (ax, ay), (bx, by) = start, end
        if (ax == bx) == (ay == by):
            run.append(end)
            continue
        yield from _string(run, band, size)
        run = [end]
        across, up = (half, 0.0) if ax == bx else (0.0, half)
        yield from _box(min(ax, bx) - across, min(ay, by) - up, max(ax, bx) + across, max(ay, by) + up, size)
    yield from _string(run, band, size)


def _string(points: list[_Point], band: Band, size: int) -> Iterator[str]:
    """Yield circles at equal distances along a line, as the module docstring describes."""
    half = band.width / 2
    radius = math.floor(half) + 1
    narrow = half if band.terrain == "normal" else max(half - 2, 0)
    gap = max(1.0, 2 * math.sqrt(radius**2 - narrow**2) - 2 * _ROUNDING)
    line = np.array(points)
    along = np.concatenate([[0.0], np.cumsum([math.dist(*pair) for pair in pairwise(points)])])
    count = math.ceil(along[-1] / gap)
    step = along[-1] / count if count else 1.0
    places = np.minimum(_numbers_near(line, along / step, radius + 1, size, count) * step, along[-1])
    x, y = (np.interp(places, along, axis) for axis in line.T)
    for middle in zip(x.tolist(), y.tolist(), strict=True):
        yield from _circle(middle, radius, size)


def _numbers_near(
    line: NDArray[np.floating], along: NDArray[np.floating], reach: float, size: int, count: int
) -> NDArray[np.integer]:
    """Return the numbers, 0 to `count`, of line places that may be within `reach` of the map; `along` is in steps."""
    start, way = line[:-1], np.diff(line, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.sort([(-reach - start) / way, (size + reach - start) / way], axis=0)  # of the piece, each axis
    enter, leave = (np.clip(share[0].max(1), 0, 1), np.clip(share[1].min(1), 0, 1))
    length = np.diff(along)
    first = np.floor(along[:-1] + np.nan_to_num(enter, nan=0.0) * length).astype(int) - 1
    last = np.ceil(along[:-1] + np.nan_to_num(leave, nan=1.0) * length).astype(int) + 2
    ranges = [np.arange(*ends) for ends in zip(first, last, strict=True)]
    return np.unique(np.clip(np.concatenate([[0], *ranges]), 0, count)).astype(int)


def _box(x0: float, y0: float, x1: float, y1: float, size: int) -> Iterator[str]:
    left, low, right, high = (min(max(round(value), 0), size) for value in (x0, y0, x1, y1))
    if left < right and low < high:
        yield f"({left}, {low}) - ({right}, {high})"


def _circle(middle: _Point, radius: int, size: int) -> Iterator[str]:
    x, y = (round(value) for value in middle)
    if math.hypot(x - min(max(x, 0), size), y - min(max(y, 0), size)) < radius:
        yield f"({x}, {y}) with radius {radius}"
