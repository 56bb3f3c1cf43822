"""The tick of a household: agents choose, walk, use things and talk (docs/rules/household.md 3, 4, 5)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int, PRNGKeyArray

from hive.worlds.household import options
from hive.worlds.household.codes import (
    AGENTS,
    GOALS,
    HANDS,
    HELD,
    INSIDE,
    OBJECTS,
    RECEPTACLES,
    ROOMS,
    UNKNOWN,
    OptionStatus,
)
from hive.worlds.household.legality import held_count, legal, shut_away
from hive.worlds.household.options import ExtraKind, OptionKind
from hive.worlds.household.sight import deliver, observe, where
from hive.worlds.household.state import Beliefs, Messages, Params, State
from hive.worlds.household.ways import DIRECTIONS, Target, near, towards, walk


def silence() -> Messages:
    """Return messages that tell nothing."""
    return Messages(
        objects=jnp.zeros((AGENTS, OBJECTS), bool),
        containers=jnp.zeros((AGENTS, RECEPTACLES), bool),
        rooms=jnp.zeros((AGENTS, ROOMS), bool),
    )


def reset(params: Params, key: PRNGKeyArray) -> State:
    """Return the household before the first tick; all agents have looked around.

    Args:
        params: The episode.
        key: Decides what agents detect.
    """
    none = jnp.full(AGENTS, -1, jnp.int32)
    pairs = jnp.full((AGENTS, AGENTS), -1, jnp.int32)
    beliefs = Beliefs(
        place=jnp.full((AGENTS, OBJECTS), UNKNOWN, jnp.int32),
        seen_at=jnp.full((AGENTS, OBJECTS), -1, jnp.int32),
        checked=jnp.zeros((AGENTS, RECEPTACLES), bool),
        visited=jnp.zeros((AGENTS, params.room_there.size), bool),
        known_room=jnp.zeros((AGENTS, params.room_there.size), bool),
        goal_known=jnp.zeros(AGENTS, bool),
        mate_room=pairs,
        mate_seen_at=pairs,
    )
    state = State(
        room=params.agent_room,
        at=params.agent_at,
        hands=jnp.full((AGENTS, HANDS), -1, jnp.int32),
        place=params.object_start,
        open=~params.closes,
        clock=jnp.zeros((), jnp.int32),
        finished=jnp.zeros((), bool),
        option=options.EXPLORE + params.agent_room,
        busy=~params.agent_there,
        elapsed=jnp.zeros_like(none),
        work=jnp.zeros_like(none),
        lag=jnp.zeros_like(none),
        result=jnp.full(AGENTS, OptionStatus.DONE.value, jnp.int32),
        outbox=silence(),
        sent=jnp.zeros(AGENTS, bool),
        beliefs=beliefs,
        facing=None if params.switches is None else towards(params.room_at[params.agent_room] - params.agent_at, none),
    )
    looked = jnp.zeros(AGENTS, bool)
    return observe(params, state.replace(finished=_met(params, state)), key, looked)


def free(state: State) -> Bool[Array, " n"]:
    """Return whether each agent exists and has no option that goes on."""
    return ~state.busy


def done(params: Params, state: State) -> Bool[Array, ""]:
    """Return whether the episode is over: the goal is met, or the time is up."""
    return state.finished | (state.clock >= params.limit)


def step(
    params: Params, state: State, chosen: Int[Array, " n"], key: PRNGKeyArray, messages: Messages | None = None
) -> State:
    """Advance a household by one tick; an episode that is over stays as it is.

    Agents that are free begin the options that they choose; the others go on with theirs, whatever is chosen for them.

    Args:
        params: The episode.
        state: The household.
        chosen: `[N]` numbers from `hive.worlds.household.options`. An option that is not legal becomes a wait of one
            tick, and the agent's result at the end of that tick is `OptionStatus.ILLEGAL`.
        key: Decides which agent wins when several use one thing, and what agents detect.
        messages: What the agents send that choose `options.SEND`; None: nothing.
    """
    over = done(params, state)
    before = state.beliefs
    begun = _begin(params, state, chosen, silence() if messages is None else messages)
    acts = _acts(params, begun)
    new = _walk(params, begun, acts)
    new = _use(params, new, acts, key)
    new = new.replace(clock=state.clock + 1, sent=acts.sends)
    new = observe(params, new.replace(finished=_met(params, new)), jax.random.fold_in(key, 1), acts.looks)
    found = jnp.any((new.beliefs.seen_at >= 0) & (before.seen_at < 0), axis=1)
    new = _end(params, deliver(params, new, before), acts, found)
    return jax.tree.map(lambda old, fresh: jnp.where(over, old, fresh), state, new)


def _begin(params: Params, state: State, chosen: Int[Array, " n"], messages: Messages) -> State:
    """Begin the options of the agents that are free; an option that is not legal becomes a wait."""
    begins = free(state)
    may = legal(params, state)
    known = jnp.clip(chosen, 0, may.shape[1] - 1)
    allowed = jnp.take_along_axis(may, known[:, None], axis=1)[:, 0] & (known == chosen)
    option = jnp.where(begins, jnp.where(allowed, known, options.WAIT), state.option)
    sends = begins & (option == options.SEND)

    def send(new: Array, old: Array) -> Array:
        return jnp.where(sends.reshape(-1, *(1,) * (new.ndim - 1)), new, old)

    return state.replace(
        option=option,
        busy=state.busy | begins,
        elapsed=jnp.where(begins, 0, state.elapsed),
        work=jnp.where(begins, 0, state.work),
        lag=jnp.where(begins, params.turn, state.lag),
        result=jnp.where(
            begins & ~allowed, OptionStatus.ILLEGAL, jnp.where(begins, OptionStatus.GOES_ON, state.result)
        ),
        outbox=jax.tree.map(send, messages, state.outbox),
    )


class Acts(struct.PyTreeNode, kw_only=True):
    """What each agent does in a tick."""

    going: Bool[Array, " n"]  # has an option
    kind: Int[Array, " n"]
    argument: Int[Array, " n"]
    target: Target  # of each agent
    walks: Bool[Array, " n"]
    opens: Bool[Array, " n"]
    closes: Bool[Array, " n"]
    grabs: Bool[Array, " n"]
    puts: Bool[Array, " n"]
    inserts: Bool[Array, " n"]
    looks: Bool[Array, " n"]  # explores a room to the end
    turns: Int[Array, " n"]  # 1 to the left, -1 to the right, 0 not at all
    uses: Bool[Array, " n"]  # does something with its target
    work: Int[Array, " n"]  # ticks that it has worked in one place, this one included
    sends: Bool[Array, " n"]


def _acts(params: Params, state: State) -> Acts:
    """Say what the option of each agent asks for in this tick."""
    going = state.busy & params.agent_there
    kind = jnp.asarray(options.FULL_KIND)[state.option]
    argument = jnp.asarray(options.ARGUMENT)[state.option]
    target = _target(params, state, kind, argument)
    there = jax.vmap(near, in_axes=(None, 0, 0, 0))(params, state.room, state.at, target)
    deeds = OptionKind.CHECK, OptionKind.GRAB, OptionKind.PUT, ExtraKind.CLOSE
    check, grab, put, close = (going & (kind == each) for each in deeds)
    put_there = put & there & (params.receptacle_room[params.goal_place] == state.room)
    shut = ~state.open[params.goal_place] & (held_count(state) < HANDS)
    explore, insert = kind == OptionKind.EXPLORE, going & (kind == OptionKind.PUT_IN)
    looks = going & there & explore & params.looks_round
    works = looks | insert | (grab & there) | (put_there & ~shut)
    work = jnp.where(works, state.work + 1, 0)
    ready = works & (work >= params.work[jnp.minimum(kind, len(OptionKind) - 1)])
    left, right = looks | (kind == ExtraKind.TURN_LEFT), kind == ExtraKind.TURN_RIGHT
    return Acts(
        going=going,
        kind=kind,
        argument=argument,
        target=target,
        walks=going & ~there & (explore | check | grab | put | close | (kind == OptionKind.GOTO)),
        opens=(check & there) | (put_there & shut),
        closes=close & there,
        grabs=grab & ready,
        puts=put_there & ready,
        inserts=insert & ready,
        looks=looks & ready,
        turns=jnp.where(going & left, 1, jnp.where(going & right, -1, 0)),
        uses=put_there | (there & (check | grab | close)),
        work=jnp.where(ready, 0, work),
        sends=going & (kind == OptionKind.SEND),
    )


def _target(params: Params, state: State, kind: Int[Array, " n"], argument: Int[Array, " n"]) -> Target:
    """Say where the option of each agent leads."""
    rooms, things = params.room_there.size - 1, OBJECTS - 1
    agents = jnp.arange(AGENTS)
    thing = jnp.clip(argument, 0, things)
    place_room, place_point = where(params, state, state.beliefs.place)
    container = jnp.where(kind == OptionKind.PUT, params.goal_place, jnp.clip(argument, 0, RECEPTACLES - 1))
    entered = state.beliefs.visited
    if params.switches is not None:
        entered = jnp.where(params.switches.turns, state.beliefs.known_room, entered)
    unvisited = params.room_there[None, :] & ~entered
    search = jnp.argmin(jnp.where(unvisited, params.room_rank[None, :], params.room_rank.size + 1), axis=1)
    looks = (kind == OptionKind.PUT) & ~state.beliefs.goal_known
    enters = (kind == OptionKind.EXPLORE) | (kind == OptionKind.GOTO) | looks
    explores = (kind == OptionKind.EXPLORE) & params.looks_round
    reach = jnp.where(kind == OptionKind.PUT, params.put_reach, params.reach)
    room = jnp.where(looks, search.astype(jnp.int32), jnp.clip(argument, 0, rooms))
    grabs = kind == OptionKind.GRAB
    return Target(
        room=jnp.where(enters, room, jnp.where(grabs, place_room[agents, thing], params.receptacle_room[container])),
        at=jnp.where(
            enters[:, None],
            params.room_at[room],
            jnp.where(grabs[:, None], place_point[agents, thing], params.receptacle_at[container]),
        ),
        reach=jnp.where(enters, jnp.where(explores, params.look_reach, 0), reach),
    )


def _walk(params: Params, state: State, acts: Acts) -> State:
    """Let agents walk whose target is not within reach; they face where they go, and what they use."""
    room, at, lag = jax.vmap(walk, in_axes=(None, 0, 0, 0, 0))(params, state.room, state.at, state.lag, acts.target)
    facing = state.facing
    if params.switches is not None and facing is not None:
        ahead = towards(jnp.where(acts.uses[:, None], acts.target.at, at) - state.at, facing)
        facing = jnp.where(acts.walks | acts.uses, ahead, facing)
        facing = (facing + acts.turns * params.switches.turning) % len(DIRECTIONS)
    return state.replace(
        room=jnp.where(acts.walks, room, state.room),
        at=jnp.where(acts.walks[:, None], at, state.at),
        lag=jnp.where(acts.walks, lag, state.lag),
        work=acts.work,
        facing=facing,
    )


def _use(params: Params, state: State, acts: Acts, key: PRNGKeyArray) -> State:
    """Let agents open, close, grab and put; of several that use one container or grab one object, one acts.

    Those in the room see where an object is put, even in a closed container.
    """
    agents = jnp.arange(AGENTS)
    container = jnp.where(acts.kind == OptionKind.PUT, params.goal_place, jnp.clip(acts.argument, 0, RECEPTACLES - 1))
    thing = jnp.clip(acts.argument, 0, OBJECTS - 1)
    here = state.place[thing]
    lies = (here == state.beliefs.place[agents, thing]) & (here >= 0) & (here < HELD)
    closed = (here < RECEPTACLES) & ~state.open[jnp.clip(here, 0, RECEPTACLES - 1)]
    handles = acts.opens | acts.closes
    wins = _winners(jnp.where(handles, container, jnp.where(acts.grabs, RECEPTACLES + thing, -1)), key)
    opens = acts.opens & wins
    grabs = acts.grabs & wins & lies & ~closed & (held_count(state) < HANDS)

    hand = jnp.argmax(jnp.where(acts.puts[:, None], state.hands >= 0, state.hands < 0), axis=1)
    held = state.hands[agents, hand]
    puts = acts.puts & (held >= 0)
    now = jnp.where(grabs, thing, jnp.where(puts, UNKNOWN, held))
    place = state.place.at[jnp.where(grabs, thing, OBJECTS)].set(HELD + agents, mode="drop")
    put_down = jnp.zeros(OBJECTS, bool).at[jnp.where(puts, held, OBJECTS)].set(True, mode="drop")
    inside = jnp.clip(place - INSIDE, 0, OBJECTS - 1)
    put_down = put_down | ((place >= INSIDE) & (place < INSIDE + OBJECTS) & put_down[inside])
    place = jnp.where(put_down, params.goal_place, place)
    there = (state.room == params.receptacle_room[params.goal_place]) & params.agent_there
    witness = there[:, None] & put_down[None, :]
    know = state.beliefs.replace(
        place=jnp.where(witness, params.goal_place, state.beliefs.place),
        seen_at=jnp.where(witness, state.clock + 1, state.beliefs.seen_at),
    )
    is_open = state.open.at[jnp.where(opens, container, RECEPTACLES)].set(True, mode="drop")
    if params.switches is not None:
        is_open = is_open.at[jnp.where(acts.closes & wins, container, RECEPTACLES)].set(False, mode="drop")
    hands, place = _put_in(params, state.hands.at[agents, hand].set(now), place, acts.inserts)
    return state.replace(
        hands=hands,
        place=place,
        open=is_open,
        beliefs=know,
    )


def _put_in(
    params: Params, hands: Int[Array, "n 2"], place: Int[Array, " m"], inserts: Bool[Array, " n"]
) -> tuple[Int[Array, "n 2"], Int[Array, " m"]]:
    """Put the target in one hand into the container in the other; return hands and places."""
    agents = jnp.arange(AGENTS)
    carrier = params.carrier[jnp.maximum(hands[:, 0], 0)]  # whether the first hand holds the container
    to, of = jnp.where(carrier, 0, 1), jnp.where(carrier, 1, 0)
    target = jnp.where(inserts, hands[agents, of], OBJECTS)
    place = place.at[target].set(INSIDE + hands[agents, to], mode="drop")
    return hands.at[agents, of].set(jnp.where(inserts, -1, hands[agents, of])), place


def _winners(uses: Int[Array, " n"], key: PRNGKeyArray) -> Bool[Array, " n"]:
    """Draw one agent for each thing that several use; -1 uses nothing."""
    rank = jax.random.bits(key, (AGENTS,))
    agents = jnp.arange(AGENTS)
    ahead = (rank[None, :] < rank[:, None]) | ((rank[None, :] == rank[:, None]) & (agents[None, :] < agents[:, None]))
    rival = (uses[:, None] == uses[None, :]) & (uses >= 0)[:, None] & (agents[:, None] != agents[None, :])
    return ~jnp.any(rival & ahead, axis=1)


def _end(params: Params, state: State, acts: Acts, found: Bool[Array, " n"]) -> State:
    """End the options that are done or abandoned (docs/rules/household.md 4.1, 9.2).

    Args:
        params: The episode.
        state: Household after the tick.
        acts: What the agents did.
        found: Agents that detected an object of which they had not known.
    """
    agents = jnp.arange(AGENTS)
    thing = jnp.clip(acts.argument, 0, OBJECTS - 1)
    believed = state.beliefs.place[agents, thing]
    room = jnp.clip(acts.argument, 0, params.room_there.size - 1)
    container = jnp.clip(acts.argument, 0, RECEPTACLES - 1)
    has = state.place[thing] == HELD + agents
    grab = acts.kind == OptionKind.GRAB
    checked = state.beliefs.checked[agents, container]
    gone = grab & ~has & ((believed < 0) | (believed >= HELD))
    if params.switches is not None:
        gone = gone | (grab & ~has & shut_away(params, state)[agents, thing])
    arrives = (acts.kind == OptionKind.GOTO) & (state.room == room)
    met = (
        (acts.kind == OptionKind.WAIT)
        | (acts.kind == OptionKind.SEND)
        | ((acts.kind == OptionKind.EXPLORE) & (state.room == room) & (acts.looks | ~params.looks_round))
        | arrives
        | acts.inserts
        | ((acts.kind == OptionKind.CHECK) & checked)
        | ((acts.kind == ExtraKind.CLOSE) & ~checked)
        | (acts.kind >= ExtraKind.TURN_LEFT)
        | (grab & has)
        | ((acts.kind == OptionKind.PUT) & (held_count(state) == 0))
    )
    stops = gone | ((acts.kind == OptionKind.GOTO) & found & ~arrives)
    ends = acts.going & (met | stops)
    result = jnp.where(
        state.result == OptionStatus.ILLEGAL,
        OptionStatus.ILLEGAL,
        jnp.where(stops, OptionStatus.ABANDONED, OptionStatus.DONE),
    )
    return state.replace(
        busy=state.busy & ~ends,
        elapsed=state.elapsed + acts.going.astype(jnp.int32),
        result=jnp.where(ends, result, OptionStatus.GOES_ON),
    )


def placed(params: Params, state: State) -> Int[Array, ""]:
    """Return how many of the wanted objects are at the goal place; of each class at most the wanted number."""
    kinds = params.object_goal[:, None] == jnp.arange(GOALS, dtype=jnp.int32)[None, :]
    there = (state.place == params.goal_place)[:, None] & kinds
    return jnp.sum(jnp.minimum(jnp.sum(there, axis=0, dtype=jnp.int32), params.needs), dtype=jnp.int32)


def _met(params: Params, state: State) -> Bool[Array, ""]:
    """Whether everything that is wanted is at the goal place."""
    return placed(params, state) == jnp.sum(params.needs, dtype=jnp.int32)
