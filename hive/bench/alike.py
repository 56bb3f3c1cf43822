"""Row `alike`: what is promised to be equal to the bit on one device, and how far its games are from a processor's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array

import hive
from hive.bench.grounds import make_blocked
from hive.bench.worlds import Scene, make_scene
from hive.engine.episode import Game, tick
from hive.types import Orders, Params
from hive.world.distance import distance_maps
from hive.world.shapes import Ground
from hive.world.sizes import CPU, GPU, use
from hive.world.terrain import make_terrain

_UNITS, _TICKS, _SIDE = 2_000, 20, 300


def run() -> Iterator[dict[str, Any]]:
    """Compare: a batch with single games, both choices of sizes, two runs, and this device with a processor."""
    world = hive.load("coordinate", units=20)
    plan = hive.read_plan("coordinate", world)
    keys = jax.vmap(jax.random.key)(jnp.arange(4))
    many = jax.jit(jax.vmap(hive.rollout, (None, None, 0)))(world.params, plan, keys)
    rollout = jax.jit(hive.rollout)
    alone = [rollout(world.params, plan, key) for key in keys]
    each = (_same(jax.tree.map(lambda leaf, i=i: leaf[i], many), game) for i, game in enumerate(alone))
    yield {"what": "games of a batch and single games", "promised": True, "same": all(each)}

    scene = make_scene(_UNITS, "contact", "forest")
    with use(GPU):
        first = _played(scene)
        yield {"what": "two runs", "promised": True, "same": _same(first, _played(scene))}
    with use(CPU):
        yield {"what": "sizes of a CPU and of a GPU", "promised": True, "same": _same(first, _played(scene))}
    here = jax.device_get(_maps())
    with jax.default_device(jax.devices("cpu")[0]):
        yield {"what": "distance maps and those of a processor", "promised": True, "same": _same(here, _maps())}
        there = _played(make_scene(_UNITS, "contact", "forest"))
    apart = np.abs(np.asarray(first.state.position) - np.asarray(there.state.position)).max()
    what = f"{_TICKS} ticks and those of a processor"
    yield {"what": what, "promised": False, "same": _same(first, there), "apart_m": round(float(apart), 6)}


def _same(one: Any, other: Any) -> bool:
    pairs = zip(*(jax.tree.leaves(jax.device_get(tree)) for tree in (one, other)), strict=True)
    return all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs)


@jax.jit
def _ticks(params: Params, orders: Orders, game: Game, key: Array) -> Game:
    played: Game = lax.fori_loop(0, _TICKS, lambda _, game: tick(params, orders, game, key)[0], game)
    return played


def _played(scene: Scene) -> Game:
    return _ticks(scene.params, scene.orders, scene.game, scene.key)


def _maps() -> Array:
    blocked = make_blocked("random", _SIDE)
    free = np.argwhere(~blocked)[::5000][:16]
    terrain = make_terrain(jnp.asarray(np.where(blocked, Ground.WATER, Ground.NORMAL).astype(np.uint8)))
    return distance_maps(terrain, jnp.asarray(free, jnp.int32))
