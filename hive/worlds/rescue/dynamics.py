"""The step of a rescue, as pure functions of arrays (docs/rules/rescue.md 3, 4, 6)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from hive.worlds.rescue.codes import AGENTS, ROOMS, STEPS, Act, Reason, Refusal
from hive.worlds.rescue.state import Params, State

END_OF_STEP = AGENTS
"""In place of an agent's number: the end of the step, after the turns of all agents."""

REPEATS = 4
"""How often a joint state comes back without a delivery until the run ends (docs/rules/rescue.md 6.3)."""


def reset(params: Params) -> State:
    """Return the state before the first step."""
    none = jnp.zeros(AGENTS, jnp.int32)
    return State(
        position=params.start,
        supplies=params.supplies,
        needs=params.needs,
        active=params.agent_there,
        served_at=jnp.full(params.victim_room.shape, -1, jnp.int32),
        step=jnp.zeros((), jnp.int32),
        refused=none,
        trail=jnp.broadcast_to(params.start, (STEPS + 1, AGENTS)),
        since=jnp.zeros((), jnp.int32),
        refusal=none,
        reason=jnp.int32(Reason.RUNNING),
        done=jnp.zeros((), bool),
    )


def step(
    params: Params,
    state: State,
    actions: Int[Array, " a"],
    turn: Int[Array, ""] | int | None = None,
    reason: Int[Array, ""] | int = Reason.RUNNING,
) -> State:
    """Play one step: the turns of all agents in order, each with the effects of those before it, then the end.

    Agents that are asked one after another play the same step in pieces: a call for each `turn`, and one for the end.

    Args:
        params: The instance.
        state: Rescue before the step; one that has ended stays as it is.
        actions: Room to navigate to, or `Act`; those of agents that ended their mission have no effect.
        turn: Number of the agent whose turn alone is played, or `END_OF_STEP` for the end alone; None: the complete
            step.
        reason: Why the run is broken off at the end of this step, such as `Reason.THOUGHT_LOOP`; it counts unless every
            victim is served.

    Returns:
        Rescue afterwards; `State.refusal` says what was refused.
    """
    if turn is None:
        agents = jnp.arange(AGENTS, dtype=jnp.int32)
        state, _ = jax.lax.scan(lambda now, agent: (_turn(params, now, agent, actions[agent]), None), state, agents)
        return _close(params, state, reason)
    agent = jnp.minimum(turn, AGENTS - 1)
    return jax.lax.cond(
        jnp.asarray(turn) == END_OF_STEP,
        lambda: _close(params, state, reason),
        lambda: _turn(params, state, agent, actions[agent]),
    )


def _turn(params: Params, state: State, agent: Int[Array, ""], action: Int[Array, ""]) -> State:
    """Play the turn of one agent; it has none if it ended its mission or the run is over."""
    plays = state.active[agent] & ~state.done
    room, inside = state.position[agent], jnp.clip(action, 0, ROOMS - 1)
    refusal = _refusal(params, state, agent, action)
    done = plays & (refusal == Refusal.NONE)

    moves = done & (action < ROOMS)
    gives = done & (action >= Act.GIVE_WATER) & (action <= Act.GIVE_MEDICINE)
    kind = jnp.clip(action - Act.GIVE_WATER, 0, 2)
    given = gives & (params.victim_room == room)[:, None] & (jnp.arange(3) == kind)[None]
    needs = state.needs & ~given
    served = jnp.any(state.needs, axis=1) & ~jnp.any(needs, axis=1)
    now = state.step + 1
    one = jnp.arange(AGENTS) == agent
    spent = (one & gives)[:, None] & (jnp.arange(3) == kind)[None]
    return state.replace(
        position=jnp.where(one & moves, inside, state.position),
        supplies=state.supplies - jnp.where(spent, 1, 0),
        needs=needs,
        active=state.active & ~(one & done & (action == Act.END_MISSION)),
        served_at=jnp.where(served, now, state.served_at),
        refused=state.refused + jnp.where(one & plays & ~done, 1, 0),
        since=jnp.where(gives, now, state.since),
        refusal=jnp.where(one & ~state.done, jnp.where(plays, refusal, Refusal.NONE), state.refusal),
    )


def _close(params: Params, state: State, reason: Int[Array, ""] | int) -> State:
    """End a step: count it, keep where the agents are, and find out whether the run is over."""
    now = jnp.where(state.done, state.step, state.step + 1)
    rows = jnp.arange(STEPS + 1)
    trail = jnp.where(rows[:, None] == now, state.position[None], state.trail)
    alike = jnp.all(state.trail == state.position[None], axis=1) & (rows >= state.since) & (rows < now)
    found = jnp.int32(Reason.RUNNING)
    for happens, each in (
        (jnp.sum(alike) >= REPEATS, Reason.BEHAVIOUR_LOOP),
        (now >= params.limit, Reason.LIMIT),
        (~jnp.any(state.active), Reason.ENDED),
        (jnp.asarray(reason, jnp.int32) != Reason.RUNNING, reason),
        (all_served(state), Reason.SERVED),
    ):
        found = jnp.where(happens, jnp.asarray(each, jnp.int32), found)
    return state.replace(
        step=now,
        trail=jnp.where(state.done, state.trail, trail),
        reason=jnp.where(state.done, state.reason, found),
        done=state.done | (found != Reason.RUNNING),
    )


def all_served(state: State) -> Bool[Array, ""]:
    """Return whether no victim has a need left."""
    return ~jnp.any(state.needs)


def _refusal(params: Params, state: State, agent: Int[Array, ""], action: Int[Array, ""]) -> Int[Array, ""]:
    """Return why an action has no effect; of several reasons the last one below."""
    room, goal = state.position[agent], jnp.clip(action, 0, ROOMS - 1)
    moves = (action >= 0) & (action < ROOMS)
    gives = (action >= Act.GIVE_WATER) & (action <= Act.GIVE_MEDICINE)
    kind = jnp.clip(action - Act.GIVE_WATER, 0, 2)
    here = params.victim_room == room
    refusal = jnp.int32(Refusal.NONE)
    for happens, each in (
        (gives & ~jnp.any(here & state.needs[:, kind]), Refusal.NOT_NEEDED),
        (gives & ~jnp.any(here), Refusal.NO_VICTIM),
        (gives & (state.supplies[agent, kind] < 1), Refusal.NO_SUPPLY),
        (moves & ~params.adjacent[room, goal], Refusal.NOT_ADJACENT),
        (moves & (goal == room), Refusal.SAME_ROOM),
        (moves & ~params.room_there[goal], Refusal.UNKNOWN_ROOM),
        ((action < 0) | (action == Act.NOTHING) | (action > Act.WAIT), Refusal.NO_CALL),
    ):
        refusal = jnp.where(happens, each, refusal)
    return refusal
