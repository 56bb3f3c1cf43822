"""What each unit of the learning side observes, as a vector of fixed length (docs/rules/learning.md 2).

The length depends on the number of neighbours that are listed, and not on the number of units, so that a policy that
was trained with ten units runs with a thousand.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from hive.engine.types import Params, State
from hive.engine.units.senses import sight_matrix
from hive.ground.exact import divided, length, rounded, square
from hive.ground.terrain import cell, in_forest, lookup

SCALE = 15.0  # metres: no unit sees farther (docs/rules/battles.md 2.3), so relative positions are in [-1, 1]
CROWD = 8.0  # seen units at which the count is one half
_NONE = -1  # row of no enemy


class Nearby(struct.PyTreeNode, kw_only=True):
    """The nearest units of one side that each unit sees, the nearest first."""

    unit: Int[Array, "n k"]  # row of the unit; 0 where there is none
    there: Bool[Array, "n k"]  # whether there is one
    offset: Float[Array, "n k 2"]  # metres, 0 where there is none
    count: Int[Array, " n"]  # all that are seen


def look(params: Params, state: State, rows: Int[Array, " n"], nearest: int) -> tuple[Nearby, Nearby]:
    """Return the nearest units of its own side and of the other that each of the units `rows` sees."""
    side = params.units.side
    seen = sight_matrix(params, state)[rows]
    offset = state.position[None] - state.position[rows][:, None]
    apart = square(offset[..., 0], offset[..., 1])
    same = side[rows][:, None] == side[None]

    def of(chosen: Bool[Array, "n m"]) -> Nearby:
        far = jnp.where(chosen, -apart, -jnp.inf)
        far = jnp.pad(far, ((0, 0), (0, max(0, nearest - far.shape[1]))), constant_values=-jnp.inf)
        value, unit = lax.top_k(far, nearest)
        there = value > -jnp.inf
        unit = jnp.where(there, unit, 0)
        at = jnp.take_along_axis(offset, unit[..., None], axis=1)
        return Nearby(unit=unit, there=there, offset=jnp.where(there[..., None], at, 0.0), count=chosen.sum(1))

    return of(seen & same), of(seen & ~same)


def observe(
    params: Params,
    state: State,
    rows: Int[Array, " n"],
    goal: Float[Array, " 2"],
    turn: Float[Array, " 2"],
    friends: Nearby,
    foes: Nearby,
    detail: bool = False,
) -> Float[Array, "n f"]:
    """Return the observation of each of the units `rows`, in [-1, 1]; that of a dead unit is not read.

    Args:
        params: The world.
        state: The state that is observed.
        rows: Units of the learning side.
        goal: Metres; where the side is told to go.
        turn: Signs of the axes in the view of the side; see `hive.worlds.battle.environment.team.turn_of`.
        friends: From `look` for the same state and rows.
        foes: Likewise.
        detail: Whether to add the unit's rank, readiness of listed units, and who calls listed enemies; see `calls`.

    Returns:
        `[n, F]` float32; `docs/rules/learning.md` 2 lists the numbers.
    """
    own = _unit(params, state, rows)
    at, size = state.position[rows], params.terrain.size
    forest = in_forest(lookup(params.terrain, cell(at, size)))
    ready, passed = _ready(state)[rows], jnp.broadcast_to(_passed(params, state), rows.shape)
    parts = [
        own,
        turn[None] * (rounded(2.0 * at / size) - 1.0),
        turn[None] * bounded(goal[None] - at),
        jnp.stack([ready, forest.astype(jnp.float32), passed], axis=1),
    ]
    if detail:
        parts.append(_rank(params, rows)[:, None])
    for near in (friends, foes):
        there = near.there[..., None].astype(jnp.float32)
        row = [there, turn[None, None] * near.offset / SCALE, _unit(params, state, near.unit)]
        if detail:
            row.append(_ready(state)[near.unit][..., None])
        if detail and near is foes:
            row.append(calls(params, state, rows, foes)[..., None])
        listed = there * jnp.concatenate(row, axis=-1)
        mean = turn[None] * near.offset.sum(1) / jnp.maximum(there.sum(1), 1.0) / SCALE
        count = near.count.astype(jnp.float32)[:, None]
        parts += [listed.reshape(rows.shape[0], -1), count / (count + CROWD), mean]
    return jnp.clip(jnp.concatenate(parts, axis=1), -1.0, 1.0)


def calls(params: Params, state: State, rows: Int[Array, " n"], foes: Nearby) -> Float[Array, "n k"]:
    """Return 1 for the listed enemy that a unit calls, -1 for one that a unit which it sees calls, 0 for others.

    Living units whose weapons are ready take turns: those that see the fewest enemies first, and of equal ones the one
    that comes first in `rows`. Each calls the nearest listed enemy in its range that no unit which it sees has called
    before; without such an enemy it calls none.
    """
    every = jnp.arange(rows.shape[0])
    ready = state.alive.at[rows].get(mode="fill", fill_value=False) & (state.cooldown[rows] <= 0)
    open_ = in_reach(params, rows, foes) & ready[:, None]
    hears = sight_matrix(params, state)[rows][:, rows]

    def call(called: Int[Array, " n"], unit: Int[Array, ""]) -> tuple[Int[Array, " n"], None]:
        taken = ((foes.unit[unit][:, None] == called[None]) & hears[unit][None]).any(1)
        free = open_[unit] & ~taken
        chosen = jnp.where(free.any(), foes.unit[unit][free.argmax()], _NONE)
        return jnp.where(every == unit, chosen, called), None

    called, _ = lax.scan(call, jnp.full(rows.shape[0], _NONE, foes.unit.dtype), jnp.argsort(foes.count))
    by = foes.unit[:, :, None] == called[None, None]
    own, others = foes.unit == called[:, None], (by & hears[:, None]).any(2)
    return jnp.where(foes.there, jnp.where(own, 1.0, jnp.where(others, -1.0, 0.0)), 0.0)


def in_reach(params: Params, rows: Int[Array, " n"], foes: Nearby) -> Bool[Array, "n k"]:
    """Return which listed enemies are in the attack range of each of the units `rows`."""
    reach = params.types.reach[params.units.type[rows]][:, None]
    return foes.there & (square(foes.offset[..., 0], foes.offset[..., 1]) <= reach * reach)


def _rank(params: Params, rows: Int[Array, " n"]) -> Float[Array, " n"]:
    """Share of its side's units, dead ones included, whose rows are lower."""
    side, every = params.units.side, jnp.arange(params.count)
    same = side[rows][:, None] == side[None]
    lower = (same & (every[None] < rows[:, None])).sum(1).astype(jnp.float32)
    return lower / jnp.maximum(same.sum(1), 1).astype(jnp.float32)


