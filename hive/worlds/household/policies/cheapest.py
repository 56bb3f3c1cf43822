"""The myopic rule: of the options that an agent has, take the cheapest (docs/rules/household.md 11.2).

The costs may be the true ones, or any other table of the same shape, such as learned ones. All settings are traced, so
one program plays them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key

from hive.worlds.household import dynamics, options
from hive.worlds.household.codes import FLOOR, HELD, INSIDE, OBJECTS, RECEPTACLES, ROOMS
from hive.worlds.household.legality import cost, legal
from hive.worlds.household.options import OptionKind
from hive.worlds.household.policies.knowing import Knows, inform, secured
from hive.worlds.household.state import Params, State


class Cheapest(struct.PyTreeNode, kw_only=True):
    """The rule and its settings; make one with `cheapest`."""

    knows: Int[Array, ""]  # one of `Knows`; `SHARED` and `ALL` share claims too
    hands: Int[Array, ""]  # objects of one trip
    talk: Float[Array, ""]  # share of the decisions that spend a message first
    true: Bool[Array, ""]  # whether costs are true; else `prices`
    prices: Float[Array, " k"]  # ticks of each kind of option

    def begin(self, params: Params, key: Key[Array, ""]) -> tuple[()]:
        """Remember nothing."""
        del params, key
        return ()

    def act(
        self, params: Params, state: State, memory: tuple[()], key: Key[Array, ""]
    ) -> tuple[Int[Array, " n"], State, tuple[()]]:
        """Choose; see `TeamPolicy`."""
        state = inform(params, state, self.knows)
        prices = jnp.broadcast_to(self.prices[jnp.asarray(options.KIND)][None], (state.room.size, options.COUNT))
        ticks = jnp.where(self.true, cost(params, state).astype(jnp.float32), prices)
        return choose(params, state, ticks, self, key), state, memory


def cheapest(
    knows: Knows = Knows.SHARED, hands: int = 2, talk: float = 0.0, prices: Mapping[OptionKind, float] | None = None
) -> Cheapest:
    """Return the rule with some settings.

    Args:
        knows: Where knowledge comes from; `SHARED` and `ALL` share claims too: what an agent does, no other begins.
        hands: Objects of one trip, 1 or 2.
        talk: Share of the decisions that spend a message first, 0 to 1.
        prices: Ticks of each kind of option, in place of the true costs.
    """
    table = np.zeros(len(OptionKind), np.float32)
    for kind, price in (prices or {}).items():
        table[kind] = price
    given: dict[str, Any] = {
        "knows": np.int32(knows),
        "hands": np.int32(hands),
        "talk": np.float32(talk),
        "true": np.bool_(not prices),
        "prices": table,
    }
    return Cheapest(**given)


def choose(
    params: Params, state: State, ticks: Float[Array, "n o"], setting: Cheapest, key: Key[Array, ""]
) -> Int[Array, " n"]:
    """Choose an option for each agent that is free, one agent after the other.

    Args:
        params: The episode.
        state: The household, with the beliefs that the setting gives (`knowing.inform`).
        ticks: What each option costs; differences below half a tick count as ties, which are broken at random.
        setting: Of the rule.
        key: Of ties and messages.

    Returns:
        `[N]` options; of agents that are not free, the one that goes on.
    """
    tie, talk = jax.random.split(key)
    ticks = ticks + jax.random.uniform(tie, ticks.shape, maxval=0.5)
    free = dynamics.free(state)
    possible = legal(params, state)
    wants = possible & _sensible(params, state, setting)
    talks = (jax.random.uniform(talk, free.shape) < setting.talk) & possible[:, options.SEND]
    claims = setting.knows != Knows.OWN
    grid = jnp.arange(free.size, dtype=jnp.int32)

    def one(claimed: Int[Array, " n"], agent: Int[Array, ""]) -> tuple[Int[Array, " n"], Int[Array, ""]]:
        mine = wants[agent] & (~claims | _unclaimed(params, state.beliefs.place[agent], claimed))
        best = jnp.argmin(jnp.where(mine, ticks[agent], jnp.inf)).astype(jnp.int32)
        option = jnp.where(talks[agent], options.SEND, jnp.where(jnp.any(mine), best, options.WAIT))
        option = jnp.where(free[agent], option, state.option[agent])
        return jnp.where((grid == agent) & free[agent], option, claimed), option

    going = jnp.where(free | ~params.agent_there, -1, state.option)
    return jax.lax.scan(one, going, grid)[1]


def _sensible(params: Params, state: State, setting: Cheapest) -> Bool[Array, "n o"]:
    """Return what the rule chooses from: deeds, one object a trip if so set, and no search for what is known."""
    kind = jnp.asarray(options.KIND, jnp.int32)
    acts = (kind != OptionKind.WAIT) & (kind != OptionKind.SEND)
    known = state.beliefs.goal_known | ~params.transport
    returns = (setting.hands == 1) & jnp.any(state.hands >= 0, axis=-1) & known
    wise = acts[None] & (~returns[:, None] | (kind == OptionKind.PUT)[None])
    rooms, furniture, things = (
        slice(first, first + size)
        for first, size in ((options.EXPLORE, ROOMS), (options.CHECK, RECEPTACLES), (options.GRAB, OBJECTS))
    )
    wise = wise.at[:, rooms].min((setting.knows == Knows.OWN) | ~state.beliefs.known_room)
    on = jnp.clip(state.place, 0, FLOOR - 1)
    closed = (state.place < FLOOR) & ~state.open[on]
    short = _short(params, state.place, jnp.full_like(state.room, -1))
    useful = closed & params.object_there & (params.object_goal >= 0) & short[jnp.maximum(params.object_goal, 0)]
    holds = jnp.zeros(RECEPTACLES, bool).at[on].max(useful)
    guesses = setting.knows != Knows.ALL
    wise = wise.at[:, furniture].min((guesses | holds)[None]).at[:, things].min((guesses | ~closed)[None])
    return jnp.where(params.transport, acts[None] & _worthwhile(params, state, setting, returns), wise)


def _worthwhile(params: Params, state: State, setting: Cheapest, returns: Bool[Array, " n"]) -> Bool[Array, "n o"]:
    """Return what the rule chooses from in transport.

    It makes no empty trips, leaves no room unexplored and goes to none that is explored.
    """
    targets = (state.hands >= 0) & ~params.carrier[jnp.maximum(state.hands, 0)]
    inside = jnp.zeros(OBJECTS, bool).at[jnp.where(state.place >= INSIDE, state.place - INSIDE, OBJECTS)].set(True)
    filled = (state.hands >= 0) & inside[jnp.maximum(state.hands, 0)]
    wise = jnp.ones((state.room.size, options.COUNT), bool)
    wise = wise.at[:, options.PUT].set(jnp.any(targets | filled, axis=1))
    leaves = jnp.take_along_axis(state.beliefs.visited, state.room[:, None], axis=1) & ~returns[:, None]
    wise = wise.at[:, options.GOTO : options.GOTO + ROOMS].set(~state.beliefs.visited & leaves)
    two = (setting.hands > 1) | ~params.carrier
    alone = ~jnp.any(state.hands >= 0, axis=1) | (setting.hands > 1)
    grabs = two[None, :] & alone[:, None]
    return wise.at[:, options.GRAB : options.GRAB + OBJECTS].set(grabs & ~returns[:, None])


def _unclaimed(params: Params, place: Int[Array, " m"], claimed: Int[Array, " n"]) -> Bool[Array, " o"]:
    """Return the options that no other agent has taken, and objects that are short even with those on the way."""
    taken = jnp.zeros(options.COUNT, bool).at[jnp.maximum(claimed, 0)].max(claimed >= 0)
    kind = jnp.asarray(options.KIND, jnp.int32)
    exclusive = (
        (kind == OptionKind.EXPLORE)
        | (kind == OptionKind.CHECK)
        | (kind == OptionKind.GRAB)
        | (kind == OptionKind.GOTO)
    )
    short = _short(params, place, claimed)[jnp.maximum(params.object_goal, 0)] & (params.object_goal >= 0)
    short = short | params.carrier
    left = jnp.ones(options.COUNT, bool).at[options.GRAB : options.GRAB + OBJECTS].set(short)
    return left & ~(taken & exclusive)


def _short(params: Params, place: Int[Array, " m"], claimed: Int[Array, " n"]) -> Bool[Array, " q"]:
    """Return the goal classes of which more objects must be taken than are placed, carried and claimed."""
    grabs = (claimed >= options.GRAB) & (claimed < options.GRAB + OBJECTS)
    thing = jnp.where(grabs, claimed - options.GRAB, 0)
    goal = params.object_goal[thing]
    lies = (place[thing] < HELD) & (place[thing] >= 0)
    claims = (grabs & lies & (goal >= 0)).astype(jnp.int32)
    coming = jnp.zeros_like(params.needs).at[jnp.maximum(goal, 0)].add(claims)
    return secured(params, place) + coming < params.needs
