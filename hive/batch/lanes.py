"""Games in parallel: each device plays its own games in its own loop and waits for no other device.

A lane is one game: a seed, a row of the table of plans and a row of the table of rules. Both tables and the distance
maps are the same for all lanes; a table with a single row is not expanded, so games of one plan share its arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jax.sharding import Mesh
from jaxtyping import Array, Bool, Int, Key, UInt

from hive.batch.devices import OWN, SHARED
from hive.engine.deciding import Decision
from hive.engine.episode import Episode, Game, advance, advance_watched, begin, finish
from hive.engine.metrics import Metrics, measure
from hive.engine.swapping import hand_over
from hive.plan.arrays import STACKED, make_orders
from hive.types import TIMEOUT, Orders, Params

Tree = Any


class Lanes(struct.PyTreeNode, kw_only=True):
    """Which game each lane plays."""

    seed: UInt[Array, " b"]
    plan: Int[Array, " b"]  # row of the table of plans
    rules: Int[Array, " b"]  # row of the table of rules
    real: Bool[Array, " b"]  # False: padding that fills the devices evenly; such a game is over before it begins


_UNBATCHED: dict[str, Any] = {"distance": None, "owner": None}
AXES = Orders(plan=STACKED, **_UNBATCHED)
"""Axes of the orders of several plans: all fields except places, distance maps and owners have a plan axis."""

make_table = jax.jit(jax.vmap(make_orders, (None, STACKED), AXES))
"""`make_table(params, plans)` joins each stacked plan with the enemy's; one bank of distance maps serves them all."""


@partial(jax.jit, static_argnums=0)
def start(mesh: Mesh, params: Params, orders: Orders, lanes: Lanes) -> Game:
    """Set up the game of each lane.

    Args:
        mesh: The devices.
        params: The scenario, `rules` a table with a leading axis of rows.
        orders: What `make_table` returns.
        lanes: `[B]`, B a multiple of the number of devices.

    Returns:
        Games `[B]`.
    """

    def one(params: Params, orders: Orders, lane: Lanes, key: Key[Array, ""]) -> Game:
        game = begin(params, orders, key)
        return game.replace(outcome=jnp.where(lane.real, game.outcome, TIMEOUT))

    return _side_by_side(mesh, one, (), params, orders, lanes)


@partial(jax.jit, static_argnums=0, donate_argnums=4)
def go_on(mesh: Mesh, params: Params, orders: Orders, lanes: Lanes, games: Game, until: Int[Array, ""]) -> Game:
    """Play each game until it ends or its tick reaches `until`."""

    def one(params: Params, orders: Orders, lane: Lanes, key: Key[Array, ""], game: Game, until: Array) -> Game:
        del lane
        return advance(params, orders, game, key, until)

    return _side_by_side(mesh, one, (until,), params, orders, lanes, games)


@partial(jax.jit, static_argnums=0, donate_argnums=4)
def change(mesh: Mesh, params: Params, orders: Orders, lanes: Lanes, games: Game) -> Game:
    """Give each game other orders of the same capacities; see `hive.engine.swapping.swap`."""

    def one(params: Params, orders: Orders, lane: Lanes, key: Key[Array, ""], game: Game) -> Game:
        del lane, key
        return hand_over(params, orders, game)

    return _side_by_side(mesh, one, (), params, orders, lanes, games)


@partial(jax.jit, static_argnums=(0, 5), donate_argnums=4)
def go_on_watched(
    mesh: Mesh, params: Params, orders: Orders, lanes: Lanes, games: Game, room: int, until: Int[Array, ""]
) -> tuple[Game, Metrics, Int[Array, " b"]]:
    """Continue each game for at most `room` ticks, and not beyond the tick `until`.

    Returns:
        The games, the metrics after each tick `[B, room]`, and how many rows of these are real.
    """

    def watch(params: Params, orders: Orders, game: Game, decision: Decision) -> Metrics:
        del decision
        return measure(params, orders, game.progress, game.state)

    def one(
        params: Params, orders: Orders, lane: Lanes, key: Key[Array, ""], game: Game, until: Array
    ) -> tuple[Game, Metrics, Array]:
        del lane
        return advance_watched(params, orders, game, key, watch, room, until)

    return _side_by_side(mesh, one, (until,), params, orders, lanes, games)


@partial(jax.jit, static_argnums=(0, 5))
def end(mesh: Mesh, params: Params, orders: Orders, lanes: Lanes, games: Game, steps: int) -> Episode:
    """Summarise each game, without its last state; `steps` is the capacity of the player's plans."""

    def one(params: Params, orders: Orders, lane: Lanes, key: Key[Array, ""], game: Game) -> Episode:
        del lane, key
        return finish(params, orders, game, steps).replace(game=None)

    return _side_by_side(mesh, one, (), params, orders, lanes, games)


def _side_by_side(
    mesh: Mesh, function: Callable[..., Tree], extra: tuple[Array, ...], params: Params, orders: Orders, *own: Tree
) -> Tree:
    """Call `function(params, orders, lane, key, *own, *extra)` for each lane, as one flat batch on each device."""

    def here(extra: tuple[Array, ...], params: Params, orders: Orders, lanes: Lanes, *own: Tree) -> Tree:
        def one(lane: Lanes, *own: Tree) -> Tree:
            rules = _row(params.rules, lane.rules)
            plan = _row(orders.plan.replace(place=None), lane.plan).replace(place=orders.plan.place)
            key = jax.random.key(lane.seed)
            return function(params.replace(rules=rules), orders.replace(plan=plan), lane, key, *own, *extra)

        return jax.vmap(one)(lanes, *own)

    places = (SHARED, SHARED, SHARED, *[OWN] * len(own))
    # Nothing here talks to another device, so there is no replication for JAX to check.
    return jax.shard_map(here, mesh=mesh, in_specs=places, out_specs=OWN, check_vma=False)(extra, params, orders, *own)


def _row(table: Tree, number: Int[Array, ""]) -> Tree:
    return jax.tree.map(lambda leaf: leaf[0] if leaf.shape[0] == 1 else leaf[number], table)
