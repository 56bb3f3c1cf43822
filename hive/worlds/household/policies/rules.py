"""RHP: the agent of transport that acts by rules (docs/rules/household.md 11.5)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int, Key

from hive.worlds.household import dynamics, options
from hive.worlds.household.codes import AGENTS, CARRIER_CAPACITY, HELD, INSIDE, OBJECTS, ROOMS
from hive.worlds.household.legality import carries, held_count, legal
from hive.worlds.household.state import Params, State

FRAMES = 3_000
"""Frames of a published episode; the two times below are shares of them."""

LAST_DELIVERY, LAST_CONTAINER = 2_300, 1_600
"""Frames after which a loaded agent delivers, and before which an agent looks for a container."""


class RuleAgent(struct.PyTreeNode):
    """The policy; it has no settings, and its agents tell each other nothing."""

    def begin(self, params: Params, key: Key[Array, ""]) -> tuple[()]:
        """Remember nothing."""
        del params, key
        return ()

    def act(
        self, params: Params, state: State, memory: tuple[()], key: Key[Array, ""]
    ) -> tuple[Int[Array, " n"], State, tuple[()]]:
        """Choose; see `TeamPolicy`."""
        may = legal(params, state)
        held, holds = held_count(state), carries(params, state)
        loaded, holder = held > 0, jnp.any(holds, axis=1)
        frames = state.clock * FRAMES  # times the limit
        late, early = frames > LAST_DELIVERY * params.limit, frames < LAST_CONTAINER * params.limit
        room_left = _load(state, holds) < CARRIER_CAPACITY

        delivers = loaded & (late | _all_taken(params, state) | (holder & ~room_left) | (~holder & (held == 2)))
        to_container = ~holder & early
        deliver = may[:, options.PUT] & delivers
        things = may[:, options.GRAB : options.GRAB + OBJECTS]
        containers, targets = things & params.carrier[None, :], things & ~params.carrier[None, :]
        seeks = jnp.where(to_container[:, None] & containers.any(-1, keepdims=True), containers, targets)
        seeks = seeks & ~delivers[:, None] & (~to_container | containers.any(-1))[:, None]

        unexplored = may[:, options.EXPLORE : options.EXPLORE + ROOMS]
        rooms = may[:, options.GOTO : options.GOTO + ROOMS]
        new = rooms & ~state.beliefs.visited
        searches = unexplored.any(-1) | new.any(-1)
        spare = ~searches & ~delivers & ~seeks.any(-1)  # nothing is left to explore: take what is known, or deliver

        ranked = (
            (may[:, options.PUT_IN], _only(options.PUT_IN)),
            (deliver, _only(options.PUT)),
            (seeks.any(-1), _among(seeks, options.GRAB)),
            (spare & targets.any(-1), _among(targets, options.GRAB)),
            (spare & may[:, options.PUT], _only(options.PUT)),
            (unexplored.any(-1), _among(unexplored, options.EXPLORE)),
            (new.any(-1), _among(new, options.GOTO)),
            (rooms.any(-1), _among(rooms, options.GOTO)),
        )
        wish = _only(options.WAIT)
        for happens, some in reversed(ranked):
            wish = jnp.where(happens[:, None], some, wish)
        luck = jax.random.uniform(key, wish.shape)
        chosen = jnp.argmax(jnp.where(wish & may, luck, -1.0), axis=1).astype(jnp.int32)
        return jnp.where(dynamics.free(state), chosen, state.option), state, memory


def _load(state: State, holds: Bool[Array, "n h"]) -> Int[Array, " n"]:
    """Return how many objects lie in the container that each agent holds."""
    hand = jnp.argmax(holds, axis=1)
    container = jnp.take_along_axis(state.hands, hand[:, None], axis=1)
    inside = state.place[None, :] == INSIDE + container
    return jnp.sum(inside & jnp.any(holds, axis=1, keepdims=True), axis=1, dtype=jnp.int32)


def _all_taken(params: Params, state: State) -> Bool[Array, " n"]:
    """Return whether each agent believes that everything wanted is delivered or carried."""
    place = state.beliefs.place
    taken = (place == params.goal_place) | (place >= HELD)
    counts = taken & (params.object_goal >= 0)[None, :] & params.object_there[None, :]
    return counts.sum(1, dtype=jnp.int32) >= params.needs.sum(dtype=jnp.int32)


def _only(option: int) -> Bool[Array, "n o"]:
    return jnp.broadcast_to((jnp.arange(options.COUNT) == option)[None, :], (AGENTS, options.COUNT))


def _among(some: Bool[Array, "n x"], first: int) -> Bool[Array, "n o"]:
    return jnp.zeros((AGENTS, options.COUNT), bool).at[:, first : first + some.shape[1]].set(some)
