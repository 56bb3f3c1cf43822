"""A level on thousands of maps at once, for `jax.vmap`: each lane has its own map, made on the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dsl import UserError
from hive.engine.types import Params
from hive.worlds.wildfire.env import LevelEnv
from hive.worlds.wildfire.levels import Level
from hive.worlds.wildfire.maps.device_places import Spots, make_sites
from hive.worlds.wildfire.maps.host_places import Cell, Places
from hive.worlds.wildfire.observation import room_for, task_numbers
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
    params, axes, _ = _many(world, seeds)
    return params, axes


def many_envs(
    world: Fireground, seeds: Sequence[int], slots: int | None = None, exact: bool = False
) -> tuple[LevelEnv, LevelEnv]:
    """Return a level on the maps of many seeds as environments, and their axes for `jax.vmap`.

    The maps are those of `many_params`; the manager's slot of each lane has the task on the lane's own map.

        envs, axes = many_envs(world, range(1000))
        states, observations = jax.jit(jax.vmap(env.reset, (axes, 0)))(envs, keys)

    Args:
        world: See `many_params`.
        seeds: The seeds, one for each map.
        slots: See `make_env`.
        exact: See `hive.worlds.wildfire.env.LevelEnv`.

    Raises:
        UserError: A seed is out of range, a map has no room for the level's places, or there are too few slots.
    """
    params, axes, spots = _many(world, seeds)
    host = jax.tree.map(np.asarray, spots)
    numbers = []
    for lane, seed in enumerate(seeds):
        places = _places(world.site.level, jax.tree.map(lambda leaf, lane=lane: leaf[lane], host))
        numbers.append(task_numbers(replace(world.site, seed=seed, places=places)))
    slots = room_for(params, slots)
    envs = LevelEnv(params=params, told=jnp.asarray(np.stack(numbers)), slots=slots, exact=exact)
    axis: Any = 0  # stands where the array stands, as `vmap` wants it
    return envs, LevelEnv(params=axes, told=axis, slots=slots, exact=exact)


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


def _many(world: Fireground, seeds: Sequence[int]) -> tuple[Params, Params, Spots]:
    """Return parameters on the maps of many seeds, their axes of maps, and the places on each map."""
    level, base = world.site.level, world.params
    blaze, crews = base.blaze, base.crews
    assert blaze is not None and crews is not None
    sites = make_sites(level, seeds, world.chance)
    spots, maps = sites.spots, len(seeds)
    if not bool(spots.found.all()):
        none = seeds[int(np.argmin(np.asarray(spots.found)))]
        raise UserError(f"the map of seed {none} has no room for the level's places\n  = help: leave that seed out")
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
    return params, axes, spots
