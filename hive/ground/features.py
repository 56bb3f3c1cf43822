"""Named shapes of a map as the features that a plan may name (docs/rules/plans.md 1.8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, UInt8

from dsl.vocabulary import Feature, is_place_name
from hive.ground.shapes import KINDS, Ground, Shape, rasterise


def features_of(kind: UInt8[np.ndarray, "X Y"], shapes: Sequence[Shape]) -> tuple[Feature, ...]:
    """Return the named features of a map, in the order in which they are drawn; shapes of one name are one feature.

    Args:
        kind: The kind of every cell, as `rasterise` draws it.
        shapes: The shapes of the map. Names that a plan cannot write are left out, and shapes outside the map.
    """
    names = dict.fromkeys(" ".join(shape.name.split()) for shape in shapes if shape.name)
    found = []
    for name in names:
        drawn = [shape for shape in shapes if " ".join(shape.name.split()) == name]
        if is_place_name(name) and (feature := _feature(name, kind, drawn)):
            found.append(feature)
    return tuple(found)


def _feature(name: str, kind: UInt8[np.ndarray, "X Y"], shapes: Sequence[Shape]) -> Feature | None:
    inside, open_ = np.zeros(kind.shape, bool), np.zeros(kind.shape, bool)
    for shape in shapes:
        mask = drawn_cells(len(kind), [shape])
        inside |= mask
        if KINDS[shape.terrain] not in (Ground.BUILDING, Ground.WATER):
            open_ |= mask & (kind == KINDS[shape.terrain])
    cells = np.argwhere(inside)
    if not len(cells):
        return None
    (x0, y0), (x1, y1) = cells.min(0).tolist(), cells.max(0).tolist()
    free = np.argwhere(open_)
    place = None
    if len(free):
        x, y = free[(np.abs(2 * free - (x0 + x1, y0 + y1)) ** 2).sum(1).argmin()].tolist()
        place = (x, y)
    return Feature(name, place, ((x0, y0), (x1, y1)))


def drawn_cells(size: int, shapes: Sequence[Shape]) -> Bool[np.ndarray, "X Y"]:
    """Return the cells of some shapes on a map of side `size`, whatever is drawn over them."""
    return rasterise(size, [replace(shape, terrain="water") for shape in shapes]) != Ground.NORMAL
