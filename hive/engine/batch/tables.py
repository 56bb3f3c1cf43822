"""Different battles as lanes of one program: maps, armies, missions and both sides' plans are rows of tables.

A game is a row of the table of plans, which names its battle, and a seed. Games of different battles differ in length,
so a lane whose game has ended takes the next one. All distance maps of a batch form one bank, in which the targets of a
plan are numbered from the first map of its battle, so that no lane copies one.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from flax import struct
from jax import lax
from jax.sharding import Mesh
from jaxtyping import Array, Bool, Int, Key, UInt

from hive.engine.batch.devices import OWN, SHARED
from hive.engine.episode import Episode, Game, advance, begin, finish
from hive.engine.plan.arrays import join_orders, make_orders
from hive.engine.traces import jit_game
from hive.engine.types import Orders, Outcome, Params, Plan
from hive.ground.sizes import current

OF_BATTLE = ("units", "boxes", "rules", "goals", "terrain")
"""Fields of `Params` in which battles of one program differ."""


SEGMENT = 20  # ticks after which lanes whose games have ended take others


class Tables(struct.PyTreeNode, kw_only=True):
    """What the lanes of a batch play: W battles, R plans of the player with the enemy's plan of the same row."""

    # Units, boxes, rules, goals and terrain have an axis of battles; types and trees are the same for all. `enemy` has
    # the axes of `plan`.
    params: Params
    plan: Plan  # fields have an axis of rows; `place` and `cover` of battles: all targets of the battle's plans
    battle: Int[Array, " r"]  # of each row


class Games(struct.PyTreeNode, kw_only=True):
    """The games of a batch."""

    seed: UInt[Array, " b"]
    row: Int[Array, " b"]  # of the table of plans
    real: Bool[Array, " b"]  # False: only fills the capacity; such games come last


class _Lanes(struct.PyTreeNode, kw_only=True):
    number: Int[Array, " l"]  # the game that each lane plays; B and more: none
    fresh: Bool[Array, " l"]  # whether the lane has yet to begin it
    game: Game
    next: Int[Array, ""]  # the first game that no lane has
    ends: Episode  # of all games `[B]`


@jit_game(static_argnums=(0, 3))
def play_games(mesh: Mesh, tables: Tables, games: Games, lanes: int) -> Episode:
    """Play each game to its end; a lane whose game has ended plays the next that no lane has.

    Args:
        mesh: The devices.
        tables: The same for all devices.
        games: `[B]`, B a multiple of the number of devices, which have equal parts of them.
        lanes: Games that each device plays at once (static).

    Returns:
        Games `[B]`, without their last states.
    """

    def here(tables: Tables, games: Games) -> Episode:
        params, orders = tables.params.replace(enemy=None), orders_of_rows(tables)
        size, count = games.seed.shape[0], games.real.sum(dtype=jnp.int32)

        def of(number: Int[Array, ""]) -> tuple[Params, Orders, Key[Array, ""]]:
            at = jnp.minimum(number, size - 1)
            row = games.row[at]
            own = battle_of(params, tables.battle[row])
            return own, lane_orders(orders, row, tables.battle[row]), jax.random.key(games.seed[at])

        def start(number: Int[Array, ""]) -> Game:
            own, mine, key = of(number)
            game = begin(own, mine, key)
            return game.replace(outcome=jnp.where(number < count, game.outcome, Outcome.TIMEOUT))

        def go_on(number: Int[Array, ""], game: Game) -> tuple[Game, Episode]:
            own, mine, key = of(number)
            game = advance(own, mine, game, key, game.state.tick + SEGMENT)
            return game, finish(own, mine, game, tables.plan.exists.shape[1]).replace(game=None)

        def turn(all_lanes: _Lanes) -> _Lanes:
            number, fresh = all_lanes.number, all_lanes.fresh

            def renewed() -> Game:
                return jax.tree.map(partial(_chosen, fresh), jax.vmap(start)(number), all_lanes.game)

            game, ends = jax.vmap(go_on)(number, lax.cond(fresh.any(), renewed, lambda: all_lanes.game))
            ended = (game.outcome != Outcome.RUNNING) & (number < count)
            at = jnp.where(ended, number, size)
            kept = jax.tree.map(lambda old, new: old.at[at].set(new, mode="drop"), all_lanes.ends, ends)
            following = all_lanes.next + jnp.cumsum(ended, dtype=jnp.int32) - 1
            return _Lanes(
                number=jnp.where(ended, following, number),
                fresh=ended,
                game=game,
                next=all_lanes.next + ended.sum(dtype=jnp.int32),
                ends=kept,
            )

        first = jnp.arange(lanes, dtype=jnp.int32)
        game, ends = jax.eval_shape(lambda: jax.vmap(go_on)(first, jax.vmap(start)(first)))
        all_lanes = _Lanes(
            number=first,
            fresh=jnp.ones(lanes, bool),
            game=jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), game),
            next=jnp.int32(lanes),
            ends=jax.tree.map(lambda leaf: jnp.zeros((size, *leaf.shape[1:]), leaf.dtype), ends),
        )
        played: _Lanes = lax.while_loop(lambda each: (each.number < count).any(), turn, all_lanes)
        return played.ends

    # Nothing here talks to another device, so there is no replication for JAX to check.
    return jax.shard_map(here, mesh=mesh, in_specs=(SHARED, OWN), out_specs=OWN, check_vma=False)(tables, games)


