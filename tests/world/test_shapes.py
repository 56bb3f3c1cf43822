from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.ground.shapes import Band, Box, Circle, Ground, Shape, drawing_cells, from_rows, rasterise


def painted(size: int, *shapes: Box | Circle | Band) -> set[tuple[int, int]]:
    return {(int(x), int(y)) for x, y in np.argwhere(rasterise(size, shapes) != Ground.NORMAL)}


def test_cell_belongs_to_a_box_when_its_centre_does_low_edge_in_high_edge_out() -> None:
    assert painted(8, Box(1, 2, 3, 4, "water")) == {(1, 2), (1, 3), (2, 2), (2, 3)}
    assert painted(8, Box(1.5, 2.5, 3.5, 3.5, "water")) == {(1, 2), (2, 2)}
    assert painted(8, Box(1.51, 2, 2.4, 4, "water")) == set()


def test_boxes_that_share_an_edge_share_no_cell() -> None:
    left, right = painted(9, Box(0, 0, 4.5, 9, "forest")), painted(9, Box(4.5, 0, 9, 9, "forest"))
    assert not left & right
    assert len(left | right) == 81


@pytest.mark.parametrize(
    ("terrain", "bit"),
    [("normal", Ground.NORMAL), ("forest", Ground.FOREST), ("water", Ground.WATER), ("building", Ground.BUILDING)],
)
def test_a_cell_has_the_kind_of_the_last_shape_alone(terrain: str, bit: int) -> None:
    kind = rasterise(4, [Box(0, 0, 4, 4, "water"), Box(0, 0, 4, 4, "forest"), Box(1, 1, 2, 3, terrain)])
    assert kind.dtype == np.uint8
    assert kind[1, 1] == kind[1, 2] == bit
    assert kind[0, 0] == kind[2, 1] == Ground.FOREST


def test_bridge_is_normal_terrain_over_water() -> None:
    kind = rasterise(20, [Band(((10, -5), (10, 25)), 6, "water"), Box(0, 9, 20, 11, "normal")])
    assert (kind[7:13, :9] == Ground.WATER).all()
    assert (kind[:, 9:11] == Ground.NORMAL).all()


def test_shapes_are_cut_off_at_the_border() -> None:
    assert painted(3, Box(-5, -5, 50, 1, "forest")) == {(0, 0), (1, 0), (2, 0)}
    assert painted(3, Circle(-10, -10, 2, "forest")) == set()


def test_circle_holds_the_centres_within_its_radius_rim_included() -> None:
    around = painted(11, Circle(5.5, 5.5, 2, "building"))
    expected = {(x, y) for x in range(11) for y in range(11) if (x - 5) ** 2 + (y - 5) ** 2 <= 4}
    assert around == expected
    assert len(around) == 13


def test_band_of_a_given_width_covers_that_many_cells() -> None:
    river = rasterise(100, [Band(((49, 0), (49, 100)), 6, "water")])
    assert (np.flatnonzero(river[:, 50]) == np.arange(46, 52)).all()
    assert (river == river[:, :1]).all()


def test_band_has_round_ends_and_joints() -> None:
    bend = Band(((4.5, 4.5), (12.5, 4.5), (12.5, 12.5)), 5, "water")
    cells = painted(20, bend)
    centres = [(x + 0.5, y + 0.5) for x in range(20) for y in range(20)]
    line = [(4.5 + t / 50, 4.5) for t in range(401)] + [(12.5, 4.5 + t / 50) for t in range(401)]
    near = {(int(x), int(y)) for x, y in centres if min((x - a) ** 2 + (y - b) ** 2 for a, b in line) <= 2.5**2}
    assert cells == near
    assert (14, 3) in cells  # outside the corner, within the round joint
    assert (14, 2) not in cells
    assert painted(20, Band(((6, 6),), 5, "water")) == painted(20, Circle(6, 6, 2.5, "water"))


def test_slanted_band_keeps_its_width() -> None:
    cells = painted(60, Band(((0, 0), (60, 60)), 4, "water"))
    assert {x - y for x, y in cells} == {-2, -1, 0, 1, 2}  # |x - y| / sqrt(2) <= 2


def test_unknown_terrain_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"lava.*normal, forest, water, building"):
        rasterise(4, [Box(0, 0, 1, 1, "lava")])


def test_shapes_are_frozen_and_may_have_a_name() -> None:
    wood = Circle(1, 1, 1, terrain="forest", name="north wood")
    assert (wood.name, Box(0, 0, 1, 1, "forest").name) == ("north wood", "")
    with pytest.raises(dataclasses.FrozenInstanceError):
        wood.radius = 2  # type: ignore[misc]


def test_rows_are_indexed_x_then_y() -> None:
    kind = from_rows(["..F", "W..", "..B"])
    assert kind.tolist() == [[0, 0, Ground.FOREST], [Ground.WATER, 0, 0], [0, 0, Ground.BUILDING]]
    assert kind.dtype == np.uint8


def test_rows_must_be_square_and_of_known_letters() -> None:
    with pytest.raises(ValueError, match="row 1 has 3 letters"):
        from_rows(["..", "..."])
    with pytest.raises(ValueError, match="row 0 holds 'x'"):
        from_rows([".x", ".."])


_metres = st.one_of(st.integers(-60, 160), st.floats(-60, 160, width=32)).map(float)
_points = st.lists(st.tuples(_metres, _metres), min_size=1, max_size=4).map(tuple)
_shapes = st.one_of(
    st.builds(Box, _metres, _metres, _metres, _metres, st.just("water")),
    st.builds(Circle, _metres, _metres, st.sampled_from([0.2, 3.0, 70.0]), st.just("forest")),
    st.builds(Band, _points, st.sampled_from([0.2, 5.0, 90.0]), st.just("building")),
)


@given(shapes=st.lists(_shapes, min_size=1, max_size=4))
def test_only_cells_near_a_shape_are_tested_and_none_of_it_is_missed(shapes: list[Shape]) -> None:
    size = 100
    x, y = np.meshgrid(np.arange(size) + 0.5, np.arange(size) + 0.5, indexing="ij")
    expected = np.zeros((size, size), np.uint8)
    for shape in shapes:
        expected[shape.covers(x, y)] = Ground[shape.terrain.upper()]
    np.testing.assert_array_equal(rasterise(size, shapes), expected)
    tested = [shape for shape in shapes if not isinstance(shape, Box)]
    assert drawing_cells(size, tested) >= sum(shape.covers(x, y).sum() for shape in tested)


def test_drawing_counts_what_lies_on_the_map_and_little_of_boxes() -> None:
    assert drawing_cells(100, [Circle(-40, -40, 20, "water"), Band(((-90, 0), (-90, 99)), 6, "water")]) == 0
    assert drawing_cells(100, [Box(-500, 0, 500, 32, "water")]) == 100
    assert drawing_cells(100, [Circle(50, 50, 500, "water")]) == 10_000
    slant = drawing_cells(4000, [Band(((0, 0), (4000, 4000)), 4, "water")])
    assert 4000 * 4 < slant < 4000 * 100  # not the box round it
