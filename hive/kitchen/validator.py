"""The validator: whether a well-formed action may begin now, and if not, why (docs/rules/kitchen.md, "State checks").

An action is checked once, when it becomes current. The codes are those of the rules page; of several refusals the first
counts. `menu.legal` is the same as a mask over all actions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from dsl.diagnostics import Diagnostic
from dsl.source import NO_SPAN, Span
from dsl.wording import listing
from hive.kitchen.action import COUNTER, DISHES, INGREDIENTS, Action, Words, words_of
from hive.kitchen.action_text import Entry
from hive.kitchen.codes import Deed, Place
from hive.kitchen.cookbook import CAPACITY, Cookbook
from hive.kitchen.layout import Layout
from hive.kitchen.snapshot import Snapshot, UtensilState, UtensilStatus

Refusal = tuple[str, str, str]
"""A code, one plain sentence, and what to do instead; the last may be empty."""


@dataclass(frozen=True)
class Validator:
    """The state checks of one kitchen.

    Attributes:
        book: What exists.
        layout: Where it stands.
    """

    book: Cookbook
    layout: Layout

    @cached_property
    def words(self) -> Words:
        """The words of plans here."""
        return words_of(self.book, self.layout)

    def check(self, snapshot: Snapshot, cook: int, action: Action) -> Diagnostic | None:
        """Return why a cook may not begin an action now, or None if it may."""
        refusal = next(self._refusals(snapshot, cook, action), None)
        if refusal is None:
            return None
        code, message, help = refusal
        return Diagnostic(code, "error", message, action.span, help=help or None)

    def check_entry(self, snapshot: Snapshot, cook: int, entry: Entry) -> Diagnostic | None:
        """Return why an entry of a plan may not begin now: its form comes first, then the state."""
        if entry.action is None:
            return entry.findings[-1]
        if entry.request:
            message = "a request is not carried out; it asks the teammate"
            return Diagnostic("F1", "error", message, entry.span)
        return self.check(snapshot, cook, entry.action)

    def notices(self, snapshot: Snapshot, span: Span = NO_SPAN) -> tuple[Diagnostic, ...]:
        """Return the findings E1 about utensils whose contents matched no recipe in the timestep before."""
        names = [name for name, each in zip(self.layout.instances, snapshot.utensils, strict=True) if each.notice]
        message = "the contents of `{}` match no recipe, so they were thrown away"
        return tuple(Diagnostic("E1", "error", message.format(name), span) for name in names)

    def may_operate(self, cook: int, utensil: str) -> bool:
        """Whether a cook reaches a utensil and its operation is one of the cook's own."""
        return utensil in self._reached[cook] and self.words.utensils[utensil] in self.layout.cooks[cook].operations

    def may_deliver(self, cook: int) -> bool:
        """Whether a cook delivers and reaches a delivery location."""
        return self.layout.cooks[cook].delivers and self.layout.reaches(cook, Place.DELIVERY)

    def reaches(self, cook: int, place: str) -> bool:
        """Whether a cook reaches a place that a pickup may name; of counters, at least one."""
        return place in self._reached[cook]

    def leaves_in_dish(self, utensil: str, item: str) -> bool:
        """Whether a utensil makes an item that leaves it in a dish only."""
        kind = self.layout.utensils[self.layout.instances.index(utensil)]
        return self.book.needs_dish(item) and self.book.recipe[item].utensil == kind

    @cached_property
    def _reached(self) -> tuple[frozenset[str], ...]:
        cooks = range(len(self.layout.cooks))
        return tuple(
            frozenset(p for p, code in self.layout.place.items() if self.layout.reaches(c, code)) for c in cooks
        )

    @cached_property
    def _counters(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of the counters that each cook reaches."""
        stations = list(enumerate(self.layout.counters))
        return tuple(tuple(n for n, station in stations if station in reach) for reach in self.layout.reach)

    def _utensil(self, snapshot: Snapshot, utensil: str) -> UtensilState:
        return snapshot.utensils[self.layout.instances.index(utensil)]

    def _name(self, cook: int) -> str:
        return self.layout.cooks[cook].name

    def _mate(self, cook: int) -> str:
        return self.layout.cooks[1 - cook].name

    def _refusals(self, snapshot: Snapshot, cook: int, action: Action) -> Iterator[Refusal]:
        if action.deed in self._checks:
            yield from self._checks[action.deed](snapshot, cook, action)

    @cached_property
    def _checks(self) -> dict[Deed, Callable[[Snapshot, int, Action], Iterator[Refusal]]]:
        return {
            Deed.PICKUP: self._pickup,
            Deed.PLACE: self._place,
            Deed.PUT: self._put,
            Deed.OPERATE: self._operate,
            Deed.FILL: self._fill,
            Deed.DELIVER: self._deliver,
        }

    def _pickup(self, snapshot: Snapshot, cook: int, action: Action) -> Iterator[Refusal]:
        item, place = action.item, action.place
        there = self._utensil(snapshot, place) if place in self.words.utensils else None
        if there and there.status == UtensilStatus.WORKING:
            yield (
                "P1",
                f"`{place}` is working; its product is ready in {there.left} timesteps",
                "wait until it is ready",
            )
        if there and self.leaves_in_dish(place, item):
            fill = f"fill_dish_with_food({place})"
            yield "P2", f"`{item}` leaves `{place}` in a dish only", f"take a dish, then `{fill}`"
        if item in self.words.utensils:
            yield "P3", f"`{item}` is a utensil, and utensils cannot be moved", ""
            return
        yield from self._absent(snapshot, cook, item, place)
        if snapshot.held[cook]:
            yield "P5", f"the hand already holds `{self.book.name(snapshot.held[cook])}`", "put it down first"
        if there and there.status != UtensilStatus.READY:
            what = "is empty" if there.status == UtensilStatus.EMPTY else "has not been started"
            yield "P6", f"`{place}` {what}, so `{item}` cannot be taken from it", ""
        if there and there.status == UtensilStatus.READY and there.product != self.book.code[item]:
            yield "P6", f"`{place}` holds `{self.book.name(there.product)}`, not `{item}`", ""

    def _absent(self, snapshot: Snapshot, cook: int, item: str, place: str) -> Iterator[Refusal]:
        if place in self.words.utensils and not self.reaches(cook, place):
            message = f"{self._name(cook)} does not reach `{place}`"
            yield "P4a", message, f"ask {self._mate(cook)} to place the object on a counter"
        if place in (INGREDIENTS, DISHES) and not self.reaches(cook, place):
            yield "P4c", f"{self._name(cook)} does not reach `{place}`", f"ask {self._mate(cook)} for `{item}`"
        if place == COUNTER:
            code = self.book.code[item]
            if all(self.book.plain(snapshot.counters[counter]) != code for counter in self._counters[cook]):
                source = DISHES if item == self.book.dish else INGREDIENTS if item in self.book.ingredients else ""
                help = f"use `{source}`" if source and self.reaches(cook, source) else f"wait for {self._mate(cook)}"
                yield "P4b", f"there is no `{item}` on a counter that {self._name(cook)} reaches", help

    def _place(self, snapshot: Snapshot, cook: int, action: Action) -> Iterator[Refusal]:
        if not snapshot.held[cook]:
            yield "K1", "the hand is empty, so there is nothing to place", ""
        if all(snapshot.counters[counter] for counter in self._counters[cook]):
            yield "K2", f"no counter that {self._name(cook)} reaches is empty", "wait until one is empty"

    def _put(self, snapshot: Snapshot, cook: int, action: Action) -> Iterator[Refusal]:
        place, held, there = action.place, snapshot.held[cook], self._utensil(snapshot, action.place)
        if there.status == UtensilStatus.WORKING:
            yield (
                "U1",
                f"`{place}` is working; its product is ready in {there.left} timesteps",
                "wait until it is ready",
            )
        if there.status == UtensilStatus.READY:
            yield "U2", f"`{place}` still holds `{self.book.name(there.product)}`", "take it out first"
        if not self.reaches(cook, place):
            mine = [name for name in self.words.utensils if self.reaches(cook, name)]
            help = f"the utensils here are {listing(mine, 'and')}" if mine else ""
            yield "U3", f"{self._name(cook)} does not reach `{place}`", help
        if all(snapshot.counters) and snapshot.counters and not self.layout.dead:
            yield "U4", "no counter is empty", "clear a counter first"
        if not held:
            yield "U5", "the hand is empty, so there is nothing to put in", ""
        if held >= self.book.dish_code:
            yield "U6", "the hand holds a dish, and dishes go on counters only", ""
        if len(there.contents) >= CAPACITY:
            yield "U7", f"`{place}` is full: it holds {CAPACITY} items", "start it"

    def _operate(self, snapshot: Snapshot, cook: int, action: Action) -> Iterator[Refusal]:
        place, there = action.place, self._utensil(snapshot, action.place)
        if not self.may_operate(cook, place):
            help = f"ask {self._mate(cook)} to `{action.operation}`"
            yield "O1", f"{self._name(cook)} cannot use `{place}`", help
        if there.status == UtensilStatus.EMPTY:
            yield "O2", f"`{place}` is empty, so there are not enough ingredients", "put something in first"
        if there.status in (UtensilStatus.WORKING, UtensilStatus.READY):
            what = "is working" if there.status == UtensilStatus.WORKING else "holds a finished product"
            yield "O3", f"`{place}` is busy: it {what}", ""
        if snapshot.held[cook]:
            yield "O4", f"the hand holds `{self.book.name(snapshot.held[cook])}` and must be empty", "put it down first"

    def _fill(self, snapshot: Snapshot, cook: int, action: Action) -> Iterator[Refusal]:
        place, order = action.place, self.book.name(snapshot.order)
        if not self.book.needs_dish(order):
            yield "D1", f"the order `{order}` needs no dish", "pick the food up with an empty hand"
        if snapshot.held[cook] != self.book.dish_code:
            yield "D3", "the hand holds no empty dish", "take a dish first"
        if self._utensil(snapshot, place).status not in (UtensilStatus.WORKING, UtensilStatus.READY):
            yield "D2", f"`{place}` neither works nor holds a finished product", "start it first"
        if not self.reaches(cook, place):
            yield "D4", f"{self._name(cook)} does not reach `{place}`", ""

    def _deliver(self, snapshot: Snapshot, cook: int, action: Action) -> Iterator[Refusal]:
        held = snapshot.held[cook]
        if not held:
            yield "V2", "the hand is empty, so there is nothing to deliver", ""
        if self.book.name(held) not in self.book.orders:
            yield "V1", f"`{self.book.name(held)}` is no finished food that can be ordered", ""
        if not self.may_deliver(cook):
            yield "V3", f"{self._name(cook)} cannot deliver", f"place the food on a counter for {self._mate(cook)}"
