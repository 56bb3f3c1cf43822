"""The model of a GPU on small programs, made by hand."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from hive.experiments.bench.gpu.instructions import Instructions
from hive.experiments.bench.gpu.model import GpuCosts, Tally, UncountedError, tally
from hive.experiments.bench.gpu.thunks import Thunk
from tests.bench.test_thunks import HLO

COSTS = GpuCosts(kernel=1, copy=2, graph=10, node=0.5, wait=100, graph_turn=7, covered=0, bandwidth=1e3, sort=40)
KERNEL, COPY = Thunk("kCustomKernel"), Thunk("kCopy")


@dataclass
class Fixed:
    turning: dict[int, float] = field(default_factory=dict)
    shares: dict[tuple[int, int], float] = field(default_factory=dict)

    def turns(self, number: int) -> float:
        return self.turning[number]

    def share(self, number: int, branch: int) -> float:
        return self.shares[number, branch]


def count(*thunks: Thunk, measured: Fixed | None = None) -> Tally:
    numbers = {"while.9": 0, "cond.3": 1}
    return tally(list(thunks), Instructions(HLO), numbers, measured or Fixed(), COSTS)


def test_a_graph_is_launched_once_and_its_kernels_cost_less() -> None:
    done = count(Thunk("kCommandBuffer", body=[KERNEL, KERNEL, COPY]), KERNEL, COPY, Thunk("kGemm"))
    assert (done.kernels, done.copies, done.graphs) == (4, 2, 1)
    assert done.total == done.launch == 10 + 3 * 0.5 + 2 * 1 + 2


def test_the_host_is_asked_before_each_turn_of_a_loop_and_once_more() -> None:
    loop = Thunk("kWhile", "while.9", body=[KERNEL, KERNEL], condition=[KERNEL])
    done = count(loop, measured=Fixed({0: 3}))
    assert (done.turns, done.trips, done.kernels, done.wait) == (3, 4, 4 + 2 * 3, 400)


def test_a_loop_that_the_compiler_can_count_asks_nothing() -> None:
    done = count(Thunk("kWhile", "while.4", body=[KERNEL], condition=[KERNEL]))
    assert (done.turns, done.trips, done.kernels, done.wait) == (0, 0, 6, 0)


def test_a_loop_within_a_graph_decides_on_the_device() -> None:
    loop = Thunk("kWhile", "while.9", body=[KERNEL], condition=[KERNEL])
    done = count(Thunk("kCommandBuffer", body=[loop]), measured=Fixed({0: 2}))
    assert (done.turns, done.trips, done.wait, done.launch) == (2, 0, 3 * 7, 10 + 5 * 0.5)


def test_branches_count_as_often_as_they_are_taken() -> None:
    """The dump calls this branch false; what it holds comes from branch 1, where the condition holds."""
    light = Thunk("kCustomKernel", "one.1")
    branch = Thunk("kConditional", "cond.3", branches={"false_branch": [light], "true_branch": [COPY, COPY]})
    loop = Thunk("kWhile", "while.9", body=[branch])
    done = count(loop, measured=Fixed({0: 4}, {(1, 0): 0.25, (1, 1): 0.75}))
    assert (done.kernels, done.copies, done.trips) == (3, 2, 4 + 5)


def test_branches_that_cannot_be_told_apart_are_not_guessed() -> None:
    with pytest.raises(UncountedError, match=r"`cond\.3` cannot be told apart"):
        count(Thunk("kConditional", "cond.3", branches={"false_branch": [KERNEL], "true_branch": [COPY]}))


def test_bytes_beyond_a_kernels_least_time_take_time() -> None:
    done = count(Thunk("kCustomKernel", "add.1"))
    assert (done.moved, done.work) == (12_000, 12)


def test_a_large_sort_is_one_call_however_many_kernels_stand_for_it() -> None:
    done = count(*[Thunk("kCustomKernel", "sort.1")] * 15)
    assert done.kernels == 1 and done.work == pytest.approx(40 + COSTS.sort_element * 64_000)


def test_a_loop_without_a_count_is_not_passed_over() -> None:
    with pytest.raises(UncountedError, match=r"kWhile `while\.1` that was not counted"):
        count(Thunk("kWhile", "while.1", body=[KERNEL]))
