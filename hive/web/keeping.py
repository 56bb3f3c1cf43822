"""A game of the page played once more for a file, behind the page."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.kit.keep.runfolder import RECORDING
from hive.kit.planned_world import Run
from hive.kit.reporting import Unwatched, Watch
from hive.web.messages import Tell, own_fault
from hive.worlds.kept import write_page

_OFTEN = 0.3  # seconds between two reports of progress


@dataclass(frozen=True)
class Save:
    """How a run is kept.

    Attributes:
        place: Returns the folder for the next run, which can be written.
        keep: Plays a run and writes it to a folder; the watch receives its progress.
    """

    place: Callable[[], Path]
    keep: Callable[[Run, Path, Watch], None]


class ClosedWatch(Unwatched):
    """Ends the work that reports to it when the game is closed."""

    def __init__(self, closed: threading.Event) -> None:
        """Take what is set when the game is closed."""
        self._closed = closed

    def stage(self, name: str, total: int, unit: str) -> None:
        """Begin a stage; see `update`."""
        self.update(0)

    def update(self, done: int, note: str = "") -> None:
        """Let the work go on.

        Raises:
            UserError: The game is closed.
        """
        if self._closed.is_set():
            raise UserError("the server has ended\n  = help: resume the session and ask for it again")


class SaveWatch(ClosedWatch):
    """Tells a tab how far the recording of its run is."""

    def __init__(self, id: str | int | None, path: str, tell: Tell, closed: threading.Event) -> None:
        """Begin; the first message answers the tab's request."""
        super().__init__(closed)
        self._words, self._tell = {"is": "saving", "id": id, "path": path}, tell
        self._name, self._total, self._told = "", 1, 0.0
        tell({**self._words, "doing": "", "done": 0, "total": 1})

    def stage(self, name: str, total: int, unit: str) -> None:
        """Report the stage."""
        self._name, self._total, self._told = name, max(total, 1), 0.0
        self.update(0)

    def update(self, done: int, note: str = "") -> None:
        """Report how far the stage is, but not too often; see `ClosedWatch.update`."""
        super().update(done)
        now = time.monotonic()
        if now > self._told + _OFTEN:
            self._told = now
            self._tell({**self._words, "doing": self._name, "done": min(done, self._total), "total": self._total})


def done_by(line_up: Callable[[Callable[[], None]], None], find: Callable[[], Run]) -> Run:
    """Let another thread find a run, and wait for it.

    Args:
        line_up: Gives the other thread something to do.
        find: Returns the run, on that thread.
    """
    found: Future[Run] = Future()

    def act() -> None:
        try:
            found.set_result(find())
        except Exception as error:
            found.set_exception(error)

    line_up(act)
    return found.result()


def replay_page(run: Run, watch: Watch) -> bytes:
    """Play a run of one game and return the page that plays it back; the watch receives its progress."""
    for _ in run.play(watch):
        pass
    (recording,) = run.recordings(watch).values()
    return page_of(recording)


def page_of(recording: Any) -> bytes:
    """Return the page that plays a recorded game back."""
    with tempfile.TemporaryDirectory(prefix="hive-") as folder:
        kept, page = Path(folder, RECORDING), Path(folder, "replay.html")
        recording.save(kept)
        write_page(kept, page)
        return page.read_bytes()


class Saver:
    """Keeps runs, one at a time, on a thread of its own."""

    def __init__(self, save: Save, closed: threading.Event) -> None:
        """Take the way to keep one, and what is set when the game is closed."""
        self._save, self._closed = save, closed
        self._busy = threading.Lock()  # held while a run is kept

    def begin(self, id: str | int | None, find: Callable[[], Run], tell: Tell) -> None:
        """Begin to keep a run; return at once.

        Args:
            id: Id of the message that asked for it.
            find: Returns the run; called before this returns.
            tell: Receives `saving` at once and while the run is played and written, `saved` or `refused` in the end.

        Raises:
            UserError: Another run is being kept, or `find` raises it.
        """
        if not self._busy.acquire(blocking=False):
            raise UserError("the run is being saved already\n  = help: wait until it is written")
        try:
            run, folder = find(), self._save.place()
            watch = SaveWatch(id, str(folder), tell, self._closed)
        except BaseException:
            self._busy.release()
            raise
        threading.Thread(target=self._keep, args=(id, run, folder, watch, tell), name="saver", daemon=True).start()

    def close(self) -> None:
        """Wait for the end of the run that is kept; the interpreter cannot end well while JAX plays it."""
        with self._busy:
            pass

    def _keep(self, id: str | int | None, run: Run, folder: Path, watch: Watch, tell: Tell) -> None:
        try:
            self._save.keep(run, folder, watch)
            tell({"is": "saved", "id": id, "path": str(folder)})
        except UserError as error:
            tell({"is": "refused", "id": id, "why": str(error)})
        except Exception as error:  # a fault of ours must not leave the page waiting
            tell({"is": "refused", "id": id, "why": own_fault(error)})
        finally:
            self._busy.release()
