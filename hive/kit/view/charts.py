"""What plots share: pages, grounds, legends and colours, rows under headings, and boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hive.kit.view import palette
from hive.kit.view.palette import Rgb

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = tuple[str, str]
"""Heading and name of a row; rows with the same heading follow each other."""

COLOURS: tuple[Rgb, ...] = (
    (0, 114, 178), (230, 159, 0), (0, 158, 115), (213, 94, 0), (204, 121, 167), (86, 180, 233),
    (240, 228, 66), (0, 0, 0),
)  # fmt: skip
"""The colours of Okabe and Ito, which colour-blind people can distinguish."""

_ROW, _HEADING = 0.3, 0.42  # inches of a row, and of the heading above some rows
_EDGES = 1.35  # inches above and below the rows


def page(title: str, panels: Sequence[Sequence[Row]], width: float) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure with one panel for each list of rows, side by side, high enough for the longest."""
    heights = [len(rows) * _ROW + len({heading for heading, _ in rows}) * _HEADING for rows in panels]
    figure = empty_page(title, (width, max(heights) + _EDGES))
    columns = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes in columns:
        axes.set_ylim(-max(heights) / _ROW, 0)
        lay_ground(axes, "x")
    return figure, columns


def empty_page(title: str, size: tuple[float, float]) -> Figure:
    """Return a figure of some inches with its title."""
    from matplotlib.figure import Figure  # here, because few commands draw and it is slow to import

    figure = Figure(figsize=size, facecolor=hex_of(palette.PAGE), layout="constrained")
    figure.suptitle(title, x=0.02, ha="left", fontsize=13, fontweight="bold", color=hex_of(palette.INK))
    return figure


def lay_ground(axes: Axes, grid: str) -> None:
    """Give axes the colours of all plots, and grid lines across `x`, `y` or `both`."""
    axes.set_facecolor("white")
    axes.tick_params(colors=hex_of(palette.INK), labelsize=9)
    if grid == "x":
        axes.tick_params(axis="y", length=0)
    axes.xaxis.label.set_color(hex_of(palette.INK))
    axes.yaxis.label.set_color(hex_of(palette.INK))
    axes.grid(axis=grid, color=hex_of(palette.RULE), alpha=0.35, linewidth=0.7)  # type: ignore[arg-type]
    axes.set_axisbelow(True)
    for spine in axes.spines.values():
        spine.set_color(hex_of(palette.RULE))


def lay_rows(axes: Axes, rows: Sequence[Row]) -> list[float]:
    """Give each row a line, under each heading; return where the lines are."""
    places: list[float] = []
    below = 0.0
    for at, (heading, _) in enumerate(rows):
        if not at or heading != rows[at - 1][0]:
            below -= _HEADING / _ROW
            axes.annotate(
                words(heading), (0, below + 0.42), xycoords=("axes fraction", "data"), xytext=(5, 0),
                textcoords="offset points", ha="left", va="center", fontsize=9, fontweight="bold",
                color=hex_of(palette.INK),
            )  # fmt: skip
        places.append(below - 0.5)
        below -= 1
    axes.set_yticks(places, [words(name) for _, name in rows])
    return places


def draw_box(axes: Axes, row: float, values: np.ndarray, note: str = "") -> None:
    """Draw a box over the middle half of `values`, `[V]` and finite, a line at the median, a dot each, and a note."""
    blue = palette.unit_colour(0, 1)
    if len(values):
        low, first, middle, third, high = np.percentile(values, [0, 25, 50, 75, 100])
        axes.hlines(row, low, high, color=hex_of(blue), linewidth=1)
        axes.barh(row, third - first, 0.6, first, color=hex_of(palette.lighten(blue, 0.75)), edgecolor=hex_of(blue))
        axes.vlines(middle, row - 0.3, row + 0.3, color=hex_of(palette.unit_colour(0, 0)), linewidth=2)
        lift = np.linspace(-0.2, 0.2, len(values)) if len(values) > 1 else np.zeros(1)
        axes.plot(
            values, row + lift, "o", color=hex_of(palette.darken(blue, 0.2)), markersize=2.6, alpha=0.75, zorder=3
        )
    if note:
        axes.annotate(
            note, (1, row), xycoords=("axes fraction", "data"), xytext=(4, 0), textcoords="offset points",
            ha="left", va="center", fontsize=8, style="italic", color=hex_of(palette.unit_colour(1, 0)),
        )  # fmt: skip


def lay_legend(figure: Figure, panels: Iterable[Axes], columns: int = 3, note: str = "") -> None:
    """Write the names of what some panels show below them, each name once, under a note: there they cover nothing."""
    named: dict[str, Any] = {}
    for axes in panels:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            named.setdefault(name, handle)
    if named:
        figure.legend(
            named.values(), named.keys(), loc="outside lower center", ncols=columns, frameon=False, fontsize=9,
            labelcolor=hex_of(palette.INK), title=note or None, title_fontproperties={"size": 8},
        )  # fmt: skip


def words(text: str) -> str:
    """Return a name for matplotlib, which would read `$` as mathematics and hide labels that begin with `_`."""
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def hex_of(colour: Rgb) -> str:
    """Return a colour as `#rrggbb`."""
    return "#{:02x}{:02x}{:02x}".format(*colour)
