"""Row `circles`: the workload of FLAME GPU 2's benchmark with our sweep and with JAX-MD, beside FLAME's own figures.

On a processor the ratio of processor times is the one to trust: other programs disturb it less than wall time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import jax
import jax.numpy as jnp

from hive.experiments.bench.circles import CirclesProgram, Played, check, our_program, scatter_agents
from hive.experiments.bench.rows import vector_instructions
from hive.experiments.bench.timing import measure
from hive.ground.sizes import current, use

STEPS = 20  # in one call
_RUNS = 3
_LONG, _LONG_AGENTS = 200, 4_000  # steps, as many as FLAME's, and the most agents with which they are played
_PAIRS_AGENTS = 4_000  # the most with which all pairs are compared
_BOX_AGENTS = 4_000  # the most with which a processor plays in three dimensions
_MOST_ON_HOST = 64_000  # agents; a processor would need minutes for more

OURS = "HIVE's sweep, 2D"
PAIRS = "HIVE, all pairs, 2D"
NEW_LISTS = "JAX-MD, new lists, 2D"
KEPT_LISTS = "JAX-MD, kept lists, 2D"
BOX = "JAX-MD, new lists, 3D"
FLAME = "FLAME GPU 2, 3D"

PUBLISHED: dict[str, dict[int, float]] = {
    "NVIDIA H100 PCIe": {10_648: 0.271, 19_683: 0.291, 64_000: 0.311, 300_763: 0.830, 1_000_000: 2.112},
    "Tesla V100-SXM2-32GB": {10_648: 0.287, 19_683: 0.282, 59_319: 0.414, 300_763: 1.265, 1_000_000: 3.720},
}
"""FLAME's milliseconds a step by agents: the column `s_step_mean` of its tables, the mean of their three runs.

From FLAMEGPU/FLAMEGPU2-circles-benchmark, model `circles_spatial3D_rtc`, which is the faster one: for the H100
`sample/data/h100pcie-550.163.01` (2.0.0-rc.4, CUDA 12.4), `fixed-density_perSimulationCSV.csv` and, for 64,000 agents,
`sort-period_perSimulationCSV.csv` with a period of 1; for the V100 `combined-h100-a100-v100-fixed-density.csv`.
"""


def run(agents: int) -> Iterator[dict[str, Any]]:
    """Play so many agents with each program, and yield a line for each and one for each device that FLAME names.

    FLAME's line is that of the number of agents nearest to this one. `neighbours` is the mean in the last step. `lost`
    is the part of the neighbours that a program missed in that step, of some agents together, and `lost_long` the same
    after as many steps as FLAME plays, where crowds have formed; None where they were not played. `overflow` says
    whether a buffer of JAX-MD was too small in the longest run. `apart_m` is how far the first step puts an agent from
    where our sweep puts it.
    """
    if jax.default_backend() == "cpu" and agents > _MOST_ON_HOST:
        yield {"note": f"{agents:,} agents are played on a GPU only"}
    else:
        if find_spec("jax_md") is None:
            yield {"note": "JAX-MD is not installed; `pip install jax-md` adds it (1.2 GB)"}
        yield from _measured(agents)
    for device, points in PUBLISHED.items():
        nearest = min(points, key=lambda published: abs(math.log(published / agents)))
        yield _line(nearest, FLAME, device, published_ms=points[nearest])


def _line(agents: int, peer: str, device: str, **figures: Any) -> dict[str, Any]:
    keys = ("neighbours", "lost", "lost_long", "overflow", "step_ms", "step_cpu_ms", "ratio", "cpu_ratio")
    return {"units": agents, "peer": peer, "on": device, **dict.fromkeys((*keys, "published_ms")), **figures}


def _measured(agents: int) -> Iterator[dict[str, Any]]:
    programs = _programs(agents)
    starts = {name: jnp.asarray(scatter_agents(agents, 3 if name == BOX else 2)) for name in programs}
    once, often, long = (jnp.int32(steps) for steps in (1, STEPS, _LONG))
    first = {name: program(starts[name], once).after for name, program in programs.items()}
    last: dict[str, Played] = {}

    def call(name: str) -> Played:
        last[name] = programs[name](starts[name], often)
        return last[name]

    timed = dict(zip(programs, measure(*(partial(call, name) for name in programs), runs=_RUNS), strict=True))
    on_host = jax.default_backend() == "cpu"
    device = f"processor, {vector_instructions()}" if on_host else jax.devices()[0].device_kind
    for name, program in programs.items():
        played, checked = last[name], check(last[name])
        figures: dict[str, Any] = {
            "neighbours": round(float(played.neighbours.mean()), 2),
            "lost": checked.share,
            "invented": checked.invented,
            "overflow": bool(played.overflow),
            "step_ms": round(timed[name].median / STEPS * 1e3, 4),
            "step_cpu_ms": round(timed[name].spent / STEPS * 1e3, 4) if on_host else None,
            "ratio": round(timed[name].median / timed[OURS].median, 3),
            "cpu_ratio": round(timed[name].spent / timed[OURS].spent, 3) if on_host else None,
        }
        if agents <= _LONG_AGENTS and name not in (PAIRS, BOX):
            later = program(starts[name], long)
            figures |= {"lost_long": check(later).share, "overflow": bool(later.overflow)}
            figures["neighbours_long"] = round(float(later.neighbours.mean()), 2)
        if name != BOX:
            figures["apart_m"] = round(float(jnp.abs(first[name] - first[OURS]).max()), 7)
        if name not in (OURS, PAIRS):
            figures["jax_md"] = version("jax-md")
        yield _line(agents, name, device, **figures)


def _programs(agents: int) -> dict[str, CirclesProgram]:
    """Return our program, the same with all pairs, and JAX-MD's if it is installed, by their names."""
    programs = {OURS: our_program(agents)}
    if agents <= _PAIRS_AGENTS:
        programs[PAIRS] = _all_pairs(our_program(agents))
    if find_spec("jax_md") is None:
        return programs
    from hive.experiments.bench.peers.jaxmd import KEPT, their_program

    flat = scatter_agents(agents, 2)
    programs |= {NEW_LISTS: their_program(flat, 0.0), KEPT_LISTS: their_program(flat, KEPT)}
    if agents <= _BOX_AGENTS or jax.default_backend() != "cpu":
        programs[BOX] = their_program(scatter_agents(agents, 3), 0.0)
    return programs


def _all_pairs(program: CirclesProgram) -> CirclesProgram:
    def play(*args: Any) -> Any:
        with use(replace(current(), matrix=1 << 2 * (_PAIRS_AGENTS - 1).bit_length())):
            return program(*args)

    return play
