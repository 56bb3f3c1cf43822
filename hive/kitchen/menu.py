"""All named actions of a kitchen as arrays, and which of them may begin now: the validator as a mask on the device."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Int

from hive.kitchen.action import Action
from hive.kitchen.codes import Deed, Place
from hive.kitchen.cookbook import CAPACITY, NOTHING
from hive.kitchen.dynamics import ready, working
from hive.kitchen.state import Actions, Kitchen, State
from hive.kitchen.validator import Validator


class Menu(struct.PyTreeNode, kw_only=True):
    """The columns of an action mask. A actions, C cooks, K counters."""

    actions: Actions  # `[A]` each
    within: Bool[Array, "c a"]  # whether the cook reaches the place and may do this there
    at_counter: Bool[Array, "c k"]  # counters that each cook reaches
    in_dish: Bool[Array, " a"]  # pickups of a product that leaves this utensil in a dish only
    dead: Bool[Array, ""]  # whether there are counters that no cook reaches; they stay empty


def encode(validator: Validator, actions: Sequence[Action]) -> Actions:
    """Return named actions as the arrays that the controller and the mask read, `[A]` each."""
    book, places = validator.book, validator.layout.place
    rows = [
        (
            each.deed,
            book.code.get(each.item, NOTHING),
            places[each.place] if each.place else Place.NONE,
            each.timesteps,
        )
        for each in actions
    ]
    columns = np.array(rows, np.int32).reshape(-1, 4).T
    return Actions(**jax.device_put(dict(zip(("deed", "item", "place", "left"), columns, strict=True))))


def make_menu(validator: Validator, actions: Sequence[Action] | None = None) -> Menu:
    """Return the columns for some actions; without any, for all of `Words.every_action`."""
    chosen = validator.words.every_action() if actions is None else actions
    cooks = range(len(validator.layout.cooks))
    columns = {
        "within": np.array([[_within(validator, cook, each) for each in chosen] for cook in cooks]),
        "at_counter": np.array([[n in reach for n in validator.layout.counters] for reach in validator.layout.reach]),
        "in_dish": np.array([_in_dish(validator, each) for each in chosen]),
        "dead": np.bool_(validator.layout.dead > 0),
    }
    return Menu(actions=encode(validator, chosen), **jax.device_put(columns))


def _within(validator: Validator, cook: int, action: Action) -> bool:
    if action.deed == Deed.OPERATE:
        return validator.may_operate(cook, action.place)
    if action.deed == Deed.DELIVER:
        return validator.may_deliver(cook)
    return not action.place or validator.reaches(cook, action.place)


def _in_dish(validator: Validator, action: Action) -> bool:
    return action.place in validator.words.utensils and validator.leaves_in_dish(action.place, action.item)


def columns(menu: Menu, done: Actions) -> Int[Array, " c"]:
    """Return the columns of completed actions, -1 for none and for an action that the menu does not have.

    Args:
        menu: The actions.
        done: Completed actions, as `controller.advance` returns them.
    """
    pairs = [(getattr(menu.actions, name), getattr(done, name)) for name in ("deed", "item", "place")]
    same = jnp.stack([column[None] == value[:, None] for column, value in pairs]).all(0)
    same &= (done.deed != Deed.NOTHING)[:, None]
    return jnp.where(same.any(1), jnp.argmax(same, axis=1).astype(jnp.int32), -1)


def legal(kitchen: Kitchen, menu: Menu, state: State) -> Bool[Array, "c a"]:
    """Return which actions each cook may begin now.

    Args:
        kitchen: Rules.
        menu: The actions.
        state: Kitchen, unbatched.

    Returns:
        `[C, A]`, in the order of the menu; exactly where `Validator.check` finds no refusal.
    """
    deed, item, place = menu.actions.deed, menu.actions.item, menu.actions.place
    held = state.held[:, None]
    empty = held == NOTHING
    at_utensil = place >= Place.UTENSIL
    utensil = jnp.where(at_utensil, place - Place.UTENSIL, 0)
    works, done = working(kitchen, state)[utensil], ready(kitchen, state)[utensil]
    idle = state.product[utensil] == NOTHING
    loaded = state.contents[utensil, 0] != NOTHING
    full = state.contents[utensil, CAPACITY - 1] != NOTHING
    return menu.within & jnp.select(
        [deed == each for each in (Deed.PICKUP, Deed.PLACE, Deed.PUT, Deed.OPERATE, Deed.FILL, Deed.DELIVER)],
        [
            empty & _present(kitchen, menu, state, (done & (state.product[utensil] == item) & ~menu.in_dish)[None]),
            ~empty & jnp.any(menu.at_counter & (state.counters == NOTHING)[None], 1)[:, None],
            _may_put(kitchen, menu, state) & (idle & ~full)[None],
            empty & (idle & loaded)[None],
            (held == kitchen.dish) & kitchen.needs_dish[state.order] & (works | done)[None],
            ~empty & kitchen.ordered[kitchen.plain[held]],
        ],
        (deed == Deed.WAIT)[None],
    )


def _present(kitchen: Kitchen, menu: Menu, state: State, in_utensil: Bool[Array, "1 a"]) -> Bool[Array, "c a"]:
    """Whether what a pickup names is where it names it; dispensers have everything."""
    item, place = menu.actions.item, menu.actions.place
    same = kitchen.plain[state.counters][:, None] == item[None]  # [K, A]
    on_counter = jnp.any(menu.at_counter[:, :, None] & same[None], axis=1)
    return jnp.where((place == Place.COUNTER)[None], on_counter, (place < Place.UTENSIL)[None] | in_utensil)


def _may_put(kitchen: Kitchen, menu: Menu, state: State) -> Bool[Array, "c 1"]:
    """Whether the hand holds something that is no dish, and a counter is empty somewhere."""
    held = state.held[:, None]
    some = menu.dead | ~jnp.all(state.counters != NOTHING)
    return (held != NOTHING) & (held < kitchen.dish) & some
