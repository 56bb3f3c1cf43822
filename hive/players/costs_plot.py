"""A picture of what teams of language agents cost: calls and tokens of one step against the number of agents."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hive.kit.view import palette
from hive.kit.view.charts import COLOURS, empty_page, hex_of, lay_ground, lay_legend, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKS = "osD^vP"
_TOKENS = (("sent", "sent"), ("received", "received"))


@dataclass(frozen=True, kw_only=True)
class EpisodeCosts:
    """Costs of one episode; means over its steps.

    Attributes:
        player: Who played.
        agents: Agents at the start.
        calls: Calls of a model.
        sent: Tokens sent; None where they were not counted.
        received: Tokens received.
        bounds: Fewest and most calls by formula; None for a framework without one.
    """

    player: str
    agents: int
    calls: float
    sent: float | None
    received: float | None
    bounds: tuple[float, float] | None


def save_costs(rows: Sequence[EpisodeCosts], path: Path, unit: str = "tokens") -> None:
    """Draw calls and tokens of one step against the number of agents, and write a PNG.

    There is a panel for the calls of each player, in which a band reaches from a step without idle agents to one in
    which all are idle (docs/rules/teams.md 4.1), and two panels for the tokens of all players.

    Args:
        rows: At least one episode.
        path: The file.
        unit: What tokens were counted as, such as `words`.
    """
    names = list(dict.fromkeys(row.player for row in rows))
    figure = empty_page("Cost of one step by number of agents", (max(9.0, 2.7 * len(names)), 7.2))
    grid = figure.add_gridspec(2, 1, height_ratios=[1, 1.25])
    above, below = figure.add_subfigure(grid[0]), figure.add_subfigure(grid[1])
    for part in (above, below):
        part.set_facecolor(hex_of(palette.PAGE))
    panels = above.subplots(1, len(names), squeeze=False, sharey=True)[0]
    for number, (name, axes) in enumerate(zip(names, panels, strict=True)):
        own = [row for row in rows if row.player == name]
        lay_ground(axes, "both")
        _band(axes, own, number)
        _line(axes, own, "calls", number)
        axes.set_title(words(name), fontsize=10, color=hex_of(palette.INK), loc="left")
    for axes in panels:  # after all are drawn, since they share the axis of calls
        _lay_agents(axes, rows)
    panels[0].set_ylabel("calls a step")
    for axes, (field, label) in zip(below.subplots(1, 2), _TOKENS, strict=True):
        lay_ground(axes, "both")
        for number, name in enumerate(names):
            _line(axes, [row for row in rows if row.player == name], field, number)
        axes.set_ylabel(f"{unit} {label} a step")
        axes.yaxis.set_major_formatter("{x:,.0f}")
        _lay_agents(axes, rows)
    note = "markers: means over the episodes; bands: by formula, from no idle agent to all agents idle"
    lay_legend(figure, below.axes, columns=max(2, len(names)), note=f"{note} (HMAS-2: one plan to three)")
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def _lay_agents(axes: Axes, rows: Sequence[EpisodeCosts]) -> None:
    axes.set_xticks(sorted({row.agents for row in rows}))
    axes.set_xlabel("agents")
    axes.set_ylim(bottom=0)


def _line(axes: Axes, rows: Sequence[EpisodeCosts], field: str, number: int) -> None:
    sizes = sorted({row.agents for row in rows})
    points = []
    for size in sizes:
        values = [getattr(row, field) for row in rows if row.agents == size]
        if None not in values:
            points.append((size, statistics.fmean(values)))
    if points:
        at, high = zip(*points, strict=True)
        axes.plot(at, high, _MARKS[number % len(_MARKS)] + "-", color=hex_of(COLOURS[number % len(COLOURS)]),
                  linewidth=1.6, markersize=5.5, label=words(rows[0].player))  # fmt: skip


def _band(axes: Axes, rows: Sequence[EpisodeCosts], number: int) -> None:
    bounds = {row.agents: row.bounds for row in rows if row.bounds is not None}
    if not bounds:
        return
    sizes = sorted(bounds)
    low, high = zip(*(bounds[size] for size in sizes), strict=True)
    colour = hex_of(COLOURS[number % len(COLOURS)])
    axes.fill_between(sizes, low, high, color=colour, alpha=0.12, linewidth=0)
    for edge in (low, high):
        axes.plot(sizes, edge, color=colour, alpha=0.45, linewidth=0.8, linestyle="--")
