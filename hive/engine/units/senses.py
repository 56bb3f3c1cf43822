"""What units see of each other: the sensing sweep with line of sight, over slots of queries.

Every slot keeps the best candidate as two integer minima, of a key and of the unit id among equal keys, so that the
result does not depend on the order of candidates. Keys are the bits of a positive float (squared distance, health plus
noise), a hash (random) or a cooldown; `last` flips them. Lines are sampled only for pairs in range that match a slot
and that the clearance of both ends cannot decide.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Float, Int, UInt

from hive.engine.behaviours.tables import ANY_TYPE, FOE_SHIFT, SenseOrder, SenseTable
from hive.engine.types import PLAYER, Params, State
from hive.engine.units import draws
from hive.engine.units.neighbours import all_at_once, meet
from hive.ground.compaction import block_for, for_marked
from hive.ground.exact import rounded, square, whole
from hive.ground.flat import over_worlds
from hive.ground.lines import SIGHT_KINDS, blocked_samples
from hive.ground.sizes import current
from hive.ground.terrain import blocks_sight, cell, lookup, sight_clearance

SIGHT_CELL = 15.0  # metres, the cell of the sensing sweep; no sight range is longer (static)
NOBODY = np.int32(2**31 - 1)  # key and id of a slot that found no unit

_NO_RANGE = 1e6  # metres
_FLOCK_STEP = 2.0**-8  # metres, fixed point in which relative positions are summed
_MARGIN = 1e-3  # metres


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


class SenseQueries(struct.PyTreeNode, kw_only=True):
    """Each unit's own slots, resolved: sides are absolute, ranges in metres."""

    mask: Int[Array, "s n"]  # bit `8 * side + type`
    base: Float[Array, "s n"]  # metres; the range rule is base + theirs * (their reach + steps * their speed)
    theirs: Float[Array, "s n"]
    steps: Float[Array, "s n"]
    health: Float[Array, "s n"]
    order: Int[Array, "s n"]
    flip: Int[Array, "s n"]
    flock: Int[Array, "f n"]


class Slot(NamedTuple):
    """The slots of `SenseQueries`, with an axis `S` in the middle of those of `Query`, or one of them."""

    mask: Array
    base: Array
    theirs: Array
    steps: Array
    health: Array
    order: Array
    flip: Array


class Query(NamedTuple):
    """Fields of a unit that looks in the sweep, `[W, N]`; a reduction gets `[B, 1, T]` and `[B, 1, S, T]`."""

    x: Array
    y: Array
    id: Array
    clear: Array  # metres, of sight, less a margin
    sight: Array
    word: Array  # of the unit, for draws of a pair
    slots: Slot  # with a leading axis `S`
    flocks: Array  # masks, with a leading axis `F`
    world: Array | None = None  # row of the terrain's words, known once all worlds are in one list


class SensedUnit(NamedTuple):
    """Fields of a unit that others look at, `[W, N]`; a reduction gets `[B, C, 1]`."""

    x: Array
    y: Array
    id: Array
    clear: Array
    bit: Array  # of its side and type
    reach: Array
    speed: Array
    health: Array
    full: Array  # health at most
    cooldown: Array
    hash: Array  # of its id


class Best(NamedTuple):
    """The best candidate of each slot so far, `[B, S, T]`."""

    key: Array
    unit: Array


Fields = Callable[[], tuple[Query, SensedUnit]]
"""Gives the fields of units that look, and of those that they look at."""

_NO_BEST = Best(cast(Array, NOBODY), cast(Array, NOBODY))


class FlockSum(NamedTuple):
    """The visible units of each flock so far, `[B, F, T]`."""

    east: Array  # relative positions summed
    north: Array
    quadrants: tuple[Array, ...]  # whether a unit stands in each


class SenseResults(NamedTuple):
    """Results of the units of blocks so far."""

    best: Best
    flocks: FlockSum


