"""Plot of a league: the ratings with their intervals, next to the shares of points of every plan against every other.

Rules: docs/rules/league.md 3.1.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hive.experiments.league.ratings import MEAN
from hive.experiments.league.standings import Standings
from hive.kit.view import palette
from hive.kit.view.charts import empty_page, hex_of, lay_ground, words

_WRITTEN = 16  # most plans whose shares are written into the cells


def save_league(standings: Standings, path: Path) -> None:
    """Draw ratings and shares of points, the best plan at the top, and write a PNG."""
    from matplotlib.colors import LinearSegmentedColormap

    order, ratings = standings.order, standings.ratings
    count = len(order)
    names = [words(standings.names[each]) for each in order]
    high = 0.34 * count + 2.6
    figure = empty_page(f"League of {count} plans, {len(standings.games):,} games", (7.5 + 0.42 * count, high))
    left, right = figure.subplots(1, 2, width_ratios=[1.0, max(0.8, 0.085 * count)])

    lay_ground(left, "x")
    rows = np.arange(count)
    middle, low, upper = (values[order] for values in (ratings.rating, ratings.low, ratings.high))
    blue = hex_of(palette.unit_colour(0, 1))
    left.errorbar(middle, rows, xerr=[middle - low, upper - middle], fmt="o", color=blue, capsize=3, markersize=5)
    left.axvline(MEAN, color=hex_of(palette.RULE), linewidth=1, zorder=0)
    left.set_yticks(rows, names)
    left.set_ylim(count - 0.5, -0.5)
    left.set_xlabel("rating, Elo points, with 95% intervals")

    colours = LinearSegmentedColormap.from_list(
        "league", [hex_of(palette.unit_colour(1, 1)), "#ffffff", hex_of(palette.unit_colour(0, 1))]
    )
    shares = standings.shares[np.ix_(order, order)]
    lay_ground(right, "both")
    right.grid(False)
    right.set_facecolor(hex_of(palette.PAGE))
    right.imshow(shares, cmap=colours, vmin=0.0, vmax=1.0, aspect="auto")
    for row in range(count):
        for column in range(count):
            share = shares[row, column]
            if np.isfinite(share) and count <= _WRITTEN:
                ink = "white" if abs(share - 0.5) > 0.35 else hex_of(palette.INK)
                right.text(column, row, f"{100 * share:.0f}", ha="center", va="center", fontsize=7.5, color=ink)
    right.set_xticks(rows, names, rotation=45, ha="right", rotation_mode="anchor")
    right.set_yticks(rows, [])
    right.tick_params(length=0)
    right.set_xlabel("% of the points of the row's plan against the column's")
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())
