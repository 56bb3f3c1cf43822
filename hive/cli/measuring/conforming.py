"""`hive conform`: replay recorded decisions of the published programs."""

from __future__ import annotations

import argparse
from pathlib import Path

from hive.cli.arguments import Parser, Subcommand, add_cache, add_json
from hive.cli.cache import use_cache
from hive.cli.printing import print_json


def _options(parser: Parser) -> None:
    formats = "JSON: cases in the format hive-bt-conformance/1 or kitchen-scripts/1, or levels in wildfire-levels/1"
    parser.add_argument("file", type=Path, metavar="FILE", help=formats)
    add_json(parser)
    add_cache(parser)


def _run(args: argparse.Namespace) -> int:
    use_cache(args)
    from hive.experiments.conformance import replay

    passed, failures = 0, []
    for verdict in replay(args.file):
        if verdict.faults:
            failures.append(verdict)
            if not args.json:
                print("\n  ".join([f"{verdict.case} failed", *verdict.faults]), flush=True)
        else:
            passed += 1
    if args.json:
        print_json(
            {
                "file": str(args.file),
                "passed": passed,
                "failed": len(failures),
                "failures": [{"case": verdict.case, "faults": list(verdict.faults)} for verdict in failures],
            }
        )
    else:
        print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


COMMAND = Subcommand(
    name="conform",
    summary="replay conformance cases: recorded decisions of the published code",
    about="""\
Replay conformance cases. A case of a battle has a small world, a tree, and the decision of the published
code for each unit; the units that each unit sees and its distance to the target are compared too. A case of
a wildfire level has reference values of a seed: the map, the places, and the losses without any action.
A case of a kitchen has a list of named actions for each cook and the timestep in which each was completed.
Print each case that fails and, at the end, how many passed and failed. The exit code is 1 when a case fails.""",
    examples=("hive conform cases.json", "hive conform wildfire_levels.json --json"),
    options=_options,
    run=_run,
)
