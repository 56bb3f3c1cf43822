"""States of a search as integers of 64 bits, one range of bits a field."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dsl import UserError
from hive.worlds.kitchen.codes import Place
from hive.worlds.kitchen.layout import COOKS
from hive.worlds.kitchen.optimum.model import Model

GOAL = -1
"""The word of every state in which the order was delivered: all bits set, which no other state has."""


@dataclass
class BitFields:
    """Where each field stands.

    Attributes:
        shift: Lowest bit of each field.
        mask: Largest value that each field has room for.
    """

    shift: dict[str, int] = field(default_factory=dict)
    mask: dict[str, int] = field(default_factory=dict)
    bits: int = 0

    def add(self, name: str, values: int) -> None:
        """Add a field with values from 0 to `values - 1`; the value of all bits stays free."""
        width = values.bit_length()
        self.shift[name], self.mask[name] = self.bits, (1 << width) - 1
        self.bits += width

    def get(self, words: np.ndarray, name: str) -> np.ndarray:
        """Return a field of each word, in the shape of `words`."""
        return (words >> self.shift[name]) & self.mask[name]

    def put(self, words: np.ndarray, name: str, values: np.ndarray | int) -> np.ndarray:
        """Return the words with another value of a field, in the shape of `words`; `values` broadcasts with them."""
        shift = self.shift[name]
        keep = ~np.int64(_signed(self.mask[name] << shift))
        return (words & keep) | (np.asarray(values, np.int64) << shift)


def _signed(bits: int) -> int:
    return bits - (1 << 64) if bits >= 1 << 63 else bits


def words_of(model: Model, deeds: tuple[int, ...] = ()) -> BitFields:
    """Return the fields of an order's states.

    Args:
        model: The order.
        deeds: For each cook, the number of actions that it may be in the middle of; none for free primitives.

    Raises:
        UserError: A state does not fit into 64 bits.
    """
    words = BitFields()
    for cook in range(COOKS):
        words.add(f"pose{cook}", len(model.poses[cook]))
        words.add(f"held{cook}", len(model.names))
    for counter in range(len(model.layout.counters)):
        words.add(f"counter{counter}", len(model.names))
    for number, utensil in enumerate(model.utensils):
        words.add(f"utensil{number}", len(utensil.states))
    for cook, count in enumerate(deeds):
        words.add(f"deed{cook}", count)
    if words.bits > 64:
        raise UserError(
            f"the search for optimal play cannot hold `{model.order}` in this kitchen: "
            f"a state needs {words.bits} bits, and there are 64\n"
            "  = help: use a layout with fewer counters or utensils, or fewer spares"
        )
    return words


def start_word(model: Model, words: BitFields) -> int:
    """Return the state before the first timestep."""
    word = np.zeros(1, np.int64)
    for cook in range(COOKS):
        word = words.put(word, f"pose{cook}", model.start[cook])
    return int(word[0])


def leaves_of(model: Model, words: BitFields, states: np.ndarray) -> np.ndarray:
    """Return `[S]` what exists in each state `[S]`, as `Model.leaves` packs it."""
    fields = [f"held{cook}" for cook in range(COOKS)]
    fields += [f"counter{number}" for number in range(len(model.layout.counters))]
    total = sum(model.leaves[words.get(states, name)] for name in fields)
    for number, utensil in enumerate(model.utensils):
        total = total + utensil.leaves[words.get(states, f"utensil{number}")]
    return np.asarray(total)


def tick(model: Model, words: BitFields, states: np.ndarray) -> np.ndarray:
    """Return the states `[S]` after the utensils have worked for a timestep; `GOAL` stays."""
    after = states
    for number, utensil in enumerate(model.utensils):
        if len(utensil.states) > 1:
            before = words.get(states, f"utensil{number}")
            change = (utensil.tick - np.arange(len(utensil.states))) << words.shift[f"utensil{number}"]
            after = after + change[np.minimum(before, len(utensil.states) - 1)]
    return np.where(states == GOAL, GOAL, after)


def interact(
    model: Model, words: BitFields, states: np.ndarray, cook: int, station: int, item: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Let a cook interact with a station.

    Args:
        model: The order.
        words: Fields of the states.
        states: `[S]` states in which the cook faces the station.
        cook: 0 or 1.
        station: Number of the station.
        item: What to take from a dispenser.

    Returns:
        Places `[F]` in `states` where it has an effect that may serve the order, and the states `[F]` there after it.
    """
    place, name = model.layout.stations[station].place, f"held{cook}"
    held = words.get(states, name)
    if place in model.supplies:
        can = held == 0
        can[can] = model.spare(leaves_of(model, words, states[can]), item)
        found = np.flatnonzero(can)
        return found, words.put(states[found], name, item)
    if station in model.layout.counters:
        slot = f"counter{model.layout.counters.index(station)}"
        there = words.get(states, slot)
        found = np.flatnonzero((held == 0) != (there == 0))
        return found, words.put(words.put(states[found], name, there[found]), slot, held[found])
    if place == Place.DELIVERY:
        found = np.flatnonzero(held == model.final)
        return found, np.full(len(found), GOAL, np.int64)
    slot = f"utensil{place - Place.UTENSIL}"
    utensil = model.utensils[place - Place.UTENSIL]
    state = words.get(states, slot)
    after = utensil.acts[state, held]
    found = np.flatnonzero(after >= 0)
    hand = utensil.hand[state[found], held[found]]
    return found, words.put(words.put(states[found], slot, after[found]), name, hand)
