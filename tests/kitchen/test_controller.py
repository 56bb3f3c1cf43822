"""The controller of named actions: costs, choice of a counter, waiting, and many kitchens at once."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.worlds.kitchen.assembly import FAR
from hive.worlds.kitchen.codes import FACINGS, ActionKind, Move, Place
from hive.worlds.kitchen.controller import drive, remaining, target
from hive.worlds.kitchen.dynamics import idle, reset, step
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.kitchen.state import Actions, Params, State
from tests.lanes import stack_lanes

SETTING = load_setting()
BOOK, LAYOUT, KITCHEN = SETTING.book, SETTING.layout, SETTING.arrays
STATIONS = {station.tile: number for number, station in enumerate(LAYOUT.stations)}
_reset = jax.jit(reset)


@jax.jit
def _advance(kitchen: Params, state: State, actions: Actions) -> tuple[State, Actions]:
    """A timestep of both cooks' named actions, and what they are still doing."""
    state = step(kitchen, state, drive(kitchen, state, actions))
    return state, remaining(actions, state.completed)


_target = jax.jit(target, static_argnums=2)
BOB, ALICE = 0, 1


def start(**changes: object) -> State:
    return _reset(KITCHEN, jnp.int32(BOOK.code["boiled_egg"])).replace(**changes)


def action(kind: ActionKind, item: str = "", place: int = Place.NONE, left: int = 0) -> Actions:
    columns = (kind, BOOK.code[item] if item else 0, place, left)
    return Actions(**dict(zip(("kind", "item", "place", "left"), map(jnp.int32, columns), strict=True)))


def both(mine: Actions, other: Actions) -> Actions:
    return stack_lanes(mine, other)


def goes_to(state: State, cook: int, kind: Actions) -> tuple[tuple[int, int] | None, int]:
    """The tile where an action would happen and the moves and turns until then."""
    station, cost = _target(KITCHEN, state, cook, kind)
    return (None if int(cost) == FAR else LAYOUT.stations[int(station)].tile), int(cost)


@pytest.mark.parametrize("cook", [BOB, ALICE])
def test_the_cost_is_rows_to_walk_and_a_turn(cook: int) -> None:
    """docs/rules/kitchen.md 2.2: from every pose to every place, as the corridors of the shipped kitchen have it."""
    column = 3 if cook == BOB else 1
    needed = {
        ("chopping_board0", ALICE): (2, Move.WEST),
        ("blender0", ALICE): (3, Move.SOUTH),
        ("pot0", BOB): (1, Move.NORTH),
        ("oven0", BOB): (3, Move.EAST),
    }
    for (name, who), (row, facing) in needed.items():
        for at in (1, 2, 3):
            for now in range(4):
                state = start()
                state = state.replace(
                    tile=state.tile.at[cook].set(at * 5 + column), facing=state.facing.at[cook].set(now)
                )
                after = now if at == row else Move.NORTH if row < at else Move.SOUTH
                cost = abs(row - at) + (after != facing) if who == cook else FAR
                assert goes_to(state, cook, action(ActionKind.OPERATE, place=LAYOUT.place[name]))[1] == cost


def counters(**items: str) -> jnp.ndarray:
    """Items on counters named as `x2y1`."""
    codes = np.zeros(len(LAYOUT.counters), np.int32)
    for name, item in items.items():
        codes[LAYOUT.counters.index(STATIONS[int(name[1]), int(name[3])])] = BOOK.code[item]
    return jnp.asarray(codes)


def test_an_item_goes_to_the_cheapest_shared_counter() -> None:
    """docs/rules/kitchen.md 2.3: Alice at (1, 2), facing north; ties to the smaller y, then a counter of her own."""
    place = action(ActionKind.PLACE)
    assert goes_to(start(), ALICE, place) == ((2, 2), 1)
    assert goes_to(start(counters=counters(x2y2="egg")), ALICE, place) == ((2, 1), 2)
    full = counters(x2y1="egg", x2y2="egg", x2y3="egg")
    assert goes_to(start(counters=full), ALICE, place) == ((1, 0), 1)
    assert goes_to(start(counters=full), BOB, place) == ((4, 1), 1)
    own = counters(x2y1="egg", x2y2="egg", x2y3="egg", x1y0="egg")
    assert goes_to(start(counters=own), ALICE, place) == (None, FAR)


