"""A level on thousands of maps at once, for `jax.vmap`: each lane has its own map, made on the device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dsl import UserError
from hive.types import Params
from hive.wildfire.maps.device_places import make_sites
from hive.wildfire.world import Fireground


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
    return params, axes
