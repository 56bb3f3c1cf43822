"""Curves of a training run: the share of games won over environment steps, with intervals over seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from hive.kit.view import palette
from hive.kit.view.charts import COLOURS, empty_page, hex_of, lay_ground, lay_legend

_BINS = 50  # points of a curve
_COLOURS = (palette.unit_colour(0, 1), palette.unit_colour(1, 1), palette.TARGET, palette.INK)
_STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)  # 97.5% quantiles of t, for 2 to 10 seeds

Row = Mapping[str, Any]


def save_curves(rows: Sequence[Row], title: str, path: Path | BinaryIO) -> None:
    """Draw the share of games won and the mean score over environment steps, and write a PNG.

    A line is the mean over seeds, one for each combination of settings; a band is the 95% interval of that mean by
    Student's t, and thin lines are single seeds.

    Args:
        rows: Metrics of all updates, as in `metrics.jsonl`.
        title: Heading of the picture.
        path: Of the picture, or a file that is open for writing.
    """
    figure = empty_page(title, (10.4, 4.4))
    both = figure.subplots(1, 2, sharex=True, sharey=True)
    groups: dict[str, list[Row]] = {}
    for row in rows:
        words = ", ".join(f"{name} {value:g}" for name, value in row["settings"].items())
        groups.setdefault(words, []).append(row)
    for axes, name, words in zip(both, ("won", "score"), ("share of games won", "mean score of games"), strict=True):
        lay_ground(axes, "both")
        for number, (label, own) in enumerate(groups.items()):
            draw_share(axes, own, name, hex_of(_COLOURS[number % len(_COLOURS)]), label)
        axes.set_xlabel("environment steps")
        axes.set_ylabel(words)
        axes.set_ylim(-0.03, 1.03)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.tick_params(axis="x", labelrotation=20)
    lay_legend(figure, both, columns=2)
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def draw_share(axes: Any, rows: Sequence[Row], name: str, colour: str, label: str) -> None:
    """Draw one metric of one combination of settings over environment steps; see `save_curves`."""
    seeds = list(dict.fromkeys(row["seed"] for row in rows))
    steps, shares = curves(rows, name)
    mean = np.array(
        [np.mean(column[~np.isnan(column)]) if (~np.isnan(column)).any() else np.nan for column in shares.T]
    )
    if len(seeds) == 1:
        axes.plot(steps, mean, "-", color=colour, label=", ".join(filter(None, [label, f"seed {seeds[0]}"])))
        return
    for row in shares:
        axes.plot(steps, row, "-", color=colour, alpha=0.3, linewidth=0.7)
    words = f"mean of {len(seeds)} seeds, with its 95% interval"
    axes.plot(steps, mean, "-", color=colour, linewidth=2, label=", ".join(filter(None, [label, words])))
    low, high = interval(shares)
    axes.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0)


def curves(rows: Sequence[Row], name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the end of each bin of updates in steps, and the mean of a metric over the games of each seed in it.

    Args:
        rows: Metrics of one combination of settings.
        name: `won` or `score`.

    Returns:
        `[bins]` environment steps, and `[seeds, bins]` means; NaN where no game ended.
    """
    seeds = list(dict.fromkeys(row["seed"] for row in rows))
    updates = max(row["update"] for row in rows)
    bins = min(_BINS, updates)
    total, games = np.zeros((2, len(seeds), bins))
    ends = np.zeros(bins)
    for row in rows:
        at, own = (row["update"] - 1) * bins // updates, seeds.index(row["seed"])
        total[own, at] += row["won"] if name == "won" else row["score"] * row["games"]
        games[own, at] += row["games"]
        ends[at] = max(ends[at], row["steps"])
    return ends, np.divide(total, games, out=np.full_like(total, np.nan), where=games > 0)


def interval(shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends `[bins]` of the 95% intervals of the means over seeds of `[seeds, bins]`, by Student's t."""
    count = len(shares)
    quantile = _STUDENT[count - 2] if count - 2 < len(_STUDENT) else 1.96 + 2.5 / (count - 1)
    spread = quantile * shares.std(axis=0, ddof=1) / np.sqrt(count)
    return shares.mean(axis=0) - spread, shares.mean(axis=0) + spread


@dataclass(frozen=True)
class Curve:
    """The training of an algorithm on a task: metrics of all its policies, and steps and seconds of one of them."""

    task: str
    name: str
    rows: Sequence[Row]
    steps: int
    seconds: float | None  # None: it is not known, and drawn over steps alone


def save_table_curves(found: Sequence[Curve], path: Path | BinaryIO) -> None:
    """Draw the share of games won in training, a column for each task, over environment steps and over time: a PNG.

    A line is the mean over policies of the games that ended in a bin of updates, a band from the lowest to the highest.
    """
    tasks, labels = (list(dict.fromkeys(getattr(each, name) for each in found)) for name in ("task", "name"))
    figure = empty_page("Share of games won in training", (max(7.0, 4.2 * len(tasks)), 6.4))
    pages = figure.subplots(2, len(tasks), sharey=True, squeeze=False)
    for each in found:
        colour = hex_of(COLOURS[labels.index(each.name) % len(COLOURS)])
        steps, shares = curves(each.rows, "won")
        known = ~np.isnan(shares).all(axis=0)
        steps, shares = steps[known], shares[:, known]
        for row, scale in enumerate((1.0, None if each.seconds is None else each.seconds / each.steps)):
            if scale is not None:
                axes = pages[row, tasks.index(each.task)]
                axes.plot(steps * scale, np.nanmean(shares, axis=0), "-", color=colour, linewidth=2, label=each.name)
                low, high = np.nanmin(shares, axis=0), np.nanmax(shares, axis=0)
                axes.fill_between(steps * scale, low, high, color=colour, alpha=0.15, linewidth=0)
    for row, words in enumerate(("environment steps", "seconds of one policy")):
        for column, task in enumerate(tasks):
            axes = pages[row, column]
            lay_ground(axes, "both")
            axes.set_xlabel(words)
            axes.set_xlim(left=0)
            axes.set_ylim(-0.03, 1.03)
            axes.xaxis.set_major_formatter("{x:,.0f}")
            axes.tick_params(axis="x", labelrotation=20)
            if not row:
                axes.set_title(task, fontsize=10)
        pages[row, 0].set_ylabel("share of games won")
    lay_legend(figure, [pages[0, 0]], columns=min(4, len(labels)))
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())