def test_a_pickup_prefers_a_counter_of_its_own_then_the_cheapest() -> None:
    """docs/rules/kitchen.md 2.3."""
    egg = action(ActionKind.PICKUP, "egg", Place.COUNTER)
    assert goes_to(start(counters=counters(x2y1="egg", x2y3="egg")), ALICE, egg) == ((2, 1), 2)
    assert goes_to(start(counters=counters(x2y3="egg")), ALICE, egg) == ((2, 3), 2)
    assert goes_to(start(counters=counters(x2y1="egg", x4y2="egg")), BOB, egg) == ((4, 2), 2)
    assert goes_to(start(counters=counters(x4y2="egg")), ALICE, egg) == (None, FAR)
    assert goes_to(start(counters=counters(x2y1="corn")), ALICE, egg) == (None, FAR)


def test_a_filled_dish_is_picked_up_by_the_name_of_its_food() -> None:
    """docs/rules/kitchen.md 3.5."""
    top = jnp.zeros(6, jnp.int32).at[1].set(BOOK.plated("baked_carrot_soup"))
    assert goes_to(start(counters=top), BOB, action(ActionKind.PICKUP, "baked_carrot_soup", Place.COUNTER)) == (
        (2, 1),
        1,
    )


def test_the_target_is_chosen_again_while_walking() -> None:
    """docs/rules/kitchen.md 2.3: the counter that Alice walks to fills up, so she turns round to another."""
    held = jnp.array([0, BOOK.code["egg"]], jnp.int32)
    state = start(held=held, counters=counters(x2y2="egg", x2y1="egg"))
    doing = both(action(ActionKind.NOTHING), action(ActionKind.PLACE))
    state, doing = _advance(KITCHEN, state, doing)
    assert int(state.tile[ALICE]) == 3 * 5 + 1  # on the way to the counter at y = 3
    state = state.replace(counters=counters(x2y2="egg", x2y3="egg"))
    for _ in range(4):
        state, doing = _advance(KITCHEN, state, doing)
    assert int(state.completed.kind[ALICE]) == ActionKind.PLACE
    assert state.counters.tolist() == counters(x2y1="egg", x2y2="egg", x2y3="egg").tolist()


def test_a_wait_lasts_its_timesteps_and_is_no_completed_action() -> None:
    """docs/rules/kitchen.md 4.1."""
    doing = both(action(ActionKind.WAIT, left=2), action(ActionKind.PICKUP, "egg", Place.INGREDIENTS))
    state, free = start(), []
    for _ in range(3):
        state, doing = _advance(KITCHEN, state, doing)
        free.append((doing.kind.tolist(), state.completed.kind.tolist()))
    assert free == [([7, 1], [0, 0]), ([0, 1], [0, 0]), ([0, 0], [0, 1])]
    assert (state.tile.tolist(), state.held.tolist()) == ([8, 6], [0, BOOK.code["egg"]])
    assert state.facing.tolist() == [Move.NORTH, Move.WEST]
    assert FACINGS[Move.WEST] == (-1, 0)


@pytest.mark.slow
def test_kitchens_of_a_batch_do_not_know_each_other() -> None:
    """Orders and actions differ by lane, and each lane is what a kitchen alone does."""
    orders = jnp.array([BOOK.code[name] for name in ("boiled_egg", "apple", "baked_carrot_soup")], jnp.int32)
    wishes = [("egg", 0), ("apple", 2), ("carrot", 3)]
    actions = [
        both(action(ActionKind.WAIT, left=n), action(ActionKind.PICKUP, item, Place.INGREDIENTS)) for item, n in wishes
    ]
    states = jax.vmap(reset, (None, 0))(KITCHEN, orders)
    doing = stack_lanes(*actions)
    many = jax.jit(jax.vmap(_advance, (None, 0, 0)))
    alone = [(_reset(KITCHEN, order), each) for order, each in zip(orders, actions, strict=True)]
    for _ in range(4):
        states, doing = many(KITCHEN, states, doing)
        for lane, (state, action_) in enumerate(alone):
            after = _advance(KITCHEN, state, action_)
            alone[lane] = after
            for here, there in zip(jax.tree.leaves((states, doing)), jax.tree.leaves(after), strict=True):
                assert np.array_equal(here[lane], there)
    assert idle(KITCHEN).kind.tolist() == [0, 0]
