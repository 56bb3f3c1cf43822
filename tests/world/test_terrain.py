from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive.ground.shapes import Ground
from hive.ground.terrain import (
    Terrain,
    blocks_move,
    blocks_sight,
    cell,
    in_forest,
    lookup,
    make_terrain,
    move_clearance,
    sight_clearance,
)


def random_kind(seed: int, size: int, share: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.choice(
        [Ground.NORMAL, Ground.BUILDING, Ground.WATER, Ground.FOREST], (size, size), p=[1 - share, *[share / 3] * 3]
    ).astype(np.uint8)


def gaps(obstacles: np.ndarray, size: int) -> np.ndarray:
    """Distance between each cell's square and the nearest obstacle's, brute force; infinity without any."""
    x, y = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    nearest = np.full((size, size), np.inf)
    for a, b in obstacles:
        nearest = np.minimum(nearest, np.hypot(np.maximum(abs(x - a) - 1, 0), np.maximum(abs(y - b) - 1, 0)))
    return nearest


def quantised(metres: np.ndarray) -> np.ndarray:
    return np.minimum(np.floor(metres * 8 + 1e-9), 255) / 8


def expected_clearances(kind: np.ndarray) -> list[np.ndarray]:
    blocked = [(kind & (Ground.BUILDING | other)) != 0 for other in (Ground.WATER, Ground.FOREST)]
    return [np.where(each, 0, quantised(gaps(np.argwhere(each), len(kind)))) for each in blocked]


clearances = jax.jit(lambda word: (move_clearance(word), sight_clearance(word)))


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1), size=st.sampled_from([8, 21, 44]), share=st.sampled_from([0, 0.002, 0.02, 0.1, 0.6])
)
def test_clearance_is_the_gap_between_squares_rounded_down(seed: int, size: int, share: float) -> None:
    kind = random_kind(seed, size, share)
    terrain = make_terrain(kind)
    for found, expected in zip(clearances(terrain.word), expected_clearances(kind), strict=True):
        np.testing.assert_array_equal(found, expected)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), share=st.sampled_from([0.005, 0.03, 0.2]))
def test_no_point_strictly_within_the_clearance_is_blocked(seed: int, share: float) -> None:
    size, points = 44, 2000
    kind = random_kind(seed, size, share)
    terrain = make_terrain(kind)
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, size, (points, 2))
    corner = rng.choice([0.0, 1 - 1e-9, np.nan], (points, 2))
    start = cells + np.where(np.isnan(corner), rng.random((points, 2)), corner)
    angle = rng.choice([rng.random(points) * 2 * math.pi, rng.integers(0, 8, points) * math.pi / 4])
    direction = np.stack([np.cos(angle), np.sin(angle)], -1)
    blocks = (Ground.BUILDING | Ground.WATER, Ground.BUILDING | Ground.FOREST)
    for clearance, blocking in zip(clearances(terrain.word), blocks, strict=True):
        radius = np.asarray(clearance, np.float64)[cells[:, 0], cells[:, 1]]
        end = start + direction * (radius * (1 - 1e-6))[:, None]
        there = np.clip(end.astype(int), 0, size - 1)
        hit = (kind[there[:, 0], there[:, 1]] & blocking) != 0
        reached = radius > 0
        assert reached.any()
        assert not hit[reached].any()  # of a point outside the map, the nearest cell's word


def test_clearance_is_capped_below_the_gap_of_what_lies_beyond_its_reach() -> None:
    size = 120
    kind = np.zeros((size, size), np.uint8)
    kind[60, 60] = Ground.BUILDING
    terrain = make_terrain(kind)
    sight = np.asarray(sight_clearance(terrain.word))
    np.testing.assert_array_equal(sight[60 + 1 :, 60], np.minimum(np.arange(size - 61), 31.875))
    np.testing.assert_array_equal(sight[60, :60][::-1], np.minimum(np.arange(60), 31.875))
    assert sight.max() == 31.875
    assert np.asarray(sight_clearance(make_terrain(jnp.zeros((size, size), jnp.uint8)).word)).min() == 31.875


def test_the_border_is_no_obstacle_of_the_clearances() -> None:
    terrain = make_terrain(jnp.zeros((21, 21), jnp.uint8))
    assert not np.asarray(blocks_move(terrain.word)).any()
    assert np.asarray(move_clearance(terrain.word)).min() == 31.875
    assert np.asarray(sight_clearance(terrain.word)).min() == 31.875


@pytest.mark.parametrize(
    ("bit", "move", "sight", "forest"),
    [
        (Ground.NORMAL, False, False, False),
        (Ground.BUILDING, True, True, False),
        (Ground.WATER, True, False, False),
        (Ground.FOREST, False, True, True),
    ],
)
def test_each_kind_blocks_what_the_table_of_terrain_says(bit: int, move: bool, sight: bool, forest: bool) -> None:
    kind = np.zeros((8, 8), np.uint8)
    kind[4, 5] = bit
    terrain = make_terrain(kind)
    word = lookup(terrain, jnp.array([4, 5]))
    assert (bool(blocks_move(word)), bool(blocks_sight(word)), bool(in_forest(word))) == (move, sight, forest)
    assert (float(move_clearance(word)) == 0) == move
    assert (float(sight_clearance(word)) == 0) == sight
    assert terrain.kind.dtype == jnp.uint8
    np.testing.assert_array_equal(terrain.kind, kind)


def test_cell_truncates_and_is_clipped_to_the_map() -> None:
    position = jnp.array([[0.0, 3.999], [-2.5, 4.0], [9.99, 10.0], [25.0, -0.1]])
    assert cell(position, 10).tolist() == [[0, 3], [0, 4], [9, 9], [9, 0]]


def test_lookup_reads_x_then_y_for_any_leading_axes() -> None:
    kind = random_kind(1, 21, 0.5)
    terrain = make_terrain(kind)
    assert terrain.size == 21
    cells = np.random.default_rng(2).integers(0, 21, (4, 5, 2))
    found = np.asarray(jax.jit(lookup)(terrain, jnp.asarray(cells)))
    np.testing.assert_array_equal(found & 7, kind[cells[..., 0], cells[..., 1]])


def test_terrain_is_made_alike_in_a_batch_and_inside_a_compiled_loop() -> None:
    kinds = np.stack([random_kind(seed, 21, 0.1) for seed in range(3)])
    batch = jax.jit(jax.vmap(make_terrain))(kinds)
    for index in range(3):
        np.testing.assert_array_equal(np.asarray(batch.word)[index], make_terrain(kinds[index]).word)

    def burn(_: int, terrain: Terrain) -> Terrain:
        return make_terrain(jnp.where(in_forest(terrain.word), 0, terrain.kind))

    burnt = jax.jit(lambda terrain: jax.lax.fori_loop(0, 1, burn, terrain))(make_terrain(kinds[0]))
    np.testing.assert_array_equal(
        burnt.word, make_terrain(np.where(kinds[0] == Ground.FOREST, np.uint8(0), kinds[0])).word
    )
