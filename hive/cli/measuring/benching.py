"""`hive bench`: how fast this machine plays."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest, plural
from hive.cli import names
from hive.cli.command import Command, argument, option
from hive.cli.measuring.cases import CaseLine, failed, measure, measure_against
from hive.cli.options import JsonOnly, Tuning
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching
from hive.cli.values import count
from hive.experiments.bench.rows import ROWS
from hive.kit.keep.json_text import json_lines

_ROUNDS = 6  # as in `hive.experiments.bench.against`, which is loaded only where it is needed


@dataclass(frozen=True, kw_only=True)
class Bench(JsonOnly, Tuning):
    """Settings of `hive bench`."""

    rows: Annotated[
        tuple[str, ...],
        argument("what to measure; default: every row but those marked *", "ROW", complete=names.rows),
    ] = field(kw_only=False, default=())
    quick: Annotated[bool, option("measure fewer and smaller cases: about two minutes on two cores")] = False
    against: Annotated[
        str | None,
        option("measure each case with the sources of this commit too, in turn, and print ratios", "COMMIT"),
    ] = None
    rounds: Annotated[
        int | None, option(f"with --against: how often each is measured; default: {_ROUNDS}", "N", read=count)
    ] = None
    out: Annotated[Path | None, option("also save the results, one JSON object per line", "FILE")] = None

    def __post_init__(self) -> None:
        """Check the names of the rows, and what goes with what.

        Raises:
            UserError: There is no such row, or `rounds` without `against`.
        """
        if self.rounds and self.against is None:
            raise UserError("argument --rounds: nothing to measure in turn with\n  = help: add --against COMMIT")
        for name in self.rows:
            if name not in ROWS:
                advice = did_you_mean(nearest(name, ROWS)) or f"rows are {listing(ROWS, 'and')}"
                raise UserError(f"there is no row `{name}`\n  = help: {advice}")

    def other_sources(self) -> AbstractContextManager[Path | None]:
        """Return a context with the folder of the sources of `against`; of None where nothing is compared."""
        if self.against is None:
            return nullcontext()
        from hive.experiments.bench.against import sources_of

        return sources_of(self.against)


def _run(settings: Bench) -> int:
    if "gpu" in settings.rows:
        _check_compiler()
    from hive.kit.keep.runfolder import check_file

    stream = check_file(settings.out) if settings.out else False
    settings.use_tuning()
    chosen = [name for name, row in ROWS.items() if name in settings.rows or not (settings.rows or row.named)]
    work = [(name, case) for name in chosen for case in (ROWS[name].quick if settings.quick else ROWS[name].full)]
    save = partial(_save, settings.out) if settings.out and not stream else None
    with settings.other_sources() as tree, watching() as watch:
        if tree:
            from hive.experiments.bench.against import commit_of

            rounds, other = settings.rounds or _ROUNDS, commit_of(settings.against or "")
            lines = measure_against(work, tree, rounds, watch, settings.json, save, settings.sizes, other)
        else:
            lines = measure(work, watch, settings.json, save, settings.sizes)
            if "peers" in chosen:
                from hive.experiments.bench.compared import table

                (tell if settings.json else watch.say)(f"\nother programs beside ours\n{table(lines)}")
    if settings.json:
        print_json({"quick": settings.quick, "against": settings.against, "lines": lines})
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
        "hive bench tick games --quick --against HEAD~1   this checkout and the commit before it, in turn",
        "hive bench peers circles sweep dense --out peers.jsonl   all other programs in one table at the end",
        "hive bench gpu                       programs compiled for an NVIDIA H200, which need not be present",
    ),
    notes="""\
A line of the file holds the row, its figures, device, processors and their vector instructions, versions,
commit, load and time. Each line is saved as soon as it is measured, so an interrupted run keeps the
finished lines. Sizes count both sides together. The exit code is 1 if a case could not be measured; the
others are still printed.

With --against, the ratio is the median over rounds of this checkout's figure by the commit's, and beside it
stand the least and the greatest. A verdict follows only where six rounds or more agree by over 2%, which
chance brings about for at most 2 of 64 figures of equal code. Lines of --out then hold the figures of both
and the hash of COMMIT as `against`; device, load and time in them are those of this checkout's last round.
COMMIT may be the folder of another checkout. On a machine that other programs use too, trust `process cpu`.""",
)
