"""Which options each agent may choose, and what they cost (docs/rules/household.md 4)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from hive.household import options
from hive.household.codes import AGENTS, FLOOR, GOALS, HELD, RECEPTACLES
from hive.household.state import Params, State
from hive.household.ways import many_ways, ticks, to_point


def held_count(state: State) -> Int[Array, " n"]:
    """Return the number of objects in the hands of each agent."""
    return jnp.sum(state.hands >= 0, axis=1, dtype=jnp.int32)


def still_needed(params: Params, state: State) -> Int[Array, "n q"]:
    """Return how many objects of each goal class each agent still has to take, as far as it knows.

    Objects that it knows to be at the goal place and those in its own hands are subtracted.
    """
    mine = HELD + jnp.arange(AGENTS, dtype=jnp.int32)[:, None]
    settled = (state.beliefs.place == params.goal_place) | (state.beliefs.place == mine)
    kinds = params.object_goal[:, None] == jnp.arange(GOALS, dtype=jnp.int32)[None, :]
    return params.needs[None, :] - jnp.sum(settled[:, :, None] & kinds[None, :, :], axis=1, dtype=jnp.int32)


def legal(params: Params, state: State) -> Bool[Array, "n o"]:
    """Return whether each agent may choose each option now.

    Args:
        params: The episode.
        state: The household; agents that are busy or do not exist may only wait.

    Returns:
        `[N, O]`, numbered as in `hive.household.options`.
    """
    know = state.beliefs
    held = held_count(state)
    free_hand, full = held < state.hands.shape[1], held == state.hands.shape[1]
    chooses = ~state.busy
    lies = (know.place >= 0) & (know.place < HELD) & (know.place != params.goal_place)
    wanted = (params.object_goal >= 0)[None, :] & (
        still_needed(params, state)[:, jnp.maximum(params.object_goal, 0)] > 0
    )
    closed = params.closes & params.receptacle_there & (jnp.arange(RECEPTACLES) != params.goal_place)
    check = closed[None, :] & know.known_room[:, params.receptacle_room] & ~know.checked
    company = jnp.sum(params.agent_there) > 1
    one = jnp.ones((AGENTS, 1), bool)
    columns = (
        one,  # WAIT
        company & (state.option != options.SEND)[:, None],
        (held > 0)[:, None],
        params.room_there[None, :] & ~know.visited,
        check & free_hand[:, None],
        lies & wanted & free_hand[:, None],
        jnp.zeros_like(know.visited),
        ~one,
    )
    found = jnp.concatenate(columns, axis=1)
    number = jnp.arange(options.COUNT)[None, :]
    found = jnp.where(full[:, None], number == options.PUT, found)
    return jnp.where(chooses[:, None], found, number == options.WAIT)


def place_at(params: Params, state: State, place: Int[Array, "n m"]) -> tuple[Int[Array, "n m"], Int[Array, "n m 2"]]:
    """Return room and point of objects that lie where `place` says; of no meaning for other codes."""
    on = jnp.clip(place, 0, RECEPTACLES - 1)
    floor = place >= FLOOR
    last = params.room_at.shape[0] - 1
    room = jnp.where(floor, jnp.clip(place - FLOOR, 0, last), params.receptacle_room[on])
    at = jnp.where(floor[..., None], params.object_at[None, :, :], params.receptacle_at[on])
    return room, at


def cost(params: Params, state: State) -> Int[Array, "n o"]:
    """Return the ticks that each option of each agent takes if nothing changes meanwhile.

    Objects count where the agent remembers them. An agent that does not know the goal place still gets the direct way
    there. Options of no meaning have any positive number; `legal` says which count.

    Returns:
        `[N, O]`.
    """
    found = many_ways(params, state.room, state.at)
    far = jax.vmap(to_point)

    def reached(room: Int[Array, "n j"], at: Int[Array, "n j 2"]) -> Int[Array, "n j"]:
        """Ticks until a point can be used: within reach, and in its room."""
        door = jnp.take_along_axis(found.length, room, axis=1)
        return jnp.maximum(ticks(params, far(found, room, at) - params.reach), ticks(params, door))

    shape = (AGENTS, RECEPTACLES)
    furniture = reached(
        jnp.broadcast_to(params.receptacle_room[None, :], shape),
        jnp.broadcast_to(params.receptacle_at[None, :, :], (*shape, 2)),
    )
    objects = reached(*place_at(params, state, state.beliefs.place))
    rooms = jnp.maximum(ticks(params, found.length), 1)
    closed = jnp.where(state.open[params.goal_place], 0, 1)
    put = furniture[:, params.goal_place] + held_count(state) + closed
    one = jnp.ones((AGENTS, 1), jnp.int32)
    return jnp.concatenate((one, one, put[:, None], rooms, furniture + 1, objects + 1, rooms, one), axis=1)
