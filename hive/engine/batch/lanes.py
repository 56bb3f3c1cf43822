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
import numpy as np
from flax import struct
from jax import lax
from jax.sharding import Mesh
from jaxtyping import Array, Bool, Int, Key, UInt

from hive.engine.batch.devices import OWN, SHARED
from hive.engine.deciding import Decision
from hive.engine.episode import Episode, Game, Observer, advance, begin, finish, tick_running
from hive.engine.metrics import Metrics, measure
from hive.engine.plan.arrays import STACKED, make_orders
from hive.engine.swapping import hand_over
from hive.engine.traces import jit_game
from hive.engine.types import Orders, Outcome, Params, Plan

Tree = Any


class Lanes(struct.PyTreeNode, kw_only=True):
    """Which game each lane plays."""

    seed: UInt[Array, " b"]
    plan: Int[Array, " b"]  # row of the table of plans
    rules: Int[Array, " b"]  # row of the table of rules
    real: Bool[Array, " b"]  # False: padding that fills the devices evenly; such a game is over before it begins


_UNBATCHED: dict[str, Any] = {"distance": None, "owner": None, "goal": None}
AXES = Orders(plan=STACKED, **_UNBATCHED)
"""Axes of the orders of several plans: all fields except places, cover, distance maps and owners have a plan axis."""

make_table = jit_game(jax.vmap(make_orders, (None, STACKED), AXES))
"""`make_table(params, plans)` joins each stacked plan with the enemy's; one bank of distance maps serves them all."""


@jit_game
@partial(jax.vmap, in_axes=(None, STACKED, STACKED), out_axes=AXES)
def make_pairs(params: Params, plan: Plan, enemy: Plan) -> Orders:
    """Join each stacked plan with the enemy's plan of the same row, in place of the scenario's."""
    return make_orders(params.replace(enemy=enemy), plan)


@jit_game(static_argnums=(0,))
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
        return game.replace(outcome=jnp.where(lane.real, game.outcome, Outcome.TIMEOUT))

    return _side_by_side(mesh, one, (), params, orders, lanes)


@jit_game(static_argnums=(0,), donate_argnums=(4,))
def go_on(mesh: Mesh, params: Params, orders: Orders, lanes: Lanes, games: Game, until: Int[Array, ""]) -> Game:
    """Play each game until it ends or its tick reaches `until`."""

    def one(params: Params, orders: Orders, lane: Lanes, key: Key[Array, ""], game: Game, until: Array) -> Game:
        del lane
        return advance(params, orders, game, key, until)

    return _side_by_side(mesh, one, (until,), params, orders, lanes, games)


@jit_game(static_argnums=(0,), donate_argnums=(4,))
def change(
    mesh: Mesh, params: Params, orders: Orders, lanes: Lanes, games: Game, begins: Bool[Array | np.ndarray, " 2"]
) -> Game:
    """Give each game other orders of the same capacities; see `hive.engine.swapping.hand_over`."""

    def one(params: Params, orders: Orders, lane: Lanes, key: Key[Array, ""], game: Game, begins: Array) -> Game:
        del lane, key
        return hand_over(params, orders, game, begins)

    return _side_by_side(mesh, one, (jnp.asarray(begins),), params, orders, lanes, games)


