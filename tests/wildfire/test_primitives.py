"""Primitives of agents: what each sends and when it is done, row by row of docs/rules/wildfire.md 6.4, 6.5."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.engine import spawning
from hive.engine.dynamics import step
from hive.engine.types import CrewAction, Params, State
from hive.ground.fire import make_fire
from hive.worlds.wildfire.primitives import ONCE, PRIMITIVE_NAMES, Primitive, begin, command, finished
from hive.worlds.wildfire.world import load_level

SIZE = 60
FIREFIGHTER, FELLOW, BULLDOZER, DRONE, HELICOPTER = range(5)  # rows
TYPES = (0, 0, 1, 2, 3)
HOME, WELL, WOOD = (20, 20), (30, 30), (40, 40)
KEY = jax.random.key(0)


@jax.jit
def tick(params: Params, state: State, primitive: Primitive) -> tuple[State, CrewAction, jax.Array]:
    order = command(params, state, primitive)
    state = step(params, state, order, KEY)
    return state, order, finished(params, state, primitive)


first = jax.jit(begin, static_argnames="once")
commanded, done_with = jax.jit(command), jax.jit(finished)


@pytest.fixture(scope="module")
def start() -> tuple[Params, State]:
    """Bare ground, three trees on each cell of row 40, a well, all units at home and a civilian beside them."""
    level = load_level(
        "full_environment", size=SIZE, firefighters=2, bulldozers=1, drones=1, helicopters=1, civilians=1
    )
    trees, water = np.zeros((SIZE, SIZE), np.uint8), np.zeros((SIZE, SIZE), bool)
    trees[:, 40], water[WELL] = 3, True
    params = level.params.replace(
        blaze=level.params.blaze.replace(start=make_fire(trees > 0, trees, np.zeros_like(water))),
        crews=level.params.crews.replace(
            spawn=jnp.tile(jnp.array(HOME, jnp.float32) + 0.5, (5, 1)),
            water=jnp.asarray(water),
            civilian=jnp.array([[21, 20]]),
            walk=jnp.int32(1000),
        ),
    )
    return params, jax.jit(spawning.reset)(params, KEY)


def changed(state: State, at: tuple[int, int] = HOME, unit: int = FIREFIGHTER, **crew: Any) -> State:
    """The state with a unit elsewhere, and with other loads."""
    position = np.array(state.position)
    position[unit] = np.array(at, np.float32) + 0.5
    return state.replace(position=position, crew=state.crew.replace(**crew))


def perform(
    start: tuple[Params, State],
    unit: int,
    kind: int,
    place: tuple[int, int] = (0, 0),
    count: int = 1,
    ticks: int = 10,
    **how: bool,
) -> tuple[list[int], State]:
    """Let one unit do a primitive and all others nothing; return the codes that it sent until it had finished."""
    params, state = start
    kinds = np.zeros(5, np.int32)
    kinds[unit] = kind
    places, counts = np.tile(np.array(place, np.int32), (5, 1)), np.full(5, count, np.int32)
    primitive = first(params, state, kinds, places, counts, **how)
    codes = []
    for _ in range(ticks):
        state, order, done = tick(params, state, primitive)
        codes.append(int(order.code[unit]))
        if done[unit]:
            break
    return codes, state


def cell(state: State, unit: int) -> tuple[int, ...]:
    return tuple(state.position[unit].astype(int).tolist())


@pytest.mark.parametrize(
    ("unit", "kind", "codes"),
    [
        (FIREFIGHTER, 1, [0] * 2),  # 20 cells at 12 a tick
        (BULLDOZER, 1, [0] * 3),  # at 8
        (BULLDOZER, 2, [1] * 5),  # at 4
        (DRONE, 1, [0] * 1),
        (HELICOPTER, 1, [0] * 1),
    ],
)
def test_a_move_finishes_in_the_target_cell(start: Any, unit: int, kind: int, codes: list[int]) -> None:
    place = (20, 39)
    sent, state = perform(start, unit, kind, place)
    assert sent == codes and cell(state, unit) == place
    assert not state.crew.refused


def test_a_bulldozer_that_clears_leaves_no_tree_on_its_way(start: Any) -> None:
    params, state = start
    at = changed(state, (20, 40), BULLDOZER)
    _, driven = perform((params, at), BULLDOZER, 1, (26, 40))
    _, cleared = perform((params, at), BULLDOZER, 2, (26, 40))
    assert (driven.fire.trees[:, 40] == 3).all()
    assert np.flatnonzero(cleared.fire.trees[:, 40] == 0).tolist() == list(range(20, 27))


def test_cutting_n_trees_takes_n_steps_whatever_stands_there(start: Any) -> None:
    params, state = start
    for count in (2, 4):
        sent, after = perform((params, changed(state, WOOD)), FIREFIGHTER, 2, count=count)
        assert sent == [1] * count and int(after.fire.trees[WOOD]) == max(3 - count, 0)


@pytest.mark.parametrize("wet", [0, 30])
def test_cutting_all_trees_is_done_when_none_is_left_on_wet_ground_too(start: Any, wet: int) -> None:
    """The published test looks for the symbol of a dry cell."""
    params, state = start
    state = changed(state, WOOD)
    state = state.replace(fire=state.fire.replace(wet=np.full_like(state.fire.wet, wet)))
    sent, after = perform((params, state), FIREFIGHTER, 3)
    assert sent == [1, 1, 1] and int(after.fire.trees[WOOD]) == 0


def test_picking_up_and_dropping_off_never_undo_each_other(start: Any) -> None:
    params, _ = start
    sent, carried = perform(start, FIREFIGHTER, 4)
    assert sent == [2] and int(carried.crew.bearer[0]) == FIREFIGHTER
    sent, still = perform((params, carried), FIREFIGHTER, 4)
    assert sent == [-1] and int(still.crew.bearer[0]) == FIREFIGHTER
    sent, put = perform((params, carried), FIREFIGHTER, 5)
    assert sent == [2] and int(put.crew.bearer[0]) == -1
    sent, still = perform(start, FIREFIGHTER, 5)
    assert sent == [-1] and int(still.crew.bearer[0]) == -1


def test_spraying_and_refilling_take_a_step(start: Any) -> None:
    params, state = start
    sent, full = perform((params, changed(state, WELL)), FIREFIGHTER, 7)
    assert sent == [4] and int(full.crew.water[FIREFIGHTER]) == 5
    sent, after = perform((params, full), FIREFIGHTER, 6, (35, 30))
    assert sent == [3] and int(after.crew.water[FIREFIGHTER]) == 4
    assert after.fire.wet[32, 30] and not after.fire.wet[28, 30]


def test_a_helicopter_lifts_and_sets_down_and_each_of_its_drops_does_its_own_part(start: Any) -> None:
    """Water is not lost to who wants to set down, as the code that both share would do (docs/rules/wildfire.md 6.4)."""
    params, state = start
    sent, lifted = perform(start, HELICOPTER, 2)
    assert sent == [1] and lifted.crew.aboard.tolist() == [HELICOPTER, HELICOPTER, -1, -1, -1]
    sent, after = perform((params, lifted), HELICOPTER, 5)
    assert sent == [-1] and after.crew.aboard.tolist() == lifted.crew.aboard.tolist()
    sent, after = perform((params, lifted), HELICOPTER, 3)
    assert sent == [3] and (after.crew.aboard == -1).all()

    sent, full = perform((params, changed(state, WELL, HELICOPTER)), HELICOPTER, 4)
    assert sent == [2] and int(full.crew.water[HELICOPTER]) == 5
    sent, after = perform((params, full), HELICOPTER, 3)
    assert sent == [-1] and int(after.crew.water[HELICOPTER]) == 5
    sent, after = perform((params, full), HELICOPTER, 5)
    assert sent == [3] and int(after.crew.water[HELICOPTER]) == 4 and int((after.fire.wet > 0).sum()) == 69


def test_to_do_nothing_is_a_step_in_the_own_cell(start: Any) -> None:
    _, state = start
    for unit in range(5):
        sent, after = perform(start, unit, 0)
        assert sent == [0]
        np.testing.assert_array_equal(after.position, state.position)


@pytest.mark.parametrize(
    ("unit", "kind", "place", "count"),
    [
        (FIREFIGHTER, 8, HOME, 1),
        (FIREFIGHTER, -1, HOME, 1),
        (BULLDOZER, 3, HOME, 1),
        (DRONE, 2, HOME, 1),
        (HELICOPTER, 6, HOME, 1),
        (FIREFIGHTER, 1, (60, 0), 1),
        (FIREFIGHTER, 6, (0, -1), 1),
        (BULLDOZER, 2, (0, 60), 1),  # the published program does not look
        (FIREFIGHTER, 2, HOME, 0),
    ],
)
def test_what_a_unit_cannot_do_costs_one_idle_step_and_is_counted(
    start: Any, unit: int, kind: int, place: tuple[int, int], count: int
) -> None:
    _, state = start
    sent, after = perform(start, unit, kind, place, count)
    assert len(sent) == 1 and int(after.crew.refused) == 1
    np.testing.assert_array_equal(after.position, state.position)


def test_single_steps_are_primitives_of_one_step(start: Any) -> None:
    """docs/rules/wildfire.md 6.5: a firefighter has one number less, and a move ends before it arrives."""
    params, state = start
    assert [PRIMITIVE_NAMES[0][kind] for kind in ONCE[0]] == [
        name for name in PRIMITIVE_NAMES[0] if name != "cut all trees in cell"
    ]
    wood = (params, changed(state, WOOD, water=state.crew.water.at[FIREFIGHTER].set(5)))
    for kind, code in enumerate((0, 0, 1, -1, -1, 3, 4)):  # no civilian is near the wood
        expected = [2] if kind == 3 else [code]
        assert perform(wood, FIREFIGHTER, kind, (40, 59), once=True)[0] == expected
    assert perform(start, FIREFIGHTER, 7, once=True)[1].crew.refused == 1
    for unit in (BULLDOZER, DRONE, HELICOPTER):
        for kind in range(len(PRIMITIVE_NAMES[TYPES[unit]])):
            several = perform(start, unit, kind, (59, 59), ticks=1)[0]
            assert perform(start, unit, kind, (59, 59), once=True)[0] == several


def test_a_finished_primitive_leaves_its_unit_idle_and_dead_units_have_finished(start: Any) -> None:
    params, state = start
    _, after = perform(start, FIREFIGHTER, 2)
    kinds, places = np.full(5, 1, np.int32), np.array([HOME, HOME, HOME, WOOD, WOOD], np.int32)
    primitive = first(params, state, kinds, places, np.ones(5, np.int32))
    health = np.array(state.health)
    health[DRONE] = 0
    dead = state.replace(health=health)
    assert done_with(params, dead, primitive).tolist() == [True, True, True, True, False]
    assert commanded(params, dead, primitive).code.tolist() == [-1, -1, -1, -1, 0]
    assert int(after.tick) == 1


def test_a_batch_of_worlds_chooses_as_each_alone(start: Any) -> None:
    params, state = start
    rng = np.random.default_rng(4)
    kinds, places = rng.integers(-1, 9, (30, 5)), rng.integers(-5, 65, (30, 5, 2))

    def choose(kind: jax.Array, place: jax.Array) -> tuple[Primitive, CrewAction, jax.Array]:
        primitive = begin(params, state, kind, place)
        return primitive, command(params, state, primitive), finished(params, state, primitive)

    alone = jax.jit(choose)
    batch = jax.jit(jax.vmap(choose))(kinds, places)
    for number in range(30):
        each = alone(kinds[number], places[number])
        for one, many in zip(jax.tree.leaves(each), jax.tree.leaves(batch), strict=True):
            np.testing.assert_array_equal(one, many[number])
