"""`hive bench`: how fast this machine plays."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest, plural
from hive.cli.arguments import Parser, Subcommand, add_json
from hive.cli.measuring.cases import CaseLine, failed, json_lines, measure
from hive.cli.printing import print_json, tell
from hive.cli.progress import watching
from hive.cli.tuning import add_tuning, use_tuning
from hive.experiments.bench.rows import ROWS


def _options(parser: Parser) -> None:
    parser.add_argument("rows", nargs="*", metavar="ROW", help="what to measure; default: every row but those marked *")
    parser.add_argument(
        "--quick", action="store_true", help="measure fewer and smaller cases: about two minutes on two cores"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="also save the results, one JSON object per line")
    add_tuning(parser)
    add_json(parser, "print one JSON object on standard output, and everything else on standard error")


def _run(args: argparse.Namespace) -> int:
    for name in args.rows:
        if name not in ROWS:
            advice = did_you_mean(nearest(name, ROWS)) or f"rows are {listing(ROWS, 'and')}"
            raise UserError(f"there is no row `{name}`\n  = help: {advice}")
    if "gpu" in args.rows:
        _check_compiler()
    from hive.kit.keep.runfolder import check_file

    stream = check_file(args.out) if args.out else False
    use_tuning(args)
    chosen = [name for name, row in ROWS.items() if name in args.rows or not (args.rows or row.named)]
    work = [(name, case) for name in chosen for case in (ROWS[name].quick if args.quick else ROWS[name].full)]
    with watching() as watch:
        save = partial(_save, args.out) if args.out and not stream else None
        lines = measure(work, watch, args.json, save, args.sizes)
    if args.json:
        print_json({"quick": args.quick, "lines": lines})
    if stream:
        _save(args.out, lines)
    if args.out:
        tell(f"wrote {args.out}: {plural(len(lines), 'line')}")
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

COMMAND = Subcommand(
    name="bench",
    summary="measure how fast this machine plays",
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
    options=_options,
    run=_run,
)
