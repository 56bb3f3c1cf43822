from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive.ground import distance
from hive.ground.distance import distance_maps
from hive.ground.shapes import Ground, from_rows
from hive.ground.sizes import CPU, GPU, use
from hive.ground.terrain import Terrain, make_terrain
from tests.conftest import CI
from tests.tiers import tiers


def ground(blocked: np.ndarray) -> Terrain:
    return make_terrain(jnp.asarray(blocked, jnp.uint8) * Ground.WATER)


def around(x: int, y: int, size: int) -> list[tuple[int, int]]:
    return [(a, b) for a, b in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)) if 0 <= a < size and 0 <= b < size]


def plain(blocked: np.ndarray, target: tuple[int, int]) -> np.ndarray:
    """The search of docs/rules/battles.md 1.5, cell by cell."""
    size = len(blocked)
    steps = np.full((size, size), size * size)
    front, level = {target}, 0
    steps[target] = 0
    while front and all(blocked[c] for c in front):  # through blocked cells, until the front holds a free one
        level += 1
        front = {n for c in front for n in around(*c, size) if steps[n] == size * size}
        for c in front:
            steps[c] = level
    queue = deque(c for c in front if not blocked[c])
    while queue:
        c = queue.popleft()
        for n in around(*c, size):
            if not blocked[n] and steps[n] == size * size:
                steps[n] = steps[c] + 1
                queue.append(n)
    return steps


def serpentine(size: int) -> np.ndarray:
    blocked = np.zeros((size, size), bool)
    for turn, x in enumerate(range(1, size, 2)):
        blocked[x] = True
        blocked[x, -1 if turn % 2 else 0] = False
    return blocked


def rings(size: int) -> np.ndarray:
    x, y = np.indices((size, size))
    return np.minimum(np.minimum(x, y), size - 1 - np.maximum(x, y)) % 2 == 1


