"""Ways on foot and the places of a map."""

from __future__ import annotations

import numpy as np

from hive.experiments.search.ways import cover_cost, find_way, turning_points
from tests.search.field import site_and_plan


def test_a_way_goes_round_what_blocks_and_prefers_cover() -> None:
    free = np.ones((60, 60), bool)
    free[30, :8] = False  # a wall with a gap in the north
    cover, none = np.zeros((60, 60), bool), np.zeros((60, 60), bool)
    cover[:, 15:] = True
    open_way = find_way(cover_cost(free, cover, none, 0.0, 0.0), (2, 5), (57, 5))
    hidden = find_way(cover_cost(free, cover, none, 20.0, 0.0), (2, 5), (57, 5))
    for way in (open_way, hidden):
        assert way[0] == (2, 5) and way[-1] == (57, 5)
        assert all(free[cell] for cell in way)
        assert max(np.abs(np.diff(way, axis=0)).max(0)) == 1
    assert sum(cover[cell] for cell in hidden) > 20 > sum(cover[cell] for cell in open_way)
    free[30] = False
    assert find_way(cover_cost(free, cover, none, 0.0, 0.0), (2, 5), (57, 5)) == []


def test_a_way_avoids_what_enemies_watch() -> None:
    free, none, watched = np.ones((30, 30), bool), np.zeros((30, 30), bool), np.zeros((30, 30), bool)
    watched[10:20, :20] = True
    straight = find_way(cover_cost(free, none, watched, 0.0, 0.0), (2, 5), (28, 5))
    around = find_way(cover_cost(free, none, watched, 0.0, 50.0), (2, 5), (28, 5))
    assert any(watched[cell] for cell in straight) and not any(watched[cell] for cell in around)


def test_turning_points_end_a_way_and_are_its_corners_first() -> None:
    way = [(x, 0) for x in range(20)] + [(19, y) for y in range(1, 20)]
    assert turning_points(way, 1) == [(19, 19)]
    assert turning_points(way, 2) == [(19, 0), (19, 19)]
    assert turning_points(way, 5) == [(19, 0), (19, 19)], "a straight piece needs no point"


def test_the_way_of_the_published_map_leads_through_its_forests() -> None:
    """The solution of the scenario: under the trees to the bridge, and down the western edge."""
    site, _ = site_and_plan("follow_markers")
    way = site.way(site.starts[0][1], (61, 0), 16.0, 16.0)
    hidden = np.mean([site.forest[cell] for cell in way])
    direct = np.mean([site.forest[cell] for cell in site.way(site.starts[0][1], (61, 0), 0.001, 0.0)])
    assert hidden > 0.7 > direct


def test_each_bridge_of_a_map_is_found_with_both_of_its_banks() -> None:
    for name, number in {"exploit_weakness": 4, "follow_markers": 1, "strategize_points": 9, "coordinate": 0}.items():
        site, _ = site_and_plan(name)
        assert len(site.bridges) == number
        for middle, *banks in site.bridges:
            sides = np.array(banks) - middle
            assert (sides @ sides.T).min() < 0, "cells lie on opposite sides"
            assert all(site.free[tuple(cell)] for cell in banks)
    assert tuple(site_and_plan("follow_markers")[0].places["marker"][0]) == (193, 85)
