"""Plots of sets of drawn battles: battles, how many have which level, and scores of commanders beside what they cost.

Rules: docs/rules/sets.md 2 and 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np

from hive.experiments.panel.measuring import Trial
from hive.experiments.panel.table import KNOWN, Measured
from hive.experiments.sets.scoring import SetStudy
from hive.kit.view.charts import COLOURS, empty_page, hex_of, lay_ground, lay_legend, words
from hive.worlds.battle.drawn.classes import CLASSES
from hive.worlds.battle.drawn.sets import SetBattle

_LEAST = 0.01  # seconds that are shown


def save_levels(found: Sequence[Measured], path: Path) -> None:
    """Draw how many measured battles of each class have which level, and write a PNG."""
    figure = empty_page(f"Levels of {len(found):,} drawn battles", (8.4, 4.2))
    axes = figure.subplots()
    lay_ground(axes, "y")
    counts = Counter((each.class_name, each.known) for each in found)
    names = [name for name in KNOWN if any(counts[each, name] for each in CLASSES)]
    labels = [name.removeprefix("level ") for name in names]
    below = np.zeros(len(names))
    for number, class_name in enumerate(CLASSES):
        own = np.array([counts[class_name, name] for name in names])
        axes.bar(
            labels,
            own,
            bottom=below,
            width=0.72,
            color=hex_of(COLOURS[number]),
            label=class_name,
        )
        below += own
    for at, total in enumerate(below):
        axes.annotate(f"{total:.0f}", (at, total), (0, 3), textcoords="offset points", ha="center", fontsize=9)
    axes.set_ylim(0, max(1.0, below.max()) * 1.12)
    axes.set_xlabel("level")
    axes.set_ylabel("battles")
    lay_legend(figure, [axes], columns=7)
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def save_scores(study: SetStudy, path: Path) -> None:
    """Draw the share of games won by level, and in all over what it cost, for each commander, and write a PNG."""
    figure = empty_page(f"Commanders on {study.found.name}", (10.4, 4.4))
    left, right = figure.subplots(1, 2)
    levels = study.levels()
    for number, each in enumerate(study.json()["commanders"]):
        colour, name = hex_of(COLOURS[number % len(COLOURS)]), words(each["name"])
        shift = (number - (len(study.commanders) - 1) / 2) * 0.06
        scores = [each["levels"][str(level)] for level in levels]
        won = np.array([score["won"] for score in scores])
        spread = np.array([[score["won"] - score["low"], score["high"] - score["won"]] for score in scores]).T
        if levels:
            at = np.array(levels) + shift
            left.errorbar(at, won, yerr=np.maximum(spread, 0), fmt="o-", ms=4, lw=1, color=colour, label=name)
        spent = max(_LEAST, each["cost"]["seconds"]) * 1.07 ** (number - len(study.commanders) / 2)
        bar = [[max(0.0, each["won"] - each["low"])], [max(0.0, each["high"] - each["won"])]]
        right.errorbar([spent], [each["won"]], yerr=bar, fmt="o", color=colour, label=None if levels else name)
    cost = "seconds of all orders" if study.terms else "seconds to write all plans"
    for axes, label in ((left, "level of the battle"), (right, cost)):
        lay_ground(axes, "both")
        axes.set_ylim(-0.03, 1.03)
        axes.set_xlabel(label)
        axes.set_ylabel("share of games won")
    left.set_xticks(levels)
    right.set_xscale("log")
    right.margins(x=0.1)
    lay_legend(figure, [left if levels else right], columns=4)
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def save_battles(battles: Sequence[SetBattle], path: Path) -> None:
    """Draw the first tick of some battles with seed 0, three in a row, and write a PNG."""
    from PIL import Image

    rows = -(-len(battles) // 3)
    figure = empty_page("Battles of a set", (10.2, 3.5 * rows + 0.5))
    panels = figure.subplots(rows, 3, squeeze=False).reshape(-1)
    for axes in panels:
        axes.set_axis_off()
    for axes, each in zip(panels, battles, strict=False):
        trial = Trial(each.name)
        picture = trial.world.map_png(trial.world.first_state(0), "raw", 640)
        axes.imshow(np.asarray(Image.open(BytesIO(picture))))
        level = "no level" if each.level is None else f"level {each.level}"
        axes.set_title(f"{each.name}: {trial.drawn.mission.kind}, {level}", fontsize=10)
    figure.savefig(path, format="png", dpi=100, facecolor=figure.get_facecolor())
