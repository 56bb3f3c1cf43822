"""Breadth-first search over the states of two cooks: the first timestep at which the order can be delivered."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hive.kit.reporting import Watch
from hive.worlds.kitchen.optimum.words import GOAL


class Graph(Protocol):
    """States and what follows on each."""

    start: int

    def successors(self, states: np.ndarray) -> np.ndarray:
        """Return all states one timestep later than states `[S]`, sorted, each once."""

    def steps(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return all states one timestep later, places of their predecessors, and labels of the steps.

        Args:
            states: `[S]` packed states.

        Returns:
            Three arrays `[F]`, one entry for each step: the state after it, the place in `states` of the one before
            it, and its label.
        """


@dataclass(frozen=True)
class ShortestPath:
    """The result of a search.

    Attributes:
        time: 0-based timestep of the delivery; no plan delivers earlier.
        labels: A plan that delivers then: its step in each timestep, as the graph labels them.
        words: The states before these steps.
        states: States that were visited.
        seconds: Time of the search.
    """

    time: int
    labels: tuple[int, ...]
    words: tuple[int, ...]
    states: int
    seconds: float


def search(graph: Graph, most: int, watch: Watch | None = None) -> ShortestPath | None:
    """Find the least time of a delivery.

    Args:
        graph: States.
        most: Timesteps that are searched.
        watch: Receives the timesteps that were searched.

    Returns:
        The result; None if nothing is delivered within `most` timesteps.
    """
    began = time.perf_counter()
    layers = [np.array([graph.start], np.int64)]
    seen = layers[0]
    for timestep in range(most):
        after = graph.successors(layers[-1])
        if GOAL in after:
            labels, words = _path(graph, layers)
            return ShortestPath(timestep, labels, words, len(seen), time.perf_counter() - began)
        place = np.searchsorted(seen, after)
        fresh = seen[np.minimum(place, len(seen) - 1)] != after
        layers.append(after[fresh])
        if not len(layers[-1]):
            return None
        seen = np.insert(seen, place[fresh], layers[-1])
        if watch:
            watch.update(timestep + 1, f"{len(seen):,} states")
    return None


def _path(graph: Graph, layers: list[np.ndarray]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Labels and states of one way to the goal: in each layer, the first state that leads on."""
    target, labels, words = GOAL, [], []
    for layer in reversed(layers):
        for first in range(0, len(layer), 100_000):
            states, parent, label = graph.steps(layer[first : first + 100_000])
            hits = np.flatnonzero(states == target)
            if len(hits):
                labels.append(int(label[hits[0]]))
                target = int(layer[first + parent[hits[0]]])
                words.append(target)
                break
        else:
            raise AssertionError("a state of a layer has no predecessor in the one before")
    return tuple(reversed(labels)), tuple(reversed(words))
