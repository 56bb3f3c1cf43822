"""Procedural maps: known values, and the rules on maps of any seed (docs/rules/wildfire_levels.md 1, 6)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl import UserError
from hive.worlds.wildfire.maps.host_land import SEEDS, Land, Map, make_map

maps = st.builds(make_map, st.integers(10, 40), st.integers(*SEEDS), st.sampled_from([0, 20, 30]))


def letters(ground: Map, y: int) -> str:
    """A row from west to east, as in docs/rules/wildfire_levels.md 6."""
    signs = {Land.ROCK: "r", Land.BRUSH: "b", Land.LIGHT: "1", Land.MEDIUM: "2", Land.DENSE: "3"}
    row = zip(ground.land[:, y].tolist(), ground.building[:, y].tolist(), strict=True)
    return "".join("B" if building else signs[land] for land, building in row)


def test_the_published_small_map_comes_out_x_east_and_y_south() -> None:
    ground = make_map(30, 375, 20)
    assert [letters(ground, y) for y in range(3)] == [
        "22111bbbbbbb1111bbbbbbbbb11111",
        "22211bbb1b111111bbbrrbbbb11111",
        "22221111111111111bbbbbbb111111",
    ]
    assert ground.elevation[:4, 0] == pytest.approx([0.51885, 0.50241, 0.49032, 0.48726], abs=6e-6)
    assert ground.elevation[9, 5] == pytest.approx(0.48787, abs=6e-6)
    assert ground.moisture[9, 5] == pytest.approx(0.48303, abs=6e-6)
    assert ground.wind[9, 5] == pytest.approx([5.7668, -5.5139], abs=6e-5)


@given(maps)
@settings(max_examples=25)
def test_every_field_covers_its_whole_range_on_every_map(ground: Map) -> None:
    east, north = ground.wind[..., 0], ground.wind[..., 1]
    for layer, low, high in ((ground.elevation, 0, 1), (ground.moisture, 0.4, 0.8), (east, -10, 10), (north, -10, 10)):
        assert layer.dtype == np.float32 and layer.shape == (ground.size, ground.size)
        assert (layer.min(), layer.max()) == pytest.approx((low, high), abs=1e-6)


@given(maps)
@settings(max_examples=25)
def test_land_gives_the_trees_and_a_building_has_none(ground: Map) -> None:
    for land, trees in ((Land.ROCK, 0), (Land.BRUSH, 0), (Land.LIGHT, 1), (Land.MEDIUM, 2), (Land.DENSE, 3)):
        assert (ground.trees[(ground.land == land) & ~ground.building] == trees).all()
    assert not ground.trees[ground.building].any()


def settled(seeds: range) -> list[Map]:
    """Maps of rock and brush, on which buildings are many."""
    return [make_map(24, seed, -60) for seed in seeds]


def test_buildings_stand_round_rocks() -> None:
    count = 0
    for ground in settled(range(20)):
        rocks = np.pad(ground.land == Land.ROCK, 1)
        near = np.lib.stride_tricks.sliding_window_view(rocks, (3, 3)).any((-1, -2))
        assert near[ground.building].all()
        count += int(ground.building.sum())
    assert count > 100


def test_everything_within_two_cells_of_an_inner_building_burns_and_else_trees_alone() -> None:
    for ground in settled(range(20)):
        fuel = ((ground.land != Land.ROCK) & (ground.land != Land.BRUSH)) | ground.building
        last = ground.size - 1
        for x, y in np.argwhere(ground.building):
            # a building on the border hands nothing on; one beside it reaches the border, and no further along it
            if 0 < x < last and 0 < y < last:
                near = {
                    (a, b) for a in range(x - 1, x + 2) for b in range(y - 1, y + 2) if 0 < a < last and 0 < b < last
                }
                for a, b in near:
                    fuel[a - 1 : a + 2, b - 1 : b + 2] = True
                fuel[x - 1 : x + 2, y - 1 : y + 2] = True
        assert (ground.burnable == fuel).all()


def test_a_seed_always_gives_the_same_map_and_another_seed_another() -> None:
    one, again, other = make_map(20, 7, 20), make_map(20, 7, 20), make_map(20, 8, 20)
    for name in ("elevation", "moisture", "wind", "land", "trees", "building", "burnable"):
        assert (getattr(one, name) == getattr(again, name)).all()
    assert (one.land != other.land).any()


@pytest.mark.parametrize(
    ("size", "seed", "offset", "message"),
    [
        (9, 1, 20, "a wildfire map's size is 10 to 4,096, not 9"),
        (4097, 1, 20, "a wildfire map's size is 10 to 4,096, not 4,097"),
        (30, -1, 20, "a wildfire map's seed is 0 to 99,999,996, not -1"),
        (30, 99_999_997, 20, "a wildfire map's seed is 0 to 99,999,996, not 99,999,997"),
        (30, 1, 401, "a wildfire map's offset is -400 to 400, not 401"),
    ],
)
def test_numbers_out_of_range_are_refused(size: int, seed: int, offset: int, message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_map(size, seed, offset)
