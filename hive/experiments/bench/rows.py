"""The rows of `hive bench`: what each measures, in which cases, and in which module. Loads no JAX."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

SIZES = (200, 1_000, 4_000, 16_000, 64_000, 100_000)
BATCHES = (1, 4, 16, 64, 256, 1_024)
SMALL = (10, 20, 100)  # 5 v 5, 10 v 10, 50 v 50
LEAST_UNITS = 8  # each side has four groups

Case = Mapping[str, Any]


@dataclass(frozen=True)
class BenchRow:
    """A kind of measurement.

    Attributes:
        summary: One line for `hive bench --help` and the heading of its table.
        home: The function that measures a case and yields figures, as `module:function` in `hive.experiments.bench`.
        full: Arguments of that function, one mapping per case.
        quick: The same for `--quick`.
        named: Whether the row is measured only if the user names it.
    """

    summary: str
    home: str
    full: tuple[Case, ...]
    quick: tuple[Case, ...]
    named: bool = False


ROWS: dict[str, BenchRow] = {
    "tick": BenchRow(
        "one tick and its parts, by number of units, layout and ground",
        "ticking:run",
        tuple({"units": units, "parts": True} for units in SIZES),
        ({"units": 4_000, "parts": True, "scenes": 3},),
    ),
    "sweep": BenchRow(
        "the sensing sweep alone, compared with plain C, on one core",
        "sweeping:run",
        (
            *({"units": units, "layout": "scattered"} for units in (1_000, 4_000, 16_000, 64_000, 128_000)),
            {"units": 2_000, "layout": "contact"},
        ),
        ({"units": 4_000, "layout": "scattered"}, {"units": 2_000, "layout": "contact"}),
    ),
    "dense": BenchRow(
        "the tick, compared with one over all pairs [N, N]",
        "ticking:run_dense",
        (
            {"units": 1_000, "layout": "scattered"},
            {"units": 2_000, "layout": "contact"},
            {"units": 4_000, "layout": "scattered"},
        ),
        ({"units": 1_000, "layout": "scattered"},),
    ),
    "batch": BenchRow(
        "environment steps per second of many small worlds, open and among walls and woods",
        "batching:run",
        tuple({"units": units, "batches": BATCHES} for units in SMALL),
        ({"units": 10, "batches": (1, 64)},),
    ),
    "games": BenchRow(
        "games of `coordinate` per second, 100 units on each side",
        "batching:run_games",
        ({"batches": (1, 16, 64)},),
        ({"batches": (16,)},),
    ),
    "abilities": BenchRow(
        "complete games of the five abilities, a batch of seeds each",
        "batching:run_abilities",
        ({"seeds": 64},),
        ({"seeds": 2},),
        named=True,
    ),
    "maps": BenchRow("sixteen distance maps on 300 x 300", "grounds:run", ({},), ({},)),
    "fire": BenchRow(
        "one update of the fire automaton, compared with one uniform draw per cell",
        "fires:run",
        tuple({"side": side} for side in (250, 1_000, 4_000)),
        ({"side": 250},),
    ),
    "fires": BenchRow(
        "one update of many small fires in one batch",
        "fires:run_many",
        ({"maps": 10_000, "side": 32},),
        ({"maps": 1_000, "side": 32},),
    ),
    "crew": BenchRow(
        "one tick (100 frames) of a crew at a wildfire, compared with the paper's memory",
        "fires:run_crew",
        (
            *({"units": units, "side": 100} for units in (20, 100, 500, 1_000, 2_000)),
            *({"units": 20, "side": side} for side in (250, 400, 600, 800, 1_000)),
            {"units": 2_000, "side": 1_000},
            {"units": 100_000, "side": 1_000},
        ),
        ({"units": 20, "side": 100},),
    ),
    "compile": BenchRow(
        "compilation of a game of `coordinate`, without a cache",
        "starting:run_compile",
        ({"units": 1_000},),
        ({"units": 1_000},),
    ),
    "swap": BenchRow("a new plan for a running game", "starting:run_swap", ({"units": 1_000},), ({"units": 1_000},)),
    "first": BenchRow(
        "from the command `hive run coordinate --no-cache` to the first seed's outcome",
        "starting:run_first",
        ({"units": None},),
        ({"units": 100},),
    ),
    "rewards": BenchRow(
        "texts of plans scored in batches of 16, the first cold, the others warm",
        "rewarding:run",
        tuple({"units": n, "texts": 16, "seeds": 4, "batches": 3 if n < 2_000 else 1} for n in (40, 200, 2_000)),
        ({"units": 40, "texts": 16, "seeds": 4, "batches": 2},),
        named=True,
    ),
    "learners": BenchRow(
        "steps of environments for learners, and training next to JaxMARL (JAXMARL names a checkout)",
        "learning:run",
        ({"worlds": (64, 512, 4_096)}, {"updates": 2}),
        ({"worlds": (64,)},),
        named=True,
    ),
    "constants": BenchRow(
        "what launches, turns of loops, sorts and copies cost on this device", "constants:run", ({},), ({},), named=True
    ),
    "alike": BenchRow(
        "what is promised to be bit-identical, on this device and compared with a processor",
        "alike:run",
        ({},),
        ({},),
        named=True,
    ),
    "peers": BenchRow(
        "other engines, measured in the same run, and at the end a table of all other programs",
        "peers:run",
        ({"quick": False},),
        ({"quick": True},),
    ),
    "circles": BenchRow(
        "the workload `circles` of FLAME GPU 2, with our sweep, with JAX-MD, and as FLAME published it",
        "circling:run",
        tuple({"agents": agents} for agents in (4_000, 16_000, 64_000, 256_000, 1_000_000)),
        ({"agents": 4_000},),
        named=True,
    ),
    "gpu": BenchRow(
        "programs counted and modelled for a GPU that need not be present",
        "counting:run",
        (  # the figure of each scene is the milliseconds that are aimed at
            {"kind": "tick", "units": 4_000, "scenes": {"scattered": 0.9, "contact": 1.3}},
            {"kind": "tick", "units": 64_000, "scenes": {"scattered": 1.2, "contact": 2.2, "forest": 3.0}},
            {"kind": "tick", "units": 1_000_000, "scenes": {"scattered": 12.0}},
            {"kind": "batch", "units": 10, "worlds": 4_096, "scenes": {"open": 0.6}},
            {"kind": "crew", "units": 20, "side": 100, "scenes": {"fire": 2.0}},
            {"kind": "crew", "units": 2_000, "side": 1_000, "scenes": {"fire": None}},
            {"kind": "maps", "side": 300, "scenes": {"rivers": None, "maze": None}},
            {"kind": "fire", "side": 1_000, "scenes": {"fire": None}},
        ),
        (
            {"kind": "tick", "units": 1_000, "scenes": {"scattered": None}},
            {"kind": "maps", "side": 60, "scenes": {"rivers": None}},
        ),
        named=True,
    ),
}


def run_case(row: str, case: Case) -> Iterator[dict[str, Any]]:
    """Measure one case in this process.

    Yields:
        Lines that say what was measured and where: the row, its figures, device, versions, commit and the time (UTC).
    """
    module, function = ROWS[row].home.split(":")
    measure = getattr(import_module(f"hive.experiments.bench.{module}"), function)
    for figures in measure(**case):
        yield describe(row, figures)


def describe(row: str, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Add to figures the row they belong to, and where and when they were measured.

    `load` is the system's load over the last minute; well above 1, other programs used the machine too. `instructions`
    are the widest vector instructions of the processor, on which ratios to C depend, and `processors` is their number.
    """
    from hive.kit.keep.runfolder import versions

    known = versions()
    where = {"device": known.pop("device"), "commit": known.pop("commit"), "versions": known}
    load = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
    where |= {"instructions": vector_instructions(), "processors": os.cpu_count()}
    return {"row": row, **figures, **where, "load": load, "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


def vector_instructions(cpuinfo: Path = Path("/proc/cpuinfo")) -> str | None:
    """Return the widest known vector instructions of the processor, as Linux names them; None if they are not known."""
    try:
        text = cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    listed = (line.partition(":")[2].split() for line in text.split("\n") if line.startswith(("flags", "Features")))
    flags = next(listed, [])
    return next((name for name in ("avx512f", "avx2", "avx", "sse4_2", "sve", "asimd") if name in flags), None)
