"""The validator: whether a well-formed action may begin now, and if not, why (docs/rules/kitchen.md 9.3).

An action is checked once, when it becomes current. Of several reasons the first counts. `menu.legal` is the same as a
mask over all actions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from dsl.diagnostics import Diagnostic
from dsl.source import NO_SPAN
from dsl.wording import listing
from hive.worlds.kitchen.action import COUNTER, DISHES, INGREDIENTS, KitchenWords, NamedAction, words_of
from hive.worlds.kitchen.codes import ActionKind, Place
from hive.worlds.kitchen.cookbook import UTENSIL_CAPACITY, Cookbook
from hive.worlds.kitchen.layout import Layout
from hive.worlds.kitchen.refusals import SENTENCES, WRONG_CONTENTS
from hive.worlds.kitchen.snapshot import Snapshot, UtensilState, UtensilStatus


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
    def words(self) -> KitchenWords:
        """The words of plans here."""
        return words_of(self.book, self.layout)

    def code(self, snapshot: Snapshot, cook: int, action: NamedAction) -> str | None:
        """Return the code of the first reason why a cook may not begin an action now, or None if it may."""
        check = self._checks.get(action.kind)
        return check(snapshot, cook, action) if check else None

    def check(self, snapshot: Snapshot, cook: int, action: NamedAction) -> Diagnostic | None:
        """Return why a cook may not begin an action now, or None if it may."""
        code = self.code(snapshot, cook, action)
        if code is None:
            return None
        names = self._names(snapshot, cook, action)
        message, help = (text.format(**names) for text in SENTENCES[code])
        return Diagnostic(code, "error", message, action.span, help=help or None)

    def notices(self, snapshot: Snapshot) -> tuple[Diagnostic, ...]:
        """Return the findings E1 about utensils whose contents matched no recipe in the timestep before."""
        names = [name for name, each in zip(self.layout.instances, snapshot.utensils, strict=True) if each.notice]
        return tuple(Diagnostic("E1", "error", WRONG_CONTENTS.format(place=name), NO_SPAN) for name in names)

    def may_operate(self, cook: int, utensil: str) -> bool:
        """Whether a cook reaches a utensil and its operation is one of the cook's own."""
        return self.reaches(cook, utensil) and self.words.utensils[utensil] in self.layout.cooks[cook].operations

    def may_deliver(self, cook: int) -> bool:
        """Whether a cook delivers and reaches a delivery location."""
        return self.layout.cooks[cook].delivers and self.layout.reaches(cook, Place.DELIVERY)

    def reaches(self, cook: int, place: str) -> bool:
        """Whether a cook reaches a place that a pickup may name; of counters, at least one."""
        return place in self._reached[cook]

    def leaves_in_dish(self, utensil: str, item: str) -> bool:
        """Whether a utensil makes an item that leaves it in a dish only."""
        return (utensil, item) in self._dished

    @cached_property
    def _reached(self) -> tuple[frozenset[str], ...]:
        places, cooks = self.layout.place.items(), range(len(self.layout.cooks))
        return tuple(frozenset(name for name, code in places if self.layout.reaches(cook, code)) for cook in cooks)

    @cached_property
    def _dished(self) -> frozenset[tuple[str, str]]:
        """Utensils and the products that leave them in a dish only."""
        kinds = list(zip(self.layout.instances, self.layout.utensils, strict=True))
        products = [(item, self.book.recipe[item].utensil) for item in self.book.with_dish]
        return frozenset((name, item) for name, kind in kinds for item, maker in products if kind == maker)

    @cached_property
    def _counters(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of the counters that each cook reaches."""
        stations = list(enumerate(self.layout.counters))
        return tuple(tuple(n for n, station in stations if station in reach) for reach in self.layout.reach)

    @cached_property
    def _checks(self) -> dict[ActionKind, Callable[[Snapshot, int, NamedAction], str | None]]:
        return {
            ActionKind.PICKUP: self._pickup,
            ActionKind.PLACE: self._place,
            ActionKind.PUT: self._put,
            ActionKind.OPERATE: self._operate,
            ActionKind.FILL: self._fill,
            ActionKind.DELIVER: self._deliver,
        }

    def _pickup(self, snapshot: Snapshot, cook: int, action: NamedAction) -> str | None:
        item, place = action.item, action.place
        number = self.layout.numbers.get(place)
        there = None if number is None else snapshot.utensils[number]
        if there and there.status == UtensilStatus.WORKING:
            return "P1"
        if (place, item) in self._dished:
            return "P2"
        if item in self.layout.numbers:
            return "P3"
        if place == COUNTER:
            code, plain = self.book.code[item], self.book.plain
            if all(plain(snapshot.counters[counter]) != code for counter in self._counters[cook]):
                return "P4b"
        elif not self.reaches(cook, place):
            return "P4a" if there else "P4c"
        if snapshot.held[cook]:
            return "P5"
        if there and there.product != self.book.code[item]:
            return "P6"
        return None

    def _place(self, snapshot: Snapshot, cook: int, action: NamedAction) -> str | None:
        if not snapshot.held[cook]:
            return "K1"
        if all(snapshot.counters[counter] for counter in self._counters[cook]):
            return "K2"
        return None

    def _put(self, snapshot: Snapshot, cook: int, action: NamedAction) -> str | None:
        held, there = snapshot.held[cook], snapshot.utensils[self.layout.numbers[action.place]]
        if there.status == UtensilStatus.WORKING:
            return "U1"
        if there.status == UtensilStatus.READY:
            return "U2"
        if not self.reaches(cook, action.place):
            return "U3"
        if not self.layout.dead and all(snapshot.counters):  # counters out of reach stay empty
            return "U4"
        if not held:
            return "U5"
        if held >= self.book.dish_code:
            return "U6"
        if len(there.contents) >= UTENSIL_CAPACITY:
            return "U7"
        return None

    def _operate(self, snapshot: Snapshot, cook: int, action: NamedAction) -> str | None:
        status = snapshot.utensils[self.layout.numbers[action.place]].status
        if not self.may_operate(cook, action.place):
            return "O1"
        if status == UtensilStatus.EMPTY:
            return "O2"
        if status != UtensilStatus.LOADED:
            return "O3"
        if snapshot.held[cook]:
            return "O4"
        return None

    def _fill(self, snapshot: Snapshot, cook: int, action: NamedAction) -> str | None:
        status = snapshot.utensils[self.layout.numbers[action.place]].status
        if not self.book.needs_dish(self.book.name(snapshot.order)):
            return "D1"
        if snapshot.held[cook] != self.book.dish_code:
            return "D3"
        if status not in (UtensilStatus.WORKING, UtensilStatus.READY):
            return "D2"
        if not self.reaches(cook, action.place):
            return "D4"
        return None

    def _deliver(self, snapshot: Snapshot, cook: int, action: NamedAction) -> str | None:
        held = snapshot.held[cook]
        if not held:
            return "V2"
        if self.book.name(held) not in self.book.orders:
            return "V1"
        if not self.may_deliver(cook):
            return "V3"
        return None

    def _names(self, snapshot: Snapshot, cook: int, action: NamedAction) -> dict[str, str]:
        """What the sentences may name."""
        cooks, item, place = self.layout.cooks, action.item, action.place
        number = self.layout.numbers.get(place)
        there = UtensilState(UtensilStatus.EMPTY) if number is None else snapshot.utensils[number]
        source = DISHES if item == self.book.dish else INGREDIENTS if item in self.book.ingredients else ""
        mate = cooks[1 - cook].name
        mine = [name for name in self.layout.numbers if self.reaches(cook, name)]
        return {
            "cook": cooks[cook].name,
            "mate": mate,
            "item": item,
            "place": place,
            "operation": action.operation,
            "order": self.book.name(snapshot.order),
            "held": self.book.name(snapshot.held[cook]),
            "product": self.book.name(there.product),
            "left": str(there.left),
            "state": self._state(there),
            "source": f"use `{source}`" if source and self.reaches(cook, source) else f"wait for {mate}",
            "utensils": listing(mine, "and", () if mine else ("no utensil",)),
        }

    def _state(self, there: UtensilState) -> str:
        return {
            UtensilStatus.EMPTY: "is empty",
            UtensilStatus.LOADED: "has not been started",
            UtensilStatus.WORKING: "is working",
            UtensilStatus.READY: f"holds a finished `{self.book.name(there.product)}`",
        }[there.status]
