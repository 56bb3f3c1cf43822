"""All reference trajectories of an order: each cook's lists of named actions in plans of the fewest actions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from hive.kit.graphs import reached
from hive.worlds.kitchen.action import NamedAction
from hive.worlds.kitchen.codes import ActionKind, Place
from hive.worlds.kitchen.layout import COOKS
from hive.worlds.kitchen.optimum.model import Model
from hive.worlds.kitchen.optimum.named import CandidateAction, acts_of
from hive.worlds.kitchen.optimum.play import action_of, impossible
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.tasks import check_task, find_task

GOAL = "delivered"

_State = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...]] | str
"""Hands; what is on the counters of both cooks, of cook 0 and of cook 1; states of utensils. Time plays no part."""

_Edge = tuple[int, CandidateAction, int]
"""Cook, action, and the item that it picks up."""


@dataclass(frozen=True)
class References:
    """The reference trajectories of an order (docs/rules/kitchen.md 8.3).

    Attributes:
        order: Name of what is delivered.
        lists: For each cook, every list of its actions in a plan of the fewest actions, sorted by their texts.
        states: States that were visited.
    """

    order: str
    lists: tuple[tuple[tuple[NamedAction, ...], ...], ...]
    states: int


def references(setting: Setting, order: str) -> References:
    """Return every reference trajectory of each cook.

    Args:
        setting: The kitchen.
        order: What to deliver.

    Raises:
        UserError: The order is unknown or cannot be made here.
    """
    find_task(order, setting.book)
    check_task(order, setting.book, setting.layout)
    model = Model(setting.book, setting.layout, order)
    graph = _Untimed(model)
    ways, states = _shortest(graph)
    if not ways:
        raise impossible(order, setting)
    lists = tuple(_lists(model, ways, graph.start, cook) for cook in range(COOKS))
    return References(order, lists, states)


class _Untimed:
    """What can be done one action after another, when every utensil is waited for."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.acts = tuple(acts_of(model, cook) for cook in range(COOKS))
        reach, counters = model.layout.reach, model.layout.counters
        both = [station for station in counters if all(station in each for each in reach)]
        alone = [[each for each in counters if each in reach[cook] and each not in both] for cook in range(COOKS)]
        self.room = tuple(len(group) for group in (both, *alone))
        self.start: _State = ((0,) * COOKS, ((),) * (COOKS + 1), (0,) * len(model.utensils))

    def steps(self, state: _State) -> Iterator[tuple[_Edge, _State]]:
        """What each cook can do, with the state after it."""
        for cook, acts in enumerate(self.acts):
            for act in acts:
                found = self._after(state, cook, act)
                if found is not None:
                    item, after = found
                    yield (cook, act, item), after

    def _after(self, state: _State, cook: int, act: CandidateAction) -> tuple[int, _State] | None:
        """The item that the action picks up and the state after it; None if it cannot be done."""
        assert not isinstance(state, str)
        hands, counters, utensils = state
        held = hands[cook]
        if act.kind == ActionKind.PICKUP and act.place in self.model.supplies:
            return (act.item, _hold(state, cook, act.item)) if not held and self._spare(state, act.item) else None
        if act.kind == ActionKind.PICKUP and act.place == Place.COUNTER:
            group = next((each for each in (cook + 1, 0) if act.item in counters[each]), None)
            if held or group is None:
                return None
            rest = [*counters[group]]
            rest.remove(act.item)
            return act.item, _hold(_lay(state, group, rest), cook, act.item)
        if act.kind == ActionKind.PLACE:
            group = next((each for each in (0, cook + 1) if len(counters[each]) < self.room[each]), None)
            if not held or group is None:
                return None
            return 0, _hold(_lay(state, group, [*counters[group], held]), cook, 0)
        if act.kind == ActionKind.DELIVER:
            return (0, GOAL) if held == self.model.final else None
        number = act.place - Place.UTENSIL
        utensil, inside = self.model.utensils[number], utensils[number]
        after, hand = int(utensil.acts[inside, held]), int(utensil.hand[inside, held])
        if after < 0 or act.kind != _kind(held, hand):
            return None
        while int(utensil.tick[after]) != after:
            after = int(utensil.tick[after])
        item = hand if act.kind == ActionKind.PICKUP else 0
        return item, _hold((hands, counters, (*utensils[:number], after, *utensils[number + 1 :])), cook, hand)

    def _spare(self, state: _State, item: int) -> bool:
        assert not isinstance(state, str)
        hands, counters, utensils = state
        held = [*hands, *(each for group in counters for each in group)]
        packed = sum(int(self.model.leaves[each]) for each in held)
        packed += sum(int(each.leaves[inside]) for each, inside in zip(self.model.utensils, utensils, strict=True))
        return bool(self.model.spare(np.array(packed), item))


