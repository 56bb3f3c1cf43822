"""The sweep, the trees and whole ticks agree to the bit with the dense oracle, above and below the dense limit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.engine.types import Params, State
from hive.engine.units.push import push
from hive.engine.units.senses import NOBODY, Senses, ask, sense
from hive.ground.shapes import Ground
from hive.ground.sizes import CPU, GPU, Sizes, use
from hive.kit.keep.reading import limits
from hive.worlds.battle.scenario.schema import TypeTable
from tests.engine.dense import Dense, word_of
from tests.engine.fields import (
    COUNT,
    FEW,
    GROUPS,
    LAYOUTS,
    SIDE,
    TARGETS,
    TYPES,
    battlefield,
    contact,
    mixed_trees,
    orders_for,
    progress_of,
    published,
    tables,
)
from tests.engine.games import compiled
from tests.engine.questions import asks
from tests.engine.worlds import decide, make_params, make_state, tick

SEEDS = range(3)
PLAIN = tables(published())

swept, resolve = jax.jit(sense), jax.jit(ask)
shoved = jax.jit(push)


def check_senses(params: Params, state: State, seed: int) -> Senses:
    asked, word = asks(seed, params.count), 12345 + seed
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


BY_SIZES = pytest.mark.parametrize(
    "sizes", [CPU, pytest.param(replace(GPU, matrix=0), marks=pytest.mark.slow)], ids=["CPU", "GPU"]
)


@BY_SIZES
@pytest.mark.parametrize("count", [COUNT, FEW])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_sweep_answers_every_question_as_all_pairs_do(layout: str, count: int, sizes: Sizes) -> None:
    assert FEW <= CPU.dense < COUNT
    for seed in SEEDS:
        params, state = battlefield(seed, layout, PLAIN, count)
        with use(sizes):
            found = check_senses(params, state, seed)
        assert (found.unit != NOBODY).any()


@BY_SIZES
@pytest.mark.parametrize("count", [COUNT, FEW])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_push_sums_all_pairs(layout: str, count: int, sizes: Sizes) -> None:
    pushed = 0
    for seed in SEEDS:
        params, state = battlefield(seed, layout, PLAIN, count, firmness=0.5)
        oracle = Dense(params, state, 0)
        expected = oracle.pushed(oracle.position, oracle.alive)
        with use(sizes):
            np.testing.assert_array_equal(np.asarray(shoved(params, state)), expected)
        pushed += np.count_nonzero(expected)
    assert pushed or layout == "mostly dead"


@pytest.mark.parametrize("layout", ["scattered", "one metre"])
def test_every_sight_range_that_a_scenario_may_have_is_honoured(layout: str) -> None:
    params, state = battlefield(0, layout, PLAIN)
    sight = jnp.full_like(params.types.sight, limits(TypeTable, "sight").le)

    check_senses(params.replace(types=params.types.replace(sight=sight)), state, 0)


@pytest.mark.parametrize("layout", ["scattered", "one metre"])
def test_every_radius_that_a_scenario_may_have_is_honoured(layout: str) -> None:
    params, state = battlefield(0, layout, PLAIN, firmness=0.5)
    radius = jnp.full_like(params.types.radius, limits(TypeTable, "radius").le)
    params = params.replace(types=params.types.replace(radius=radius))

    oracle = Dense(params, state, 0)
    expected = oracle.pushed(oracle.position, oracle.alive)
    np.testing.assert_allclose(np.asarray(shoved(params, state)), expected, atol=1e-3)


def test_worlds_of_one_batch_push_by_their_own_radii() -> None:
    """The cells of the sweep are as wide as the largest radii of a world."""
    params, state = battlefield(0, "scattered", PLAIN, firmness=0.5)
    worlds = [params.replace(types=params.types.replace(radius=params.types.radius * by)) for by in (0.5, 1.0, 4.0)]
    found = jax.jit(jax.vmap(lambda radius: push(params.replace(types=params.types.replace(radius=radius)), state)))(
        jnp.stack([world.types.radius for world in worlds])
    )
    for world, pushed in zip(worlds, found, strict=True):
        oracle = Dense(world, state, 0)
        expected = oracle.pushed(oracle.position, oracle.alive)
        assert expected.any()
        np.testing.assert_allclose(pushed, expected, atol=1e-3)


@pytest.mark.slow
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


@pytest.mark.slow
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


def war(params: Params, state: State, seed: int, ticks: int, plays: tuple[Any, ...] = (tick,)) -> State:
    """Ticks of a war under random orders; at each the oracle is asked what every program ought to make of the state."""
    rng = np.random.default_rng(seed)
    trees = published()
    groups = [(i % len(trees), int(rng.integers(len(TARGETS))), TYPES[i // 8]) for i in range(GROUPS)]
    orders, key = orders_for(params, groups), jax.random.key(seed)
    maps = np.asarray(orders.distance)
    for number in range(ticks):
        if number % 10 == 0:
            group = rng.integers(0, GROUPS, params.count)
        oracle = Dense(params, state, word_of(key, number), maps, np.array([groups[g][1] for g in group]))
        asked = resolve(params, orders.plan.tree[group], orders.plan.types[group])
        kind, move, target = oracle.decide(
            trees, np.array([groups[g][0] for g in group]), [groups[g][2] for g in group]
        )
        answers, after, before = oracle.ask(asked), oracle.after(kind, move, target), state
        for play in plays:
            state, decision = jax.device_get(play(params, orders, progress_of(group), before, key))
            for found, expected in zip((decision.senses.key, decision.senses.unit), answers, strict=True):
                np.testing.assert_array_equal(found, expected)
            action = decision.action
            np.testing.assert_array_equal(action.kind, kind)
            np.testing.assert_array_equal(action.target[kind == 2], target[kind == 2])
            np.testing.assert_array_equal(action.move[kind == 1], move[kind == 1])
            for field, expected in zip(("position", "health", "cooldown"), after, strict=True):
                np.testing.assert_array_equal(getattr(state, field), expected)
    return state


@pytest.mark.long
def test_a_war_goes_as_the_rules_say_with_the_sizes_of_a_gpu() -> None:
    with use(GPU):
        random_war("rough", 1, 20, FEW)


def random_war(layout: str, seed: int, ticks: int, count: int, plays: tuple[Any, ...] = (tick,)) -> None:
    params, began = battlefield(seed, layout, PLAIN, count, movement_randomness=5.0, jitter=0.02, firmness=0.2)
    ended = war(params, began, seed, ticks, plays)
    moved = np.abs(ended.position - began.position)[np.asarray(ended.alive)]
    assert (moved > 1).any()
    assert layout == "one side" or ended.alive.sum() < began.alive.sum() - 2


@pytest.mark.parametrize(
    ("layout", "count", "ticks"),
    [
        pytest.param("rough", COUNT, 50, marks=pytest.mark.long),
        pytest.param("one metre", COUNT, 30, marks=pytest.mark.long),
        pytest.param("border", COUNT, 15, marks=pytest.mark.long),
        ("rough", FEW, 12),
    ],
)
def test_a_war_goes_as_the_rules_say_tick_by_tick(layout: str, count: int, ticks: int) -> None:
    random_war(layout, 1, ticks, count)


tick_by_tiles = compiled(tick.__wrapped__, replace(CPU, dense=0))


@pytest.mark.long  # tests/engine/test_paths.py asks both ways the same questions in CI
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_way_goes_as_the_rules_say(layout: str) -> None:
    """By all pairs and by tiles: the same choices in every tick, the same positions in the end."""
    ticks = {"mostly dead": 100, "rough": 20}.get(layout, 40)
    random_war(layout, 2, ticks, FEW, (tick, tick_by_tiles))


@pytest.mark.long
def test_five_hundred_against_five_hundred_in_a_few_metres_sense_and_push_as_all_pairs_do() -> None:
    params, state = contact()
    found = check_senses(params, state, 0)
    assert (found.unit != NOBODY).mean() > 0.3

    oracle = Dense(params, state, 0)
    near = (oracle.apart < 4) & oracle.alive
    assert near[oracle.alive].sum(1).mean() > 40
    expected = oracle.pushed(oracle.position, oracle.alive)
    np.testing.assert_array_equal(np.asarray(shoved(params, state)), expected)
    assert (expected[oracle.alive] != 0).any(1).mean() > 0.5


@pytest.mark.long
def test_five_hundred_against_five_hundred_fight_as_the_rules_say() -> None:
    params, began = contact()
    ended = war(params, began, 3, 10)
    assert ended.alive.sum() < began.alive.sum() - 20


@pytest.mark.long
def test_a_small_world_plays_as_it_does_inside_a_large_one() -> None:
    """Below the dense limit all pairs meet at once; with corpses and far strangers added, the tiles take over."""
    rng = np.random.default_rng(3)
    few, many = FEW, COUNT
    assert few <= CPU.dense < many
    kind = np.zeros((SIDE, SIDE), np.uint8)
    kind[6:12, 6:18], kind[16:18, 1:20] = Ground.FOREST, Ground.BUILDING
    at = rng.uniform(1, 24, (many, 2))
    at[few:] = rng.uniform((45, 1), SIDE - 1, (many - few, 2))  # out of sight of the others; half of them dead
    at[few : few + 30] = at[:30]  # corpses in the midst of the fight
    side, types = rng.integers(0, 2, many), rng.integers(0, 3, many)
    health = np.array([24.0, 2.0, 12.0])[types]
    health[few : few + 60] = 0
    rules = {"movement_randomness": 5.0, "jitter": 0.02, "firmness": 0.2}

    def play(count: int) -> State:
        params = make_params(side[:count], types[:count], kind, PLAIN, **rules)
        state, orders = make_state(at[:count], health[:count]), orders_for(params, [(1, 0, ())] * GROUPS)
        progress = progress_of(np.where(np.arange(count) < few, 0, -1))
        for _ in range(40):
            state, _ = tick(params, orders, progress, state, jax.random.key(2))
        return jax.device_get(state)

    small, large = play(few), play(many)

    assert (small.health == 0).sum() > 10
    assert large.position[few + 60 :, 0].min() - small.position[:, 0].max() > 15
    for field in ("position", "health", "cooldown"):
        np.testing.assert_array_equal(getattr(small, field), getattr(large, field)[:few])
