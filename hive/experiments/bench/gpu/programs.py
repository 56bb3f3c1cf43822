"""The programs that are compiled for a GPU, each with the scenes in which its loops are counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax.numpy as jnp

from hive.engine.episode import tick
from hive.experiments.bench import batching, fires, grounds
from hive.experiments.bench.worlds import make_scene
from hive.ground.distance import distance_maps
from hive.ground.fire import burn
from hive.worlds.wildfire.maps.host_land import make_map

Args = tuple[Any, ...]
_SCENES = {"scattered": ("scattered", "open"), "contact": ("contact", "open"), "forest": ("scattered", "forest")}


@dataclass(frozen=True)
class Work:
    """A program with arguments of one shape.

    Attributes:
        function: What is compiled.
        words: What it does, for a person; the scene follows.
        scenes: Arguments by scene.
        ticks: In one call; figures are given for one.
        warm: Calls on the CPU before the one that is counted.
        again: Arguments of the next call, from those of the last and its results.
    """

    function: Callable[..., Any]
    words: str
    scenes: dict[str, Args]
    ticks: int = 1
    warm: int = 0
    again: Callable[[Args, Any], Args] = field(default=lambda args, _: args)


def _tick(names: Sequence[str], units: int) -> Work:
    scenes = {}
    for name in names:
        layout, ground = _SCENES[name]
        scene = make_scene(units, layout, ground)
        scenes[name] = (scene.params, scene.orders, scene.game, scene.key)
    return Work(tick, f"tick, {units:,} units", scenes)


def _batch(names: Sequence[str], units: int, worlds: int) -> Work:
    scenes = {name: batching.place(make_scene(units, ground=name, side=batching.SIDE), worlds) for name in names}
    return Work(batching.advance_all, f"tick, {worlds:,} worlds of {units}", scenes, ticks=batching.TICKS)


def _crew(names: Sequence[str], units: int, side: int) -> Work:
    args = fires.make_crew(units, side)
    return Work(
        tick,
        f"tick, crew of {units:,}, {side:,} x {side:,}",
        dict.fromkeys(names, args),
        warm=fires.BURNING,
        again=lambda args, out: (*args[:2], out[0], args[3]),
    )


def _maps(names: Sequence[str], side: int) -> Work:
    scenes = {name: grounds.make_search(name, side) for name in names}
    return Work(distance_maps, f"{grounds.TARGETS} maps, {side:,} x {side:,}", scenes)


def _fire(names: Sequence[str], side: int) -> Work:
    fuel, fire = fires.alight(make_map(side, 1, fires.OFFSET), 1, fires.LIT)
    return Work(burn, f"fire, {side:,} x {side:,}", dict.fromkeys(names, (fuel, fire, jnp.uint32(1))))


_KINDS: dict[str, Callable[..., Work]] = {"tick": _tick, "batch": _batch, "crew": _crew, "maps": _maps, "fire": _fire}


def make_work(kind: str, scenes: Sequence[str], **size: int) -> Work:
    """Make a program and its scenes.

    Args:
        kind: `tick`, `batch`, `crew`, `maps` or `fire`.
        scenes: For `tick` of `scattered`, `contact`, `forest`; for `batch` and `maps` names of grounds; for others
            any one word.
        **size: Of that kind: `units`, `worlds`, `side`.
    """
    return _KINDS[kind](scenes, **size)
