"""What `hive bench` and `hive scale` share: cases are measured one after another, and their lines printed and saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hive.cli.printing import tell
from hive.experiments.bench.rows import ROWS, Case
from hive.kit.reporting import Watch

CaseLine = dict[str, Any]
Work = Sequence[tuple[str, Case]]


def measure(
    work: Work,
    watch: Watch,
    quiet: bool,
    save: Callable[[list[CaseLine]], None] | None,
    sizes: str | None,
    done: Sequence[list[CaseLine]] = (),
    keep: Callable[[list[CaseLine]], None] | None = None,
) -> list[CaseLine]:
    """Measure the cases in turn, each in a process of its own; return the lines of all.

    Args:
        work: The cases.
        watch: Receives the progress of the work.
        quiet: Whether lines are printed on standard error.
        save: Called with all lines so far, after each of them.
        sizes: Text for `hive.ground.sizes.read_sizes`; None: the platform's.
        done: The lines of the first cases, which were measured before.
        keep: Called with the lines of each case that is finished now.
    """
    from hive.experiments.bench.tables import heading, legend, line

    say = tell if quiet else watch.say
    lines: list[CaseLine] = []
    begun = ""
    for number, (row, case) in enumerate(work):
        if row != begun:
            begun = row
            say(f"\n{row}: {ROWS[row].summary}\n{legend(row)}{heading(row)}")
        watch.stage(f"measuring {row}{_of(case)}", len(work), "case")
        watch.update(number)
        first = len(lines)
        for found in done[number] if number < len(done) else _lines_of(row, case, sizes or ""):
            lines.append(found)
            if save:
                save(lines)
            say(line(found))
            watch.update(number)
        if keep and number >= len(done):
            keep(lines[first:])
    return lines


def measure_against(
    work: Work,
    tree: Path,
    rounds: int,
    watch: Watch,
    quiet: bool,
    save: Callable[[list[CaseLine]], None] | None,
    sizes: str | None,
    against: str | None,
) -> list[CaseLine]:
    """Measure the cases with this checkout and another in turn; print and return a line for each figure compared.

    Args:
        work: The cases.
        tree: Folder of the other checkout.
        rounds: How often each is measured.
        watch: Receives the progress of each case.
        quiet: Whether lines are printed on standard error.
        save: Called with all lines so far, after each case.
        sizes: Text for `hive.ground.sizes.read_sizes`; None: the platform's.
        against: The other's commit, for the lines; None: it is not known.
    """
    from hive.experiments.bench.against import Comparison, compare
    from hive.experiments.bench.apart import CaseError

    def shown(found: Comparison) -> str:
        ratios = found.json
        values = "  ".join(f"{value:>12,.5g}" for value in found.best)
        spread = f"{ratios['ratio']:.2f} ({ratios['least']:.2f} to {ratios['most']:.2f})"
        return f"{found.line:<28}  {found.figure:<14}  {values}  {spread:<20}  {found.verdict}".rstrip()

    say = tell if quiet else watch.say
    lines: list[CaseLine] = []
    begun = ""
    for row, case in work:
        if row != begun:
            begun = row
            heading = f"{'case':<28}  {'best of rounds':<14}  {'here':>12}  {'there':>12}  here / there"
            say(f"\n{row}: {ROWS[row].summary}\n{heading}")
        watch.stage(f"measuring {row}{_of(case)}", 2 * rounds, "process")
        try:
            for step in compare(row, case, tree, rounds, sizes or ""):
                if isinstance(step, int):
                    watch.update(step)
                    continue
                for found in step:
                    say(shown(found))
                    lines.append(found.json | {"against": against})
        except CaseError as error:
            lines.append({"row": row, "case": dict(case), "error": str(error)})
        if save:
            save(lines)
    return lines


def _lines_of(row: str, case: Case, sizes: str) -> Iterator[CaseLine]:
    """Yield the lines of a case; if it fails, the last one says why, and the other cases are still measured."""
    from hive.experiments.bench.apart import CaseError, run_apart

    try:
        yield from run_apart(row, case, sizes)
    except CaseError as error:
        yield {"row": row, "case": dict(case), "error": str(error)}


def _of(case: Case) -> str:
    words = [f"{case['units']:,} units" if case.get("units") else "", str(case.get("layout", ""))]
    return "".join(f", {word}" for word in words if word)


def failed(lines: Sequence[CaseLine]) -> int:
    """Say which cases could not be measured, and return the exit code."""
    failures = [line for line in lines if "error" in line]
    for line in failures:
        tell(f"not measured: {line['row']}{_of(line['case'])}: {line['error']}")
    return 1 if failures else 0
