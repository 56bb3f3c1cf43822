"""`hive.ground.places`: the cell that can be entered and is nearest a place, against a search of all cells."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hive.ground.places import Terrain
from hive.ground.shapes import Ground

SIDE = 90
COORDINATE = st.floats(-15, SIDE + 15, width=32)


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(COORDINATE, COORDINATE),
    st.lists(st.tuples(*[st.integers(-11, 11)] * 2, st.booleans()), min_size=2, max_size=6),
    st.sampled_from([1, 4, 7]),
)
@example((40.0, 40.0), [(7, 7, True), (9, 0, True)], 1)
@example((40.0, 40.0), [(7, 7, True), (-9, 0, True)], 4)
def test_the_nearest_cell_is_that_of_a_search_of_all(
    place: tuple[float, float], offsets: list[tuple[int, int, bool]], scale: int
) -> None:
    """A few cells are open, up to 11, 44 or 77 m away on each axis; of a mask without any of them, all count."""
    ground = np.full((SIDE, SIDE), Ground.WATER.value, np.uint8)
    among = np.zeros((SIDE, SIDE), bool)
    for dx, dy, chosen in offsets:
        cell = tuple(int(np.clip(at + scale * d, 0, SIDE - 1)) for at, d in zip(place, (dx, dy), strict=True))
        ground[cell], among[cell] = 0, chosen
    mask = among if among.any() else ground == 0
    cells = np.argwhere(mask)
    nearest = cells[np.argmin(((cells - np.array(place)) ** 2).sum(1))]
    x, y = (min(max(round(value), 0), SIDE - 1) for value in place)
    assert Terrain(ground).near(place, among) == ((x, y) if mask[x, y] else tuple(nearest.tolist()))
