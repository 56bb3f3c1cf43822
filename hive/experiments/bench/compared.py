"""What the rows that measure other programs found, as one table: whose time is how many times ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dsl.wording import columns
from hive.experiments.bench.circling import BOX, FLAME, KEPT_LISTS, NEW_LISTS, OURS, PAIRS
from hive.experiments.bench.peers.jaxmd import KEPT

COMPARED = ("peers", "circles", "sweep", "dense")
"""The rows that measure other programs, in the order of the table."""

ALL_PAIRS = "HIVE, comparing all pairs"

HEAD = ("program", "time of", "units", "theirs", "ours", "times as fast")

_SAME = "the same engine without its search for neighbours"
_CUBE = "in a cube, ours on a square"
_LISTS = {
    NEW_LISTS: "it lists pairs anew in each step, in buffers whose size is set beforehand; ours lists none",
    KEPT_LISTS: f"as with new lists, but a list is kept until an agent has moved by {KEPT / 2:g} m",
    BOX: _CUBE,
}
_LAYOUTS = {"scattered": "scattered units", "contact": "armies in contact"}
_SPACES = {"2D": "on a square", "3D": "in a cube"}
_UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}

Line = Mapping[str, Any]


@dataclass(frozen=True)
class PeerTime:
    """Times of another program and of ours in one workload at one size.

    Attributes:
        program: The other program, with its version where that is known.
        work: What was timed.
        units: Units or agents of one world.
        theirs: Seconds of the other program.
        ours: Seconds of ours.
        differs: What one of the two does and the other does not.
        alike: Whether both played the same on one device, so that the ratio of their times says something.
    """

    program: str
    work: str
    units: int
    theirs: float
    ours: float
    differs: str
    alike: bool = True

    @property
    def ratio(self) -> float | None:
        """How many times as fast ours is; None where that says nothing."""
        return self.theirs / self.ours if self.alike else None


def compared(lines: Iterable[Line]) -> list[list[PeerTime]]:
    """Return what lines of `hive bench` say of other programs: a list for each workload, which holds its sizes.

    The workloads of one program follow each other, and those of our own engine come last.
    """
    given = [line for line in lines if "units" in line]
    groups: dict[tuple[str, str], list[PeerTime]] = {}
    for row in COMPARED:
        for time in _TIMES[row]([line for line in given if line["row"] == row]):
            groups.setdefault((time.program, time.work), []).append(time)
    programs = [*dict.fromkeys(program for program, _ in groups if program != ALL_PAIRS), ALL_PAIRS]
    return sorted(groups.values(), key=lambda times: programs.index(times[0].program))


def cells(times: list[PeerTime]) -> list[str]:
    """Return the sizes of one workload as a row of a table under `HEAD`."""
    first = times[0]
    values = (
        [f"{time.units:,}" for time in times],
        [duration(time.theirs) for time in times],
        [duration(time.ours) for time in times],
        ["-" if time.ratio is None else factor(time.ratio) for time in times],
    )
    return [first.program, first.work, *(" / ".join(each) for each in values)]


def table(lines: Iterable[Line]) -> str:
    """Return the table of all other programs as text; nothing where the lines hold none."""
    found = compared(lines)
    return columns([HEAD, *map(cells, found)]) if found else ""


def duration(seconds: float) -> str:
    """Return a time with three digits."""
    unit = next((name for name, size in _UNITS.items() if seconds >= 0.9995 * size), "ns")
    return f"{seconds / _UNITS[unit]:.3g} {unit}"


def factor(ratio: float) -> str:
    """Return a ratio with two digits or more."""
    return f"{ratio:,.{2 if ratio < 1 else 1 if ratio < 10 else 0}f}x"


def _of_peers(lines: list[Line]) -> Iterator[PeerTime]:
    for line in lines:
        program, work = f"{line['peer']} ({line['version']})", f"{line['unit']}, {line['work']}"
        yield PeerTime(program, work, line["units"], 1 / line["theirs"], 1 / line["ours"], line["not_comparable"])


def _of_circles(lines: list[Line]) -> Iterator[PeerTime]:
    ours = {line["units"]: line["step_ms"] / 1e3 for line in lines if line["peer"] == OURS}
    for line in lines:
        name, units = line["peer"], line["units"]
        if name == OURS or units not in ours:  # FLAME publishes other numbers of agents too
            continue
        program, *how, space = name.split(", ")
        work = ", ".join([f"step of circles {_SPACES[space]}", *(how if name != PAIRS else ())])
        if name == FLAME:
            text = f"{_CUBE}; published for an {line['on']}"
            yield PeerTime(f"{program}, published", work, units, line["published_ms"] / 1e3, ours[units], text, False)
        elif name == PAIRS:
            yield PeerTime(ALL_PAIRS, work, units, line["step_ms"] / 1e3, ours[units], _SAME)
        else:
            program = f"{program} ({line['jax_md']})"
            yield PeerTime(program, work, units, line["step_ms"] / 1e3, ours[units], _LISTS[name], name != BOX)


def _of_sweep(lines: list[Line]) -> Iterator[PeerTime]:
    text = "it answers three fixed questions and sums the push; ours answers four of any kind without it; one core each"
    for line in lines:
        if line["limit_ms"] is not None:
            work = f"sensing sweep, {_LAYOUTS[line['layout']]}"
            yield PeerTime("plain C", work, line["units"], line["limit_ms"] / 1e3, line["sweep_ms"] / 1e3, text)


def _of_dense(lines: list[Line]) -> Iterator[PeerTime]:
    for line in lines:
        work = f"tick of a battle, {_LAYOUTS[line['layout']]}"
        yield PeerTime(ALL_PAIRS, work, line["units"], line["dense_ms"] / 1e3, line["tick_ms"] / 1e3, _SAME)


_TIMES = {"peers": _of_peers, "circles": _of_circles, "sweep": _of_sweep, "dense": _of_dense}
