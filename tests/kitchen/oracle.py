"""The kitchen once more, in plain Python and with names instead of codes (docs/rules/kitchen.md 2, 3, 5.2)."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace

from hive.worlds.kitchen.codes import FACINGS, Move
from hive.worlds.kitchen.cookbook import Cookbook
from hive.worlds.kitchen.layout import Layout


@dataclass
class Pot:
    """A utensil of any type."""

    kind: str
    contents: list[str] = field(default_factory=list)
    product: str = ""  # "?" for wrong contents
    work: int = 0
    loaded: tuple[int, int] = (0, 0)  # timestep and cook
    notice: bool = False


class Oracle:
    """One game."""

    def __init__(self, book: Cookbook, layout: Layout, order: str, freeze: bool) -> None:
        self.book, self.layout, self.order, self.freeze = book, layout, order, freeze
        self.at = [cook.start for cook in layout.cooks]
        self.facing = [int(cook.facing) for cook in layout.cooks]
        self.hand = ["", ""]
        self.plated = [False, False]
        self.named = {station.tile: station.name for station in layout.stations}
        self.counters: dict[tuple[int, int], tuple[str, bool]] = {}
        self.pots = {name: Pot(kind) for name, kind in zip(layout.instances, layout.utensils, strict=True)}
        self.served, self.clock = False, 0

    def copy(self) -> Oracle:
        """The same game, to be played on by itself."""
        other = copy(self)
        other.at, other.facing = [*self.at], [*self.facing]
        other.hand, other.plated = [*self.hand], [*self.plated]
        other.counters = {**self.counters}
        other.pots = {name: replace(pot, contents=[*pot.contents]) for name, pot in self.pots.items()}
        return other

    def step(self, moves: list[int], items: list[str]) -> list[str]:
        """Play a timestep and return what each cook's interaction did, empty for nothing."""
        done, started = ["", ""], []
        for cook in (0, 1):
            if moves[cook] == Move.INTERACT:
                x, y = self.at[cook]
                east, south = FACINGS[self.facing[cook]]
                tile = (x + east, y + south)
                done[cook] = self._touch(cook, tile, items[cook])
                if done[cook] == "operate":
                    started.append(self.pots[self.named[tile]])
        goals = list(self.at)
        for cook in (0, 1):
            if moves[cook] < Move.STAY:
                self.facing[cook] = moves[cook]
                x, y = self.at[cook]
                east, south = FACINGS[moves[cook]]
                if (x + east, y + south) in self.layout.floor:
                    goals[cook] = (x + east, y + south)
        if goals[0] != goals[1] and goals != self.at[::-1]:
            self.at = goals
        for pot in self.pots.values():
            pot.notice = pot.product == "?"
            if pot.notice:
                pot.product = ""
            elif pot.product and pot.work < self.book.utensil[pot.kind].timesteps:
                stopped = self.freeze and pot not in started and any(each.loaded < pot.loaded for each in started)
                pot.work += not stopped
        self.clock += 1
        return done

    def _touch(self, cook: int, tile: tuple[int, int], item: str) -> str:
        name, held = self.named.get(tile, ""), self.hand[cook]
        dish = held == self.book.dish
        if name in self.pots:
            return self._use(cook, self.pots[name])
        if name.endswith("dispenser") and not held:
            got = self.book.dish if name == "dish_dispenser" else item if item in self.book.ingredients else ""
            self.hand[cook] = got
            return "pickup" if got else ""
        if name == "counter" and not held and tile in self.counters:
            self.hand[cook], self.plated[cook] = self.counters.pop(tile)
            return "pickup"
        if name == "counter" and held and tile not in self.counters:
            self.counters[tile] = held, self.plated[cook]
            self.hand[cook], self.plated[cook] = "", False
            return "place"
        if name == "delivery" and held and not dish:
            needs = self.order in self.book.with_dish
            self.served |= held == self.order and self.plated[cook] == needs
            self.hand[cook], self.plated[cook] = "", False
            return "deliver"
        return ""

    def _use(self, cook: int, pot: Pot) -> str:
        held = self.hand[cook]
        dish, ready = held == self.book.dish, pot.work == self.book.utensil[pot.kind].timesteps
        if not pot.product:
            if held and not dish and not self.plated[cook] and len(pot.contents) < 3:
                if not pot.contents:
                    pot.loaded = self.clock, cook
                pot.contents.append(held)
                self.hand[cook] = ""
                return "put"
            if not held and pot.contents:
                made = [
                    each.product
                    for each in self.book.recipes
                    if each.utensil == pot.kind and sorted(each.inputs) == sorted(pot.contents)
                ]
                pot.product, pot.work, pot.contents = (*made, "?")[0], 0, []
                return "operate"
        elif ready and (dish or (not held and pot.product not in self.book.with_dish)):
            self.hand[cook], self.plated[cook] = pot.product, dish
            pot.product, pot.work = "", 0
            return "fill" if dish else "pickup"
        return ""
