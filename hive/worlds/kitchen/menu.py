"""All named actions of a kitchen as arrays, and which of them may begin now: the validator as a mask on the device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Int

from hive.worlds.kitchen.action import NamedAction
from hive.worlds.kitchen.codes import ActionKind, Place
from hive.worlds.kitchen.cookbook import NO_ITEM, UTENSIL_CAPACITY
from hive.worlds.kitchen.dynamics import ready
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.state import Actions, Params, State
from hive.worlds.kitchen.validator import Validator

_PLACES = 1 << 12
"""More than there are places in a kitchen, whose utensils stand on a map of at most 16 by 16 tiles."""


class Menu(struct.PyTreeNode, kw_only=True):
    """The columns of an action mask. A actions, C cooks, K counters."""

    actions: Actions  # `[A]` each
    offer: Int[Array, " a"]  # the offer that the action takes, as `_offer` numbers it
    within: Bool[Array, "c a"]  # whether the cook reaches the place and may do this there
    at_counter: Bool[Array, "c k"]  # counters that each cook reaches
    dead: Bool[Array, ""]  # whether there are counters that no cook reaches; they stay empty


def encode(validator: Validator, actions: Sequence[NamedAction]) -> Actions:
    """Return named actions as the arrays that the controller and the mask read, `[A]` each."""
    book, places = validator.book, validator.layout.place
    rows = [
        (
            each.kind,
            book.code.get(each.item, NO_ITEM),
            places[each.place] if each.place else Place.NONE,
            each.timesteps,
        )
        for each in actions
    ]
    columns = np.array(rows, np.int32).reshape(-1, 4).T
    return Actions(**jax.device_put(dict(zip(("kind", "item", "place", "left"), columns, strict=True))))


def decode(setting: Setting, kind: int, item: int, place: int, left: int = 0) -> NamedAction | None:
    """Return the named action that `encode` made these codes of; None for `ActionKind.NOTHING`."""
    book, layout, kind = setting.book, setting.layout, ActionKind(kind)
    if kind == ActionKind.NOTHING:
        return None
    name = next((name for name, number in layout.place.items() if number == place), "")
    operation = book.utensil[layout.utensils[place - Place.UTENSIL]].operation if kind == ActionKind.OPERATE else ""
    return NamedAction(kind, book.name(item), name, operation, left)


def make_menu(validator: Validator, actions: Sequence[NamedAction] | None = None) -> Menu:
    """Return the columns for some actions; without any, for all of `KitchenWords.every_action`."""
    chosen = validator.words.every_action() if actions is None else actions
    cooks = range(len(validator.layout.cooks))
    codes = encode(validator, chosen)
    arrays = {
        "within": np.array([[_within(validator, cook, each) for each in chosen] for cook in cooks]),
        "at_counter": np.array([[n in reach for n in validator.layout.counters] for reach in validator.layout.reach]),
        "dead": np.bool_(validator.layout.dead > 0),
    }
    return Menu(actions=codes, offer=_offer(codes.kind, codes.item, codes.place), **jax.device_put(arrays))


def _within(validator: Validator, cook: int, action: NamedAction) -> bool:
    if action.kind == ActionKind.OPERATE:
        return validator.may_operate(cook, action.place)
    if action.kind == ActionKind.DELIVER:
        return validator.may_deliver(cook)
    return not action.place or validator.reaches(cook, action.place)


def legal(params: Params, menu: Menu, state: State) -> Bool[Array, "c a"]:
    """Return which actions each cook may begin now.

    A state offers few things: what is on a counter or ready in a utensil, and for each utensil a put, a start and a
    fill. Each action of the menu takes one of these offers, so the actions are only compared with the offers.

    Args:
        params: Rules.
        menu: The actions.
        state: Kitchen, unbatched.

    Returns:
        `[C, A]`, in the order of the menu; exactly where `Validator.check` finds no refusal.
    """
    offers = _offers(params, menu, state)
    number = jnp.concatenate([number for number, _ in offers])  # [J]
    to = jnp.concatenate([to for _, to in offers], axis=1)  # [C, J]
    cook = 1 << jnp.arange(to.shape[0], dtype=jnp.int32)  # a bit for each cook: one comparison serves both
    open_to = jnp.where(to, cook[:, None], 0).sum(0, dtype=jnp.int32)
    taken = jnp.where(number[:, None] == menu.offer[None], open_to[:, None], 0)  # [J, A]
    allowed = jnp.bitwise_or.reduce(taken, axis=0)
    return menu.within & ((allowed[None] & cook[:, None]) != 0)


def _offer(kind: Int[Array, " n"], item: Int[Array, " n"], place: Int[Array, " n"]) -> Int[Array, " n"]:
    """Return the number of the offer that an action takes.

    A dispenser offers all its items at once, and waits of any length are one offer.
    """
    endless = (place == Place.INGREDIENTS) | (place == Place.DISHES)
    where = jnp.where(endless, NO_ITEM, item) * _PLACES + jnp.where(endless, Place.INGREDIENTS, place)
    return where * len(ActionKind) + kind


def _offers(params: Params, menu: Menu, state: State) -> list[tuple[Int[Array, " j"], Bool[Array, "c j"]]]:
    """Return the numbers of a state's offers, and which cooks' hands fit them; `Menu.within` knows who reaches what."""
    held, product = state.held[:, None], state.product  # hands stand in rows, counters and utensils in columns
    empty = held == NO_ITEM
    food = ~empty & (held < params.dish)
    idle, vacant = (product == NO_ITEM)[None], (state.counters == NO_ITEM)[None]
    loaded, full = ((state.contents[:, place] != NO_ITEM)[None] for place in (0, UTENSIL_CAPACITY - 1))
    bare = (ready(params, state) & ~params.needs_dish[product])[None]
    tools = Place.UTENSIL + jnp.arange(product.shape[0], dtype=jnp.int32)
    plain = params.plain[state.counters]

    def at(kind: ActionKind, place: Any = Place.NONE, item: Any = NO_ITEM) -> Int[Array, " j"]:
        each = jnp.broadcast_arrays(*(jnp.atleast_1d(jnp.asarray(value, jnp.int32)) for value in (kind, item, place)))
        return _offer(*each)

    return [
        (at(ActionKind.WAIT), jnp.ones_like(empty)),
        (at(ActionKind.PICKUP, Place.INGREDIENTS), empty),
        (at(ActionKind.PICKUP, Place.COUNTER, plain), empty & menu.at_counter & ~vacant),
        (at(ActionKind.PICKUP, tools, product), empty & bare),
        (at(ActionKind.PLACE), ~empty & jnp.any(menu.at_counter & vacant, axis=1, keepdims=True)),
        (at(ActionKind.PUT, tools), food & idle & ~full & (menu.dead | jnp.any(vacant))),
        (at(ActionKind.OPERATE, tools), empty & idle & loaded),
        (at(ActionKind.FILL, tools), (held == params.dish) & params.needs_dish[state.order] & ~idle),
        (at(ActionKind.DELIVER), ~empty & params.ordered[params.plain[held]]),
    ]
