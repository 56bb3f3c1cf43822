"""The sweep, the trees and whole ticks agree to the bit with the dense oracle, above and below the dense limit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.scenario.schema import TYPE
from hive.types import Params, State
from hive.units.neighbours import DENSE
from hive.units.push import push
from hive.units.senses import NOBODY, Ask, Senses, sense
from tests.engine.dense import Dense, word_of
from tests.engine.fields import (
    COUNT,
    GROUPS,
    LAYOUTS,
    TARGETS,
    TYPES,
    battlefield,
    mixed_trees,
    orders_for,
    progress_of,
    published,
    tables,
)
from tests.engine.worlds import decide, everyone_in, make_params, make_state, one_order, tick

SLOTS, SEEDS = 4, range(3)
PLAIN = tables(published())

swept = jax.jit(sense)
shoved = jax.jit(push)


def asks(seed: int, params: Params) -> Ask:
    """Random questions, another for each unit and slot."""
    rng = np.random.default_rng(seed)
    shape = (SLOTS, COUNT)
    return Ask(
        mask=jnp.asarray(rng.choice([0xFFFF, 0xFF00, 0x00FF, 0x0702, 0x0005, 0], shape), jnp.int32),
        base=jnp.asarray(rng.choice([1e6, 1.0, 15.0, 0.0], shape), jnp.float32),
        theirs=jnp.asarray(rng.choice([0.0, 1.0], shape), jnp.float32),
        steps=jnp.asarray(rng.integers(0, 4, shape), jnp.float32),
        health=jnp.asarray(rng.choice([np.inf, 0.25, 0.75], shape, p=(0.6, 0.2, 0.2)), jnp.float32),
        order=jnp.asarray(rng.integers(0, 4, shape), jnp.int32),
        flip=jnp.asarray(rng.choice([0, NOBODY], shape), jnp.int32),
        flock=jnp.asarray(rng.choice([0xFFFF, 0xFF00, 0x0003], (1, COUNT)), jnp.int32),
    )


def check_senses(params: Params, state: State, seed: int) -> Senses:
    asked, word = asks(seed, params), 12345 + seed
    found = jax.device_get(swept(params, state, asked, jnp.uint32(word)))
    oracle = Dense(params, state, word)
    key, unit = oracle.ask(asked)
    np.testing.assert_array_equal(found.key, key)
    np.testing.assert_array_equal(found.unit, unit)
    np.testing.assert_array_equal(found.found, unit != NOBODY)

    bit = 1 << (8 * oracle.side + oracle.type)
    others = oracle.sight & ((np.asarray(asked.flock)[0][:, None] & bit) > 0)
    way = oracle.position[None] - oracle.position[:, None]
    steps = np.where(others[..., None], np.round(way * 256), 0).astype(int).sum(1)
    np.testing.assert_array_equal(found.flock_sum[0], steps)
    for number, (x, y) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        corner = (others & (x * way[..., 0] > 0) & (y * way[..., 1] > 0)).any(1)
        np.testing.assert_array_equal(found.flock_quadrants[0] >> number & 1, corner)
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_sweep_answers_every_question_as_all_pairs_do(layout: str) -> None:
    assert COUNT > DENSE
    for seed in SEEDS:
        params, state = battlefield(seed, layout, PLAIN)
        found = check_senses(params, state, seed)
        assert (found.unit != NOBODY).any()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_push_sums_all_pairs(layout: str) -> None:
    for seed in SEEDS:
        params, state = battlefield(seed, layout, PLAIN, firmness=0.5)
        oracle = Dense(params, state, 0)
        expected = oracle.pushed(oracle.position, oracle.alive)
        np.testing.assert_array_equal(np.asarray(shoved(params, state)), expected)
        assert expected.any() or layout in ("border", "mostly dead")


@pytest.mark.parametrize("layout", ["scattered", "one metre"])
def test_every_sight_range_that_a_scenario_may_have_is_honoured(layout: str) -> None:
    params, state = battlefield(0, layout, PLAIN)
    sight = jnp.full_like(params.types.sight, TYPE.keys["sight"].high)

    check_senses(params.replace(types=params.types.replace(sight=sight)), state, 0)


@pytest.mark.parametrize("layout", ["scattered", "one metre"])
def test_every_radius_that_a_scenario_may_have_is_honoured(layout: str) -> None:
    params, state = battlefield(0, layout, PLAIN, firmness=0.5)
    radius = jnp.full_like(params.types.radius, TYPE.keys["radius"].high)
    params = params.replace(types=params.types.replace(radius=radius))

    oracle = Dense(params, state, 0)
    expected = oracle.pushed(oracle.position, oracle.alive)
    np.testing.assert_allclose(np.asarray(shoved(params, state)), expected, atol=1e-3)


@pytest.mark.parametrize("axis", [0, 1])
def test_pairs_at_the_very_edge_of_sight_are_met_across_the_edges_of_cells(axis: int) -> None:
    """One stands the last float below a multiple of the cell, the other exactly 15 m before it; nothing is dropped."""
    edge = np.arange(30, 91, 15, dtype=np.float32)
    far = np.nextafter(edge, np.float32(0))
    far = far[(far - np.float32(15) < edge - 15) & (far - (far - np.float32(15)) == 15)]
    pairs = np.concatenate([far, far - np.float32(15)])
    assert len(far) > 3
    at = np.full((COUNT, 2), 5.5, np.float32)
    at[: len(pairs), axis], at[: len(pairs), 1 - axis] = pairs, 40 + np.tile(np.arange(len(far)) * 0.25, 2)
    side = np.arange(COUNT) >= len(far)
    health = np.where(np.arange(COUNT) < len(pairs), 24.0, 0.0)

    params = make_params(side, np.zeros(COUNT), np.zeros((96, 96), np.uint8), PLAIN)
    for seed in SEEDS:
        check_senses(params, make_state(at, health), seed)


@pytest.mark.parametrize("layout", ["rough", "one metre", "border"])
def test_every_atomic_of_random_trees_decides_as_its_words_say(layout: str) -> None:
    trees = mixed_trees()
    kinds = set()
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        params, state = battlefield(seed, layout, tables(trees), movement_randomness=rng.choice([0.0, 0.5, 5.0]))
        tree = rng.integers(0, len(trees), GROUPS) if seed else rng.permutation(len(trees))[:GROUPS]
        groups = [(int(t), int(rng.integers(len(TARGETS))), TYPES[rng.integers(len(TYPES))]) for t in tree]
        orders, group = orders_for(params, groups), rng.integers(-1, GROUPS, COUNT)
        word = int(rng.integers(2**32))

        action = jax.device_get(decide(params, orders, progress_of(group), state, jnp.uint32(word)).action)

        oracle = Dense(params, state, word, np.asarray(orders.distance), np.array([groups[g][1] for g in group]))
        told = np.where(group >= 0, [groups[g][0] for g in group], -1)
        kind, move, target = oracle.decide(trees, told, [groups[g][2] for g in group])
        np.testing.assert_array_equal(action.kind, kind)
        np.testing.assert_array_equal(action.target[kind == 2], target[kind == 2])
        np.testing.assert_array_equal(action.move[kind == 1], move[kind == 1])
        kinds |= set(kind.tolist())
    assert kinds == {0, 1, 2}


def play_both(layout: str, seed: int, ticks: int) -> Iterator[tuple[Any, ...]]:
    """Ticks of a random war by the engine; what the oracle makes of each state beside it."""
    rng = np.random.default_rng(seed)
    trees = published()
    params, state = battlefield(seed, layout, PLAIN, movement_randomness=5.0, jitter=0.02, firmness=0.2)
    groups = [(i % len(trees), int(rng.integers(len(TARGETS))), TYPES[i // 8]) for i in range(GROUPS)]
    orders, key = orders_for(params, groups), jax.random.key(seed)
    maps = np.asarray(orders.distance)
    for number in range(ticks):
        if number % 10 == 0:
            group = rng.integers(0, GROUPS, COUNT)
        oracle = Dense(params, state, word_of(key, number), maps, np.array([groups[g][1] for g in group]))
        chosen = oracle.decide(trees, np.array([groups[g][0] for g in group]), [groups[g][2] for g in group])
        expected = oracle.after(*chosen)
        state, action = tick(params, orders, progress_of(group), state, key)
        yield chosen, expected, jax.device_get(action), jax.device_get(state)


@pytest.mark.parametrize(("layout", "ticks"), [("rough", 50), ("one metre", 30), ("border", 15)])
def test_a_war_goes_as_the_rules_say_tick_by_tick(layout: str, ticks: int) -> None:
    dead = []
    for (kind, move, target), (position, health, cooldown), action, state in play_both(layout, 1, ticks):
        np.testing.assert_array_equal(action.kind, kind)
        np.testing.assert_array_equal(action.target[kind == 2], target[kind == 2])
        np.testing.assert_array_equal(action.move[kind == 1], move[kind == 1])
        np.testing.assert_array_equal(state.health, health)
        np.testing.assert_array_equal(state.cooldown, cooldown)
        np.testing.assert_array_equal(state.position, position)
        dead.append(int((health == 0).sum()))
    assert dead[-1] > dead[0] + 5


def test_a_small_world_plays_as_it_does_inside_a_large_one() -> None:
    """Below the dense limit all pairs meet at once; with corpses and far strangers added, the tiles take over."""
    rng = np.random.default_rng(3)
    few, many = 80, COUNT
    assert few <= DENSE < many
    kind = np.zeros((96, 96), np.uint8)
    kind[10:16, 10:22], kind[20:22, 5:30] = 4, 1
    at = rng.uniform(4, 40, (many, 2))
    at[few:] = rng.uniform(70, 95, (many - few, 2))  # out of sight of the others; half of them dead
    at[few : few + 30] = at[:30]  # corpses in the midst of the fight
    side, types = rng.integers(0, 2, many), rng.integers(0, 3, many)
    health = np.array([24.0, 2.0, 12.0])[types]
    health[few : few + 60] = 0
    rules = {"movement_randomness": 5.0, "jitter": 0.02, "firmness": 0.2}

    def play(count: int) -> State:
        params = make_params(side[:count], types[:count], kind, PLAIN, **rules)
        state, orders = make_state(at[:count], health[:count]), one_order(params, (20, 20), tree=1)
        group = jnp.where(jnp.arange(count) < few, 0, -1)
        progress = everyone_in(params).replace(group=group)
        for _ in range(40):
            state, _ = tick(params, orders, progress, state, jax.random.key(2))
        return jax.device_get(state)

    small, large = play(few), play(many)

    assert (small.health == 0).sum() > 10
    for field in ("position", "health", "cooldown"):
        np.testing.assert_array_equal(getattr(small, field), getattr(large, field)[:few])