def ask(params: Params, tree: Int[Array, " n"], types: Int[Array, " n"]) -> SenseQueries:
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
    targets = jnp.where(table.written, types[None] * (1 | 1 << FOE_SHIFT), ANY_TYPE | ANY_TYPE << FOE_SHIFT)
    own = params.types.reach[kind][None] + rounded(table.steps * params.types.speed[kind][None])
    ruled = (table.own_range != 0) | (table.their_range != 0)
    return SenseQueries(
        mask=_absolute(table.mask & targets, side),
        base=jnp.where(ruled, table.own_range * own, _NO_RANGE),
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


def sense(params: Params, state: State, asked: SenseQueries, word: UInt[Array, ""]) -> Senses:
    """Answer every slot of every unit (docs/rules/battles.md 3.2 and docs/rules/trees.md 3).

    Args:
        params: Rules and terrain.
        state: The world.
        asked: `[S, N]` slots, from `ask`.
        word: Random word of the tick; draws of a pair hash it with both ids.

    Returns:
        `[S, N]` the chosen units. Dead units neither choose nor are chosen.
    """
    found: SenseResults = _sense_flat(params.terrain.word, _looking(params, state, asked, word))
    return Senses(
        key=found.best.key,
        unit=found.best.unit,
        flock_sum=jnp.stack([found.flocks.east, found.flocks.north], -1),
        flock_quadrants=found.flocks.quadrants[0],
    )


def _looking(
    params: Params, state: State, asked: SenseQueries, word: UInt[Array, ""]
) -> tuple[Array, Array, Query, SensedUnit]:
    """Return places, presence and both views of the units, as the sweep takes them."""
    kind, unit = params.units.type, params.units.id
    place = lookup(params.terrain, cell(state.position, params.terrain.size))
    # a unit in a forest neither sees nor is seen (docs/rules/battles.md 3.2)
    present = state.alive & ~blocks_sight(place)
    clear = sight_clearance(place) - _MARGIN
    query = Query(
        x=state.position[:, 0],
        y=state.position[:, 1],
        id=unit,
        clear=clear,
        sight=params.types.sight[kind],
        word=draws.unit_words(word, unit, draws.Stream.PAIR),
        slots=Slot(*(getattr(asked, name) for name in Slot._fields)),
        flocks=asked.flock,
    )
    candidate = SensedUnit(
        x=query.x,
        y=query.y,
        id=unit,
        clear=clear,
        bit=1 << (FOE_SHIFT * params.units.side + kind),
        reach=params.types.reach[kind],
        speed=params.types.speed[kind],
        health=state.health,
        full=params.types.max_health[kind],
        cooldown=state.cooldown,
        hash=unit.astype(jnp.uint32) * np.uint32(0x9E3779B1),
    )
    return state.position, present, query, candidate


def sees_foe(params: Params, state: State, needed: Bool[Array, ""]) -> Bool[Array, " n"]:
    """`[N]` whether a live unit sees a live one of the other side (docs/rules/battles.md 3.2): a sweep of one slot.

    Where it is not needed it is False, and costs nothing if no other game of a batch needs it.
    """
    one = jnp.ones((1, params.count), jnp.int32)
    side, zero = params.units.side[None], jnp.zeros(one.shape)
    asked = SenseQueries(
        mask=ANY_TYPE << jnp.where(side == PLAYER, FOE_SHIFT, 0),
        base=zero + _NO_RANGE,
        theirs=zero,
        steps=zero,
        health=zero + jnp.inf,
        order=one * SenseOrder.CLOSEST,
        flip=0 * one,
        flock=one[:0],
    )
    params = params.now(state)
    seen: Array = _see_flat(params.terrain.word, (needed, *_looking(params, state, asked, jnp.uint32(0))))
    return seen


def _sense(words: Array, own: tuple[Array, Array, Query, SensedUnit]) -> SenseResults:
    """Return the results of all units of all worlds, `[W, S, N]` and `[W, F, N]`.

    The quadrants of each flock are the bits of one word.
    """
    position, present, query, candidate = own
    worlds, rows = position.shape[:2]
    query = query._replace(
        slots=jax.tree.map(_swapped, query.slots),
        flocks=_swapped(query.flocks),
        world=jnp.broadcast_to(jnp.arange(worlds, dtype=jnp.int32)[:, None], (worlds, rows)),
    )
    nobody: Any = np.full(len(query.slots.mask), NOBODY)
    none: Any = np.zeros(len(query.flocks), np.int32)
    start = SenseResults(best=Best(nobody, nobody), flocks=FlockSum(none, none, (none,) * 4))
    reduce = _reducer(words, present, query)
    found = meet(position, present, query, candidate, start, reduce, side=words.shape[-1], cell=SIGHT_CELL)
    flocks = found.flocks._replace(quadrants=(_word(found.flocks.quadrants),))
    return jax.tree.map(_swapped, found._replace(flocks=flocks))


def _swapped(leaf: Array) -> Array:
    """Return a leaf with its axis of worlds, the first, and that of slots or flocks, the second, in turn."""
    return jnp.swapaxes(leaf, 0, 1)


def _see(words: Array, own: tuple[Array, Array, Array, Query, SensedUnit]) -> Array:
    """Return whether the first slot of each unit found anyone, in worlds that need it."""
    needed, position, present, query, candidate = own

    def look() -> Array:
        found = _sense(words, (position, present & needed[:, None], query, candidate))
        return found.best.unit[:, 0] != NOBODY

    return lax.cond(needed.any(), look, lambda: jnp.zeros(present.shape, bool))


_sense_flat, _see_flat = over_worlds(_sense), over_worlds(_see)


def _word(quadrants: tuple[Array, ...]) -> Any:
    return sum((quadrant > 0).astype(jnp.int32) << number for number, quadrant in enumerate(quadrants))


def _reducer(words: Array, present: Array, query: Query) -> Callable[[SenseResults, Fields, Array], SenseResults]:
    """Return the reduction, which samples no line where the least clearances cover the longest sight range.

    A processor tests this for each chunk. Where branches are to be avoided, it is tested once for all units.
    """
    (worlds, count), sizes = query.id.shape, current()
    all_clear = 2 * jnp.where(present, query.clear, jnp.inf).min() >= query.sight.max() if sizes.flat else None

    def reduce(found: SenseResults, fields: Fields, real: Array) -> SenseResults:
        me, other = fields()
        few = real.size * me.id.shape[-1] <= sizes.pairs  # sampling is cheap: one copy of the code compiles sooner
        if few or (sizes.flat and all_at_once(worlds, count, sizes)):
            return _weigh(found, fields, real, words)
        clear = all_clear
        if clear is None:
            clear = _least(me.clear) + _least(jnp.where(real, other.clear, jnp.inf)) >= me.sight.max()
        return lax.cond(
            clear,
            lambda: _weigh(found, fields, real, None),
            lambda: _weigh(found, fields, real, words),
        )

    return reduce


def _least(metres: Array) -> Array:
    """Return the minimum, or -inf where any is below 0: a minimum of integers is vector code on a processor."""
    bits = lax.bitcast_convert_type(jnp.where(metres < 0, -jnp.inf, metres), jnp.int32)
    return lax.bitcast_convert_type(bits.min(), jnp.float32)


def _weigh(found: SenseResults, fields: Fields, real: Array, words: Array | None) -> SenseResults:
    """Reduce over candidates; with terrain `words`, lines that the clearances cannot decide are sampled."""
    me, other = fields()
    east, north = other.x - me.x, other.y - me.y
    apart = square(east, north)
    seen = real & (apart <= me.sight * me.sight) & (me.id != other.id)
    keys = _keys(me, other, apart)
    there, far, orders = jax.tree.map(lambda leaf: leaf[:, :, None], (other, apart, keys))
    flocked = (me.flocks & there.bit) != 0
    # All slots at once need less code, and sampling needs their union. Apart, what slots compare of a pair need not be
    # in a GPU's memory; what the sums of flocks add up may be.
    if words is None and current().flat:
        slots = (Slot(*(leaf[:, :, n] for leaf in me.slots)) for n in range(me.slots.mask.shape[2]))
        each = [_lowest(slot, other, apart, keys, seen) for slot in slots]
        best = Best(*(jnp.stack(leaves, 1) for leaves in zip(*each, strict=True)))
    else:
        if words is not None:
            cleared = me.clear + other.clear
            asks = jnp.concatenate([_fits(me.slots, there, far), flocked], 2)
            asked = functools.reduce(jnp.logical_or, [asks[:, :, n] for n in range(asks.shape[2])])
            unsure = seen & (apart > cleared * jnp.abs(cleared)) & asked
            seen = seen & ~_sample(words, me, other, unsure)
        best = _lowest(me.slots, there, far, orders, seen[:, :, None])
    flocks = _gather(found.flocks, seen[:, :, None] & flocked, east[:, :, None], north[:, :, None])
    return SenseResults(best=_better(found.best, best), flocks=flocks)


def _fits(slot: Slot, other: SensedUnit, apart: Array) -> Array:
    theirs = other.reach + rounded(slot.steps * other.speed)
    limit = slot.base + rounded(slot.theirs * theirs)
    return (
        ((slot.mask & other.bit) != 0) & (apart <= limit * limit) & (other.health <= rounded(slot.health * other.full))
    )


def _keys(me: Query, other: SensedUnit, apart: Array) -> tuple[Array, ...]:
    """Keys of each order, all above 0 and below NOBODY, so that none becomes NOBODY when it is flipped."""
    pair = draws.mix(other.hash ^ me.word)
    noisy = other.health + 0.5 * draws.uniform(pair)  # docs/rules/trees.md 3.2
    bits = lax.bitcast_convert_type
    distance = jnp.maximum(bits(apart, jnp.int32), 1)
    return distance, bits(noisy, jnp.int32), (pair >> 2).astype(jnp.int32) + 1, other.cooldown + (1 << 30)


def _pick(keys: tuple[Array, ...], slot: Slot) -> Array:
    distance, health, random, cooldown = keys
    key = jnp.where(slot.order == SenseOrder.COOLDOWN, cooldown, distance)
    key = jnp.where(slot.order == SenseOrder.RANDOM, random, key)
    key = jnp.where(slot.order == SenseOrder.HEALTH, health, key)
    return key ^ slot.flip


def _lowest(slot: Slot, other: SensedUnit, apart: Array, keys: tuple[Array, ...], seen: Array) -> Best:
    """Return the visible candidate `[..., B, C, T]` that is the best one of each slot, by key and then by unit."""
    key = jnp.where(seen & _fits(slot, other, apart), _pick(keys, slot), NOBODY)
    if current().flat:
        pair = Best(key, jnp.broadcast_to(other.id, key.shape))
        low, who = lax.reduce(pair, _NO_BEST, _better, (1,))
    else:
        low = key.min(1)
        who = jnp.where(key == low[:, None], other.id, NOBODY).min(1)
    return Best(low, jnp.where(low == NOBODY, NOBODY, who))


def _better(one: Best, other: Best) -> Best:
    better = (other.key < one.key) | ((other.key == one.key) & (other.unit < one.unit))
    return Best(jnp.where(better, other.key, one.key), jnp.where(better, other.unit, one.unit))


def _gather(flock: FlockSum, counted: Array, east: Array, north: Array) -> FlockSum:
    def total(part: Array) -> Array:
        return jnp.where(counted, whole(part / _FLOCK_STEP), 0).sum(1)

    corners = ((east > 0) & (north > 0), (east < 0) & (north > 0), (east < 0) & (north < 0), (east > 0) & (north < 0))
    seen = (q | (counted & corner).any(1).astype(jnp.int32) for q, corner in zip(flock.quadrants, corners, strict=True))
    return FlockSum(flock.east + total(east), flock.north + total(north), tuple(seen))


def _sample(words: Array, me: Query, other: SensedUnit, unsure: Array) -> Array:
    """`[B, C, T]` whether the line of an unsure pair is blocked; sampled in compacted blocks."""
    block, candidates, units = unsure.shape
    size = unsure.size
    worlds = me.world
    assert worlds is not None

    def body(ids: Array, out: Array) -> Array:
        tile, rest = ids // (candidates * units), ids % (candidates * units)
        row, unit = rest // units, rest % units
        start = jnp.stack([me.x[tile, 0, unit], me.y[tile, 0, unit]], -1)
        end = jnp.stack([other.x[tile, row, 0], other.y[tile, row, 0]], -1)
        world = worlds[tile, 0, unit]
        blocked, *_ = blocked_samples(words, world, start[:, None], end[:, None], SIGHT_KINDS, border=False)
        return out.at[ids].set(blocked.any((1, 2)), mode="drop")

    hidden = for_marked(unsure.reshape(-1), block_for(size, current().pairs), body, jnp.zeros(size, bool))
    return hidden.reshape(block, candidates, units)


def sight_matrix(params: Params, state: State) -> Bool[Array, "n n"]:
    """`[N, N]` whether unit i sees unit j (docs/rules/battles.md 3.2), by sampling every line; for few units."""
    start, end = jnp.broadcast_arrays(state.position[:, None], state.position[None])
    rows = start.shape[0]
    world = jnp.zeros(rows, jnp.int32)
    blocked, *_ = blocked_samples(params.terrain.word[None], world, start, end, SIGHT_KINDS, border=False)
    apart = square(*jnp.moveaxis(end - start, -1, 0))
    sight = params.types.sight[params.units.type][:, None]
    other = ~jnp.eye(rows, dtype=bool)
    return other & state.alive[:, None] & state.alive[None] & (apart <= sight * sight) & ~blocked.any(2)
