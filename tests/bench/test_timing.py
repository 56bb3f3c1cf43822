"""How calls are timed, and how growth is fitted."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle

import jax.numpy as jnp
import pytest

from hive.experiments.bench.growth import fit
from hive.experiments.bench.timing import build, measure, peak


@pytest.mark.parametrize("exponent", [0.5, 1.02, 2.0])
def test_the_fit_recovers_a_known_slope(exponent: float) -> None:
    sizes = [200, 1_000, 4_000, 16_000, 64_000, 100_000]
    growth = fit(sizes, [3e-4 * size**exponent for size in sizes])
    assert growth is not None and (growth.low, growth.high) == (1_000, 64_000)
    assert growth.exponent == pytest.approx(exponent) and growth.at(4_000) == pytest.approx(3e-4 * 4_000**exponent)


def test_the_fit_looks_at_the_contracts_sizes_alone() -> None:
    """From 1,000 to 64,000 units; small worlds cost what starting a program costs."""
    growth = fit([200, 1_000, 64_000, 100_000], [50.0, 1.0, 64.0, 1.0])
    assert growth is not None and growth.exponent == pytest.approx(1.0)


@pytest.mark.parametrize("sizes", [[], [200, 1_000], [1_000, 1_000], [100_000, 128_000]])
def test_there_is_no_slope_through_fewer_than_two_sizes(sizes: list[int]) -> None:
    assert fit(sizes, [1.0] * len(sizes)) is None


def test_calls_take_turns_and_the_first_of_each_is_thrown_away() -> None:
    called = []
    timings = measure(lambda: called.append("a"), lambda: called.append("b"), budget=0.0)
    assert called == ["a", "b"] * 4 and [timing.runs for timing in timings] == [3, 3]
    timings = measure(lambda: called.append("c"), lambda: called.append("d"), runs=2)
    assert called[8:] == ["c", "d"] * 3 and all(timing.runs == 2 and timing.spent >= 0 for timing in timings)


def test_a_timing_is_the_wall_time_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def wait(*seconds: float) -> Callable[[], None]:
        left = cycle(seconds)
        return lambda: now.__setitem__(0, now[0] + next(left))

    monkeypatch.setattr("hive.experiments.bench.timing.time.perf_counter", lambda: now[0])
    slow, fast = measure(wait(4.0, 1.0, 2.0, 6.0), wait(0.25), budget=1.5)
    assert (slow.median, slow.least, slow.runs) == (2.0, 1.0, 3), "the first run is thrown away"
    assert (fast.median, fast.least, fast.runs) == (0.25, 0.25, 3)


def test_a_program_gives_what_the_function_gives_and_what_it_took() -> None:
    program = build(lambda x: jnp.sort(x) + 1, jnp.array([2, 1]))
    assert program.call(jnp.array([4, 3])).tolist() == [4, 5]
    assert set(program.figures) == {"trace_s", "lower_s", "compile_s", "temporary_mb"}
    assert program.trace > 0 and program.compile > 0


def test_the_peak_is_what_the_process_held() -> None:
    before = peak()["peak_mb"]
    block = bytearray(64 * 2**20)
    block[::4096] = b"x" * len(block[::4096])
    after = peak()["peak_mb"]
    assert before is not None and after is not None and before > 10 and after >= before
