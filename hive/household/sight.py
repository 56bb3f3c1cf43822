"""What agents see, and how that changes what they know (docs/rules/household.md 5)."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from hive.household.codes import AGENTS, FLOOR, HELD, INSIDE, OBJECTS, RECEPTACLES, ROOMS, UNKNOWN
from hive.household.state import Beliefs, Params, State


def place_room(params: Params, state: State, place: Int[Array, "*n"]) -> Int[Array, "*n"]:
    """Return the room of each place code in the present state; -1 where it has none.

    The container in which an object lies decides, so carried ones are followed once.
    """
    inner = jnp.clip(place - INSIDE, 0, OBJECTS - 1)
    inside = (place >= INSIDE) & (place < INSIDE + OBJECTS)
    place = jnp.where(inside, state.place[inner], place)
    on = params.receptacle_room[jnp.clip(place, 0, RECEPTACLES - 1)]
    carried = state.room[jnp.clip(place - HELD, 0, AGENTS - 1)]
    room = jnp.where(place < HELD, place - FLOOR, jnp.where(place < INSIDE, carried, -1))
    return jnp.where(place < 0, -1, jnp.where(place < FLOOR, on, room))


def in_the_open(params: Params, state: State) -> Bool[Array, " m"]:
    """Whether each object can be seen from its room: it is in no closed container, and it exists."""
    place = state.place
    inner = (place >= INSIDE) & (place < INSIDE + OBJECTS)
    place = jnp.where(inner, state.place[jnp.clip(place - INSIDE, 0, OBJECTS - 1)], place)
    closed = (place < FLOOR) & ~state.open[jnp.clip(place, 0, RECEPTACLES - 1)]
    return ~closed & (place < INSIDE) & params.object_there


def visible(params: Params, state: State) -> Bool[Array, "n m"]:
    """Whether each agent sees each object: it is in its room, or it holds it."""
    room = place_room(params, state, state.place)
    same = (room[None, :] == state.room[:, None]) & in_the_open(params, state)[None, :]
    return same & params.agent_there[:, None]


def observe(params: Params, state: State) -> State:
    """Let all agents look around in their rooms.

    What an agent remembers to be in the open in its room and does not see there becomes unknown; so does an object in
    the hands of an agent that it sees without it.
    """
    old = state.beliefs
    seen = visible(params, state)
    rooms = jnp.arange(ROOMS, dtype=jnp.int32)
    here = (state.room[:, None] == rooms[None, :]) & params.agent_there[:, None]
    same = (state.room[:, None] == state.room[None, :]) & params.agent_there[:, None] & params.agent_there[None, :]
    gone = _missed(params, state, seen)
    changed = seen | gone
    opened = state.open & params.closes
    in_room = here[:, params.receptacle_room] & params.receptacle_there[None, :]
    beliefs = old.replace(
        place=jnp.where(seen, state.place[None, :], jnp.where(gone, UNKNOWN, old.place)),
        seen_at=jnp.where(changed, state.clock, old.seen_at),
        checked=old.checked | (in_room & opened[None, :]),
        visited=old.visited | here,
        known_room=old.known_room | here,
        goal_known=old.goal_known | in_room[:, params.goal_place],
        mate_room=jnp.where(same, state.room[None, :], old.mate_room),
        mate_seen_at=jnp.where(same, state.clock, old.mate_seen_at),
    )
    return state.replace(beliefs=beliefs)


def _missed(params: Params, state: State, seen: Bool[Array, "n m"]) -> Bool[Array, "n m"]:
    """Whether each agent would see an object if it were where the agent remembers it, and does not."""
    place = state.beliefs.place
    expected = place_room(params, state, place) == state.room[:, None]
    closed = (place >= 0) & (place < FLOOR) & ~state.open[jnp.clip(place, 0, RECEPTACLES - 1)]
    return expected & ~closed & ~seen & params.agent_there[:, None]


def deliver(params: Params, state: State, before: Beliefs) -> State:
    """Let all agents read the typed messages that were sent in this tick (docs/rules/household.md 5.3).

    Args:
        params: The episode.
        state: Household after the agents looked around.
        before: What senders knew when they chose what to send.
    """
    mail, mine = state.outbox, state.beliefs
    other = ~jnp.eye(AGENTS, dtype=bool) & params.agent_there[:, None]  # receiver, sender
    tells = other & state.sent[None, :]
    stamps = jnp.where(tells[:, :, None] & mail.objects[None, :, :], before.seen_at[None, :, :], -1)
    newest = jnp.argmax(stamps, axis=1)
    stamp = jnp.max(stamps, axis=1)
    fresher = stamp > mine.seen_at
    told = jnp.take_along_axis(before.place, newest, axis=0)
    rooms = tells[:, :, None] & (mail.rooms & before.known_room)[None, :, :]
    goal_room = mail.rooms[:, params.receptacle_room[params.goal_place]] & before.goal_known
    goes, asks = tells & (mail.intent >= 0)[None, :], tells & (mail.request >= 0)[None, :]
    beliefs = mine.replace(
        place=jnp.where(fresher, told, mine.place),
        seen_at=jnp.where(fresher, stamp, mine.seen_at),
        checked=mine.checked | _any(tells, mail.containers & before.checked),
        known_room=mine.known_room | jnp.any(rooms, axis=1),
        goal_known=mine.goal_known | jnp.any(tells & goal_room[None, :], axis=1),
        intent=jnp.where(goes, mail.intent[None, :], mine.intent),
        request=jnp.where(asks, mail.request[None, :], mine.request),
    )
    return state.replace(beliefs=beliefs)


def _any(tells: Bool[Array, "n n"], facts: Bool[Array, "n k"]) -> Bool[Array, "n k"]:
    """Whether any sender tells each fact to each receiver."""
    return jnp.any(tells[:, :, None] & facts[None, :, :], axis=1)
