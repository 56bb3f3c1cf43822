"""`hive household`: what is done with episodes of housework; each action has a module of its own."""

from __future__ import annotations

import argparse

from hive.cli.arguments import Parser, Subcommand
from hive.cli.household import effects, play, styles, table, utility, write

ACTIONS: tuple[Subcommand, ...] = (
    play.COMMAND,
    table.COMMAND,
    utility.COMMAND,
    effects.COMMAND,
    styles.COMMAND,
    write.COMMAND,
)


def _options(parser: Parser) -> None:
    parts = parser.add_subparsers(dest="action", required=True, metavar="ACTION", title="actions")
    for action in ACTIONS:
        name = action.name.removeprefix("household ")
        part = parts.add_parser(name, help=action.summary, description=action.about, epilog=action.ending())
        action.options(part)
        part.set_defaults(of_action=action.run)


def _run(args: argparse.Namespace) -> int:
    code: int = args.of_action(args)
    return code


COMMAND = Subcommand(
    name="household",
    summary="play and measure episodes of housework in apartments",
    about="Teams of agents do housework in apartments: play episodes, and measure policies and learned costs.",
    examples=(
        "hive household table                 policies without a model on the ten published episodes",
        "hive household table --help          all options of an action",
    ),
    options=_options,
    run=_run,
)
