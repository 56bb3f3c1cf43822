"""Plots of a benchmark: how the games ended, and the scores of the plans.

Rules: docs/rules/scenarios.md 2.2 (the paper's Figs 8 and 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hive.kit.view import palette
from hive.kit.view.charts import Row, draw_box, hex_of, lay_rows, page
from hive.kit.view.palette import Rgb
from hive.worlds.battle.abilities import AbilityTrial, Scores

COLOURS: dict[str, Rgb] = {
    "win": palette.unit_colour(0, 1),
    "lose": palette.unit_colour(1, 1),
    "plan_finished": (222, 165, 76),
    "timeout": (196, 192, 182),
    "invalid_plan": (96, 92, 100),
    "no_plan": palette.INK,
    "cut_off": (142, 108, 168),
    "no_reply": (232, 230, 224),
}


def save_outcomes(scores: Scores, path: Path) -> None:
    """Draw how the games of each plan ended, as stacked bars under each ability, and write a PNG."""
    figure, (axes,) = page("How the games ended", [_rows(scores.trials)], width=8.6)
    rows = lay_rows(axes, _rows(scores.trials))
    most = max(len(trial.result.seed) for trial in scores.trials)
    left = np.zeros(len(rows), int)
    for end in scores.ends:
        long = np.array([trial.result.outcome.count(end) for trial in scores.trials])
        if not long.any():
            continue
        axes.barh(rows, long, 0.66, left, color=hex_of(COLOURS[end]), label=end.replace("_", " "))
        ink = "white" if palette.luminance(COLOURS[end]) < 150 else hex_of(palette.INK)
        for row, start, count in zip(rows, left, long, strict=True):
            if count >= most / 25:
                axes.text(start + count / 2, row, str(count), color=ink, ha="center", va="center", fontsize=8)
        left += long
    axes.set_xlim(0, most)
    axes.set_xlabel("games")
    axes.locator_params(axis="x", integer=True)
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(scores.ends), frameon=False, fontsize=9)
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def save_scores(scores: Scores, path: Path) -> None:
    """Draw the continuous score of each plan's games and write a PNG.

    A box spans the middle half of the games, its dark line is the median, and each dot is a game. Abilities that count
    enemies are in one panel, and abilities that count metres in another.
    """
    counts = [t for t in scores.trials if t.result.score_is.startswith("share")]
    metres = [t for t in scores.trials if not t.result.score_is.startswith("share")]
    panels = [part for part in (counts, metres) if part]
    figure, columns = page("Scores of the plans", [_rows(part) for part in panels], width=5.2 * len(panels))
    for axes, trials in zip(columns, panels, strict=True):
        share = trials is counts
        for row, trial in zip(lay_rows(axes, _rows(trials)), trials, strict=True):
            scored = trial.result.score
            draw_box(axes, row, scored[np.isfinite(scored)] * (100.0 if share else 1.0), _note(trial))
        if share:
            axes.set_xlim(-3, 103)
            axes.set_xlabel("enemies eliminated, % of all (higher is better)")
        else:
            scored = np.concatenate([trial.result.score for trial in trials])
            most = max([10.0, *scored[np.isfinite(scored)]])
            axes.set_xlim(-0.03 * most, 1.04 * most)
            axes.set_xlabel("metres from the objective at the end (lower is better)")
    figure.savefig(path, format="png", dpi=130, facecolor=figure.get_facecolor())


def _rows(trials: Sequence[AbilityTrial]) -> list[Row]:
    return [(trial.entry.ability.title, trial.entry.plan) for trial in trials]


def _note(trial: AbilityTrial) -> str:
    """Return words about games without a finite score; empty when there are none."""
    scored = trial.result.score
    unplayed, gone, games = int(np.isnan(scored).sum()), int(np.isinf(scored).sum()), len(scored)
    if unplayed == games and len(set(trial.result.outcome)) == 1:
        return trial.result.outcome[0].replace("_", " ")
    notes = [f"{unplayed} of {games} not played"] if unplayed else []
    return ", ".join([*notes, *([f"no unit left in {gone} of {games}"] if gone else [])])
