"""Lines of results as tables for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hive.experiments.bench.gpu.model import GPU_COSTS, RADIX
from hive.experiments.bench.gpu.target import DEVICE

Columns = tuple[tuple[str, str, str], ...]  # heading, key, format

_PROGRAM: Columns = (("compile s", "compile_s", ",.1f"), ("peak MB", "peak_mb", ",.0f"))
COLUMNS: dict[str, Columns] = {
    "tick": (
        ("units", "units", ",d"),
        ("layout", "layout", ""),
        ("ground", "ground", ""),
        ("tick ms", "tick_ms", ",.2f"),
        ("least ms", "tick_least_ms", ",.2f"),
        ("units/s", "units_per_s", ",d"),
        ("of open", "of_open", ".2f"),
        *_PROGRAM,
    ),
    "sweep": (
        ("units", "units", ",d"),
        ("layout", "layout", ""),
        ("sweep ms", "sweep_ms", ",.2f"),
        ("least ms", "sweep_least_ms", ",.2f"),
        ("C ms", "limit_ms", ",.2f"),
        ("ours / C", "ratio", ".2f"),
        ("cpu time", "cpu_ratio", ".2f"),
        ("cores", "cores", ""),
    ),
    "dense": (
        ("units", "units", ",d"),
        ("layout", "layout", ""),
        ("tick ms", "tick_ms", ",.2f"),
        ("dense ms", "dense_ms", ",.2f"),
        ("dense / tick", "ratio", ".2f"),
    ),
    "batch": (
        ("units", "units", ",d"),
        ("batch", "batch", ",d"),
        ("ground", "ground", ""),
        ("env steps/s", "env_steps_per_s", ",d"),
        ("unit steps/s", "unit_steps_per_s", ",d"),
        *_PROGRAM,
    ),
    "games": (
        ("units", "units", ",d"),
        ("batch", "batch", ",d"),
        ("games/s", "games_per_s", ",.2f"),
        ("env steps/s", "env_steps_per_s", ",d"),
        ("seconds", "seconds", ",.1f"),
        *_PROGRAM,
    ),
    "abilities": (
        ("ability", "ability", ""),
        ("units", "units", ",d"),
        ("batch", "batch", ",d"),
        ("wins", "wins", ",d"),
        ("games/s", "games_per_s", ",.2f"),
        ("env steps/s", "env_steps_per_s", ",d"),
    ),
    "rewards": (
        ("units", "units", ",d"),
        ("texts", "texts", "d"),
        ("seeds", "seeds", "d"),
        ("cold s", "cold_s", ",.1f"),
        ("cpu s", "cold_cpu_s", ",.1f"),
        ("texts/s", "cold_texts_per_s", ",.2f"),
        ("compiles", "cold_compiles", "d"),
        ("warm s", "warm_s", ",.2f"),
        ("cpu s", "warm_cpu_s", ",.2f"),
        ("texts/s", "warm_texts_per_s", ",.2f"),
        ("compiles", "warm_compiles", "d"),
        ("peak MB", "peak_mb", ",.0f"),
    ),
    "constants": (("what", "what", ""), ("us", "us", ",.2f")),
    "alike": (("what", "what", ""), ("promised", "promised", ""), ("same", "same", ""), ("apart m", "apart_m", ".6f")),
    "maps": (
        ("ground", "ground", ""),
        ("targets", "targets", "d"),
        ("maps ms", "maps_ms", ",.1f"),
        ("least ms", "maps_least_ms", ",.1f"),
        ("longest way", "longest", ",d"),
    ),
    "fire": (
        ("side", "side", ",d"),
        ("burning", "alight", ",d"),
        ("update ms", "update_ms", ",.2f"),
        ("draw ms", "draw_ms", ",.2f"),
        ("of a draw", "ratio", ".2f"),
        *_PROGRAM,
    ),
    "fires": (
        ("maps", "maps", ",d"),
        ("side", "side", ",d"),
        ("update ms", "update_ms", ",.2f"),
        ("updates/s", "updates_per_s", ",d"),
        *_PROGRAM,
    ),
    "crew": (
        ("units", "units", ",d"),
        ("side", "side", ",d"),
        ("tick ms", "tick_ms", ",.2f"),
        ("frames/s", "frames_per_s", ",d"),
        *_PROGRAM,
        ("paper MB", "published_mb", ",.0f"),
    ),
    "compile": (
        ("units", "units", ",d"),
        ("trace s", "trace_s", ".1f"),
        ("lower s", "lower_s", ".1f"),
        ("compile s", "compile_s", ".1f"),
        ("total s", "total_s", ".1f"),
    ),
    "swap": (
        ("units", "units", ",d"),
        ("targets", "targets", "d"),
        ("swap ms", "swap_ms", ".2f"),
        ("least ms", "swap_least_ms", ".2f"),
        ("compiles", "compiles", "d"),
    ),
    "first": (("first outcome s", "first_s", ".1f"), ("outcome", "outcome", ""), ("command", "command", "")),
    "peers": (
        ("peer", "peer", ""),
        ("work", "work", ""),
        ("units", "units", ",d"),
        ("counted", "unit", ""),
        ("ours/s", "ours", ",.1f"),
        ("theirs/s", "theirs", ",.1f"),
        ("ours / theirs", "ratio", ".2f"),
    ),
    "circles": (
        ("agents", "units", ",d"),
        ("program", "peer", ""),
        ("neighbours", "neighbours", ",.1f"),
        ("lost", "lost", ".1%"),
        ("200 steps", "lost_long", ".1%"),
        ("overflow", "overflow", ""),
        ("step ms", "step_ms", ",.2f"),
        ("cpu ms", "step_cpu_ms", ",.2f"),
        ("of ours", "ratio", ",.2f"),
        ("by cpu time", "cpu_ratio", ",.2f"),
        ("published", "published_ms", ",.3f"),
        ("device", "on", ""),
    ),
    "learners": (
        ("work", "work", ""),
        ("ours/s", "ours", ",.0f"),
        ("theirs/s", "theirs", ",.0f"),
        ("ours / theirs", "ratio", ".2f"),
        ("by cpu time", "cpu_ratio", ".2f"),
        ("reruns equal", "same", ""),
    ),
    "gpu": (
        ("work", "work", ""),
        ("kernels", "kernels", ",.0f"),
        ("graphs", "graphs", ",.0f"),
        ("turns", "turns", ",.1f"),
        ("trips", "trips", ",.1f"),
        ("MB moved", "moved_mb", ",.1f"),
        ("model ms", "model_ms", ",.3f"),
        ("target ms", "target_ms", ",.2f"),
        ("floor ms", "floor_ms", ",.4f"),
        ("launches", "launch_ms", ",.3f"),
        ("waits", "wait_ms", ",.3f"),
        ("traffic", "work_ms", ",.3f"),
        ("compile s", "compile_s", ",.1f"),
    ),
}
_LEGENDS = {
    "circles": """\
