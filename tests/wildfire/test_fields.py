"""Maps of the device against the published ones, and the rules of settlements (docs/rules/wildfire_levels.md 1)."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from hive.worlds.wildfire.maps.device_land import Fields, make_fields
from hive.worlds.wildfire.maps.device_places import draw_layers
from hive.worlds.wildfire.maps.host_land import make_map


def made(size: int, offset: int, seeds: list[int]) -> Fields:
    make = jax.jit(jax.vmap(lambda seed, draws: make_fields(size, offset, seed, draws)))
    return jax.device_get(make(np.array(seeds, np.uint32), draw_layers(seeds)))


@pytest.mark.parametrize("size", [30, *(pytest.param(size, marks=pytest.mark.long) for size in (60, 100))])
def test_layers_are_those_of_the_host_and_land_differs_in_a_cell_of_a_map_at_most(size: int) -> None:
    seeds = [375 + 3_333_331 * number for number in range(30 if size > 30 else 10)]
    found = made(size, 20, seeds)
    for number, seed in enumerate(seeds):
        host = make_map(size, seed, 20)
        assert (host.land != found.land[number]).sum() <= 1
        assert host.elevation == pytest.approx(found.elevation[number], abs=1e-5)
        assert host.moisture == pytest.approx(found.moisture[number], abs=1e-5)
        assert host.wind == pytest.approx(found.wind[number], abs=0.05)  # see `test_noise_fields` for its scale
        same = ~(host.building | found.building[number]) & (host.land == found.land[number])
        assert (host.trees == found.trees[number])[same].all()


@pytest.mark.slow
def test_buildings_burn_round_about_have_no_trees_and_are_as_many_as_on_the_host() -> None:
    seeds = list(range(150))
    found = made(24, -60, seeds)  # rock and brush, so that there are many
    rocks = np.pad(found.land == 3, ((0, 0), (1, 1), (1, 1)))
    beside = np.lib.stride_tricks.sliding_window_view(rocks, (3, 3), axis=(1, 2)).any((-1, -2))
    assert beside[found.building].all() and not found.trees[found.building].any()
    near, inner = found.building, np.zeros((24, 24), bool)
    inner[1:-1, 1:-1] = True
    for _ in range(2):
        padded = np.pad(near & inner, ((0, 0), (1, 1), (1, 1)))
        near = near | np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2)).any((-1, -2))
    assert (found.burnable == (near | (found.land < 3))).all()
    hosts = np.array([make_map(24, seed, -60).building.sum() for seed in seeds])
    counts = found.building.sum((1, 2))
    error = np.sqrt((hosts.var() + counts.var()) / len(seeds))
    assert hosts.mean() > 10 and abs(hosts.mean() - counts.mean()) < 3 * error
