"""Crews, civilians and the explored map against plain loops over units and frames (docs/rules/wildfire.md 3 to 5)."""

from __future__ import annotations

from functools import partial

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.engine.crews.score_rules import LevelGame
from hive.engine.dynamics import step
from hive.engine.spawning import reset
from hive.engine.types import Blaze, CrewAction, Params, State
from hive.engine.units import draws
from hive.ground.fire import make_fire, make_fuel
from hive.ground.sizes import GPU, use
from hive.worlds.wildfire.world import load_level
from tests.engine.crew_oracle import ACTIONS, Civilian, F, H, Unit, World
from tests.lanes import lane_of, stack_lanes
from tests.world.fire_oracle import make_map

SIZE, TICKS = 24, 40
CREW = {"firefighters": 5, "bulldozers": 2, "drones": 1, "helicopters": 2}
KEY = jax.random.key(3)

begun = jax.jit(lambda params: reset(params, KEY))
WORLD = jax.jit(lambda params, state, command: step(params, state, command, KEY))
WORLDS = jax.jit(jax.vmap(lambda params, state, command: step(params, state, command, KEY)))


def make_world(seed: int, shared: bool) -> tuple[Params, World]:
    """The same random world twice: steep ground that burns well, and all units close together."""
    rng = np.random.default_rng(seed)
    level = load_level("full_environment", shared=shared, burnt_kills=bool(seed % 2), civilians=8, size=60, **CREW)
    ground = make_map(rng, SIZE, 0.04)
    wells = rng.random((SIZE, SIZE)) < 0.15
    ground.trees[wells], ground.burnable[wells], ground.building[wells] = 0, False, False
    ground.condition[wells] = 1
    lit = np.zeros((SIZE, SIZE), bool)
    lit[tuple(rng.integers(1, SIZE - 1, (2, 3)))] = True
    plain_fields = (ground.burnable, ground.trees, ground.building)
    fire = make_fire(*(jnp.array(each) for each in plain_fields), jnp.asarray(lit))  # copies: the plain ones change
    for cell in map(tuple, np.argwhere(lit).tolist()):
        ground.light(cell)
    fuel = make_fuel(*(jnp.asarray(each, jnp.float32) for each in (ground.elevation, ground.moisture, ground.wind)))
    params = level.params
    spawn = rng.uniform(4, SIZE - 4, (params.count, 2)).astype(np.float32)
    civilian = rng.integers(3, SIZE - 3, (len(params.crews.civilian), 2)).astype(np.int32)
    task = params.crews.task.replace(game=jnp.int32(LevelGame.RESCUE), goal=jnp.array([4, 4]))
    params = params.replace(
        terrain=jax.tree.map(lambda leaf: leaf[..., :SIZE, :SIZE], params.terrain),
        blaze=Blaze(fuel=fuel, start=fire, period=jnp.int32(2), harm=jnp.float32(0)),
        crews=params.crews.replace(
            spawn=jnp.asarray(spawn), water=jnp.asarray(wells), civilian=jnp.asarray(civilian), task=task
        ),
    )
    return params, World(
        ground=ground,
        units=[Unit(int(kind), *at) for kind, at in zip(params.units.type, spawn, strict=True)],
        civilians=[Civilian(tuple(cell)) for cell in civilian.tolist()],
        wells=set(map(tuple, np.argwhere(wells).tolist())),
        period=2,
        walk=int(params.crews.walk),
        safe=(4, 4),
        burnt_kills=bool(seed % 2),
        shared=shared,
    )


def choose(rng: np.random.Generator, plain: World) -> list[tuple[int, tuple[int, int]]]:
    """Commands of all kinds, mostly possible ones; many meet at the helicopters."""
    orders = []
    flying = [unit.cell for unit in plain.units if unit.kind == H]
    for unit in plain.units:
        code = int(rng.integers(-1, ACTIONS[unit.kind] + 1))
        if unit.kind in (F, H) and unit.cell in plain.wells and not unit.water and rng.random() < 0.5:
            code = 4 if unit.kind == F else 2
        elif unit.kind == H and not unit.water and rng.random() < 0.4:
            code = 1
        x, y = np.array(unit.cell) + rng.integers(-8, 9, 2)
        if rng.random() < 0.9:
            x, y = np.clip((x, y), 0, SIZE - 1)
        if unit.kind == F and rng.random() < 0.3:
            x, y = flying[0]
        orders.append((code, (int(x), int(y))))
    return orders


