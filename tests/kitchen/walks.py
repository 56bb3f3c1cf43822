"""Random walks over named actions on the device, and the distinct kitchens that they reach."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from hive.worlds.kitchen.action import NamedAction
from hive.worlds.kitchen.codes import ActionKind
from hive.worlds.kitchen.controller import drive, remaining
from hive.worlds.kitchen.dynamics import idle, reset, step
from hive.worlds.kitchen.menu import Menu, legal, make_menu
from hive.worlds.kitchen.setting import Setting
from hive.worlds.kitchen.snapshot import Snapshot, take_snapshot
from hive.worlds.kitchen.state import Actions, Params, State
from hive.worlds.kitchen.validator import Validator


def weights(validator: Validator, order: str, actions: tuple[NamedAction, ...]) -> np.ndarray:
    """How often a walk should choose each action: mostly what has to do with the order, now and then anything else."""
    book = validator.book
    mine = {*book.ingredients_of(order), *(recipe.product for recipe in book.steps(order)), book.dish}
    found = []
    for each in actions:
        if each.kind == ActionKind.WAIT:
            found.append(0.3 if each.timesteps == 1 else 0.005)
        elif each.kind == ActionKind.PICKUP:
            found.append(1.0 if each.item in mine else 0.02)
        else:
            found.append(3.0 if each.kind in (ActionKind.OPERATE, ActionKind.FILL, ActionKind.PUT) else 1.0)
    return np.array(found, np.float32)


@partial(jax.jit, static_argnames=("walks", "timesteps"))
def walk(
    kitchen: Params,
    menu: Menu,
    weight: Float[Array, " a"],
    order: Int[Array, ""],
    key: PRNGKeyArray,
    walks: int,
    timesteps: int,
) -> tuple[State, Bool[Array, "t b c a"]]:
    """Let both cooks choose at random among what the mask allows; return every state and its mask.

    A walk that delivers goes on from the start.
    """
    first = reset(kitchen, order)

    def one(carry: tuple[State, Actions], key: PRNGKeyArray) -> tuple[tuple[State, Actions], State]:
        state, doing = carry
        allowed = legal(kitchen, menu, state)
        total = jnp.cumsum(jnp.where(allowed, weight[None], 0.0), axis=1)
        chosen = jnp.argmax(total > jax.random.uniform(key, (2, 1)) * total[:, -1:], axis=1)
        free = doing.kind == ActionKind.NOTHING
        doing = jax.tree.map(lambda column, now: jnp.where(free, column[chosen], now), menu.actions, doing)
        after = step(kitchen, state, drive(kitchen, state, doing))
        still = remaining(doing, after.completed)
        nothing = jax.tree.map(jnp.zeros_like, still)
        start = jax.tree.map(lambda new, old: jnp.where(after.served, new, old), (first, nothing), (after, still))
        return start, (state, allowed)

    def timestep(carry: tuple[State, Actions], key: PRNGKeyArray) -> tuple[tuple[State, Actions], State]:
        return jax.vmap(one)(carry, jax.random.split(key, walks))

    begin = jax.tree.map(lambda x: jnp.broadcast_to(x, (walks, *x.shape)), (first, idle(kitchen)))
    _, seen = jax.lax.scan(timestep, begin, jax.random.split(key, timesteps))
    return seen


def distinct(
    setting: Setting, states: State, masks: np.ndarray, known: set[bytes]
) -> Iterator[tuple[Snapshot, np.ndarray]]:
    """Return each kitchen that is not known yet, poses and clock aside, once, with its mask.

    Fails if two states that differ in pose or clock only have different masks.
    """
    states = jax.tree.map(lambda x: np.asarray(x).reshape(-1, *x.shape[2:]), states)
    masks = np.packbits(masks.reshape(-1, masks[0, 0].size), axis=1)
    columns = [states.order[:, None], states.held, states.counters, states.contents.reshape(len(masks), -1)]
    rows = np.ascontiguousarray(
        np.concatenate([*columns, states.product, states.work, states.notice], axis=1).astype(np.int16)
    )
    _, where = np.unique(rows, axis=0, return_index=True)
    both = np.concatenate([rows.view(np.uint8), masks], axis=1)
    assert len(np.unique(both.view(f"V{both.shape[1]}"))) == len(where)
    for place in where:
        if (name := rows[place].tobytes()) not in known:
            known.add(name)
            state = jax.tree.map(lambda x, place=place: x[place], states)
            yield take_snapshot(setting.book, state), masks[place]


def disagreements(
    setting: Setting, order: str, walks: int, timesteps: int, seed: int, known: set[bytes]
) -> tuple[int, list[str]]:
    """Walk, and compare the mask with the validator for all actions in every distinct kitchen.

    Returns:
        The number of kitchens, and what the two disagree about.
    """
    validator = Validator(setting.book, setting.layout)
    actions = validator.words.every_action()
    menu = make_menu(validator, actions)
    weight = jnp.asarray(weights(validator, order, actions))
    code = jnp.int32(setting.book.code[order])
    states, masks = walk(setting.arrays, menu, weight, code, jax.random.key(seed), walks, timesteps)
    count, wrong = 0, []
    for snapshot, packed in distinct(setting, jax.device_get(states), np.asarray(masks), known):
        count += 1
        allowed = np.unpackbits(packed)[: 2 * len(actions)].astype(bool).tolist()
        checks = ((cook, action) for cook in range(2) for action in actions)
        for mask, (cook, action) in zip(allowed, checks, strict=True):
            if (validator.code(snapshot, cook, action) is None) != mask:
                wrong.append(f"{order}: cook {cook}, {action}, mask {mask}, {snapshot}")
    return count, wrong
