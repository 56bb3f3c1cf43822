"""What units see of each other: the sensing sweep with line of sight, over slots of queries.

Every slot keeps the best candidate as two integer minima, of a key and of the unit id among equal keys, so that the
result does not depend on the order of candidates. Keys are the bits of a positive float (squared distance, health plus
noise), a hash (random) or a cooldown; `last` flips them. Lines are sampled only for pairs in range that match a slot
and that the clearance of both ends cannot decide.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int, UInt

from hive.behaviours.tables import ANY_TYPE, COOLDOWN, FOE_SHIFT, HEALTH, RANDOM, SenseTable
from hive.types import PLAYER, Params, State
from hive.units import draws
from hive.units.neighbours import meet
from hive.world.compaction import block_for, for_marked
from hive.world.exact import rounded, square
from hive.world.flat import over_worlds
from hive.world.lines import SIGHT_KINDS, blocked_samples
from hive.world.terrain import blocks_sight, cell, lookup, sight_clearance

SIGHT_CELL = 15.0  # metres, the cell of the sensing sweep; no sight range is longer (static)
NOBODY = np.int32(2**31 - 1)  # key and id of a slot that found no unit

_FLOCK_STEP = 2.0**-8  # metres, fixed point in which relative positions are summed
_BLOCK = 512  # lines sampled together
_MARGIN = 1e-3  # metres

Tree = Any


class Senses(struct.PyTreeNode, kw_only=True):
    """Answers of the slots for each unit."""

    key: Int[Array, "s n"]  # of the chosen unit, NOBODY when none matches
    unit: Int[Array, "s n"]  # its id, NOBODY when none matches
    flock_sum: Int[Array, "f n 2"]  # relative positions summed, multiples of 2^-8 m
    flock_quadrants: Int[Array, "f n"]  # bits of the quadrants in which a unit of the flock stands

    @property
    def found(self) -> Bool[Array, "s n"]:
        """`[S, N]` whether any unit matches."""
        return self.unit != NOBODY


class Ask(struct.PyTreeNode, kw_only=True):
    """Each unit's own slots, resolved: sides are absolute, ranges in metres."""

    mask: Int[Array, "s n"]  # bit `8 * side + type`
    base: Float[Array, "s n"]  # metres; the range rule is base + theirs * (their reach + steps * their speed)
    theirs: Float[Array, "s n"]
    steps: Float[Array, "s n"]
    health: Float[Array, "s n"]
    order: Int[Array, "s n"]
    flip: Int[Array, "s n"]
    flock: Int[Array, "f n"]


def ask(params: Params, tree: Int[Array, " n"], types: Int[Array, " n"]) -> Ask:
    """Look up each unit's slots.

    Args:
        params: Rules; the tables are `params.behaviours`.
        tree: `[N]` tree of each unit.
        types: `[N]` target types of the unit's plan as bits; they replace those of a slot written with `any`.

    Returns:
        `[S, N]` slots.
    """
    table: SenseTable = jax.tree.map(lambda a: jnp.take(a.T, tree, axis=1, mode="clip"), params.behaviours.senses)
    kind, side = params.units.type, params.units.side
    targets = jnp.where(table.written, types * (1 | 1 << FOE_SHIFT), ANY_TYPE | ANY_TYPE << FOE_SHIFT)
    own = params.types.reach[kind] + rounded(table.steps * params.types.speed[kind])
    ruled = (table.own_range != 0) | (table.their_range != 0)
    return Ask(
        mask=_absolute(table.mask & targets, side),
        base=jnp.where(ruled, table.own_range * own, 1e6),
        theirs=table.their_range,
        steps=table.steps,
        health=table.health,
        order=table.order,
        flip=jnp.where(table.last, NOBODY, 0),
        flock=_absolute(jnp.take(params.behaviours.flocks.T, tree, axis=1, mode="clip"), side),
    )


def _absolute(mask: Int[Array, "s n"], side: Int[Array, " n"]) -> Int[Array, "s n"]:
    """Convert friend and foe bits to bits of side 0 and side 1."""
    friend, foe = mask & ANY_TYPE, mask >> FOE_SHIFT
    return jnp.where(side == PLAYER, friend | foe << FOE_SHIFT, foe | friend << FOE_SHIFT)


