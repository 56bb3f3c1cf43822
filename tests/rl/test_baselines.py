"""The statistics of a table of baselines are the published ones, and marl-eval reads its results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hive.rl.baselines import ENVIRONMENT, Scored, bootstrap, interquartile_mean, marl_eval

RANDOM = np.random.default_rng(3)


@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (4, 1), (10, 3), (7, 2)])
def test_the_interquartile_mean_is_the_trimmed_mean(shape: tuple[int, int]) -> None:
    """`rliable` takes `scipy.stats.trim_mean(scores, 0.25)` of all runs and tasks."""
    import scipy.stats  # which takes a second, in each worker that collects this

    scores = RANDOM.random(shape)
    assert interquartile_mean(scores) == pytest.approx(scipy.stats.trim_mean(scores, 0.25, axis=None))


def test_the_interval_of_one_task_is_that_of_a_percentile_bootstrap() -> None:
    import scipy.stats

    scores = RANDOM.random(10)
    wanted = scipy.stats.bootstrap(
        (scores,), lambda x, axis: scipy.stats.trim_mean(x, 0.25, axis=axis), n_resamples=20_000,
        confidence_level=0.95, method="percentile", rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    np.testing.assert_allclose(bootstrap(scores[:, None]), (wanted.low, wanted.high), atol=0.015)


def test_runs_are_drawn_within_each_task() -> None:
    """Tasks that differ, with runs that agree, leave no doubt: no run of one task stands for another task's."""
    scores = np.tile([0.0, 0.4, 0.6, 1.0], (5, 1))
    assert bootstrap(scores) == pytest.approx((0.5, 0.5))
    scores[0] = 1.0
    low, high = bootstrap(scores)
    assert low < interquartile_mean(scores) < high


def cells(updates: int = 25) -> list[Scored]:
    """Two algorithms on two tasks; from the third update on games end, of which a share is won."""
    rows: list[dict[str, Any]] = [
        {"update": at, "steps": at * 64, "seed": seed, "games": 4 * (at > 2), "won": 1 + seed, "score": 0.5}
        for at in range(1, updates + 1)
        for seed in (0, 1)
    ]
    return [Scored(task, name, (0, 1), rows, (0.25, 0.5), (0.5, 0.6)) for task in "ab" for name in ("ippo", "mappo")]


def test_results_have_the_form_of_marl_eval() -> None:
    """Ten steps and the absolute metrics, as lists, the same for all runs; empty steps keep the value before."""
    found = marl_eval(cells())[ENVIRONMENT]
    assert [*found] == ["a", "b"] and [*found["a"]] == ["ippo", "mappo"]
    run = found["b"]["mappo"]["seed_1"]
    assert [*run] == [*(f"step_{number}" for number in range(1, 11)), "absolute_metrics"]
    assert run["absolute_metrics"] == {"win_rate": [0.5], "score": [0.6]}
    assert run["step_1"] == {"step_count": 160, "win_rate": [0.0], "score": [0.0]}, "no game has ended"
    assert run["step_2"] == {"step_count": 320, "win_rate": [0.5], "score": [0.5]}
    assert run["step_10"]["step_count"] == 25 * 64
    short = marl_eval(cells(updates=3))[ENVIRONMENT]["a"]["ippo"]["seed_0"]
    assert len(short) == 11 and short["step_10"]["win_rate"] == [0.25], "fewer updates than steps"


def test_marl_eval_loads_the_results() -> None:
    processing = pytest.importorskip("marl_eval.utils.data_processing_utils", reason="id-marl-eval is not installed")
    diagnosing = pytest.importorskip("marl_eval.utils.diagnose_data_errors")
    raw = marl_eval(cells())
    assert all(diagnosing.DiagnoseData(raw).check_data()[ENVIRONMENT].values())
    matrices, _ = processing.create_matrices_for_rliable(processing.data_process_pipeline(raw, []), ENVIRONMENT, [])
    np.testing.assert_array_equal(matrices["mean_win_rate"]["ippo"], [[0.25, 0.25], [0.5, 0.5]])
