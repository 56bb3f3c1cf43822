"""`hive replay`: an HTML page that plays a saved game back."""

from __future__ import annotations

import argparse
from pathlib import Path

from dsl import UserError
from hive.cli.arguments import Parser, Subcommand, add_json
from hive.cli.printing import print_json
from hive.cli.values import count
from hive.keep.runfolder import RECORDING


def _options(parser: Parser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN", help="a folder that `hive run --out` wrote")
    parser.add_argument("--every", type=count, metavar="K", help="for battles: show only every K-th tick; default: 1")
    parser.add_argument("--page", type=Path, metavar="FILE", help="file to write; default: RUN/replay.html")
    add_json(parser)


def _run(args: argparse.Namespace) -> int:
    kept = args.run / RECORDING
    if not kept.is_file():
        raise UserError(
            f"{args.run} is not a run folder: it contains no {RECORDING}\n  = help: make one with `hive run --out`"
        )
    page = args.page or args.run / "replay.html"
    from hive.view.kept import write_page

    size = write_page(kept, page, args.every)
    if args.json:
        print_json({"page": str(page), "bytes": size})
    else:
        print(f"wrote {page}, {size / 1e6:.1f} MB: open it in a browser, it needs no network")
    return 0


COMMAND = Subcommand(
    name="replay",
    summary="make an HTML page that plays a saved game back in a browser",
    about="""\
Make one HTML page of the first seed's game, which `hive run --out DIR` saved. The page plays, pauses,
scrubs and zooms; a tooltip shows for every unit the step and the leaf that moved it, and curves show losses
and progress. The page of a wildfire has layers to switch, the plan of each tick and the score over time.""",
    examples=(
        "hive replay runs/mine            after `hive run coordinate --out runs/mine`",
        "hive replay runs/mine --every 2  half the ticks, about half the size",
    ),
    options=_options,
    run=_run,
)
