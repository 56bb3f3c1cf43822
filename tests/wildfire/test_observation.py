"""What agents see and how they act as numbers and text (docs/rules/wildfire.md 6)."""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
import hive.rl
from dsl import UserError
from hive.engine import spawning
from hive.engine.crews.explored import SYMBOLS
from hive.engine.types import Params, State
from hive.worlds.wildfire.action_tensor import ACTIONS, check_actions, commands
from hive.worlds.wildfire.levels import find_level
from hive.worlds.wildfire.maps.host_land import make_map
from hive.worlds.wildfire.maps.host_places import Places
from hive.worlds.wildfire.maps.site import Site
from hive.worlds.wildfire.minimap import minimap_text, window_of, window_text
from hive.worlds.wildfire.observation import observe, published_observation, task_numbers
from hive.worlds.wildfire.world import Fireground, load_level
from tests.lanes import stack_lanes

CREW = {"firefighters": 3, "bulldozers": 1, "drones": 2, "helicopters": 2}  # rows 0-2, 3, 4-5, 6-7
RADIUS = (10, 10, 25, 30)
SIZE = 60
KEY = jax.random.key(0)
see = jax.jit(observe, static_argnums=3)
begin = jax.jit(spawning.reset)


@jax.jit
def step(params: Params, state: State, actions: np.ndarray) -> State:
    return hive.step(params, state, commands(params, actions), KEY)


@pytest.fixture(scope="module")
def world() -> Fireground:
    return load_level("full_environment", size=SIZE, **CREW)


def busy_state(params: Params, shared: bool, seed: int = 0) -> State:
    """Units in corners, at borders and inside; loads of all kinds; a map of random codes; one of them dead."""
    rng = np.random.default_rng(seed)
    state = begin(params, KEY)
    at = [(0, 0), (59, 0), (30, 41), (0, 59), (59, 59), (20, 30), (0, 30), (59, 59)]
    shape = (SIZE, SIZE) if shared else (8, SIZE, SIZE)
    return state.replace(
        position=jnp.asarray(at, jnp.float32) + jnp.asarray(rng.random((8, 2)), jnp.float32) * 0.99,
        health=state.health.at[1].set(0.0),
        crew=state.crew.replace(
            seen=jnp.asarray(rng.integers(0, 16, shape), jnp.uint8),
            water=jnp.array([3, 0, 5, 0, 0, 0, 2, 0]),
            aboard=jnp.full(8, -1).at[2].set(7),
            bearer=state.crew.bearer.at[1].set(0),
        ),
    )


def plain_rows(params: Params, state: State) -> np.ndarray:
    """The slots of units, entry by entry from docs/rules/wildfire.md 6.2."""
    rows = np.full((8, 3728), -1, np.float32)
    crew = jax.tree.map(np.asarray, state.crew)
    for row, kind in enumerate(np.asarray(params.units.type).tolist()):
        if row == 1:
            rows[row, 0] = 5
            continue
        x, y = (int(part) for part in state.position[row])
        seen = crew.seen if crew.seen.ndim == 2 else crew.seen[row]
        entries = [
            seen[i, j] if 0 <= i < SIZE and 0 <= j < SIZE else 0
            for j in range(y - RADIUS[kind], y + RADIUS[kind] + 1)
            for i in range(x - RADIUS[kind], x + RADIUS[kind] + 1)
        ]
        rows[row, 0] = kind
        rows[row, 1 : 1 + len(entries)] = entries
        burden = {0: 1, 7: 1}.get(row, 0)
        rows[row, 3722:] = [0, x, y, burden, crew.water[row], row == 2]
    return rows


@pytest.mark.parametrize("shared", [True, False], ids=["one map", "own maps"])
def test_every_slot_is_as_the_published_layout_says(world: Fireground, shared: bool) -> None:
    """Windows of each type at corners and borders, loads, the dead, empty slots; alone and in a batch."""
    params = world.params.replace(crews=world.params.crews.replace(shared=shared))
    told = task_numbers(world.site)
    states = [busy_state(params, shared, seed) for seed in range(2)]
    many = jax.jit(jax.vmap(lambda state: observe(params, state, told, 11)))
    both = many(stack_lanes(*states))

    for state, slots in zip(states, both, strict=True):
        assert slots.shape == (11, 3728)
        assert slots[0, :4].tolist() == [4, 5, SIZE, -20]  # one firefighter is dead
        assert slots[0, 4:].tolist() == told.tolist()
        np.testing.assert_array_equal(slots[1:9], plain_rows(params, state))
        assert (slots[9:, 0] == 5).all() and (slots[9:, 1:] == -1).all()


