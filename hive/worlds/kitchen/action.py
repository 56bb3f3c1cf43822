"""Named actions as typed values, and the words that a plan may use in a kitchen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dsl.source import NO_SPAN, Span
from hive.worlds.kitchen.codes import ActionKind
from hive.worlds.kitchen.cookbook import Cookbook
from hive.worlds.kitchen.layout import Layout

COUNTER = "counter"
INGREDIENTS = "ingredient_dispenser"
DISHES = "dish_dispenser"
MAX_WAIT = 20
"""Longest wait that a plan may ask for, in timesteps."""

WAIT_FOR = "wait_for"
"""How a wait for an item is written; it is no published action (docs/rules/kitchen.md 4.2)."""


ACTION_NAMES = {
    ActionKind.PICKUP: "pickup",
    ActionKind.PLACE: "place_obj_on_counter",
    ActionKind.PUT: "put_obj_in_utensil",
    ActionKind.FILL: "fill_dish_with_food",
    ActionKind.DELIVER: "deliver",
    ActionKind.WAIT: "wait",
}
"""How the actions are written, apart from operations."""


@dataclass(frozen=True)
class NamedAction:
    """A well-formed named action; `str` returns its one canonical text, which histories and metrics compare.

    Attributes:
        kind: What it does; an operation starts a utensil and is written with the utensil's own word.
        item: Name of what a pickup takes, or of what a wait waits for.
        place: Where a pickup takes it or a wait looks for it, or the utensil of a put, an operation or a fill.
        operation: Word of an operation, such as `cook`.
        timesteps: Length of a wait, 1 to `MAX_WAIT`; 0 for a wait for an item.
        span: Where it was read; takes no part in equality.
    """

    kind: ActionKind
    item: str = ""
    place: str = ""
    operation: str = ""
    timesteps: int = 0
    span: Span = field(default=NO_SPAN, compare=False, repr=False)

    def __str__(self) -> str:
        """Return the action as a plan writes it, without blanks."""
        length = str(self.timesteps) if self.kind == ActionKind.WAIT and not self.item else ""
        arguments = [part for part in (self.item, self.place, length) if part]
        name = WAIT_FOR if self.kind == ActionKind.WAIT and self.item else self.operation or ACTION_NAMES[self.kind]
        return f"{name}({','.join(arguments)})"


@dataclass(frozen=True)
class KitchenWords:
    """The words of one kitchen.

    Attributes:
        ingredients: Raw items, which the ingredient dispenser gives.
        products: Items that utensils make.
        dish: The empty dish.
        utensils: Operation of each utensil instance, such as `cook` of `pot0`.
        wait_for: Whether a plan may wait for an item.
    """

    ingredients: tuple[str, ...]
    products: tuple[str, ...]
    dish: str
    utensils: Mapping[str, str]
    wait_for: bool = False

    @property
    def operations(self) -> tuple[str, ...]:
        """Every operation once, in the order of the utensils."""
        return tuple(dict.fromkeys(self.utensils.values()))

    @property
    def items(self) -> tuple[str, ...]:
        """Everything that a hand can hold: ingredients, products and the empty dish."""
        return (*self.ingredients, *self.products, self.dish)

    @property
    def places(self) -> tuple[str, ...]:
        """Where a pickup can take something."""
        return (INGREDIENTS, DISHES, COUNTER, *self.utensils)

    def every_action(self) -> tuple[NamedAction, ...]:
        """Return every well-formed action in a fixed order: the columns of an action mask.

        Pickups that no state allows because of their form (a product from a dispenser) are left out.
        """
        found = [NamedAction(ActionKind.PICKUP, item, INGREDIENTS) for item in self.ingredients]
        found += [NamedAction(ActionKind.PICKUP, self.dish, DISHES)]
        found += [
            NamedAction(ActionKind.PICKUP, item, place) for place in (COUNTER, *self.utensils) for item in self.items
        ]
        found += [NamedAction(ActionKind.PLACE)]
        found += [NamedAction(ActionKind.PUT, place=utensil) for utensil in self.utensils]
        found += [
            NamedAction(ActionKind.OPERATE, place=utensil, operation=word) for utensil, word in self.utensils.items()
        ]
        found += [NamedAction(ActionKind.FILL, place=utensil) for utensil in self.utensils]
        found += [NamedAction(ActionKind.DELIVER)]
        return (*found, *(NamedAction(ActionKind.WAIT, timesteps=length) for length in range(1, MAX_WAIT + 1)))


def words_of(book: Cookbook, layout: Layout) -> KitchenWords:
    """Return the words of a kitchen."""
    operations = {
        name: book.utensil[kind].operation for name, kind in zip(layout.instances, layout.utensils, strict=True)
    }
    return KitchenWords(book.ingredients, tuple(book.recipe), book.dish, operations)
