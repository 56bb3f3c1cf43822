"""A household as arrays: what stays the same, what changes, and what each agent believes.

R rooms, K receptacles, M objects, N agents, Q goal classes, D doors, all padded to the sizes of
`hive.worlds.household.codes`. Structs are unbatched: a batch is a `jax.vmap`. Lengths are whole
millimetres, so that a batch and a single run agree to the bit.
"""

from __future__ import annotations

from flax import struct
from jaxtyping import Array, Bool, Int


class Switches(struct.PyTreeNode, kw_only=True):
    """What an episode has by its switches (docs/rules/household.md 4.4)."""

    closing: Bool[Array, ""]  # whether open containers may be closed
    turning: Int[Array, ""]  # twelfths of a circle that an agent turns in a tick; 0: it sees in all directions

    @property
    def turns(self) -> Bool[Array, ""]:
        """Whether agents see only what they face."""
        return self.turning > 0


class Params(struct.PyTreeNode, kw_only=True):
    """One episode; traced, so that another one does not recompile."""

    # The apartment (docs/rules/household.md 1)
    room_there: Bool[Array, " r"]
    room_rank: Int[Array, " r"]  # order in which rooms are searched for the goal place
    room_at: Int[Array, "r 2"]  # centre
    door_at: Int[Array, "d 2"]
    behind: Int[Array, "r d"]  # the room that is entered when a room is left through a door
    door_far: Int[Array, "r d r"]  # length from there to the centre of a target room; `FAR`: no such way
    door_route: Int[Array, "r d r"]  # the part of it up to the last door
    last_door: Int[Array, "r d r"]  # that last door
    receptacle_there: Bool[Array, " k"]
    receptacle_room: Int[Array, " k"]
    receptacle_at: Int[Array, "k 2"]
    closes: Bool[Array, " k"]  # containers, which are closed at the start

    # The task (docs/rules/household.md 2)
    object_there: Bool[Array, " m"]
    object_goal: Int[Array, " m"]  # goal class of each object; -1: none asks for it
    object_start: Int[Array, " m"]  # place code at the start
    object_at: Int[Array, "m 2"]  # where it lies if it is on the floor
    goal_place: Int[Array, ""]  # receptacle
    needs: Int[Array, " q"]  # wanted number of each goal class; 0: padded
    agent_there: Bool[Array, " n"]
    agent_room: Int[Array, " n"]  # at the start
    agent_at: Int[Array, "n 2"]
    limit: Int[Array, ""]  # ticks

    # Rules (docs/rules/household.md 3, 9)
    transport: Bool[Array, ""]  # the rules of transport, not of housework
    carrier: Bool[Array, " m"]  # objects that others can be put into
    stride: Int[Array, ""]  # millimetres that an agent walks in a tick
    turn: Int[Array, ""]  # millimetres that an agent could walk in the time of a turn, once for each straight leg
    reach: Int[Array, ""]  # millimetres within which furniture and objects can be used
    put_reach: Int[Array, ""]  # millimetres within which things can be put at the goal place
    look_reach: Int[Array, ""]  # millimetres of the centre of a room from which it is explored
    sight: Int[Array, ""]  # millimetres that agents see within a room
    detection: Int[Array, ""]  # chance that an agent detects a thing that it sees in a tick, in 65,536ths
    work: Int[Array, " kinds"]  # ticks of each kind of option at its place; of PUT for each held object
    switches: Switches | None = None  # None: all are off

    @property
    def looks_round(self) -> Bool[Array, ""]:
        """Whether a room is explored from its centre, by looking round."""
        return self.transport if self.switches is None else self.transport | self.switches.turns


class Beliefs(struct.PyTreeNode, kw_only=True):
    """What each agent knows: what it saw, and what it was told in typed messages (docs/rules/household.md 5)."""

    place: Int[Array, "n m"]  # last known place code of each object; `UNKNOWN`
    seen_at: Int[Array, "n m"]  # clock of that knowledge; -1: none
    checked: Bool[Array, "n k"]  # containers known to be open
    visited: Bool[Array, "n r"]  # rooms that the agent itself entered
    known_room: Bool[Array, "n r"]  # rooms whose furniture it knows: entered, or told of
    goal_known: Bool[Array, " n"]  # whether it knows the room of the goal place
    mate_room: Int[Array, "n n"]  # last known room of each other agent; -1: unknown
    mate_seen_at: Int[Array, "n n"]  # clock of that knowledge; -1: none


class Messages(struct.PyTreeNode, kw_only=True):
    """The typed part of what each agent would send; it counts for agents that choose `options.SEND`."""

    objects: Bool[Array, "n m"]  # objects whose places it tells
    containers: Bool[Array, "n k"]  # containers of which it tells that they are checked
    rooms: Bool[Array, "n r"]  # rooms of which it tells that they are known, and whether the goal place is in them


class State(struct.PyTreeNode, kw_only=True):
    """One household between two ticks."""

    room: Int[Array, " n"]
    at: Int[Array, "n 2"]  # millimetres
    hands: Int[Array, "n 2"]  # object in each hand; -1: empty
    place: Int[Array, " m"]  # place code of each object
    open: Bool[Array, " k"]  # surfaces count as open
    clock: Int[Array, ""]  # ticks since reset
    finished: Bool[Array, ""]  # whether the goal is met

    option: Int[Array, " n"]  # option that goes on, or the last one; at the start: exploring the start room
    busy: Bool[Array, " n"]  # whether it goes on; true for agents that do not exist
    elapsed: Int[Array, " n"]  # ticks that it has taken so far
    work: Int[Array, " n"]  # ticks of it that were spent on what is done in one place
    lag: Int[Array, " n"]  # millimetres of walking that a turn still costs
    result: Int[Array, " n"]  # `OptionStatus` of the last tick
    outbox: Messages  # what agents that are sending send
    sent: Bool[Array, " n"]  # whether a message of each agent arrived at the end of the last tick
    beliefs: Beliefs
    facing: Int[Array, " n"] | None = None  # direction, in twelfths of a circle from x to y; None: without switches
