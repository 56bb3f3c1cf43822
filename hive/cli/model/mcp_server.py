"""`hive mcp`: a server that makes any client of the Model Context Protocol the commander."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

from dsl import UserError
from hive.cli.arguments import Parser, Subcommand, add_cache
from hive.cli.cache import use_cache
from hive.cli.values import count, seconds
from hive.kit.keep.places import make_folder


def _options(parser: Parser) -> None:
    parser.add_argument(
        "--folder",
        type=Path,
        metavar="DIR",
        help="save replays in this folder, made if needed; default: nothing is saved",
    )
    parser.add_argument(
        "--max-units", type=count, default=4_000, metavar="N", help="most units of a game, both teams; default: 4000"
    )
    parser.add_argument("--max-games", type=count, default=8, metavar="N", help="most live games; default: 8")
    parser.add_argument("--max-seeds", type=count, default=20, metavar="N", help="most games of a batch; default: 20")
    parser.add_argument(
        "--max-ticks", type=count, default=1_000, metavar="N", help="most ticks of a step; default: 1000"
    )
    parser.add_argument("--max-calls", type=count, default=4, metavar="N", help="most calls at a time; default: 4")
    parser.add_argument(
        "--max-seconds",
        type=seconds,
        default=50,
        metavar="N",
        help="time for one call, without compiling a program for a batch or a replay; default: 50",
    )
    add_cache(parser)


def _run(args: argparse.Namespace) -> int:
    if find_spec("mcp") is None:
        raise UserError(
            "hive mcp needs the package mcp, which is not installed\n  = help: pip install 'hive-swarm[mcp]'"
        )
    from hive.mcp.limits import Limits
    from hive.mcp.server import serve

    use_cache(args)
    limits = Limits(
        units=args.max_units,
        games=args.max_games,
        seeds=args.max_seeds,
        ticks=args.max_ticks,
        seconds=args.max_seconds,
        calls=args.max_calls,
    )
    serve(limits, None if args.folder is None else _ready(args.folder), args.line)
    return 0


def _ready(folder: Path) -> Path:
    """Return the resolved path of a folder, which is made if needed."""
    try:
        make_folder(folder)
        return folder.resolve(strict=True)
    except OSError as error:
        raise UserError(f"cannot use the folder {folder}: {(error.strerror or str(error)).lower()}") from error


COMMAND = Subcommand(
    name="mcp",
    summary="serve games to any client of the Model Context Protocol, which commands them",
    about="""\
Serve tools over standard input and output, so that any client of the Model Context Protocol, such as a chat
program or an editor, becomes the commander: it lists and describes what is shipped, checks plans, runs them,
and commands games while they run. The client starts this command itself; docs/commander/mcp.md shows how to
register it. Clients name what is shipped or send plans as text. No file is read for them, and only replays in
the folder of --folder are written.""",
    examples=(
        "hive mcp                                    without saving",
        "hive mcp --folder replays                   replays are saved there",
        "hive mcp --max-units 20000 --max-seconds 300",
    ),
    options=_options,
    run=_run,
)
