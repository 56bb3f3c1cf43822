"""`hive household`: what is done with episodes of housework; each action has a module of its own."""

from __future__ import annotations

import argparse

from hive.cli import (
    household_effects,
    household_play,
    household_styles,
    household_table,
    household_utility,
    household_write,
)
from hive.cli.arguments import Command, Parser

ACTIONS: tuple[Command, ...] = (
    household_play.COMMAND,
    household_table.COMMAND,
    household_utility.COMMAND,
    household_effects.COMMAND,
    household_styles.COMMAND,
    household_write.COMMAND,
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


COMMAND = Command(
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
