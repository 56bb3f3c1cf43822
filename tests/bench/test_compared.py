"""Other programs in one table: whose time is compared with which of ours, and where no ratio is given."""

from __future__ import annotations

from typing import Any

import pytest

from hive.experiments.bench import circling
from hive.experiments.bench.compared import ALL_PAIRS, PeerTime, cells, compared, duration, factor, table


def of_circles(peer: str, units: int, step_ms: float | None, **more: Any) -> dict[str, Any]:
    return {"row": "circles", "peer": peer, "units": units, "step_ms": step_ms, "jax_md": "0.2", "on": "cpu", **more}


LINES: list[dict[str, Any]] = [
    {"row": "sweep", "units": 2_000, "layout": "contact", "sweep_ms": 4.0, "limit_ms": 2.0},
    {"row": "sweep", "units": 1_000, "layout": "contact", "sweep_ms": 4.0, "limit_ms": None, "note": "no C compiler"},
    {"row": "dense", "units": 1_000, "layout": "scattered", "tick_ms": 2.0, "dense_ms": 10.0},
    {"row": "peers", "peer": "magent2", "note": "not installed: magent2"},
    *(
        {"row": "peers", "peer": "Other", "version": "1.2", "work": "a battle", "unit": "step", "units": units}
        | {"ours": ours, "theirs": 50.0, "not_comparable": "its agents do not move"}
        for units, ours in ((10, 200.0), (20, 25.0))
    ),
    of_circles(circling.OURS, 4_000, 3.0),
    of_circles(circling.PAIRS, 4_000, 30.0),
    of_circles(circling.NEW_LISTS, 4_000, 15.0),
    of_circles(circling.BOX, 4_000, 60.0),
    of_circles(circling.FLAME, 10_648, None, published_ms=0.3),
    of_circles(circling.OURS, 64_000, 40.0),
    of_circles(circling.NEW_LISTS, 64_000, 100.0),
    of_circles(circling.FLAME, 64_000, None, published_ms=0.4, on="NVIDIA H100"),
    {"row": "circles", "note": "256,000 agents are played on a GPU only"},
    {"row": "tick", "units": 4_000, "tick_ms": 4.0},
    {"row": "dense", "case": {}, "error": "exit code 1"},
]


def test_each_program_is_compared_with_our_time_of_the_same_work() -> None:
    found = {(times[0].program, times[0].work): [time.ratio for time in times] for times in compared(LINES)}
    assert found == {
        ("Other (1.2)", "step, a battle"): [pytest.approx(4.0), pytest.approx(0.5)],
        ("JAX-MD (0.2)", "step of circles on a square, new lists"): [pytest.approx(5.0), pytest.approx(2.5)],
        ("JAX-MD (0.2)", "step of circles in a cube, new lists"): [None],
        ("FLAME GPU 2, published", "step of circles in a cube"): [None],
        ("plain C", "sensing sweep, armies in contact"): [pytest.approx(0.5)],
        (ALL_PAIRS, "step of circles on a square"): [pytest.approx(10.0)],
        (ALL_PAIRS, "tick of a battle, scattered units"): [pytest.approx(5.0)],
    }


def test_workloads_of_one_program_follow_each_other_and_ours_come_last() -> None:
    programs = [times[0].program for times in compared(LINES)]
    assert programs == sorted(programs, key=programs.index) and programs[-2:] == [ALL_PAIRS] * 2


def test_what_another_device_was_published_to_take_has_a_time_and_no_ratio() -> None:
    (flame,) = next(times for times in compared(LINES) if times[0].program.startswith("FLAME"))
    assert (flame.units, flame.theirs, flame.ours, flame.ratio) == (64_000, 0.4e-3, 40e-3, None)
    assert "NVIDIA H100" in flame.differs
    assert cells([flame])[2:] == ["64,000", "400 µs", "40 ms", "-"]


def test_the_sizes_of_a_workload_are_one_row_of_the_table() -> None:
    assert cells([PeerTime("a", "b", units, units / 1e6, 1e-3, "") for units in (500, 2_000)]) == [
        *("a", "b", "500 / 2,000", "500 µs / 2 ms", "1 ms / 1 ms", "0.50x / 2.0x"),
    ]
    assert len(table(LINES).splitlines()) == 1 + 7 and table([]) == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (2e-9, "2 ns"),
        (5.55e-7, "555 ns"),
        (9.9996e-7, "1 µs"),
        (0.0437, "43.7 ms"),
        (12.3, "12.3 s"),
        (2e-10, "0.2 ns"),
    ],
)
def test_a_time_has_three_digits_and_the_unit_that_keeps_it_short(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_ratio_has_the_digits_that_matter() -> None:
    assert [factor(ratio) for ratio in (0.4, 3.74, 20.02, 1489.2)] == ["0.40x", "3.7x", "20x", "1,489x"]
