"""What is known of the orders of a plan when they are given, as a vector of fixed length for each group.

The numbers describe the squad, what it sees, and the order. None of them depends on the objective of the scenario or
on the limit of the game, so that what is learned from them holds whatever the game is about (docs/rules/costs.md 3).
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from dsl.vocabulary import UNIT_TYPES
from hive.engine.plan.progress import choose, fresh
from hive.engine.plan.progress import members as step_members
from hive.engine.types import Orders, Params, State
from hive.engine.units.senses import sight_matrix
from hive.ground.exact import length
from hive.ground.terrain import cell, in_forest, lookup

STRAIGHT, ON_FOOT = 0, 1  # columns: ticks / `TICKS` that the last unit needs in a straight line, and by the map
TICKS = 100.0
SCALE = 15.0  # metres, the farthest that a unit sees
CROWD = 8.0  # units at which a count is one half
_FAR = 4.0  # sides of the map: the longest way that is told apart


def members(params: Params, orders: Orders, state: State) -> Bool[Array, "g n"]:
    """`[G, N]` the living units of each group; choices are made in this state (docs/rules/plans.md 3.8)."""
    plan, progress = orders.plan, fresh(params, orders)
    if plan.choice is not None:
        progress = progress.replace(chosen=choose(params, orders, progress, state, plan.exists))
    counts = step_members(plan, progress)
    of = ((plan.member[None] == jnp.arange(plan.tree.shape[0])[:, None, None]) & counts[None]).any(1)
    return of & state.alive[None]


def order_features(
    params: Params, orders: Orders, state: State, column: Int[Array, " t"], behaviours: int
) -> Float[Array, "g f"]:
    """Return the features of the order of every group, as if it were given now.

    Args:
        params: The scenario.
        orders: Both sides' plans.
        state: The state in which the orders are given.
        column: `[T]` place of each tree of the scenario among the behaviours that are told apart.
        behaviours: Number of these.

    Returns:
        `[G, F]` float32; `docs/rules/costs.md` 3 lists the numbers.
    """
    params = params.now(state)
    plan, units, size = orders.plan, params.units, params.terrain.size
    of = members(params, orders, state)
    count = of.sum(1).astype(jnp.float32)
    share = of.astype(jnp.float32) / jnp.maximum(count, 1.0)[:, None]
    speed = jnp.maximum(params.types.speed[units.type], 1e-3)[None]
    at, cells = state.position, cell(state.position, size)
    target = plan.place[plan.target]
    offset = target.astype(jnp.float32)[:, None] - at[None]
    straight = length(offset)
    steps = orders.distance[plan.target[:, None], cells[None, :, 0], cells[None, :, 1]]
    steps = jnp.minimum(steps.astype(jnp.float32), _FAR * size)

    def last(ticks: Float[Array, "g n"]) -> Float[Array, " g"]:
        return jnp.where(of, ticks / speed, 0.0).max(1) / TICKS

    def mean(values: Float[Array, "n k"]) -> Float[Array, "g k"]:
        return share @ values

    middle = mean(at)
    spread = jnp.sqrt((share * length(at[None] - middle[:, None]) ** 2).sum(1))
    health = state.health / jnp.maximum(params.types.max_health[units.type], 1.0)
    wood = in_forest(lookup(params.terrain, cells)).astype(jnp.float32)
    side = jnp.where(of, units.side[None], 0).max(1)
    seen = (of.astype(jnp.float32) @ sight_matrix(params, state).astype(jnp.float32)) > 0
    foes = seen & (units.side[None] != side[:, None])
    friends = seen & (units.side[None] == side[:, None]) & ~of
    numbers = jnp.stack([foes.sum(1), friends.sum(1)], 1).astype(jnp.float32)
    watched = foes.astype(jnp.float32) / jnp.maximum(numbers[:, 0], 1.0)[:, None]
    kinds = jax.nn.one_hot(units.type, params.types.speed.shape[0], dtype=jnp.float32)
    bits = jnp.arange(len(UNIT_TYPES), dtype=jnp.int32)
    parts = [
        jnp.stack([last(straight), last(steps), (share * steps / speed).sum(1) / TICKS, spread / SCALE], 1),
        jnp.stack([count / (count + CROWD), share @ health, share @ wood], 1),
        mean(kinds),
        2.0 * middle / size - 1.0,
        2.0 * target.astype(jnp.float32) / size - 1.0,
        numbers / (numbers + CROWD),
        jnp.where(numbers[:, :1] > 0, watched @ at - middle, 0.0) / SCALE,
        watched @ kinds,
        jax.nn.one_hot(column[plan.tree], behaviours, dtype=jnp.float32),
        ((plan.types[:, None] >> bits[None]) & 1).astype(jnp.float32),
    ]
    return jnp.concatenate(parts, axis=1)
