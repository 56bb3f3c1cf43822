"""A kitchen's state as plain values on the host: what the validator, an observation or a picture reads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import jax
import numpy as np

from hive.worlds.kitchen.cookbook import NO_ITEM, Cookbook
from hive.worlds.kitchen.state import State


class UtensilStatus(IntEnum):
    """What a utensil does."""

    EMPTY = 0
    LOADED = 1
    WORKING = 2
    READY = 3


@dataclass(frozen=True)
class UtensilState:
    """One utensil.

    Attributes:
        status: What it does.
        contents: Codes of the items put in and not started, highest first.
        product: Code of the item that is made or ready; 0 otherwise.
        left: Timesteps until the product is ready; 0 unless the utensil works.
        notice: Whether contents that match no recipe were deleted at the end of the timestep before.
    """

    status: UtensilStatus
    contents: tuple[int, ...] = ()
    product: int = NO_ITEM
    left: int = 0
    notice: bool = False


@dataclass(frozen=True)
class Snapshot:
    """The state of a kitchen without poses; items are the codes of its `Cookbook`.

    Attributes:
        order: Item to deliver.
        held: Item in the hand of each cook; 0 for an empty hand.
        counters: Item on each counter that a cook reaches, in the order of `Layout.counters`.
        utensils: The utensils, in the order of `Layout.instances`.
    """

    order: int
    held: tuple[int, ...]
    counters: tuple[int, ...]
    utensils: tuple[UtensilState, ...]


def take_snapshot(book: Cookbook, state: State) -> Snapshot:
    """Return the snapshot of one state, unbatched, from the device or as NumPy arrays."""
    state = jax.device_get(state)
    rows = zip(state.contents.tolist(), state.product.tolist(), state.work.tolist(), state.notice.tolist(), strict=True)
    return Snapshot(
        order=int(state.order),
        held=tuple(np.asarray(state.held).tolist()),
        counters=tuple(np.asarray(state.counters).tolist()),
        utensils=tuple(_utensil(book, *row) for row in rows),
    )


def _utensil(book: Cookbook, contents: list[int], product: int, work: int, notice: bool) -> UtensilState:
    if product:
        left = max(book.utensil[book.recipe[book.name(product)].utensil].timesteps - work, 0)
        return UtensilState(UtensilStatus.WORKING if left else UtensilStatus.READY, (), product, left, notice)
    items = tuple(item for item in contents if item)
    return UtensilState(UtensilStatus.LOADED if items else UtensilStatus.EMPTY, items, notice=notice)
