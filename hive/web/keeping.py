"""A game of the page played once more for a file: without a display of progress, which no one would see."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from dsl import UserError
from hive.contract import Run, Unwatched
from hive.view.kept import write_page
from hive.web.messages import Tell, own_fault

Save = Callable[[Run], str]
"""Plays a run, keeps it, and returns where."""


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


class Saver:
    """Keeps runs, one at a time, on a thread of its own."""

    def __init__(self, save: Save) -> None:
        """Keep the way to keep one."""
        self._save = save
        self._busy = threading.Lock()

    def begin(self, id: str | int | None, find: Callable[[], Run], tell: Tell) -> None:
        """Begin to keep a run; return at once.

        Args:
            id: Id of the message that asked for it.
            find: Returns the run; called before this returns.
            tell: Receives `saved` or `refused` in the end.

        Raises:
            UserError: Another run is being kept, or `find` raises it.
        """
        if not self._busy.acquire(blocking=False):
            raise UserError("the run is being saved already\n  = help: wait until it is written")
        try:
            run = find()
        except BaseException:
            self._busy.release()
            raise
        threading.Thread(target=self._keep, args=(id, run, tell), name="saver", daemon=True).start()

    def _keep(self, id: str | int | None, run: Run, tell: Tell) -> None:
        try:
            tell({"is": "saved", "id": id, "path": self._save(run)})
        except UserError as error:
            tell({"is": "refused", "id": id, "why": str(error)})
        except Exception as error:  # a fault of ours must not leave the page waiting
            tell({"is": "refused", "id": id, "why": own_fault(error)})
        finally:
            self._busy.release()