def global_state(params: Params, state: State) -> Float[Array, " g"]:
    """Return the global state for a critic: position, health, readiness and type of all units, zeros for dead ones.

    Returns:
        `[N * (4 + K) + 1]` float32 in [-1, 1]: unit by unit in the order of rows, and the share of the limit that has
        passed.
    """
    every = jnp.arange(params.count)
    place = rounded(2.0 * state.position / params.terrain.size) - 1.0
    each = jnp.concatenate([place, _ready(state)[:, None], _unit(params, state, every)], axis=1)
    each = jnp.where(state.alive[:, None], each, 0.0).reshape(-1)
    return jnp.append(each, _passed(params, state))


def _ready(state: State) -> Float[Array, " n"]:
    return (state.cooldown <= 0).astype(jnp.float32)


def _passed(params: Params, state: State) -> Float[Array, ""]:
    """Share of the limit that has passed."""
    limit = jnp.maximum(params.rules.limit, state.tick)  # a divisor of this game alone: see `hive.ground.exact`
    return state.tick.astype(jnp.float32) / limit.astype(jnp.float32)


def _unit(params: Params, state: State, row: Int[Array, "*n"]) -> Float[Array, "*n f"]:
    """Share of full health, and the type as one of K flags."""
    kind, health = params.units.type[row], state.health[row]
    full = jnp.maximum(params.types.max_health[kind], health)  # a divisor of this game alone: see `hive.ground.exact`
    flags = jax.nn.one_hot(kind, params.types.max_health.shape[0], dtype=jnp.float32)
    return jnp.concatenate([(health / full)[..., None], flags], axis=-1)


def bounded(way: Float[Array, "n 2"]) -> Float[Array, "n 2"]:
    """Direction of a way of any length, shorter than 1; half as long at `SCALE` metres."""
    return divided(way, length(way) + SCALE)
