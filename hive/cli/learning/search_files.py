"""What is saved of a search while it runs, so that an interrupted one resumes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hive.cli.progress_folder import open_progress, saved_parts
from hive.experiments.search.generation import Generation
from hive.kit.keep.digests import read_value, write_value


@dataclass
class SearchProgress:
    """The finished generations of a search, in a folder next to the place of its results.

    Attributes:
        folder: The progress folder.
        generations: What was found there.
        stem: Before the names of its files, where several searches share the folder.
    """

    folder: Path
    generations: list[Generation]
    stem: str = ""

    def add(self, generation: Generation) -> None:
        """Save one more generation; its file is written atomically."""
        write_value(self.folder / _name(self.stem, generation.number), generation.json())


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
    return [SearchProgress(folder, saved_parts(folder, partial(_name, stem), _read), stem) for stem in stems]


def _name(stem: str, number: int) -> str:
    return f"{stem}{'-' if stem else ''}generation-{number:05}.json"


def _read(path: Path) -> Generation:
    return Generation.from_json(read_value(path))
