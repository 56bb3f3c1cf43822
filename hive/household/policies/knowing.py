"""What agents know of each other: nothing, everything that one of them knows, or everything that is true."""

from __future__ import annotations

from enum import StrEnum

import jax.numpy as jnp
from jaxtyping import Array, Int

from hive.household.codes import FLOOR, HELD
from hive.household.state import Params, State


class Knows(StrEnum):
    """Where the knowledge of an agent comes from, besides its own eyes."""

    OWN = "own"  # and from messages that were sent
    SHARED = "shared"  # all agents know what one of them knows, at once and for nothing
    ALL = "all"  # everything is known from the start


def inform(params: Params, state: State, knows: Knows) -> State:
    """Return the state with the beliefs that a setting gives."""
    if knows == Knows.OWN:
        return state
    return _pool(state) if knows == Knows.SHARED else _reveal(params, state)


def _pool(state: State) -> State:
    beliefs = state.beliefs
    newest = jnp.argmax(beliefs.seen_at, axis=0)
    place = jnp.take_along_axis(beliefs.place, newest[None], axis=0)

    def all_know(each: Array) -> Array:
        return jnp.broadcast_to(jnp.any(each, axis=0, keepdims=True), each.shape)

    return state.replace(
        beliefs=beliefs.replace(
            place=jnp.broadcast_to(place, beliefs.place.shape),
            seen_at=jnp.broadcast_to(beliefs.seen_at.max(0, keepdims=True), beliefs.seen_at.shape),
            checked=all_know(beliefs.checked),
            known_room=all_know(beliefs.known_room),
            goal_known=all_know(beliefs.goal_known),
        )
    )


def _reveal(params: Params, state: State) -> State:
    beliefs = state.beliefs

    def told(each: Array, truth: Array) -> Array:
        return jnp.broadcast_to(truth, each.shape).astype(each.dtype)

    return state.replace(
        beliefs=beliefs.replace(
            place=told(beliefs.place, state.place),
            seen_at=told(beliefs.seen_at, state.clock),
            checked=told(beliefs.checked, state.open & params.closes),
            known_room=told(beliefs.known_room, params.room_there),
            goal_known=jnp.ones_like(beliefs.goal_known),
        )
    )


def secured(params: Params, place: Int[Array, " m"]) -> Int[Array, " q"]:
    """Return how many objects of each goal class lie at the goal place or are carried.

    Args:
        params: The episode.
        place: Place code of each object, as somebody knows them.
    """
    there = (place == params.goal_place) | ((place >= HELD) & (place < HELD + len_agents(params)))
    counts = params.object_there & there & (params.object_goal >= 0)
    return jnp.zeros_like(params.needs).at[jnp.maximum(params.object_goal, 0)].add(counts.astype(jnp.int32))


def len_agents(params: Params) -> int:
    """Return the size of the arrays of agents."""
    return int(params.agent_there.shape[0])


def in_furniture(place: Int[Array, "*m"]) -> Array:
    """Return whether place codes are receptacles."""
    return (place >= 0) & (place < FLOOR)
