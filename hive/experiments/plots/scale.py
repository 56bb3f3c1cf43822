"""Plots of what `hive scale` measured: the time of a tick by units, and throughput by batch size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hive.experiments.bench.growth import Growth
from hive.kit.view import palette
from hive.kit.view.charts import empty_page, hex_of, lay_ground, lay_legend
from hive.kit.view.palette import Rgb

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAPERS_WALL = 4_000  # units of the paper's largest game

# Milliseconds by units, measured on another machine with two cores. Each engine does less or different work.
PUBLISHED: dict[str, dict[int, float]] = {
    "k nearest neighbours in JAX, no trees or sight*": {4_000: 132.0, 16_000: 1_780.0},
    "the authors' trees, only senses and three trees*": {4_000: 1_350.0},
    "MAgent2, C++ on a grid*": {16_000: 8.3, 64_000: 70.0},
}
_MARKS = ("s", "D", "^")
_COLOURS: tuple[Rgb, ...] = (palette.unit_colour(0, 1), palette.unit_colour(1, 1), (222, 165, 76))
_GROUND_STYLE = {"open": "-", "walls": "--"}

Line = Mapping[str, Any]


def save_growth(lines: Sequence[Line], growth: Growth | None, path: Path, others: Sequence[Line] = ()) -> None:
    """Draw the time of a tick by number of units, both axes logarithmic, and write a PNG.

    Args:
        lines: What was measured here.
        growth: The fit to its ticks.
        path: Of the picture.
        others: Lines of another machine, whose ticks are drawn too.
    """
    figure, axes = _page("A tick by number of units", "units, both sides together", "milliseconds")
    blue, red, grey = (
        hex_of(colour) for colour in (palette.unit_colour(0, 1), palette.unit_colour(1, 1), palette.RULE)
    )
    light = hex_of(palette.lighten(palette.unit_colour(0, 1), 0.45))
    ticks = _points(lines, "tick", "tick_ms")
    axes.plot(*ticks, "o-", color=blue, linewidth=2, markersize=6, zorder=4, label="one complete tick")
    far = _points(others, "tick", "tick_ms")
    if far[0]:
        axes.plot(
            *far, "o-", color=hex_of(palette.INK), linewidth=2, markersize=4, label=f"one complete tick, {_on(others)}"
        )
    if growth:
        ends = (growth.low, growth.high)
        words = f"time ~ units ^ {growth.exponent:.2f}, {growth.low:,} to {growth.high:,}"
        axes.plot(ends, [growth.at(end) for end in ends], ":", color=hex_of(palette.INK), zorder=5, label=words)
    for row, key, style, colour, words in (
        ("dense", "dense_ms", "s--", red, "the same tick, all pairs [N, N]"),
        ("sweep", "sweep_ms", ".-", light, "the sensing sweep, one core"),
        ("sweep", "limit_ms", ".--", hex_of(palette.FAINT_INK), "that sweep in plain C, one core"),
    ):
        some = _points(lines, row, key)
        if some[0]:
            axes.plot(*some, style, color=colour, linewidth=1.5, label=words)
    for (words, points), mark in zip(PUBLISHED.items(), _MARKS, strict=True):
        axes.plot([*points], [*points.values()], f"{mark}-", color=grey, markersize=4.5, linewidth=1, label=words)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.axvline(PAPERS_WALL, color=hex_of(palette.TARGET), linewidth=1, linestyle="--")
    axes.annotate(
        f"the paper's wall, {PAPERS_WALL:,}", (PAPERS_WALL, 0), xycoords=("data", "axes fraction"), xytext=(4, 5),
        textcoords="offset points", rotation=90, va="bottom", fontsize=8, color=hex_of(palette.TARGET),
    )  # fmt: skip
    _finish(figure, axes, f"{_where([*lines, *others])}; * measured on another machine with two cores", path)


def save_throughput(lines: Sequence[Line], path: Path, others: Sequence[Line] = ()) -> None:
    """Draw environment steps a second by the number of small worlds at once, and write a PNG.

    Args:
        lines: What was measured here.
        path: Of the picture.
        others: Lines of another machine, which are drawn too.
    """
    figure, axes = _page("Many small worlds at once", "worlds in the batch", "environment steps a second")
    _draw_batches(axes, lines, "o", "")
    _draw_batches(axes, others, "^", f", {_on(others)}")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    _finish(figure, axes, _where([*lines, *others]), path)


def _draw_batches(axes: Axes, lines: Sequence[Line], mark: str, on: str) -> None:
    batches = [line for line in lines if line["row"] == "batch" and "error" not in line]
    for number, units in enumerate(dict.fromkeys(line["units"] for line in batches)):
        for ground, style in _GROUND_STYLE.items():
            some = [line for line in batches if (line["units"], line["ground"]) == (units, ground)]
            where = "open ground" if ground == "open" else "walls and woods"
            axes.plot(
                [line["batch"] for line in some],
                [line["env_steps_per_s"] for line in some],
                f"{mark}{style}",
                color=hex_of(_COLOURS[number % len(_COLOURS)]),
                markersize=4.5,
                label=f"{units // 2} v {units - units // 2}, {where}{on}",
            )


def _on(lines: Sequence[Line]) -> str:
    return " and ".join(dict.fromkeys(str(line.get("device", "another machine")) for line in lines))


def _points(lines: Sequence[Line], row: str, key: str) -> tuple[list[int], list[float]]:
    some = sorted(
        (line["units"], line[key])
        for line in lines
        if line["row"] == row and line.get(key) is not None and line.get("layout") in (None, "scattered")
        if line.get("ground") in (None, "open")
    )
    return [units for units, _ in some], [value for _, value in some]


def _where(lines: Sequence[Line]) -> str:
    devices = dict.fromkeys(str(line["device"]) for line in lines if "device" in line)
    commits = dict.fromkeys(str(line["commit"])[:10] for line in lines if line.get("commit"))
    return ", ".join(["measured on " + " and ".join(devices), *(f"commit {commit}" for commit in commits)])


def _page(title: str, across: str, up: str) -> tuple[Figure, Axes]:
    figure = empty_page(title, (9.2, 6.0))
    axes = figure.subplots()
    lay_ground(axes, "both")
    axes.tick_params(colors=hex_of(palette.INK), which="minor", labelsize=9)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    return figure, axes


def _finish(figure: Figure, axes: Axes, where: str, path: Path) -> None:
    from matplotlib.ticker import LogLocator

    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
    for formatted in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
        formatted("{x:,g}")
    lay_legend(figure, [axes], columns=2, note=where)
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())
