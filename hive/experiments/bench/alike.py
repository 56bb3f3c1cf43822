"""Row `alike`: what is promised to be equal to the bit on one device, and how far its games are from a processor's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

import hive
from hive.engine.episode import Game
from hive.experiments.bench.grounds import make_search
from hive.experiments.bench.ticking import TICKS, play
from hive.experiments.bench.worlds import MeasuredGame, make_scene
from hive.ground.distance import distance_maps
from hive.ground.sizes import CPU, GPU, use

_UNITS, _SIDE = 2_000, 300


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
    what = f"{TICKS} ticks and those of a processor"
    yield {"what": what, "promised": False, "same": _same(first, there), "apart_m": round(float(apart), 6)}


def _same(one: Any, other: Any) -> bool:
    pairs = zip(*(jax.tree.leaves(jax.device_get(tree)) for tree in (one, other)), strict=True)
    return all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs)


_play = jax.jit(play)


def _played(scene: MeasuredGame) -> Game:
    return _play(scene.params, scene.orders, scene.game, scene.key)


def _maps() -> Array:
    return distance_maps(*make_search("random", _SIDE))
