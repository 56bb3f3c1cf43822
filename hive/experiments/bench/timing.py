"""Time and memory of one call: compilation and warm-up are separate, and every result is waited for."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import jax
import jax.monitoring

MEGABYTE = 2**20
COMPILED = "/jax/core/compile/backend_compile_duration"  # JAX's event for one compiled program
_LEAST, _MOST = 3, 40  # runs


@contextmanager
def events() -> Iterator[list[str]]:
    """Yield the names of JAX's timed events, as they happen in this block; each `COMPILED` is a program."""
    found: list[str] = []

    def note(event: str, duration_secs: float, **more: str | int) -> None:
        found.append(event)

    jax.monitoring.register_event_duration_secs_listener(note)
    try:
        yield found
    finally:
        jax.monitoring.unregister_event_duration_listener(note)


@dataclass(frozen=True)
class Timing:
    """Seconds of one call, over several."""

    median: float  # on the clock
    least: float
    runs: int
    spent: float  # mean seconds of the processor

    def of_one(self, count: int) -> Timing:
        """Return the time of one of `count` equal parts."""
        return Timing(self.median / count, self.least / count, self.runs, self.spent / count)


@dataclass(frozen=True)
class CompiledProgram:
    """A compiled function and the seconds that it took to make."""

    call: Callable[..., Any]
    trace: float
    lower: float
    compile: float
    temporary: float | None  # megabytes that the program needs in addition to arguments and results; None if unknown

    @property
    def figures(self) -> dict[str, float | None]:
        """Figures for a row of results."""
        return {
            "trace_s": round(self.trace, 3),
            "lower_s": round(self.lower, 3),
            "compile_s": round(self.compile, 3),
            "temporary_mb": None if self.temporary is None else round(self.temporary, 1),
        }


def build(function: Callable[..., Any], *args: Any) -> CompiledProgram:
    """Trace, lower and compile a function for these arguments, each timed separately."""
    began = time.perf_counter()
    traced = jax.jit(function).trace(*args)
    was_traced = time.perf_counter()
    lowered = traced.lower()
    was_lowered = time.perf_counter()
    compiled = lowered.compile()
    done = time.perf_counter()
    memory = compiled.memory_analysis()
    return CompiledProgram(
        call=compiled,
        trace=was_traced - began,
        lower=was_lowered - was_traced,
        compile=done - was_lowered,
        temporary=None if memory is None else memory.temp_size_in_bytes / MEGABYTE,
    )


def measure(*calls: Callable[[], Any], budget: float = 1.5, runs: int | None = None) -> list[Timing]:
    """Time calls, one run of each in turn, so that a slower machine affects all of them alike.

    Args:
        *calls: Functions without arguments; results are waited for. The first run of each is discarded.
        budget: Approximate seconds for all calls; at least three and at most forty runs are made.
        runs: As many runs instead.

    Returns:
        A timing for each call.
    """
    once = sum(clock(call)[0] for call in calls)  # warms up, and includes costs of the first run only
    if runs is None:
        once = once if once > budget else sum(clock(call)[0] for call in calls)
        runs = int(min(max(budget / max(once, 1e-9), _LEAST), _MOST))
    seen = [[clock(call) for call in calls] for _ in range(runs)]
    found = []
    for column in zip(*seen, strict=True):
        walls, spent = zip(*column, strict=True)
        found.append(Timing(statistics.median(walls), min(walls), runs, statistics.fmean(spent)))
    return found


def clock(call: Callable[[], Any]) -> tuple[float, float]:
    """Return the seconds of one run on the clock and of the processor, including the wait for its results."""
    began, busy = time.perf_counter(), time.process_time()
    jax.block_until_ready(call())
    return time.perf_counter() - began, time.process_time() - busy


def peak() -> dict[str, float | None]:
    """Return the peak memory in megabytes: of the process, and of the device if that has its own memory."""
    try:
        import resource
    except ImportError:  # Windows
        return {"peak_mb": None, "device_peak_mb": None}
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    stats = jax.local_devices()[0].memory_stats() or {}
    held = stats.get("peak_bytes_in_use")
    return {
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MEGABYTE, 1),
        "device_peak_mb": None if held is None else round(held / MEGABYTE, 1),
    }


def milliseconds(timing: Timing, name: str = "") -> dict[str, float | int]:
    """Median and least of a timing as figures of a row; `name` goes before each, as in `tick_ms`."""
    return {
        f"{name}_ms": round(timing.median * 1e3, 4),
        f"{name}_least_ms": round(timing.least * 1e3, 4),
        f"{name}_runs": timing.runs,
    }
