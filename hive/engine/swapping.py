"""Swap the plan of a running game between two of its segments, without compiling again and without losing its state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool

from bt import capacity
from hive.engine.episode import Game
from hive.engine.objective import judge
from hive.engine.plan.arrays import EXTRAS, check_units, extras_of, find_ways, join_orders, pad_plan, under_cover
from hive.engine.plan.progress import advance, fresh
from hive.engine.types import ENEMY, PLAYER, Orders, Outcome, Params, Plan, Progress


def with_room(
    plan: Plan,
    *,
    steps: int = 8,
    groups: int = 16,
    memberships: int = 4,
    places: int = 8,
    cells: int = 1,
    **extras: int,
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
        **extras: Fields of `EXTRAS` for plans that use them, 1, or for `choice` the least capacity.

    Returns:
        The plan with larger capacities; its games do not change.

    Raises:
        TypeError: There is no such capacity.
    """
    if unknown := [name for name in extras if name not in EXTRAS]:
        names = "steps, groups, memberships, places, cells"
        raise TypeError(f"a plan has no capacity `{unknown[0]}`; it has {names}, {', '.join(EXTRAS)}")
    wanted = {"steps": steps, "groups": groups, "memberships": memberships, "places": places, "cells": cells, **extras}
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

    Raises:
        UserError: The plan was read for another number of units.
    """
    return swap_sides(params, orders, game, player=plan)[1:]


def swap_sides(
    params: Params, orders: Orders, game: Game, *, player: Plan | None = None, enemy: Plan | None = None
) -> tuple[Params, Orders, Game]:
    """Replace the plan of either side in a game, or of both sides at once.

    What `swap` says of the player holds for each side with a new plan; the progress and the distance maps of a side
    without one stay. Both new plans begin in the same evaluation.

    Args:
        params: The scenario; `params.enemy` is the plan that the enemy follows.
        orders: The current orders.
        game: The game between two segments.
        player: The player's new plan; None: the present one goes on.
        enemy: The enemy's new plan, read with `side=ENEMY`; None: the present one goes on. The enemy's capacities are
            those of `params.enemy`, which `with_room` makes larger before a game.

    Returns:
        The scenario with the plan that the enemy follows now, orders, and the game.

    Raises:
        UserError: A plan was read for another number of units.
        ValueError: Neither side has a new plan.
    """
    if player is None and enemy is None:
        raise ValueError("a swap needs a new plan for one side at least")
    for plan in (player, enemy):
        if plan is not None:
            check_units(plan, params.enemy.foe.shape[-1])
    mine, theirs = _room(params, orders)
    player, enemy = _to_room(player, mine), _to_room(enemy, theirs)
    orders, game = _swap(params, orders, game, player, enemy)
    return params if enemy is None else params.replace(enemy=enemy), orders, game


def _to_room(plan: Plan | None, room: Mapping[str, int]) -> Plan | None:
    if plan is None:
        return None
    return pad_plan(plan, **{name: max(size, room[name]) for name, size in sizes_of(plan).items()})


def replan(
    params: Params, orders: Orders, game: Game, player: Plan | None, enemy: Plan | None = None
) -> tuple[Orders, Game]:
    """Do `swap_sides` for plans that already have the right capacities; pure, for `jax.jit` and `jax.vmap` over games.

    The scenario of the new orders is `params.replace(enemy=enemy)` where the enemy has a new plan.
    """
    old = _room(params, orders)
    both = (player or _players_part(params, orders), enemy or params.enemy)
    wide = any(plan.cover is not None for plan in both)
    places = old[PLAYER]["places"]
    kept = (orders.distance[:places], orders.distance[places:])

    def ways(side: int, maps: Array, cover: Array | None) -> Array:
        none = jnp.zeros(len(maps), bool) if wide else None
        return under_cover(params, maps, [(none if cover is None else cover, len(maps), side)])

    maps = []
    for side, plan, new in ((PLAYER, both[PLAYER], player), (ENEMY, both[ENEMY], enemy)):
        if new is not None:
            maps.append(ways(side, find_ways(params, new.place), new.cover))
        elif orders.plan.cover is None:  # not weighted so far
            maps.append(ways(side, kept[side], plan.cover))
        else:
            maps.append(kept[side])
    params = params.replace(enemy=both[ENEMY])
    new_orders = join_orders(params, both[PLAYER], jnp.concatenate(maps)).replace(goal=orders.goal)
    begins = np.array([player is not None, enemy is not None])
    moved = _moved(params, new_orders, game.progress, begins, old)
    return new_orders, hand_over(params, new_orders, game.replace(progress=moved), begins)


def hand_over(params: Params, orders: Orders, game: Game, begins: Bool[Array | np.ndarray, " 2"]) -> Game:
    """Return the game under other orders of the same capacities, evaluated once.

    Args:
        params: The scenario, with the enemy's plan of `orders`.
        orders: The new orders; the part of a side that does not begin is unchanged.
        game: The current game.
        begins: Whether the plan of the player and of the enemy begins now; the progress of another one stays.
    """
    before, new, begins = game.progress, fresh(params, orders), jnp.asarray(begins)
    steps, units = begins[orders.owner], begins[jnp.minimum(params.units.side, ENEMY)]
    since, chosen = before.since, before.chosen
    if since is not None and new.since is not None:
        since = jnp.where(steps, new.since, since)
    if chosen is not None and new.chosen is not None:
        theirs = 0 if params.enemy.choice is None else params.enemy.choice.shape[0]
        owner = (np.arange(len(chosen)) >= len(chosen) - theirs).astype(int)
        chosen = jnp.where(begins[owner, None], new.chosen, chosen)
    progress = Progress(
        achieved=jnp.where(steps, new.achieved, before.achieved),
        active=jnp.where(steps, new.active, before.active),
        group=jnp.where(units, new.group, before.group),
        since=since,
        chosen=chosen,
    )
    progress = advance(params, orders, progress, game.state)
    goes_on = (game.outcome == Outcome.RUNNING) | (game.outcome == Outcome.PLAN_FINISHED)
    outcome = jnp.where(goes_on, judge(params, orders, progress, game.state), game.outcome)
    return game.replace(progress=progress, outcome=outcome)


def _moved(
    params: Params, orders: Orders, before: Progress, begins: np.ndarray, old: Sequence[Mapping[str, int]]
) -> Progress:
    """Return progress with the capacities of new orders; what begins is as good as any."""
    new, now = fresh(params, orders), _room(params, orders)

    def moved(name: str, axis: str) -> Any:
        blank, kept = getattr(new, name), getattr(before, name)
        if blank is None or kept is None:
            return blank
        was, cut = old[PLAYER][axis], now[PLAYER][axis]
        sides = ((kept[:was], blank[:cut]), (kept[was:], blank[cut:]))
        return jnp.concatenate([part[int(begin)] for part, begin in zip(sides, begins, strict=True)])

    theirs = (params.units.side == ENEMY) & (before.group >= 0)
    return Progress(
        achieved=moved("achieved", "steps"),
        active=moved("active", "steps"),
        group=jnp.where(theirs, before.group + now[PLAYER]["groups"] - old[PLAYER]["groups"], before.group),
        since=moved("since", "steps"),
        chosen=moved("chosen", "choice"),
    )


def _players_part(params: Params, orders: Orders) -> Plan:
    """Return the player's plan out of orders, by unit id again; the reverse of `join_orders`."""
    both, room, unit = orders.plan, _room(params, orders)[PLAYER], params.units.id
    steps, groups, places = (room[name] for name in ("steps", "groups", "places"))
    axes = {"p": steps, "g": groups, "d": places, "h": room["choice"]}
    extras: dict[str, Any] = {
        name: None if getattr(both, name) is None else getattr(both, name)[: axes[each.axis]]
        for name, each in EXTRAS.items()
    }
    if not room["choice"]:
        extras["choice"] = None
    return Plan(
        exists=both.exists[:steps],
        prerequisite=both.prerequisite[:steps, :steps],
        objective=both.objective[:steps],
        number=both.number[:steps],
        cell=both.cell[: room["cells"]],
        foe=jnp.zeros_like(both.foe).at[:, unit].set(both.foe)[:steps],
        member=jnp.zeros_like(both.member).at[:, unit].set(jnp.where(both.member < groups, both.member, -1)),
        step=both.step[:groups],
        tree=both.tree[:groups],
        types=both.types[:groups],
        target=both.target[:groups],
        pool=both.pool[:groups],
        place=both.place[:places],
        **extras,
    )


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