Milliseconds of one of 20 steps in one call, and how many times ours that is. Lost: neighbours that a program
missed, of 256 agents together, in the last step; and after 200 steps, where crowds have formed. Overflow: what
JAX-MD says itself of its buffers. Published: FLAME's own figures. FLAME's agents stand in a cube, one in each
cubic metre; ours on a square where each has as many neighbours (33.5 away from the border), and no agent leaves
it. Lists that are kept are made about three times in 20 steps.
""",
    "gpu": f"""\
One tick or call, compiled for an {DEVICE} with the sizes of a GPU. Kernels: kernels and calls of libraries.
Graphs: launches of CUDA graphs. Turns: of loops whose length depends on data, and trips: decisions that the
device waits for, both as counted on this machine. Model: launches, waits and traffic, in milliseconds, with
these constants (microseconds; bandwidth in bytes a microsecond):
  {GPU_COSTS.text()}
A sort of {RADIX:,} elements and more counts as a call of the library's radix sort, at its measured time.
Floor: one kernel that reads all arguments once and writes all results once; arithmetic is not in it.
""",
}
_LEAST_WIDTH = {
    "what": 48,
    "ability": 17,
    "layout": 9,
    "ground": 6,
    "work": 34,
    "peer": 29,
    "on": 20,
    "cores": 24,
    "outcome": 13,
    "command": 42,
}


def legend(row: str) -> str:
    """Return what is to be known about a row's columns: lines, or nothing."""
    return _LEGENDS.get(row, "")


def heading(row: str) -> str:
    """Return the heading of a row's table."""
    return "  ".join(f"{head:{_side(form)}{_width(head, key, form)}}" for head, key, form in COLUMNS[row])


def line(figures: Mapping[str, Any]) -> str:
    """Return one line of results, and further lines for figures that have no column."""
    row = figures["row"]
    cells = [
        f"{_cell(figures.get(key), form):{_side(form)}{_width(head, key, form)}}" for head, key, form in COLUMNS[row]
    ]
    lines = ["  ".join(cells)] if any(key in figures for _, key, _ in COLUMNS[row]) else []
    if "parts_share" in figures:
        shares = sorted(figures["parts_share"].items(), key=lambda item: -item[1])
        lines.append("           " + ", ".join(f"{name} {share:.0%}" for name, share in shares))
    lines += [f"           {figures[key]}" for key in ("note", "not_comparable", "error") if figures.get(key)]
    return "\n".join(lines)


def _side(form: str) -> str:
    """Return the alignment: numbers to the right, words to the left."""
    return ">" if form else "<"


def _width(head: str, key: str, form: str) -> int:
    return max(len(head), _LEAST_WIDTH.get(key, 9 if form.endswith("d") else 8))


def _cell(value: Any, form: str) -> str:
    return "-" if value is None else format(value, form)
