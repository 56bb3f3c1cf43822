"""Procedural maps: the six published layers, land, settlements and trees of a seed (docs/rules/wildfire_levels.md 1).

Everything is computed on the host, in float32 and the published order, so that a seed gives the published map exactly.
The published arrays are `[y][x]` with y growing south, and so are the draws and the noise. Ours are `[x, y]`: they are
transposed once, here, and keep the published numbers, so y grows south in all of `hive.worlds.wildfire`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from dsl import UserError
from hive.worlds.wildfire.maps.dotnet import DotNetRandom
from hive.worlds.wildfire.maps.host_noise import Floats, octave_noise


class Land(IntEnum):
    """Published codes of the land; a map as generated has no water."""

    DENSE = 0
    LIGHT = 1
    MEDIUM = 2
    ROCK = 3
    BRUSH = 4
    WATER = 5


SIZES = (10, 4096)  # cells a side; below the minimum, the ranges of the published draws are empty
SEEDS = (0, DotNetRandom.MOST_SEED - 4)  # the layers take the seed and the four after it
OFFSETS = (-400, 400)  # outside, all cells are alike

OCTAVES = 4  # most octaves of a layer
LAYERS = {  # added to the seed; scale; octaves; least and most value on every map (docs/rules/wildfire_levels.md 1.1)
    "elevation": (0, 100, 4, 0.0, 1.0),
    "moisture": (1, 100, 2, 0.4, 0.8),
    "vegetation": (2, 20, 4, -1.0, 1.0),
    "east": (3, 2000, 4, -10.0, 10.0),
    "north": (4, 200, 4, -10.0, 10.0),
}

BY_VEGETATION = np.array([Land.ROCK, Land.BRUSH, Land.LIGHT, Land.MEDIUM, Land.DENSE], np.int8)
_TREES = np.array([3, 1, 2, 0, 0, 0], np.int8)  # by code
BUILDING_SHARE = 0.05  # share of rock cells
_AROUND_SHARE = 0.5  # share of the cells round a building
BURNABLE_REACH = 2  # cells round a building that can burn in any case


@dataclass(frozen=True, kw_only=True)
class Map:
    """A map as generated; arrays are `[N, N]` indexed `[x, y]`, x east and y south.

    Attributes:
        elevation: 0 to 1, both attained.
        moisture: 0.4 to 0.8.
        wind: `[N, N, 2]`, to the east and to the north, -10 to 10; only its direction matters.
        land: `Land` of each cell.
        trees: 0 to 3.
        building: Whether a building stands there.
        burnable: Whether the cell can catch fire.
    """

    elevation: Floats
    moisture: Floats
    wind: Floats
    land: NDArray[np.int8]
    trees: NDArray[np.int8]
    building: NDArray[np.bool_]
    burnable: NDArray[np.bool_]

    @property
    def size(self) -> int:
        """Cells a side."""
        return len(self.land)


def make_map(size: int, seed: int, offset: int) -> Map:
    """Return the map of a seed.

    Args:
        size: Cells a side, within `SIZES`.
        seed: Within `SEEDS`.
        offset: The level's vegetation offset, in hundredths, within `OFFSETS`.

    Raises:
        UserError: An argument is out of range.
    """
    check_ranges(size, [seed], offset)
    layer = {name: _layer(size, seed, name) for name in LAYERS}
    amount = 2.5 * (layer["vegetation"] + np.float32(0.01) * np.float32(offset)) + 2
    land = BY_VEGETATION[np.clip(np.rint(amount), 0, 4).astype(np.int8)]
    building = _settle(land, DotNetRandom(seed))
    trees = np.where(building, np.int8(0), _TREES[land])
    published = {
        "elevation": layer["elevation"],
        "moisture": layer["moisture"],
        "wind": np.stack([layer["east"], layer["north"]], -1),
        "land": land,
        "trees": trees,
        "building": building,
        "burnable": (_TREES[land] > 0) | _near(building),
    }
    return Map(**{name: np.ascontiguousarray(layer.swapaxes(0, 1)) for name, layer in published.items()})


def check_ranges(size: int, seeds: Sequence[int], offset: int) -> None:
    """Check size, seeds and offset of maps.

    Raises:
        UserError: A number is out of range; the message names it.
    """
    for name, values, (least, most) in (("size", [size], SIZES), ("seed", seeds, SEEDS), ("offset", [offset], OFFSETS)):
        wrong = next((value for value in values if not least <= value <= most), None)
        if wrong is not None:
            raise UserError(f"a wildfire map's {name} is {least:,} to {most:,}, not {wrong:,}")


def _layer(size: int, seed: int, name: str) -> Floats:
    """A field `[y, x]` that covers its complete range on every map, however small."""
    number, scale, octaves, low, high = LAYERS[name]
    noise = octave_noise(size, seed + number, scale, octaves)
    share = (noise - noise.min()) / (noise.max() - noise.min())
    return low + share * (high - low)


def _settle(land: NDArray[np.int8], draw: DotNetRandom) -> NDArray[np.bool_]:
    """Buildings `[y, x]` on rocks, and round them on anything."""
    size = len(land)
    building = np.zeros((size, size), bool)
    for row, column in np.argwhere(land == Land.ROCK).tolist():
        if draw.uniform() >= BUILDING_SHARE:
            continue
        building[row, column] = True
        for beside in range(max(row - 1, 0), min(row + 2, size)):
            for cell in range(max(column - 1, 0), min(column + 2, size)):
                building[beside, cell] |= draw.uniform() < _AROUND_SHARE
    return building


def _near(building: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cells within reach of a building; border cells pass nothing on, as published."""
    near = building
    for _ in range(BURNABLE_REACH):
        inner = np.zeros((len(near) + 2, len(near) + 2), bool)
        inner[2:-2, 2:-2] = near[1:-1, 1:-1]
        rows = inner[:-2] | inner[1:-1] | inner[2:]
        near = near | rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]
    return near
