"""Row `sweep`: the sensing sweep alone, four slots per unit, and the limit in C on the same world, on one core."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hive.engine.units import draws
from hive.engine.units.senses import SIGHT_CELL, ask, sense
from hive.experiments.bench import limit
from hive.experiments.bench.timing import build, measure, milliseconds
from hive.experiments.bench.worlds import MeasuredGame, make_scene

_ROUNDS = 3  # of this program and the one in C in turn
_THREAT_STEPS = 3  # of `high`, the rule that the trees ask with


def run(units: int, layout: str) -> Iterator[dict[str, Any]]:
    """Time the sweep of so many units on open ground.

    The C program answers three questions and sums the push in one pass; the sweep here answers four slots of any rule
    and leaves the push to another sweep. `ratio` compares wall times. `cpu_ratio` compares processor times, which other
    programs on the machine disturb less; it is None if the sweep does not run on the host.
    """
    cores = _pin()
    scene = make_scene(units, layout)
    params, state = scene.params, scene.game.state
    group = jnp.maximum(scene.game.progress.group, 0)
    asked = jax.jit(ask)(params, scene.orders.plan.tree[group], scene.orders.plan.types[group])
    word = draws.tick_word(scene.key, state.tick)
    program = build(sense, params, state, asked, word)
    call = partial(program.call, params, state, asked, word)
    with limit.compiled() as plain:
        ours, theirs = [], []
        for _ in range(_ROUNDS):
            (timing,) = measure(call, budget=0.7)
            ours.append(timing)
            if plain is not None:
                repeats = int(min(max(0.5 / timing.median, 3), 40))
                theirs.append(limit.sweep(plain, world_of(scene), repeats))
    middle = sorted(ours, key=lambda timing: timing.median)[_ROUNDS // 2]
    figures: dict[str, Any] = {"units": units, "layout": layout, "slots": asked.mask.shape[0], "cores": cores}
    figures |= milliseconds(middle, "sweep")
    if not theirs:
        yield figures | {"limit_ms": None, "ratio": None, "cpu_ratio": None, "note": limit.NO_COMPILER}
        return
    median = statistics.median(swept.median for swept in theirs)
    figures["limit_ms"] = round(median * 1e3, 4)
    figures["limit_least_ms"] = round(min(swept.least for swept in theirs) * 1e3, 4)
    figures["candidates_a_unit"] = round(theirs[0].pairs / units, 1)
    on_host = jax.default_backend() == "cpu"
    had, theirs_had = (statistics.median(each.spent for each in side) for side in (ours, theirs))
    yield figures | {
        "ratio": round(middle.median / median, 3),
        "sweep_cpu_ms": round(had * 1e3, 4) if on_host else None,
        "limit_cpu_ms": round(theirs_had * 1e3, 4),
        "cpu_ratio": round(had / theirs_had, 3) if on_host else None,
    }


def world_of(scene: MeasuredGame) -> limit.SweepInput:
    """Return a scene as the C program reads it; all units are alive and on open ground."""
    params = scene.params
    kind = np.asarray(params.units.type)
    reach, speed = np.asarray(params.types.reach)[kind], np.asarray(params.types.speed)[kind]
    position = np.asarray(scene.game.state.position)
    return limit.SweepInput(
        side=float(params.terrain.size),
        sight=SIGHT_CELL,
        x=position[:, 0],
        y=position[:, 1],
        reach=reach,
        threat=reach + _THREAT_STEPS * speed,
        team=np.asarray(params.units.side),
    )


def _pin() -> str:
    """Pin this process and its children to one core before JAX makes its threads; return a description."""
    if not hasattr(os, "sched_setaffinity"):
        return "all (this system cannot pin a process to a core)"
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return "one (sched_setaffinity)"
