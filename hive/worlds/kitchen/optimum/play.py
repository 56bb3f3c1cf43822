"""The least time of an order, with a plan that reaches it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from dsl import UserError
from hive.kit.reporting import Unwatched, Watch
from hive.worlds.kitchen.action import NamedAction
from hive.worlds.kitchen.codes import ActionKind, Move, Place
from hive.worlds.kitchen.layout import COOKS, Layout
from hive.worlds.kitchen.optimum.model import Model
from hive.worlds.kitchen.optimum.named import CandidateAction, NamedGraph
from hive.worlds.kitchen.optimum.primitives import PrimitiveGraph
from hive.worlds.kitchen.optimum.search import ShortestPath, search
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.tasks import GAMMA, Task, check_task, find_task

PLAYS = ("named", "primitives")
"""Ways to play that are searched: by named actions, or freely."""

MOST = 500
"""Timesteps that are searched at most."""


@dataclass(frozen=True, kw_only=True)
class Optimum:
    """The least time of an order.

    Attributes:
        order: Name of what is delivered.
        play: One of `PLAYS`.
        spares: How many more of each ingredient than needed, and of dishes, plans may take.
        time: 0-based timestep of the delivery; no plan delivers earlier.
        states: States that were visited.
        seconds: Time of the search; that of the first order of the same workflow, if several were searched.
        actions: For each cook, the timestep at which each named action begins, and the action; empty in free play.
        moves: For each timestep, move and ingredient of each cook; empty in play by named actions.
    """

    order: str
    play: str
    spares: int
    time: int
    states: int
    seconds: float
    actions: tuple[tuple[tuple[int, NamedAction], ...], ...] = ()
    moves: tuple[tuple[tuple[Move, str], ...], ...] = ()


def optimum(setting: Setting, order: str, play: str = "named", spares: int = 0, watch: Watch | None = None) -> Optimum:
    """Find the least time at which an order can be delivered (docs/rules/kitchen.md 8.1).

    Args:
        setting: The kitchen.
        order: What to deliver.
        play: `named` or `primitives`.
        spares: How many more of each ingredient than needed, and of dishes, plans may take; 0 to 3.
        watch: Receives the timesteps that were searched.

    Raises:
        UserError: The order is unknown, cannot be made here, or is too large for the search.
    """
    return next(iter(optima(setting, [order], play, spares, watch)))


def optima(
    setting: Setting, orders: Iterable[str], play: str = "named", spares: int = 0, watch: Watch | None = None
) -> Iterator[Optimum]:
    """Yield the least time of each order; orders of the same workflow are searched once.

    Arguments and errors are those of `optimum`.
    """
    if play not in PLAYS:
        raise UserError(f"there is no play `{play}`: plays are {' and '.join(PLAYS)}")
    if not 0 <= spares <= 3:
        raise UserError(f"spares must be 0 to 3, not {spares}")
    watch = watch or Unwatched()
    known: dict[object, ShortestPath | None] = {}
    for order in orders:
        task = find_task(order, setting.book)
        check_task(order, setting.book, setting.layout)
        model = Model(setting.book, setting.layout, order, spares)
        model.check()
        graph = NamedGraph(model) if play == "named" else PrimitiveGraph(model)
        if model.workflow not in known:
            watch.stage(f"searching {order}", task.limit(), "timestep")
            known[model.workflow] = search(graph, MOST, watch)
        found = known[model.workflow]
        if found is None:
            raise impossible(order, setting)
        result = Optimum(
            order=order, play=play, spares=spares, time=found.time, states=found.states, seconds=found.seconds
        )
        if isinstance(graph, NamedGraph):
            yield replace(result, actions=_actions(graph, found))
        else:
            yield replace(result, moves=tuple(graph.read(label) for label in found.labels))


def impossible(order: str, setting: Setting) -> UserError:
    """Return the error that says that an order cannot be delivered."""
    return UserError(
        f"no plan delivers `{order}` in this kitchen\n --> {setting.layout.source}\n"
        "  = help: give the cooks a counter that both reach, and stations for every step of the recipe"
    )


def time_limit(setting: Setting, task: Task, watch: Watch | None = None, gamma: float = GAMMA) -> int:
    """Return the last 0-based timestep at which a delivery counts (docs/rules/kitchen.md 6.2).

    It follows from the published time, or, with the switch `published_limits` off, from the least time of play by named
    actions, which is then searched.

    Args:
        setting: The kitchen.
        task: What to deliver.
        watch: Receives the progress of a search.
        gamma: The limit is so many times the time.

    Raises:
        UserError: See `optimum`, where it is searched.
    """
    if setting.switches.published_limits:
        return task.limit(gamma=gamma)
    return task.limit(optimum(setting, task.order, watch=watch).time, gamma)


def _actions(graph: NamedGraph, found: ShortestPath) -> tuple[tuple[tuple[int, NamedAction], ...], ...]:
    plan: tuple[list[tuple[int, NamedAction]], ...] = tuple([] for _ in range(COOKS))
    for timestep, (label, word) in enumerate(zip(found.labels, found.words, strict=True)):
        for cook, act in enumerate(graph.read(label)):
            if act is not None:
                plan[cook].append((timestep, action_of(graph.model, act, _taken(graph, act, word))))
    return tuple(tuple(each) for each in plan)


def _taken(graph: NamedGraph, act: CandidateAction, word: int) -> int:
    """The item that a pickup takes, if it takes it from a utensil that of the state."""
    if act.kind != ActionKind.PICKUP or act.place < Place.UTENSIL:
        return act.item
    number = act.place - Place.UTENSIL
    state = graph.words.get(np.array([word], np.int64), f"utensil{number}")[0]
    return int(graph.model.utensils[number].takes[state])


def action_of(model: Model, act: CandidateAction, item: int) -> NamedAction:
    """Return a named action of the search as a plan writes it."""
    place = _name(model.layout, act.place)
    if act.kind == ActionKind.OPERATE:
        kind = model.layout.utensils[act.place - Place.UTENSIL]
        return NamedAction(act.kind, place=place, operation=model.book.utensil[kind].operation)
    return NamedAction(act.kind, model.names[item] if act.kind == ActionKind.PICKUP else "", place)


def _name(layout: Layout, place: int) -> str:
    return next((name for name, code in layout.place.items() if code == place), "")