@jit_game(static_argnums=(0, 5, 7), donate_argnums=(4,))
def go_on_watched(
    mesh: Mesh,
    params: Params,
    orders: Orders,
    lanes: Lanes,
    games: Game,
    room: int,
    until: Int[Array, ""],
    watch: Observer | None = None,
) -> tuple[Game, Metrics, Int[Array, " b"], Tree]:
    """Continue each game for at most `room` ticks, and not beyond the tick `until`.

    Args:
        mesh: The devices.
        params: As in `start`.
        orders: As in `start`.
        lanes: As in `start`.
        games: `[B]` games to continue.
        room: Most ticks (static).
        until: Tick to stop at, if that comes sooner.
        watch: What to keep of the first game of each device (static); called with None instead of a decision for the
            given game.

    Returns:
        The games, the metrics after each tick `[B, room]`, the number of real rows `[B]`, and the results of `watch`
        `[devices, room + 1]`, which have one more real row: the first row is the given game.
    """

    def here(until: Array, params: Params, orders: Orders, lanes: Lanes, games: Game) -> Tree:
        before, keys = games.state.tick, jax.vmap(jax.random.key)(lanes.seed)
        last = jnp.minimum(before + room, until)

        def show(games: Game, decisions: Decision | None) -> Tree:
            if watch is None:
                return ()
            lane, game, decision = jax.tree.map(lambda leaf: leaf[0], (lanes, games, decisions))
            return watch(*_own(params, orders, lane), game, decision)

        def one(lane: Lanes, key: Key[Array, ""], last: Array, game: Game) -> tuple[Game, Decision, Metrics]:
            own, plans = _own(params, orders, lane)
            after, decision = tick_running(own, plans, game, key)
            goes_on = (game.outcome == Outcome.RUNNING) & (game.state.tick < last)
            game = jax.tree.map(lambda new, old: jnp.where(goes_on, new, old), after, game)
            # of the game after the tick, as its end is judged, so that both share their sums; other rows are not real
            return game, decision, measure(own, plans, after.progress, after.state)

        @partial(jax.jit, inline=True)  # traced once for the shapes of the rows and for the loop
        def play(games: Game) -> tuple[Game, Metrics, Tree]:
            games, decisions, metrics = jax.vmap(one)(lanes, keys, last, games)
            return games, metrics, show(games, decisions)

        def goes_on(carry: tuple[Array, Game, Metrics, Tree]) -> Array:
            games = carry[1]
            return ((games.outcome == Outcome.RUNNING) & (games.state.tick < last)).any()

        def body(carry: tuple[Array, Game, Metrics, Tree]) -> tuple[Array, Game, Metrics, Tree]:
            row, games, log, shown = carry  # a running game has advanced by as many ticks as there are rows
            games, metrics, seen = play(games)
            log = jax.tree.map(lambda rows, now: lax.dynamic_update_index_in_dim(rows, now, row, 1), log, metrics)
            shown = jax.tree.map(lambda rows, now: lax.dynamic_update_index_in_dim(rows, now, row + 1, 0), shown, seen)
            return row + 1, games, log, shown

        given = show(games, None)
        _, metrics, _ = jax.eval_shape(play, games)
        log = jax.tree.map(lambda leaf: jnp.zeros((leaf.shape[0], room, *leaf.shape[1:]), leaf.dtype), metrics)
        shown = jax.tree.map(lambda leaf: jnp.zeros((room + 1, *leaf.shape), leaf.dtype), given)
        shown = jax.tree.map(lambda rows, now: lax.dynamic_update_index_in_dim(rows, now, 0, 0), shown, given)
        _, games, log, shown = lax.while_loop(goes_on, body, (jnp.int32(0), games, log, shown))
        return games, log, games.state.tick - before, jax.tree.map(lambda leaf: leaf[None], shown)

    return _on_each(mesh, here, until, params, orders, lanes, games)


@jit_game(static_argnums=(0, 5))
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
            return function(*_own(params, orders, lane), lane, jax.random.key(lane.seed), *own, *extra)

        return jax.vmap(one)(lanes, *own)

    return _on_each(mesh, here, extra, params, orders, *own)


def _on_each(
    mesh: Mesh, function: Callable[..., Tree], extra: Tree, params: Params, orders: Orders, *own: Tree
) -> Tree:
    """Call `function(extra, params, orders, *own)` on each device with its own lanes."""
    places = (SHARED, SHARED, SHARED, *[OWN] * len(own))
    # Nothing here talks to another device, so there is no replication for JAX to check.
    return jax.shard_map(function, mesh=mesh, in_specs=places, out_specs=OWN, check_vma=False)(
        extra, params, orders, *own
    )


def _own(params: Params, orders: Orders, lane: Lanes) -> tuple[Params, Orders]:
    """Return the rules and the plan of a lane."""
    shared = {"place": orders.plan.place, "cover": orders.plan.cover}
    plan = _row(orders.plan.replace(**dict.fromkeys(shared)), lane.plan).replace(**shared)
    return params.replace(rules=_row(params.rules, lane.rules)), orders.replace(plan=plan)


def _row(table: Tree, number: Int[Array, ""]) -> Tree:
    return jax.tree.map(lambda leaf: leaf[0] if leaf.shape[0] == 1 else leaf[number], table)
