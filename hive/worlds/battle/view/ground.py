"""The terrain of a map as a picture: pastel areas with crisp edges, soft trees, shaded water, hatched buildings.

It is drawn once for a map and then copied under every frame.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from hive.ground.shapes import Ground
from hive.kit.view import palette
from hive.kit.view.palette import Rgb


class _Area(IntEnum):
    """What is drawn; the later kind where a cell has several."""

    NORMAL = 0
    FOREST = 1
    WATER = 2
    BUILDING = 3


_EDGES: tuple[Rgb, ...] = (palette.GROUND_COLOUR, (160, 183, 146), (122, 190, 219), (138, 135, 133))
_ROUNDING, _ROUNDING_PIXELS = 0.45, 1.6  # metres and finished pixels, whichever is less; a single cell keeps its centre


def draw_ground(kind: NDArray[np.uint8], side: int, fine: int, step: float) -> NDArray[np.uint8]:
    """Draw the terrain, north up.

    Args:
        kind: [S, S]. Terrain bits by `[x, y]`.
        side: Pixels of a side of the result, supersampled.
        fine: Pixels of the result to a pixel of the finished picture.
        step: Metres between grid lines.

    Returns:
        uint8 [side, side, 3], rows from north to south.
    """
    north_up = np.ascontiguousarray(kind.T[::-1])
    classes = np.zeros(north_up.shape, np.uint8)
    for bit, name in ((Ground.FOREST, _Area.FOREST), (Ground.WATER, _Area.WATER), (Ground.BUILDING, _Area.BUILDING)):
        classes[(north_up & bit.value) > 0] = name
    area = _enlarge(classes, side, min(_ROUNDING, _ROUNDING_PIXELS * fine * len(kind) / side))
    image = np.array(Image.new("RGB", (side, side), palette.GROUND_COLOUR))
    forest, water, building = (area == name for name in (_Area.FOREST, _Area.WATER, _Area.BUILDING))
    if forest.any():
        np.copyto(image, _draw_trees(forest, side / len(kind), fine), where=forest[..., None])
    if water.any():
        image[water] = _shade_water(classes == _Area.WATER, water)
    _rule_grid(image, len(kind), step, fine)
    if building.any():
        _raise_buildings(image, building, fine)
    _trace_edges(image, area, fine)
    return image


def _enlarge(classes: NDArray[np.uint8], side: int, rounding: float) -> NDArray[np.uint8]:
    """Enlarge a raster of classes to `side` pixels, corners rounded by some metres: a blurred vote of the classes."""
    cells = len(classes)
    place = (np.arange(side) + 0.5) * cells / side
    middle = place.astype(int)
    winner = np.take(np.take(classes, middle, axis=0), middle, axis=1)
    # The vote is unanimous, but for pixels of cells that have another class beside them.
    round_about = np.pad(classes, 1, mode="edge")
    mixed = np.zeros(classes.shape, bool)
    for dx, dy in np.ndindex(3, 3):
        mixed |= round_about[dx : dx + cells, dy : dy + cells] != classes
    row, column = np.nonzero(np.take(np.take(mixed, middle, axis=0), middle, axis=1))
    taps = [np.clip(middle + k, 0, cells - 1) for k in (-1, 0, 1)]
    edges = [1 / (1 + np.exp(-1.702 * (middle + k - place) / rounding)) for k in (-1, 0, 1, 2)]
    weights = [(edges[k + 1] - edges[k]).astype(np.float32) for k in range(3)]
    beside = [(tap[row] * side + column, weight[row]) for tap, weight in zip(taps, weights, strict=True)]
    best, choice = np.full(len(row), -1.0, np.float32), np.zeros(len(row), np.uint8)
    for name in np.unique(classes):
        mask = (classes == name).astype(np.float32)
        wide = sum(mask[:, tap] * weight for tap, weight in zip(taps, weights, strict=True))
        vote = sum(np.take(wide, pixel) * weight for pixel, weight in beside)
        choice[vote > best] = name
        best = np.maximum(best, vote)
    winner[row, column] = choice
    return winner


def _draw_trees(mask: NDArray[np.bool_], scale: float, fine: int) -> NDArray[np.uint8]:
    """Fill the forest colour with soft crowns on a jittered grid, only where their middle stands in the forest."""
    side = len(mask)
    image = Image.new("RGB", (side, side), palette.FOREST_COLOUR)
    draw = ImageDraw.Draw(image)
    gap = float(np.clip(2.4 * scale, 9 * fine, 20 * fine))
    rng = np.random.default_rng(7)
    rows, columns = np.mgrid[0 : side : gap / 2 * 1.7, 0:side:gap]
    columns = columns + (np.arange(len(rows)) % 2)[:, None] * gap / 2
    spots = np.stack([columns.ravel(), rows.ravel()], -1) + rng.uniform(-0.22, 0.22, (rows.size, 2)) * gap
    size = rng.uniform(0.2, 0.34, len(spots)) * gap
    shade, light = palette.darken(palette.FOREST_COLOUR, 0.055), palette.lighten(palette.FOREST_COLOUR, 0.16)
    cell = np.clip(spots.astype(int), 0, side - 1)
    inside = mask[cell[:, 1], cell[:, 0]]
    for (x, y), r in zip(spots[inside], size[inside], strict=True):
        draw.ellipse((x - r, y - r, x + r, y + r), fill=shade)
        draw.ellipse((x - 0.75 * r, y - 0.8 * r, x + 0.35 * r, y + 0.3 * r), fill=light)
    return np.asarray(image)


def _shade_water(cells: NDArray[np.bool_], area: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Shade the pixels of water, [n, 3] in the order of `area`, from a pale shore to a slightly deeper middle."""
    blurred = Image.fromarray(cells.astype(np.uint8) * 255).filter(ImageFilter.GaussianBlur(2.5))
    depth = np.asarray(blurred.resize(area.shape, Image.Resampling.BICUBIC))[area].astype(np.float32) / 255
    share = np.clip((depth - 0.45) / 0.55, 0, 1)[:, None]
    shore = np.array(palette.lighten(palette.WATER_COLOUR, 0.25), np.float32)
    deep = np.array(palette.mix(palette.WATER_COLOUR, (120, 200, 240), 0.35), np.float32)
    return (shore + (deep - shore) * share).astype(np.uint8)


