"""One timestep of a kitchen, as a pure function of arrays (docs/rules/kitchen.md 2.5)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from hive.worlds.kitchen.codes import ActionKind, Move, Place
from hive.worlds.kitchen.cookbook import NO_ITEM, UTENSIL_CAPACITY
from hive.worlds.kitchen.state import JUNK, Actions, Params, Primitives, State


def reset(params: Params, order: Int[Array, ""]) -> State:
    """Return the state before the first timestep.

    Args:
        params: Rules.
        order: Code of the item to deliver.
    """
    counters, utensils = params.counter.shape[0], params.kind.shape[0]
    none = jnp.zeros(utensils, jnp.int32)
    return State(
        tile=params.start,
        facing=params.start_facing,
        held=jnp.zeros_like(params.start),
        counters=jnp.zeros(counters, jnp.int32),
        contents=jnp.zeros((utensils, UTENSIL_CAPACITY), jnp.int32),
        product=none,
        work=none,
        loaded=none,
        notice=jnp.zeros(utensils, bool),
        order=order,
        served=jnp.zeros((), bool),
        clock=jnp.zeros((), jnp.int32),
        completed=idle(params),
    )


def idle(params: Params) -> Actions:
    """Return no action for both cooks."""
    none = jnp.zeros_like(params.start)
    return Actions(kind=none, item=none, place=none, left=none)


def step(params: Params, state: State, primitives: Primitives) -> State:
    """Carry out what both cooks do in one timestep.

    Interactions come first, cook 0 before cook 1; then moves and turns; then the utensils work. The game does not stop
    by itself after a delivery: `State.served` tells it.

    Args:
        params: Rules.
        state: Kitchen before the timestep.
        primitives: What each cook does.

    Returns:
        Kitchen after the timestep; `State.completed` has the named action that each cook's interaction completed.
    """
    done = []
    for cook in range(state.tile.shape[0]):
        state, action = _interact(params, state, cook, primitives)
        done.append(action)
    state = _walk(params, state, primitives.move)
    return _work(params, state).replace(completed=jax.tree.map(lambda *each: jnp.stack(each), *done))


def take_order(state: State, order: Int[Array, ""]) -> State:
    """Return the kitchen with another order to deliver, none of which was served yet; all else stays as it is.

    Args:
        state: Kitchen between two timesteps.
        order: Code of the item to deliver.
    """
    return state.replace(order=order, served=jnp.zeros_like(state.served))


def ready(params: Params, state: State) -> Bool[Array, " u"]:
    """Return which utensils hold a finished product."""
    return (state.product > 0) & (state.work >= params.timesteps[state.product])


def working(params: Params, state: State) -> Bool[Array, " u"]:
    """Return which utensils were started and are not ready."""
    return (state.product != NO_ITEM) & ~ready(params, state)


def correct(params: Params, item: Int[Array, ""], order: Int[Array, ""]) -> Bool[Array, ""]:
    """Return whether an item fulfils an order: the product itself, in a dish if and only if it needs one."""
    return (params.plain[item] == order) & ((item > params.dish) == params.needs_dish[order])


def made_of(params: Params, kind: Int[Array, ""], contents: Int[Array, " n"]) -> Int[Array, ""]:
    """Return the product of some contents in a type of utensil, `JUNK` if no recipe has exactly these inputs."""
    found = jnp.all(params.inputs == contents[None], axis=1) & (params.made_in == kind)
    return jnp.where(jnp.any(found), params.product[jnp.argmax(found)], JUNK)


def _interact(params: Params, state: State, cook: int, primitives: Primitives) -> tuple[State, Actions]:
    """Let one cook interact with what it faces, if that is its move (docs/rules/kitchen.md 2.1)."""
    station = params.facing_at[state.tile[cook], state.facing[cook]]
    acts = (primitives.move[cook] == Move.INTERACT) & (station >= 0)
    place, slot = params.place[station], params.slot[station]
    held = state.held[cook]
    empty, food = held == NO_ITEM, (held != NO_ITEM) & (held != params.dish)

    wish = primitives.item[cook]
    raw = acts & (place == Place.INGREDIENTS) & empty & params.raw[wish]
    dish = acts & (place == Place.DISHES) & empty

    on_counter = acts & (place == Place.COUNTER)
    counter = jnp.where(on_counter, slot, 0)
    there = state.counters[counter]
    take = on_counter & empty & (there != NO_ITEM)
    put_down = on_counter & ~empty & (there == NO_ITEM)

    at_utensil = acts & (place >= Place.UTENSIL)
    utensil = jnp.where(at_utensil, slot, 0)
    contents, product = state.contents[utensil], state.product[utensil]
    idle = at_utensil & (product == NO_ITEM)
    finished = at_utensil & ready(params, state)[utensil]
    put_in = idle & food & (held < params.dish) & (contents[UTENSIL_CAPACITY - 1] == NO_ITEM)
    start = idle & empty & (contents[0] != NO_ITEM)
    take_out = finished & empty & ~params.needs_dish[product]
    fill = finished & (held == params.dish)

    deliver = acts & (place == Place.DELIVERY) & food
    served = deliver & correct(params, held, state.order)

    deeds = (
        (raw | dish | take | take_out, ActionKind.PICKUP),
        (put_down, ActionKind.PLACE),
        (put_in, ActionKind.PUT),
        (start, ActionKind.OPERATE),
        (fill, ActionKind.FILL),
        (deliver, ActionKind.DELIVER),
    )
    hands = ((raw, wish), (dish, params.dish), (take, there), (take_out, product), (fill, params.plated[product]))
    kind, now = jnp.int32(ActionKind.NOTHING), jnp.where(put_down | put_in | deliver, NO_ITEM, held)
    for happens, each in deeds:
        kind = jnp.where(happens, each, kind)
    for happens, item in hands:
        now = jnp.where(happens, item, now)
    action = Actions(
        kind=kind,
        item=jnp.where(kind == ActionKind.PICKUP, params.plain[now], NO_ITEM),
        place=jnp.where((kind == ActionKind.PLACE) | (kind == ActionKind.NOTHING) | deliver, Place.NONE, place),
        left=jnp.zeros((), jnp.int32),
    )
    before = jnp.concatenate([held[None], contents[:-1]])
    with_item = jnp.maximum(contents, jnp.minimum(before, held))  # inserted, so that the highest codes stay first
    emptied = take_out | fill
    stamp = 2 * state.clock + cook
    first = put_in & (contents[0] == NO_ITEM)
    state = state.replace(
        held=state.held.at[cook].set(now),
        counters=state.counters.at[counter].set(jnp.where(take, NO_ITEM, jnp.where(put_down, held, there))),
        contents=state.contents.at[utensil].set(jnp.where(put_in, with_item, jnp.where(start, NO_ITEM, contents))),
        product=state.product.at[utensil].set(
            jnp.where(
                start,
                made_of(params, params.kind[utensil], contents),
                jnp.where(emptied, NO_ITEM, product),
            )
        ),
        work=state.work.at[utensil].set(jnp.where(start | emptied, 0, state.work[utensil])),
        loaded=state.loaded.at[utensil].set(
            jnp.where(first, stamp, jnp.where(emptied, 0, state.loaded[utensil])),
        ),
        served=state.served | served,
    )
    return state, action


def _walk(params: Params, state: State, move: Int[Array, " c"]) -> State:
    """Move and turn; two cooks that would meet in one tile or swap tiles turn only."""
    turns = move < Move.STAY
    facing = jnp.where(turns, move, state.facing)
    goal = jnp.where(turns, params.step_to[state.tile, facing], state.tile)
    blocked = (goal[0] == goal[1]) | ((goal[0] == state.tile[1]) & (goal[1] == state.tile[0]))
    return state.replace(tile=jnp.where(blocked, state.tile, goal), facing=facing)


def _work(params: Params, state: State) -> State:
    """Let started utensils work for one timestep, delete contents that match no recipe, and advance the clock."""
    junk = state.product == JUNK
    started = (state.product != NO_ITEM) & (state.work == 0)
    earlier = state.loaded[:, None] < state.loaded[None, :]
    frozen = params.freeze & ~started & jnp.any(started[:, None] & earlier, axis=0)
    works = jnp.where(working(params, state) & ~frozen, 1, 0)
    return state.replace(
        product=jnp.where(junk, NO_ITEM, state.product),
        work=jnp.where(junk, 0, state.work + works),
        loaded=jnp.where(junk, 0, state.loaded),
        notice=junk,
        clock=state.clock + 1,
    )
