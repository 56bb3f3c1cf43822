"""Plots of a study of commanders: wall times, lengths of requests and replies, and how all of it grows with the armies.

Rules: docs/rules/scenarios.md 2.5 (the paper's Figs 7 and 9). Outcomes and scores are drawn by `abilities`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hive.experiments.study.asking import PromptResult, StudyCondition
from hive.experiments.study.playing import Study, Tried
from hive.kit.view import charts, palette
from hive.kit.view.charts import Row, draw_box, empty_page, hex_of, lay_ground, lay_legend, lay_rows, page, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = (*charts.COLOURS[:6], charts.COLOURS[7])  # without yellow, which thin lines on white hide
_MARKS = "osD^vP*X"


def save_times(study: Study, path: Path) -> None:
    """Draw the wall time of each reply as a box for each condition and model, and write a PNG."""
    _save_boxes(
        study, path, "Wall time of the replies", {"seconds from the request to the end": lambda asked: asked.seconds}
    )


def save_lengths(study: Study, path: Path) -> None:
    """Draw how much was sent and received for each prompt, as boxes, and write a PNG.

    Lengths are in tokens if the servers counted them for all replies, else in characters.
    """
    if tokens_counted(study):
        panels: dict[str, Callable[[PromptResult], float]] = {
            "tokens sent": lambda asked: asked.tokens("prompt") or 0,
            "tokens received": lambda asked: asked.tokens("reply") or 0,
        }
    else:
        panels = {
            "characters sent": lambda asked: asked.sent,
            "characters received": lambda asked: asked.received,
        }
    _save_boxes(study, path, "Length of requests and replies", panels)


def tokens_counted(study: Study) -> bool:
    """Return whether there are replies, and the servers counted the tokens of all of them."""
    answered = [each.asked for each in study.tried if each.asked.replies]
    return bool(answered) and all(
        asked.tokens("prompt") is not None and asked.tokens("reply") is not None for asked in answered
    )


def save_scaling(study: Study, path: Path) -> None:
    """Draw wins, scores and lengths of descriptions over the number of units, for one ability, and write a PNG.

    Every model and form of the game information is a line. Scores are medians, with the middle half of the games as a
    bar. The last panel has the tokens of the requests, if the servers counted them.
    """
    counted = tokens_counted(study)
    figure = empty_page("From small armies to large ones", (13.2 if counted else 10.2, 3.9))
    panels = figure.subplots(1, 4 if counted else 3)
    forms = list(dict.fromkeys(condition.full for condition in study.conditions))
    lines = [(model, full) for model in study.models for full in forms]
    for number, (model, full) in enumerate(lines):
        some = [condition for condition in study.conditions if condition.full == full]
        tried = [study.of(condition, model) for condition in some]
        name = words(model if len(forms) == 1 else f"{model}, {_form(full)}")
        _draw_growth(panels, number, name, [_units(condition) for condition in some], tried)
    for full in (True, False):
        by_size = {_units(condition): condition.words.characters for condition in study.conditions}
        high = [counts["full" if full else "compact"] for counts in by_size.values()]
        style = "s-" if full else "s--"
        panels[2].plot(list(by_size), high, style, color=hex_of(palette.INK), markersize=4, label=_form(full))
    score = "enemies eliminated, %" if _shared(study.tried[0]) else "metres from the objective"
    titles = ["plans that won, %", score, "characters of a description", "tokens sent, median"]
    for axes, title in zip(panels, titles, strict=False):
        lay_ground(axes, "both")
        axes.set_xscale("log")
        axes.set_xticks(sizes := sorted({_units(c) for c in study.conditions}), [f"{size:,}" for size in sizes])
        axes.minorticks_off()
        axes.set_xlabel("units of both armies")
        axes.set_title(title, fontsize=10, color=hex_of(palette.INK))
    for number, axes in enumerate(panels):
        if number == 0 or (number == 1 and _shared(study.tried[0])):
            axes.set_ylim(-4, 104)
        else:
            axes.set_ylim(bottom=0)
    for axes in panels[2:]:
        axes.yaxis.set_major_formatter("{x:,.0f}")
    lay_legend(figure, [panels[0], panels[2]], columns=4)
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def _draw_growth(
    panels: Sequence[Axes], number: int, name: str, sizes: Sequence[int], tried: Sequence[Sequence[Tried]]
) -> None:
    """Draw the line of one model in the panels of wins, scores and tokens."""
    colour, mark = hex_of(_COLOURS[number % len(_COLOURS)]), _MARKS[number % len(_MARKS)]
    ends = [[end for each in group for end in each.result.outcome] for group in tried]
    wins = [100 * group.count("win") / len(group) for group in ends]
    panels[0].plot(sizes, wins, f"{mark}-", color=colour, markersize=5, label=name, clip_on=False)
    scale = 100 if _shared(tried[0][0]) else 1
    scored = [np.concatenate([each.result.score for each in group]) * scale for group in tried]
    boxes = [
        (size, np.percentile(s, [25, 50, 75]))
        for size, all in zip(sizes, scored, strict=True)
        if len(s := all[np.isfinite(all)])
    ]
    if boxes:
        here, (low, middle, high) = [size for size, _ in boxes], np.array([box for _, box in boxes]).T
        panels[1].plot(here, middle, f"{mark}-", color=colour, markersize=5, clip_on=False)
        panels[1].vlines(here, low, high, color=colour, linewidth=3, alpha=0.4)
    if len(panels) > 3:
        sent = [[each.asked.tokens("prompt") or 0 for each in group if each.asked.replies] for group in tried]
        shown = [(size, float(np.median(counts))) for size, counts in zip(sizes, sent, strict=True) if counts]
        panels[3].plot(*zip(*shown, strict=True), f"{mark}-", color=colour, markersize=5)


def _save_boxes(study: Study, path: Path, title: str, panels: dict[str, Callable[[PromptResult], float]]) -> None:
    rows: list[Row] = []
    groups: list[list[PromptResult]] = []
    for condition in study.conditions:
        for model in study.models:
            rows.append((condition.title, model))
            groups.append([each.asked for each in study.of(condition, model)])
    figure, columns = page(title, [rows] * len(panels), width=2.6 + 4.2 * len(panels))
    for axes, (label, measure) in zip(columns, panels.items(), strict=True):
        for row, group in zip(lay_rows(axes, rows), groups, strict=True):
            values = np.array([measure(asked) for asked in group if asked.replies], float)
            lost = len(group) - len(values)
            draw_box(axes, row, values, f"no reply to {lost} of {len(group)}" if lost else "")
        most = max([measure(asked) for group in groups for asked in group if asked.replies], default=0)
        axes.set_xlim(0, 1.06 * most or 1)
        axes.xaxis.set_major_formatter("{x:,g}")
        axes.set_xlabel(label)
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def _shared(tried: Tried) -> bool:
    """Return whether the score is a share of enemies, not metres."""
    return tried.result.score_is.startswith("share")


def _units(condition: StudyCondition) -> int:
    return sum(condition.world.sizes)


def _form(full: bool) -> str:
    return "full" if full else "compact"
