"""One timestep of the kitchen: equal to a plain interpreter, and the rules that a random game seldom shows."""

from __future__ import annotations

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.worlds.kitchen.codes import ActionKind, Move
from hive.worlds.kitchen.dynamics import reset, step
from hive.worlds.kitchen.layout import read_layout
from hive.worlds.kitchen.reading import shipped
from hive.worlds.kitchen.setting import Setting, load_setting
from hive.worlds.kitchen.state import Params, Primitives, State
from hive.worlds.kitchen.switches import Switches
from tests.kitchen.oracle import Oracle

SETTING = load_setting()
BOOK = SETTING.book
MEETING = shipped("kitchen.toml").replace('"C2X X"', '"C2  X"')  # a door in the wall of counters
ITEMS = ("egg", "bell_pepper", "mushroom", "corn", "peanut")
_step, _reset = jax.jit(chex.assert_max_traces(step, n=1)), jax.jit(reset)  # one program for all tests


def code(name: str) -> jax.Array:
    return jnp.int32(BOOK.code[name])


@jax.jit
def _play(kitchen: Params, order: jax.Array, moves: jax.Array, items: jax.Array) -> tuple[State, jax.Array]:
    """All games at once: states after and what was done, `[games, timesteps, ...]`."""

    def one(order: jax.Array, moves: jax.Array, items: jax.Array) -> tuple[State, jax.Array]:
        def tick(state: State, now: tuple[jax.Array, jax.Array]) -> tuple[State, tuple[State, jax.Array]]:
            state = step(kitchen, state, Primitives(move=now[0], item=now[1]))
            return state, (state, state.completed.kind)

        return jax.lax.scan(tick, reset(kitchen, order), (moves, items))[1]

    return jax.vmap(one)(order, moves, items)


@pytest.mark.parametrize(
    ("text", "freeze", "games", "timesteps"),
    [
        (MEETING, True, 10, 150),
        pytest.param(MEETING, False, 100, 400, marks=pytest.mark.long),
        pytest.param(shipped("kitchen.toml"), False, 100, 400, marks=pytest.mark.long),
    ],
    ids=["few", "where cooks meet", "as shipped"],
)
def test_random_games_equal_a_plain_interpreter(text: str, freeze: bool, games: int, timesteps: int) -> None:
    """docs/rules/kitchen.md 1.2, 2.1, 2.4, 2.5, 3.2 to 3.5, 5.2, 7.2, also where the cooks can meet."""
    rng = np.random.default_rng(7)
    seen: set[str] = set()
    notices = 0
    setting = Setting(book=BOOK, layout=read_layout(text, BOOK), switches=Switches(freeze=freeze))
    moves = rng.choice(6, (games, timesteps, 2), p=(0.14, 0.14, 0.13, 0.13, 0.01, 0.45)).astype(np.int32)
    items = rng.integers(0, len(ITEMS), (games, timesteps, 2))
    orders = rng.choice(["boiled_egg", "sliced_bell_pepper_and_corn_stew", "carrot"], games)
    codes = np.array([BOOK.code[each] for each in ITEMS], np.int32)[items]
    order = np.array([BOOK.code[each] for each in orders], np.int32)
    states, deeds = jax.device_get(_play(setting.arrays, order, moves, codes))
    for game in range(games):
        oracle = Oracle(BOOK, setting.layout, str(orders[game]), freeze)
        for timestep in range(timesteps):
            done = oracle.step(moves[game, timestep].tolist(), [ITEMS[each] for each in items[game, timestep]])
            state = jax.tree.map(lambda leaf, at=(game, timestep): leaf[at], states)
            assert [ActionKind(each).name.lower() for each in deeds[game, timestep]] == [
                each or "nothing" for each in done
            ]
            compare(setting, state, oracle)
            seen |= {*done}
            notices += sum(pot.notice for pot in oracle.pots.values())
    assert seen >= {"", "pickup", "place", "put", "operate"} | ({"deliver"} if games > 10 else set())
    assert notices > 0