def scattered(size: int, share: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random((size, size)) < share


def river(size: int) -> np.ndarray:
    blocked = np.zeros((size, size), bool)
    blocked[size // 3 : size // 3 + max(3, size // 5)] = True
    blocked[:, 2] = False
    return blocked


def bridged(size: int) -> np.ndarray:
    """Four rivers, each with bridges."""
    blocked = np.zeros((size, size), bool)
    for number in range(1, 5):
        bank = number * size // 5
        blocked[bank : bank + 6] = True
        for at in range(17 * number, size, 90):
            blocked[bank : bank + 6, at : at + 4] = False
    return blocked


def built(size: int, count: int, least: int, most: int, thickness: int) -> np.ndarray:
    """Walls or houses, anywhere and overlapping."""
    rng, blocked = np.random.default_rng(count), np.zeros((size, size), bool)
    for _ in range(count):
        x, y = rng.integers(0, size, 2)
        length, width = rng.integers(least, most), rng.integers(1, thickness + 1)
        wide, tall = (length, width) if rng.random() < 0.5 else (width, length)
        blocked[x : x + wide, y : y + tall] = True
    return blocked


def maze(size: int) -> np.ndarray:
    """One way between any two rooms: rooms on odd cells, joined by a random walk that backs out of dead ends."""
    rng, blocked = np.random.default_rng(size), np.ones((size, size), bool)
    trail = [(1, 1)]
    blocked[1, 1] = False
    while trail:
        x, y = trail[-1]
        ways = [(dx, dy) for dx, dy in ((2, 0), (-2, 0), (0, 2), (0, -2))]
        ways = [(dx, dy) for dx, dy in ways if 0 < x + dx < size and 0 < y + dy < size and blocked[x + dx, y + dy]]
        if not ways:
            trail.pop()
            continue
        dx, dy = ways[rng.integers(len(ways))]
        blocked[x + dx // 2, y + dy // 2] = blocked[x + dx, y + dy] = False
        trail.append((x + dx, y + dy))
    return blocked


KINDS = {
    "open": lambda size, seed: np.zeros((size, size), bool),
    "sparse": lambda size, seed: scattered(size, 0.2, seed),
    "clutter": lambda size, seed: scattered(size, 0.4, seed),
    "mostly blocked": lambda size, seed: scattered(size, 0.9, seed),
    "a free cell": lambda size, seed: np.arange(size * size).reshape(size, size) != seed % (size * size),
    "all blocked": lambda size, seed: np.ones((size, size), bool),
    "serpentine": lambda size, seed: serpentine(size),
    "rings": lambda size, seed: rings(size),
    "river": lambda size, seed: river(size),
}


@settings(max_examples=40 if CI else 25)
@given(
    kind=st.sampled_from(sorted(KINDS)),
    size=st.sampled_from([8, 13, 40]),
    seed=st.integers(0, 2**32 - 1),
)
def test_maps_are_the_counts_of_a_plain_search(kind: str, size: int, seed: int) -> None:
    blocked = KINDS[kind](size, seed)
    targets = np.random.default_rng(seed).integers(0, size, (5, 2))  # blocked and enclosed ones among them
    targets[4] = targets[0]  # and one given twice
    found = np.asarray(distance_maps(ground(blocked), jnp.asarray(targets)))
    assert found.dtype == np.int32
    for steps, target in zip(found, targets, strict=True):
        np.testing.assert_array_equal(steps, plain(blocked, tuple(target)))


@jax.jit
def tiled(blocked: jax.Array, targets: jax.Array) -> jax.Array:
    """The search of large maps, in tiles so small that a small map has many."""
    return distance._number(blocked[None], targets[None, :, None], partial(distance._by_tiles, tile=8))[0]


@settings(max_examples=30 if CI else 20)
@given(
    kind=st.sampled_from([*KINDS, "maze"]),
    size=st.sampled_from([13, 41]),
    seed=st.integers(0, 2**32 - 1),
)
def test_maps_found_tile_by_tile_are_the_counts_of_a_plain_search(kind: str, size: int, seed: int) -> None:
    """Sides that are no multiple of a tile's, ways that come back to a tile, targets in blocked cells."""
    blocked = maze(size) if kind == "maze" else KINDS[kind](size, seed)
    targets = np.random.default_rng(seed).integers(0, size, (3, 2))
    found = np.asarray(tiled(jnp.asarray(blocked), jnp.asarray(targets)))
    for steps, target in zip(found, targets, strict=True):
        np.testing.assert_array_equal(steps, plain(blocked, tuple(target)))


@pytest.mark.parametrize(("side", "by_tiles"), [(distance._LARGE, False), (distance._LARGE + 1, True)])
def test_only_large_maps_are_searched_tile_by_tile_and_only_on_a_processor(side: int, by_tiles: bool) -> None:
    """Traced, not run; with the sizes of a GPU the program of large maps is that of small ones."""
    terrain = Terrain(word=jax.ShapeDtypeStruct((side, side), jnp.uint32))
    targets = jax.ShapeDtypeStruct((2, 2), jnp.int32)
    tile = f"i32[{distance._TILE + 2},{distance._TILE + 2}]"
    for sizes, tiled in ((CPU, by_tiles), (GPU, False)):
        with use(sizes):
            assert (tile in str(jax.make_jaxpr(distance_maps)(terrain, targets))) == tiled


FULL = {
    "rivers with bridges": lambda: bridged(300),
    "40 walls": lambda: built(300, 40, 20, 120, 2),
    "250 houses": lambda: built(300, 250, 3, 10, 8),
    "30% random": lambda: scattered(300, 0.3, 1),
    "maze": lambda: maze(300),
    "serpentine": lambda: serpentine(300),
    "rings": lambda: rings(300),
}


@pytest.mark.parametrize(
    "ground_of",
    [
        pytest.param(lambda: serpentine(100), id="serpentine of 100", marks=pytest.mark.slow),
        *(pytest.param(make, id=name, marks=pytest.mark.long) for name, make in FULL.items()),
    ],
)
def test_sixteen_maps_are_exact(ground_of: Callable[[], np.ndarray]) -> None:
    """Anywhere, and four of the targets in blocked cells; the longest way has 45,000 steps. Every other is checked."""
    blocked, rng = ground_of(), np.random.default_rng(6)
    walls = np.argwhere(blocked)
    targets = np.concatenate([rng.integers(0, len(blocked), (12, 2)), walls[rng.integers(0, len(walls), 4)]])
    found = np.asarray(distance_maps(ground(blocked), jnp.asarray(targets)))
    for steps, target in zip(found[::2], targets[::2], strict=True):
        np.testing.assert_array_equal(steps, plain(blocked, tuple(target)))


@pytest.mark.parametrize("levels", [2, GPU.levels])
def test_any_number_of_levels_in_a_turn_gives_the_same_maps(levels: int) -> None:
    """More levels than any path has among them."""
    for kind in KINDS:
        blocked = KINDS[kind](13, 5)
        targets = jnp.asarray(np.random.default_rng(5).integers(0, 13, (5, 2)))
        with use(replace(CPU, levels=levels)):
            found = distance_maps(ground(blocked), targets)
        np.testing.assert_array_equal(found, distance_maps(ground(blocked), targets))


def test_target_in_a_river_numbers_the_water_up_to_the_nearest_bank() -> None:
    blocked = np.zeros((9, 9), bool)
    blocked[2:7] = True
    steps = np.asarray(distance_maps(ground(blocked), jnp.array([[3, 4]])))[0]
    assert steps[3, 4] == 0
    assert steps[1, 4] == 2  # the near bank
    assert steps[1, 5] == 3
    assert steps[3, 6] == steps[5, 4] == 2  # water numbered on the way keeps its number
    assert steps[3, 7] == steps[7, 4] == 81  # further water, and the far bank which only the river joins


def test_unreached_and_blocked_cells_hold_the_square_of_the_side() -> None:
    blocked = np.zeros((8, 8), bool)
    blocked[3, :] = True
    steps = np.asarray(distance_maps(ground(blocked), jnp.array([[0, 0]])))[0]
    assert (steps[3:] == 64).all()
    assert (steps[:3] == np.add.outer(np.arange(3), np.arange(8))).all()


def test_forest_is_crossed_and_buildings_are_not() -> None:
    kind = np.zeros((8, 8), np.uint8)
    kind[3], kind[5] = Ground.FOREST, Ground.BUILDING
    steps = np.asarray(distance_maps(make_terrain(kind), jnp.array([[0, 0]])))[0]
    assert steps[4, 0] == 4
    assert (steps[5:] == 64).all()


@pytest.mark.parametrize("count", tiers([1, 16, 17, 70, 8, 9, 33], quick=[1, 16, 17, 70], slow=[8, 9, 33]))
def test_any_number_of_targets_goes_through_at_once(count: int) -> None:
    blocked = scattered(17, 0.3, 5)
    targets = np.random.default_rng(count).integers(0, 17, (count, 2))
    found = np.asarray(distance_maps(ground(blocked), jnp.asarray(targets)))
    assert found.shape == (count, 17, 17)
    for steps, target in zip(found, targets, strict=True):
        np.testing.assert_array_equal(steps, plain(blocked, tuple(target)))


def test_a_target_of_several_cells_is_reached_at_the_nearest_of_its_free_ones() -> None:
    """In any order and repeated; one without free cells begins as a target of one cell does."""
    blocked, rng = scattered(17, 0.3, 5), np.random.default_rng(2)
    walls = np.argwhere(blocked)
    targets = np.concatenate([rng.integers(0, 17, (4, 3, 2)), walls[rng.integers(0, len(walls), (3, 3))]])
    targets = np.concatenate([targets, targets[:, :1]], 1)
    found = np.asarray(distance_maps(ground(blocked), jnp.asarray(targets)))
    for steps, cells in zip(found, targets, strict=True):
        free = [cell for cell in cells if not blocked[tuple(cell)]]
        apart = [np.abs(np.argwhere(~blocked) - cell).sum(1).min() for cell in cells]
        near = free or [cell for cell, steps in zip(cells, apart, strict=True) if steps == min(apart)]
        wanted = np.min([plain(blocked, tuple(cell)) for cell in near], axis=0)
        np.testing.assert_array_equal(steps[~blocked], wanted[~blocked])


Batched = Callable[[Terrain, jax.Array], jax.Array]
BATCHES: dict[str, tuple[Batched, Callable[[np.ndarray], np.ndarray]]] = {  # and the part of all maps that it holds
    "targets of terrains": (
        jax.vmap(jax.vmap(distance_maps, (None, 0))),
        lambda alone: np.stack([alone[g, g] for g in range(3)]),
    ),
    "terrains of targets": (
        lambda terrains, targets: jax.vmap(jax.vmap(distance_maps, (0, None)), (None, 0))(terrains, targets[:, 1]),
        lambda alone: alone[:, :, 1].swapaxes(0, 1),
    ),
    "targets": (
        lambda terrains, targets: jax.vmap(distance_maps, (None, 0))(
            jax.tree.map(lambda leaf: leaf[0], terrains), targets[0]
        ),
        lambda alone: alone[0, 0],
    ),
    "terrains": (
        lambda terrains, targets: jax.vmap(distance_maps, (0, None))(terrains, targets[1, 1]),
        lambda alone: alone[:, 1, 1],
    ),
    "pairs": (
        lambda terrains, targets: jax.vmap(distance_maps)(terrains, targets[:, 0]),
        lambda alone: np.stack([alone[g, g, 0] for g in range(3)]),
    ),
}
QUICK = ("targets of terrains", "terrains of targets")  # the others are parts of these


@pytest.mark.parametrize("over", tiers(BATCHES, quick=QUICK, slow=BATCHES))
def test_batches_over_targets_and_terrains_hold_the_maps_of_single_calls(over: str) -> None:
    blocked = np.stack([scattered(13, 0.3, 7), np.ones((13, 13), bool), rings(13)])
    terrains = jax.vmap(make_terrain)(jnp.asarray(blocked, jnp.uint8))
    targets = jnp.asarray(np.random.default_rng(3).integers(0, 13, (3, 2, 4, 2)))
    alone = np.array(
        [
            [[plain(blocked[g], tuple(t)) for t in np.asarray(targets)[h, k]] for h in range(3) for k in range(2)]
            for g in range(3)
        ]
    ).reshape(3, 3, 2, 4, 13, 13)
    program, part = BATCHES[over]
    np.testing.assert_array_equal(jax.jit(program)(terrains, targets), part(alone))


def test_new_targets_and_new_ground_of_the_same_shape_do_not_retrace() -> None:
    traces = []

    @jax.jit
    def counted(terrain: Terrain, targets: jax.Array) -> jax.Array:
        traces.append(1)
        return distance_maps(terrain, targets)

    for seed in range(3):
        counted(ground(scattered(8, 0.3, seed)), jnp.array([[seed, 1], [2, seed]]))
    assert len(traces) == 1


@pytest.mark.parametrize("world", ["public-w1", "public-w2", "public-w3"])
def test_agrees_with_the_published_code_at_every_unit(world: str, shared: Path) -> None:
    case = json.loads((shared / "golden" / "bt_conformance.json").read_text())["worlds"][world]
    kind = from_rows(case["rows"])
    steps = np.asarray(distance_maps(make_terrain(kind), jnp.array([case["target"]])))[0]
    x, y = np.array(case["position"]).astype(int).T
    compared = (np.array(case["health"]) > 0) & ((kind[x, y] & (Ground.BUILDING | Ground.WATER)) == 0)
    assert compared.sum() > 10
    np.testing.assert_array_equal(steps[x, y][compared], np.array(case["distance_at_unit"], float)[compared])
