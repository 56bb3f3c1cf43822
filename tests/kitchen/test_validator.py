"""Every code of a state check, set by hand, and the order in which they are reported."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dsl import render
from hive.worlds.kitchen.action import NamedAction
from hive.worlds.kitchen.action_text import read_action, read_plan
from hive.worlds.kitchen.assembly import make_params
from hive.worlds.kitchen.codes import ActionKind
from hive.worlds.kitchen.cookbook import UTENSIL_CAPACITY
from hive.worlds.kitchen.dynamics import reset
from hive.worlds.kitchen.layout import read_layout
from hive.worlds.kitchen.menu import legal, make_menu
from hive.worlds.kitchen.refusals import SENTENCES
from hive.worlds.kitchen.setting import load_setting
from hive.worlds.kitchen.snapshot import Snapshot, UtensilState, UtensilStatus, take_snapshot
from hive.worlds.kitchen.state import Params, State
from hive.worlds.kitchen.validator import Validator

SETTING = load_setting()
BOOK, LAYOUT = SETTING.book, SETTING.layout
VALIDATOR = Validator(BOOK, LAYOUT)
BOB, ALICE = 0, 1
STEW = "sliced_bell_pepper_and_corn_stew"
EMPTY = UtensilState(UtensilStatus.EMPTY)


def code(name: str) -> int:
    return BOOK.plated(name.removeprefix("plated ")) if name.startswith("plated ") else BOOK.code[name]


def kitchen(
    bob: str = "", alice: str = "", counters: tuple[str, ...] = (), order: str = "boiled_egg", **utensils: str
) -> Snapshot:
    """A kitchen from words: a utensil is `"loaded egg"`, `"working boiled_egg"` or `"ready boiled_egg"`."""
    items = [code(name) if name else 0 for name in (bob, alice, *counters)]
    return Snapshot(
        order=BOOK.code[order],
        held=(items[0], items[1]),
        counters=(*items[2:], *[0] * (len(LAYOUT.counters) - len(counters))),
        utensils=tuple(_utensil(utensils.get(name, "")) for name in LAYOUT.instances),
    )


def _utensil(words: str) -> UtensilState:
    if not words:
        return EMPTY
    status, *items = words.split()
    if status == "loaded":
        return UtensilState(UtensilStatus.LOADED, tuple(sorted((code(name) for name in items), reverse=True)))
    return UtensilState(UtensilStatus[status.upper()], (), code(items[0]), 2 if status == "working" else 0)


def refusal(snapshot: Snapshot, cook: int, text: str, validator: Validator = VALIDATOR) -> str | None:
    entry = read_action(text, validator.words)
    if entry.action is None:
        return next(each.code for each in entry.findings if each.severity == "error")
    found = validator.check(snapshot, cook, entry.action)
    return found.code if found else None


# Counters in the order of the layout: Alice's own, then shared and Bob's by turns. Found by who reaches them.
NUMBERS = list(enumerate(LAYOUT.counters))
ALICES = next(n for n, station in NUMBERS if station not in LAYOUT.reach[BOB])
BOBS = next(n for n, station in NUMBERS if station not in LAYOUT.reach[ALICE])
FULL = ("corn",) * len(LAYOUT.counters)


def on(number: int, item: str) -> tuple[str, ...]:
    return tuple(item if n == number else "" for n in range(len(LAYOUT.counters)))


REFUSED = [
    ("P1", kitchen(pot0="working boiled_egg"), BOB, "pickup(boiled_egg, pot0)"),
    ("P1", kitchen(bob="egg", pot0="working boiled_egg"), ALICE, "pickup(egg, pot0)"),
    ("P2", kitchen(order=STEW, pot0=f"ready {STEW}"), BOB, f"pickup({STEW}, pot0)"),
    ("P2", kitchen(), BOB, f"pickup({STEW}, pot0)"),
    ("P3", kitchen(), BOB, "pickup(pot0, pot0)"),
    ("P3", kitchen(), ALICE, "pickup(pot0, counter)"),
    ("P4a", kitchen(pot0="ready boiled_egg"), ALICE, "pickup(boiled_egg, pot0)"),
    ("P4b", kitchen(), BOB, "pickup(egg, counter)"),
    ("P4b", kitchen(counters=on(ALICES, "egg")), BOB, "pickup(egg, counter)"),
    ("P4b", kitchen(counters=on(BOBS, "egg")), ALICE, "pickup(egg, counter)"),
    ("P4b", kitchen(counters=on(1, f"plated {STEW}")), BOB, "pickup(dish, counter)"),
    ("P4c", kitchen(), BOB, "pickup(egg, ingredient_dispenser)"),
    ("P4c", kitchen(bob="egg"), BOB, "pickup(dish, dish_dispenser)"),
    ("P5", kitchen(alice="egg"), ALICE, "pickup(egg, ingredient_dispenser)"),
    ("P5", kitchen(bob="dish", pot0="loaded egg"), BOB, "pickup(egg, pot0)"),
    ("P6", kitchen(), BOB, "pickup(boiled_egg, pot0)"),
    ("P6", kitchen(pot0="loaded egg"), BOB, "pickup(egg, pot0)"),
    ("P6", kitchen(pot0="ready boiled_egg"), BOB, "pickup(boiled_mushroom, pot0)"),
    ("U1", kitchen(bob="egg", pot0="working boiled_egg"), BOB, "put_obj_in_utensil(pot0)"),
    ("U1", kitchen(pot0="working boiled_egg"), ALICE, "put_obj_in_utensil(pot0)"),
    ("U2", kitchen(bob="egg", pot0="ready boiled_egg"), BOB, "put_obj_in_utensil(pot0)"),
    ("U3", kitchen(alice="egg"), ALICE, "put_obj_in_utensil(pot0)"),
    ("U5", kitchen(), BOB, "put_obj_in_utensil(pot0)"),
    ("U6", kitchen(bob="dish"), BOB, "put_obj_in_utensil(pot0)"),
    ("U6", kitchen(bob=f"plated {STEW}"), BOB, "put_obj_in_utensil(pot0)"),
    ("U7", kitchen(bob="egg", pot0="loaded egg egg corn"), BOB, "put_obj_in_utensil(pot0)"),
    ("K1", kitchen(counters=FULL), BOB, "place_obj_on_counter()"),
    ("K2", kitchen(bob="egg", counters=FULL), BOB, "place_obj_on_counter()"),
    ("D1", kitchen(), BOB, "fill_dish_with_food(pot0)"),
    ("D1", kitchen(bob="dish", pot0="ready boiled_egg"), BOB, "fill_dish_with_food(pot0)"),
    ("D3", kitchen(order=STEW), BOB, "fill_dish_with_food(pot0)"),
    ("D3", kitchen(bob=f"plated {STEW}", order=STEW, pot0=f"ready {STEW}"), BOB, "fill_dish_with_food(pot0)"),
    ("D2", kitchen(bob="dish", order=STEW), BOB, "fill_dish_with_food(pot0)"),
    ("D2", kitchen(bob="dish", order=STEW, pot0="loaded corn"), BOB, "fill_dish_with_food(pot0)"),
    ("D4", kitchen(alice="dish", order=STEW, pot0=f"ready {STEW}"), ALICE, "fill_dish_with_food(pot0)"),
    ("V1", kitchen(bob="dish"), BOB, "deliver()"),
    ("V1", kitchen(bob="egg"), BOB, "deliver()"),
    ("V1", kitchen(bob="potato_slices"), BOB, "deliver()"),
    ("V2", kitchen(), BOB, "deliver()"),
    ("V3", kitchen(alice="boiled_egg"), ALICE, "deliver()"),
    ("O1", kitchen(pot0="loaded egg"), ALICE, "cook(pot0)"),
    ("O2", kitchen(), BOB, "cook(pot0)"),
    ("O3", kitchen(pot0="working boiled_egg"), BOB, "cook(pot0)"),
    ("O3", kitchen(bob="egg", pot0="ready boiled_egg"), BOB, "cook(pot0)"),
    ("O4", kitchen(bob="egg", pot0="loaded egg"), BOB, "cook(pot0)"),
    ("N0", kitchen(), BOB, ""),
    ("F3", kitchen(), BOB, "pickup(caviar, counter)"),
]
ALLOWED = [
    (kitchen(), ALICE, "pickup(egg, ingredient_dispenser)"),
    (kitchen(), ALICE, "pickup(dish, dish_dispenser)"),
    (kitchen(counters=on(ALICES, "egg")), ALICE, "pickup(egg, counter)"),
    (kitchen(counters=on(BOBS, "egg")), BOB, "pickup(egg, counter)"),
    (kitchen(counters=on(1, f"plated {STEW}")), BOB, f"pickup({STEW}, counter)"),
    (kitchen(pot0="ready boiled_egg"), BOB, "pickup(boiled_egg, pot0)"),
    (kitchen(alice="egg", counters=tuple(FULL[:-1])), BOB, "wait(20)"),
    (kitchen(bob="dish"), BOB, "place_obj_on_counter()"),
    (kitchen(bob="corn", pot0="loaded egg egg"), BOB, "put_obj_in_utensil(pot0)"),
    (kitchen(bob="corn", counters=FULL), BOB, "put_obj_in_utensil(pot0)"),
    (kitchen(pot0="loaded egg corn"), BOB, "cook(pot0)"),
    (kitchen(bob="dish", order=STEW, pot0=f"working {STEW}"), BOB, "fill_dish_with_food(pot0)"),
    (kitchen(bob="dish", order=STEW, pot0=f"ready {STEW}"), BOB, "fill_dish_with_food(pot0)"),
    (kitchen(bob="boiled_egg"), BOB, "deliver()"),
    (kitchen(bob="potato"), BOB, "deliver()"),  # the wrong order, yet food that can be ordered
]


def _texts(rows: list[tuple[str, Snapshot, int, str]]) -> list[str]:
    return [f"{code} {'Alice' if cook else 'Bob'} {text}" for code, _, cook, text in rows]


@pytest.mark.parametrize(("wanted", "snapshot", "cook", "text"), REFUSED, ids=_texts(REFUSED))
def test_a_refusal_has_its_code(wanted: str, snapshot: Snapshot, cook: int, text: str) -> None:
    assert refusal(snapshot, cook, text) == wanted


@pytest.mark.parametrize(("snapshot", "cook", "text"), ALLOWED)
def test_a_valid_action_is_not_refused(snapshot: Snapshot, cook: int, text: str) -> None:
    assert refusal(snapshot, cook, text) is None


def state_of(snapshot: Snapshot, arrays: Params = SETTING.arrays) -> State:
    """The arrays of a kitchen that was set by hand."""
    first = reset(arrays, jnp.int32(snapshot.order))
    contents = [(*each.contents, *[0] * (UTENSIL_CAPACITY - len(each.contents))) for each in snapshot.utensils]
    product = np.array([each.product for each in snapshot.utensils], np.int32)
    work = np.asarray(arrays.timesteps)[product] - [each.left for each in snapshot.utensils]
    return first.replace(
        held=np.array(snapshot.held, np.int32),
        counters=np.array(snapshot.counters, np.int32),
        contents=np.array(contents, np.int32),
        product=product,
        work=work.astype(np.int32),
    )


def test_the_mask_says_the_same_in_every_kitchen_above() -> None:
    """They hold what random walks rarely reach: full counters, filled dishes, three items in a utensil."""
    kitchens = [snapshot for _, snapshot, _, _ in REFUSED] + [snapshot for snapshot, _, _ in ALLOWED]
    states = [state_of(snapshot) for snapshot in kitchens]
    actions = VALIDATOR.words.every_action()
    batch = jax.tree.map(lambda *each: np.stack(each), *states)
    masks = jax.jit(jax.vmap(legal, (None, None, 0)))(SETTING.arrays, make_menu(VALIDATOR, actions), batch)

    for snapshot, state, mask in zip(kitchens, states, np.asarray(masks), strict=True):
        assert take_snapshot(BOOK, state) == snapshot
        for cook in (BOB, ALICE):
            allowed = [VALIDATOR.code(snapshot, cook, action) is None for action in actions]
            differs = [str(each) for each, a, b in zip(actions, allowed, mask[cook].tolist(), strict=True) if a != b]
            assert differs == []


def test_every_code_of_a_state_check_is_tested() -> None:
    assert {*SENTENCES} - {code for code, *_ in REFUSED} == {"U4"}  # which has a test of its own


def test_a_put_needs_an_empty_counter_somewhere_and_counters_out_of_reach_count() -> None:
    """U4 cannot happen in the shipped kitchen; it can in one whose every counter is in reach."""
    text = 'schema = 1\nmap = ["SODPS", "I X1X", "C2X X", "D X O", "SBDSS"]\n'
    cooks = [("Bob", ["cook", "bake"], "true"), ("Alice", ["cut", "stir"], "false")]
    for name, operations, delivers in cooks:
        text += f'[[cooks]]\nname = "{name}"\nfacing = "north"\noperations = {operations}\ndelivers = {delivers}\n'
    layout = read_layout(text, BOOK)
    full = replace(kitchen(bob="egg"), counters=(BOOK.code["corn"],) * len(layout.counters))
    full = replace(full, utensils=(EMPTY,) * len(layout.utensils))
    one = replace(full, counters=(0, *full.counters[1:]))
    validator, arrays = Validator(BOOK, layout), make_params(BOOK, layout)
    menu = make_menu(
        validator, [read_action("put_obj_in_utensil(pot0)", validator.words).action or NamedAction(ActionKind.PUT)]
    )

    possible = jax.jit(legal)
    assert layout.dead == 0 < LAYOUT.dead
    for snapshot, code in ((full, "U4"), (one, None)):
        assert refusal(snapshot, BOB, "put_obj_in_utensil(pot0)", validator) == code
        assert bool(possible(arrays, menu, state_of(snapshot, arrays))[BOB, 0]) == (code is None)


def test_each_cook_is_told_where_to_find_what_is_missing() -> None:
    def help(cook: int, text: str) -> str | None:
        found = VALIDATOR.check(kitchen(), cook, read_action(text, VALIDATOR.words).action)
        return found.help if found else None

    assert help(ALICE, "pickup(egg, counter)") == "use `ingredient_dispenser`"
    assert help(ALICE, "pickup(dish, counter)") == "use `dish_dispenser`"
    assert help(ALICE, "pickup(boiled_egg, counter)") == "wait for Bob"
    assert help(BOB, "pickup(egg, counter)") == "wait for Alice"
    assert help(BOB, "pickup(egg, ingredient_dispenser)") == "ask Alice for `egg`"
    assert help(ALICE, "put_obj_in_utensil(pot0)") is not None


def test_a_refusal_is_shown_at_its_place_in_the_plan() -> None:
    plan = read_plan("wait(2); pickup(boiled_egg, pot0)", VALIDATOR.words)
    action = plan.queue[1].action
    assert action
    found = VALIDATOR.check(kitchen(pot0="working boiled_egg"), BOB, action)

    assert found
    assert render([found]).splitlines() == [
        "error[P1]: `pot0` is working; its product is ready in 2 timesteps",
        "  --> <plan>:1:10",
        "  1 | wait(2); pickup(boiled_egg, pot0)",
        "    |          ^^^^^^^^^^^^^^^^^^^^^^^^",
        "  help: wait until it is ready",
    ]


def test_wrong_contents_are_reported_by_name() -> None:
    noticed = replace(kitchen(), utensils=(EMPTY, replace(EMPTY, notice=True), EMPTY, EMPTY))
    (found,) = VALIDATOR.notices(noticed)

    assert (found.code, LAYOUT.instances[1] in found.message) == ("E1", True)
    assert VALIDATOR.notices(kitchen()) == ()


@pytest.mark.parametrize("cook", [BOB, ALICE])
def test_every_sentence_can_be_written(cook: int) -> None:
    """No refusal of any action in any of the kitchens above lacks a name that its sentence needs."""
    seen = set()
    for _, snapshot, _, _ in REFUSED[::4]:
        for action in VALIDATOR.words.every_action():
            found = VALIDATOR.check(snapshot, cook, action)
            if found:
                seen.add(found.code)
                assert "{" not in found.message + (found.help or "")
    assert len(seen) > 10


def test_waits_are_always_valid() -> None:
    waits = [each for each in VALIDATOR.words.every_action() if each.kind == ActionKind.WAIT]

    assert len(waits) == 20
    assert all(
        VALIDATOR.check(kitchen(alice="egg", counters=FULL), cook, each) is None for cook in (0, 1) for each in waits
    )


def test_the_shipped_kitchen_has_the_published_words() -> None:
    assert (len(VALIDATOR.words.ingredients), len(VALIDATOR.words.items)) == (29, 107)
    assert {*VALIDATOR.words.utensils.items()} == {
        ("pot0", "cook"), ("oven0", "bake"), ("chopping_board0", "cut"), ("blender0", "stir")
    }  # fmt: skip
