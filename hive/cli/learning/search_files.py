"""What is saved of a search while it runs, so that an interrupted one resumes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hive.cli.progress_folder import Parts, open_progress
from hive.experiments.search.generation import Generation
from hive.kit.keep.digests import read_value, write_value

SearchProgress = Parts[Generation]
"""The finished generations of a search, in a folder next to the place of its results."""


def resume(out: Path, identity: dict[str, Any], restart: bool) -> SearchProgress:
    """Find the generations that an earlier run of the same search finished, or begin a progress folder.

    Args:
        out: Where the results will go; the generations are in a folder of that name with `.progress`.
        identity: As in `open_progress`.
        restart: Whether to drop the progress that there is.

    Returns:
        What is saved so far.

    Raises:
        UserError: The folder is no progress folder, belongs to another search, or cannot be read or written.
    """
    return resume_all(out, identity, [""], restart)[0]


def resume_all(out: Path, identity: dict[str, Any], stems: Sequence[str], restart: bool) -> list[SearchProgress]:
    """Do the same for several searches, whose files in one folder begin with stems of their own."""
    folder, _ = open_progress(out, identity, "search", restart)
    names = [f"{stem}{'-' if stem else ''}generation-{{}}.json" for stem in stems]
    return [Parts(folder, name, _read, _write) for name in names]


def _read(path: Path) -> Generation:
    return Generation.from_json(read_value(path))


def _write(path: Path, generation: Generation) -> None:
    write_value(path, generation.json())
