"""Swap the plan of a running game between two of its segments, without compiling again and without losing its state."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from bt import capacity
from hive.engine.episode import Game
from hive.engine.objective import judge
from hive.engine.plan.arrays import EXTRAS, extras_of, find_ways, join_orders, pad_plan, under_cover
from hive.engine.plan.progress import advance, fresh
from hive.engine.types import ENEMY, PLAYER, Orders, Outcome, Params, Plan, Progress


def with_room(
    plan: Plan, *, steps: int = 8, groups: int = 16, memberships: int = 4, places: int = 8, cells: int = 1
) -> Plan:
    """Return the same plan with spare capacity for larger plans to follow, so that a swap changes no shape.

    Use it for a game whose plan will be swapped: programs are compiled for the capacities of the first plan.

    Args:
        plan: Any plan.
        steps: Least capacity for steps; a larger one of the plan is kept. All capacities are powers of two.
        groups: Least capacity for groups.
        memberships: Least capacity for the groups that one unit belongs to, over all steps.
        places: Least capacity for distinct targets.
        cells: Least capacity for the cells that objectives list.

    Returns:
        The plan with larger capacities; its games do not change.
    """
    wanted = {"steps": steps, "groups": groups, "memberships": memberships, "places": places, "cells": cells}
    has = sizes_of(plan)
    return pad_plan(plan, **(has | {name: capacity(max(least, has[name])) for name, least in wanted.items()}))


def swap(params: Params, orders: Orders, game: Game, plan: Plan) -> tuple[Orders, Game]:
    """Replace the player's plan in a game.

    The world, the enemy's progress and the tick stay. The new plan's steps begin now: none is achieved unless its
    objective is met, and a unit that no active step names stands until one does. A game that was over because its plan
    was finished continues; one that was won, lost or out of time stays over.

    Args:
        params: The scenario, unchanged.
        orders: The current orders.
        game: The game between two segments, as `hive.advance` leaves it.
        plan: From `hive.read_plan` for this world.

    Returns:
        Orders and the game under the new plan. As long as the plan fits the current capacities (see `with_room`), the
        shapes stay the same and nothing is compiled again. A larger plan gets larger arrays, and programs that take
        them are compiled again.
    """
    has, room = sizes_of(plan), _room(params, orders)
    return _swap(params, orders, game, pad_plan(plan, **{name: max(has[name], room[name]) for name in has}))


def replan(params: Params, orders: Orders, game: Game, plan: Plan) -> tuple[Orders, Game]:
    """Do `swap` for plans that already have the right capacities; pure, for `jax.jit` and `jax.vmap` over games."""
    old = _room(params, orders)
    enemy = params.enemy
    wide = plan.cover is not None or enemy.cover is not None

    def ways(cover: Array | None, maps: Array, side: int) -> Array:
        none = jnp.zeros(len(maps), bool) if wide else None
        return under_cover(params, maps, [(none if cover is None else cover, len(maps), side)])

    mine, theirs = ways(plan.cover, find_ways(params, plan.place), PLAYER), orders.distance[old["places"] :]
    if orders.plan.cover is None:
        theirs = ways(enemy.cover, theirs, ENEMY)
    maps = jnp.concatenate([mine, theirs])
    new = join_orders(params, plan, maps).replace(goal=orders.goal)
    return new, hand_over(params, new, game, plan.tree.shape[0] - old["groups"])


def hand_over(params: Params, orders: Orders, game: Game, more_groups: int = 0) -> Game:
    """Return the game under other orders of the player, evaluated once.

    Args:
        params: The scenario.
        orders: The new orders; the enemy's part is unchanged.
        game: The current game.
        more_groups: Growth of the capacity for the player's groups, which shifts the indices of the enemy's groups.
    """
    before, their_steps = game.progress, params.enemy.exists.shape[0]
    own, old = (each.shape[0] - their_steps for each in (orders.plan.exists, before.achieved))
    theirs = (params.units.side == ENEMY) & (before.group >= 0)
    new = fresh(params, orders)
    progress = Progress(
        achieved=jnp.concatenate([jnp.full(own, -1, jnp.int32), before.achieved[old:]]),
        active=jnp.concatenate([jnp.zeros(own, bool), before.active[old:]]),
        group=jnp.where(theirs, before.group + more_groups, -1),
        since=_kept(new.since, before.since, their_steps),
        chosen=_kept(new.chosen, before.chosen, 0 if params.enemy.choice is None else params.enemy.choice.shape[0]),
    )
    progress = advance(params, orders, progress, game.state)
    goes_on = (game.outcome == Outcome.RUNNING) | (game.outcome == Outcome.PLAN_FINISHED)
    outcome = jnp.where(goes_on, judge(params, orders, progress, game.state), game.outcome)
    return game.replace(progress=progress, outcome=outcome)


def _kept(new: Array | None, old: Array | None, theirs: int) -> Array | None:
    """Return progress that has just begun with the last rows, those of the enemy, from the progress so far."""
    if new is None or old is None or not theirs:
        return new
    return jnp.concatenate([new[:-theirs], old[-theirs:]])


_swap = jax.jit(replan)


def sizes_of(plan: Plan) -> dict[str, int]:
    """Return the capacities of a plan by the names that `hive.engine.plan.arrays.pad_plan` gives them."""
    return {
        "steps": plan.exists.shape[0],
        "groups": plan.tree.shape[0],
        "memberships": plan.member.shape[0],
        "places": plan.place.shape[0],
        "cells": plan.cell.shape[0],
        **extras_of(plan),
    }


def _room(params: Params, orders: Orders) -> dict[str, int]:
    """Capacities of the player's part of orders."""
    both, enemy = sizes_of(orders.plan), sizes_of(params.enemy)
    shared = {"memberships", *EXTRAS} - {"choice"}  # both sides have one capacity
    return {name: size if name in shared else size - enemy[name] for name, size in both.items()}


def to_one_room(plans: Sequence[Plan]) -> list[Plan]:
    """Pad plans to common capacities."""
    sizes = [sizes_of(plan) for plan in plans]
    room = {name: max(each[name] for each in sizes) for name in sizes[0]}
    return [pad_plan(plan, **room) for plan in plans]


def in_turn(plan: Plan, swaps: Sequence[tuple[int, Plan]]) -> list[tuple[Plan, int]]:
    """Return the plans of one game, padded to common capacities, with the tick up to which each is followed.

    Args:
        plan: The first plan.
        swaps: Tick and plan of each later plan.

    Raises:
        ValueError: The ticks do not increase from 1 on.
    """
    ticks, plans = [tick for tick, _ in swaps], [plan, *(new for _, new in swaps)]
    if any(after <= before for before, after in zip([0, *ticks], ticks, strict=False)):
        raise ValueError(f"plans are swapped at ticks that rise from 1, not at {ticks}")
    return list(zip(to_one_room(plans), [*ticks, np.iinfo(np.int32).max], strict=True))
