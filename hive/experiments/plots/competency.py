"""Plots of competency: normalised scores of levels as bars, behaviours as a radar chart.

Rules: docs/rules/wildfire_levels.md 5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hive.kit.view import palette
from hive.kit.view.charts import COLOURS, empty_page, hex_of, lay_ground, words
from hive.kit.view.palette import Rgb
from hive.worlds.wildfire.competency import BEHAVIOURS, Competency, carrying
from hive.worlds.wildfire.levels import levels
from hive.worlds.wildfire.score_files import DO_NOTHING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.projections.polar import PolarAxes

_MARKS = "osD^vP*X"
_GREY: Rgb = (140, 143, 148)  # Do Nothing
_RING = 0.1  # the radar ends at a multiple of it


def label(method: Competency, beside: Sequence[Competency]) -> str:
    """Return a method's name, marked as published when some methods of `beside` are not."""
    return (
        f"{method.method} (published)" if method.published and not all(m.published for m in beside) else method.method
    )


def save_levels(methods: Sequence[Competency], path: Path) -> None:
    """Draw the normalised scores of each method as a group of bars for each level, and write a PNG."""
    shown = [name for name in levels() if any(name in method.normalised for method in methods)]
    wide = max(8.0, 3.5 + len(shown) * (0.25 + 0.075 * len(methods)))
    figure = empty_page("Normalised score on each level", (wide, 6.4))
    axes = figure.subplots()
    lay_ground(axes, "y")
    axes.tick_params(axis="x", length=0)
    width = min(0.84 / len(methods), 0.3)
    for number, method in enumerate(methods):
        colour = hex_of(_colour(methods, number))
        at = [place for place, name in enumerate(shown) if name in method.normalised]
        middle = [place + (number - (len(methods) - 1) / 2) * width for place in at]
        high = [method.normalised[shown[place]] for place in at]
        hatch = "////" if label(method, methods) != method.method else None
        axes.bar(middle, high, width * 0.92, color=colour, hatch=hatch, edgecolor="white", linewidth=0)
        # A stub under each bar distinguishes a score of 0 from a level that was not run.
        axes.bar(middle, 0.012, width * 0.92, bottom=-0.012, color=colour, label=words(label(method, methods)))
    axes.set_xticks(range(len(shown)), [levels()[name].title.replace(": ", ":\n") for name in shown], rotation=45)
    for name in axes.get_xticklabels():
        name.set(ha="right", va="top", rotation_mode="anchor", fontsize=8)
    axes.set_xlim(-0.6, len(shown) - 0.4)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel("level")
    axes.set_ylabel("normalised score (1 is the best possible)")
    _finish(figure, axes, "only a stub: the score is 0; no stub: not run", path)


def save_behaviours(methods: Sequence[Competency], path: Path) -> None:
    """Draw the competency of each method at each behaviour as a radar, and write a PNG."""
    figure = empty_page("Competency by behaviour", (9.6, 7.0))
    figure.set_layout_engine("constrained", rect=(0.06, 0.0, 0.94, 1.0))  # names there are ignored by the layout
    axes = cast("PolarAxes", figure.add_subplot(projection="polar"))
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    angles = [2 * math.pi * number / len(BEHAVIOURS) for number in range(len(BEHAVIOURS))]
    best = 0.0
    for number, method in enumerate(methods):
        scores = [math.nan if (score := method.behaviours[code]) is None else score for code in BEHAVIOURS]
        best = max([best, *(score for score in scores if score == score)])
        style = "--" if label(method, methods) != method.method or method.method == DO_NOTHING else "-"
        axes.plot(
            [*angles, angles[0]], [*scores, scores[0]], _MARKS[number % len(_MARKS)] + style,
            linewidth=1.8, markersize=6, clip_on=False,
            color=hex_of(_colour(methods, number)), label=words(label(method, methods)),
        )  # fmt: skip
    axes.set_xticks(angles, [_axis(code, methods) for code in BEHAVIOURS])
    axes.set_ylim(0, _RING * max(1, math.ceil(best / _RING - 1e-9)))
    for name, angle in zip(axes.get_xticklabels(), angles, strict=True):
        name.set_horizontalalignment("center" if abs(math.sin(angle)) < 0.1 else "left" if angle < math.pi else "right")
    axes.set_rlabel_position(30)
    axes.tick_params(axis="x", pad=10, labelsize=9, colors=hex_of(palette.INK))
    axes.tick_params(axis="y", labelsize=8, colors=hex_of(palette.FAINT_INK))
    axes.grid(color=hex_of(palette.RULE), alpha=0.4, linewidth=0.7)
    axes.spines["polar"].set_color(hex_of(palette.RULE))
    axes.set_facecolor("white")
    _finish(figure, axes, "mean normalised score of the levels that were run and need the behaviour", path)


def _axis(code: str, methods: Sequence[Competency]) -> str:
    """Return a behaviour's name and how many of its levels were run."""
    counts, all_of = sorted({method.counts[code] for method in methods}), len(carrying(code))
    some = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"{BEHAVIOURS[code]}\n{some} of {all_of} level{'' if all_of == 1 else 's'}"


def _colour(methods: Sequence[Competency], number: int) -> Rgb:
    if methods[number].method == DO_NOTHING:
        return _GREY
    return COLOURS[sum(method.method != DO_NOTHING for method in methods[:number]) % len(COLOURS)]


def _finish(figure: Figure, axes: Axes, note: str, path: Path) -> None:
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right upper", frameon=False, fontsize=9, labelcolor=hex_of(palette.INK))
    figure.supxlabel(note, x=0.99, ha="right", fontsize=8, color=hex_of(palette.FAINT_INK))
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())
