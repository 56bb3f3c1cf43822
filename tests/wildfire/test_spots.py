"""Places on the maps of the device: the published distances, drawn uniformly, whatever the batch.

Rules: docs/rules/wildfire_levels.md 2.2.
"""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dsl import UserError
from hive.ground.fire import Phase, make_fuel
from hive.worlds.wildfire.environment import maps
from hive.worlds.wildfire.environment.maps import make_maps
from hive.worlds.wildfire.levels import Level, find_level
from hive.worlds.wildfire.maps import device_places
from hive.worlds.wildfire.maps.device_land import Fields
from hive.worlds.wildfire.maps.device_places import Spots, choose_spots, make_sites, prepare
from hive.worlds.wildfire.maps.host_land import Land, make_map
from hive.worlds.wildfire.world import load_level


def chosen(level: Level, seeds: int, share: float = 0.5) -> tuple[np.ndarray, Spots]:
    """A map of which a share of cells, one and the same, has trees and burns; and places on it for many seeds."""
    wooded = np.random.default_rng(5).random((level.size, level.size)) < share
    nothing = jnp.zeros(wooded.shape)
    fields = Fields(
        elevation=nothing,
        moisture=nothing,
        wind=nothing,
        land=nothing,
        building=nothing,
        trees=jnp.asarray(wooded, jnp.uint8),
        burnable=jnp.asarray(wooded),
    )
    choose = jax.jit(jax.vmap(lambda seed: choose_spots(level, fields, seed)))
    return wooded, jax.device_get(choose(jnp.arange(seeds, dtype=jnp.uint32)))


def apart(cells: np.ndarray, others: np.ndarray, size: int) -> np.ndarray:
    """`[B, 2]` distances along the axes, as parts of the side."""
    return np.abs(cells - others) / size


@pytest.mark.parametrize("name", ["scout_fire_small", "suppress_extinguish", "full_environment"])
def test_fire_is_away_from_the_crew_on_a_cell_that_burns_and_water_elsewhere(name: str) -> None:
    level = replace(find_level(name), size=30)
    wooded, spots = chosen(level, 300)
    assert spots.found.all() and spots.fire.min() > 0 and wooded[tuple(spots.fire.T)].all()
    least = {"scout": 0.4, "suppress": 0.0, "full": 0.25}[level.game]
    assert (apart(spots.fire, spots.spawn, 30).max(1) > least).all()
    assert (spots.water is not None) == level.water
    if level.water:
        assert (spots.water != spots.fire).any(1).all()
    for cluster in spots.clusters.swapaxes(0, 1):
        assert (apart(cluster, spots.fire, 30).min(1) > 0.25).all()
    assert spots.clusters.shape == (300, level.clusters, 2)


def test_goals_and_civilians_are_away_from_the_crew() -> None:
    _, spots = chosen(replace(find_level("transport_firefighters_small"), size=30), 300)
    assert spots.found.all() and (apart(spots.goal, spots.spawn, 30).min(1) > 0.4).all()
    _, spots = chosen(replace(find_level("rescue_known_large"), size=30), 300)
    assert spots.found.all() and spots.clusters.shape == (300, 3, 2)
    for cluster in spots.clusters.swapaxes(0, 1):
        assert (apart(cluster, spots.goal, 30).max(1) > 0.3).all()
        assert (apart(cluster, spots.spawn, 30).max(1) > 0.2).all()
    assert (spots.clusters[:, 0] != spots.clusters[:, 1]).any(1).mean() > 0.9


def test_cells_to_cut_are_different_wooded_ones_or_whole_lines_moved_into_the_map() -> None:
    wooded, spots = chosen(replace(find_level("cut_trees_sparse_small"), size=20), 300)
    assert spots.found.all() and wooded[tuple(spots.cells.reshape(-1, 2).T)].all()
    assert (apart(spots.cells, spots.spawn[:, None], 20) > 0.15).all()
    assert all(len(np.unique(cells, axis=0)) == 6 for cells in spots.cells)
    level = replace(find_level("cut_trees_lines_small"), size=20, line_length=17)
    lines = chosen(level, 300)[1].cells.reshape(-1, 17, 2)
    steps = np.diff(lines, axis=1)
    assert lines.min() == 0 and lines.max() == 19 and (steps == steps[:, :1]).all()
    upright = (steps[:, 0] == [0, 1]).all(1)
    assert (upright | (steps[:, 0] == [1, 0]).all(1)).all() and 0.45 < upright.mean() < 0.55


def test_every_cell_that_fits_is_as_likely() -> None:
    """Also as the second of several; so high a chi-square of 64 cells comes but once in 10,000 times."""
    _, spots = chosen(replace(find_level("suppress_contain"), size=10), 6400)
    counts = np.zeros((10, 10))
    np.add.at(counts, tuple(spots.spawn.T), 1)
    assert counts.sum() == counts[1:9, 1:9].sum() and ((counts[1:9, 1:9] - 100) ** 2 / 100).sum() < 115
    level = replace(find_level("cut_trees_sparse_small"), size=10, trees=2)
    _, spots = chosen(level, 6400, share=1)
    middle = spots.cells[(spots.spawn == [8, 8]).all(1), 1]  # 6 x 6 cells fit
    assert middle.max() == 6 and len(np.unique(middle, axis=0)) > 30


