"""A level on thousands of maps at once, for `jax.vmap`: each lane has its own map, made on the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from dsl import UserError
from hive.engine.types import Params
from hive.kit.environment.env import unstack
from hive.worlds.wildfire.levels import Level
from hive.worlds.wildfire.maps.device_places import Sites, Spots, make_sites
from hive.worlds.wildfire.maps.host_places import Cell, Places
from hive.worlds.wildfire.observation import task_numbers
from hive.worlds.wildfire.world import Fireground


def many_params(world: Fireground, seeds: Sequence[int]) -> tuple[Params, Params]:
    """Return a level's `Params` on the maps of many seeds, and their axes for `jax.vmap`.

    The maps are those of `make_sites`: the published terrain up to single cells, with places from our own draws. So a
    seed gives other targets here than in `load_level`, and a plan for the places of one map is useless on another.

        params, axes = many_params(world, range(1000))
        episodes = jax.jit(jax.vmap(hive.rollout, (axes, None, 0)))(params, plan, keys)

    Args:
        world: The level, with its changed numbers; its own seed does not matter.
        seeds: The seeds, one for each map.

    Returns:
        Parameters in which arrays that depend on the map have a leading axis of maps, and a tree of the same structure
        with 0 for those arrays and None for the rest.

    Raises:
        UserError: A seed is out of range, or a map has no room for the level's places.
    """
    level, base = world.site.level, world.params
    blaze, crews = base.blaze, base.crews
    assert blaze is not None and crews is not None
    sites = _spots(world, seeds)
    spots, maps = sites.spots, len(seeds)
    size, count = level.size, base.count

    def marked(cell: Any) -> jax.Array:
        if cell is None:
            return jnp.zeros((maps, size, size), bool)
        return jnp.zeros((maps, size, size), bool).at[jnp.arange(maps), cell[:, 0], cell[:, 1]].set(True)

    own: dict[str, Any] = {
        "spawn": jnp.repeat(spots.spawn[:, None].astype(jnp.float32) + np.float32(0.5), count, axis=1),
        "water": marked(spots.water),
        "civilian": jnp.repeat(spots.clusters, level.civilians, axis=1),
        "task": crews.task.replace(
            cell=spots.cells
            if level.cells_to_cut
            else jnp.broadcast_to(crews.task.cell, (maps, *crews.task.cell.shape)),
            goal=jnp.broadcast_to(crews.task.goal, (maps, 2)) if spots.goal is None else spots.goal,
        ),
    }
    params = base.replace(blaze=blaze.replace(fuel=sites.fuel, start=sites.fire), crews=crews.replace(**own))
    shared: Params = jax.tree.map(lambda _: None, base)
    mapped = {name: 0 for name in own if name != "task"}
    assert shared.blaze is not None and shared.crews is not None
    axes = shared.replace(
        blaze=shared.blaze.replace(fuel=0, start=0),
        crews=shared.crews.replace(**mapped, task=shared.crews.task.replace(cell=0, goal=0)),
    )
    return params, axes


def many_task_numbers(world: Fireground, seeds: Sequence[int]) -> NDArray[np.float32]:
    """Return the task of a level on the maps of many seeds, as `hive.worlds.wildfire.observation.observe` takes it.

        told = many_task_numbers(world, range(1000))
        slots = jax.vmap(observe, (axes, 0, 0))(params, states, told)

    Args:
        world: See `many_params`.
        seeds: The seeds, one for each map.

    Returns:
        `[maps, 3724]`, one row for each map of `many_params`.

    Raises:
        UserError: A seed is out of range, or a map has no room for the level's places.
    """
    spots = jax.device_get(_spots(world, seeds).spots)
    sites = [
        replace(world.site, seed=seed, places=_places(world.site.level, lane))
        for seed, lane in zip(seeds, unstack(spots, len(seeds)), strict=True)
    ]
    return np.stack([task_numbers(site) for site in sites])


def _places(level: Level, spots: Spots) -> Places:
    """Convert the places of one map to those of the host."""

    def cells(found: Any) -> tuple[Cell, ...]:
        return tuple((int(x), int(y)) for x, y in found)

    def cell(found: Any) -> Cell | None:
        return None if found is None else cells([found])[0]

    labelled, length = cells(spots.cells), level.line_length
    starts = [level.trees + length * number for number in range(level.lines)]
    return Places(
        spawn=cells([spots.spawn])[0],
        trees=labelled[: level.trees],
        lines=tuple((*labelled[start], *labelled[start + length - 1]) for start in starts),
        goal=cell(spots.goal),
        fire=cell(spots.fire),
        water=cell(spots.water),
        clusters=cells(spots.clusters),
    )


def _spots(world: Fireground, seeds: Sequence[int]) -> Sites:
    """Return the maps and their places.

    Raises:
        UserError: A seed is out of range, or a map has no room for the level's places.
    """
    sites = make_sites(world.site.level, seeds, world.chance)
    if not bool(sites.spots.found.all()):
        none = seeds[int(np.argmin(np.asarray(sites.spots.found)))]
        raise UserError(f"the map of seed {none} has no room for the level's places\n  = help: leave that seed out")
    return sites
