"""The maps on which an environment of a crew plays: those of `hive.load`, stacked by seed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import jax
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int

from hive.engine.types import Params
from hive.ground.fire import Fire, Fuel, make_fire, make_fuel
from hive.worlds.wildfire.maps.site import make_site
from hive.worlds.wildfire.world import Fireground, map_arrays


class Maps(struct.PyTreeNode, kw_only=True):
    """What differs between the maps of a level; every array has a leading axis of maps."""

    fuel: Fuel
    start: Fire
    spawn: Float[Array, "m n 2"]
    water: Bool[Array, "m x y"]
    civilian: Int[Array, "m v 2"]
    cell: Int[Array, "m e 2"]
    goal: Int[Array, "m 2"]
    fire: Int[Array, "m 2"]  # the cell where the fire starts; (0, 0) in levels without fire


def make_maps(world: Fireground, seeds: Sequence[int]) -> Maps:
    """Return the maps of a level; a seed gives the same map and places as in `hive.load`.

    Raises:
        UserError: A seed is out of range, or its map has no room for the level's places.
    """
    level = world.site.level
    rows = [map_arrays(make_site(level, seed)) for seed in seeds]
    stacked = type(rows[0])(*(np.stack(column) for column in zip(*rows, strict=True)))
    fires = np.array([np.unravel_index(np.argmax(lit), lit.shape) for lit in stacked.lit], np.int32)
    spawn, water, civilian, cell, goal, where = jax.device_put(
        (stacked.spawn, stacked.water, stacked.civilian, stacked.cell, stacked.goal, fires)
    )
    return Maps(
        fuel=_fuels(stacked.elevation, stacked.moisture, stacked.wind, world.chance, level.rules == "published"),
        start=_fires(stacked.burnable, stacked.trees, stacked.building, stacked.lit),
        spawn=spawn,
        water=water,
        civilian=civilian,
        cell=cell,
        goal=goal,
        fire=where,
    )


_fires = jax.jit(jax.vmap(make_fire))


@partial(jax.jit, static_argnames="in_place")
def _fuels(elevation: Array, moisture: Array, wind: Array, chance: float | None, in_place: bool) -> Fuel:
    return jax.vmap(partial(make_fuel, chance=chance, in_place=in_place))(elevation, moisture, wind)


def on_map(params: Params, maps: Maps, number: Int[Array, ""]) -> Params:
    """Return a level's parameters on one of the maps."""
    blaze, crews = params.blaze, params.crews
    assert blaze is not None and crews is not None
    one: Maps = jax.tree.map(lambda leaf: leaf[number], maps)
    task = crews.task.replace(cell=one.cell, goal=one.goal)
    return params.replace(
        blaze=blaze.replace(fuel=one.fuel, start=one.start),
        crews=crews.replace(spawn=one.spawn, water=one.water, civilian=one.civilian, task=task),
    )
