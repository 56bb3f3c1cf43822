"""How far an order is, from 0 to 1: the potential of a kitchen's shaped reward (docs/rules/learning.md 14).

An order is a tree: its root is what is delivered, and the children of a product are its inputs. Each item of the tree
counts by how near it is to its next use; one that has become part of another counts fully.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int

from hive.ground.exact import rounded
from hive.worlds.kitchen.codes import Place
from hive.worlds.kitchen.cookbook import NO_ITEM, Cookbook
from hive.worlds.kitchen.layout import COOKS, Layout
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.state import Params, State

_STAGES = 4  # exists; within reach of the cook who uses it next; in this cook's hand; in its utensil
_ROOT = -1


class Needs(struct.PyTreeNode, kw_only=True):
    """The tree of an order; parents come before their children. D items, some of them padding."""

    item: Int[Array, " d"]  # code; 0: padding
    parent: Int[Array, " d"]  # place in the tree; -1: the root
    user: Bool[Array, "d c"]  # the cooks that use it next
    utensil: Bool[Array, "d u"]  # the utensils in which it is used next
    share: Float[Array, ""]  # of a stage in the progress


def make_needs(setting: Setting, orders: Sequence[str]) -> Needs:
    """Return the trees of some orders, `[O, D]`."""
    trees = [_tree(setting.book, order) for order in orders]
    size = max(map(len, trees))
    rows = [[_row(setting, *each) for each in tree] for tree in trees]
    blank = (NO_ITEM, _ROOT, np.zeros(COOKS, bool), np.zeros(len(setting.layout.utensils), bool))
    padded = [row + [blank] * (size - len(row)) for row in rows]
    columns: list[Any] = [np.array([[each[k] for each in row] for row in padded]) for k in range(4)]
    item, parent = (column.astype(np.int32) for column in columns[:2])
    share = np.array([1 / (_STAGES * len(tree)) for tree in trees], np.float32)
    arrays = {"item": item, "parent": parent, "user": columns[2], "utensil": columns[3], "share": share}
    return Needs(**jax.device_put(arrays))


def progress(params: Params, needs: Needs, state: State) -> Float[Array, ""]:
    """Return how far an order is; 1 if and only if it was delivered.

    Args:
        params: Rules.
        needs: The tree of the order, unbatched.
        state: Kitchen, unbatched.
    """
    item = needs.item[:, None]
    held = state.held[None] == item  # [D, C]
    on_counter = state.counters[None] == item  # [D, K]
    made = state.product[None] == item  # [D, U]
    inside = (state.contents[None] == item[..., None]).any(-1)
    reach = params.reach
    at_counter = reach[:, params.counter]  # [C, K]
    stands = params.place[None] == Place.UTENSIL + jnp.arange(params.kind.shape[0])[:, None]  # [U, S]
    at_utensil = (stands[None] & reach[:, None]).any(-1)  # [C, U]
    exists = held.any(1) | on_counter.any(1) | made.any(1) | inside.any(1)
    near = _meets(on_counter, at_counter, needs.user) | _meets(made, at_utensil, needs.user)
    taken = (held & needs.user).any(1)
    used = (inside & needs.utensil).any(1)
    stage = jnp.where(used, 4, jnp.where(taken, 3, jnp.where(near, 2, jnp.where(exists, 1, 0))))
    real = needs.item != NO_ITEM
    part: list[Bool[Array, ""]] = []  # whether an item has become part of another
    for number in range(needs.item.shape[0]):
        parent = needs.parent[number]
        above = jnp.stack([jnp.zeros((), bool), *part])[parent + 1]
        part.append((parent >= 0) & (above | exists[jnp.maximum(parent, 0)]))
    share = jnp.where(jnp.stack(part), _STAGES, stage)
    total = jnp.where(real, share, 0).sum(dtype=jnp.int32).astype(jnp.float32)
    return jnp.where(state.served, 1.0, rounded(total * needs.share))


def _meets(there: Bool[Array, "d p"], reach: Bool[Array, "c p"], user: Bool[Array, "d c"]) -> Bool[Array, " d"]:
    """Whether an item is at a place that one of its next users reaches."""
    return (there[:, None] & reach[None] & user[..., None]).any((1, 2))


def _tree(book: Cookbook, order: str) -> list[tuple[str, bool, int, str | None]]:
    """The items of an order: name, whether in a dish, place of the parent, and type of the next utensil."""
    found: list[tuple[str, bool, int, str | None]] = []

    def add(name: str, plated: bool, parent: int, utensil: str | None) -> None:
        found.append((name, plated, parent, utensil))
        here = len(found) - 1
        if plated:
            add(name, False, here, book.recipe[name].utensil)
            add(book.dish, False, here, book.recipe[name].utensil)
        elif name in book.recipe:
            for each in book.recipe[name].inputs:
                add(each, False, here, book.recipe[name].utensil)

    add(order, book.needs_dish(order), _ROOT, None)
    return found


def _row(
    setting: Setting, name: str, plated: bool, parent: int, utensil: str | None
) -> tuple[int, int, np.ndarray, np.ndarray]:
    book, layout = setting.book, setting.layout
    code = book.plated(name) if plated else book.code[name]
    return code, parent, _users(book, layout, utensil), np.array([kind == utensil for kind in layout.utensils])


def _users(book: Cookbook, layout: Layout, utensil: str | None) -> np.ndarray:
    """Which cooks use a type of utensil, or deliver."""
    if utensil is None:
        return np.array([cook.delivers for cook in layout.cooks])
    places = [Place.UTENSIL + number for number, kind in enumerate(layout.utensils) if kind == utensil]
    operation = book.utensil[utensil].operation
    return np.array(
        [
            operation in cook.operations and any(layout.reaches(number, place) for place in places)
            for number, cook in enumerate(layout.cooks)
        ]
    )