def _kind(held: int, hand: int) -> ActionKind:
    """What an interaction with a utensil is called, by the item in the hand before and after it."""
    if not held:
        return ActionKind.PICKUP if hand else ActionKind.OPERATE
    return ActionKind.FILL if hand else ActionKind.PUT


def _hold(state: _State, cook: int, item: int) -> _State:
    assert not isinstance(state, str)
    return (*state[0][:cook], item, *state[0][cook + 1 :]), state[1], state[2]


def _lay(state: _State, group: int, items: Iterable[int]) -> _State:
    assert not isinstance(state, str)
    return state[0], (*state[1][:group], tuple(sorted(items)), *state[1][group + 1 :]), state[2]


def _shortest(graph: _Untimed) -> tuple[dict[_State, list[tuple[_Edge, _State]]], int]:
    """Steps of all plans of the fewest actions by the state before them, and the number of states visited."""
    depth: dict[_State, int] = {graph.start: 0}
    before: dict[_State, list[tuple[_Edge, _State]]] = defaultdict(list)
    layer: list[_State] = [graph.start]
    while layer and GOAL not in depth:
        reached: list[_State] = []
        for state in layer:
            for edge, after in graph.steps(state):
                if after not in depth:
                    depth[after] = depth[state] + 1
                    reached.append(after)
                if depth[after] == depth[state] + 1:
                    before[after].append((edge, state))
        layer = reached
    ways: dict[_State, list[tuple[_Edge, _State]]] = defaultdict(list)
    seen: set[_State] = {GOAL}
    open_: list[_State] = [GOAL] if GOAL in depth else []
    while open_:
        after = open_.pop()
        for edge, state in before[after]:
            ways[state].append((edge, after))
            if state not in seen:
                seen.add(state)
                open_.append(state)
    return ways, len(depth)


def _lists(
    model: Model, ways: dict[_State, list[tuple[_Edge, _State]]], start: _State, cook: int
) -> tuple[tuple[NamedAction, ...], ...]:
    """Every list of one cook's actions: the other cook's actions are left out of the plans."""
    known: dict[frozenset[_State], list[tuple[NamedAction, ...]]] = {}

    def closed(states: Iterable[_State]) -> frozenset[_State]:
        """States that the other cook can lead to."""
        return frozenset(reached(states, lambda at: (to for (who, _, _), to in ways.get(at, ()) if who != cook)))

    def endings(states: frozenset[_State]) -> list[tuple[NamedAction, ...]]:
        if states not in known:
            nexts: dict[tuple[CandidateAction, int], set[_State]] = defaultdict(set)
            for state in states:
                for (who, act, item), after in ways.get(state, ()):
                    if who == cook:
                        nexts[act, item].add(after)
            found: list[tuple[NamedAction, ...]] = [()] if GOAL in states else []
            for (act, item), afters in nexts.items():
                first = action_of(model, act, item)
                found += [(first, *rest) for rest in endings(closed(afters))]
            known[states] = found
        return known[states]

    return tuple(sorted(endings(closed([start])), key=lambda each: [str(action) for action in each]))
