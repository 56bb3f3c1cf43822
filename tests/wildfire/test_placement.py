"""Placements: cells quoted in the published dialogues, and the distance rules on every published seed.

Rules: docs/rules/wildfire_levels.md 2.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from dsl import UserError
from hive.worlds.wildfire.levels import Level, find_level, levels
from hive.worlds.wildfire.maps.host_land import Land, Map, make_map
from hive.worlds.wildfire.maps.host_places import Places, place
from hive.worlds.wildfire.maps.site import make_site
from tests.tiers import tiers

Cell = tuple[int, int]


def placed(name: str, seed: int) -> Places:
    level = find_level(name)
    return place(level, make_map(level.size, seed, level.offset), seed)


def test_cells_quoted_in_the_published_dialogues_come_out() -> None:
    """docs/rules/wildfire_levels.md 6: the last one only where 0.9 of 100 is 89."""
    assert placed("cut_trees_sparse_small", 375).trees[:3] == ((11, 16), (13, 16), (11, 3))
    assert (26, 6, 26, 10) in placed("cut_trees_lines_small", 8456).lines
    assert placed("transport_firefighters_small", 2478).goal == (92, 11)


def published(count: int) -> Iterator[tuple[Level, Map, Places]]:
    for level in levels().values():
        for seed in level.seeds[:count]:
            ground = make_map(level.size, seed, level.offset)
            yield level, ground, place(level, ground, seed)


@pytest.mark.parametrize("count", tiers([2, 99], quick=[2]))
def test_places_keep_the_published_distances_on_every_published_seed(count: int) -> None:
    seen = set()
    for level, ground, places in published(count):
        apart = {
            name: [(abs(cell[0] - places.spawn[0]) / level.size, abs(cell[1] - places.spawn[1]) / level.size)]
            for name, cell in (("goal", places.goal), ("fire", places.fire))
            if cell is not None
        }
        cells = [places.spawn, *places.trees, *places.clusters, places.goal, places.fire, places.water]
        assert all(0 < part < level.size - 1 for cell in cells if cell is not None for part in cell)
        assert len(places.cells_to_cut) == level.cells_to_cut
        assert len(set(places.trees)) == level.trees
        assert all(
            ground.trees[cell] > 0
            and min(abs(a - b) for a, b in zip(cell, places.spawn, strict=True)) > 0.15 * level.size
            for cell in places.trees
        )
        if level.game == "transport":
            assert min(apart["goal"][0]) > 0.4
        if level.game in ("scout", "suppress", "full"):
            assert places.fire is not None and ground.burnable[places.fire]
            assert max(apart["fire"][0]) > {"scout": 0.4, "suppress": 0.0, "full": 0.25}[level.game]
        assert (places.water is not None) == level.water
        assert len(places.clusters) == level.clusters
        for cluster in places.clusters:
            away = {
                name: [abs(a - b) / level.size for a, b in zip(cluster, cell, strict=True)]
                for name, cell in (("spawn", places.spawn), ("goal", places.goal), ("fire", places.fire))
                if cell is not None
            }
            if level.game == "rescue":
                assert max(away["goal"]) > 0.3 and max(away["spawn"]) > 0.2
            else:
                assert min(away["fire"]) > 0.25
        seen.add(level.game)
    assert seen == {"cut", "scout", "transport", "suppress", "rescue", "full"}


def test_lines_have_the_named_length_and_are_moved_to_fit_the_map() -> None:
    """The published sizes never need it; with 9 of 12 cells centres lie too near to both borders."""
    level = replace(find_level("cut_trees_lines_small"), size=12, line_length=9, lines=3)
    starts = set()
    for seed in range(20):
        for x0, y0, x1, y1 in make_site(level, seed).places.lines:
            assert sorted([x1 - x0, y1 - y0]) == [0, 8]
            starts.add(x0 if x1 > x0 else y0)
    assert starts == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("name", "change", "what"),
    [
        ("cut_trees_sparse_small", {"trees": 100}, "trees to cut"),
        ("cut_trees_lines_small", {"line_length": 11}, "lines to cut"),
    ],
)
def test_a_map_without_room_is_said_so_instead_of_drawn_for_ever(name: str, change: dict[str, int], what: str) -> None:
    level = replace(find_level(name), size=10, **change)
    with pytest.raises(UserError, match=f"the map of 10 x 10 cells and seed 3 has no room for the level's {what}"):
        make_site(level, 3)


def test_labelled_cells_start_with_three_trees_and_nothing_else_changes() -> None:
    """docs/rules/wildfire_levels.md 2.3: else Do Nothing would score on Cut, where the published tables have 0."""
    for name in ("cut_trees_sparse_small", "cut_trees_lines_small"):
        level = find_level(name)
        for seed in level.seeds:
            site, ground = make_site(level, seed), make_map(level.size, seed, level.offset)
            labelled = np.zeros((level.size, level.size), bool)
            labelled[tuple(np.transpose(site.places.cells_to_cut))] = True
            assert (site.ground.trees[labelled] == 3).all() and (site.ground.land[labelled] == Land.DENSE).all()
            assert not site.ground.building[labelled].any() and site.ground.burnable[labelled].all()
            for layer in ("land", "trees", "building", "burnable"):
                assert (getattr(site.ground, layer) == getattr(ground, layer))[~labelled].all()


def test_water_is_one_cell_without_trees_that_does_not_burn() -> None:
    level = find_level("suppress_extinguish")
    for seed in range(30):
        site = make_site(level, seed)
        assert site.places.water is not None and site.places.water != site.places.fire
        assert np.argwhere(site.ground.land == Land.WATER).tolist() == [list(site.places.water)]
        assert site.ground.trees[site.places.water] == 0 and not site.ground.burnable[site.places.water]
