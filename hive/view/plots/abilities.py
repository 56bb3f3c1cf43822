"""Plots of a benchmark: how the games ended, and the scores of the plans.

Rules: docs/rules/scenarios.md 2.2 (the paper's Figs 8 and 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hive.batch.result import ENDS
from hive.battle.abilities import Scores, Trial
from hive.view import palette
from hive.view.palette import Rgb

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS: dict[str, Rgb] = {
    "win": palette.UNITS[0][1],
    "lose": palette.UNITS[1][1],
    "plan_finished": (222, 165, 76),
    "timeout": (196, 192, 182),
    "invalid_plan": (96, 92, 100),
    "no_plan": palette.INK,
}
_ROW, _HEADING = 0.3, 0.42  # inches of a plan's line, and of the heading above an ability's lines
_EDGES = 1.35  # inches above and below the lines


def save_outcomes(scores: Scores, path: Path) -> None:
    """Draw how the games of each plan ended, as stacked bars under each ability, and write a PNG."""
    figure, (axes,) = _page("How the games ended", [scores.trials], width=8.6)
    rows = _lay_rows(axes, scores.trials)
    most = max(len(trial.result.seed) for trial in scores.trials)
    for end in ENDS:
        left = [sum(t.result.outcomes[e] for e in ENDS[: ENDS.index(end)]) for t in scores.trials]
        long = [trial.result.outcomes[end] for trial in scores.trials]
        if not any(long):
            continue
        axes.barh(rows, long, 0.66, left, color=_hex(COLOURS[end]), label=end.replace("_", " "))
        ink = "white" if palette.luminance(COLOURS[end]) < 150 else _hex(palette.INK)
        for row, start, count in zip(rows, left, long, strict=True):
            if count >= most / 25:
                axes.text(start + count / 2, row, str(count), color=ink, ha="center", va="center", fontsize=8)
    axes.set_xlim(0, most)
    axes.set_xlabel("games")
    axes.locator_params(axis="x", integer=True)
    figure.legend(
        *axes.get_legend_handles_labels(), loc="outside lower center", ncols=len(ENDS), frameon=False, fontsize=9
    )
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def save_scores(scores: Scores, path: Path) -> None:
    """Draw the continuous score of each plan's games and write a PNG.

    A box spans the middle half of the games, its dark line is the median, and each dot is a game. Abilities that count
    enemies are in one panel, and abilities that count metres in another.
    """
    counts = [t for t in scores.trials if t.result.score_is.startswith("share")]
    metres = [t for t in scores.trials if not t.result.score_is.startswith("share")]
    panels = [part for part in (counts, metres) if part]
    figure, columns = _page("Scores of the plans", panels, width=5.2 * len(panels))
    for axes, trials in zip(columns, panels, strict=True):
        rows = _lay_rows(axes, trials)
        share = trials is counts
        for row, trial in zip(rows, trials, strict=True):
            _draw_box(axes, row, trial, 100.0 if share else 1.0)
        if share:
            axes.set_xlim(-3, 103)
            axes.set_xlabel("enemies eliminated, % of all (higher is better)")
        else:
            scored = np.concatenate([trial.result.score for trial in trials])
            most = max([10.0, *scored[np.isfinite(scored)]])
            beside = 0.4 if np.isinf(scored).any() else 0.04  # room for the words about games that have no distance
            axes.set_xlim(-0.03 * most, (1 + beside) * most)
            axes.set_xlabel("metres from the objective at the end (lower is better)")
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def _draw_box(axes: Axes, row: float, trial: Trial, scale: float) -> None:
    """Draw one plan's scores; games without a finite score are counted in words."""
    values = trial.result.score[np.isfinite(trial.result.score)] * scale
    note = "" if trial.played else trial.result.outcome[0].replace("_", " ")
    if trial.played and (gone := len(trial.result.score) - len(values)):
        note = f"no unit left in {gone} of {len(trial.result.score)}"
    blue = palette.UNITS[0][1]
    if len(values):
        low, first, middle, third, high = np.percentile(values, [0, 25, 50, 75, 100])
        axes.hlines(row, low, high, color=_hex(blue), linewidth=1)
        axes.barh(row, third - first, 0.6, first, color=_hex(palette.lighten(blue, 0.75)), edgecolor=_hex(blue))
        axes.vlines(middle, row - 0.3, row + 0.3, color=_hex(palette.UNITS[0][0]), linewidth=2)
        lift = np.linspace(-0.2, 0.2, len(values)) if len(values) > 1 else np.zeros(1)
        axes.plot(values, row + lift, "o", color=_hex(palette.darken(blue, 0.2)), markersize=2.6, alpha=0.75, zorder=3)
    if note:
        axes.annotate(
            note, (1, row), xycoords=("axes fraction", "data"), xytext=(-4, 0), textcoords="offset points",
            ha="right", va="center", fontsize=8, style="italic", color=_hex(palette.UNITS[1][0]),
        )  # fmt: skip


def _page(title: str, panels: Sequence[Sequence[Trial]], width: float) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure with one panel for each list of trials, side by side, high enough for the longest."""
    from matplotlib.figure import Figure  # here, because few commands draw and it is slow to import

    heights = [len(part) * _ROW + len({t.entry.ability for t in part}) * _HEADING for part in panels]
    figure = Figure(figsize=(width, max(heights) + _EDGES), facecolor=_hex(palette.PAGE), layout="constrained")
    figure.suptitle(title, x=0.02, ha="left", fontsize=13, fontweight="bold", color=_hex(palette.INK))
    columns = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes in columns:
        axes.set_ylim(-max(heights) / _ROW, 0)
        axes.set_facecolor("white")
        axes.tick_params(colors=_hex(palette.INK), labelsize=9)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.label.set_color(_hex(palette.INK))
        axes.grid(axis="x", color=_hex(palette.RULE), alpha=0.35, linewidth=0.7)
        axes.set_axisbelow(True)
        for spine in axes.spines.values():
            spine.set_color(_hex(palette.RULE))
    return figure, columns


def _lay_rows(axes: Axes, trials: Sequence[Trial]) -> list[float]:
    """Give each trial a line, under a heading for each ability; return where the lines are."""
    rows: list[float] = []
    below = 0.0
    for at, trial in enumerate(trials):
        if not at or trial.entry.ability != trials[at - 1].entry.ability:
            below -= _HEADING / _ROW
            axes.annotate(
                trial.entry.ability.title, (0, below + 0.42), xycoords=("axes fraction", "data"), xytext=(5, 0),
                textcoords="offset points", ha="left", va="center", fontsize=9, fontweight="bold",
                color=_hex(palette.INK),
            )  # fmt: skip
        rows.append(below - 0.5)
        below -= 1
    axes.set_yticks(rows, [trial.entry.plan for trial in trials])
    return rows


def _hex(colour: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
