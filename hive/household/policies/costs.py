"""What every option would cost by the map: ticks from where each agent stands (docs/rules/household.md 4).

These are the true costs of the rules' formulas, with the length through the doors of the shortest route. An agent does
not know them; they serve the bounds, and as a reference for learned costs.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Int

from hive.household import options
from hive.household.codes import FLOOR, HELD
from hive.household.state import Params, State

FAR = 1_000_000
"""Ticks of an option without a target, more than any episode."""


def lengths(
    params: Params, room: Int[Array, " n"], at: Int[Array, "n 2"], to_room: Int[Array, " t"], to: Int[Array, "t 2"]
) -> Int[Array, "n t"]:
    """Return the millimetres of straight lines through doors.

    Args:
        params: The apartment.
        room: Rooms of the starts.
        at: `[N, 2]` the starts.
        to_room: Rooms of the targets.
        to: `[T, 2]` the targets.
    """
    return to_last_door(params, room, at, to_room) + jnp.where(
        room[:, None] == to_room[None],
        _distance(at[:, None], to[None]),
        _distance(params.door_at[params.last_door[room[:, None], to_room[None]]], to[None]),
    )


def to_last_door(
    params: Params, room: Int[Array, " n"], at: Int[Array, "n 2"], to_room: Int[Array, " t"]
) -> Int[Array, "n t"]:
    """Return the millimetres to the door that leads into each room; 0 within it."""
    here, there = room[:, None], to_room[None]
    first = params.door_at[params.first_door[here, there]]
    way = _distance(at[:, None], first) + params.route[here, there]
    return jnp.where(here == there, 0, way)


def option_ticks(params: Params, state: State) -> Int[Array, "n o"]:
    """Return the ticks of every option of every agent, whether it is legal or not.

    An object in a closed container costs as if the container was opened on the way; what is carried or gone costs
    `FAR`, and so do options of transport episodes alone.
    """
    agents = state.room.shape[0]
    rooms = jnp.arange(params.room_there.shape[0], dtype=jnp.int32)
    explore = jnp.maximum(_strides(params, to_last_door(params, state.room, state.at, rooms)), 1)

    to_furniture = _strides(
        params, lengths(params, state.room, state.at, params.receptacle_room, params.receptacle_at) - params.reach
    )
    check = to_furniture + 1
    held = (state.hands >= 0).sum(-1)
    put = to_furniture[:, params.goal_place] + held + (~state.open[params.goal_place]).astype(jnp.int32)

    on_furniture = state.place < FLOOR
    on_floor = ~on_furniture & (state.place < HELD)
    furniture = jnp.clip(state.place, 0, FLOOR - 1)
    floor_room = jnp.clip(state.place - FLOOR, 0, rooms.shape[0] - 1)
    to_floor = _strides(params, lengths(params, state.room, state.at, floor_room, params.object_at) - params.reach)
    opening = (~state.open[furniture]).astype(jnp.int32)
    grab = jnp.where(on_furniture, to_furniture[:, furniture] + opening, to_floor) + 1
    grab = jnp.where((on_furniture | on_floor)[None], grab, FAR)

    one = jnp.ones((agents, 1), jnp.int32)
    parts = {
        options.Kind.WAIT: one,
        options.Kind.SEND: one,
        options.Kind.PUT: put[:, None],
        options.Kind.EXPLORE: explore,
        options.Kind.CHECK: check,
        options.Kind.GRAB: grab,
    }
    far = jnp.full((agents, options.COUNT - sum(part.shape[1] for part in parts.values())), FAR, jnp.int32)
    return jnp.concatenate([*(parts[kind] for kind in sorted(parts)), far], axis=1).astype(jnp.int32)


def _strides(params: Params, length: Int[Array, "n t"]) -> Int[Array, "n t"]:
    return -(-jnp.maximum(length, 0) // params.stride)


def _distance(one: Int[Array, "*n 2"], other: Int[Array, "*n 2"]) -> Int[Array, "*n"]:
    gap = one - other
    return jnp.round(jnp.sqrt((gap * gap).sum(-1).astype(jnp.float32))).astype(jnp.int32)
