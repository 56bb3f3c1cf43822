"""`python -m docs.make.circles FILE`: draw the lines of `hive bench circles --out FILE`, for `docs/performance.md`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hive.experiments.bench.circles import RADIUS, scatter_agents, width_of
from hive.experiments.bench.circling import BOX, KEPT_LISTS, NEW_LISTS, OURS, PAIRS, PUBLISHED
from hive.kit.keep.lines import split_lines
from hive.kit.view import palette
from hive.kit.view.charts import COLOURS, empty_page, hex_of, lay_ground, lay_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURE = Path(__file__).resolve().parents[1] / "circles.png"
_STYLES = {
    OURS: ("o-", COLOURS[0], "HIVE's sweep, on a plane"),
    KEPT_LISTS: ("s-", COLOURS[2], "JAX-MD on the same plane, lists kept while they hold"),
    NEW_LISTS: ("P--", COLOURS[1], "JAX-MD on the same plane, new lists each step"),
    BOX: ("D--", COLOURS[3], "JAX-MD in a cube, new lists each step"),
    PAIRS: ("x", palette.INK, "HIVE, all pairs compared"),
}
_GPUS = ("^-", "v-")
_SHOWN, _SEEN = 1_000, 6.0  # agents of the drawing, and metres from its middle to its edge


def main() -> None:
    """Draw what is measured, and the times by number of agents."""
    parser = argparse.ArgumentParser(prog="python -m docs.make.circles", description=__doc__)
    parser.add_argument("file", metavar="FILE", type=Path, help="what `hive bench circles --out FILE` wrote")
    text = parser.parse_args().file.read_text(encoding="utf-8")
    lines = [line for line in map(json.loads, split_lines(text)) if line.get("units")]
    figure = empty_page("One step of the benchmark 'circles', on a processor and as published for GPUs", (11.0, 6.2))
    left, right = figure.subplots(1, 2, width_ratios=(2, 3))
    _draw_agents(left)
    _draw_times(right, lines)
    measured = next(line for line in lines if line["peer"] == OURS)
    on_host = measured["step_cpu_ms"] is not None
    kind = f"processor time, {measured['instructions']}" if on_host else f"time on {measured['on']}"
    where = f"HIVE and JAX-MD: {kind}, commit {measured['commit'][:8]}; FLAME: time on the GPU that is named"
    lay_legend(figure, [right], columns=2, note=where)
    figure.savefig(PICTURE, format="png", dpi=130, facecolor=figure.get_facecolor())
    print(f"wrote {PICTURE}")


def _draw_agents(axes: Axes) -> None:
    """Draw some agents, the radius round one of them, and the force of each of its neighbours on it."""
    agents = scatter_agents(_SHOWN, 2) - width_of(_SHOWN, 2) / 2
    chosen = np.linalg.norm(agents, axis=1).argmin()
    apart = np.linalg.norm(agents - agents[chosen], axis=1)
    near = (apart > 0) & (apart < RADIUS)
    lay_ground(axes, "both")
    axes.scatter(agents[~near, 0], agents[~near, 1], s=9, color=hex_of(palette.RULE))
    push = near & (apart < RADIUS / 2)
    for some, colour, words in ((push, COLOURS[3], "pushes away"), (near & ~push, COLOURS[0], "pulls closer")):
        axes.scatter(agents[some, 0], agents[some, 1], s=16, color=hex_of(colour), label=words)
    axes.scatter(agents[chosen, 0], agents[chosen, 1], s=40, color="black", label="one agent")
    for radius in (RADIUS, RADIUS / 2):
        turn = np.linspace(0, 2 * np.pi, 100)
        ring = agents[chosen][:, None] + radius * np.stack([np.cos(turn), np.sin(turn)])
        axes.plot(*ring, "-" if radius == RADIUS else ":", color=hex_of(palette.INK), linewidth=1)
    axes.set_xlim(-_SEEN, _SEEN)
    axes.set_ylim(-_SEEN, _SEEN)
    axes.set_aspect("equal")
    axes.set_xlabel("metres")
    axes.set_title(
        f"In a step every agent finds all others within {RADIUS:g} m\n"
        f"({near.sum()} here) and moves by the mean of their forces.",
        fontsize=9.5,
        loc="left",
    )
    axes.legend(loc="lower left", fontsize=8.5, framealpha=1)


def _draw_times(axes: Axes, lines: list[dict[str, Any]]) -> None:
    lay_ground(axes, "both")
    for peer, (style, colour, words) in _STYLES.items():
        some = [(line["units"], line["step_cpu_ms"] or line["step_ms"]) for line in lines if line["peer"] == peer]
        if some:
            axes.plot(*zip(*some, strict=True), style, color=hex_of(colour), label=words)
    for style, (device, points) in zip(_GPUS, PUBLISHED.items(), strict=True):
        words = f"FLAME GPU 2 in a cube, {device}, published"
        axes.plot([*points], [*points.values()], style, color=hex_of(palette.FAINT_INK), label=words)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.set_xlabel("agents")
    axes.set_ylabel("milliseconds a step; lower is faster")


if __name__ == "__main__":
    main()
