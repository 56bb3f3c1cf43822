"""Notes that programs compile, and how long that took the last time.

JAX reports when it compiles, so no command has to say it: each display of progress (`hive.cli.progress`) listens.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from hive.kit.keep.compiling import Compilation

SHORT = 1.0  # seconds; a compilation that takes no longer is not worth a line
_BEGINS = "/jax/core/compile/jaxpr_to_mlir_module_duration"  # reported before a program is compiled
_ENDS = "/jax/core/compile/backend_compile_duration"  # reported after it was compiled or read from the cache


class CompileNotes:
    """Listens to compilations in the stages of one display."""

    def __init__(self, note: Callable[[str], None], short: float = SHORT) -> None:
        """Begin without a stage.

        Args:
            note: Called from another thread with what to show when a compilation takes long, and with an empty text
                when it has ended.
            short: Seconds after which a compilation is long.
        """
        self._note, self._short = note, short
        self._stage, self._shown, self._end = "", False, 0.0
        self._wait: Compilation | None = None
        self._began = 0.0
        self._timer: threading.Timer | None = None
        _LISTENING.append(self)

    def stage(self, name: str) -> None:
        """Begin a stage; its name is what the time is remembered by."""
        self._finish()
        self._stage = name
        _listen()

    def close(self) -> None:
        """End the last stage and listen no longer."""
        self._finish()
        _LISTENING.remove(self)

    def begins(self) -> None:
        """Take notice that a program is compiled from now on."""
        if self._wait is None:
            self._wait, self._began = Compilation(self._stage), time.monotonic()
        if not self._shown:
            self._stop()
            self._timer = threading.Timer(self._short, self._show, [self._wait.words])
            self._timer.daemon = True
            self._timer.start()

    def ends(self) -> None:
        """Take notice that a program was compiled."""
        self._stop()
        if self._shown:
            self._note("")
            self._end = time.monotonic()

    def _show(self, words: str) -> None:
        self._shown = True
        self._note(f"compiling ({words})" if words else "compiling")

    def _stop(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _finish(self) -> None:
        """Remember how long the stage compiled, if that was long."""
        self._stop()
        if self._wait and self._end:
            self._wait.done(self._end - self._began)
        self._wait, self._shown, self._end = None, False, 0.0


_LISTENING: list[CompileNotes] = []
_heard_of: list[Any] = []  # the module whose reports are heard; at most one


def _listen() -> None:
    """Hear JAX's reports, once it is loaded; a command that runs without it does not load it for this."""
    if "jax" in sys.modules and not _heard_of:
        import jax

        jax.monitoring.register_event_duration_secs_listener(_hear)
        _heard_of.append(jax)


def _hear(event: str, duration_secs: float, **_: Any) -> None:
    if event in (_BEGINS, _ENDS):
        for notes in tuple(_LISTENING):
            (notes.begins if event == _BEGINS else notes.ends)()
