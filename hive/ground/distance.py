"""Exact 4-connected distance maps for many targets at once (docs/rules/battles.md 1.5).

There are two searches with the same results. On maps of up to `_LARGE` cells a side, and on accelerators, every target
owns one bit of an unsigned word, so one step of the search moves all fronts together:
`reached |= neighbours(reached) & free`. The maps lie on one line of words, each with a blocked column and row at its
end and a blocked row before the first and after the last: a neighbour is then an offset on the line, without wrapping.

The number of a cell is the number of levels that began before it was reached. It is kept in Gray code, one plane of
words for each digit, because going from level n - 1 to n changes just one digit: the number of trailing zeros of n. A
level therefore costs one step and one plane, however long the numbers are.

On larger maps a step through all cells takes so long on a processor that only the front is worth processing. There the
map is split into square tiles. A tile is due when a cell of a neighbour offers one of its cells a lower number. The
tile with the lowest such offer is settled first: its numbers fall until no step inside it lowers one. Numbers only ever
fall, to those of a shortest path, so the order affects how often a tile is processed, but never the result.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap
from jaxtyping import Array, Bool, Int, Int32, Shaped

from hive.ground.sizes import current
from hive.ground.terrain import Terrain, blocks_move

_LARGE = 512  # cells a side, beyond which a processor searches tile by tile
_TILE = 32  # cells a side of a tile: larger tiles are processed less often, but take longer where paths wind
_STEPS = 8  # steps inside a tile between two tests for the end

_Search = Callable[[Bool[Array, "B D X Y"], Bool[Array, "B X Y"]], Int32[Array, "B D X Y"]]


@jax.jit
def distance_maps(terrain: Terrain, targets: Int[Array, "D 2"] | Int[Array, "D P 2"]) -> Int32[Array, "D X Y"]:
    """Return the steps from every cell to each target, breadth first over cells that do not block movement.

    A target may have several cells, which may repeat: the steps are then those to the nearest of its free cells. If it
    has none, the search begins at the free cells that are nearest to any of its cells, as for a target of one cell.

    A target in a blocked cell first spreads through blocked cells, numbered 0, 1, 2 ..., until its front holds a free
    cell; it continues from the free cells of that front only, and the blocked cells keep their numbers. Cells that
    are never reached, including blocked ones, hold S * S.

    Targets may repeat. The cost grows with the longest path, in levels, and with the number of targets, rounded up to
    8 or a multiple of 16. On a processor and a map of more than 512 cells a side it grows with the number of targets,
    the cells of the map and how often paths wind back through a tile: a maze costs about eight times as much as open
    ground. Traceable; under `jax.vmap`, over targets or terrains, all maps still share one loop.

    Args:
        terrain: the ground.
        targets: at least one cell; each must lie on the map. Callers check this: outside it the numbers are undefined.
    """
    several = targets if targets.ndim == 3 else targets[:, None]
    return _flood(blocks_move(terrain.word)[None], several[None])[0]


def weighted_maps(
    terrain: Terrain, maps: Int32[Array, "D X Y"], chosen: Int32[Array, " D"], weight: Int32[Array, "W X Y"], most: int
) -> Int32[Array, "D X Y"]:
    """Return distance maps of which the chosen ones count a step onto a cell as the weight of the cell.

    A chosen map begins where the given one does: at the target, or, for a target in a blocked cell, at the free cells
    that the given map reaches first; blocked cells that have a number keep it, times the weight of open ground, 4.
    Cells that are never reached hold `most`, in all maps.

    Each chosen map is searched by itself, tile by tile, which takes about as long as one map of a large ground.
    Traceable; under a `vmap` over `chosen`, all maps are searched.

    Args:
        terrain: the ground.
        maps: what `distance_maps` returns.
        chosen: for each map the row of its weights, or -1 for a map that stays as it is.
        weight: the weight of each cell, at least 1.
        most: a number greater than the weight of any way; its double must fit into 32 bits.
    """
    wall, side = blocks_move(terrain.word), terrain.size
    reached = maps < side * side

    def search(each: tuple[Array, ...]) -> Int32[Array, "X Y"]:
        plain, row, known = each

        def weigh() -> Int32[Array, "X Y"]:
            first = jnp.where(wall, most, plain).min()
            steps = _settle(~wall & (plain == first), wall, _TILE, weight[row], most)
            return jnp.where(wall, jnp.where(known, 4 * plain, most), jnp.minimum(steps + 4 * first, most))

        return lax.cond(row >= 0, weigh, lambda: jnp.where(known, plain, most))

    return lax.map(search, (maps, chosen, reached))


@custom_vmap
@partial(jax.jit, inline=True)  # equal shapes are traced once, in and out of a batch
def _flood(blocked: Bool[Array, "B X Y"], targets: Int[Array, "B D P 2"]) -> Int32[Array, "B D X Y"]:
    """Distance maps of several grounds, each with its own targets."""
    return _number(blocked, targets, _by_levels if blocked.shape[-1] <= _LARGE or current().flat else _by_tiles)


def _number(blocked: Bool[Array, "B X Y"], targets: Int[Array, "B D P 2"], search: _Search) -> Int32[Array, "B D X Y"]:
    """Distance maps computed by a given search."""
    side = blocked.shape[-1]
    axis = jnp.arange(side, dtype=jnp.int32)
    cells = targets.astype(jnp.int32)
    diamonds = [
        jnp.abs(axis[None, None, :, None] - cells[:, :, at, 0, None, None])
        + jnp.abs(axis[None, None, None, :] - cells[:, :, at, 1, None, None])
        for at in range(cells.shape[2])
    ]
    around = reduce(jnp.minimum, diamonds)
    wall = blocked[:, None]
    # Through blocked cells the front is a diamond, so it meets the free cells nearest by |dx| + |dy|.
    offset = jnp.where(wall, 2 * side, around).min((-2, -1), keepdims=True)
    levels = search((around == offset) & ~wall, blocked)
    steps = jnp.where(levels < side * side, levels + offset, side * side)
    return jnp.where(wall & (around <= offset), around, steps)


@_flood.def_vmap
def _flood_batch(
    axis_size: int, in_batched: list[bool], blocked: Bool[Array, "*A B X Y"], targets: Int[Array, "*Q B D P 2"]
) -> tuple[Int32[Array, "A B D X Y"], bool]:
    """Batch by adding targets or grounds: batching the loop itself would copy every plane at every level."""
    side = blocked.shape[-1]
    if not in_batched[0]:
        grounds, count = len(blocked), targets.shape[-3]
        maps = _flood(blocked, targets.swapaxes(0, 1).reshape(grounds, -1, *targets.shape[-2:]))
        return maps.reshape(grounds, axis_size, count, side, side).swapaxes(0, 1), True
    if not in_batched[1]:
        targets = jnp.broadcast_to(targets, (axis_size, *targets.shape))
    maps = _flood(blocked.reshape(-1, side, side), targets.reshape(-1, *targets.shape[2:]))
    return maps.reshape(axis_size, -1, *maps.shape[1:]), True


def _by_tiles(
    start: Bool[Array, "B D X Y"], blocked: Bool[Array, "B X Y"], tile: int = _TILE
) -> Int32[Array, "B D X Y"]:
    """Steps from the nearest start over free cells, map by map and tile by tile; S * S for unreachable cells."""
    wall = jnp.broadcast_to(blocked[:, None], start.shape)
    flat = (-1, *blocked.shape[1:])
    maps = lax.map(lambda each: _settle(each[0], each[1], tile), (start.reshape(flat), wall.reshape(flat)))
    return maps.reshape(start.shape)


def _settle(
    start: Bool[Array, "X Y"],
    wall: Bool[Array, "X Y"],
    tile: int,
    weight: Int32[Array, "X Y"] | int = 1,
    most: int | None = None,
) -> Int32[Array, "X Y"]:
    """Compute one map of `_by_tiles`. All arrays have a border: cells round the map, tiles round the tiles."""
    side, row = len(wall), tile + 2
    far = jnp.int32(most or side * side)
    count = -(-side // tile)
    frame = ((1, count * tile - side + 1),) * 2
    cost = jnp.pad(jnp.where(wall, far, weight), frame, constant_values=far)  # cost of a step onto the cell
    steps = jnp.where(start, 0, far)
    due = jnp.pad(steps, ((0, count * tile - side),) * 2, constant_values=far)
    due = jnp.pad(due.reshape(count, tile, count, tile).min((1, 3)), 1, constant_values=far)  # lowest offer to a tile
    steps = jnp.pad(steps, frame, constant_values=far)
    inside = jnp.pad(jnp.ones((tile, tile), bool), 1)

    def spread(now: Int32[Array, " n"], onto: Int32[Array, " m"]) -> Int32[Array, " n"]:
        ways = (now[: -2 * row], now[2 * row :], now[row - 1 : -row - 1], now[row + 1 : 1 - row])
        lower = jnp.minimum(now[row:-row], jax.tree.reduce(jnp.minimum, ways) + onto)
        return lax.optimization_barrier(jnp.concatenate([now[:row], lower, now[-row:]]))  # as in `_by_levels`

    def offer(edge: Int32[Array, " t"], beyond: Int32[Array, " t"], onto: Int32[Array, " t"]) -> Int32[Array, ""]:
        return jnp.where(edge + onto < beyond, edge + onto, far).min()

    def turn(state: tuple) -> tuple:
        steps, due, lowest = state
        i, j = lowest // (count + 2), lowest % (count + 2)
        corner = ((i - 1) * tile, (j - 1) * tile)  # corner of the tile and one cell round it, which does not change
        onto = lax.dynamic_slice(cost, corner, (row, row))
        line = jnp.where(inside, onto, far).reshape(-1)[row:-row]

        def fall(state: tuple) -> tuple:
            now, _ = state
            for _ in range(_STEPS - 1):
                now = spread(now, line)
            after = spread(now, line)
            return after, (after != now).any()

        now = lax.dynamic_slice(steps, corner, (row, row)).reshape(-1)
        now = lax.while_loop(lambda state: state[-1], fall, (now, jnp.bool_(True)))[0].reshape(row, row)
        steps = lax.dynamic_update_slice(steps, now, corner)
        due = due.at[i, j].set(far)
        for edge, beyond, by in ((1, 0, -1), (-2, -1, 1)):
            due = due.at[i + by, j].min(offer(now[edge, 1:-1], now[beyond, 1:-1], onto[beyond, 1:-1]))
            due = due.at[i, j + by].min(offer(now[1:-1, edge], now[1:-1, beyond], onto[1:-1, beyond]))
        return steps, due, jnp.argmin(due)

    state = (steps, due, jnp.argmin(due))
    steps = lax.while_loop(lambda state: state[1].reshape(-1)[state[2]] < far, turn, state)[0]
    return steps[1 : side + 1, 1 : side + 1]


def _by_levels(start: Bool[Array, "B D X Y"], blocked: Bool[Array, "B X Y"]) -> Int32[Array, "B D X Y"]:
    """Steps from the nearest start over free cells, all maps together; S * S for unreachable cells."""
    side, count = start.shape[-1], start.shape[1]
    bits = 8 if count <= 8 else 16  # no wider: the cache limits the search, and unused bits cost as much as used ones
    word = jnp.dtype(f"uint{bits}")
    place = jnp.arange(bits, dtype=word)[None, None, :, None, None]
    seeds = jnp.pad(start, ((0, 0), (0, -count % bits), (0, 0), (0, 0)))
    seeds = (seeds.reshape(len(start), -1, bits, side, side).astype(word) << place).sum(2, dtype=word)
    free = jnp.broadcast_to(jnp.where(blocked[:, None], 0, ~jnp.zeros((), word)), seeds.shape)
    reached, planes = _search(_to_line(seeds), _to_line(free), side, current().levels)

    def digits(line: Shaped[Array, " n"]) -> Int32[Array, "B D X Y"]:
        words = _from_line(line, seeds.shape)[:, :, None]
        return ((words >> place) & 1).astype(jnp.int32).reshape(len(start), -1, side, side)[:, :count]

    levels = jnp.zeros(start.shape, jnp.int32)
    for order, plane in enumerate(planes):
        levels |= digits(plane) << order
    for shift in (1, 2, 4, 8, 16):  # Gray code to binary: the parity of all higher digits
        levels = levels ^ (levels >> shift)
    return jnp.where(digits(reached) == 1, levels, side * side)


def _search(
    seeds: Shaped[Array, " n"], free: Shaped[Array, " n"], side: int, levels: int
) -> tuple[Shaped[Array, " n"], list[Shaped[Array, " n"]]]:
    """Flood the free cells; return the words reached and the Gray planes of their levels.

    One turn of the loop adds so many levels: with more, there are fewer turns and fewer tests for the end.
    """
    row, within = side + 1, levels.bit_length() - 1  # digits that change within a turn
    rim = jnp.zeros(row, seeds.dtype)
    inside = free[row:-row]

    def spread(reached: Shaped[Array, " n"]) -> Shaped[Array, " n"]:
        near = reached[: -2 * row] | reached[2 * row :] | reached[row - 1 : -row - 1] | reached[row + 1 : 1 - row]
        # the barrier keeps the compiler from fusing two steps, which would compute the first several times over
        return lax.optimization_barrier(jnp.concatenate([rim, reached[row:-row] | (near & inside), rim]))

    def turn(state: tuple) -> tuple:
        now, low, high, count, _ = state
        low = list(low)
        for level in range(1, levels):
            digit = (level & -level).bit_length() - 1  # trailing zeros
            low[digit] = low[digit] ^ ~now
            now = spread(now)
        place = lax.population_count((count & -count) - 1)
        high = high.at[place].set(high[place] ^ ~now)
        after = spread(now)
        return after, low, high, count + 1, (after != now).any()

    nothing = jnp.zeros_like(seeds)
    high = jnp.zeros(((side * side + levels).bit_length() - within, *seeds.shape), seeds.dtype)
    state = (seeds, [nothing] * within, high, jnp.int32(1), jnp.bool_(True))
    reached, low, high, _, _ = lax.while_loop(lambda state: state[-1], turn, state)
    return reached, [*low, *high]


def _to_line(words: Shaped[Array, "B W X Y"]) -> Shaped[Array, " n"]:
    """Lay maps end to end, with a blocked column and row after each, and a blocked row at both ends of the line."""
    framed = jnp.pad(words, ((0, 0), (0, 0), (0, 1), (0, 1)))
    return jnp.pad(framed.reshape(-1), words.shape[-1] + 1)


def _from_line(line: Shaped[Array, " n"], shape: tuple[int, ...]) -> Shaped[Array, "B W X Y"]:
    """Undo `_to_line`."""
    row = shape[-1] + 1
    return line[row:-row].reshape(*shape[:2], row, row)[..., :-1, :-1]
