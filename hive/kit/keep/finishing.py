"""The end of a long command: its run folder is written, and the folder with its progress beside it is removed.

A process may be killed between the two. The progress therefore holds a mark of the run folder that is written from it,
so that the same command sees that the results are complete, and finishes instead of refusing to replace them.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.kit.keep.digests import file_digest
from hive.kit.keep.places import reason
from hive.kit.keep.runfolder import MARK, Content, check_writable, temporary_folder, whole_file, write_run

if sys.platform != "win32":  # there two processes can write to one progress by mistake
    import fcntl

_FINISHED = "finished.json"
_held: dict[Path, int] = {}  # progress folders of this process, in the order in which it opened them


def progress_of(folder: Path) -> Path:
    """Return where a long command keeps its progress: beside its run folder, with `.progress` after the name."""
    folder = folder.resolve()
    return folder.with_name(f"{folder.name}.progress")


def hold_progress(progress: Path) -> None:
    """Keep other processes out of a progress folder until this process has finished it or ends.

    Args:
        progress: The folder, which exists. A file system without locks is left as it is.

    Raises:
        UserError: Another process holds it, or it cannot be opened.
    """
    if sys.platform == "win32":
        return
    release_progress(progress)
    try:
        opened = os.open(progress, os.O_RDONLY)
    except OSError as error:
        raise UserError(f"cannot use {progress}: {reason(error)}") from None
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(opened)
        raise UserError(
            f"another command is at work in {progress}\n  = help: wait until it has ended, or give another --out"
        ) from None
    except OSError:
        os.close(opened)
        return
    _held[progress] = opened


def release_progress(progress: Path) -> None:
    """Let other processes use a progress folder again, if this process holds it."""
    opened = _held.pop(progress, None)
    if opened is not None:
        os.close(opened)


def held_progress() -> Path | None:
    """Return the progress folder that this process opened last and has not finished; None without one."""
    return next((each for each in reversed(_held) if each.is_dir()), None)


def is_finished(folder: Path) -> bool:
    """Return whether a run folder was written from the progress that still lies beside it."""
    try:
        kept = json.loads((progress_of(folder) / _FINISHED).read_text(encoding="utf-8"))
        return bool(kept == _mark(folder))
    except (OSError, ValueError, RecursionError):
        return False


def check_results(folder: Path, overwrite: bool, restart: bool) -> None:
    """Check before a long run that `finish_run` could write its run folder.

    Args:
        folder: The run folder.
        overwrite: Whether an existing run folder may be replaced.
        restart: Whether the progress that there is will be dropped.

    Raises:
        UserError: It could not; see `check_writable`.
    """
    if restart or not is_finished(folder):
        check_writable(folder, overwrite)


def finish_run(folder: Path, files: Mapping[str, Content], overwrite: bool) -> None:
    """Write a run folder atomically and remove its progress; a folder that was written already is left as it is.

    Args:
        folder: The run folder; its progress lies beside it.
        files: As in `write_run`.
        overwrite: Whether an existing run folder may be replaced.

    Raises:
        UserError: The folder cannot be written, and the progress stays; or the progress cannot be removed.
    """
    progress = progress_of(folder)
    if not is_finished(folder):

        def note(fresh: Path) -> None:
            with whole_file(progress / _FINISHED) as part:
                part.write_text(json.dumps(_mark(fresh)), encoding="utf-8")

        write_run(folder, files, overwrite, note)
    try:
        aside = temporary_folder(progress.parent)
        progress.rename(aside / "new")
    except OSError as error:
        raise UserError(f"cannot remove {progress}: {reason(error)}\n  = help: {folder} is complete") from error
    release_progress(progress)
    shutil.rmtree(aside, ignore_errors=True)


def _mark(folder: Path) -> dict[str, Any]:
    """Return what tells a run folder from any other, also after it was moved to its place."""
    config = folder / MARK
    return {"sha256": file_digest(config), "mtime_ns": config.stat().st_mtime_ns}
