"""A game of the page played once more for a file: without a display of progress, since nobody looks at one."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hive.contract import Run
from hive.view.kept import write_page


class Unwatched:
    """A `hive.contract.Watch` that shows nothing."""

    def stage(self, name: str, total: int, unit: str) -> None:
        """Show nothing."""

    def update(self, done: int, note: str = "") -> None:
        """Show nothing."""

    def say(self, line: str) -> None:
        """Show nothing."""


def replay_page(run: Run) -> bytes:
    """Play a run of one game and return the page that plays it back."""
    watch = Unwatched()
    for _ in run.play(watch):
        pass
    (recording,) = run.recordings(watch).values()
    with tempfile.TemporaryDirectory(prefix="hive-") as folder:
        kept, page = Path(folder, "recording.npz"), Path(folder, "replay.html")
        recording.save(kept)
        write_page(kept, page)
        return page.read_bytes()
