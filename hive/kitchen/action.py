"""Named actions as typed values, and the words that a plan may use in a kitchen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from dsl.source import NO_SPAN, Span

COUNTER = "counter"
INGREDIENTS = "ingredient_dispenser"
DISHES = "dish_dispenser"
DISH = "dish"
MAX_WAIT = 20
"""Longest wait that a plan may ask for, in timesteps."""


class Verb(IntEnum):
    """What a named action does; an operation starts a utensil and is written with the utensil's own word."""

    PICKUP = 0
    PLACE = 1
    PUT = 2
    OPERATE = 3
    FILL = 4
    DELIVER = 5
    WAIT = 6


NAMES = {
    Verb.PICKUP: "pickup",
    Verb.PLACE: "place_obj_on_counter",
    Verb.PUT: "put_obj_in_utensil",
    Verb.FILL: "fill_dish_with_food",
    Verb.DELIVER: "deliver",
    Verb.WAIT: "wait",
}
"""How the actions are written, apart from operations."""


@dataclass(frozen=True)
class Action:
    """A well-formed named action; `str` returns its one canonical text, which histories and metrics compare.

    Attributes:
        verb: What it does.
        item: Name of what a pickup takes.
        place: Where a pickup takes it, or the utensil of a put, an operation or a fill.
        operation: Word of an operation, such as `cook`.
        timesteps: Length of a wait, 1 to `MAX_WAIT`.
        span: Where it was read; takes no part in equality.
    """

    verb: Verb
    item: str = ""
    place: str = ""
    operation: str = ""
    timesteps: int = 0
    span: Span = field(default=NO_SPAN, compare=False, repr=False)

    def __str__(self) -> str:
        """Return the action as a plan writes it, without blanks."""
        length = str(self.timesteps) if self.verb == Verb.WAIT else ""
        arguments = [part for part in (self.item, self.place, length) if part]
        return f"{self.operation or NAMES[self.verb]}({','.join(arguments)})"


@dataclass(frozen=True)
class Words:
    """The words of one kitchen.

    Attributes:
        ingredients: Raw items, which the ingredient dispenser gives.
        products: Items that utensils make.
        utensils: Operation of each utensil instance, such as `cook` of `pot0`.
    """

    ingredients: tuple[str, ...]
    products: tuple[str, ...]
    utensils: Mapping[str, str]

    @property
    def operations(self) -> tuple[str, ...]:
        """Every operation once, in the order of the utensils."""
        return tuple(dict.fromkeys(self.utensils.values()))

    @property
    def items(self) -> tuple[str, ...]:
        """Everything that a hand can hold: ingredients, products and the empty dish."""
        return (*self.ingredients, *self.products, DISH)

    @property
    def places(self) -> tuple[str, ...]:
        """Where a pickup can take something."""
        return (INGREDIENTS, DISHES, COUNTER, *self.utensils)

    def every_action(self) -> tuple[Action, ...]:
        """Return every well-formed action in a fixed order: the columns of an action mask.

        Pickups that no state allows because of their form (a product from a dispenser) are left out.
        """
        found = [Action(Verb.PICKUP, item, INGREDIENTS) for item in self.ingredients]
        found += [Action(Verb.PICKUP, DISH, DISHES)]
        found += [Action(Verb.PICKUP, item, place) for place in (COUNTER, *self.utensils) for item in self.items]
        found += [Action(Verb.PLACE)]
        found += [Action(Verb.PUT, place=utensil) for utensil in self.utensils]
        found += [Action(Verb.OPERATE, place=utensil, operation=word) for utensil, word in self.utensils.items()]
        found += [Action(Verb.FILL, place=utensil) for utensil in self.utensils]
        found += [Action(Verb.DELIVER)]
        return (*found, *(Action(Verb.WAIT, timesteps=length) for length in range(1, MAX_WAIT + 1)))
