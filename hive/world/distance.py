"""Exact 4-connected distance maps for many targets at once (docs/rules/battles.md 1.5).

Every target owns one bit of an unsigned word, so one step of the search moves all fronts together:
`reached |= neighbours(reached) & free`. The maps lie on one line of words, each with a blocked column and row at its
end and a blocked row before the first and after the last: a neighbour is then an offset on the line, without wrapping.

The number of a cell is how many levels began before it was reached. It is kept in Gray code, one plane of words a
digit, because going from level n - 1 to n changes just one digit: the number of trailing zeros of n. A level therefore
costs one step and one plane, however long the numbers are.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap
from jaxtyping import Array, Bool, Int, Int32, Shaped

from hive.world.terrain import Terrain, blocks_move

_LEVELS = 4  # levels in one turn of the loop: fewer, larger turns and fewer tests for the end
_LOW = 2  # digits that change within a turn


@jax.jit
def distance_maps(terrain: Terrain, targets: Int[Array, "D 2"]) -> Int32[Array, "D X Y"]:
    """Steps from every cell to each target, breadth first over cells that do not block movement.

    A target in a blocked cell first spreads through blocked cells, numbered 0, 1, 2 ..., until its front holds a free
    cell; it goes on from the free cells of that front only, and the blocked cells keep their numbers. Cells never
    reached, blocked ones among them, hold S * S.

    Targets may repeat. The cost grows with the longest way, in levels, and with the number of targets, rounded up to
    8 or a multiple of 16. Traceable; under `jax.vmap`, over targets or terrains, all maps still go through one loop.

    Args:
        terrain: the ground.
        targets: cells, one at least; each must lie on the map. Callers check this: outside it the numbers mean nothing.
    """
    return _flood(blocks_move(terrain.word)[None], targets[None])[0]


@custom_vmap
def _flood(blocked: Bool[Array, "B X Y"], targets: Int[Array, "B D 2"]) -> Int32[Array, "B D X Y"]:
    """Distance maps of several grounds, each with its own targets."""
    side = blocked.shape[-1]
    count = targets.shape[-2]
    axis = jnp.arange(side, dtype=jnp.int32)
    x, y = targets[..., 0, None, None].astype(jnp.int32), targets[..., 1, None, None].astype(jnp.int32)
    around = jnp.abs(axis[:, None] - x) + jnp.abs(axis[None, :] - y)
    wall = blocked[:, None]
    # Through blocked cells the front is a diamond, so it meets the free cells nearest by |dx| + |dy|.
    offset = jnp.where(wall, 2 * side, around).min((-2, -1), keepdims=True)

    bits = 8 if count <= 8 else 16  # no wider: the search is bound by the cache, and spare bits cost what used ones do
    word = jnp.dtype(f"uint{bits}")
    place = jnp.arange(bits, dtype=word)[:, None, None]
    start = jnp.pad((around == offset) & ~wall, ((0, 0), (0, -count % bits), (0, 0), (0, 0)))
    start = start.reshape(len(blocked), -1, bits, side, side).astype(word) << place
    seeds = start.sum(2, dtype=word)
    free = jnp.broadcast_to(jnp.where(wall, 0, ~jnp.zeros((), word)), seeds.shape)
    reached, planes = _search(_to_line(seeds), _to_line(free), side)

    def digits(line: Shaped[Array, " n"]) -> Int32[Array, "B D X Y"]:
        words = _from_line(line, seeds.shape)[:, :, None]
        return ((words >> place) & 1).astype(jnp.int32).reshape(len(blocked), -1, side, side)[:, :count]

    levels = jnp.zeros_like(around)
    for order, plane in enumerate(planes):
        levels |= digits(plane) << order
    for shift in (1, 2, 4, 8, 16):  # Gray code to binary: the parity of all higher digits
        levels = levels ^ (levels >> shift)
    steps = jnp.where(digits(reached) == 1, levels + offset, side * side)
    return jnp.where(wall & (around <= offset), around, steps)


@_flood.def_vmap
def _flood_batch(
    axis_size: int, in_batched: list[bool], blocked: Bool[Array, "*A B X Y"], targets: Int[Array, "*A B D 2"]
) -> tuple[Int32[Array, "A B D X Y"], bool]:
    """Batches by more targets or more grounds: batching the loop itself would copy every plane at every level."""
    side = blocked.shape[-1]
    if not in_batched[0]:
        grounds, count = len(blocked), targets.shape[-2]
        maps = _flood(blocked, targets.swapaxes(0, 1).reshape(grounds, -1, 2))
        return maps.reshape(grounds, axis_size, count, side, side).swapaxes(0, 1), True
    if not in_batched[1]:
        targets = jnp.broadcast_to(targets, (axis_size, *targets.shape))
    maps = _flood(blocked.reshape(-1, side, side), targets.reshape(-1, *targets.shape[2:]))
    return maps.reshape(axis_size, -1, *maps.shape[1:]), True


def _search(
    seeds: Shaped[Array, " n"], free: Shaped[Array, " n"], side: int
) -> tuple[Shaped[Array, " n"], list[Shaped[Array, " n"]]]:
    """Floods the free cells; returns the words reached and the Gray planes of their levels."""
    row = side + 1
    rim = jnp.zeros(row, seeds.dtype)
    inside = free[row:-row]

    def spread(reached: Shaped[Array, " n"]) -> Shaped[Array, " n"]:
        near = reached[: -2 * row] | reached[2 * row :] | reached[row - 1 : -row - 1] | reached[row + 1 : 1 - row]
        # the barrier keeps the compiler from fusing two steps, which would compute the first several times over
        return lax.optimization_barrier(jnp.concatenate([rim, reached[row:-row] | (near & inside), rim]))

    def turn(state: tuple) -> tuple:
        now, ones, twos, high, count, _ = state
        ones = ones ^ ~now
        now = spread(now)
        twos = twos ^ ~now
        now = spread(now)
        ones = ones ^ ~now
        now = spread(now)
        digit = lax.population_count((count & -count) - 1)  # trailing zeros
        high = high.at[digit].set(high[digit] ^ ~now)
        after = spread(now)
        return after, ones, twos, high, count + 1, (after != now).any()

    nothing = jnp.zeros_like(seeds)
    high = jnp.zeros(((side * side + _LEVELS).bit_length() - _LOW, *seeds.shape), seeds.dtype)
    state = (seeds, nothing, nothing, high, jnp.int32(1), jnp.bool_(True))
    reached, ones, twos, high, _, _ = lax.while_loop(lambda state: state[-1], turn, state)
    return reached, [ones, twos, *high]


def _to_line(words: Shaped[Array, "B W X Y"]) -> Shaped[Array, " n"]:
    """Lays maps end to end, with a blocked column and row after each, and a blocked row at both ends of the line."""
    framed = jnp.pad(words, ((0, 0), (0, 0), (0, 1), (0, 1)))
    return jnp.pad(framed.reshape(-1), words.shape[-1] + 1)


def _from_line(line: Shaped[Array, " n"], shape: tuple[int, ...]) -> Shaped[Array, "B W X Y"]:
    """Takes the maps off the line again."""
    row = shape[-1] + 1
    return line[row:-row].reshape(*shape[:2], row, row)[..., :-1, :-1]
