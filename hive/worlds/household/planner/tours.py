"""Tours of one agent that knows everything: which objects it can bring by when (docs/rules/household.md 11.3).

A tour is a sequence of grabs and returns to the goal place; between them the agent walks straight on. Walks are
those of the world itself. Openings are paid by the agent, or by others: then it is a lower bound of what it takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from hive.worlds.household.codes import FLOOR, OBJECTS
from hive.worlds.household.episode import HouseholdEpisode
from hive.worlds.household.state import Params
from hive.worlds.household.ways import Target, near, walk

CHUNK = 512
"""Walks of one call."""

SLACK = 3
"""Ticks by which a tour may be behind another one at the same stop and still be followed further.

Stops at one thing are at most twice the reach apart, a walk of three ticks.
"""

PUT = -1
"""Stop of a tour at the goal place; other stops are objects."""


@dataclass(frozen=True)
class Tour:
    """A tour of one agent.

    Attributes:
        ticks: Until everything is at the goal place.
        stops: Objects that are grabbed, and `PUT`.
    """

    ticks: int
    stops: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Layer:
    """Beginnings of tours with as many stops; T of them."""

    room: np.ndarray
    at: np.ndarray
    ticks: np.ndarray
    taken: np.ndarray  # objects so far, as bits
    held: np.ndarray
    opened: np.ndarray  # containers that the agent has opened, as bits
    stops: np.ndarray  # [T, S]

    def rows(self, chosen: np.ndarray) -> _Layer:
        return _Layer(**{name: each[chosen] for name, each in vars(self).items()})


def tours(
    episode: HouseholdEpisode, params: Params, agent: int, pays: bool = True, slack: int | None = SLACK
) -> dict[int, Tour]:
    """Return the fastest tour for each set of objects that an agent may bring.

    Args:
        episode: The task, of housework.
        params: Its arrays, on the host or on a device.
        agent: Number of the agent.
        pays: Whether the agent opens each closed container itself; else they are open.
        slack: See `SLACK`; None: no beginning is given up, which takes long.

    Returns:
        Tours by their objects, bit m for object m; the empty set with 0 ticks.
    """
    host: Any = jax.device_get(params)
    wanted = wanted_of(host)
    candidates = candidates_of(host)
    best = {0: Tour(0, ())}
    layer = _Layer(
        room=host.agent_room[agent][None],
        at=host.agent_at[agent][None],
        ticks=np.zeros(1, np.int64),
        taken=np.zeros(1, np.int64),
        held=np.zeros(1, np.int64),
        opened=np.zeros(1, np.int64),
        stops=np.zeros((1, 0), np.int64),
    )
    while len(layer.ticks):
        grown = [_grab(host, params, layer, thing, wanted, candidates, pays) for thing in candidates]
        grown.append(_put(host, params, layer, pays))
        layer = _Layer(**{name: np.concatenate([getattr(part, name) for part in grown]) for name in vars(layer)})
        if slack is not None:
            layer = _pruned(layer, slack)
        for row in np.flatnonzero(layer.held == 0):
            taken, ticks = int(layer.taken[row]), int(layer.ticks[row])
            if taken not in best or ticks < best[taken].ticks:
                best[taken] = Tour(ticks, tuple(layer.stops[row].tolist()))
    return best


def wanted_of(host: Any) -> np.ndarray:
    """Return `[Q]` how many objects of each goal class are missing at the goal place."""
    there = (host.object_start == host.goal_place) & (host.object_goal >= 0)
    return host.needs - np.bincount(host.object_goal[there], minlength=len(host.needs))


def candidates_of(host: Any) -> list[int]:
    """Return the objects that may be brought: of a goal class, and not at the goal place."""
    return [
        thing
        for thing in range(OBJECTS)
        if host.object_there[thing] and host.object_goal[thing] >= 0 and host.object_start[thing] != host.goal_place
    ]


def _grab(
    host: Any, params: Params, layer: _Layer, thing: int, wanted: np.ndarray, candidates: list[int], pays: bool
) -> _Layer:
    """Let all beginnings that can take an object take it."""
    goal, place = int(host.object_goal[thing]), int(host.object_start[thing])
    same = [other for other in candidates if host.object_goal[other] == goal]
    twins = [other for other in same if other < thing and host.object_start[other] == place]
    has = sum((layer.taken >> other) & 1 for other in same)
    fits = (layer.held < 2) & ((layer.taken >> thing) & 1 == 0) & (has < wanted[goal])
    for twin in twins:  # of objects that are the same, the first one is taken first
        fits &= (layer.taken >> twin) & 1 == 1
    some = layer.rows(np.flatnonzero(fits))
    on = place < FLOOR
    room = int(host.receptacle_room[place]) if on else place - FLOOR
    target = host.receptacle_at[place] if on else host.object_at[thing]
    closed = pays and on and bool(host.closes[place])
    opens = ((some.opened >> place) & 1 == 0).astype(np.int64) if closed else np.zeros(len(some.ticks), np.int64)
    ends, at, ticks = _walks(params, some.room, some.at, room, target)
    return _Layer(
        room=ends,
        at=at,
        ticks=some.ticks + ticks + opens + 1,
        taken=some.taken | (1 << thing),
        held=some.held + 1,
        opened=some.opened | (1 << place) if closed else some.opened,
        stops=np.concatenate([some.stops, np.full((len(some.ticks), 1), thing)], axis=1),
    )


def _put(host: Any, params: Params, layer: _Layer, pays: bool) -> _Layer:
    """Let all beginnings that hold something put it down."""
    some = layer.rows(np.flatnonzero(layer.held > 0))
    place = int(host.goal_place)
    closed = pays and bool(host.closes[place])
    opens = ((some.opened >> place) & 1 == 0).astype(np.int64) if closed else np.zeros(len(some.ticks), np.int64)
    ends, at, ticks = _walks(params, some.room, some.at, int(host.receptacle_room[place]), host.receptacle_at[place])
    return _Layer(
        room=ends,
        at=at,
        ticks=some.ticks + ticks + opens + some.held,
        taken=some.taken,
        held=np.zeros_like(some.held),
        opened=some.opened | (1 << place) if closed else some.opened,
        stops=np.concatenate([some.stops, np.full((len(some.ticks), 1), PUT)], axis=1),
    )


def _pruned(layer: _Layer, slack: int) -> _Layer:
    """Give up beginnings that are behind another one with the same objects, hands, openings and last stop."""
    if not len(layer.ticks):
        return layer
    state = np.stack([layer.taken, layer.held, layer.opened, layer.stops[:, -1]], axis=1)
    _, group = np.unique(state, axis=0, return_inverse=True)
    least = np.full(group.max() + 1, np.iinfo(np.int64).max)
    np.minimum.at(least, group.ravel(), layer.ticks)
    kept = layer.rows(np.flatnonzero(layer.ticks <= least[group.ravel()] + slack))
    spot = np.concatenate([np.stack([kept.taken, kept.held, kept.opened, kept.stops[:, -1]], 1), kept.at], axis=1)
    order = np.argsort(kept.ticks, kind="stable")
    _, first = np.unique(spot[order], axis=0, return_index=True)  # of equal ones the fastest
    return kept.rows(order[first])


def _walks(
    params: Params, room: np.ndarray, at: np.ndarray, to_room: int, to: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Walk to one place from many; return rooms, places and ticks."""
    spots, back = np.unique(np.concatenate([room[:, None], at], axis=1), axis=0, return_inverse=True)
    parts = []
    for first in range(0, len(spots), CHUNK):
        some = spots[first : first + CHUNK]
        padded = np.concatenate([some, np.repeat(some[:1], CHUNK - len(some), axis=0)]).astype(np.int32)
        found = jax.device_get(_legs(params, padded, np.int32(to_room), np.asarray(to, np.int32)))
        parts.append([each[: len(some)] for each in found])
    if not parts:
        return room, at, np.zeros(0, np.int64)
    ends, places, ticks = (np.concatenate(each)[back.ravel()] for each in zip(*parts, strict=True))
    return ends, places, ticks.astype(np.int64)


@jax.jit
def _legs(
    params: Params, spots: Int[Array, "t 3"], room: Int[Array, ""], at: Int[Array, " 2"]
) -> tuple[Int[Array, " t"], Int[Array, "t 2"], Int[Array, " t"]]:
    target = Target(room=room, at=at, reach=params.reach)

    def one(spot: Int[Array, " 3"]) -> tuple[Array, Array, Array]:
        def tick(now: Any) -> Any:
            room, at, lag, ticks = now
            return *walk(params, room, at, lag, target), ticks + 1

        none = jnp.zeros((), jnp.int32)
        start = (spot[0], spot[1:], none, none)
        room, at, _, ticks = jax.lax.while_loop(lambda now: ~near(params, now[0], now[1], target), tick, start)
        return room, at, ticks

    found: tuple[Array, Array, Array] = jax.vmap(one)(spots)
    return found
