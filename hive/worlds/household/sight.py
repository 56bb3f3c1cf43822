"""What agents see, and how that changes what they know (docs/rules/household.md 5)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, PRNGKeyArray

from hive.worlds.household.codes import AGENTS, FLOOR, HELD, INSIDE, OBJECTS, RECEPTACLES, ROOMS, UNKNOWN
from hive.worlds.household.state import Beliefs, Params, State
from hive.worlds.household.ways import in_view, within


def where(params: Params, state: State, place: Int[Array, "n m"]) -> tuple[Int[Array, "n m"], Int[Array, "n m 2"]]:
    """Return room and point of objects that are where place codes say; room -1 where that is nowhere.

    The container in which an object lies decides, so carried ones are followed once.
    """
    inner = jnp.clip(place - INSIDE, 0, OBJECTS - 1)
    inside = (place >= INSIDE) & (place < INSIDE + OBJECTS)
    place = jnp.where(inside, state.place[inner], place)
    on = jnp.clip(place, 0, RECEPTACLES - 1)
    bearer = jnp.clip(place - HELD, 0, AGENTS - 1)
    room = jnp.where(place < HELD, place - FLOOR, jnp.where(place < INSIDE, state.room[bearer], -1))
    room = jnp.where(place < 0, -1, jnp.where(place < FLOOR, params.receptacle_room[on], room))
    floor, carried = (place >= FLOOR)[..., None], (place >= HELD)[..., None]
    at = jnp.where(floor, params.object_at[None, :, :], params.receptacle_at[on])
    return room, jnp.where(carried, state.at[bearer], at)


def in_the_open(params: Params, state: State) -> Bool[Array, " m"]:
    """Whether each object can be seen from its room: it is in no closed container, and it exists."""
    place = state.place
    inner = (place >= INSIDE) & (place < INSIDE + OBJECTS)
    place = jnp.where(inner, state.place[jnp.clip(place - INSIDE, 0, OBJECTS - 1)], place)
    closed = (place < FLOOR) & ~state.open[jnp.clip(place, 0, RECEPTACLES - 1)]
    return ~closed & (place < INSIDE) & params.object_there


def visible(params: Params, state: State, explored: Bool[Array, " n"] | None = None) -> Bool[Array, "n m"]:
    """Whether each agent sees each object: it is in its room and within sight, or it holds it.

    Args:
        params: The episode.
        state: The household.
        explored: Agents that see all of their room; None: no agent does from afar.
    """
    there = where(params, state, state.place[None, :])
    return _in_sight(params, state, *there, explored) & in_the_open(params, state)[None, :]


def _in_sight(
    params: Params, state: State, room: Int[Array, "#n m"], at: Int[Array, "#n m 2"], whole: Bool[Array, " n"] | None
) -> Bool[Array, "n m"]:
    """Whether each agent sees points in rooms, `[N, M]` or, the same for all agents, `[1, M]`."""
    near = within(at - state.at[:, None, :], params.sight)
    if params.switches is not None and state.facing is not None:
        near = near & (~params.switches.turns | in_view(state.facing, at - state.at[:, None, :]))
    if whole is not None:
        near = near | whole[:, None]
    return (room == state.room[:, None]) & near & params.agent_there[:, None]


def observe(params: Params, state: State, key: PRNGKeyArray, explored: Bool[Array, " n"]) -> State:
    """Let all agents look around in their rooms.

    What an agent remembers to be in the open in its room and does not see there becomes unknown; so does an object in
    the hands of an agent that it sees without it.

    Args:
        params: The episode.
        state: The household.
        key: Decides what is detected of what agents see; what they hold always is.
        explored: Agents that explored their room to the end in this tick.
    """
    old = state.beliefs
    there = visible(params, state, explored)
    luck = jax.random.bits(key, there.shape, jnp.uint16).astype(jnp.int32) < params.detection
    mine = state.place[None, :] == HELD + jnp.arange(AGENTS, dtype=jnp.int32)[:, None]
    seen = there & (luck | mine)
    rooms = jnp.arange(ROOMS, dtype=jnp.int32)
    here = (state.room[:, None] == rooms[None, :]) & params.agent_there[:, None]
    same = _in_sight(params, state, state.room[None, :], state.at[None, :, :], explored) & params.agent_there[None, :]
    gone = _missed(params, state, there, explored)
    changed = seen | gone
    opened = state.open & params.closes
    in_room = _in_sight(params, state, params.receptacle_room[None, :], params.receptacle_at[None, :, :], explored)
    in_room = in_room & params.receptacle_there[None, :]
    ready = jnp.where(params.looks_round, here & explored[:, None], here)
    checked, goal_known = old.checked | (in_room & opened[None, :]), old.goal_known | in_room[:, params.goal_place]
    if params.switches is not None:
        checked = checked & ~(params.switches.closing & in_room & ~state.open[None, :])
        goal_known = goal_known | (here[:, params.receptacle_room[params.goal_place]] & ~params.transport)
    beliefs = old.replace(
        place=jnp.where(seen, state.place[None, :], jnp.where(gone, UNKNOWN, old.place)),
        seen_at=jnp.where(changed, state.clock, old.seen_at),
        checked=checked,
        visited=old.visited | ready,
        known_room=old.known_room | here,
        goal_known=goal_known,
        mate_room=jnp.where(same, state.room[None, :], old.mate_room),
        mate_seen_at=jnp.where(same, state.clock, old.mate_seen_at),
    )
    return state.replace(beliefs=beliefs)


def _missed(params: Params, state: State, seen: Bool[Array, "n m"], explored: Bool[Array, " n"]) -> Bool[Array, "n m"]:
    """Whether each agent would see an object if it were where the agent remembers it, and does not."""
    place = state.beliefs.place
    expected = _in_sight(params, state, *where(params, state, place), explored)
    closed = (place >= 0) & (place < FLOOR) & ~state.open[jnp.clip(place, 0, RECEPTACLES - 1)]
    return expected & ~closed & ~seen


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
    beliefs = mine.replace(
        place=jnp.where(fresher, told, mine.place),
        seen_at=jnp.where(fresher, stamp, mine.seen_at),
        checked=mine.checked | _any(tells, mail.containers & before.checked),
        known_room=mine.known_room | jnp.any(rooms, axis=1),
        goal_known=mine.goal_known | jnp.any(tells & goal_room[None, :], axis=1),
    )
    return state.replace(beliefs=beliefs)


def _any(tells: Bool[Array, "n n"], facts: Bool[Array, "n k"]) -> Bool[Array, "n k"]:
    """Whether any sender tells each fact to each receiver."""
    return jnp.any(tells[:, :, None] & facts[None, :, :], axis=1)
