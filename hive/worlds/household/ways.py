"""Ways through an apartment in whole millimetres: lengths, and walking along them (docs/rules/household.md 3.1).

An agent walks in straight lines from door to door and from the last door to its target. Everything is a whole number,
so a batch and a single run agree to the bit.
"""

from __future__ import annotations

from math import cos, pi, sin

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int

from hive.worlds.household.assembly import FAR
from hive.worlds.household.state import Params

SEGMENTS = 3
"""Straight pieces of a way that an agent can enter within one tick: two doors may be nearer than a stride."""


class Ways(struct.PyTreeNode, kw_only=True):
    """The shortest ways of one agent to all rooms."""

    door: Int[Array, " r"]  # first door; of no meaning for the own room
    length: Int[Array, " r"]  # up to the last door; 0 for the own room
    entry: Int[Array, "r 2"]  # the last door; the agent's own place for its room


def root(square: Int[Array, "*n"]) -> Int[Array, "*n"]:
    """Return the square root of numbers below 2^31, rounded down."""
    guess = jnp.floor(jnp.sqrt(square.astype(jnp.float32))).astype(jnp.int32)
    guess = jnp.where(guess * guess > square, guess - 1, guess)  # the guess is off by one at most
    return jnp.where((guess + 1) * (guess + 1) <= square, guess + 1, guess)


def length(vector: Int[Array, "*n 2"]) -> Int[Array, "*n"]:
    """Return the length of vectors shorter than 46 metres, rounded down."""
    return root(_square(vector))


def within(vector: Int[Array, "*n 2"], most: Int[Array, "*m"]) -> Bool[Array, "*n"]:
    """Return whether the length of vectors is at most a number, up to 46,000, without taking a root."""
    return _square(vector) < (most + 1) * (most + 1)


def _square(vector: Int[Array, "*n 2"]) -> Int[Array, "*n"]:
    return vector[..., 0] * vector[..., 0] + vector[..., 1] * vector[..., 1]


def ways(params: Params, room: Int[Array, ""], at: Int[Array, " 2"]) -> Ways:
    """Return the shortest ways of an agent that stands in a room at `[2]` millimetres."""
    legs = length(params.door_at - at[None, :])
    far = jnp.minimum(params.door_far[room] + legs[:, None], FAR)
    door = jnp.argmin(far, axis=0)
    targets = jnp.arange(door.size, dtype=jnp.int32)
    own = targets == room
    last = params.last_door[room, door, targets]
    route = jnp.minimum(params.turn + legs[door] + params.door_route[room, door, targets], FAR)
    return Ways(
        door=door,
        length=jnp.where(own, 0, route),
        entry=jnp.where(own[:, None], at[None, :], params.door_at[last]),
    )


def to_point(found: Ways, room: Int[Array, "*n"], at: Int[Array, "*n 2"]) -> Int[Array, "*n"]:
    """Return the length of the way to points in rooms, `[*N]`; the turn of the last leg is left out."""
    return jnp.minimum(found.length[room] + length(at - found.entry[room]), FAR)


def near(params: Params, room: Int[Array, ""], at: Int[Array, " 2"], place: Target) -> Bool[Array, ""]:
    """Whether an agent can use what it goes to: it is in the same room and within reach."""
    return (room == place.room) & within(place.at - at, place.reach)


class Target(struct.PyTreeNode, kw_only=True):
    """Where an agent walks to."""

    room: Int[Array, ""]
    at: Int[Array, " 2"]
    reach: Int[Array, ""]  # the walk ends within this length


def walk(
    params: Params, room: Int[Array, ""], at: Int[Array, " 2"], lag: Int[Array, ""], target: Target
) -> tuple[Int[Array, ""], Int[Array, " 2"], Int[Array, ""]]:
    """Walk for one tick; an agent that passes a door turns and goes on behind it.

    Args:
        params: The episode.
        room: Where the agent is.
        at: `[2]` millimetres.
        lag: Millimetres that its last turn still costs.
        target: Where it walks to.

    Returns:
        Room, place and lag after the tick.
    """

    def leg(_: int, now: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
        room, at, left, lag = now
        inside = room == target.room
        door = jnp.argmin(length(params.door_at - at[None, :]) + params.door_far[room, :, target.room])
        goal = jnp.where(inside, target.at, params.door_at[door])
        span = length(goal - at)
        stays = inside & (span <= target.reach)
        pace = jnp.where(stays, 0, jnp.minimum(left, span))
        arrives = ~stays & (pace == span)
        divisor = jnp.maximum(span, 1)
        moved = at + (2 * (goal - at) * pace + divisor) // (2 * divisor)
        passes = arrives & ~inside
        left = left - pace - jnp.where(passes, params.turn, 0)
        return (
            jnp.where(passes, params.behind[room, door], room),
            jnp.where(arrives, goal, moved),
            jnp.maximum(left, 0),
            lag + jnp.maximum(-left, 0),
        )

    left = jnp.maximum(params.stride - lag, 0)
    room, at, _, lag = jax.lax.fori_loop(0, SEGMENTS, leg, (room, at, left, jnp.maximum(lag - params.stride, 0)))
    return room, at, lag


def ticks(params: Params, span: Int[Array, "*n"]) -> Int[Array, "*n"]:
    """Return the ticks of a walk of some lengths; at least 0."""
    return jnp.maximum(-(-span // params.stride), 0)


DIRECTIONS = tuple((round(1_000 * cos(pi * step / 6)), round(1_000 * sin(pi * step / 6))) for step in range(12))
"""What an agent can face: twelfths of a circle from x to y, as vectors of a length of 1,000."""


def towards(vector: Int[Array, "n 2"], before: Int[Array, " n"]) -> Int[Array, " n"]:
    """Return the direction that is nearest to each vector; of a vector without a length, the one before."""
    along, across = jnp.asarray(DIRECTIONS, jnp.int32).T[:, None, :]
    nearest = jnp.argmax(vector[:, :1] * along + vector[:, 1:] * across, axis=1).astype(jnp.int32)
    return jnp.where(jnp.any(vector != 0, axis=1), nearest, before)


def in_view(facing: Int[Array, " n"], vector: Int[Array, "n m 2"]) -> Bool[Array, "n m"]:
    """Return whether vectors are at most an eighth of a circle off the direction of each agent."""
    x, y = jnp.asarray(DIRECTIONS, jnp.int32).T[:, facing][..., None]
    ahead, aside = x * vector[..., 0] + y * vector[..., 1], x * vector[..., 1] - y * vector[..., 0]
    return ahead >= jnp.abs(aside)


many_ways = jax.vmap(ways, in_axes=(None, 0, 0))
"""`ways` for all agents: rooms `[N]` and places `[N, 2]`."""
