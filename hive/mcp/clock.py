"""The time of one call: how much is left of it, whether the client still waits, and what it is sent meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from typing import Any

from anyio import from_thread

from dsl import UserError
from dsl.wording import plural

Report = Callable[[float, float | None, str | None], Coroutine[Any, Any, None]]
"""Sends a client how much is done, of how much, and a note."""

_PAUSE = 1.0  # seconds between two reports


class OutOfTimeError(UserError):
    """A call has used up its time."""


class CallClock:
    """Watches one call from the worker thread that does its work; a `hive.kit.reporting.Watch`."""

    def __init__(self, seconds: float, report: Report) -> None:
        """Start the call's time.

        Args:
            seconds: Time for the call.
            report: Tells the client how much is done.
        """
        self._seconds, self._report = seconds, report
        self._reported = time.monotonic()
        self._end = self._reported + seconds
        self._paused: float | None = None
        self._name, self._total = "", 0

    def begin(self, name: str, total: int) -> None:
        """Name the work that follows; a call that the client has cancelled ends here."""
        self._name, self._total = name, total
        from_thread.check_cancelled()

    def stage(self, name: str, total: int, unit: str) -> None:
        """Begin a stage of work. Its time counts from its first report on: before that, its program is compiled."""
        self.begin(name, total)
        if self._paused is None:
            self._paused = time.monotonic()

    def update(self, done: int, note: str = "") -> None:
        """Report what is done, at most once a second.

        Raises:
            OutOfTimeError: The call's time is over. If the client has gone, the call ends as cancelled instead.
        """
        from_thread.check_cancelled()
        now = time.monotonic()
        if self._paused is not None:
            self._end += now - self._paused
            self._paused = None
        if now > self._end:
            some = plural(round(self._seconds), "second")
            raise OutOfTimeError(
                f"this takes longer than the {some} that the server allows for one call\n"
                "  = help: ask for fewer seeds, units or ticks, or start the server with a larger --max-seconds"
            )
        if now - self._reported >= _PAUSE:
            self._reported = now
            from_thread.run(self._report, done, self._total, ", ".join(filter(None, (self._name, note))))

    def say(self, line: str) -> None:
        """Ignore a line for a terminal: results are returned."""
