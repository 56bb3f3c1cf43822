"""Steps that a tree may choose: straight steps, and the best candidate of `follow_map`."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int, UInt

from hive.engine.behaviours.tables import MoveTable
from hive.engine.types import Orders, Params, State
from hive.engine.units import draws
from hive.engine.units.senses import NOBODY, Senses
from hive.ground.exact import length, rounded, square
from hive.ground.flat import over_worlds
from hive.ground.hashing import kept, read
from hive.ground.lines import blocked_fan, blocked_step
from hive.ground.sizes import current
from hive.ground.sums import totals
from hive.ground.terrain import cell

FOREST, OPEN, SEEN = 1, 4, 12  # weight of a step onto a cell of a way under cover (docs/rules/plans.md 3.11)

_COMPASS = np.array([[0, 1], [1, 0], [0, -1], [-1, 0], [0, 0]], np.float32)  # DIRECTIONS; center is found below
_CENTER = len(_COMPASS) - 1


def _fan() -> np.ndarray:
    angle = np.repeat(np.arange(8), 4) * (np.pi / 4)
    length = np.tile([0.25, 0.5, 0.75, 1.0], 8)
    rays = np.stack([np.cos(angle), np.sin(angle)], -1) * length[:, None]
    return np.concatenate([np.zeros((1, 2)), rays]).round(12).astype(np.float32)


FAN = _fan()  # the 33 candidates of `follow_map`, for speed 1 (docs/rules/trees.md 5.1)


class Follow(struct.PyTreeNode, kw_only=True):
    """Results of `follow_map`."""

    here: Float[Array, " n"]  # noisy distance of the own cell
    toward: Float[Array, "n 2"]  # step to the lowest candidate, metres
    away: Float[Array, "n 2"]  # step to the highest candidate, metres


def straight_steps(
    params: Params, state: State, senses: Senses, tree: Int[Array, " n"]
) -> tuple[Float[Array, "m n 2"], Bool[Array, "m n"]]:
    """Return the straight moves of each unit's tree, and whether each is possible (docs/rules/trees.md 4.3, `move`).

    Args:
        params: Rules, terrain and tables.
        state: The world.
        senses: The units that each unit chose.
        tree: `[N]` tree of each unit.

    Returns:
        `[M, N, 2]` steps in metres, no longer than the unit's speed; `[M, N]` whether the step has a reference unit and
        is free of buildings and water.
    """
    table: MoveTable = jax.tree.map(lambda a: jnp.take(a.T, tree, axis=1, mode="clip"), params.behaviours.moves)
    row_of = rows_of(params)
    speed = params.types.speed[params.units.type]
    steps, free = [], []
    for number in range(table.slot.shape[0]):
        slot = table.slot[number]
        chosen = jnp.take_along_axis(senses.unit, jnp.maximum(slot, 0)[None], axis=0)[0]
        there = state.position[row_of[jnp.where(chosen == NOBODY, 0, chosen)]]
        toward = shorten(there - state.position, speed) * table.sign[number][:, None]
        compass = jnp.asarray(_COMPASS)[table.compass[number]]
        center = table.compass[number] == _CENTER
        compass = jnp.where(center[:, None], _homeward(state.position, params.terrain.size), compass) * speed[:, None]
        step = jnp.where((slot >= 0)[:, None], toward, compass)
        clear = ~blocked_step(params.terrain, state.position, step)
        steps.append(step)
        free.append(jnp.where(slot >= 0, (chosen != NOBODY) & clear, center | clear))
    return jnp.stack(steps), jnp.stack(free)


def strays(
    orders: Orders, state: State, group: Int[Array, " n"], steps: Float[Array, "m n 2"], away: Float[Array, "n 2"]
) -> Bool[Array, "s n"] | None:
    """Return which steps the leash of the unit's group forbids (docs/rules/plans.md 3.9), or None without leashes.

    Args:
        orders: Both sides' plans.
        state: The world.
        group: `[N]` group of each unit.
        steps: `[M, N, 2]` straight steps, metres.
        away: `[N, 2]` step up the distance map, metres.

    Returns:
        `[M + 1, N]` for the straight steps and, last, `away`: whether the step ends farther from the target than the
        leash is long, and farther than it begins.
    """
    plan = orders.plan
    if plan.leash is None:
        return None
    long, place = plan.leash[group], plan.place[plan.target[group]].astype(jnp.float32)
    off = state.position - place
    ends = off[None] + rounded(jnp.concatenate([steps, away[None]]))
    end, now = square(ends[..., 0], ends[..., 1]), square(off[:, 0], off[:, 1])
    return (end > (long * long)[None]) & (end > now[None])


def held(params: Params, orders: Orders, state: State, group: Int[Array, " n"]) -> Bool[Array, " n"] | None:
    """Return which units wait for the group ahead of their own (docs/rules/plans.md 3.10); None without such groups.

    Args:
        params: Rules and terrain.
        orders: Both sides' plans and the distance maps.
        state: The world.
        group: `[N]` group that commands each unit, or -1.

    Returns:
        `[N]` whether the unit's distance on the map of its target is at most the mean of the live units of the group
        ahead and the gap.
    """
    plan = orders.plan
    if plan.behind is None:
        return None
    number = jnp.maximum(group, 0)
    counts = (state.alive & (group >= 0))[None]
    return (group >= 0) & at_gap(params, orders, state, number[None], counts, plan.behind[number, 1][None])[0]


def at_gap(
    params: Params,
    orders: Orders,
    state: State,
    group: Int[Array, "c n"],
    counts: Bool[Array, "c n"],
    gap: Int[Array, "c n"],
) -> Bool[Array, "c n"]:
    """Return which units of groups behind others are within a gap of the group ahead.

    Args:
        params: Rules and terrain.
        orders: Both sides' plans, some group of which is behind another one, and the distance maps.
        state: The world.
        group: `[C, N]` a group of each unit.
        counts: `[C, N]` whether the unit counts in the mean of that group.
        gap: `[C, N]` metres.

    Returns:
        `[C, N]` whether a unit of the group ahead counts, and the unit's distance on the map of its target is at most
        their mean and the gap. False for groups that are behind none.
    """
    plan = orders.plan
    assert plan.behind is not None, "some group is behind another one"
    groups, at = plan.tree.shape[0], cell(state.position, params.terrain.size)
    steps = orders.distance[plan.target[group], at[:, 0][None], at[:, 1][None]]
    entry = jnp.where(counts, group, groups)
    # No sum of whole numbers overflows; no way is so long that it would be cut here.
    most = np.uint32(min(2**31 - 1, (2**32 - 1) // params.count))
    total = totals(jnp.minimum(steps.astype(jnp.uint32), most), entry, groups)
    live = totals(counts.astype(jnp.uint32), entry, groups)
    mean = (total // jnp.maximum(live, 1)).astype(jnp.int32)
    lead = plan.behind[group, 0]
    if plan.cover is not None:
        gap = jnp.where(plan.cover[plan.target[group]], OPEN * gap, gap)
    ahead = jnp.maximum(lead, 0)
    return (lead >= 0) & (live[ahead] > 0) & (steps <= mean[ahead] + gap)


def rows_of(params: Params) -> Int[Array, " n"]:
    """Return `[N]` the row of the unit with each id."""
    count = params.count
    return jnp.zeros(count, jnp.int32).at[params.units.id].set(jnp.arange(count, dtype=jnp.int32))


def shorten(vector: Float[Array, "n 2"], most: Float[Array, " n"]) -> Float[Array, "n 2"]:
    """Scale vectors longer than `most` to that length."""
    size = length(vector)
    return rounded(vector * jnp.where(size > most, most / jnp.maximum(size, 1e-12), 1.0)[:, None])


def _homeward(position: Float[Array, "n 2"], side: int) -> Float[Array, "n 2"]:
    off = side / 2 - position
    along = jnp.abs(off[:, :1]) > jnp.abs(off[:, 1:])
    return jnp.where(jnp.concatenate([along, ~along], 1), jnp.sign(off), 0.0)


def follow(params: Params, orders: Orders, state: State, target: Int[Array, " n"], word: UInt[Array, ""]) -> Follow:
    """Compare the 33 candidate steps of `follow_map` (docs/rules/trees.md 5).

    Args:
        params: Rules and terrain.
        orders: The distance maps.
        state: The world.
        target: `[N]` distance map of each unit.
        word: Random word of the tick, for the noise.

    Returns:
        The noisy distance of the own cell and the two best steps.
    """
    speed = params.types.speed[params.units.type]
    word = kept(draws.unit_words(word, params.units.id, draws.Stream.WANDER))
    randomness = jnp.broadcast_to(params.rules.movement_randomness, speed.shape)
    fan = jnp.asarray(FAN)
    blocked = blocked_fan(params.terrain, state.position, speed, fan)
    cover = orders.plan.cover
    weigh = _weigh_flat if cover is None else _weigh_covered_flat
    here, lowest, highest = weigh(orders.distance, (state.position, speed, target, word, randomness, blocked))
    if cover is not None:  # such a map counts quarters of a metre on open ground
        here = jnp.where(cover[target], here / OPEN, here)
    return Follow(here=here, toward=fan[lowest] * speed[:, None], away=fan[highest] * speed[:, None])


def _compare(distance: Any, own: tuple[Array, ...], most: int) -> Any:
    """Return the noisy own distance and the indices of the lowest and highest candidates, for the units of all worlds.

    Units are processed in blocks: the 33 candidates of a complete army would pass through memory in each operation.
    """
    worlds, count = own[1].shape
    rows, side = worlds * count, distance.shape[-1]
    far, turns = np.float32(most * side * side), -(-rows // current().units)
    block = -(-rows // turns)  # equal ones: the rows of a last, shorter one would cost as much as a full block's
    world = jnp.repeat(jnp.arange(worlds, dtype=jnp.int32), count) if distance.shape[0] > 1 else jnp.zeros(rows, int)
    flat = (*(leaf.reshape(rows, *leaf.shape[2:]) for leaf in own), world)
    number = np.arange(len(FAN), dtype=np.uint32) * np.uint32(0x9E3779B1)

    def weigh(turn: Array, out: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        first = jnp.minimum(turn * block, rows - block)  # the last block may repeat a few units
        here = jax.tree.map(lambda leaf: lax.dynamic_slice_in_dim(leaf, first, block), flat)
        position, speed, target, word, randomness, blocked, world = here
        east, north = (
            cell(position[:, None, axis] + rounded(FAN[None, :, axis] * speed[:, None]), side) for axis in (0, 1)
        )
        place = ((world * distance.shape[1] + target)[:, None] * side + east) * side + north  # [B, 33]
        noise = rounded(randomness[:, None] * draws.uniform(draws.mix(word[:, None] + number[None])))
        added = kept(jnp.where(blocked, jnp.inf, noise))  # infinite where the step is blocked
        value = (read(distance.reshape(-1), place).astype(jnp.float32) + added).T  # [33, B]
        value = jnp.where(jnp.isinf(value), far, value)
        near = jnp.where(value >= far, -1.0, value)
        found = (value[0], _first(value == value.min(0, keepdims=True)), _first(near == near.max(0, keepdims=True)))
        return jax.tree.map(lambda leaf, new: lax.dynamic_update_slice_in_dim(leaf, new, first, 0), out, found)

    nothing = jnp.zeros(rows, jnp.int32)
    out = lax.fori_loop(0, turns, weigh, (jnp.zeros(rows), nothing, nothing))
    return jax.tree.map(lambda leaf: leaf.reshape(worlds, count), out)


def _weigh(distance: Any, own: tuple[Array, ...]) -> Any:
    return _compare(distance, own, 1)


def _weigh_covered(distance: Any, own: tuple[Array, ...]) -> Any:
    return _compare(distance, own, SEEN)  # some of the maps are of ways under cover


_weigh_flat, _weigh_covered_flat = over_worlds(_weigh), over_worlds(_weigh_covered)


def _first(true: Bool[Array, "k n"]) -> Int[Array, " n"]:
    number = np.arange(true.shape[0], dtype=np.int32)[:, None]
    return jnp.where(true, number, true.shape[0] - 1).min(0)
