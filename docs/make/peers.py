"""`python -m docs.make.peers`: put what `docs/peers.jsonl` says of other programs into `docs/performance.md`.

`hive bench peers circles dense sweep --out docs/peers.jsonl` writes that file. Two tables and the picture are made.
"""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docs.make.pages import replaced
from hive.experiments.bench.compared import ALL_PAIRS, COMPARED, HEAD, PeerTime, cells, compared, duration, factor
from hive.experiments.plots.ability_tables import markdown
from hive.kit.keep.lines import split_lines
from hive.kit.view import palette
from hive.kit.view.charts import COLOURS, hex_of, lay_rows, page, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAGE = Path(__file__).resolve().parents[1] / "performance.md"
LINES = PAGE.with_name("peers.jsonl")
PICTURE = PAGE.with_name("peers.png")
_WIDE = 120  # characters of a line
_FASTER, _SLOWER = COLOURS[0], COLOURS[3]
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 300, 1_000, 5_000)
_ABOUT = {
    "JaxMARL SMAX": "battles for learners, JAX",
    "JaxMARL SMAX, no observations": "the bare world",
    "JaxMARL Overcooked": "a kitchen for learners, JAX",
    "MAgent2": "battles on a grid, C++",
    "py_trees": "behaviour trees, Python",
    "JAX-MD": "particles, JAX",
    "FLAME GPU 2, published": "agents, CUDA",
    "plain C": "the search for neighbours by hand, one core",
    ALL_PAIRS: "without its search",
}
"""What each program is, for the picture."""

Line = dict[str, Any]


def read_run(path: Path = LINES) -> list[Line]:
    """Return the lines of one run.

    Raises:
        ValueError: They are of several commits or machines, so that their figures cannot stand in one table.
    """
    lines = [json.loads(text) for text in split_lines(path.read_text(encoding="utf-8"))]
    if len({_place(line) for line in lines if "commit" in line}) != 1:
        raise ValueError(f"{path} holds lines of several commits, devices or versions, or none")
    return lines


def make_peers(lines: Sequence[Line]) -> str:
    """Return the page with the tables of these lines."""
    found = compared(lines)
    missing = dict.fromkeys(line.get("error") or line["note"] for line in lines if "error" in line or "note" in line)
    works: dict[str, dict[str, str]] = {}  # by program and what differs
    for times in found:
        works.setdefault(times[0].program, {}).setdefault(times[0].differs, f", {times[0].work}")
    points = [
        f"- {program}{work if len(by_text) > 1 else ''}: {text}."
        for program, by_text in works.items()
        for text, work in by_text.items()
    ]
    parts = [
        textwrap.fill(_where(lines), _WIDE),
        markdown([HEAD, *map(cells, found)], words=2),
        *(f"Not measured: {each}." for each in missing),
        "What the two programs of a row do differently:",
        "\n".join(textwrap.fill(point, _WIDE, subsequent_indent="  ") for point in points),
    ]
    made = replaced(PAGE.read_text(encoding="utf-8"), "peers", "\n\n".join(parts) + "\n")
    return replaced(made, "neighbours", f"{_neighbours(lines)}\n")


def draw_peers(lines: Sequence[Line], path: Path) -> None:
    """Draw how many times as fast ours is as each program, a dot for each size, and write a PNG."""
    found = compared(lines)
    rows = [(_heading(times[0].program), times[0].work) for times in found]
    figure, (axes,) = page("How many times as fast as other programs is HIVE?", [rows], 12.0)
    ratios = [time.ratio for times in found for time in times if time.ratio]
    axes.set_xscale("log")
    axes.set_xlim(min(0.3, *ratios) / 1.5, max(3.0, *ratios) * 1.5)
    axes.set_xticks([tick for tick in _TICKS if axes.get_xlim()[0] < tick < axes.get_xlim()[1]], minor=False)
    axes.xaxis.set_major_formatter("{x:g}x")
    axes.minorticks_off()
    for place, times in zip(lay_rows(axes, rows), found, strict=True):
        _draw_row(axes, place, times)
    axes.set_title("the other program is faster", loc="left", fontsize=10, color=hex_of(_SLOWER))
    axes.set_title("HIVE is faster", loc="right", fontsize=10, color=hex_of(_FASTER))
    note = (
        "The time of the other program divided by HIVE's, on one machine. Each dot is one size of the workload; a "
        "larger dot has more units. Below the table of the page stands what the two do differently."
    )
    figure.supxlabel(textwrap.fill(f"{note} {_where(lines)}", 160), fontsize=8, color=hex_of(palette.INK))
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def _heading(program: str) -> str:
    return f"{program}: {_ABOUT[program.partition(' (')[0]]}"


def _draw_row(axes: Axes, place: float, times: list[PeerTime]) -> None:
    axes.vlines(1, place - 0.5, place + 0.5, color=hex_of(palette.INK), linewidth=1.2)
    sizes = {time.units: time.ratio for time in times if time.ratio}
    text = ", ".join(f"{factor(ratio)} at {units:,}" for units, ratio in sizes.items()) + " units"
    if not sizes:
        text = f"no ratio: {duration(times[-1].theirs)}, HIVE {duration(times[-1].ours)}; {times[-1].differs}"
    for units, ratio in sizes.items():
        axes.hlines(place, min(1, ratio), max(1, ratio), color=hex_of(palette.RULE), linewidth=2, zorder=1)
        colour = hex_of(_FASTER if ratio >= 1 else _SLOWER)
        axes.plot(ratio, place, "o", color=colour, markersize=2 + 1.5 * math.log10(units))
    axes.annotate(
        words(text), (1, place), xycoords=("axes fraction", "data"), xytext=(6, 0), textcoords="offset points",
        va="center", fontsize=8, color=hex_of(palette.INK), annotation_clip=False,
    )  # fmt: skip


def _neighbours(lines: Sequence[Line]) -> str:
    """Return the table of what programs counted, and what they missed of what brute force finds."""
    rows = [["program", "agents", "neighbours", "lost", "lost after 200 steps", "buffers too small", "µm apart"]]
    for line in lines:
        if line["row"] == "circles" and line.get("lost") is not None:
            later = "not played" if line["lost_long"] is None else _share(line["lost_long"])
            counts = [f"{line['units']:,}", f"{line['neighbours']:.1f}", _share(line["lost"]), later]
            apart = f"{1e6 * line['apart_m']:.0f}" if "apart_m" in line else ""
            rows.append([line["peer"], *counts, "yes" if line["overflow"] else "no", apart])
    return markdown(rows, words=1)


def _share(part: float) -> str:
    return f"{part:.1%}" if part else "none"


def _where(lines: Sequence[Line]) -> str:
    """Return in words when and where a run was measured."""
    known = [line for line in lines if "commit" in line]
    day = date.fromisoformat(known[0]["time"][:10])
    load = max(line["load"] or 0 for line in known)
    run = f"One run of `hive bench {' '.join(COMPARED)}` on {day.day} {day:%B %Y}"
    return f"{run} at {_place(known[0])}; load of the machine at most {load:.1f}."


def _place(line: Line) -> str:
    versions = line["versions"]
    return (
        f"commit {line['commit'][:8]}, device {line['device']}, {line['processors']} processors with "
        f"{line['instructions']}, JAX {versions['jax']}, NumPy {versions['numpy']}, Python {versions['python']}"
    )


def main() -> None:
    """Write the page and the picture."""
    lines = read_run()
    PAGE.write_text(make_peers(lines), encoding="utf-8", newline="\n")
    draw_peers(lines, PICTURE)
    print(f"wrote {PAGE} and {PICTURE}")


if __name__ == "__main__":
    main()