def test_a_map_without_room_is_marked() -> None:
    level = replace(find_level("cut_trees_sparse_small"), size=10, trees=12)
    wooded, spots = chosen(level, 200)
    free = [
        (wooded[1:9, 1:9] & (abs(np.arange(1, 9) - x)[:, None] > 1) & (abs(np.arange(1, 9) - y) > 1)).sum()
        for x, y in spots.spawn
    ]
    assert (spots.found == (np.array(free) >= 12)).all() and 0 < spots.found.sum() < 200


SITES = replace(find_level("suppress_extinguish"), size=30), [7, 99_999_996, 375]


@pytest.mark.long
def test_a_seed_gives_the_same_site_alone_and_in_a_batch() -> None:
    level, seeds = SITES
    many, alone = jax.device_get((make_sites(level, seeds), make_sites(level, seeds[-1:])))
    jax.tree.map(lambda batch, single: np.testing.assert_array_equal(batch[-1:], single), many, alone)


@pytest.mark.slow
def test_a_seed_gives_the_same_site_beside_any_other_ready_to_burn_as_the_hosts() -> None:
    """Wind blows north in the published numbers, where y grows south."""
    level, seeds = SITES
    many, other = jax.device_get((make_sites(level, seeds), make_sites(level, [375, 1, 2])))
    jax.tree.map(lambda one, two: np.testing.assert_array_equal(one[2], two[0]), many, other)
    for number, seed in enumerate(seeds):
        spots, fields, fire = jax.tree.map(lambda leaf, at=number: leaf[at], (many.spots, many.fields, many.fire))
        assert np.argwhere(fire.phase == Phase.LIT).tolist() == [spots.fire.tolist()]
        assert np.argwhere(fields.land == Land.WATER).tolist() == [spots.water.tolist()]
        assert not fields.burnable[tuple(spots.water)] and not fire.trees[tuple(spots.water)]
        host = make_map(30, seed, level.offset)
        verdict = make_fuel(host.elevation, host.moisture, host.wind * np.array([1, -1], np.float32)).verdict
        assert (many.fuel.verdict[number] != np.asarray(verdict)).mean() < 0.005


@pytest.mark.slow
def test_another_crew_limit_and_seed_trace_no_map_again(monkeypatch: pytest.MonkeyPatch) -> None:
    level, seeds = SITES
    world = load_level(level.id, size=30)
    before = jax.device_get(make_sites(level, seeds)), make_maps(world, [1, 2])

    def traced(*_: object) -> None:
        raise AssertionError("a map is traced again")

    for module in (device_places, maps):
        monkeypatch.setattr(module, "make_fuel", traced)
    other = replace(level, id="other", firefighters=9, drones=1, civilians=3, limit=7, period=300)
    jax.tree.map(np.testing.assert_array_equal, before[0], jax.device_get(make_sites(other, seeds)))
    again = make_maps(load_level(level.id, size=30, limit=7), [2, 1])
    assert (np.asarray(again.fuel.verdict[0]) == np.asarray(before[1].fuel.verdict[1])).all()


def test_cells_to_cut_start_with_three_trees_and_can_burn() -> None:
    """Whatever stood there; all other cells stay as they were."""
    size, cells = 6, np.array([[1, 2], [5, 0], [1, 2]])
    at, bare = tuple(cells.T), jnp.zeros((size, size), jnp.uint8)
    before = Fields(
        elevation=bare,
        moisture=bare,
        wind=bare,
        land=bare + Land.BRUSH,
        trees=bare,
        building=bare == 0,
        burnable=bare > 0,
    )
    nowhere = jnp.zeros((0, 2), jnp.int32)
    after = prepare(before, Spots(spawn=cells[0], cells=cells, clusters=nowhere, found=jnp.bool_(True)))
    for name, value in (("land", Land.DENSE), ("trees", 3), ("building", False), ("burnable", True)):
        expected = np.array(getattr(before, name))
        expected[at] = value
        assert (getattr(after, name) == expected).all()


@pytest.mark.parametrize(
    ("change", "seeds", "message"),
    [
        ({"size": 9}, [1], "a wildfire map's size is 10 to 4,096, not 9"),
        ({}, [1, -1], "a wildfire map's seed is 0 to 99,999,996, not -1"),
        ({"offset": 401}, [1], "a wildfire map's offset is -400 to 400, not 401"),
        ({}, [], "at least one seed is needed"),
    ],
)
def test_numbers_out_of_range_are_refused(change: dict[str, int], seeds: list[int], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_sites(replace(find_level("suppress_contain"), **change), seeds)
