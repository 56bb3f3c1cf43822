"""What a program costs on a GPU: its thunks, times how often each runs, times what each takes. Loads no JAX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Protocol

from hive.experiments.bench.gpu.instructions import Instructions
from hive.experiments.bench.gpu.thunks import BRANCH, GRAPH, GROUPS, LOOP, Thunk, each

RADIX = 22_000  # elements from which on a GPU sorts by radix
_PASSES = 4  # of a radix sort over 32 bits


@dataclass(frozen=True)
class GpuCosts:
    """Constants of the model in microseconds, for an H200 that a host drives.

    `kernel` to `bandwidth` are estimates made before any GPU had run the engine. An H100 agreed later where it could
    be compared: one turn of a loop whose length depends on data, with one kernel, took 17.8 us (modelled 18.2), and
    one turn of a counted loop 6.6 us (modelled 2.6 a kernel). `sort` and `sort_element` were measured on that H100:
    64,000 numbers of 32 bits took 76 us more than a small kernel, 1,000,000 took 105.

    The call from Python is left out: 64 us with the wait for the result, which calls in a row do not add.
    """

    kernel: float = 2.6  # launch by the host, or the least time on the device with the gap after it
    copy: float = 2.8  # small copy on the device
    graph: float = 7.0  # launch of a graph
    node: float = 1.9  # kernel or copy of a graph, least time with the edge before it
    wait: float = 13.0  # the host reads a decision of the device, which is idle until the next launch arrives
    graph_turn: float = 5.0  # decision that a graph takes itself
    covered: float = 1.0  # of a kernel's time in memory, what its least time includes
    bandwidth: float = 4.0e6  # bytes a microsecond
    sort: float = 74.0  # radix sort in a library: its fixed part
    sort_element: float = 3.1e-5

    def text(self) -> str:
        """All constants in one line."""
        return ", ".join(f"{field.name} {getattr(self, field.name):,.10g}" for field in fields(self))


GPU_COSTS = GpuCosts()


class MeasuredTurns(Protocol):
    """How often loops turn and branches are taken, measured elsewhere."""

    def turns(self, number: int) -> float:
        """Mean turns of a loop, each time that it runs."""

    def share(self, number: int, branch: int) -> float:
        """Share of the times at which a branch is taken, 0 to 1."""


@dataclass
class Tally:
    """What a program does, and the microseconds that it takes.

    Attributes:
        kernels: Kernels and calls of libraries.
        copies: Copies and fillings of memory.
        graphs: Launches of graphs.
        turns: Turns of loops whose length depends on data.
        trips: Times at which the device waits for a decision of the host.
        moved: Bytes.
        launch: Microseconds of launches and of the least times of kernels.
        wait: Microseconds of round trips, and of decisions within graphs.
        work: Microseconds of memory traffic and sorting beyond the least times.
    """

    kernels: float = 0.0
    copies: float = 0.0
    graphs: float = 0.0
    turns: float = 0.0
    trips: float = 0.0
    moved: float = 0.0
    launch: float = 0.0
    wait: float = 0.0
    work: float = 0.0

    @property
    def total(self) -> float:
        """Microseconds of all."""
        return self.launch + self.wait + self.work


class UncountedError(Exception):
    """A loop or branch of the compiled program could not be matched with one of the source."""


def tally(
    thunks: Sequence[Thunk],
    instructions: Instructions,
    numbers: dict[str, int],
    measured: MeasuredTurns,
    costs: GpuCosts = GPU_COSTS,
) -> Tally:
    """Count what a program does.

    The compiler that has no device sorts 22,000 elements and more by many small kernels; a GPU calls its library's
    radix sort instead. The kernels of such a sort count as one call and cost what that sort was measured to take.

    Args:
        thunks: The program.
        instructions: Its instructions.
        numbers: Loops and branches by the name of their instruction.
        measured: How often they turn and are taken.
        costs: Constants.

    Raises:
        UncountedError: A loop's turns or the share of a branch are not known.
    """
    walk = _Walk(instructions, numbers, measured, costs)
    walk.run(thunks, 1.0, within=False)
    return walk.sum


class _Walk:
    def __init__(
        self, instructions: Instructions, numbers: dict[str, int], measured: MeasuredTurns, costs: GpuCosts
    ) -> None:
        self.instructions, self.numbers, self.measured, self.costs = instructions, numbers, measured, costs
        self.sum = Tally()

    def run(self, thunks: Sequence[Thunk], times: float, within: bool) -> None:
        """Add thunks that run so many times, within a graph or launched by the host."""
        for elements, group in groupby(thunks, self._sorts):
            if elements:
                for name in {thunk.name for thunk in group}:
                    self._sort(name, elements, times, within)
                continue
            for thunk in group:
                self._one(thunk, times, within)

    def _sorts(self, thunk: Thunk) -> int:
        """Elements of a radix sort, 0 for all other thunks."""
        if thunk.kind in (LOOP, BRANCH, *GROUPS) or thunk.name not in self.instructions:
            return 0
        elements = self.instructions.sorted_elements(thunk.name)
        return elements if elements >= RADIX else 0

    def _sort(self, name: str, elements: int, times: float, within: bool) -> None:
        self.sum.kernels += times
        self.sum.launch += times * (self.costs.node if within else self.costs.kernel)
        self.sum.moved += times * _PASSES * self.instructions.traffic(name)
        self.sum.work += times * (self.costs.sort + self.costs.sort_element * elements)

    def _one(self, thunk: Thunk, times: float, within: bool) -> None:
        if thunk.kind == LOOP:
            self._loop(thunk, times, within)
        elif thunk.kind == BRANCH:
            self._decide(times, within)
            for branch, inner in self._branches(thunk).items():
                self.run(inner, times * self.measured.share(self._number(thunk), branch), within)
        elif thunk.kind in GROUPS:
            if thunk.kind == GRAPH and not within:
                self.sum.graphs += times
                self.sum.launch += times * self.costs.graph
            self.run(thunk.body, times, within or thunk.kind == GRAPH)
        else:
            self._work(thunk, times, within)

    def _loop(self, thunk: Thunk, times: float, within: bool) -> None:
        known = self.instructions[thunk.name].turns if thunk.name in self.instructions else None
        turns = self.measured.turns(self._number(thunk)) if known is None else known
        if known is None:
            self.sum.turns += times * turns
        if known is None or within:
            self.run(thunk.condition, times * (turns + 1), within)
            self._decide(times * (turns + 1), within)
        self.run(thunk.body, times * turns, within)

    def _decide(self, times: float, within: bool) -> None:
        if within:
            self.sum.wait += times * self.costs.graph_turn
        else:
            self.sum.trips += times
            self.sum.wait += times * self.costs.wait

    def _work(self, thunk: Thunk, times: float, within: bool) -> None:
        moves = thunk.kind == "kCopy" or thunk.kind.startswith("kMem")
        if moves:
            self.sum.copies += times
        else:
            self.sum.kernels += times
        alone = self.costs.copy if moves else self.costs.kernel
        self.sum.launch += times * (self.costs.node if within else alone)
        traffic = self.instructions.traffic(thunk.name) if thunk.name in self.instructions else 0
        self.sum.moved += times * traffic
        self.sum.work += times * max(0.0, traffic / self.costs.bandwidth - self.costs.covered)

    def _number(self, thunk: Thunk) -> int:
        if thunk.name not in self.numbers:
            raise UncountedError(f"the compiled program has a {thunk.kind} `{thunk.name}` that was not counted")
        return self.numbers[thunk.name]

    def _branches(self, thunk: Thunk) -> dict[int, list[Thunk]]:
        """Thunks by the number that JAX gives a branch, which their operations keep in their names.

        The labels of the dump do not say it: the compiler turns a condition round, and calls a branch by its place.
        """
        numbered = re.compile(re.escape(self.instructions[thunk.name].origin) + r"/branch_(\d+)_fun")
        found: dict[int, list[Thunk]] = {}
        unnamed: list[list[Thunk]] = []
        for inner in filter(None, thunk.branches.values()):
            origins = (self.instructions[one.name].origin for one in each(inner) if one.name in self.instructions)
            hit = next((hit for origin in origins if (hit := numbered.search(origin))), None)
            if hit:
                found[int(hit[1])] = inner
            else:
                unnamed.append(inner)
        left = set(range(len(thunk.branches))) - set(found)
        if len(unnamed) > 1 or (unnamed and len(left) != 1):
            raise UncountedError(f"branches of `{thunk.name}` cannot be told apart")
        return found | {left.pop(): inner for inner in unnamed}
