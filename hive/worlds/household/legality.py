"""Which options each agent may choose, and what they cost (docs/rules/household.md 4)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from hive.worlds.household import options
from hive.worlds.household.codes import AGENTS, CARRIER_CAPACITY, FLOOR, GOALS, HELD, INSIDE, OBJECTS, RECEPTACLES
from hive.worlds.household.options import OptionKind
from hive.worlds.household.sight import where
from hive.worlds.household.state import Params, State
from hive.worlds.household.ways import length, many_ways, ticks, to_point


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


def carries(params: Params, state: State) -> Bool[Array, "n 2"]:
    """Return whether each hand holds a container that things can be put into."""
    return (state.hands >= 0) & params.carrier[jnp.maximum(state.hands, 0)]


def can_put_in(params: Params, state: State) -> Bool[Array, " n"]:
    """Return whether each agent holds a container with room in one hand and a target in the other."""
    holds = carries(params, state)
    target = (state.hands >= 0) & ~holds
    inside = state.place[None, :] == INSIDE + jnp.arange(OBJECTS, dtype=jnp.int32)[:, None]
    full = jnp.sum(inside, axis=1, dtype=jnp.int32) >= CARRIER_CAPACITY
    roomy = holds & ~full[jnp.maximum(state.hands, 0)]
    return jnp.any(roomy, axis=1) & jnp.any(target, axis=1)


def shut_away(params: Params, state: State) -> Bool[Array, "n m"]:
    """Return whether each object is, as far as an agent knows, in a container that may be closed by now.

    That is so only where agents may close containers (docs/rules/household.md 4.4).
    """
    if params.switches is None:
        return jnp.zeros(state.beliefs.place.shape, bool)
    place = jnp.clip(state.beliefs.place, 0, RECEPTACLES - 1)
    shut = params.closes[place] & ~jnp.take_along_axis(state.beliefs.checked, place, axis=1)
    inside = (state.beliefs.place >= 0) & (state.beliefs.place < FLOOR)
    return params.switches.closing & inside & shut


def legal(params: Params, state: State) -> Bool[Array, "n o"]:
    """Return whether each agent may choose each option now.

    Args:
        params: The episode.
        state: The household; agents that are busy or do not exist may only wait.

    Returns:
        `[N, O]`, numbered as in `hive.worlds.household.options`; O is `COUNT`, or `FULL` with a switch.
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
    move, holds = params.transport, carries(params, state)
    wanted = wanted | (move & params.carrier[None, :] & ~jnp.any(holds, axis=1, keepdims=True))
    rooms = params.room_there[None, :]
    here = state.room[:, None] == jnp.arange(params.room_there.size, dtype=jnp.int32)[None, :]
    columns: tuple[Bool[Array, "n k"], ...] = (
        one,  # WAIT
        company & (state.option != options.SEND)[:, None],
        ((held > 0) & (know.goal_known | ~move))[:, None],
        rooms & ~know.visited & (here | ~move),
        check & free_hand[:, None],
        lies & wanted & free_hand[:, None] & ~shut_away(params, state),
        rooms & ~here & move,
        move & can_put_in(params, state)[:, None],
    )
    if params.switches is not None:
        known = know.known_room[:, params.receptacle_room] & know.checked
        turns = one & params.switches.turns
        columns = (*columns, params.switches.closing & known & free_hand[:, None], turns, turns)
    found = jnp.concatenate(columns, axis=1)
    number = jnp.arange(found.shape[1])[None, :]
    found = jnp.where(full[:, None] & ~move, number == options.PUT, found)
    return jnp.where(chooses[:, None], found, number == options.WAIT)


def cost(params: Params, state: State) -> Int[Array, "n o"]:
    """Return the ticks that each option of each agent takes if nothing changes meanwhile.

    Objects count where the agent remembers them. An agent that does not know the goal place still gets the direct way
    there. Options of no meaning have any positive number; `legal` says which count.

    Returns:
        `[N, O]`, as of `legal`.
    """
    found = many_ways(params, state.room, state.at)
    far = jax.vmap(to_point)

    def reached(room: Int[Array, "n j"], at: Int[Array, "n j 2"], reach: Int[Array, ""]) -> Int[Array, "n j"]:
        """Ticks until a point can be used: within reach, and in its room."""
        door = jnp.take_along_axis(found.length, room, axis=1)
        left = far(found, room, at) - reach
        return ticks(params, jnp.maximum(left + jnp.where(left > 0, params.turn, 0), door))

    shape = (AGENTS, RECEPTACLES)
    here, there = params.receptacle_room, params.receptacle_at
    furniture = reached(jnp.broadcast_to(here, shape), jnp.broadcast_to(there, (*shape, 2)), params.reach)
    place, point = where(params, state, state.beliefs.place)
    objects = reached(jnp.maximum(place, 0), point, params.reach)
    rooms = jnp.maximum(ticks(params, found.length), 1)
    goal = jnp.full((AGENTS, 1), params.goal_place, jnp.int32)
    put = reached(here[goal], there[goal], params.put_reach)[:, 0]
    put = put + held_count(state) * params.work[OptionKind.PUT] + jnp.where(state.open[params.goal_place], 0, 1)
    centres = length(params.room_at[None, :, :] - found.entry) - params.look_reach
    look = ticks(params, centres + jnp.where(centres > 0, params.turn, 0)) + params.work[OptionKind.EXPLORE]
    explore = jnp.where(params.transport, jnp.maximum(look, 1), rooms)
    one = jnp.ones((AGENTS, 1), jnp.int32)
    put_in = jnp.broadcast_to(params.work[OptionKind.PUT_IN], (AGENTS, 1))
    columns: tuple[Int[Array, "n k"], ...]
    columns = one, one, put[:, None], explore, furniture + 1, objects + 1, rooms, put_in
    if params.switches is not None:
        every = jnp.arange(rooms.shape[1], dtype=jnp.int32)[None, :]
        centre = jnp.broadcast_to(params.room_at[None], (*rooms.shape, 2))
        round_ = reached(jnp.broadcast_to(every, rooms.shape), centre, params.look_reach)
        explore = jnp.where(params.switches.turns, round_ + params.work[OptionKind.EXPLORE], explore)
        columns = *columns[:3], explore, *columns[4:], furniture + 1, one, one
    return jnp.concatenate(columns, axis=1)
