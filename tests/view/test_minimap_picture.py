"""The picture of what a unit sees: each code has its colour, north is up, and the own cell is framed."""

from __future__ import annotations

import numpy as np
import pytest

from hive.engine.crews.explored import Explored
from hive.kit.view import palette
from hive.worlds.wildfire.view.minimap import draw_minimap
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
