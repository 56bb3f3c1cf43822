"""At which collaborative action two cooks fail, and what their wrong initiations ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hive.kit.view import palette
from hive.kit.view.charts import COLOURS, empty_page, hex_of, lay_ground, lay_legend, words
from hive.worlds.kitchen.talks import MISTAKES

_MARKS = "osD^vP"


def save_probes(figures: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw the share of right initiations by action with 95% intervals, next to the wrong ones by kind; write a PNG.

    Args:
        figures: One object for each player and experiment, as `hive.worlds.kitchen.probes.results` returns them.
        path: The file.
    """
    figure = empty_page("Right initiations by collaborative action", (11.4, 4.8))
    left, right = figure.subplots(1, 2, width_ratios=[3, 2])
    lay_ground(left, "both")
    lay_ground(right, "x")
    for number, each in enumerate(figures):
        shift = 0.06 * (number - (len(figures) - 1) / 2)
        places = [action["number"] + shift for action in each["actions"]]
        found = [action["initiated"] for action in each["actions"]]
        shares = [one["share"] for one in found]
        reach = [[one["share"] - one["low"] for one in found], [one["high"] - one["share"] for one in found]]
        left.errorbar(
            places,
            shares,
            yerr=reach,
            fmt=f"{_MARKS[number % len(_MARKS)]}-",
            color=hex_of(COLOURS[number % len(COLOURS)]),
            linewidth=1.4,
            elinewidth=0.8,
            capsize=2,
            label=words(_name(each)),
        )
    left.set_ylim(-0.04, 1.04)
    left.set_xticks(sorted({action["number"] for each in figures for action in each["actions"]}))
    left.set_xlabel("collaborative action")
    left.set_ylabel("share of right initiations")
    right.set_title("Wrong initiations", fontsize=10, color=hex_of(palette.INK), loc="left")
    begins = [0.0] * len(figures)
    rows = range(len(figures) - 1, -1, -1)
    for kind, colour in zip(MISTAKES, COLOURS[1:], strict=False):
        shares = [each["mistakes"][kind] / each["probes"] for each in figures]
        right.barh([*rows], shares, 0.6, begins, color=hex_of(colour), label=kind)
        begins = [begin + share for begin, share in zip(begins, shares, strict=True)]
    right.set_yticks([*rows], [words(_name(each)) for each in figures])
    right.set_xlim(0, 1)
    right.set_xlabel("share of probes")
    lay_legend(figure, figure.axes, columns=5)
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def _name(figures: Mapping[str, Any]) -> str:
    return f"{figures['player']}, {figures['experiment']}"
