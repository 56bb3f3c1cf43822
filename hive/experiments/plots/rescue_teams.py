"""Bars of teams that rescue: victims rescued, and how soon urgent and other victims are served."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hive.kit.view import palette
from hive.kit.view.charts import COLOURS, empty_page, hex_of, lay_ground, words
from hive.worlds.rescue.scores import OF, PUBLISHED_SCORES, RescueScore, by_model, efficiency

_WIDE, _EDGE = 0.72, 2.6  # inches of a team, and next to all of them


def save_rescued(teams: Mapping[str, Sequence[RescueScore]], path: Path) -> None:
    """Draw how many victims each team rescued, and write a PNG.

    The bar of a model that played several times is their mean, and each of them is a point with its temperature. If the
    instances have as many victims as those of the study, its totals are lines.

    Args:
        teams: The runs of each team.
        path: The file.
    """
    total = max(sum(len(score.served_at) for score in scores) for scores in teams.values())
    figure = empty_page(f"Victims rescued, of {total}", (_EDGE + 2 + _WIDE * len(by_model(teams)), 4.8))
    axes = figure.subplots()
    lay_ground(axes, "y")
    models = by_model(teams)
    values = [sum(served for _, served in each) / len(each) for each in models.values()]
    axes.bar(range(len(models)), values, 0.62, color=hex_of(COLOURS[0]))
    for at, value in enumerate(values):
        axes.annotate(f"{value:g}", (at, 0), (0, 5), textcoords="offset points", ha="center", color="white")
    for at, each in enumerate(models.values()):
        for temperature, served in each if len(each) > 1 else ():
            axes.plot(at, served, "o", color=hex_of(palette.INK), markersize=5, zorder=4)
            label = "no T" if temperature is None else f"T={temperature:g}"
            axes.annotate(
                label, (at, served), (7, 0), textcoords="offset points", va="center", fontsize=7.5,
                color=hex_of(palette.INK), zorder=4,
            )  # fmt: skip
    if total == OF:
        for name, mean in PUBLISHED_SCORES.items():
            axes.axhline(mean, color=hex_of(palette.INK), linewidth=1, linestyle="--", zorder=3)
            axes.annotate(
                f"study: {name}, {mean:g}", (1, mean), xycoords=("axes fraction", "data"), xytext=(5, 0),
                textcoords="offset points", ha="left", va="center", fontsize=8, color=hex_of(palette.INK),
            )  # fmt: skip
    axes.set_ylim(0, 1.04 * total)
    axes.set_xlim(-0.6, len(models) - 0.4)
    axes.set_xticks(range(len(models)), [words(name) for name in models], rotation=25, ha="right")
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def save_efficiency(teams: Mapping[str, Sequence[RescueScore]], baseline: str, path: Path) -> None:
    """Draw the urgency efficiency of each team except the baseline, and write a PNG.

    The left panel has the printed averages, over victims that were served; the right one counts others with the limit.

    Args:
        teams: The runs of each team.
        baseline: Name of the team that all others are compared with.
        path: The file.
    """
    others = [name for name in teams if name != baseline] or [baseline]
    title = f"Urgency efficiency: average steps by those of the {baseline} heuristic; below 1 is faster"
    figure = empty_page(title, (max(9.6, 2 * (_EDGE - 1 + _WIDE * len(others))), 4.8))
    for censored, axes in zip((False, True), figure.subplots(1, 2, sharey=True), strict=True):
        lay_ground(axes, "y")
        for side, urgent in enumerate((True, False)):
            found = [efficiency(teams[name], teams[baseline], urgent, censored) for name in others]
            places = [at + (side - 0.5) * 0.36 for at in range(len(others))]
            label = "urgent victims" if urgent else "other victims"
            colour = hex_of(COLOURS[1 if urgent else 0])
            axes.bar(places, [value or 0 for value in found], 0.34, color=colour, label=label)
            for at, value in zip(places, found, strict=True):
                text = "-" if value is None else f"{value:.2f}"
                axes.annotate(
                    text, (at, 0), (0, 5), textcoords="offset points", ha="center", fontsize=7.5,
                    color="white" if value is not None else hex_of(palette.INK), rotation=90,
                )  # fmt: skip
        axes.axhline(1, color=hex_of(palette.INK), linewidth=1.2, zorder=3)
        heading = "unserved victims count with the limit" if censored else "victims that were served"
        axes.set_title(heading, fontsize=10, color=hex_of(palette.INK), loc="left")
        axes.set_xticks(range(len(others)), [words(name) for name in others], rotation=25, ha="right")
    figure.axes[1].legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1, 1))
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())
