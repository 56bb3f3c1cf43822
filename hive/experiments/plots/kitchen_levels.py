"""Curves of pairs of cooks: how often they deliver, and how well they work together, against the level of the task."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hive.kit.view import palette
from hive.kit.view.charts import COLOURS, empty_page, hex_of, lay_ground, lay_legend, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKS = "osD^vP"
_PANELS = (
    ("success", "SR: share of games delivered"),
    ("pc", "PC: progress completeness"),
    ("ic", "IC: initiating capability"),
    ("rc", "RC: responding capability"),
)

Game = Mapping[str, Any]


def save_levels(runs: Mapping[str, Sequence[Game]], path: Path) -> None:
    """Draw success, progress completeness and both capabilities against the level, and write a PNG.

    A line is a run: the mean of all games of a level, with small marks for the means of single tasks. Earlier runs have
    larger marks, so that equal values of two runs are both seen. Games in which the cook with the recipe began no
    conversation have no capabilities and are left out of these two panels.

    Args:
        runs: Games by the name of their run, as in `games` of a `result.json` (docs/rules/kitchen.md 11).
        path: The file.
    """
    figure = empty_page("Two cooks, by level of the task", (10.4, 6.4))
    for (field, label), axes in zip(_PANELS, figure.subplots(2, 2, sharex=True, sharey=True).flat, strict=True):
        lay_ground(axes, "both")
        for number, (name, games) in enumerate(runs.items()):
            _draw(axes, games, field, name, number)
        axes.set_title(label, fontsize=10, color=hex_of(palette.INK), loc="left")
        axes.set_ylim(-0.04, 1.04)
        axes.set_xticks(sorted({game["level"] for games in runs.values() for game in games}))
    lay_legend(figure, figure.axes)
    for axes in figure.axes[2:]:
        axes.set_xlabel("level")
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def save_gammas(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw the success rate against gamma with 95% intervals, a line for each level, and write a PNG.

    Args:
        rows: As `hive.worlds.kitchen.rescoring.sweep` returns them.
        path: The file.
    """
    figure = empty_page("Success by the time limit", (7.6, 4.6))
    axes = figure.subplots()
    lay_ground(axes, "both")
    levels = list(dict.fromkeys(row["level"] for row in rows if row["level"] is not None))
    for number, level in enumerate(levels):
        mine = [row for row in rows if row["level"] == level]
        shift = 0.008 * (number - (len(levels) - 1) / 2)
        reach = [[row["sr"] - row["sr_low"] for row in mine], [row["sr_high"] - row["sr"] for row in mine]]
        axes.errorbar(
            [row["gamma"] + shift for row in mine],
            [row["sr"] for row in mine],
            yerr=reach,
            fmt=f"{_MARKS[number % len(_MARKS)]}-",
            color=hex_of(COLOURS[number % len(COLOURS)]),
            elinewidth=0.8,
            capsize=2,
            label=f"level {level}" if level else "other orders",
        )
    axes.set_ylim(-0.04, 1.04)
    axes.set_xticks(sorted({row["gamma"] for row in rows}))
    axes.set_xlabel("gamma: limit divided by the published time")
    axes.set_ylabel("SR: share of games delivered in time")
    lay_legend(figure, [axes], columns=6)
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def _draw(axes: Axes, games: Sequence[Game], field: str, name: str, number: int) -> None:
    told = [game for game in games if game["events"] or field not in ("ic", "rc")]
    found = [(game["level"], game["task"], float(game[field])) for game in told]
    colour = hex_of(COLOURS[number % len(COLOURS)])
    mark = _MARKS[number % len(_MARKS)]
    for level, task in dict.fromkeys((level, task) for level, task, _ in found):
        mean = statistics.fmean(value for _, other, value in found if other == task)
        axes.plot([level], [mean], mark, color=colour, markersize=3, alpha=0.4)
    levels = sorted({level for level, _, _ in found})
    means = [statistics.fmean(value for other, _, value in found if other == level) for level in levels]
    if levels:
        size = max(4, 11 - 4 * number)
        axes.plot(levels, means, mark + "-", color=colour, linewidth=1.6, markersize=size, label=words(name))