def _rule_grid(image: NDArray[np.uint8], cells: int, step: float, fine: int) -> None:
    """Darken thin lines at every `step` metres, counted from the south-west corner."""
    side = len(image)
    for metre in np.arange(step, cells, step):
        across = round(metre * side / cells) - fine // 2
        for line in (image[side - across - fine : side - across], image[:, across : across + fine]):
            line[:] = (line * np.float32(0.955)).astype(np.uint8)


def _raise_buildings(image: NDArray[np.uint8], mask: NDArray[np.bool_], fine: int) -> None:
    """Fill buildings with a light hatch and let them cast a short shadow to the south-east."""
    drop = 2 * fine
    shadow = np.zeros_like(mask)
    for k in range(1, drop + 1):
        shadow[k:, k:] |= mask[:-k, :-k]
    shadow &= ~mask
    image[shadow] = (image[shadow] * np.float32(0.86)).astype(np.uint8)
    rows, columns = np.ogrid[: len(mask), : len(mask)]
    hatch = (rows + columns) % (7 * fine) < fine
    image[mask] = palette.BUILDING_COLOUR
    image[mask & hatch] = palette.darken(palette.BUILDING_COLOUR, 0.07)


def _trace_edges(image: NDArray[np.uint8], area: NDArray[np.uint8], fine: int) -> None:
    """Draw a thin outline just inside every area, where it borders on terrain of an earlier kind."""
    width = max(1, fine - 1)
    lowest = area.copy()
    for k in range(1, width + 1):
        for near, far in ((np.s_[k:], np.s_[:-k]), (np.s_[:, k:], np.s_[:, :-k])):
            np.minimum(lowest[near], area[far], out=lowest[near])
            np.minimum(lowest[far], area[near], out=lowest[far])
    rim = lowest < area
    image[rim] = np.array(_EDGES, np.uint8)[area[rim]]
