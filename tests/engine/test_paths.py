"""The same seed gives the same game with any sizes: all pairs at once, or sorted tiles in blocks of any size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest import mock

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
from hive.engine.types import Params, State
from hive.engine.units import neighbours
from hive.engine.units.neighbours import make_tiles
from hive.engine.units.push import PUSH_CELL, push
from hive.engine.units.senses import SIGHT_CELL, SenseQueries, Senses, sense
from hive.ground.sizes import CPU, GPU, Sizes, use
from tests.engine.fields import COUNT, FEW, LAYOUTS, SIDE, battlefield, published, tables
from tests.engine.games import LARGE, SMALL, compiled, keys, many, of, rollout, same, whole
from tests.engine.questions import asks

PAIRS, TILES = replace(CPU, dense=2**20), replace(CPU, dense=0)
SIZES = {
    "GPU's": replace(GPU, dense=0, matrix=0),
    "large": replace(TILES, block=1024, chunk=128, tile=32, pairs=4096, lines=4096, fans=512),
    "least": replace(TILES, block=1, chunk=1, tile=1, pairs=1, lines=1, fans=1, units=1),
    "small": replace(TILES, block=4, chunk=2, tile=16, pairs=8, lines=2, fans=4, units=32, flat=True),
}
WAYS = {"all pairs": PAIRS, "tiles": TILES, "GPU": GPU} | SIZES
PLAIN = tables(published())


def both(params: Params, state: State, asked: SenseQueries) -> tuple[Senses, jax.Array]:
    """Either sweep."""
    return sense(params, state, asked, jnp.uint32(77)), push(params, state)


usual = compiled(both, CPU)


def text(function: Callable[..., Any], *arguments: Any) -> str:
    return str(jax.make_jaxpr(function)(*arguments))


@pytest.mark.slow
def test_sizes_are_read_when_a_program_is_traced_and_no_cached_trace_serves_others() -> None:
    """Else the tests below would compare a program with itself."""
    assert FEW <= CPU.dense < COUNT
    params, state = battlefield(0, "rough", PLAIN, FEW)
    with use(TILES):
        assert " sort[" in text(both, params, state, asks(0, FEW))
    assert " sort[" not in text(both, params, state, asks(0, FEW))

    params, state = battlefield(0, "rough", PLAIN)
    seen = set()
    for sizes in (CPU, SIZES["least"], SIZES["small"], CPU):
        with use(sizes):
            made = text(both, params, state, asks(0, COUNT))
        seen.add(made)
        assert f",{sizes.chunk},{sizes.tile}]" in made
    with use(PAIRS):
        assert " sort[" not in text(both, params, state, asks(0, COUNT))
    assert len(seen) == 3


@pytest.mark.long
def test_sizes_are_read_when_whole_games_are_traced() -> None:
    assert SMALL.params.count <= CPU.dense < LARGE.params.count
    small, large = ((*whole(world), jax.random.key(0)) for world in (SMALL, LARGE))
    with use(TILES):
        assert " sort[" in text(hive.rollout, *small)
    with use(PAIRS):
        assert " sort[" not in text(hive.rollout, *large)


@pytest.mark.long
def test_a_large_game_by_all_pairs_is_the_game_by_tiles() -> None:
    params, plan = whole(LARGE)

    played = jax.device_get(compiled(hive.rollout, PAIRS)(params, plan, jax.random.key(4)))

    same(played, jax.device_get(rollout(params, plan, jax.random.key(4))))
    assert played.survivors.sum() < 0.8 * params.count


@pytest.mark.long
@pytest.mark.parametrize(("size", "batched"), [("GPU's", False), ("least", True)])
def test_small_games_by_tiles_of_any_size_are_games_by_all_pairs(size: str, batched: bool) -> None:
    params, plan = whole(SMALL)
    way, seeds = SIZES[size], (4, 9)[: 1 + batched]
    games = [jax.device_get(rollout(params, plan, jax.random.key(seed))) for seed in seeds]
    if batched:
        played = jax.device_get(compiled(many, way)(params, plan, keys(list(seeds))))
        for place, game in enumerate(games):
            same(of(played, place), game)
    else:
        same(jax.device_get(compiled(hive.rollout, way)(params, plan, jax.random.key(seeds[0]))), games[0])
    assert all(game.survivors.sum() < 0.8 * params.count for game in games)


@pytest.mark.parametrize(
    ("way", "count"),
    [
        pytest.param(PAIRS, COUNT, marks=pytest.mark.long),
        pytest.param(TILES, FEW, marks=pytest.mark.slow),
        (GPU, FEW),
        pytest.param(GPU, COUNT, marks=pytest.mark.long),
        pytest.param(SIZES["small"], COUNT, marks=pytest.mark.long),
        pytest.param(SIZES["small"], FEW, marks=pytest.mark.slow),
        *(pytest.param(SIZES[size], FEW, marks=pytest.mark.long) for size in SIZES if size != "small"),
    ],
    ids=lambda value: next((name for name, sizes in WAYS.items() if sizes == value), str(value)),
)
def test_every_way_answers_and_pushes_alike(way: Sizes, count: int) -> None:
    other = compiled(both, way)
    for seed, layout in enumerate(LAYOUTS):
        params, state = battlefield(seed, layout, PLAIN, count, firmness=0.5)
        asked = asks(seed, count)

        chex.assert_trees_all_equal(other(params, state, asked), usual(params, state, asked))


# sorting

packed = neighbours._sort


def wide(key: jax.Array, most: int) -> tuple[jax.Array, jax.Array]:
    """The sort as it is for keys that do not fit one word beside the row."""
    del most
    return packed(key, 2**32)


def with_wide_keys(function: Callable[..., Any]) -> Callable[..., Any]:
    """A program that sorts keys apart from rows. No other uses its sizes, so that no cached trace serves it."""

    def fresh(*arguments: Any) -> Any:
        with mock.patch.object(neighbours, "_sort", wide), use(replace(CPU, ways=2 * CPU.ways)):
            return function(*arguments)

    return jax.jit(fresh)


@pytest.mark.parametrize("rows", [1, 2, 37, 4096, 5000])
def test_a_wide_key_sorts_as_a_packed_one(rows: int) -> None:
    """By key, and equal keys by row."""
    rng = np.random.default_rng(rows)
    for most in (1, 2, 50, 2**19):
        key = jnp.asarray(rng.integers(0, most, rows), jnp.int32)
        stable = np.argsort(np.asarray(key), kind="stable")
        for sort in (packed, wide):
            found, order = sort(key, most)
            np.testing.assert_array_equal(order, stable)
            np.testing.assert_array_equal(found, np.asarray(key)[stable])
            assert found.dtype == order.dtype == jnp.int32


@pytest.mark.parametrize(("bits", "operands"), [(15, 1), (16, 2), (31, 2)])
def test_keys_that_do_not_fit_beside_the_row_are_sorted_all_the_same(bits: int, operands: int) -> None:
    """70,000 rows leave 15 bits for the key."""
    key = np.random.default_rng(bits).integers(2**bits - 2**bits // 7, 2**bits, 70_000).astype(np.int32)

    def sort(key: jax.Array) -> tuple[jax.Array, jax.Array]:
        return packed(key, 2**bits)

    (equation,) = (each for each in jax.make_jaxpr(sort)(key).eqns if "sort" in str(each))
    assert len(equation.invars) == operands

    found, order = jax.jit(sort)(key)
    stable = np.argsort(key, kind="stable")
    np.testing.assert_array_equal(order, stable)
    np.testing.assert_array_equal(found, key[stable])


@pytest.mark.parametrize("cell", [PUSH_CELL, SIGHT_CELL])
def test_a_wide_key_cuts_the_same_tiles(cell: float) -> None:
    def cut(position: jax.Array, alive: jax.Array) -> Any:
        return make_tiles(position, alive, SIDE, cell, CPU)

    cut_usual, cut_wide = jax.jit(cut), with_wide_keys(cut)
    for layout in LAYOUTS:
        worlds = [battlefield(seed, layout, PLAIN)[1] for seed in range(3)]
        position, alive = (jnp.stack([getattr(state, f) for state in worlds]) for f in ("position", "alive"))

        chex.assert_trees_all_equal(cut_wide(position, alive), cut_usual(position, alive))


def test_only_tiles_with_units_have_work() -> None:
    """Also where the map is one column wide, so that the cells round no unit at all are those of all units."""
    position = np.random.default_rng(0).uniform(0, 10, (2, 500, 2)).astype(np.float32)
    cut = jax.jit(lambda present: make_tiles(jnp.asarray(position), present, 10, 12.0, CPU))
    for alive in (500, 100, 0):
        tiles = cut(np.broadcast_to(np.arange(500) < alive, (2, 500)))
        assert int(tiles.busy) == np.count_nonzero(np.asarray(tiles.table)[:, 1]) == 2 * -(-alive // CPU.tile)


@pytest.mark.long
def test_the_sweeps_are_the_same_with_a_wide_key() -> None:
    other = with_wide_keys(both)
    for seed, layout in enumerate(LAYOUTS):
        params, state = battlefield(seed, layout, PLAIN, firmness=0.5)
        asked = asks(seed, COUNT)

        chex.assert_trees_all_equal(other(params, state, asked), usual(params, state, asked))
