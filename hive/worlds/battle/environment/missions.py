"""What a side is asked to do, as numbers for learners (docs/rules/learning.md 17.2).

Units that play one battle learn its mission from rewards. Units that play many must be told: what both sides are to do,
where, and until when.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Float, Int

from hive.engine.objective import away, counted, reached
from hive.engine.types import GoalKind, Params, State
from hive.ground.distance import distance_maps
from hive.ground.exact import rounded
from hive.ground.terrain import cell
from hive.kit.environment.compass import COMPASS
from hive.worlds.battle.environment.observation import SCALE, bounded
from hive.worlds.battle.environment.team import goal_of
from hive.worlds.battle.world import Battle

_TEAM = 2 * len(GoalKind) + 5
MISSION_SIZE = _TEAM + 7
"""Numbers that `observe_mission` returns for a unit."""
_NO_WAY, _BITS = len(COMPASS), 4  # a word of `Mission.way`: the direction in the low bits, the steps above


class Mission(struct.PyTreeNode, kw_only=True):
    """A side's mission; kinds, places and numbers are those of `Params.goals`.

    Attributes:
        way: `[X, Y]` the way on foot to the goal: 16 times the steps, and the direction of the first one.
        side: PLAYER or ENEMY.
    """

    way: Int[Array, "x y"]
    side: int = struct.field(pytree_node=False)


def mission_of(world: Battle, side: int) -> Mission:
    """Return the mission of a side; its goal is any place of its objective, or `goal_of` where that names none."""
    params, size = world.params, world.params.terrain.size
    places = jnp.asarray(params.goals.place[side])
    if params.goals.kind[side] != GoalKind.POSITION:
        places = jnp.broadcast_to(goal_of(world, side), places.shape)
    steps = np.asarray(distance_maps(params.terrain, cell(places, size)[None]))[0]
    way: Any = (steps << _BITS) + _first_steps(steps)
    return Mission(way=jax.device_put(way.astype(np.int32)), side=side)


def _first_steps(steps: Int[np.ndarray, "x y"]) -> Int[np.ndarray, "x y"]:
    """Return for each cell the direction of its neighbour with the fewest steps, as an index of `COMPASS`.

    A diagonal counts where one can also go round its corner on both sides. 8 where no neighbour is nearer.
    """
    far = steps.size
    known = np.pad(steps, 1, constant_values=far)

    def beside(east: int, north: int) -> np.ndarray:
        return known[1 + east : 1 + east + len(steps), 1 + north : 1 + north + len(steps)]

    found = []
    for east, north in COMPASS.round().astype(int):
        corners = np.maximum(beside(east, 0), beside(0, north))
        found.append(np.where(corners < far, beside(east, north), far))
    least = np.array(found)
    return np.where(least.min(0) < steps, least.argmin(0), _NO_WAY)


def observe_mission(
    params: Params, state: State, rows: Int[Array, " n"], turn: Float[Array, " 2"], mission: Mission
) -> Float[Array, "n f"]:
    """Return what each of the units `rows` is told of its side's mission, in [-1, 1]; that of a dead one is not read.

    Args:
        params: The battle.
        state: The state.
        rows: Units of the side.
        turn: Signs of the axes in the view of the side.
        mission: The side's mission.

    Returns:
        `[n, MISSION_SIZE]` float32; `docs/rules/learning.md` 17.2 lists the numbers.
    """
    side, goals, at = mission.side, params.goals, state.position[rows]
    here = cell(at, params.terrain.size)
    word = mission.way[here[:, 0], here[:, 1]]
    steps = (word >> _BITS).astype(jnp.float32)
    first = jnp.asarray(np.append(COMPASS, np.zeros((1, 2), np.float32), axis=0))[word & ((1 << _BITS) - 1)]
    there = (goals.kind[side] == GoalKind.POSITION) & (away(params, state)[rows] <= params.rules.goal_radius)
    theirs = goals.place[1 - side]
    near = jnp.abs(theirs[None] - at[:, None]).sum(-1).argmin(1)
    threat = jnp.where(goals.kind[1 - side] == GoalKind.POSITION, bounded(theirs[near] - at), 0.0)
    team = _team(params, state, side)
    parts = [
        jnp.broadcast_to(team[None], (rows.shape[0], _TEAM)),
        jnp.stack([counted(params, side)[rows], there], axis=1).astype(jnp.float32),
        turn[None] * first,
        (steps / (steps + SCALE))[:, None],
        turn[None] * threat,
    ]
    return jnp.clip(jnp.concatenate(parts, axis=1), -1.0, 1.0)


def state_of_missions(params: Params, state: State, mission: Mission) -> Float[Array, " g"]:
    """Return the missions of both sides for a critic of one of them, in [-1, 1].

    Returns:
        What all units of the side are told alike, and the first place of either objective, -1 to 1 over the map, zeros
        where it names none.
    """
    goals, both = params.goals, np.array([mission.side, 1 - mission.side])
    place = rounded(2.0 * goals.place[both, 0] / params.terrain.size) - 1.0
    place = jnp.where((goals.kind[both] == GoalKind.POSITION)[:, None], place, 0.0)
    return jnp.concatenate([_team(params, state, mission.side), place.reshape(-1)])


def _team(params: Params, state: State, side: int) -> Float[Array, " t"]:
    """What a whole side is told alike."""
    goals, who, limit = params.goals, counted(params, side), params.rules.limit
    survive = goals.kind == GoalKind.SURVIVAL
    left = jnp.maximum(jnp.where(survive, goals.until, limit) - state.tick, 0)
    theirs = jnp.where(survive[1 - side], left[1 - side], 0)
    shares = [
        _share(goals.needed[side], who.sum()),
        _share((who & state.alive).sum(), who.sum()),
        reached(params, state, side).astype(jnp.float32),
        _share(left[side], limit),
        _share(theirs, limit),
    ]
    kinds = jax.nn.one_hot(goals.kind[np.array([side, 1 - side])], len(GoalKind), dtype=jnp.float32)
    return jnp.concatenate([kinds.reshape(-1), jnp.stack(shares)])


def _share(part: Int[Array, ""], whole: Int[Array, ""]) -> Float[Array, ""]:
    """Part of a whole, at most 1; divisors are of this game alone: see `hive.ground.exact`."""
    return part.astype(jnp.float32) / jnp.maximum(jnp.maximum(whole, part), 1).astype(jnp.float32)