def command_of(orders: list[tuple[int, tuple[int, int]]]) -> CrewAction:
    return CrewAction(
        code=jnp.array([code for code, _ in orders], jnp.int32), place=jnp.array([at for _, at in orders], jnp.int32)
    )


def assert_equal(state: State, plain: World) -> None:
    crew, fire, units = state.crew, state.fire, plain.units
    told = f"tick {plain.tick}"
    np.testing.assert_array_equal(state.alive, [unit.alive for unit in units], told)
    np.testing.assert_array_equal(state.position, [(unit.x, unit.y) for unit in units], told)
    np.testing.assert_array_equal(crew.water, [unit.water for unit in units], told)
    np.testing.assert_array_equal(crew.aboard, [unit.aboard for unit in units], told)
    np.testing.assert_array_equal(crew.civilian, [each.cell for each in plain.civilians], told)
    for name in ("living", "walking", "bearer"):
        np.testing.assert_array_equal(getattr(crew, name), [getattr(each, name) for each in plain.civilians], told)
    for name in ("condition", "trees", "wet", "building", "trees_lost", "buildings_lost"):
        np.testing.assert_array_equal(getattr(fire, name), getattr(plain.ground, name), f"{told} {name}")
    np.testing.assert_array_equal(np.reshape(crew.seen, plain.seen.shape), plain.seen, told)
    assert (int(crew.refused), int(state.tick)) == (plain.refused, plain.tick)


@partial(jax.jit, static_argnums=1)
def drawn(tick: jax.Array, count: int) -> jax.Array:
    word = draws.tick_word(KEY, tick)
    return draws.uniform(draws.unit_words(word, jnp.arange(count), draws.Stream.CIVILIAN))


def draws_of(tick: int, count: int) -> np.ndarray:
    return np.asarray(drawn(np.int32(tick), count))


EVENTS = {
    *("lifted", "set down", "filled", "dropped water", "picked up", "put down", "put out", "burnt", "bearer died"),
    *("sprayed", "wandered", "civilian died"),
}


@pytest.mark.slow
def test_a_crew_does_in_every_tick_what_plain_loops_do() -> None:
    """Random commands, possible and not, on random burning maps: every array of the state, bit for bit."""
    happened: set[str] = set()
    for seed in range(3):
        rng = np.random.default_rng(100 + seed)
        params, plain = make_world(seed, shared=True)
        state = begun(params)
        assert_equal(state, plain)
        state = state.replace(crew=state.crew.replace(water=5 * (params.units.type == F).astype(jnp.int32)))
        for unit in plain.units:
            unit.water = 5 * (unit.kind == F)
        for tick in range(TICKS):
            orders = choose(rng, plain)
            plain.play(orders, draws_of(tick, len(plain.civilians)))
            state = WORLD(params, state, command_of(orders))
            assert_equal(state, plain)
        happened |= plain.happened
        assert plain.refused
    assert happened == EVENTS


@pytest.mark.long
def test_a_crew_does_the_same_with_the_sizes_of_a_gpu() -> None:
    """Whose program has no branches, and records all places of a tick at once."""
    rng = np.random.default_rng(4)
    params, plain = make_world(1, shared=True)
    usual = state = begun(params)
    for tick in range(TICKS // 2):
        orders = choose(rng, plain)
        plain.play(orders, draws_of(tick, len(plain.civilians)))
        usual = WORLD(params, usual, command_of(orders))
        with use(GPU):
            state = WORLD(params, state, command_of(orders))
        chex.assert_trees_all_equal(state, usual)


@pytest.mark.long
def test_worlds_of_a_batch_play_as_each_alone_and_units_may_have_maps_of_their_own() -> None:
    """Three worlds in one `vmap`, unshared maps: each is what its own plain loops give."""
    rng = np.random.default_rng(8)
    params, plain = zip(*(make_world(seed, shared=False) for seed in range(3)), strict=True)
    batch = stack_lanes(*params)
    state = jax.vmap(lambda params: reset(params, KEY))(batch)
    for tick in range(TICKS // 2):
        orders = [choose(rng, each) for each in plain]
        for each, own in zip(plain, orders, strict=True):
            each.play(own, draws_of(tick, len(each.civilians)))
        state = WORLDS(batch, state, stack_lanes(*map(command_of, orders)))
        for number, each in enumerate(plain):
            assert_equal(lane_of(state, number), each)
