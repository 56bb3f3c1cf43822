"""A rescue as arrays: its rules and its state.

R rooms (`codes.ROOMS`), V victims (`codes.VICTIMS`), A agents (`codes.AGENTS`), all padded; T + 1 ends of steps
(`codes.STEPS` and the start). Resources are in the order of `codes.RESOURCES`. Structs are unbatched: a batch is a
`jax.vmap`.
"""

from __future__ import annotations

from flax import struct
from jaxtyping import Array, Bool, Int


class Params(struct.PyTreeNode, kw_only=True):
    """One instance for a device."""

    adjacent: Bool[Array, "r r"]
    distance: Int[Array, "r r"]  # rooms to walk; `assembly.FAR` to and from rooms that are not there
    first_room: Int[Array, "r r"]  # next room on a shortest path, of several the lowest; the room itself at distance 0
    room_there: Bool[Array, " r"]
    victim_room: Int[Array, " v"]  # -1 for victims that are not there
    victim_there: Bool[Array, " v"]
    urgent: Bool[Array, " v"]
    needs: Bool[Array, "v 3"]  # at the start
    agent_there: Bool[Array, " a"]
    start: Int[Array, " a"]  # room of each agent
    supplies: Int[Array, "a 3"]  # at the start
    limit: Int[Array, ""]  # steps of a run at most


class State(struct.PyTreeNode, kw_only=True):
    """One rescue between two turns."""

    position: Int[Array, " a"]
    supplies: Int[Array, "a 3"]
    needs: Bool[Array, "v 3"]
    active: Bool[Array, " a"]  # has not ended its mission; false for agents that are not there
    served_at: Int[Array, " v"]  # step, from 1, in which the last need was met; -1: not yet
    step: Int[Array, ""]  # complete steps
    refused: Int[Array, " a"]  # turns that had no effect
    trail: Int[Array, "t a"]  # rooms at the end of each step, row 0 the start; rows after `step` repeat the start
    since: Int[Array, ""]  # row of `trail` from which nothing was delivered, for the behaviour loop
    refusal: Int[Array, " a"]  # `Refusal` of each agent's last turn; `NONE` after it has ended its mission
    reason: Int[Array, ""]  # `Reason`
    done: Bool[Array, ""]
