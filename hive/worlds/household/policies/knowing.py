"""What agents know in addition to what they see themselves (docs/rules/household.md 11.1)."""

from __future__ import annotations

from enum import IntEnum

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from hive.worlds.household.codes import AGENTS, HELD
from hive.worlds.household.state import Beliefs, Params, State


class Knows(IntEnum):
    """Where the knowledge of an agent comes from, besides its own eyes."""

    OWN = 0  # messages that were sent
    SHARED = 1  # what one agent knows all know, at once and for nothing
    ALL = 2  # everything is known from the start


def inform(params: Params, state: State, knows: Int[Array, ""]) -> State:
    """Return the state with the beliefs that a setting gives.

    Args:
        params: The episode.
        state: The household.
        knows: One of `Knows`.
    """
    own, shared, all_ = state.beliefs, _pooled(params, state.beliefs), _revealed(params, state)

    def chosen(mine: Array, pooled: Array, true: Array) -> Array:
        return jnp.where(knows == Knows.ALL, true, jnp.where(knows == Knows.SHARED, pooled, mine))

    return state.replace(beliefs=jax.tree.map(chosen, own, shared, all_))


def _pooled(params: Params, beliefs: Beliefs) -> Beliefs:
    newest = jnp.argmax(beliefs.seen_at, axis=0)

    def any_of(each: Bool[Array, "n *x"]) -> Bool[Array, "n *x"]:
        return jnp.broadcast_to(jnp.any(each, axis=0, keepdims=True), each.shape)

    place = jnp.take_along_axis(beliefs.place, newest[None], axis=0)
    return beliefs.replace(
        place=jnp.broadcast_to(place, beliefs.place.shape),
        seen_at=jnp.broadcast_to(beliefs.seen_at.max(0, keepdims=True), beliefs.seen_at.shape),
        checked=any_of(beliefs.checked),
        visited=jnp.where(params.transport, any_of(beliefs.visited), beliefs.visited),
        known_room=any_of(beliefs.known_room),
        goal_known=any_of(beliefs.goal_known),
    )


def _revealed(params: Params, state: State) -> Beliefs:
    beliefs = state.beliefs
    opened = (state.open & params.closes)[None]
    return beliefs.replace(
        place=jnp.broadcast_to(state.place[None], beliefs.place.shape),
        seen_at=jnp.broadcast_to(state.clock, beliefs.seen_at.shape),
        checked=jnp.broadcast_to(opened, beliefs.checked.shape),
        visited=beliefs.visited | params.transport,
        known_room=jnp.broadcast_to(params.room_there[None], beliefs.known_room.shape),
        goal_known=jnp.ones_like(beliefs.goal_known),
    )


def secured(params: Params, place: Int[Array, " m"]) -> Int[Array, " q"]:
    """Return how many objects of each goal class lie at the goal place or are carried.

    Args:
        params: The episode.
        place: Place code of each object, as an agent knows them.
    """
    there = (place == params.goal_place) | ((place >= HELD) & (place < HELD + AGENTS))
    counts = params.object_there & there & (params.object_goal >= 0)
    return jnp.zeros_like(params.needs).at[jnp.maximum(params.object_goal, 0)].add(counts.astype(jnp.int32))
