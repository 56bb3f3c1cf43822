"""Plot of a sweep: the share of games won in each cell, with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hive.kit.view import palette
from hive.kit.view.charts import empty_page, hex_of, lay_ground

_MOST = 200  # cells that a picture shows


def save_sweep(cells: Sequence[Mapping[str, Any]], scenario: str, path: Path) -> None:
    """Draw the wins of each cell with their 95% interval, a row each, and write a PNG.

    Args:
        cells: As in `cells.json` of `hive sweep`; a picture shows the first 200.
        scenario: Name of the scenario, for the title.
        path: The file.
    """
    shown = cells[:_MOST]
    some = f", the first {_MOST} of {len(cells):,} cells" if len(cells) > _MOST else ""
    figure = empty_page(f"{scenario}: share of games won{some}", (8.5, 0.32 * len(shown) + 1.5))
    axes = figure.subplots()
    lay_ground(axes, "x")
    for row, cell in enumerate(shown):
        wins = cell["wins"]
        if wins["share"] is None:
            axes.annotate(" not played", (0, row), va="center", fontsize=9, color=hex_of(palette.INK))
            continue
        axes.errorbar(
            [wins["share"]],
            [row],
            xerr=[[max(0.0, wins["share"] - wins["low"])], [max(0.0, wins["high"] - wins["share"])]],
            fmt="o",
            color=hex_of(palette.unit_colour(0, 1)),
            capsize=3,
            markersize=5,
        )
    axes.set_yticks(range(len(shown)), [_name(cell) for cell in shown])
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel(f"share of {cells[0]['games']:,} games won, with 95% intervals")
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def _name(cell: Mapping[str, Any]) -> str:
    """Return the plan and the rules of a cell; a `$` of a name begins no formula."""
    rules = ", ".join(f"{name} {value:g}" for name, value in cell["rules"].items())
    return f"{cell['plan']}{': ' if rules else ''}{rules}".replace("$", r"\$")
