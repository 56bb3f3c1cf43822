"""`hive replay`: an HTML page that plays a saved game back."""

from __future__ import annotations

import argparse
from pathlib import Path

from hive.cli.arguments import Parser, Subcommand, add_json
from hive.cli.printing import print_json
from hive.cli.values import count


def _options(parser: Parser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN", help="a folder that a command wrote, such as `hive run --out`")
    parser.add_argument(
        "--episode",
        metavar="NAME",
        help="which of the folder's games, by the name that this command prints, such as boiled_egg/1; "
        "default: the first",
    )
    parser.add_argument("--every", type=count, metavar="K", help="for battles: show only every K-th tick; default: 1")
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="file to write; default: replay.html next to the game's recording"
    )
    add_json(parser)


def _run(args: argparse.Namespace) -> int:
    from hive.kit.keep.games import find_game, list_names
    from hive.worlds.kept import write_page

    name, kept, names = find_game(args.run, args.episode)
    page = args.page or kept.with_name("replay.html")
    size = write_page(kept, page, args.every)
    if args.json:
        print_json({"page": str(page), "bytes": size, "episode": name, "episodes": names})
        return 0
    if len(names) > 1:
        print(f"{args.run} keeps {len(names):,} games: {list_names(names)}")
        print(f"this is the page of {name}; --episode NAME makes that of another")
    print(f"wrote {page}, {size / 1e6:.1f} MB: open it in a browser, it needs no network")
    return 0


COMMAND = Subcommand(
    name="replay",
    summary="make an HTML page that plays a saved game back in a browser",
    about="""\
Make one HTML page of a game that a command has saved. RUN is the folder of any command that keeps games:
hive run, team, kitchen, rescue, household, evaluate, improve and league. Where it keeps several games, their
names are printed, and the page is that of the first, or of --episode. The page plays, pauses, scrubs and
zooms. In battles a tooltip shows for every unit the step and the leaf that moved it, and curves show losses
and progress; the page of a wildfire has layers to switch, the plan of each tick and the score over time.
Where language agents played, their messages stand next to the map.""",
    examples=(
        "hive replay runs/mine            after `hive run coordinate --out runs/mine`",
        "hive replay runs/mine --every 2  half the ticks, about half the size",
        "hive replay runs/cooks --episode boiled_egg/1",
    ),
    options=_options,
    run=_run,
)
