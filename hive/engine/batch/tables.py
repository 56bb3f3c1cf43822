"""Different battles as lanes of one program: maps, armies, missions and both sides' plans are rows of tables.

A lane is a row of the table of plans, whose row names its battle, and a seed. All distance maps of a batch form one
bank, in which the targets of a plan are numbered from the first map of its battle, so that no lane copies one.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from flax import struct
from jax import lax
from jax.sharding import Mesh
from jaxtyping import Array, Bool, Int, UInt

from hive.engine.batch.devices import OWN, SHARED
from hive.engine.episode import Episode, advance, begin, finish
from hive.engine.plan.arrays import join_orders, make_orders
from hive.engine.types import Orders, Params, Plan
from hive.ground.sizes import current

OF_BATTLE = ("units", "boxes", "rules", "goals", "terrain")
"""Fields of `Params` in which battles of one program differ."""


class Tables(struct.PyTreeNode, kw_only=True):
    """What the lanes of a batch play: W battles, R plans of the player with the enemy's plan of the same row."""

    # Units, boxes, rules, goals and terrain have an axis of battles; types and trees are the same for all. `enemy` has
    # the axes of `plan`.
    params: Params
    plan: Plan  # fields have an axis of rows; `place` and `cover` of battles: all targets of the battle's plans
    battle: Int[Array, " r"]  # of each row


class Games(struct.PyTreeNode, kw_only=True):
    """Which game each lane plays."""

    seed: UInt[Array, " b"]
    row: Int[Array, " b"]  # of the table of plans
    real: Bool[Array, " b"]  # False: a lane that only fills the capacity


@partial(jax.jit, static_argnums=0)
def play_games(mesh: Mesh, tables: Tables, games: Games) -> Episode:
    """Play each game to its end.

    Args:
        mesh: The devices.
        tables: The same for all devices.
        games: `[B]`, B a multiple of the number of devices.

    Returns:
        Games `[B]`, without their last states.
    """

    def here(tables: Tables, games: Games) -> Episode:
        params, orders = tables.params.replace(enemy=None), _orders(tables)

        def one(game: Games) -> Episode:
            battle = tables.battle[game.row]
            own = _battle(params, battle)
            mine = _lane_orders(orders, game.row, battle)
            key = jax.random.key(game.seed)
            until = jnp.where(game.real, own.rules.limit, 0)
            played = advance(own, mine, begin(own, mine, key), key, until)
            return finish(own, mine, played, tables.plan.exists.shape[1]).replace(game=None)

        return jax.vmap(one)(games)

    # Nothing here talks to another device, so there is no replication for JAX to check.
    return jax.shard_map(here, mesh=mesh, in_specs=(SHARED, OWN), out_specs=OWN, check_vma=False)(tables, games)


def _battle(params: Params, battle: Int[Array, ""]) -> Params:
    """Return one battle of a table, without a plan of the enemy."""
    own = {name: getattr(params, name) for name in OF_BATTLE}
    return params.replace(**jax.tree.map(lambda leaf: leaf[battle], own))


def _lane_orders(orders: Orders, row: Int[Array, ""], battle: Int[Array, ""]) -> Orders:
    shared = {"place": orders.plan.place, "cover": orders.plan.cover}
    plan = jax.tree.map(lambda leaf: leaf[row], orders.plan.replace(**dict.fromkeys(shared)))
    return orders.replace(plan=plan.replace(**shared), goal_row=2 * battle + jnp.arange(2))


def _orders(tables: Tables) -> Orders:
    """Return the orders of all rows with the distance maps of all battles; targets are rows of one bank."""
    params, enemy, plan = tables.params.replace(enemy=None), tables.params.enemy, tables.plan
    first, theirs = (jax.tree.map(lambda leaf: leaf[0], _without_places(each)) for each in (plan, enemy))

    def maps(battle: Int[Array, ""]) -> Orders:
        own = _battle(params, battle).replace(enemy=_at(theirs, enemy, battle))
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
        own = _battle(params, battle).replace(enemy=_at(other, enemy, battle))
        both = join_orders(own, _at(mine, plan, battle), distance).plan
        return both.replace(target=both.target + battle * room, place=None, cover=None)

    rows = jax.vmap(joined)(_without_places(plan), _without_places(enemy), tables.battle)
    return Orders(plan=rows.replace(place=place, cover=cover), distance=distance, owner=each.owner[0], goal=goal)


def _without_places(plan: Plan) -> Plan:
    return plan.replace(place=None, cover=None)


def _at(row: Plan, table: Plan, battle: Int[Array, ""]) -> Plan:
    """Return a row of a table of plans with the targets of a battle."""
    return row.replace(place=table.place[battle], cover=None if table.cover is None else table.cover[battle])
