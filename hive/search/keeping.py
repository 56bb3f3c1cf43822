"""What is saved of a search while it runs, so that an interrupted one resumes, and how a saved one is recognised."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsl import UserError
from dsl.wording import listing
from hive.keep.runfolder import whole_file, write_run
from hive.search.evolve import Generation


@dataclass
class Kept:
    """The finished generations of a search, in a folder next to the place of its results.

    Attributes:
        folder: The progress folder.
        generations: What was found there.
    """

    folder: Path
    generations: list[Generation]

    def add(self, generation: Generation) -> None:
        """Save one more generation; its file is written atomically."""
        with whole_file(self.folder / _name(generation.number)) as path:
            path.write_text(json.dumps(generation.json(), allow_nan=False) + "\n", encoding="utf-8")


def resume(out: Path, identity: Mapping[str, Any], restart: bool) -> Kept:
    """Find the generations that an earlier run of the same search finished, or begin a progress folder.

    Args:
        out: Where the results will go; the generations are in a folder of that name with `.progress`.
        identity: What decides the search, in plain values.
        restart: Whether to drop the progress that there is.

    Returns:
        What is saved so far.

    Raises:
        UserError: The folder is no progress folder, belongs to another search, or cannot be read or written.
    """
    folder = out.resolve().with_name(f"{out.resolve().name}.progress")
    if restart or not folder.exists():
        text = json.dumps(identity, indent=2, allow_nan=False) + "\n"
        return Kept(write_run(folder, {"config.json": text}, overwrite=restart), [])
    try:
        found = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if not isinstance(found, dict) or "search" not in found:
            raise ValueError("it is no progress folder of a search")
        generations: list[Generation] = []
        while (path := folder / _name(len(generations))).exists():
            try:
                generations.append(Generation.from_json(json.loads(path.read_text(encoding="utf-8"))))
            except ValueError as error:
                raise ValueError(f"{path.name} is damaged: {error}") from None
    except (OSError, ValueError) as error:
        raise UserError(f"cannot resume from {folder}: {error}\n  = help: remove it, or give another --out") from None
    other = [key for key in identity if found.get(key) != json.loads(json.dumps(identity[key]))]
    if other:
        raise UserError(
            f"{folder} belongs to another search: {listing(other, 'and')} differ\n"
            "  = help: give another --out, or drop its progress with --restart"
        )
    return Kept(folder, generations)


def _name(number: int) -> str:
    return f"generation-{number:05}.json"
