"""What `hive train` saves: what decides a run, and its folder at the end."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hive.cli.learning.learners import changes_of
from hive.cli.progress_folder import deciding_versions, open_progress
from hive.experiments.plots.learning import save_curves
from hive.kit.keep.config import config_file
from hive.kit.keep.finishing import finish_run
from hive.kit.keep.runfolder import Content
from hive.rl.runs import CHECKPOINTS, METRICS, identity
from hive.rl.training import MetricsRow, Trainer, in_words


def open_run(args: argparse.Namespace, trainer: Trainer) -> Path:
    """Return the folder with the progress of a run, new or of an earlier command that was interrupted.

    Raises:
        UserError: The folder belongs to another run, or cannot be read or written.
    """
    decides = identity(trainer, args.task, args.sparse, changes_of(args)) | {"versions": deciding_versions()}
    return open_progress(args.out, decides, "run", args.restart)[0]


def keep(
    args: argparse.Namespace, progress: Path, trainer: Trainer, rows: Sequence[MetricsRow], report: Mapping[str, Any]
) -> str:
    """Write the folder of a finished run atomically, and drop its progress.

    Returns:
        A line that says what was written.

    Raises:
        UserError: It cannot be written; the progress stays.
    """
    files: dict[str, Content] = {
        **config_file(
            args.line,
            [lane.seed for lane in trainer.lanes],
            **identity(trainer, args.task, args.sparse, changes_of(args)),
            policies=report["policies"],
            seconds=report["seconds"],
            steps_per_second=report["steps_per_second"],
        ),
        METRICS: (progress / METRICS).read_bytes(),
        "curve.png": lambda path: save_curves(rows, f"{Path(args.task).stem}, {in_words(trainer)}", path),
        CHECKPOINTS: lambda path: _copy(progress / CHECKPOINTS, path),
    }
    finish_run(args.out, files, args.overwrite)
    return f"wrote {args.out}: {', '.join(files)}"


def _copy(folder: Path, path: Path) -> None:
    shutil.copytree(folder, path)
