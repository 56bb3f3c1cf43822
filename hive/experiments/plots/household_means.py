"""Plot of policies in households: mean steps or transport rates, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hive.kit.view import palette
from hive.kit.view.charts import empty_page, hex_of, lay_ground, lay_legend

_SETS = ("published", "generated")


def save_means(rows: Sequence[Mapping[str, Any]], label: str, path: Path) -> None:
    """Draw the mean of each policy or team with its interval, and write a PNG.

    Args:
        rows: Lines of the table, as in `rows` of a `table.json` of `hive household table`.
        label: What is measured.
        path: The file.
    """
    figure = empty_page("Policies in households", (8.5, 0.36 * len(rows) + 1.6))
    axes = figure.subplots()
    lay_ground(axes, "x")
    sets = [name for name in _SETS if name in rows[0]]
    for number, name in enumerate(sets):
        figures = [row[name] for row in rows]
        axes.errorbar(
            [each["mean"] for each in figures],
            [place + 0.24 * (number - (len(sets) - 1) / 2) for place in range(len(rows))],
            xerr=[each["margin"] or 0.0 for each in figures],
            fmt="os"[number],
            color=hex_of(palette.unit_colour(number, 1)),
            capsize=3,
            markersize=5,
            label=f"{figures[0]['episodes']} {name} episodes",
        )
    sizes = len({row["agents"] for row in rows}) > 1
    names = [f"{row['policy']}, {row['agents']}" if sizes else row["policy"] for row in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel(f"{label}, means with 95% intervals")
    lay_legend(figure, [axes])
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())
