"""Units as stamps: each shape becomes a list of pixels once, and a frame writes all units in a few array operations.

Stamps are opaque and land on a supersampled picture, so that shrinking it afterwards smooths their edges.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hive.kit.view import palette
from hive.kit.view.palette import Rgb

_MIN_PIXELS, _FEW_UNITS_PIXELS, _MAX_PIXELS = 1.9, 4.5, 40.0  # radius of a unit in the finished picture
SHAPE_REACH = 1.25  # how far the widest shape extends from its middle, in radii
_CHUNK = 8192  # units stamped at once, which bounds the memory of a frame


def unit_radii(metres: NDArray[np.floating], scale: float, side: int, units: int) -> list[float]:
    """Return a radius in pixels for each type: its true size where that is visible, else a few pixels.

    Args:
        metres: [K]. The radius of each type.
        scale: Pixels to a metre.
        side: Pixels of a side of the map.
        units: Units in the picture; the fewer there are, the larger the smallest size.
    """
    least = float(np.clip(0.22 * side / max(1, units) ** 0.5, _MIN_PIXELS, _FEW_UNITS_PIXELS))
    widest = max(float(metres.max()), 1e-6)
    return [min(max(r * scale, least * (0.75 + 0.25 * r / widest)), _MAX_PIXELS) for r in metres.tolist()]


def inside(shape: str, x: NDArray[np.floating], y: NDArray[np.floating], r: float) -> NDArray[np.bool_]:
    """Return which points lie in a shape about as large as a circle of radius `r`.

    Args:
        shape: Name of the shape.
        x: `[...]` pixels to the east of the middle.
        y: `[...]` pixels to the south of the middle; it broadcasts with `x`.
        r: Pixels.

    Returns:
        `[...]`, of `x` and `y` together.

    Raises:
        ValueError: There is no such shape.
    """
    ax, ay = np.abs(x), np.abs(y)
    if shape == "square":
        return np.maximum(ax, ay) <= 0.9 * r
    if shape == "circle":
        return x * x + y * y <= r * r
    if shape == "triangle":
        return (y <= 0.85 * r) & (y >= 1.8 * ax - 1.25 * r)
    if shape == "diamond":
        return ax + ay <= 1.25 * r
    if shape == "star":
        return inside("triangle", x, y - 0.1 * r, r) | inside("triangle", x, -y - 0.1 * r, r)
    if shape == "plus":
        return (np.minimum(ax, ay) <= 0.38 * r) & (np.maximum(ax, ay) <= 1.1 * r)
    if shape == "cross":  # a corpse
        return (np.minimum(np.abs(x - y), np.abs(x + y)) <= 0.45 * r) & (np.maximum(ax, ay) <= r)
    raise ValueError(f"no such shape: {shape}")


class Stamps:
    """The stamps of every side, type, forest shade and corpse for one supersampled picture of given row length."""

    def __init__(self, row: int, fine: int, radii: list[float]) -> None:
        """Prepare stamps of `radii` (finished pixels, by type) for rows of `row` pixels, `fine` of them to a pixel."""
        self.reach = int(np.ceil(1.3 * max(radii) * fine)) + 1
        drawn: list[tuple[NDArray[np.intp], NDArray[np.uint32]]] = []
        for side in range(2):
            for kind, shape in enumerate(palette.TYPE_SHAPES):
                r = radii[kind] * fine
                for forest in (False, True):
                    drawn.append(self._draw(shape, r, palette.unit_colour(side, kind, forest), row, fine))
                drawn.append(self._draw("cross", max(0.55 * r, 1.2 * fine), palette.corpse_colour(side), row, 0))
        longest = max(len(offsets) for offsets, _ in drawn)
        # A short stamp repeats its last pixel, so that all stamps are rows of one table.
        self._offsets = np.stack([np.pad(o, (0, longest - len(o)), "edge") for o, _ in drawn])
        self._colours = np.stack([np.pad(c, (0, longest - len(c)), "edge") for _, c in drawn])

    def _draw(
        self, shape: str, r: float, colour: Rgb, row: int, fine: int
    ) -> tuple[NDArray[np.intp], NDArray[np.uint32]]:
        """Return the pixel offsets of one stamp and their packed colours, with an outline unless `fine` is 0."""
        y, x = np.mgrid[-self.reach : self.reach + 1, -self.reach : self.reach + 1].astype(float)
        body = inside(shape, x, y, r)
        core = inside(shape, x, y, r - max(0.45 * fine, 0.11 * r)) if fine else body
        ys, xs = np.nonzero(body)
        shades = pack(np.array([palette.outline_colour(colour), colour], np.uint8))
        return (ys - self.reach) * row + xs - self.reach, shades[core[body].astype(int)]

    def press(
        self, canvas: NDArray[np.uint32], at: NDArray[np.intp], side: NDArray[np.integer], type_: NDArray[np.integer],
        forest: NDArray[np.bool_], alive: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """Write units into a flat canvas of packed pixels; where units overlap, the later one is on top.

        Args:
            canvas: [pixels]. Changed in place; every unit must stand at least `reach` pixels from its rim.
            at: [N]. Pixel of each unit's middle.
            side: [N].
            type_: [N].
            forest: [N]. Whether the unit stands in a forest.
            alive: [N]. A dead unit leaves a small cross.
        """
        which = (side * len(palette.TYPE_SHAPES) + type_) * 3 + np.where(alive, forest, 2)
        for start in range(0, len(at), _CHUNK):
            part = np.s_[start : start + _CHUNK]
            canvas[at[part, None] + self._offsets[which[part]]] = self._colours[which[part]]


def pack(colours: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Pack RGB colours, [..., 3], into one word each, [...], whose bytes in memory are R, G, B, 255."""
    padded = np.concatenate([colours, np.full_like(colours[..., :1], 255)], axis=-1)
    return np.ascontiguousarray(padded).view(np.uint32)[..., 0]


def draw_streaks(
    canvas: NDArray[np.uint32], row: int, start: NDArray[np.floating], end: NDArray[np.floating],
    colours: NDArray[np.uint32], width: int,
) -> None:  # fmt: skip
    """Draw straight lines of `width` pixels into a flat canvas.

    Args:
        canvas: [pixels]. Changed in place.
        row: Pixels in a row of the canvas.
        start: [K, 2]. Column and row where each line starts.
        end: [K, 2].
        colours: [K]. Packed colour of each line.
        width: Pixels.
    """
    steps = np.ceil(np.abs(end - start).max(axis=1, initial=0)).astype(int) + 1
    line = np.repeat(np.arange(len(steps)), steps)
    along = (np.arange(len(line)) - np.repeat(np.cumsum(steps) - steps, steps)) / np.maximum(steps[line] - 1, 1)
    spot = (start[line] + (end - start)[line] * along[:, None]).astype(int)
    flat = spot[:, 1] * row + spot[:, 0]
    for dy in range(width):
        for dx in range(width):
            canvas[flat + dy * row + dx] = colours[line]