def compare(setting: Setting, state: State, oracle: Oracle) -> None:
    layout = setting.layout
    tiles = [(int(tile) % layout.width, int(tile) // layout.width) for tile in state.tile]
    assert (tiles, state.facing.tolist(), bool(state.served)) == (oracle.at, oracle.facing, oracle.served)
    hands = [named(each) for each in state.held]
    assert hands == [*zip(oracle.hand, oracle.plated, strict=True)]
    tops = [oracle.counters.get(layout.stations[each].tile, ("", False)) for each in layout.counters]
    assert [named(each) for each in state.counters] == tops
    for number, pot in enumerate(oracle.pots.values()):
        contents = sorted((BOOK.code[each] for each in pot.contents), reverse=True)
        assert state.contents[number].tolist() == contents + [0] * (3 - len(contents))
        assert (BOOK.name(int(state.product[number])), bool(state.notice[number])) == (pot.product, pot.notice)
        assert int(state.work[number]) == (pot.work if pot.product else 0)


def named(item: int) -> tuple[str, bool]:
    return BOOK.name(int(item)), int(item) > BOOK.dish_code


def at(name: str, **changes: object) -> State:
    """The start of an order with some fields changed."""
    state = _reset(SETTING.arrays, code("boiled_egg")).replace(**changes)
    cook, pose = {"pot0": (0, (8, 0)), "oven0": (0, (18, 2)), "delivery": (0, (18, 1))}[name]
    return state.replace(tile=state.tile.at[cook].set(pose[0]), facing=state.facing.at[cook].set(pose[1]))


def acts(state: State, setting: Setting = SETTING) -> tuple[State, ActionKind]:
    """The first cook interacts, the second stays."""
    move = jnp.array([Move.INTERACT, Move.STAY], jnp.int32)
    state = _step(setting.arrays, state, Primitives(move=move, item=jnp.zeros(2, jnp.int32)))
    return state, ActionKind(int(state.completed.kind[0]))


def test_a_fourth_item_is_refused_and_stays_in_the_hand() -> None:
    """docs/rules/kitchen.md 3.2."""
    full = jnp.zeros((4, 3), jnp.int32).at[2].set(code("egg"))
    state, done = acts(at("pot0", contents=full, held=jnp.stack([code("corn"), jnp.int32(0)])))
    assert (done, int(state.held[0])) == (ActionKind.NOTHING, BOOK.code["corn"])
    assert state.contents.tolist() == full.tolist()


def test_a_filled_dish_goes_into_no_utensil_and_on_counters() -> None:
    """docs/rules/kitchen.md 3.5."""
    plated = jnp.array([BOOK.plated("baked_carrot_soup"), 0], jnp.int32)
    assert acts(at("pot0", held=plated))[1] == ActionKind.NOTHING
    state, done = acts(at("pot0", held=plated).replace(facing=jnp.array([Move.WEST, 0], jnp.int32)))
    assert (done, plated[0] in state.counters) == (ActionKind.PLACE, True)


def test_an_empty_dish_is_not_handed_over() -> None:
    """docs/rules/kitchen.md 5.2."""
    state, done = acts(at("delivery", held=jnp.array([BOOK.dish_code, 0], jnp.int32)))
    assert (done, int(state.held[0]), bool(state.served)) == (ActionKind.NOTHING, BOOK.dish_code, False)


@pytest.mark.parametrize(
    ("order", "item", "plated", "served"),
    [
        ("boiled_egg", "boiled_egg", False, True),
        ("boiled_egg", "boiled_egg", True, False),
        ("boiled_egg", "potato", False, False),
        ("baked_carrot_soup", "baked_carrot_soup", True, True),
        ("baked_carrot_soup", "baked_potato_soup", True, False),
        ("apple", "apple", False, True),
    ],
)
def test_only_the_order_is_a_success_in_a_dish_if_it_needs_one(
    order: str, item: str, plated: bool, served: bool
) -> None:
    """docs/rules/kitchen.md 5.2."""
    held = BOOK.plated(item) if plated else BOOK.code[item]
    state, done = acts(at("delivery", held=jnp.array([held, 0], jnp.int32), order=code(order)))
    assert (done, int(state.held[0]), bool(state.served)) == (ActionKind.DELIVER, 0, served)


def test_the_frozen_utensil_is_behind_its_switch() -> None:
    """docs/rules/kitchen.md 7.2: the oven was loaded after the pot, the chopping board before."""
    state = at(
        "pot0",
        contents=jnp.zeros((4, 3), jnp.int32).at[2, 0].set(code("egg")),
        product=jnp.stack([code("corn_slices"), jnp.int32(0), jnp.int32(0), code("baked_potato_slices")]),
        work=jnp.array([1, 0, 0, 1], jnp.int32),
        loaded=jnp.array([2, 0, 4, 6], jnp.int32),
    )
    frozen = load_setting(switches=Switches(freeze=True))
    assert [int(each) for each in acts(state)[0].work] == [2, 0, 1, 2]
    assert [int(each) for each in acts(state, frozen)[0].work] == [2, 0, 1, 1]


def test_other_recipes_orders_and_the_switch_do_not_recompile() -> None:
    """Everything but the sizes of a kitchen is traced."""
    for freeze, order in ((False, "apple"), (True, "boiled_egg")):
        arrays = load_setting(switches=Switches(freeze=freeze)).arrays
        none = Primitives(move=jnp.zeros(2, jnp.int32), item=jnp.zeros(2, jnp.int32))
        state = _step(arrays, _reset(arrays, code(order)), none)  # `_step` refuses a second trace
        assert int(state.clock) == 1
