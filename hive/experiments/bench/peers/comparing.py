"""Two programs timed in turn, and the row with the results."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from hive.experiments.bench.timing import measure

PeerProgram = Callable[[], Any]


def seconds_of(*programs: PeerProgram, quick: bool) -> list[float]:
    """Median wall seconds of each program, one run of each in turn, so that both sides meet the same machine.

    Args:
        *programs: Without arguments; results are waited for.
        quick: Whether few runs will do.
    """
    for program in programs:
        program()  # compiles; `measure` would count it against its budget
    return [timing.median for timing in measure(*programs, budget=1.0 if quick else 10.0)]


def peer_row(
    peer: str,
    package: str,
    work: str,
    units: int,
    unit: str,
    ours: float,
    theirs: float,
    steps: int,
    not_comparable: str,
) -> dict[str, object]:
    """One line of the table.

    Args:
        peer: The peer by name.
        package: Its distribution, for the version.
        work: What both did.
        units: Units, agents or cooks of one world.
        unit: What `ours` and `theirs` count.
        ours: Our rate, a second.
        theirs: The peer's rate.
        steps: Steps that each side did in a timed run.
        not_comparable: What one does and the other does not.
    """
    return {
        "peer": peer,
        "version": version(package),
        "work": work,
        "units": units,
        "unit": unit,
        "ours": ours,
        "theirs": theirs,
        "ratio": ours / theirs,
        "steps": steps,
        "not_comparable": not_comparable,
    }
