"""The places of a level's crew, targets, fire, water and civilians, for maps on the device.

Rules: docs/rules/wildfire_levels.md 2.2.

The rules are those of `host_places.py`, the draws are ours. The published program draws cells until one fits, which is
equivalent to one draw among all cells that fit: so there is no loop, and a map without room is marked instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import lax
from jaxtyping import Array, Bool, Int, UInt32

from dsl import UserError
from hive.ground.fire import Fire, Fuel, make_fire, make_fuel
from hive.ground.hashing import cell_words, mix
from hive.worlds.wildfire.levels import Level
from hive.worlds.wildfire.maps import place_rules as rules
from hive.worlds.wildfire.maps.device_land import Fields, MapStream, make_fields, stream
from hive.worlds.wildfire.maps.device_noise import draw_offsets
from hive.worlds.wildfire.maps.host_land import LAYERS, OCTAVES, Land, check_ranges
from hive.worlds.wildfire.maps.place_rules import Area, Gap


class Spots(struct.PyTreeNode, kw_only=True):
    """Places of a level as cells `[x, y]`; None where the level has no such place."""

    spawn: Int[Array, " 2"]
    cells: Int[Array, "e 2"]  # cells to cut: single ones, then those of the lines; a cell of two lines occurs twice
    goal: Int[Array, " 2"] | None = None
    fire: Int[Array, " 2"] | None = None
    water: Int[Array, " 2"] | None = None
    clusters: Int[Array, "c 2"]  # where the civilians of each cluster start
    found: Bool[Array, ""]  # whether the map has room for all places; else some are invalid


class Sites(struct.PyTreeNode, kw_only=True):
    """Many maps of a level, with fuel and fire; every array has a leading axis of maps."""

    fields: Fields
    spots: Spots
    fuel: Fuel
    fire: Fire


def make_sites(level: Level, seeds: Sequence[int], chance: float | None = None) -> Sites:
    """Make the maps of many seeds, all in one program on the device.

    Args:
        level: One of `levels()`, or a changed one.
        seeds: Within `host_land.SEEDS`, at least one; the same seed gives the same map in every batch.
        chance: See `hive.ground.fire.make_fuel`.

    Returns:
        Maps, places, fuel and fire. For a map without room, `spots.found` is False. Generation needs about 70 bytes
        for each cell.

    Raises:
        UserError: Size, offset or a seed is out of range.
    """
    if not len(seeds):
        raise UserError("at least one seed is needed")
    check_ranges(level.size, seeds, level.offset)
    # Levels that differ in these alone share one program: no map depends on them.
    alike = replace(level, id="", title="", period=0, known=False, limit=0, behaviours=(), seeds=(), civilians=0)
    alike = replace(alike, firefighters=0, bulldozers=0, drones=0, helicopters=0)
    return _make(alike, jnp.asarray(seeds, jnp.uint32), jnp.asarray(draw_layers(seeds)), chance)


def draw_layers(seeds: Sequence[int]) -> np.ndarray:
    """Return `[seeds, 5, 4, 2]`, the offsets of octaves for `make_fields`."""
    steps = [step for step, *_ in LAYERS.values()]
    return draw_offsets(np.asarray(seeds, np.int64)[:, None] + steps, OCTAVES)


@partial(jax.jit, static_argnames="level")
def _make(level: Level, seeds: UInt32[Array, " b"], draws: Int[Array, "b 5 4 2"], chance: float | None) -> Sites:
    def site(seed: UInt32[Array, ""], draw: Int[Array, "5 4 2"]) -> Sites:
        fields = make_fields(level.size, level.offset, seed, draw)
        spots = choose_spots(level, fields, seed)
        fields = prepare(fields, spots)
        fuel, fire = ignite(fields, spots, chance, level.rules == "published")
        return Sites(fields=fields, spots=spots, fuel=fuel, fire=fire)

    return jax.vmap(site)(seeds, draws)


def choose_spots(level: Level, fields: Fields, seed: UInt32[Array, ""]) -> Spots:
    """Choose the places of a level on its map.

    Args:
        level: The level; its `size` is that of the map.
        fields: The map as generated.
        seed: Determines the draws.

    Returns:
        The places, each drawn uniformly among the cells that fit.
    """
    size = level.size
    within, away = partial(_square, size), partial(_away, size)
    cells, clusters = jnp.zeros((0, 2), jnp.int32), jnp.zeros((0, 2), jnp.int32)
    goal = fire = water = None
    everything = []

    def choose(word: UInt32[Array, ""], fits: Bool[Array, "x y"]) -> Int[Array, " 2"]:
        cell, found = _choose(word, fits)
        everything.append(found)
        return cell[0]

    spawn = choose(stream(seed, MapStream.SPAWN), within(rules.SPAWN))
    room = within(rules.CLUSTERS)
    if level.game == "cut":
        cells, found = _cells(level, fields, seed, spawn)
        everything.append(found)
    elif level.game == "transport":
        goal = choose(
            stream(seed, MapStream.GOAL), within(rules.TRANSPORT_GOAL) & away(spawn, rules.TRANSPORT_GOAL_FROM_SPAWN)
        )
    elif level.game == "rescue":
        goal = choose(stream(seed, MapStream.GOAL), within(rules.RESCUE_GOAL))
        room = room & away(goal, rules.CLUSTER_FROM_GOAL) & away(spawn, rules.CLUSTER_FROM_SPAWN)
    else:
        area, gap = rules.fire_rule(level)
        inner = np.zeros((size, size), bool)
        inner[1:, 1:] = True  # the published program starts no fire in the first row or column
        fire = choose(
            stream(seed, MapStream.FIRE),
            within(area) & away(spawn, gap) & inner & fields.burnable,
        )
        if level.water:
            water = choose(stream(seed, MapStream.WATER), within(rules.WATER).at[fire[0], fire[1]].set(False))
        room = room & away(fire, rules.CLUSTER_FROM_FIRE)
    if level.clusters:
        words = [mix(stream(seed, MapStream.CLUSTER) + np.uint32(number)) for number in range(level.clusters)]
        clusters = jnp.stack([choose(word, room) for word in words])
    return Spots(
        spawn=spawn,
        cells=cells,
        goal=goal,
        fire=fire,
        water=water,
        clusters=clusters,
        found=jnp.all(jnp.stack(everything)),
    )


def prepare(fields: Fields, spots: Spots) -> Fields:
    """Return the map as a game starts on it, as `site.prepare` does: water, and three trees on each cell to cut."""
    for cells, land, trees in ((spots.cells, Land.DENSE, 3), (spots.water, Land.WATER, 0)):
        if cells is not None:
            at = (cells[..., 0], cells[..., 1])
            fields = fields.replace(
                land=fields.land.at[at].set(land),
                trees=fields.trees.at[at].set(trees),
                building=fields.building.at[at].set(False),
                burnable=fields.burnable.at[at].set(trees > 0),
            )
    return fields


def ignite(fields: Fields, spots: Spots, chance: float | None = None, in_place: bool = False) -> tuple[Fuel, Fire]:
    """Return fuel and fire of a map, lit where the level starts its fire.

    Args:
        fields: The map as a game starts on it.
        spots: Its places.
        chance: See `hive.ground.fire.make_fuel`.
        in_place: See there.
    """
    southward = fields.wind * np.array([[[1, -1]]], np.float32)  # the published second part blows north
    start = jnp.zeros(fields.land.shape, bool)
    if spots.fire is not None:
        start = start.at[spots.fire[0], spots.fire[1]].set(True)
    fuel = make_fuel(fields.elevation, fields.moisture, southward, chance, in_place)
    return fuel, make_fire(fields.burnable, fields.trees, fields.building, start)


def _cells(
    level: Level, fields: Fields, seed: UInt32[Array, ""], spawn: Int[Array, " 2"]
) -> tuple[Int[Array, "e 2"], Bool[Array, ""]]:
    """Cells to cut: single cells with trees, and lines with different centres, shifted to fit the map."""
    size, length = level.size, level.line_length
    wooded = _square(size, rules.TREES) & _away(size, spawn, rules.TREE_FROM_SPAWN) & (fields.trees > 0)
    trees, enough = _choose(stream(seed, MapStream.TREES), wooded, level.trees)
    fits = _square(size, rules.LINES) & _away(size, spawn, rules.LINE_FROM_SPAWN) & (length <= size)
    centres, room = _choose(stream(seed, MapStream.LINES), fits, level.lines)
    upright = cell_words(stream(seed, MapStream.UPRIGHT), (level.lines,)) & 1 == 1
    axis = jnp.stack([~upright, upright], -1)  # along which a line runs
    start = jnp.where(axis, jnp.clip(centres - length // 2, 0, max(size - length, 0)), centres)
    lines = start[:, None, :] + np.arange(length)[None, :, None] * axis[:, None, :].astype(jnp.int32)
    return jnp.concatenate([trees, lines.reshape(-1, 2)]), enough & room


def _choose(
    word: UInt32[Array, ""], fits: Bool[Array, "x y"], count: int = 1
) -> tuple[Int[Array, "count 2"], Bool[Array, ""]]:
    """Draw distinct cells uniformly among those that fit, and return whether there are enough."""
    if not count:
        return jnp.zeros((0, 2), jnp.int32), jnp.bool_(True)
    # As bits of positive floats, which keep their order: XLA finds the largest floats without sorting all.
    lots = lax.bitcast_convert_type(cell_words(word, fits.shape) >> 2, jnp.float32)
    best, at = lax.top_k(jnp.where(fits, lots, -1).reshape(-1), min(count, fits.size))
    at = jnp.pad(at, (0, count - len(at)))
    return jnp.stack([at // fits.shape[1], at % fits.shape[1]], -1), (best[-1] >= 0) & (count <= fits.size)


def _square(size: int, area: Area) -> Bool[Array, "x y"]:
    """Cells of an area."""
    cells = np.arange(size) - rules.whole_cells(size, area.margin)
    inside = (cells >= 0) & (cells < rules.whole_cells(size, area.width))
    return jnp.asarray(inside[:, None] & inside)


def _away(size: int, cell: Int[Array, " 2"], gap: Gap) -> Bool[Array, "x y"]:
    """Cells that have a gap to a given cell."""
    east, south = (jnp.abs(np.arange(size) - cell[axis]) > rules.whole_cells(size, gap.length) for axis in (0, 1))
    east, south = east[:, None], south[None]
    return east & south if gap.both else east | south
