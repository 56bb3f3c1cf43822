"""Play by named actions: a cook that is free begins a valid action or waits; the controller does the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hive.worlds.kitchen.assembly import FAR
from hive.worlds.kitchen.codes import ActionKind, Place
from hive.worlds.kitchen.layout import COOKS
from hive.worlds.kitchen.optimum.model import Model
from hive.worlds.kitchen.optimum.words import GOAL, interact, leaves_of, start_word, tick, words_of

LABELS = 64  # labels of one cook: 0 begins nothing, n begins the cook's action n


@dataclass(frozen=True)
class CandidateAction:
    """A named action that may serve the order."""

    kind: ActionKind
    item: int = 0  # of a pickup from a dispenser or a counter
    place: int = Place.NONE


def acts_of(model: Model, cook: int) -> tuple[CandidateAction, ...]:
    """Return the named actions of a cook that may serve an order; a pickup from a utensil takes what is ready."""
    layout = model.layout
    found = [
        CandidateAction(ActionKind.PICKUP, item, place)
        for place, items in model.supplies.items()
        if layout.reaches(cook, place)
        for item in items
    ]
    for number, kind in enumerate(layout.utensils):
        place, utensil = Place.UTENSIL + number, model.utensils[number]
        if not layout.reaches(cook, place):
            continue
        found += [CandidateAction(ActionKind.PICKUP, 0, place)] if utensil.takes.any() else []
        found += [CandidateAction(ActionKind.PUT, 0, place)] if (utensil.acts[:, 1:-1] > 0).any() else []
        operates = model.book.utensil[kind].operation in layout.cooks[cook].operations
        found += [CandidateAction(ActionKind.OPERATE, 0, place)] if operates and utensil.starts.any() else []
        found += [CandidateAction(ActionKind.FILL, 0, place)] if utensil.fills.any() else []
    if layout.cooks[cook].delivers:
        found.append(CandidateAction(ActionKind.DELIVER))
    if layout.reaches(cook, Place.COUNTER):
        found.append(CandidateAction(ActionKind.PLACE))
        found += [CandidateAction(ActionKind.PICKUP, item, Place.COUNTER) for item in range(1, len(model.names))]
    return tuple(found)


class NamedGraph:
    """The graph of states of play by named actions.

    A label of a step is that of cook 0 plus `LABELS` times that of cook 1.
    """

    def __init__(self, model: Model) -> None:
        """Prepare the search of an order."""
        self.model = model
        self.acts = tuple(acts_of(model, cook) for cook in range(COOKS))
        self.words = words_of(model, tuple(len(acts) + 1 for acts in self.acts))
        self.start = start_word(model, self.words)

    def successors(self, states: np.ndarray) -> np.ndarray:
        """Return all states one timestep later than states `[S]`, sorted, each once."""
        return np.unique(self.steps(states)[0])

    def steps(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return all states one timestep later with places of their predecessors and labels; see `Graph`."""
        states = states[states != GOAL]
        parent, label = np.arange(len(states)), np.zeros(len(states), np.int64)
        for cook in range(COOKS):
            parts = self._begin(states, cook)
            label = np.concatenate([label[found] + each * LABELS**cook for _, found, each in parts])
            parent = np.concatenate([parent[found] for _, found, _ in parts])
            states = np.concatenate([after for after, _, _ in parts])
        return tick(self.model, self.words, self._carry_out(states)), parent, label

    def read(self, label: int) -> tuple[CandidateAction | None, ...]:
        """Return what each cook begins."""
        parts = [label % LABELS, label // LABELS]
        return tuple(self.acts[cook][part - 1] if part else None for cook, part in enumerate(parts))

    def _begin(self, states: np.ndarray, cook: int) -> list[tuple[np.ndarray, np.ndarray, int]]:
        """What a cook can begin: states with it, places of the states before it, label."""
        words, name = self.words, f"deed{cook}"
        found = [(states, np.arange(len(states)), 0)]
        free = np.flatnonzero(words.get(states, name) == 0)
        idle = states[free]
        for number, act in enumerate(self.acts[cook], start=1):
            some = np.flatnonzero(self._valid(idle, cook, act))
            found.append((words.put(idle[some], name, number), free[some], number))
        return found

    def _valid(self, states: np.ndarray, cook: int, act: CandidateAction) -> np.ndarray:
        """In which states an action is valid and may serve the order."""
        model, words = self.model, self.words
        held = words.get(states, f"held{cook}")
        if act.kind == ActionKind.PICKUP and act.place in model.supplies:
            valid = held == 0
            valid[valid] = model.spare(leaves_of(model, words, states[valid]), act.item)
            return valid
        if act.kind == ActionKind.PICKUP and act.place == Place.COUNTER:
            return (held == 0) & np.any([there == act.item for _, there in self._counters(states, cook)], axis=0)
        if act.kind == ActionKind.PLACE:
            return (held != 0) & np.any([there == 0 for _, there in self._counters(states, cook)], axis=0)
        if act.kind == ActionKind.DELIVER:
            return held == model.final
        number = act.place - Place.UTENSIL
        utensil, state = model.utensils[number], words.get(states, f"utensil{number}")
        if act.kind == ActionKind.PICKUP:
            return (held == 0) & (utensil.takes[state] != 0)
        if act.kind == ActionKind.OPERATE:
            return (held == 0) & utensil.starts[state]
        if act.kind == ActionKind.FILL:
            return (held == model.number[model.book.dish]) & utensil.fills[state]
        return (held != 0) & (utensil.acts[state, held] > 0)

    def _counters(self, states: np.ndarray, cook: int) -> list[tuple[int, np.ndarray]]:
        """Counters that a cook reaches, as stations, with what is on them."""
        layout = self.model.layout
        return [
            (station, self.words.get(states, f"counter{number}"))
            for number, station in enumerate(layout.counters)
            if station in layout.reach[cook]
        ]

    def _carry_out(self, states: np.ndarray) -> np.ndarray:
        """One timestep of the actions begun: both decide on the same state, then cook 0 interacts before cook 1."""
        model, words = self.model, self.words
        targets = [self._targets(states, cook) for cook in range(COOKS)]
        faced = []
        for cook, target in enumerate(targets):
            pose = words.get(states, f"pose{cook}")
            going = np.flatnonzero(target >= 0)
            faced.append(np.zeros(len(states), bool))
            faced[cook][going] = model.costs[cook][pose[going], target[going]] == 0
            after = model.towards[cook][pose[going], target[going]]
            states = states.copy()
            states[going] = words.put(states[going], f"pose{cook}", after)
        for cook, target in enumerate(targets):
            for station in model.stations:
                here = np.flatnonzero(faced[cook] & (target == station) & (states != GOAL))
                if not len(here):
                    continue
                for item in model.supplies.get(model.layout.stations[station].place, (0,)):
                    some = here[self._items(states[here], cook) == item] if item else here
                    can, after = interact(model, words, states[some], cook, station, item)
                    states[some[can]] = np.where(after == GOAL, GOAL, words.put(after, f"deed{cook}", 0))
        return states

    def _items(self, states: np.ndarray, cook: int) -> np.ndarray:
        """The item that each state's action names."""
        return np.array([0, *(act.item for act in self.acts[cook])])[self.words.get(states, f"deed{cook}")]

    def _targets(self, states: np.ndarray, cook: int) -> np.ndarray:
        """The station where each state's action would happen now, -1 for none (docs/rules/kitchen.md 2.3)."""
        model, words = self.model, self.words
        doing, pose = words.get(states, f"deed{cook}"), words.get(states, f"pose{cook}")
        target = np.full(len(states), -1, np.int64)
        for number, act in enumerate(self.acts[cook], start=1):
            some = np.flatnonzero(doing == number)
            if not len(some):
                continue
            cost = model.costs[cook][pose[some]]
            best = np.full(len(some), 3 * FAR)
            fetches = act.kind == ActionKind.PICKUP and act.place == Place.COUNTER
            if act.kind == ActionKind.PLACE or fetches:
                options = [
                    (station, there == (act.item if fetches else 0), (station in model.layout.shared) == fetches)
                    for station, there in self._counters(states[some], cook)
                ]
            else:
                place = Place.DELIVERY if act.kind == ActionKind.DELIVER else act.place
                options = [
                    (station, np.ones(len(some), bool), False)
                    for station, each in enumerate(model.layout.stations)
                    if each.place == place
                ]
            for station, usable, later in options:
                score = np.where(usable & (cost[:, station] < FAR), cost[:, station] + later * FAR, 3 * FAR)
                better = score < best
                best[better] = score[better]
                target[some[better]] = station
        return target
