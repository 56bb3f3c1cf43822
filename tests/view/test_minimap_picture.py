"""The picture of what a unit sees: each code has its colour, north is up, and the own cell is framed."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from hive.engine.crews.explored import Explored
from hive.kit.view import palette
from hive.kit.view.pictures import png_bytes
from hive.worlds.wildfire.view.minimap import draw_grid, draw_minimap
from hive.worlds.wildfire.view.palette import BURNING, CIVILIANS, HOUSE, TREES, UNKNOWN


def test_cells_have_the_colours_of_their_codes_with_north_at_the_top() -> None:
    window = np.full((5, 5), Explored.DRY + 2, np.uint8)
    window[4, 0], window[0, 4], window[0, 0], window[4, 4] = (
        Explored.ON_FIRE,
        Explored.UNSEEN,
        Explored.BUILDING,
        Explored.CIVILIAN,
    )  # [x, y], y south
    picture = draw_minimap(window, 50)
    assert picture.shape == (50, 50, 3)
    corner = {"north-east": (5, 45), "south-west": (45, 5), "north-west": (5, 5), "south-east": (45, 45)}
    found = {name: tuple(picture[at].tolist()) for name, at in corner.items()}
    wanted = (BURNING[1], UNKNOWN, HOUSE, CIVILIANS["civilian"])
    assert found == dict(zip(corner, wanted, strict=True))
    assert tuple(picture[25, 25].tolist()) == TREES[1] and tuple(picture[20, 20].tolist()) == palette.INK
    assert (picture == np.array(palette.INK)).all(-1).sum() == 4 * 9  # a frame of one pixel round ten


def test_every_cell_is_drawn_where_pixels_do_not_divide() -> None:
    window = np.arange(61 * 61).reshape(61, 61) % 9
    picture = draw_minimap(window)
    assert picture.shape == (300, 300, 3)
    with pytest.raises(ValueError, match="61 cells needs as many pixels, not 60"):
        draw_minimap(window, 60)


def test_a_grid_has_its_numbers_beside_the_cells_that_they_name() -> None:
    """A line runs along the western and northern edge of each named cell; cells have their colours."""
    window = np.full((21, 21), Explored.DRY + 1, np.uint8)
    window[7, 2], window[10, 12], window[0, 0] = Explored.ON_FIRE, Explored.CIVILIAN, Explored.UNSEEN
    picture, pixels = draw_grid(window, (3, -2))
    edge = (picture.shape[0] - 21 * pixels) // 2
    assert picture.shape == (21 * pixels + 2 * edge,) * 2 + (3,) and pixels >= 12

    def middle(x: int, y: int) -> tuple[int, ...]:
        row, column = (edge + at * pixels + pixels // 2 for at in (y, x))
        return tuple(picture[row, column].tolist())

    assert middle(7, 2) == BURNING[1] and middle(10, 12) == CIVILIANS["civilian"] and middle(1, 1) == TREES[0]
    assert middle(0, 0) not in (UNKNOWN, TREES[0]), "a darker grey than in the bare picture"
    white = (picture == 255).all(-1)
    lines = [
        np.flatnonzero(white[edge : edge + 21 * pixels, edge : edge + 21 * pixels].mean(axis) > 0.9) for axis in (0, 1)
    ]
    assert [(line // pixels + first).tolist() for line, first in zip(lines, (3, -2), strict=True)] == [
        [5, 10, 15, 20], [0, 5, 10, 15],
    ]  # fmt: skip
    inked = (picture[: edge - 2] == palette.INK).all(-1).any(0)
    assert inked[edge + 2 * pixels : edge + 3 * pixels].any() and not inked[edge + 3 * pixels : edge + 6 * pixels].any()
    with Image.open(BytesIO(png_bytes(Image.fromarray(picture)))) as read:
        assert (np.asarray(read) == picture).all()