def _room(params: Params, orders: Orders) -> tuple[dict[str, int], dict[str, int]]:
    """Capacities of the player's and of the enemy's part of orders."""
    both, enemy = sizes_of(orders.plan), sizes_of(params.enemy)
    shared = {"memberships", *EXTRAS} - {"choice"}  # both sides have one capacity
    return {name: size if name in shared else size - enemy[name] for name, size in both.items()}, enemy


def to_one_room(plans: Sequence[Plan], **least: int) -> list[Plan]:
    """Pad plans to common capacities, with the spare ones of `with_room`: plans of usual sizes share their programs.

    Args:
        plans: At least one.
        **least: Other least capacities than those of `with_room`.
    """
    sizes = [sizes_of(plan) for plan in plans]
    room = {name: max(each[name] for each in sizes) for name in sizes[0]}
    return [with_room(pad_plan(plan, **room), **least) for plan in plans]


class Turn(NamedTuple):
    """A part of a game in which neither side changes its plan.

    All turns of one game have plans of the same capacities.
    """

    player: Plan
    enemy: Plan | None  # None: the scenario's, in all turns
    until: int  # tick up to which the plans are followed
    begins: tuple[bool, bool]  # whether the plan of the player and of the enemy is a new one


def in_turn(
    plan: Plan,
    swaps: Sequence[tuple[int, Plan]],
    enemy: Plan | None = None,
    enemy_swaps: Sequence[tuple[int, Plan]] = (),
) -> list[Turn]:
    """Return the plans of one game, padded to common capacities, in the order of time.

    Args:
        plan: The player's first plan.
        swaps: Tick and plan of each later plan of the player.
        enemy: The scenario's plan of the enemy; needed for `enemy_swaps` only.
        enemy_swaps: Tick and plan of each later plan of the enemy; one at tick 0 takes the place of the scenario's.

    Raises:
        ValueError: The ticks of a side are no whole numbers or do not increase, or the player's begin before 1.
    """
    _check_ticks([tick for tick, _ in swaps], 1)
    _check_ticks([tick for tick, _ in enemy_swaps], 0)
    mine = dict(zip((0, *(tick for tick, _ in swaps)), to_one_room([plan, *(new for _, new in swaps)]), strict=True))
    theirs: dict[int, Plan] = {}
    if enemy_swaps:
        assert enemy is not None, "an enemy that changes its plan has one"
        theirs = {0: enemy, **dict(enemy_swaps)}
        theirs = dict(zip(theirs, to_one_room(list(theirs.values())), strict=True))
    ticks = sorted({*mine, *theirs})
    turns: list[Turn] = []
    for tick, until in zip(ticks, [*ticks[1:], np.iinfo(np.int32).max], strict=True):
        before = turns[-1] if turns else Turn(mine[0], None, 0, (True, True))
        begins = (tick in mine, tick in theirs)
        turns.append(Turn(mine.get(tick, before.player), theirs.get(tick, before.enemy), until, begins))
    return turns


def _check_ticks(ticks: Sequence[int], first: int) -> None:
    rise = all(after > before for before, after in zip([first - 1, *ticks], ticks, strict=False))
    if not rise or any(int(tick) != tick for tick in ticks):
        raise ValueError(f"plans are swapped at ticks, whole numbers that rise from {first}, not at {list(ticks)}")
