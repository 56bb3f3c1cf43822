"""What `hive train` saves: what decides a run, and its folder at the end."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hive.cli.progress_folder import deciding_versions, open_progress
from hive.experiments.plots.learning import save_curves
from hive.kit.keep.config import config_file
from hive.kit.keep.finishing import finish_run
from hive.kit.keep.runfolder import Content
from hive.rl.algorithms import BEST
from hive.rl.runs import CHECKPOINTS, HELD_OUT, METRICS
from hive.rl.training import MetricsRow, Trainer, in_words

if TYPE_CHECKING:
    from hive.cli.learning.settings import Train


def open_run(out: Path, decides: Mapping[str, Any], restart: bool) -> Path:
    """Return the folder with the progress of a run, new or of an earlier command that was interrupted.

    Args:
        out: Where the results will go.
        decides: What decides the run.
        restart: Whether to drop the progress that there is.

    Raises:
        UserError: The folder belongs to another run, or cannot be read or written.
    """
    return open_progress(out, {**decides, "versions": deciding_versions()}, "run", restart)[0]


def keep(
    out: Path,
    settings: Train,
    decides: Mapping[str, Any],
    progress: Path,
    trainer: Trainer,
    rows: Sequence[MetricsRow],
    report: Mapping[str, Any],
) -> str:
    """Write the folder of a finished run atomically, and drop its progress.

    Returns:
        A line that says what was written.

    Raises:
        UserError: It cannot be written; the progress stays.
    """
    files: dict[str, Content] = {
        **config_file(
            settings.line,
            [lane.seed for lane in trainer.lanes],
            **decides,
            policies=report["policies"],
            seconds=report["seconds"],
            steps_per_second=report["steps_per_second"],
        ),
        METRICS: (progress / METRICS).read_bytes(),
        "curve.png": lambda path: save_curves(rows, f"{Path(report['task']).stem}, {in_words(trainer)}", path),
        CHECKPOINTS: lambda path: _copy(progress / CHECKPOINTS, path),
    }
    if (progress / BEST).is_dir():
        files[HELD_OUT] = (progress / HELD_OUT).read_bytes()
        files[BEST] = lambda path: _copy(progress / BEST, path)
    finish_run(out, files, settings.overwrite)
    return f"wrote {out}: {', '.join(files)}"


def _copy(folder: Path, path: Path) -> None:
    shutil.copytree(folder, path)
