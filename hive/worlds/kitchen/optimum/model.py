"""What matters for one order, as small tables: items, states of utensils, poses (docs/rules/kitchen.md 8.2).

Only items that the order is made of exist, each as often as it is needed, or with some spare ones. In free play spare
items never help: the same plan without what is done to them delivers at the same time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from dsl import UserError
from hive.worlds.kitchen.assembly import grid, ways
from hive.worlds.kitchen.codes import Move, Place
from hive.worlds.kitchen.cookbook import Cookbook, Recipe
from hive.worlds.kitchen.layout import COOKS, Layout

USELESS = -1
"""Station of a pose from which nothing that matters is faced."""

_BITS = 4  # of a number of equal ingredients


@dataclass(frozen=True)
class UtensilStates:
    """States of one utensil: 0 is empty, then contents, then each product from its start until it is ready.

    Attributes:
        states: Contents as sorted items, or (product, timesteps worked).
        acts: `[states, items]` state after an interaction with an item in the hand, -1 without effect.
        hand: `[states, items]` item in the hand after it.
        tick: `[states]` state one timestep later.
        takes: `[states]` item that an empty hand takes out; 0: none.
        starts: `[states]` whether an empty hand starts it.
        fills: `[states]` whether a dish is filled now or after waiting.
        leaves: `[states]` ingredients inside, packed.
    """

    states: tuple[tuple[int, ...], ...]
    acts: np.ndarray
    hand: np.ndarray
    tick: np.ndarray
    takes: np.ndarray
    starts: np.ndarray
    fills: np.ndarray
    leaves: np.ndarray


@dataclass(frozen=True)
class Model:
    """One order in one kitchen."""

    book: Cookbook
    layout: Layout
    order: str
    spares: int = 0  # of each ingredient, and of dishes

    @cached_property
    def recipes(self) -> tuple[Recipe, ...]:
        """Recipes of the order, each after those of its inputs, in an order that the workflow alone decides."""
        found: dict[str, Recipe] = {}

        def visit(name: str) -> None:
            if name in self.book.recipe and name not in found:
                for each in sorted(self.book.recipe[name].inputs, key=lambda part: (self._shape(part), part)):
                    visit(each)
                found[name] = self.book.recipe[name]

        visit(self.order)
        return tuple(found.values())

    def _shape(self, name: str) -> str:
        """How an item is made, without names of items."""
        if name not in self.book.recipe:
            return ""
        recipe = self.book.recipe[name]
        return f"{recipe.utensil}({','.join(sorted(self._shape(part) for part in recipe.inputs))})"

    @cached_property
    def workflow(self) -> tuple[object, ...]:
        """What decides the least time: orders with equal workflows differ in the names of items alone."""
        steps = [(each.utensil, tuple(sorted(self.number[part] for part in each.inputs))) for each in self.recipes]
        return (*steps, len(self.names), self.dished)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Items by their numbers here; 0 is nothing, the last is what is delivered."""
        parts = (
            part for each in self.recipes for part in sorted(each.inputs, key=lambda part: (self._shape(part), part))
        )
        raw = dict.fromkeys(part for part in parts if part not in self.book.recipe)
        dish = [self.book.dish] if self.dished else []
        between = [recipe.product for recipe in self.recipes if recipe.product != self.order]
        return ("", *raw, *between, *dish, self.order)

    @cached_property
    def number(self) -> dict[str, int]:
        """Items here by their names."""
        return {name: number for number, name in enumerate(self.names)}

    @property
    def dished(self) -> bool:
        """Whether the order is delivered in a dish; then its number means the filled dish."""
        return self.book.needs_dish(self.order)

    @property
    def final(self) -> int:
        """Number of what is delivered."""
        return len(self.names) - 1

    @cached_property
    def supplies(self) -> dict[int, tuple[int, ...]]:
        """Items of each dispenser, by its place."""
        raw = tuple(sorted(self.number[name] for name in self.book.ingredients_of(self.order)))
        return {Place.INGREDIENTS: raw, Place.DISHES: (self.number[self.book.dish],) if self.dished else ()}

    @cached_property
    def leaves(self) -> np.ndarray:
        """`[items]` what each item takes from the dispensers, packed as numbers of 4 bits.

        Raises:
            UserError: The order needs too many kinds of ingredients, or too many of one kind, for one packed number.
        """
        supplied = [item for items in self.supplies.values() for item in items]
        place = {self.names[item]: _BITS * number for number, item in enumerate(supplied)}
        packed = [0]
        for name in self.names[1:]:
            made = Counter({name: 1}) if name == self.book.dish else self.book.ingredients_of(name)
            if name == self.order and self.dished:
                made = made + Counter({self.book.dish: 1})
            packed.append(sum(count << place[each] for each, count in made.items()))
        most = max(self.book.ingredients_of(self.order).values())
        if len(supplied) > 62 // _BITS or most + self.spares >= 1 << _BITS:
            raise UserError(
                f"`{self.order}` needs too many ingredients for the search\n"
                f"  = help: it holds {62 // _BITS} kinds, and at most {(1 << _BITS) - 1} of each with the spares"
            )
        return np.array(packed, np.int64)

    def spare(self, packed: np.ndarray, item: int) -> np.ndarray:
        """Return `[S]` whether one more of an item from a dispenser is needed, given what exists, `[S]` packed."""
        shift = int(self.leaves[item]).bit_length() - 1
        needed = (int(self.leaves[self.final]) >> shift) & 15
        return (packed >> shift) & 15 < needed + self.spares

    @cached_property
    def utensils(self) -> tuple[UtensilStates, ...]:
        """The utensils of the kitchen."""
        return tuple(self._utensil(kind) for kind in self.layout.utensils)

    @cached_property
    def stations(self) -> tuple[int, ...]:
        """Stations that matter for the order."""
        return tuple(number for number, station in enumerate(self.layout.stations) if self._matters(station.place))

    @cached_property
    def poses(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each cook, its poses as (tile, station faced or `USELESS`)."""
        return tuple(tuple(sorted(set(self._pose_of(cook).values()))) for cook in range(COOKS))

    @cached_property
    def moves(self) -> tuple[np.ndarray, ...]:
        """For each cook `[4, poses]`: the pose after a move; the same pose where the move is useless."""
        step_to, _ = self._grid
        found = []
        for cook in range(COOKS):
            known = {pose: number for number, pose in enumerate(self.poses[cook])}
            of = self._pose_of(cook)
            table = np.empty((4, len(known)), np.int64)
            for (tile, _), number in known.items():
                for move in range(4):
                    after = of[int(step_to[tile, move]), move]
                    turned = after[0] == tile and after[1] == USELESS
                    table[move, number] = number if turned else known[after]
            found.append(table)
        return tuple(found)

    @cached_property
    def start(self) -> tuple[int, ...]:
        """Pose of each cook at the start."""
        return tuple(
            self.poses[number].index(
                self._pose_of(number)[cook.start[1] * self.layout.width + cook.start[0], cook.facing]
            )
            for number, cook in enumerate(self.layout.cooks)
        )

    @cached_property
    def costs(self) -> tuple[np.ndarray, ...]:
        """For each cook `[poses, stations]`: moves and turns until a station is faced, `FAR` if it cannot be."""
        cost, _ = ways(*self._grid, len(self.layout.stations))
        return tuple(np.array([cost[self._any(cook, pose)] for pose in self.poses[cook]]) for cook in range(COOKS))

    @cached_property
    def towards(self) -> tuple[np.ndarray, ...]:
        """For each cook `[poses, stations]`: the pose after the first move on the way; the same where there is none."""
        _, first = ways(*self._grid, len(self.layout.stations))
        found = []
        for cook in range(COOKS):
            table = np.repeat(np.arange(len(self.poses[cook]))[:, None], len(self.layout.stations), axis=1)
            for number, pose in enumerate(self.poses[cook]):
                for station in self.stations:
                    move = int(first[self._any(cook, pose), station])
                    if move != Move.STAY and self.costs[cook][number, station] > 0:
                        table[number, station] = self.moves[cook][move, number]
            found.append(table)
        return tuple(found)

    def check(self) -> None:
        """Refuse kitchens where the cooks can meet: then one's moves depend on the other's.

        Raises:
            UserError: They can.
        """
        first, second = (self.layout.region(cook.start) for cook in self.layout.cooks)
        if first & second:
            raise UserError(
                f"optimal play is searched only where the cooks cannot meet\n --> {self.layout.source}\n"
                "  = help: divide the floor, as the shipped layout does"
            )

    def _matters(self, place: int) -> bool:
        if place in self.supplies:
            return bool(self.supplies[place])
        return place < Place.UTENSIL or len(self.utensils[place - Place.UTENSIL].states) > 1

    @cached_property
    def _grid(self) -> tuple[np.ndarray, np.ndarray]:
        return grid(self.layout)

    def _pose_of(self, cook: int) -> dict[tuple[int, int], tuple[int, int]]:
        """Poses by tile and facing."""
        _, facing_at = self._grid
        tiles = [y * self.layout.width + x for x, y in self.layout.region(self.layout.cooks[cook].start)]
        known = {*self.stations}
        return {
            (tile, facing): (tile, station if (station := int(facing_at[tile, facing])) in known else USELESS)
            for tile in tiles
            for facing in range(4)
        }

    def _any(self, cook: int, pose: tuple[int, int]) -> int:
        """One of the original poses that a pose stands for; all of them are as far from everything that matters."""
        tile, facing = next(key for key, value in self._pose_of(cook).items() if value == pose)
        return 4 * tile + facing

    def _utensil(self, kind: str) -> UtensilStates:
        steps = [recipe for recipe in self.recipes if recipe.utensil == kind]
        time = self.book.utensil[kind].timesteps
        made = {tuple(sorted(self.number[each] for each in recipe.inputs)): recipe.product for recipe in steps}
        loads = sorted({(), *(part for inputs in made for part in _parts(inputs))}, key=lambda part: (len(part), part))
        works = [(self.number[recipe.product], -1 - done) for recipe in steps for done in range(time + 1)]
        states = (*loads, *works)  # work is told apart from contents by its sign
        known = {state: number for number, state in enumerate(states)}
        acts = np.full((len(states), len(self.names)), -1, np.int64)
        hand = np.zeros_like(acts)
        tick, takes, leaves = np.zeros((3, len(states)), np.int64)
        starts, fills = np.zeros((2, len(states)), bool)
        dish = self.number.get(self.book.dish, -1)
        for state, number in known.items():
            tick[number] = number
            if state in loads:
                leaves[number] = sum(int(self.leaves[item]) for item in state)
                for item in range(1, len(self.names)):
                    acts[number, item] = known.get(tuple(sorted((*state, item))), -1)
                if state in made:
                    starts[number] = True
                    acts[number, 0] = known[self.number[made[state]], -1]
                continue
            product, done = state[0], -1 - state[1]
            dished = self.dished and product == self.final
            leaves[number] = int(self.leaves[product]) - (int(self.leaves[dish]) if dished else 0)
            fills[number] = dished
            if done < time:
                tick[number] = known[product, state[1] - 1]
            elif dished:
                acts[number, dish], hand[number, dish] = 0, product
            else:
                acts[number, 0], hand[number, 0], takes[number] = 0, product, product
        return UtensilStates(states, acts, hand, tick, takes, starts, fills, leaves)


def _parts(inputs: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All sub-multisets, sorted."""
    for size in range(len(inputs) + 1):
        yield from combinations(inputs, size)
