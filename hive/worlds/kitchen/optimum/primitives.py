"""Free play: both cooks do any primitive in every timestep."""

from __future__ import annotations

import numpy as np

from hive.worlds.kitchen.codes import Move
from hive.worlds.kitchen.layout import COOKS
from hive.worlds.kitchen.optimum.model import USELESS, Model
from hive.worlds.kitchen.optimum.words import interact, start_word, tick, words_of

_MOVES = 8  # a label of a cook is its move plus 8 times the item that it takes from a dispenser
LABELS = 128  # labels of one cook


class PrimitiveGraph:
    """The graph of states of free play.

    A label of a step is that of cook 0 plus `LABELS` times that of cook 1.
    """

    def __init__(self, model: Model) -> None:
        """Prepare the search of an order."""
        self.model = model
        self.words = words_of(model)
        self.start = start_word(model, self.words)

    def successors(self, states: np.ndarray) -> np.ndarray:
        """Return all states one timestep later than states `[S]`, sorted, each once."""
        for cook in range(COOKS):
            states = np.unique(np.concatenate([after for after, _, _ in self._cook(states, cook)]))
        return np.unique(tick(self.model, self.words, states))

    def steps(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return all states one timestep later with places of their predecessors and labels; see `Graph`."""
        parent, label = np.arange(len(states)), np.zeros(len(states), np.int64)
        for cook in range(COOKS):
            parts = self._cook(states, cook)
            label = np.concatenate([label[found] + each * LABELS**cook for _, found, each in parts])
            parent = np.concatenate([parent[found] for _, found, _ in parts])
            states = np.concatenate([after for after, _, _ in parts])
        return tick(self.model, self.words, states), parent, label

    def read(self, label: int) -> tuple[tuple[Move, str], ...]:
        """Return move and ingredient of each cook."""
        parts = [label % LABELS, label // LABELS]
        return tuple((Move(part % _MOVES), self.model.names[part // _MOVES]) for part in parts)

    def _cook(self, states: np.ndarray, cook: int) -> list[tuple[np.ndarray, np.ndarray, int]]:
        """What one cook can do: states after it, places of the states before it, label."""
        model, words = self.model, self.words
        found = [(states, np.arange(len(states)), int(Move.STAY))]
        pose = words.get(states, f"pose{cook}")
        for move in range(4):
            after = model.moves[cook][move][np.minimum(pose, model.moves[cook].shape[1] - 1)]
            some = np.flatnonzero((after != pose) & (states != -1))
            found.append((words.put(states[some], f"pose{cook}", after[some]), some, move))
        for number, (_, station) in enumerate(model.poses[cook]):
            if station == USELESS:
                continue
            some = np.flatnonzero(pose == number)
            for item in model.supplies.get(model.layout.stations[station].place, (0,)):
                can, after = interact(model, words, states[some], cook, station, item)
                found.append((after, some[can], int(Move.INTERACT) + _MOVES * item))
        return found
