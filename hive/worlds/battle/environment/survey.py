"""What each squad observes, as a vector of fixed length (docs/rules/learning.md 11.3).

The length depends on the number of other squads that are listed, and neither on the number of units nor on that of
squads: numbers of units are given as shares, so that a policy that was trained with 20 units runs with 2,000.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from hive.engine.behaviours.tables import FOE_SHIFT, SenseOrder
from hive.engine.types import Params, State
from hive.engine.units.motion import rows_of
from hive.engine.units.senses import SenseQueries, Senses, sense
from hive.ground.exact import divided, length, rounded
from hive.ground.terrain import cell, in_forest, lookup
from hive.kit.environment.env import LearnerView
from hive.worlds.battle.environment.missions import MISSION_SIZE, observe_mission
from hive.worlds.battle.environment.observation import SCALE
from hive.worlds.battle.environment.squads import SquadOrders, Squads, mean

_PARTS = np.float32(1024)  # shares are summed in these parts, as integers


def features_of(params: Params, squads: Squads, nearest: int) -> int:
    """Length of an observation."""
    mission = MISSION_SIZE if squads.mission is not None else 0
    kinds, trees = params.types.speed.shape[0], params.behaviours.leaves.op.shape[0]
    return (2 + kinds) + 5 + 5 + (trees + 2) + nearest * (4 + kinds) + 4 * kinds + mission


def survey(params: Params, squads: Squads, state: State, order: SquadOrders, nearest: int) -> LearnerView:
    """Return what each squad of a side observes, and which choices it has.

    Args:
        params: The battle.
        squads: The side's squads.
        state: The state that is observed.
        order: The orders that the squads follow.
        nearest: Other squads that an observation lists.

    Returns:
        `[A, F]` float32 in [-1, 1], zeros for a squad without a living unit; `docs/rules/learning.md` 11.3 lists them.
    """
    params = params.now(state)
    living = squads.member & state.alive[None]
    count, full = living.sum(1), squads.member.sum(1)
    alive = count > 0
    at, size = mean(params, living, state.position), params.terrain.size
    senses = _look(params, squads, state)
    health = state.health / jnp.maximum(params.types.max_health[params.units.type], state.health)
    flags = jax.nn.one_hot(squads.kind, params.types.speed.shape[0], dtype=jnp.float32)
    strength = _share(count, full)
    spread = mean(params, living, _apart(state.position, squads, at)).sum(1)
    forest = in_forest(lookup(params.terrain, cell(state.position, size)))
    target = _places(params, squads)[order.target]
    limit = jnp.maximum(params.rules.limit, state.tick)  # a divisor of this game alone: see `hive.ground.exact`
    everywhere = jnp.stack([_share(count.sum(), full.sum()), _share(state.tick, limit)])

    parts = [
        jnp.stack([strength, _average(living, health)], axis=1),
        flags,
        squads.turn[None] * (rounded(2.0 * at / size) - 1.0),
        _bounded(squads, squads.goal[None] - at),
        (spread / (spread + SCALE))[:, None],
        jnp.stack([_average(living, each) for each in (senses.found.any(0), state.cooldown <= 0, forest)], axis=1),
        jnp.broadcast_to(everywhere[None], (alive.shape[0], 2)),
        jax.nn.one_hot(order.tree, params.behaviours.leaves.op.shape[0], dtype=jnp.float32),
        _bounded(squads, target - at),
        _others(squads, at, alive, jnp.concatenate([strength[:, None], flags], axis=1), nearest),
        _foes(params, squads, state, senses, at, count, health),
    ]
    if squads.mission is not None:  # as the first living unit of each squad is told it
        parts.append(observe_mission(params, state, living.argmax(1), squads.turn, squads.mission))
    numbers = jnp.clip(jnp.concatenate(parts, axis=1), -1.0, 1.0)
    action_mask = jnp.broadcast_to(alive[:, None], (alive.shape[0], squads.table.tree.shape[0]))
    return LearnerView(
        observation=jnp.where(alive[:, None], numbers, 0.0),
        action_mask=action_mask.at[:, 0].set(True),
        alive=alive,
    )


def _look(params: Params, squads: Squads, state: State) -> Senses:
    """The nearest visible foe of each type of each unit of the squads; a slot for each type that foes have."""
    mine = squads.member.any(0)
    mask = jnp.stack([jnp.where(mine, 1 << (FOE_SHIFT * (1 - squads.side) + kind), 0) for kind in squads.foes])
    zeros = jnp.zeros(mask.shape, jnp.float32)
    asked = SenseQueries(
        mask=mask.astype(jnp.int32),
        base=zeros + 1e6,
        theirs=zeros,
        steps=zeros,
        health=zeros + jnp.inf,
        order=jnp.full(mask.shape, SenseOrder.CLOSEST.value, jnp.int32),
        flip=jnp.zeros(mask.shape, jnp.int32),
        flock=jnp.zeros((0, mask.shape[1]), jnp.int32),
    )
    return sense(params, state, asked, jnp.uint32(0))


def _foes(
    params: Params,
    squads: Squads,
    state: State,
    senses: Senses,
    at: Float[Array, "a 2"],
    count: Int[Array, " a"],
    health: Float[Array, " n"],
) -> Float[Array, "a f"]:
    """For each unit type, of the foes that are the nearest of their type to some unit of the squad: see the rules."""
    squad = jnp.where(squads.member.any(0), squads.member.argmax(0), squads.kind.shape[0])
    rows = rows_of(params)
    parts = [jnp.zeros((at.shape[0], 4))] * params.types.speed.shape[0]
    for slot, kind in enumerate(squads.foes):
        seen = jnp.zeros(squads.member.shape, bool).at[squad, senses.unit[slot]].set(True, mode="drop")  # by id
        number = seen.sum(1)
        away = _bounded(squads, mean(params, seen, state.position[rows]) - at)
        found = [_share(number, number + count)[:, None], away, _average(seen, health[rows])[:, None]]
        parts[kind] = jnp.where((number > 0)[:, None], jnp.concatenate(found, axis=1), 0.0)
    return jnp.concatenate(parts, axis=1)


def _others(
    squads: Squads, at: Float[Array, "a 2"], alive: Bool[Array, " a"], known: Float[Array, "a k"], nearest: int
) -> Float[Array, "a f"]:
    """For each of the nearest living squads of the side: 1, its direction, and what is known of it."""
    count = at.shape[0]
    offset = at[None] - at[:, None]
    there = alive[None] & ~jnp.eye(count, dtype=bool)
    far = jnp.where(there, -length(offset), -jnp.inf)
    far = jnp.pad(far, ((0, 0), (0, max(0, nearest - count))), constant_values=-jnp.inf)
    value, other = lax.top_k(far, nearest)
    real = value > -jnp.inf
    other = jnp.where(real, other, 0)
    way = _bounded(squads, jnp.take_along_axis(offset, other[..., None], axis=1))
    listed = jnp.concatenate([jnp.ones_like(way[..., :1]), way, known[other]], axis=-1)
    return jnp.where(real[..., None], listed, 0.0).reshape(count, -1)


def _apart(position: Float[Array, "n 2"], squads: Squads, at: Float[Array, "a 2"]) -> Float[Array, "n 2"]:
    """Distance of each unit from the middle of its squad along each axis; metres."""
    return jnp.abs(position - at[squads.member.argmax(0)])


def _places(params: Params, squads: Squads) -> Float[Array, "p 2"]:
    """Waypoints of the grid and the goal, metres."""
    step = (np.arange(squads.grid, dtype=np.float32) + np.float32(0.5)) * np.float32(params.terrain.size / squads.grid)
    grid = np.stack(np.meshgrid(step, step, indexing="ij"), -1).reshape(-1, 2)
    return jnp.concatenate([jnp.asarray(grid), squads.goal[None]])


def _average(chosen: Bool[Array, "a n"], values: Array) -> Float[Array, " a"]:
    """Mean of values in [0, 1] over the chosen units, 0 where there is none."""
    whole = jnp.round(values.astype(jnp.float32) * _PARTS).astype(jnp.int32)
    total = jnp.where(chosen, whole[None], 0).sum(1).astype(jnp.float32) / _PARTS
    return total / jnp.maximum(chosen.sum(1), 1).astype(jnp.float32)


def _share(part: Int[Array, "*a"], whole: Int[Array, "*a"]) -> Float[Array, "*a"]:
    """Part of a whole; 0 of nothing."""
    return part.astype(jnp.float32) / jnp.maximum(whole, jnp.maximum(part, 1)).astype(jnp.float32)


def _bounded(squads: Squads, way: Float[Array, "*a 2"]) -> Float[Array, "*a 2"]:
    """Direction of a way of any length in the view of the side, shorter than 1; half as long at `SCALE` metres."""
    return divided(jnp.broadcast_to(squads.turn, way.shape) * way, length(way) + SCALE)
