"""Rows `compile`, `first` and `swap`: the time from a plan to its first effect."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import hive
from hive.engine.episode import advance, begin
from hive.engine.plan.arrays import make_orders
from hive.engine.swapping import swap
from hive.engine.types import Plan
from hive.experiments.bench.timing import COMPILED, build, clock, events, measure, milliseconds, peak

_HIVE = "from hive.cli import main; raise SystemExit(main())"


def run_compile(units: int) -> Iterator[dict[str, Any]]:
    """Compile `hive.rollout` of `coordinate` with so many units on each side, without a cache."""
    world = hive.load("coordinate", units=units)
    plan = hive.read_plan("coordinate", world)
    program = build(hive.rollout, world.params, plan, jax.random.key(0))
    total = program.trace + program.lower + program.compile
    yield {"units": sum(world.sizes), "total_s": round(total, 3), **program.figures, **peak()}


def run_first(units: int | None) -> Iterator[dict[str, Any]]:
    """Start `hive run coordinate --no-cache` and wait until it says how the first seed's game ended.

    Args:
        units: On the player's side; None: the scenario's number.

    Raises:
        RuntimeError: The command ended without an outcome.
    """
    words = ["run", "coordinate", "--no-cache", *(["--units", str(units)] if units else [])]
    surroundings = {name: value for name, value in os.environ.items() if name != "JAX_COMPILATION_CACHE_DIR"}
    began = time.perf_counter()
    outcome = None
    with subprocess.Popen(
        [sys.executable, "-c", _HIVE, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=surroundings,
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if line.startswith("seed "):
                    first = time.perf_counter() - began
                    outcome = line.partition(":")[2].strip()
                    break
            process.stdout.read()
        finally:
            process.kill()
    if outcome is None:
        raise RuntimeError(f"`hive {' '.join(words)}` ended without an outcome")
    yield {"command": f"hive {' '.join(words)}", "first_s": round(first, 2), "outcome": outcome}


def run_swap(units: int) -> Iterator[dict[str, Any]]:
    """Give a running game of `coordinate` one new plan after another, each with eight new targets.

    `compiles` counts the programs that were compiled during the timing: after the first swap there are none.
    """
    world = hive.load("coordinate", units=units // 2)
    plans = [_plan(world, number) for number in range(20)]
    orders = jax.jit(make_orders)(world.params, plans[0])
    key = jax.random.key(0)
    game = jax.jit(begin)(world.params, orders, key)
    game = jax.jit(advance)(world.params, orders, game, key, jnp.int32(50))
    clock(lambda: swap(world.params, orders, game, plans[0]))
    fresh = iter(plans * 3)
    with events() as found:
        (timing,) = measure(lambda: swap(world.params, orders, game, next(fresh)))
    compiles = found.count(COMPILED)
    yield {"units": sum(world.sizes), "targets": 8, **milliseconds(timing, "swap"), "compiles": compiles}


def _plan(world: hive.EngineWorld, seed: int) -> Plan:
    """Return a plan that sends each eighth of the army to another place."""
    random, count = np.random.default_rng(seed), world.written_for[0]
    lines = ["BEGIN PLAN", "Step 0:", "prerequisites: []", "objective: elimination all"]
    for part in range(8):
        x, y = random.integers(5, world.params.terrain.size - 5, 2)
        lines += [f"units: [{part * count // 8}:{(part + 1) * count // 8}]", f"- target position: ({x}, {y})"]
        lines += ["- behavior: attack_and_move any"]
    return hive.read_plan("\n".join([*lines, "END PLAN"]), world)