def _chosen(which: Bool[Array, " l"], new: Array, old: Array) -> Array:
    return jnp.where(which.reshape(-1, *[1] * (new.ndim - 1)), new, old)


def battle_of(params: Params, battle: Int[Array, ""]) -> Params:
    """Return one battle of a table, from parameters as `Tables` has them but without a plan of the enemy."""
    own = {name: getattr(params, name) for name in OF_BATTLE}
    return params.replace(**jax.tree.map(lambda leaf: leaf[battle], own))


def lane_orders(orders: Orders, row: Int[Array, ""], battle: Int[Array, ""]) -> Orders:
    """Return the orders of one row of `orders_of_rows` in its battle; the distance maps are those of all battles."""
    shared = {"place": orders.plan.place, "cover": orders.plan.cover}
    plan = jax.tree.map(lambda leaf: leaf[row], orders.plan.replace(**dict.fromkeys(shared)))
    return orders.replace(plan=plan.replace(**shared), goal_row=2 * battle + jnp.arange(2))


def orders_of_rows(tables: Tables) -> Orders:
    """Return the orders of all rows with the distance maps of all battles; targets are rows of one bank."""
    params, enemy, plan = tables.params.replace(enemy=None), tables.params.enemy, tables.plan
    first, theirs = (jax.tree.map(lambda leaf: leaf[0], _without_places(each)) for each in (plan, enemy))

    def maps(battle: Int[Array, ""]) -> Orders:
        own = battle_of(params, battle).replace(enemy=_at(theirs, enemy, battle))
        return make_orders(own, _at(first, plan, battle))

    number = jnp.arange(plan.place.shape[0], dtype=jnp.int32)
    # One after another on a processor: the words of the search then stay in its cache, and ways under cover are
    # searched only where a plan asks for them.
    each: Orders = jax.vmap(maps)(number) if current().flat else lax.map(maps, number)
    place, cover, distance, goal = jax.tree.map(
        lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), (each.plan.place, each.plan.cover, each.distance, each.goal)
    )
    room = plan.place.shape[1] + enemy.place.shape[1]

    def joined(mine: Plan, other: Plan, battle: Int[Array, ""]) -> Plan:
        own = battle_of(params, battle).replace(enemy=_at(other, enemy, battle))
        both = join_orders(own, _at(mine, plan, battle), distance).plan
        return both.replace(target=both.target + battle * room, place=None, cover=None)

    rows = jax.vmap(joined)(_without_places(plan), _without_places(enemy), tables.battle)
    return Orders(plan=rows.replace(place=place, cover=cover), distance=distance, owner=each.owner[0], goal=goal)


def _without_places(plan: Plan) -> Plan:
    return plan.replace(place=None, cover=None)


def _at(row: Plan, table: Plan, battle: Int[Array, ""]) -> Plan:
    """Return a row of a table of plans with the targets of a battle."""
    return row.replace(place=table.place[battle], cover=None if table.cover is None else table.cover[battle])