def site(level: str, **places: Any) -> Site:
    return Site(level=find_level(level), seed=1, ground=make_map(20, 1, 20), places=Places(spawn=(9, 9), **places))


@pytest.mark.parametrize(
    ("level", "places", "told"),
    [
        ("cut_trees_sparse_small", {"trees": ((3, 4), (5, 6))}, [0, 2, 3, 4, 5, 6]),
        ("cut_trees_lines_small", {"lines": ((1, 2, 5, 2), (7, 3, 7, 7))}, [1, 2, 1, 2, 5, 2, 7, 3, 7, 7]),
        ("scout_fire_small", {"fire": (8, 9)}, [-1, -1]),
        ("transport_firefighters_small", {"goal": (8, 9)}, [8, 9]),
        ("suppress_extinguish", {"fire": (8, 9), "water": (1, 2)}, [8, 9, 1, 2]),
        ("suppress_contain", {"fire": (8, 9)}, [8, 9]),
        ("suppress_locate", {"fire": (8, 9)}, [-1, -1]),
        ("rescue_known_large", {"goal": (8, 9), "clusters": ((1, 2), (3, 4))}, [8, 9, 1, 2, 3, 4]),
        ("rescue_search", {"goal": (8, 9), "clusters": ((1, 2),)}, [8, 9, -1, -1]),
        ("full_environment", {"fire": (8, 9), "clusters": ((1, 2),)}, [-1, -1, 0, 0, -1, -1]),
    ],
)
def test_the_managers_observation_has_the_task_but_no_hidden_place(level: str, places: dict, told: list[int]) -> None:
    numbers = task_numbers(site(level, **places)).tolist()
    assert numbers == told + [-1] * (3724 - len(told))


def test_a_window_as_text_reads_back_the_same(world: Fireground) -> None:
    """Commas after cells, a line a row, asterisks round the own cell, quotes round wet ones.

    Rules: docs/rules/wildfire.md 6.3.
    """
    state = busy_state(world.params, True)
    slots = see(world.params, state, task_numbers(world.site), None)
    assert window_of(slots[0]) is None and window_of(slots[2]) is None  # the manager, the dead
    for unit in (0, 2, 4, 7):
        text = minimap_text(world.params, state, unit)
        window = window_of(slots[unit + 1])
        assert text == window_text(window)
        rows = [line.removesuffix(",").split(",") for line in text.splitlines()]
        radius = RADIUS[int(world.params.units.type[unit])]
        assert [(x, y) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell[0] == "*"] == [(radius,) * 2]
        read = [[SYMBOLS.index(cell.strip("*")) for cell in row] for row in rows]
        np.testing.assert_array_equal(np.transpose(read), window)
    assert window_text(np.array([[0, 9, 15], [1, 8, 4], [14, 13, 5]])) == "-,'0',B,\ni,*3*,w,\nC,'3',0,"


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("unit", "action", "refused"),
    [
        (0, (0, 0, 0), None),
        (0, (-1, NAN, 99), None),
        (0, (1, -5, 99), None),  # no place is read
        (0, (4, NAN, NAN), None),
        (0, (0, 59.9, 59), None),
        (3, (1, 3, 3), None),
        (0, (0, 60, 3), None),  # the side of the map means its last cell
        (0, (0, 61, 3), "outside the map"),
        (0, (0, -0.5, 3), "outside the map"),
        (3, (1, 3, INF), "outside the map"),
        (0, (3, 1e12, 3), "outside the map"),
        (0, (5, 3, 3), "no action 5"),
        (0, (0.5, 3, 3), "no action 0.5"),
        (0, (-2, 3, 3), "no action -2"),
        (0, (NAN, 3, 3), "no action nan"),
        (0, (4.3e9, 3, 3), "no action 4.3e"),
        (3, (2, 3, 3), "bulldozer, has no action 2"),
        (4, (1, 3, 3), "drone, has no action 1"),
        (6, (4, 3, 3), "helicopter, has no action 4"),
    ],
)
def test_what_a_unit_cannot_do_is_refused_and_counted(
    world: Fireground, unit: int, action: tuple[float, ...], refused: str | None
) -> None:
    """The unit is idle and counted, and on the host it is an error; slots without a unit are not read."""
    state = begin(world.params, KEY)
    actions = np.full((20, 3), -1, np.float32)
    actions[0] = actions[9:] = 77
    actions[unit + 1] = action

    after = step(world.params, state, actions)

    assert int(after.crew.refused) == bool(refused)
    if refused is None:
        check_actions(world.params, actions)
    else:
        np.testing.assert_array_equal(after.position, state.position)
        with pytest.raises(UserError, match=re.escape(refused)):
            check_actions(world.params, actions)


