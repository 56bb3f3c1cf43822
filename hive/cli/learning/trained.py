"""What `hive train` saves: what decides a run, and its folder at the end."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hive.experiments.plots.learning import save_curves
from hive.kit.keep.record import digest_of, games_folder
from hive.kit.keep.runfolder import Content
from hive.rl.algorithms import BEST
from hive.rl.holdout import WAYS
from hive.rl.runs import CHECKPOINTS, HELD_OUT, METRICS, read_lanes
from hive.rl.training import MetricsRow, Trainer, in_words

if TYPE_CHECKING:
    from hive.cli.learning.settings import Train


def keep(
    out: Path,
    settings: Train,
    decides: Mapping[str, Any],
    progress: Path,
    trainer: Trainer,
    rows: Sequence[MetricsRow],
    report: Mapping[str, Any],
) -> None:
    """Write the folder of a finished run atomically, and drop its progress.

    Raises:
        UserError: It cannot be written; the progress stays.
    """
    files: dict[str, Content] = {
        METRICS: (progress / METRICS).read_bytes(),
        "curve.png": lambda path: save_curves(rows, f"{Path(report['task']).stem}, {in_words(trainer)}", path),
        CHECKPOINTS: lambda path: _copy(progress / CHECKPOINTS, path),
    }
    if (progress / BEST).is_dir():
        files[HELD_OUT] = (progress / HELD_OUT).read_bytes()
        files[BEST] = lambda path: _copy(progress / BEST, path)
    again = 2 * len(trainer.lanes) * len(WAYS) * decides["held_out"]["games"]  # that `AGAIN` plays: of two checkpoints
    files = games_folder(
        settings.line,
        AGAIN,
        *who_of(decides),
        [lane.seed for lane in trainer.lanes],
        files,
        **decides,
        policies=report["policies"],
        games=again,
        seconds=report["seconds"],
        steps_per_second=report["steps_per_second"],
    )
    settings.save_folder(out, files, finish=True)


AGAIN = ("evaluate", ".", "--held-out")
"""The words after `hive` that play the held-out games of a run again, inside its folder; training is not repeated."""


def who_of(decides: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the world and the players of a run, for `hive.kit.keep.record.games_folder`.

    Args:
        decides: What decides the run, as `hive.rl.runs.identity` says it.

    Returns:
        What decides the games of the task, and the policies, which are what training makes of the task and settings.
    """
    from hive.rl.registry import task

    own = decides["task"]
    players = [
        {"name": lane.label, "plays": "policy", "identity": digest_of(decides)} for lane in read_lanes(decides["lanes"])
    ]
    return {task(own["name"]).id: own}, players


def _copy(folder: Path, path: Path) -> None:
    shutil.copytree(folder, path)
