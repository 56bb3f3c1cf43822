"""The curve of a search: the value of the best plan over the games that were played."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hive.experiments.search.comparing import bounded, interval, strengths, surest
from hive.experiments.search.generation import Generation
from hive.kit.view import palette
from hive.kit.view.charts import empty_page, hex_of, lay_ground, lay_legend


def save_curve(generations: Sequence[Generation], title: str, path: Path) -> None:
    """Draw the mean value of the best plan after each generation, with its interval, and write a PNG.

    The mean is over all games of the plan so far. Small dots are the changed plans of a generation.

    Args:
        generations: All generations of a search.
        title: Heading of the picture.
        path: Of the picture.
    """
    figure = empty_page(title, (7.6, 4.6))
    axes = figure.subplots()
    lay_ground(axes, "both")
    draw_curve(axes, generations, hex_of(palette.unit_colour(0, 1)), "best plan so far, with its 95% interval")
    children = [
        (each.games, float(bounded(plan.values).mean()))
        for each in generations
        for plan in each.candidates
        if plan.text and plan.values
    ]
    if children:
        axes.plot(*zip(*children, strict=True), ".", color=hex_of(palette.RULE), markersize=4, label="changed plans")
    axes.set_xlabel("games played")
    axes.set_ylabel("mean value; 1 is a win in every game")
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    lay_legend(figure, [axes])
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def draw_curve(axes: object, generations: Sequence[Generation], colour: str, label: str) -> None:
    """Draw the mean value of the best plan after each generation as a line, and its 95% interval as a band."""
    played: dict[int, list[float]] = {}
    rows = []
    for number, each in enumerate(generations, 1):
        for plan in each.candidates:
            played.setdefault(plan.id, []).extend(plan.values)
        own = bounded(played[surest(strengths(generations[:number]))])
        rows.append((each.games, float(np.mean(own)), *interval(own)))
    games, mean, low, high = zip(*rows, strict=True)
    axes.plot(games, mean, "o-", color=colour, markersize=4, label=label)  # type: ignore[attr-defined]
    axes.fill_between(games, low, high, color=colour, alpha=0.15, linewidth=0)  # type: ignore[attr-defined]
