"""Steering round the danger that a crew knows of.

Burning cells are deadly, and burnt ground where it kills (docs/rules/wildfire.md 3.3). The neighbours of an ignited or
flaming cell may burn before a unit has passed them, so no way leads into them; a unit that stands among them may leave
through others. Danger that a unit does not see on its explored map does not stop it.

A way is tested cell by cell over the distance of one tick. The straight way is tested first, then those turned by 30,
60, 90 and 120 degrees to either side. Only the ways of units near danger are tested.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Int, UInt8

from hive.engine.crews.explored import Explored, cell_of
from hive.engine.types import CrewType, Params, State
from hive.ground.compaction import block_for, for_marked
from hive.ground.exact import length, rounded
from hive.ground.flat import over_worlds
from hive.ground.sizes import current

_FURTHEST = 13  # cells, the longest stride
_TILE = 16  # cells a side; a way stays in its tile and the eight round it
_TURNS = np.deg2rad([0, 30, -30, 60, -60, 90, -90, 120, -120])
_COS, _SIN = np.cos(_TURNS).astype(np.float32), np.sin(_TURNS).astype(np.float32)

_FLAMES, _ASH, _RIM = 1, 2, 4  # bits of danger of a cell

Tree = Any


class WishedCells(struct.PyTreeNode, kw_only=True):
    """Where each unit would go, in the order of its wishes."""

    place: Int[Array, "m n 2"]  # cell
    free: Bool[Array, "m n"]


def danger(seen: UInt8[Array, "*k x y"]) -> UInt8[Array, "*k x y"]:
    """Return the dangers of each cell of explored maps as bits: flames, ash, or the rim of flames that spread."""
    burns = (seen >= Explored.IGNITED) & (seen <= Explored.EXTINGUISHING)
    spreads = (seen == Explored.IGNITED) | (seen == Explored.ON_FIRE)
    for axis in (-1, -2):
        wide = jnp.pad(spreads, [(0, 0)] * (seen.ndim - 2) + [(1, 1) if axis == a else (0, 0) for a in (-2, -1)])
        before, here, after = (lax.slice_in_dim(wide, i, i + seen.shape[axis], axis=axis) for i in range(3))
        spreads = before | here | after
    bits = jnp.where(burns, _FLAMES, 0) | jnp.where(seen == Explored.BURNT, _ASH, 0) | jnp.where(spreads, _RIM, 0)
    return bits.astype(jnp.uint8)


def steer(
    params: Params,
    state: State,
    wish: Int[Array, "m n 2"],
    stride: Int[Array, "m n"],
    turns: Bool[Array, "m n"],
    named: Bool[Array, "m n"],
) -> WishedCells:
    """Find a free way for each wish.

    Args:
        params: Parameters with `crews`.
        state: The world; only the explored maps and the positions of units are read.
        wish: The cell to go to. A way to a dangerous cell ends two cells before flames and their rim, and one cell
            before other danger.
        stride: Number of cells tested on each way, at most 13; 0: danger does not stop the unit, so the way is free
            and the place is the wish.
        turns: Whether the unit may leave the straight way; otherwise it fails where that is blocked.
        named: Whether a plan names the wish. If such a wish lies in the rim of flames, the rim is ignored.

    Returns:
        The end of the straight way, if that is free; else the cell one stride along the first free way. Between two
        ways turned by the same angle, the one that ends nearer to the wish comes first. The result is not free where
        no way is free, and where the place is the unit's own cell.
    """
    crew, kind = state.crew, params.units.type
    assert crew is not None and params.crews is not None
    deadly = _FLAMES | jnp.where(params.crews.burnt_kills | (kind == CrewType.BULLDOZER), _ASH, 0)
    own = {
        "seen": crew.seen.reshape(-1, *crew.seen.shape[-2:]),
        "position": state.position,
        "at": cell_of(state),
        "deadly": deadly,
        "wish": wish.swapaxes(0, 1),
        "stride": stride.swapaxes(0, 1),
        "turns": turns.swapaxes(0, 1),
        "named": named.swapaxes(0, 1),
    }
    place, free = _steer_flat((), own)
    place, free = place.swapaxes(0, 1), free.swapaxes(0, 1)
    return WishedCells(place=place, free=free & (place != cell_of(state)[None]).any(-1))


def _steer(_: Tree, own: Tree) -> tuple[Array, Array]:
    """Return places `[W, N, M, 2]` and whether they are free, for all worlds."""
    worlds, maps, size, _ = own["seen"].shape
    _, count, ways, _ = own["wish"].shape
    grid = danger(own["seen"]).reshape(worlds * maps, size, size)
    layer = jnp.arange(worlds, dtype=jnp.int32)[:, None] * maps
    layer = layer + (jnp.arange(count, dtype=jnp.int32) if maps > 1 else jnp.zeros(count, jnp.int32))[None]
    tile = own["at"] // _TILE
    near = _tiles(grid)[layer, tile[..., 0], tile[..., 1]]
    unit = {name: own[name] for name in ("position", "at", "deadly")} | {"layer": layer}
    unit = jax.tree.map(lambda a: a.reshape(worlds * count, *a.shape[2:]), unit)
    wish, stride, turns = own["wish"].reshape(-1, 2), own["stride"].reshape(-1), own["turns"].reshape(-1)
    named = own["named"].reshape(-1)

    def body(rows: Array, out: tuple[Array, Array]) -> tuple[Array, Array]:
        row = jnp.minimum(rows, turns.size - 1)
        each = {name: a[row // ways] for name, a in unit.items()}
        each |= {"stride": stride[row].astype(jnp.float32), "named": named[row]}
        place, free = _choose(grid, each, wish[row], turns[row])
        return out[0].at[rows].set(place, mode="drop"), out[1].at[rows].set(free, mode="drop")

    unsure = (stride > 0) & jnp.repeat(near.reshape(-1), ways)
    place, free = for_marked(unsure, block_for(unsure.size, current().ways), body, (wish, ~unsure))
    return place.reshape(worlds, count, ways, 2), free.reshape(worlds, count, ways)


_steer_flat = over_worlds(_steer)


def _tiles(grid: UInt8[Array, "k x y"]) -> Bool[Array, "k a b"]:
    """Return whether there is any danger in each tile or its neighbours."""
    layers, size, _ = grid.shape
    side = -(-size // _TILE)
    full = jnp.pad(grid, ((0, 0), *[(0, side * _TILE - size)] * 2)).reshape(layers, side, _TILE, side, _TILE)
    wide = jnp.pad((full != 0).any((2, 4)), ((0, 0), (1, 1), (1, 1)))
    wide = wide[:, :-2] | wide[:, 1:-1] | wide[:, 2:]
    return wide[..., :-2] | wide[..., 1:-1] | wide[..., 2:]


def _choose(grid: Array, unit: Tree, wish: Array, turns: Array) -> tuple[Array, Array]:
    """Return the first free way of each of B units: its place, and whether there is one."""
    size = grid.shape[-1]
    position = unit["position"]
    bits = grid[unit["layer"], wish[:, 0], wish[:, 1]].astype(jnp.int32)
    unit = unit | {"rim": jnp.where(unit["named"] & ((bits & _RIM) != 0), 0, _RIM)}
    stop = jnp.where((bits & unit["rim"]) != 0, 2, jnp.where((bits & unit["deadly"]) != 0, 1, 0))
    off = wish - unit["at"]
    apart = jnp.abs(off).max(-1)
    kept = jnp.maximum(apart - stop, 0)[:, None]
    apart = jnp.maximum(apart, 1)[:, None]
    wish = unit["at"] + (2 * off * kept + apart) // (2 * apart)  # rounded to the nearest cell
    ahead = wish.astype(jnp.float32) + np.float32(0.5) - position
    long = length(ahead)
    share = jnp.minimum(unit["stride"] / jnp.maximum(long, 1), 1)
    x, y = rounded(ahead * share[:, None]).T[:, None]
    cos, sin = _COS[:, None], _SIN[:, None]
    turned = jnp.stack([rounded(cos * x) - rounded(sin * y), rounded(sin * x) + rounded(cos * y)], -1)
    place = jnp.clip(jnp.floor(position[None] + turned).astype(jnp.int32), 0, size - 1)
    place = place.at[0].set(wish)
    free = ~_blocked(grid, unit, place) & (place != unit["at"][None]).any(-1) & (kept.T > 0)
    free = free & (turns[None] | (np.arange(len(_TURNS)) == 0)[:, None])
    left = jnp.square(place - wish[None]).sum(-1)
    swap = jnp.arange(1, len(_TURNS), 2)
    other = free[swap + 1] & (~free[swap] | (left[swap + 1] < left[swap]))
    pairs = jnp.where(other, swap[:, None] + 1, swap[:, None])
    order = jnp.concatenate([jnp.zeros_like(pairs[:1]), pairs])
    good = jnp.take_along_axis(free, order, axis=0)
    best = jnp.take_along_axis(order, good.argmax(0)[None], axis=0)[0]
    return jnp.take_along_axis(place, best[None, :, None], axis=0)[0], good.any(0)


def _blocked(grid: Array, unit: Tree, place: Int[Array, "t b 2"]) -> Bool[Array, "t b"]:
    """Return whether danger lies in the cells that each way enters within the stride.

    These cells are found where the way crosses a line between columns or between rows. The rim of flames does not count
    before the first cell that is free of it, since a unit that stands in the rim must be able to leave it.
    """
    position, deadly = unit["position"], unit["deadly"]
    ahead = place.astype(jnp.float32) + np.float32(0.5) - position[None]
    last = jnp.minimum(unit["stride"][None] / jnp.maximum(length(ahead), np.float32(1e-6)), 1)
    number = np.arange(_FURTHEST, dtype=np.float32)[:, None, None]
    when, cell = [], []
    for axis in range(2):
        along, across = ahead[None, ..., axis], ahead[None, ..., 1 - axis]
        start, beside = position[None, None, :, axis], position[None, None, :, 1 - axis]
        forward = along > 0
        line = jnp.where(forward, jnp.floor(start) + 1 + number, jnp.floor(start) - number)
        time = (line - start) / jnp.where(along == 0, np.float32(1e-6), along)
        enters = jnp.where(forward, line, line - 1)
        side = jnp.floor(beside + rounded(time * across))
        when.append(jnp.where((along != 0) & (time <= last[None]), time, jnp.inf))
        cell.append(jnp.stack([enters, side] if axis == 0 else [side, enters], -1))
    time, at = jnp.concatenate(when), jnp.concatenate(cell)
    at = jnp.clip(at, 0, grid.shape[-1] - 1).astype(jnp.int32)
    bits = grid[unit["layer"], at[..., 0], at[..., 1]].astype(jnp.int32)
    entered = jnp.isfinite(time)
    kills, rim = (bits & deadly[None, None]) != 0, (bits & unit["rim"][None, None]) != 0
    inside = (grid[unit["layer"], unit["at"][:, 0], unit["at"][:, 1]] & unit["rim"]) != 0
    out = jnp.where(entered & ~kills & ~rim, time, jnp.inf).min(0)
    out = jnp.where(inside, out, 0)
    return (entered & (kills | rim & (time > out[None]))).any(0) | jnp.isinf(out)


__all__ = ["WishedCells", "danger", "steer"]