def sense(params: Params, state: State, asked: Ask, word: UInt[Array, ""]) -> Senses:
    """Answer every slot of every unit (docs/rules/battles.md 3.2 and docs/rules/trees.md 3).

    Args:
        params: Rules and terrain.
        state: The world.
        asked: `[S, N]` slots, from `ask`.
        word: Random word of the tick; draws of a pair hash it with both ids.

    Returns:
        `[S, N]` the chosen units. Dead units neither choose nor are chosen.
    """
    kind, unit = params.units.type, params.units.id
    place = lookup(params.terrain, cell(state.position, params.terrain.size))
    # a unit in a forest neither sees nor is seen (docs/rules/battles.md 3.2)
    present = state.alive & ~blocks_sight(place)
    clear = sight_clearance(place) - _MARGIN
    common = {"x": state.position[:, 0], "y": state.position[:, 1], "id": unit, "clear": clear}
    query = common | {
        "sight": params.types.sight[kind],
        "word": draws.unit_words(word, unit, draws.PAIR),
        "ask": jax.tree.map(tuple, {f: getattr(asked, f) for f in _ASK}),
    }
    candidate = common | {
        "bit": 1 << (FOE_SHIFT * params.units.side + kind),
        "reach": params.types.reach[kind],
        "speed": params.types.speed[kind],
        "health": state.health,
        "full": params.types.max_health[kind],
        "cooldown": state.cooldown,
        "hash": unit.astype(jnp.uint32) * np.uint32(0x9E3779B1),
    }
    out = _sense_flat(params.terrain.word, (state.position, present, query, candidate))
    flocks, nothing = out["flock"], jnp.zeros((0, unit.shape[0], 2), jnp.int32)
    return Senses(
        key=jnp.stack([key for key, _ in out["best"]]),
        unit=jnp.stack([who for _, who in out["best"]]),
        flock_sum=jnp.stack([jnp.stack(f[:2], -1) for f in flocks]) if flocks else nothing,
        flock_quadrants=jnp.stack([f[2] for f in flocks]) if flocks else nothing[..., 0],
    )


_ASK = ("mask", "base", "theirs", "steps", "health", "order", "flip", "flock")


def _sense(words: Any, own: tuple[Array, Array, Tree, Tree]) -> Tree:
    position, present, query, candidate = own
    worlds, rows = position.shape[:2]
    query = query | {"world": jnp.broadcast_to(jnp.arange(worlds, dtype=jnp.int32)[:, None], (worlds, rows))}
    slots, flocks = len(query["ask"]["mask"]), len(query["ask"]["flock"])
    start = {"best": [(NOBODY, NOBODY)] * slots, "flock": [(np.int32(0),) * 6] * flocks}
    reduce = _reducer(words, slots, flocks)
    out = meet(position, present, query, candidate, start, reduce, side=words.shape[-1], cell=SIGHT_CELL)
    out["flock"] = [
        (x, y, sum((q > 0).astype(jnp.int32) << i for i, q in enumerate(seen))) for x, y, *seen in out["flock"]
    ]
    return out


_sense_flat = over_worlds(_sense)


def _reducer(words: Array, slots: int, flocks: int) -> Callable[[Tree, Tree, Tree, Array], Tree]:
    def reduce(value: Tree, me: Tree, other: Tree, real: Array) -> Tree:
        # Where even the least clearances of both ends cover the longest sight range, no line needs sampling.
        least = me["clear"].min() + jnp.where(real, other["clear"], jnp.inf).min()
        return lax.cond(
            least >= me["sight"].max(),
            lambda: _weigh(value, me, other, real, slots, flocks, None),
            lambda: _weigh(value, me, other, real, slots, flocks, words),
        )

    return reduce


def _weigh(value: Tree, me: Tree, other: Tree, real: Array, slots: int, flocks: int, words: Array | None) -> Tree:
    """Reduce over candidates; with terrain `words`, lines that the clearances cannot decide are sampled."""
    east, north = other["x"] - me["x"], other["y"] - me["y"]
    apart = square(east, north)
    seen = real & (apart <= me["sight"] * me["sight"]) & (me["id"] != other["id"])
    ask = me["ask"]
    fits = [_fits(ask, slot, other, apart) for slot in range(slots)]
    flocked = [(ask["flock"][f] & other["bit"]) != 0 for f in range(flocks)]
    if words is not None:
        cleared = me["clear"] + other["clear"]
        unsure = seen & (apart > cleared * jnp.abs(cleared)) & functools.reduce(jnp.logical_or, fits + flocked)
        seen = seen & ~_sample(words, me, other, unsure)
    keys = _keys(me, other, apart)
    best = [
        _keep(value["best"][slot], jnp.where(seen & fits[slot], _pick(keys, ask, slot), NOBODY), other["id"])
        for slot in range(slots)
    ]
    flock = [_gather(value["flock"][f], seen & flocked[f], east, north) for f in range(flocks)]
    return {"best": best, "flock": flock}


