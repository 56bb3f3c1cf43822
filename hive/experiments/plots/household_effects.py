"""Plot of what sharing, hands and agents are worth in households: ticks saved, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from hive.kit.view import palette
from hive.kit.view.charts import empty_page, hex_of, lay_ground, lay_legend
from hive.worlds.household.policies.effects import EFFECT_CLAIMS, Effects

_MARKS = ("o", "s", "^")


def save_effects(found: Mapping[str, Effects], path: Path) -> None:
    """Draw the gain of each claim for each set of episodes, and write a PNG.

    Args:
        found: The effects, by the name of the episodes, at most three.
        path: The file.
    """
    figure = empty_page("What sharing, hands and agents are worth", (8.5, 0.5 * len(EFFECT_CLAIMS) + 1.8))
    axes = figure.subplots()
    lay_ground(axes, "x")
    rows = np.arange(len(EFFECT_CLAIMS))
    for number, (name, effects) in enumerate(found.items()):
        gains = [each.gain for each in effects.effects]
        axes.errorbar(
            [gain.value for gain in gains],
            rows + 0.22 * (number - (len(found) - 1) / 2),
            xerr=[gain.margin for gain in gains],
            fmt=_MARKS[number],
            color=hex_of(palette.unit_colour(number % 2, 1)),
            capsize=3,
            markersize=5,
            label=name,
        )
    axes.axvline(0, color=hex_of(palette.INK), linewidth=1, zorder=0)
    axes.set_yticks(rows, [claim.text for claim in EFFECT_CLAIMS])
    axes.set_ylim(len(EFFECT_CLAIMS) - 0.5, -0.5)
    axes.set_xlabel("ticks saved per episode, with 95% intervals")
    lay_legend(figure, [axes])
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())
