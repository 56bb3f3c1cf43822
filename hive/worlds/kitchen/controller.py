"""Carry out named actions: walk to the best pose, turn, interact (docs/rules/kitchen.md 2.2, 2.3).

state = step(kitchen, state, drive(kitchen, state, actions))
actions = remaining(actions, state.completed)
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

from hive.worlds.kitchen.assembly import FAR
from hive.worlds.kitchen.codes import ActionKind, Move, Place
from hive.worlds.kitchen.cookbook import NO_ITEM
from hive.worlds.kitchen.state import Actions, Params, Primitives, State


def drive(params: Params, state: State, actions: Actions) -> Primitives:
    """Return the primitives with which both cooks go on with their named actions.

    Nothing is checked here: an action that is not valid when it begins may stand still permanently.

    Args:
        params: Rules.
        state: Kitchen before the timestep.
        actions: What each cook is doing; `ActionKind.NOTHING` stays.
    """
    each = [_drive(params, state, cook, _of(actions, cook)) for cook in range(2)]
    return jax.tree.map(lambda *values: jnp.stack(values), *each)


def remaining(actions: Actions, completed: Actions) -> Actions:
    """Return what each cook is still doing after a timestep, `ActionKind.NOTHING` when it is free.

    Args:
        actions: What each cook was doing in the timestep, as `drive` got it.
        completed: `State.completed` after the timestep. A wait ends without being completed.
    """
    waits = actions.kind == ActionKind.WAIT
    left = jnp.where(waits, actions.left - 1, actions.left)
    over = (completed.kind != ActionKind.NOTHING) | (waits & (left <= 0))
    return jax.tree.map(lambda column: jnp.where(over, 0, column), actions.replace(left=left))


def target(params: Params, state: State, cook: int, action: Actions) -> tuple[Int[Array, ""], Int[Array, ""]]:
    """Return the station where a named action would happen now, and the moves and turns until it is faced.

    The second is `FAR` where there is no such station. Ties go to the station further north, then further west.

    Args:
        params: Rules.
        state: Kitchen before the timestep.
        cook: 0 or 1.
        action: Named action, unbatched.
    """
    counters = params.place == Place.COUNTER
    there = jnp.where(counters, state.counters[jnp.where(counters, params.slot, 0)], NO_ITEM)
    holds = counters & (params.plain[there] == action.item)
    places = action.kind == ActionKind.PLACE
    fetches = (action.kind == ActionKind.PICKUP) & (action.place == Place.COUNTER)
    delivers = action.kind == ActionKind.DELIVER
    named = params.place == jnp.where(delivers, Place.DELIVERY, action.place)
    usable = jnp.where(places, counters & (there == NO_ITEM), jnp.where(fetches, holds, named))
    shared = params.reach[0] & params.reach[1]
    later = (places & ~shared) | (fetches & shared)
    pose = 4 * state.tile[cook] + state.facing[cook]
    cost = params.cost[pose]
    acts = (action.kind != ActionKind.NOTHING) & (action.kind != ActionKind.WAIT)
    can = acts & usable & (cost < FAR)
    station = jnp.argmin(jnp.where(can, cost + jnp.where(later, FAR, 0), 3 * FAR))
    return station.astype(jnp.int32), jnp.where(can[station], cost[station], FAR)


def _drive(params: Params, state: State, cook: int, action: Actions) -> Primitives:
    """Return the primitive with which one cook goes on with a named action."""
    station, cost = target(params, state, cook, action)
    pose = 4 * state.tile[cook] + state.facing[cook]
    move = jnp.where(cost == 0, Move.INTERACT, params.first[pose, station])
    return Primitives(move=jnp.where(cost < FAR, move, Move.STAY), item=action.item)


def _of(actions: Actions, cook: int) -> Actions:
    return jax.tree.map(lambda column: column[cook], actions)