def test_the_codes_of_each_type_have_names() -> None:
    """docs/rules/wildfire.md 6.1."""
    assert ACTIONS == {
        "firefighter": {"idle": -1, "move": 0, "cut": 1, "carry": 2, "spray": 3, "refill": 4},
        "bulldozer": {"idle": -1, "move": 0, "clear": 1},
        "drone": {"idle": -1, "move": 0},
        "helicopter": {"idle": -1, "move": 0, "lift": 1, "fill": 2, "drop": 3},
    }


def test_nothing_but_zeros_is_a_corner_unless_published_rules_are_asked_for(world: Fireground) -> None:
    """docs/rules/wildfire.md 6.1: where three numbers sum to 0 the published program stops the unit."""
    actions = np.zeros((9, 3), np.float32)
    actions[2] = 1, -2, 1
    assert commands(world.params, actions).code.tolist() == [0, 1, *[0] * 6]
    assert commands(world.params, actions).place[0].tolist() == [0, 0]
    assert commands(world.params, actions, exact=True).code.tolist() == [-1] * 8


@pytest.mark.long
def test_an_environment_with_the_published_observation_keeps_the_contract() -> None:
    env = hive.rl.make("scout_fire_small", observation=published_observation, seeds=[0])
    assert hive.rl.check(env, games=2, steps=6) == []


@pytest.mark.long
def test_learners_may_see_what_was_published_in_place_of_our_observation() -> None:
    """docs/rules/wildfire.md 6.2: the same numbers, divided, as the observation of the one environment."""
    env = hive.rl.make("scout_fire_small", observation=published_observation, seeds=[0])
    assert env.observation_size == 3728
    state, view = jax.jit(hive.rl.reset)(env, KEY)
    params = env.env.params_of(state.env_state)
    slots = see(params, state.env_state.game.state, np.full(3724, -1, np.float32), None)[1:4]
    size = params.terrain.size
    np.testing.assert_allclose(
        np.asarray(view.observation) * np.array([5, *[15] * 3721, 1, size, size, 5, 5, 1]), slots, atol=1e-4
    )


def test_too_few_slots_or_too_many_own_maps_are_an_error(world: Fireground) -> None:
    with pytest.raises(UserError, match="8 units and their manager need 9 slots, not 8"):
        observe(world.params, begin(world.params, KEY), task_numbers(world.site), 8)
    with pytest.raises(UserError, match="need 9 slots, not 3"):
        commands(world.params, np.zeros((3, 3), np.float32))
    with pytest.raises(UserError, match=r"shape \(slots, 3\), not \(9, 2\)"):
        check_actions(world.params, np.zeros((9, 2)))
    for wrong in (np.zeros((9, 2)), np.zeros(27), np.zeros((9, 3, 1))):
        with pytest.raises(UserError, match=r"shape \(slots, 3\), not \("):
            jax.jit(commands)(world.params, wrong)
    with pytest.raises(UserError, match="64 units at most, not for 65"):
        load_level("cut_trees_sparse_small", firefighters=65, shared=False)
