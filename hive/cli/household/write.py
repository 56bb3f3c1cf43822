"""`hive household write`: episodes as files, to look at, to change and to play."""

from __future__ import annotations

import argparse

from dsl import UserError
from hive.cli.arguments import Parser, Subcommand, add_out
from hive.cli.printing import tell


def _options(parser: Parser) -> None:
    parser.add_argument(
        "episodes",
        nargs="+",
        metavar="EPISODE",
        help="a shipped episode such as cwah_0, or generated_N or transport_N for the episode of seed N",
    )
    add_out(parser, "write the files into this folder")


def _run(args: argparse.Namespace) -> int:
    from hive.kit.keep.config import config_file
    from hive.kit.keep.runfolder import check_writable, write_run
    from hive.worlds.household.named import find_episode
    from hive.worlds.household.writing import episode_files

    if args.out is None:
        raise UserError("name a folder for the files\n  = help: hive household write generated_7 --out mine")
    found = [find_episode(name) for name in dict.fromkeys(args.episodes)]
    check_writable(args.out, args.overwrite)
    files = {name: text for each in found for name, text in episode_files(each).items()}
    write_run(args.out, {**config_file(args.line, [], episodes=[each.name for each in found]), **files}, args.overwrite)
    tell(f"wrote {args.out}: {', '.join(files)}")
    tell(f"`hive household play {args.out / found[0].name}.toml` plays the first episode")
    return 0


COMMAND = Subcommand(
    name="household write",
    summary="write episodes and their apartments as files that can be changed and played",
    about="""\
Write episodes and their apartments as TOML files: shipped ones, or generated ones by their seed. The files are
read wherever an episode is named, so a changed copy is an episode of your own; errors name their place.""",
    examples=(
        "hive household write generated_7 --out mine          the housework of seed 7 and its apartment",
        "hive household write cwah_0 tdw_2_0_rare_food --out mine",
    ),
    options=_options,
    run=_run,
)