def _fits(ask: Tree, slot: int, other: Tree, apart: Array) -> Array:
    theirs = other["reach"] + rounded(ask["steps"][slot] * other["speed"])
    limit = ask["base"][slot] + rounded(ask["theirs"][slot] * theirs)
    return (
        ((ask["mask"][slot] & other["bit"]) != 0)
        & (apart <= limit * limit)
        & (other["health"] <= rounded(ask["health"][slot] * other["full"]))
    )


def _keys(me: Tree, other: Tree, apart: Array) -> tuple[Array, Array, Array, Array]:
    """Keys of each order, all above 0 and below NOBODY, so that none becomes NOBODY when it is flipped."""
    pair = draws.mix(other["hash"] ^ me["word"])
    noisy = other["health"] + 0.5 * draws.uniform(pair)  # docs/rules/trees.md 3.2
    bits = lax.bitcast_convert_type
    distance = jnp.maximum(bits(apart, jnp.int32), 1)
    return distance, bits(noisy, jnp.int32), (pair >> 2).astype(jnp.int32) + 1, other["cooldown"] + (1 << 30)


def _pick(keys: tuple[Array, Array, Array, Array], ask: Tree, slot: int) -> Array:
    order = ask["order"][slot]
    distance, health, random, cooldown = keys
    key = jnp.where(order == COOLDOWN, cooldown, distance)
    key = jnp.where(order == RANDOM, random, key)
    key = jnp.where(order == HEALTH, health, key)
    return key ^ ask["flip"][slot]


def _keep(best: tuple[Array, Array], key: Array, unit: Array) -> tuple[Array, Array]:
    low = key.min(1)
    who = jnp.where(key == low[:, None], unit, NOBODY).min(1)
    who = jnp.where(low == NOBODY, NOBODY, who)
    better = (low < best[0]) | ((low == best[0]) & (who < best[1]))
    return jnp.where(better, low, best[0]), jnp.where(better, who, best[1])


def _gather(value: Tree, counted: Array, east: Array, north: Array) -> Tree:
    x, y, *quadrants = value

    def total(part: Array) -> Array:
        return jnp.where(counted, jnp.round(part / _FLOCK_STEP).astype(jnp.int32), 0).sum(1)

    corners = ((east > 0) & (north > 0), (east < 0) & (north > 0), (east < 0) & (north < 0), (east > 0) & (north < 0))
    seen = [q | (counted & corner).any(1).astype(jnp.int32) for q, corner in zip(quadrants, corners, strict=True)]
    return (x + total(east), y + total(north), *seen)


def _sample(words: Array, me: Tree, other: Tree, unsure: Array) -> Array:
    """`[B, C, T]` whether the line of an unsure pair is blocked; sampled in compacted blocks."""
    block, candidates, units = unsure.shape
    size = unsure.size

    def body(ids: Array, out: Array) -> Array:
        tile, rest = ids // (candidates * units), ids % (candidates * units)
        row, unit = rest // units, rest % units
        start = jnp.stack([me["x"][tile, 0, unit], me["y"][tile, 0, unit]], -1)
        end = jnp.stack([other["x"][tile, row, 0], other["y"][tile, row, 0]], -1)
        world = me["world"][tile, 0, unit]
        blocked, _ = blocked_samples(words, world, start[:, None], end[:, None], SIGHT_KINDS, border=False)
        return out.at[ids].set(blocked.any((0, 2)), mode="drop")

    hidden = for_marked(unsure.reshape(-1), block_for(size, _BLOCK), body, jnp.zeros(size, bool))
    return hidden.reshape(block, candidates, units)


def sight_matrix(params: Params, state: State) -> Bool[Array, "n n"]:
    """`[N, N]` whether unit i sees unit j (docs/rules/battles.md 3.2), by sampling every line; for few units."""
    start, end = jnp.broadcast_arrays(state.position[:, None], state.position[None])
    rows = start.shape[0]
    world = jnp.zeros(rows, jnp.int32)
    blocked, _ = blocked_samples(params.terrain.word[None], world, start, end, SIGHT_KINDS, border=False)
    apart = square(*jnp.moveaxis(end - start, -1, 0))
    sight = params.types.sight[params.units.type][:, None]
    other = ~jnp.eye(rows, dtype=bool)
    return other & state.alive[:, None] & state.alive[None] & (apart <= sight * sight) & ~blocked.any(0)
