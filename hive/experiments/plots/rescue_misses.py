"""By how many steps teams miss the optimum of generated rescues."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from hive.kit.view.charts import COLOURS, empty_page, hex_of, lay_ground, lay_legend, words
from hive.worlds.rescue.comparing import Misses

_LAST = 8  # extra steps from which on instances share a bar
_GREY = "#9a9a94"


def save_misses(teams: Sequence[Misses], path: Path) -> None:
    """Draw the share of instances that each team solves with so many steps above the optimum, and write a PNG.

    Args:
        teams: What each team did on the same instances.
        path: The file.
    """
    count = len(teams[0].solved)
    figure = empty_page(f"Steps above the proved optimum, {count:,} generated instances", (10.8, 4.8))
    axes = figure.subplots()
    lay_ground(axes, "y")
    wide = 0.84 / len(teams)
    for number, each in enumerate(teams):
        extra = Counter(min(int(steps), _LAST) for steps in each.extra)
        shares = [extra[steps] / count for steps in range(_LAST + 1)] + [1 - float(each.solved.mean())]
        places = [at + (number - (len(teams) - 1) / 2) * wide for at in range(len(shares))]
        colour = hex_of(COLOURS[number % len(COLOURS)])
        axes.bar(
            places, shares, wide * 0.94, color=colour, label=words(f"{each.team}: {each.solved.mean():.1%} solved")
        )
    ticks = [*map(str, range(_LAST)), f"{_LAST} or more", "not solved"]
    axes.set_xticks(range(len(ticks)), ticks)
    axes.axvline(_LAST + 0.5, color=_GREY, linewidth=1)
    axes.set_xlabel("steps above the optimum")
    axes.set_ylabel("share of instances")
    lay_legend(figure, [axes])
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())
