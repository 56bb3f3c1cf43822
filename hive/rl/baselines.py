"""Statistics of a table of baselines: interquartile means with intervals over runs, and results for marl-eval.

Means and intervals are those of Agarwal et al., "Deep Reinforcement Learning at the Edge of the Statistical Precipice"
(2021), which `rliable` computes too; the form of the results is that of Gorsane et al., "Towards a Standardised
Performance Evaluation Protocol for Cooperative MARL" (2022), whose package is `id-marl-eval`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from hive.rl.training import MetricsRow

_RESAMPLES = 10_000
_POINTS = 10  # of a curve in the results for marl-eval
ENVIRONMENT = "hive"  # what marl-eval calls the environment of all tasks


@dataclass(frozen=True)
class Scored:
    """What one algorithm, with the settings that were chosen for it, reached on one task.

    Attributes:
        task: Name of the task.
        name: Of the algorithm.
        seeds: Of the policies.
        rows: Metrics of all updates of these policies.
        won: `[seeds]` share of test games that each policy won.
        score: `[seeds]` mean score of these games.
    """

    task: str
    name: str
    seeds: Sequence[int]
    rows: Sequence[MetricsRow]
    won: Sequence[float]
    score: Sequence[float]


def interquartile_mean(scores: Float[np.ndarray, "*r"]) -> float:
    """Return the mean of the middle half of all scores: a quarter of them, rounded down, is left out at each end.

    Of fewer than four scores it is the mean.
    """
    rising = np.sort(scores, axis=None)
    cut = rising.size // 4
    return float(rising[cut : rising.size - cut].mean())


def bootstrap(scores: Float[np.ndarray, "r t"], resamples: int = _RESAMPLES, seed: int = 0) -> tuple[float, float]:
    """Return the 95% interval of the interquartile mean by a stratified bootstrap.

    Runs are drawn with replacement for each task on its own, and the interval has the percentiles 2.5 and 97.5 of the
    means. With few runs it is too narrow: it knows no run that was not made.

    Args:
        scores: Of each run on each task.
        resamples: How often runs are drawn.
        seed: Of the draws.
    """
    runs, tasks = scores.shape
    chosen = np.random.default_rng(seed).integers(runs, size=(resamples, runs, tasks))
    drawn = np.sort(np.take_along_axis(scores[None], chosen, axis=1).reshape(resamples, -1), axis=1)
    cut = drawn.shape[1] // 4
    means = drawn[:, cut : drawn.shape[1] - cut].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def marl_eval(cells: Sequence[Scored]) -> dict[str, Any]:
    """Return results in the form of marl-eval: environment, task, algorithm, run, step, metric.

    The metrics are `win_rate` and `score`. Those of the ten steps are of the games that training played since the step
    before, with drawn actions; where none ended, the value before holds, at first 0. Those of `absolute_metrics` are of
    the test games of the policies at the end of training.
    """
    tasks: dict[str, Any] = {}
    for cell in cells:
        runs = {
            f"seed_{seed}": {
                **_steps([row for row in cell.rows if row["seed"] == seed]),
                "absolute_metrics": {"win_rate": [won], "score": [score]},
            }
            for seed, won, score in zip(cell.seeds, cell.won, cell.score, strict=True)
        }
        tasks.setdefault(cell.task, {})[cell.name] = runs
    return {ENVIRONMENT: tasks}


def _steps(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the metrics of one policy at `_POINTS` steps."""
    updates, steps = rows[-1]["update"], rows[-1]["steps"]
    found: dict[str, dict[str, Any]] = {}
    won, score = 0.0, 0.0
    for point in range(_POINTS):
        own = [row for row in rows if point * updates < row["update"] * _POINTS <= (point + 1) * updates]
        if games := sum(row["games"] for row in own):
            won = sum(row["won"] for row in own) / games
            score = sum(row["score"] * row["games"] for row in own) / games
        found[f"step_{point + 1}"] = {
            "step_count": steps * (point + 1) // _POINTS, "win_rate": [won], "score": [score],
        }  # fmt: skip
    return found
