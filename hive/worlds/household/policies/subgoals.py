"""MHP: a search over subgoals, a belief of where things are, and a plan by regression (docs/rules/household.md 11.4).

One subgoal is to bring one object to the goal place. The agent believes in one sampled world, which is drawn again only
where it was contradicted. It never uses its second hand.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Int, Key

from hive.worlds.household import dynamics, options
from hive.worlds.household.codes import AGENTS, FLOOR, HELD, OBJECTS, RECEPTACLES, ROOMS
from hive.worlds.household.legality import legal, still_needed
from hive.worlds.household.policies.subgoal_search import SubgoalProblem, search
from hive.worlds.household.state import Params, State

NOWHERE = ROOMS
"""Number of a room of which an agent knows nothing but that it is not here."""


class SubgoalMemory(struct.PyTreeNode, kw_only=True):
    """What the agents remember."""

    subgoal: Int[Array, " n"]  # object; -1: none
    world: Int[Array, "n m"]  # place code of each object in the world that each agent believes in; -1: not drawn


class SubgoalPlanner(struct.PyTreeNode, kw_only=True):
    """The policy; make one with `subgoal_planner`."""

    hears: Bool[Array, ""]  # whether agents know the subgoals of those before them, without messages

    def begin(self, params: Params, key: Key[Array, ""]) -> SubgoalMemory:
        """Believe in nothing yet."""
        del params, key
        return SubgoalMemory(
            subgoal=jnp.full(AGENTS, -1, jnp.int32),
            world=jnp.full((AGENTS, OBJECTS), -1, jnp.int32),
        )

    def act(
        self, params: Params, state: State, memory: SubgoalMemory, key: Key[Array, ""]
    ) -> tuple[Int[Array, " n"], State, SubgoalMemory]:
        """Choose; see `TeamPolicy`."""
        drawing, searching = jax.random.split(key)
        world = _imagine(params, state, memory.world, drawing)
        free, possible = dynamics.free(state) & params.agent_there, legal(params, state)
        agents = jnp.arange(AGENTS, dtype=jnp.int32)
        keys = jax.random.split(searching, AGENTS)

        def views(subgoals: Int[Array, " n"]) -> _View:
            known = jnp.where(self.hears & (agents[None, :] < agents[:, None]), subgoals[None, :], -1)
            return jax.vmap(_look, in_axes=(None, None, 0, 0, 0))(params, state, agents, world, known)

        def searches(carry: tuple[Array, Array]) -> tuple[Array, Array]:
            subgoals, todo = carry
            agent = jnp.argmax(todo).astype(jnp.int32)
            view = jax.tree.map(lambda leaf: leaf[agent], views(subgoals))
            found = search(_problem(params, state, agent, world[agent], view), keys[agent])
            return jnp.where(agents == agent, found, subgoals), todo & (agents != agent)

        view = views(memory.subgoal)
        last = jnp.maximum(memory.subgoal, 0)
        valid = jnp.take_along_axis(view.counts & view.usable, last[:, None], axis=1)[:, 0] & (memory.subgoal >= 0)
        carried = state.hands.max(-1)
        subgoals = jnp.where(free & (carried >= 0), carried, jnp.where(free & ~valid, -1, memory.subgoal))
        todo = free & (carried < 0) & ~valid
        subgoals, _ = jax.lax.while_loop(lambda carry: carry[1].any(), searches, (subgoals, todo))
        wish = jax.vmap(_regress, in_axes=(None, None, 0, 0, 0))(params, state, agents, world, subgoals)
        may = jnp.take_along_axis(possible, wish[:, None], axis=1)[:, 0]
        return jnp.where(may, wish, options.WAIT), state, SubgoalMemory(subgoal=subgoals, world=world)


def subgoal_planner(hears: bool = False) -> SubgoalPlanner:
    """Return the policy; by default agents do not communicate, as in the published runs."""
    given: Any = np.bool_(hears)
    return SubgoalPlanner(hears=given)


def _imagine(params: Params, state: State, world: Int[Array, "n m"], key: Key[Array, ""]) -> Int[Array, "n m"]:
    """Draw places of objects again where what an agent believed was contradicted.

    An object is in no container or in one of them, all equally likely; in no container it is in any of the rooms. What
    the agent has seen is certain, and excludes open containers and rooms that it entered; where everything is excluded,
    it begins with all of them again.
    """
    know = state.beliefs
    containers = params.closes & params.receptacle_there
    prior = _weights(containers[None], params.room_there[None])
    left = _weights(containers[None] & ~know.checked, params.room_there[None] & ~know.visited)
    weights = jnp.where(left.any(-1, keepdims=True), left, prior)
    shape = (AGENTS, OBJECTS, RECEPTACLES + ROOMS)
    drawn = jax.random.categorical(key, jnp.log(weights)[:, None], axis=-1, shape=shape[:2]).astype(jnp.int32)
    believed = jnp.take_along_axis(weights, jnp.clip(world, 0, shape[2] - 1), axis=1) > 0
    keeps = (world >= 0) & (world < HELD) & believed
    return jnp.where(know.place >= 0, know.place, jnp.where(keeps, world, drawn))


def _weights(containers: Bool[Array, "n k"], rooms: Bool[Array, "n r"]) -> Array:
    count = jnp.maximum(rooms.sum(-1, keepdims=True), 1).astype(jnp.float32)
    return jnp.concatenate([containers.astype(jnp.float32), rooms.astype(jnp.float32) / count], axis=-1)


class _View(struct.PyTreeNode, kw_only=True):
    """Which objects may be the subgoal of an agent."""

    counts: Bool[Array, " m"]  # would count at the goal place
    usable: Bool[Array, " m"]  # those that it considers
    needed: Int[Array, " q"]


def _look(
    params: Params, state: State, agent: Int[Array, ""], world: Int[Array, " m"], known: Int[Array, " n"]
) -> _View:
    """Say which subgoals an agent considers: those that it sees if it sees some, without those of agents it hears."""
    know = state.beliefs
    needed = jnp.maximum(still_needed(params, state)[agent], 0)
    each = needed[jnp.maximum(params.object_goal, 0)]
    counts = params.object_there & (params.object_goal >= 0) & (world != params.goal_place) & (world < HELD)
    counts = counts & (each > 0)
    taken = jnp.zeros(OBJECTS, bool).at[jnp.maximum(known, 0)].max(known >= 0)
    goal = jnp.maximum(params.object_goal, 0)
    theirs = jnp.zeros_like(needed).at[goal].max((taken & (params.object_goal >= 0)).astype(jnp.int32))
    alone = counts & ~taken & ~((theirs[goal] > 0) & (each == 1))
    mine = jnp.where(alone.any(), alone, counts)
    visible = mine & (know.seen_at[agent] == state.clock) & (know.place[agent] >= 0)
    return _View(counts=counts, usable=jnp.where(visible.any(), visible, mine), needed=needed)


def _problem(
    params: Params, state: State, agent: Int[Array, ""], world: Int[Array, " m"], view: _View
) -> SubgoalProblem:
    know = state.beliefs
    knows = know.known_room[agent]
    furniture = jnp.where(knows[params.receptacle_room], params.receptacle_room, NOWHERE)
    return SubgoalProblem(
        room=jnp.concatenate([furniture, jnp.arange(ROOMS, dtype=jnp.int32)]),
        closed=jnp.concatenate([params.closes & ~know.checked[agent], jnp.zeros(ROOMS, bool)]),
        goal=params.goal_place,
        start=FLOOR + state.room[agent],
        place=jnp.clip(world, 0, FLOOR + ROOMS - 1),
        kind=params.object_goal,
        usable=view.usable,
        needed=view.needed,
    )


def _regress(
    params: Params, state: State, agent: Int[Array, ""], world: Int[Array, " m"], subgoal: Int[Array, ""]
) -> Int[Array, ""]:
    """Return the option that a plan by regression from the goal begins with.

    The object must be in a hand, before that it must be seen, and before that its container must be open or its room
    entered. A container whose room the agent does not know is looked for in the first room that it has not entered.
    """
    know = state.beliefs
    thing = jnp.maximum(subgoal, 0)
    place = world[thing]
    container = jnp.clip(place, 0, RECEPTACLES - 1)
    seen = (know.place[agent, thing] >= 0) & (know.place[agent, thing] < HELD)
    there = know.known_room[agent, params.receptacle_room[container]]
    unvisited = params.room_there & ~know.visited[agent]
    search_room = jnp.argmax(unvisited).astype(jnp.int32)
    room = jnp.where(place >= FLOOR, jnp.clip(place - FLOOR, 0, ROOMS - 1), search_room)
    looks = (place < FLOOR) & there
    option = jnp.where(seen, options.GRAB + thing, jnp.where(looks, options.CHECK + container, options.EXPLORE + room))
    option = jnp.where((state.hands[agent] >= 0).any(), options.PUT, option)
    return jnp.where(subgoal >= 0, option, options.WAIT)
