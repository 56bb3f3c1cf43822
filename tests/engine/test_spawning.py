"""Start positions (docs/rules/battles.md 2.4)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
from hive.engine.types import State
from hive.engine.units.draws import tick_word
from hive.worlds.battle.world import Battle
from tests.engine.worlds import world_of

GAMES = 400
FREE = {(x, y) for x in range(8, 13) for y in range(20, 25)} - {(8, 20), (9, 20), (10, 24)}

MAP = """
[map]
size = 40
shapes = [
  { terrain = "water", box = [8, 20, 10, 21] },
  { terrain = "building", box = [10, 24, 11, 25] },
  { terrain = "forest", box = [11, 20, 13, 22] },
]
[player]
units = [
  { type = "archer", count = 3, box = [0.2, 0.5, 0.1, 0.1] },
  { type = "cavalry", count = 2, box = [0.9, 0.9, 0.1, 0.1] },
]
[enemy]
units = [{ type = "spearmen", count = 4, box = [0.0, 0.0, 1.0, 1.0] }]
"""


@pytest.fixture(scope="module")
def world() -> Battle:
    return world_of(MAP)


@pytest.fixture(scope="module")
def starts(world: Battle) -> State:
    keys = jax.vmap(jax.random.key)(jnp.arange(GAMES))
    return jax.device_get(jax.jit(jax.vmap(hive.reset, (None, 0)))(world.params, keys))


def test_units_start_on_free_cells_of_their_box_both_ends_included(starts: State) -> None:
    """Candidates are floor(x S) to floor(x S) + ceil(w S); not water, not building; forest is allowed."""
    cells = {tuple(cell) for cell in starts.position[:, :3].reshape(-1, 2).astype(int)}

    assert cells == FREE


def test_boxes_end_with_the_map(starts: State) -> None:
    cells = {tuple(cell) for cell in starts.position[:, 3:5].reshape(-1, 2).astype(int)}

    assert cells == {(x, y) for x in range(36, 40) for y in range(36, 40)}


def test_no_unit_starts_in_water_or_a_building(world: Battle, starts: State) -> None:
    at = starts.position.astype(int)

    assert not (world.kind[at[..., 0], at[..., 1]] & 3).any()


def test_every_free_cell_is_as_likely(starts: State) -> None:
    cells = starts.position[:, :3].reshape(-1, 2).astype(int)
    _, counts = np.unique(cells, axis=0, return_counts=True)

    expected = len(cells) / len(FREE)
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert chi_square < 46.8  # 99.9 % for 22 cells less one is 46.8


def test_places_in_a_cell_are_uniform_from_a_quarter_to_three_quarters(starts: State) -> None:
    offset = (starts.position % 1).reshape(-1, 2)

    assert offset.min() >= 0.25
    assert offset.max() <= 0.75
    deciles = np.quantile(offset, np.arange(0.1, 1, 0.1), axis=0)
    np.testing.assert_allclose(deciles, np.arange(0.3, 0.75, 0.05)[:, None] * np.ones(2), atol=0.02)


def test_units_start_with_full_health_ready_and_at_tick_zero(starts: State) -> None:
    assert (starts.health == [2, 2, 2, 12, 12, 24, 24, 24, 24]).all()
    assert not starts.cooldown.any()
    assert not starts.tick.any()


def test_units_of_one_box_and_games_of_other_seeds_differ(starts: State) -> None:
    first = starts.position[:, :3]

    assert len(np.unique(first.reshape(-1, 2), axis=0)) == 3 * GAMES


def test_the_word_of_a_tick_is_that_of_jax() -> None:
    """Games of a seed are those that JAX's own functions draw, though the engine hashes by itself."""
    keys = jax.vmap(jax.random.key)(jnp.array([0, 1, 7, 2**31, 2**32 - 1], jnp.uint32))
    ticks = jnp.array([-1, 0, 1, 276, 2**31 - 1], jnp.int32)

    def of_jax(key: jax.Array, tick: jax.Array) -> jax.Array:
        return jax.random.bits(jax.random.fold_in(key, tick), dtype=jnp.uint32)

    both = jax.jit(jax.vmap(jax.vmap(lambda *of: (tick_word(*of), of_jax(*of)), (None, 0)), (0, None)))
    own, theirs = both(keys, ticks)
    np.testing.assert_array_equal(own, theirs)
    assert len(np.unique(own)) == own.size


def test_the_word_of_a_tick_is_hashed_once() -> None:
    """XLA does not hash it again for each element of what reads it, which took half of a tick of small worlds."""

    @jax.jit
    def read(key: jax.Array, tick: jax.Array) -> jax.Array:
        return tick_word(key, tick) ^ jnp.arange(1000, dtype=jnp.uint32)

    program = read.lower(jax.random.key(0), jnp.int32(5)).compile().as_text()
    assert program is not None
    readers = [part for part in program.split("\n}\n") if "= u32[1000]" in part]
    assert readers
    assert sum(part.count(" xor(") for part in readers) <= 3
