"""How long programs took to compile: kept next to the compiled programs, so that later runs can say how long they wait.

The file lies in the folder of JAX's cache. Without a cache nothing is kept, since every run then compiles everything.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path

from dsl import UserError
from hive.kit.keep.runfolder import whole_file

FILE = "compile-seconds.json"
_MOST = 500  # programs that are remembered; the oldest are dropped


class Compilation:
    """One wait for programs, from its creation until `done`.

    Attributes:
        what: What is compiled, such as `battle/1: 3 games of 200 units`; later runs find the time by this text.
        kept: Whether compiled programs are kept, so that later runs start sooner.
        last: Seconds that it took the last time; None: it is the first time, or nothing is kept.
    """

    def __init__(self, what: str) -> None:
        """Begin to measure."""
        self.what = what
        self._path = _file()
        self.kept = self._path is not None
        self.last = _read(self._path).get(what) if self._path else None
        self._began: float | None = time.monotonic()

    @property
    def words(self) -> str:
        """How long it may take, as in `took 14 s last time` or `first time only`; empty if nothing is kept."""
        if not self.kept:
            return ""
        return "first time only" if self.last is None else f"took {max(self.last, 1):.0f} s last time"

    def done(self, seconds: float | None = None) -> None:
        """Note that the programs are compiled; later calls do nothing. An estimate that cannot be kept is left out.

        Args:
            seconds: How long that took; None: since this object was made.
        """
        if self._began is None or self._path is None:
            return
        seconds, self._began = time.monotonic() - self._began if seconds is None else seconds, None
        known = _read(self._path)
        known.pop(self.what, None)
        known[self.what] = round(seconds, 1)
        with suppress(UserError), whole_file(self._path) as part:
            part.write_text(json.dumps(dict([*known.items()][-_MOST:]), indent=0) + "\n", encoding="utf-8")


def _file() -> Path | None:
    import jax

    folder: str | None = jax.config.jax_compilation_cache_dir  # type: ignore[attr-defined]  # made when JAX is loaded
    return Path(folder) / FILE if folder and Path(folder).is_dir() else None


def _read(path: Path) -> dict[str, float]:
    """Return the seconds by what was compiled; a file that is missing or damaged holds none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: float(value) for name, value in found.items() if type(value) in (int, float) and 0 <= value < 1e6}
