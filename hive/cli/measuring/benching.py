"""`hive bench`: how fast this machine plays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest, plural
from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.measuring.cases import CaseLine, failed, json_lines, measure
from hive.cli.options import Tuning
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching
from hive.experiments.bench.rows import ROWS


@dataclass(frozen=True, kw_only=True)
class Bench(Tuning):
    """Settings of `hive bench`."""

    rows: Annotated[
        tuple[str, ...],
        argument("what to measure; default: every row but those marked *", "ROW", complete=names.rows),
    ] = field(kw_only=False, default=())
    quick: Annotated[bool, option("measure fewer and smaller cases: about two minutes on two cores")] = False
    out: Annotated[Path | None, option("also save the results, one JSON object per line", "FILE")] = None
    json: Annotated[bool, option("print one JSON object on standard output, and everything else on standard error")] = (
        False
    )

    def __post_init__(self) -> None:
        """Check the names of the rows.

        Raises:
            UserError: There is no such row.
        """
        for name in self.rows:
            if name not in ROWS:
                advice = did_you_mean(nearest(name, ROWS)) or f"rows are {listing(ROWS, 'and')}"
                raise UserError(f"there is no row `{name}`\n  = help: {advice}")


def _run(settings: Bench) -> int:
    if "gpu" in settings.rows:
        _check_compiler()
    from hive.kit.keep.runfolder import check_file

    stream = check_file(settings.out) if settings.out else False
    settings.use_tuning()
    chosen = [name for name, row in ROWS.items() if name in settings.rows or not (settings.rows or row.named)]
    work = [(name, case) for name in chosen for case in (ROWS[name].quick if settings.quick else ROWS[name].full)]
    with watching() as watch:
        save = partial(_save, settings.out) if settings.out and not stream else None
        lines = measure(work, watch, settings.json, save, settings.sizes)
    if settings.json:
        print_json({"quick": settings.quick, "lines": lines})
    if stream and settings.out:
        _save(settings.out, lines)
    if settings.out:
        tell(f"wrote {settings.out}: {plural(len(lines), 'line')}")
    return failed(lines)


def _check_compiler() -> None:
    from hive.experiments.bench.gpu.wheels import how_to_install, missing

    if lacking := missing():
        raise UserError(how_to_install(lacking))


def _save(path: Path, lines: Sequence[CaseLine]) -> None:
    """Write all lines so far, atomically."""
    from hive.kit.keep.runfolder import whole_file

    with whole_file(path) as part:
        part.write_text(json_lines(lines), encoding="utf-8")


_LINES = "\n".join(f"  {name + '*' * row.named:<10} {row.summary}" for name, row in ROWS.items())

COMMAND = Command(
    settings=Bench,
    run=_run,
    about=f"""\
Measure this machine: compile times, ticks and their parts, batches of worlds, distance maps, and the time
to the first outcome. Each case runs in its own process without cached programs; times are medians. This
works on any device that JAX finds.

{_LINES}""",
    examples=(
        "hive bench --quick                   everything, in small cases",
        "hive bench --out bench.jsonl         everything, saved in a file",
        "hive bench tick sweep                two rows",
        "hive bench gpu                       programs compiled for an NVIDIA H200, which need not be present",
    ),
    notes="""\
A line of the file holds the row, its figures, and the device, versions, commit, load and time (UTC).
Each line is saved as soon as it is measured, so an interrupted run keeps the finished lines. Sizes count
both sides together. The exit code is 1 if a case could not be measured; the others are still printed.""",
)
