"""Progress on standard error: a bar on a terminal (without colours if `NO_COLOR` is set), elsewhere a few lines."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from types import FrameType
from typing import TYPE_CHECKING, TextIO, cast

from hive.cli.compile_notes import CompileNotes
from hive.cli.printing import tell
from hive.kit.reporting import Watch
from hive.kit.terminal import EscapedStream, escape, raw_stream

if TYPE_CHECKING:
    from rich.progress import Progress

_PAUSE = 5.0  # seconds between two lines where there is no terminal


@contextmanager
def watching(quiet: bool = False) -> Iterator[Watch]:
    """Yield a display of progress: a bar where standard error is a terminal, else lines.

    When `quiet`, standard output is for programs, and lines for people go to standard error. While programs compile,
    the display says so, with an estimate from earlier runs (`hive.cli.compile_notes`).

    An interrupt that is lost in a callback of JAX, where Python ignores exceptions, is raised again at the next call of
    the display.
    """
    with _interrupts() as interrupts:
        if sys.stderr.isatty():
            with _bar() as bar:
                shown: _Bar | _Lines = _Bar(interrupts, bar, sys.stderr if quiet else sys.stdout)
                with closing(shown.notes):
                    yield shown
        else:
            shown = _Lines(interrupts, sys.stderr if quiet else sys.stdout)
            with closing(shown.notes):
                yield shown


def duration(seconds: float) -> str:
    """Return an estimate in words."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Return a list that holds the interrupts so far."""
    seen: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield seen
        return

    def note(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, note)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _bar() -> Iterator[Progress]:
    from rich.console import Console
    from rich.file_proxy import FileProxy
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[unit]} {task.completed:,.0f} of {task.total:,.0f}", markup=False),
        TextColumn("{task.fields[note]}", markup=False),
        TimeElapsedColumn(),
    )
    before = sys.stderr
    console = Console(file=raw_stream(before))
    with Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        # Lines appear above the bar; Rich would put its own stream here, past the one that escapes.
        sys.stderr = cast(TextIO, EscapedStream(cast(TextIO, FileProxy(console, before))))
        try:
            yield bar
        finally:
            sys.stderr.flush()
            sys.stderr = before


def _check(interrupts: list[int]) -> None:
    if interrupts:
        raise KeyboardInterrupt


class _Lines:
    """Progress for a log."""

    def __init__(self, interrupts: list[int], results: TextIO) -> None:
        self._interrupts = interrupts
        self._results = results
        self._began = time.monotonic()
        self._told = self._began
        self._name, self._total, self._unit = "", 0, ""
        self.notes = CompileNotes(lambda words: tell(f"  {words} ...") if words else None)

    def stage(self, name: str, total: int, unit: str) -> None:
        _check(self._interrupts)
        self._name, self._total, self._unit = name, total, unit
        self._told = time.monotonic()
        tell(f"{name} ...")
        self.notes.stage(name)

    def update(self, done: int, note: str = "") -> None:
        _check(self._interrupts)
        now = time.monotonic()
        if now - self._told >= _PAUSE:
            self._told = now
            some = f"{self._unit} {done:,} of {self._total:,}"
            tell(f"  {', '.join(part for part in (some, note, f'{now - self._began:.0f} s') if part)}")

    def say(self, line: str) -> None:
        print(line, file=self._results, flush=True)


class _Bar:
    """Progress for a terminal."""

    def __init__(self, interrupts: list[int], bar: Progress, results: TextIO) -> None:
        self._interrupts = interrupts
        self._results = results
        self._bar = bar
        self._task = bar.add_task("", total=1, unit="", note="", visible=False)
        self.notes = CompileNotes(lambda words: self._bar.update(self._task, note=escape(words)))

    def stage(self, name: str, total: int, unit: str) -> None:
        _check(self._interrupts)
        self._bar.reset(self._task, total=total, description=escape(name), unit=unit, note="", visible=True)
        self.notes.stage(name)

    def update(self, done: int, note: str = "") -> None:
        _check(self._interrupts)
        self._bar.update(self._task, completed=done, note=escape(note))

    def say(self, line: str) -> None:
        self._bar.stop()  # otherwise the line and the bar, on two streams of one terminal, would mix
        print(line, file=self._results, flush=True)
        self._bar.start()
