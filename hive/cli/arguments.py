"""How a command is described, how errors in its arguments are told, and the options that commands share."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from dsl import UserError
from dsl.wording import did_you_mean, nearest
from hive.cli.values import count, marker, rule, sizes
from hive.kit.terminal import raw_stream

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


@dataclass(frozen=True)
class Subcommand:
    """A subcommand of `hive`.

    Attributes:
        name: What the user types.
        summary: One line for `hive --help`.
        about: What it does, for `hive COMMAND --help`.
        examples: Lines under "examples" in that help.
        options: A function that adds its arguments.
        run: A function that runs it and returns the exit code.
        notes: The end of that help.
    """

    name: str
    summary: str
    about: str
    examples: tuple[str, ...]
    options: Callable[[Parser], None]
    run: Callable[[argparse.Namespace], int]
    notes: str = ""

    def parser(self) -> Parser:
        """Return the parser of its arguments."""
        parser = Parser(prog=f"hive {self.name}", description=self.about, epilog=self.ending())
        self.options(parser)
        return parser

    def ending(self) -> str:
        """Return the end of its help: the examples, and the notes if there are some."""
        ending = "\n".join(["examples:", *(f"  {line}" for line in self.examples)])
        return f"{ending}\n\n{self.notes}" if self.notes else ending


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are `UserError`s, with near matches, and whose help has a fixed width."""

    def __init__(self, prog: str, description: str, epilog: str) -> None:
        """Make a parser whose only argument is `--help`."""
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, max_help_position=26, width=100),
            allow_abbrev=False,
        )

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Read the value of an argument; an option with an empty text would look as if it had not been given."""
        if action.option_strings and not arg_string.strip():
            raise argparse.ArgumentError(action, "its value is empty")
        return super()._get_value(action, arg_string)

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help, which holds nothing from outside and may have the colours of newer versions of Python."""
        super().print_help(raw_stream(sys.stdout) if file is None else file)

    def long_options(self) -> list[str]:
        """Return the names of all options without their dashes, those of one letter left out."""
        return [option[2:] for action in self._actions for option in action.option_strings if option[:2] == "--"]

    def error(self, message: str) -> NoReturn:
        """Raise a `UserError` instead of ending the process."""
        advice = f"see `{self.prog} --help`"
        unknown = re.search(r"unrecognized arguments: .*?--([\w-]+)", message)
        if unknown:
            near = nearest(unknown.group(1).replace("-", "_"), self.long_options())
            advice = f"{did_you_mean(f'--{near}')} {advice}" if near else advice
        raise UserError(f"{message}\n  = help: {advice}")


def add_units(parser: Parser) -> None:
    """Add `--units`."""
    parser.add_argument(
        "--units",
        type=count,
        metavar="N",
        help="size of the player's team; the enemy's team is scaled by the same ratio",
    )


def add_changes(parser: Parser) -> None:
    """Add the arguments that change what is played: its size and rules, and how strictly plans are read."""
    add_units(parser)
    add_set(parser)
    add_written_for(parser)
    parser.add_argument(
        "--lenient", action="store_true", help="allow a unit in two groups of a step; it belongs to the later one"
    )


def add_set(parser: Parser) -> None:
    """Add `--set`."""
    parser.add_argument(
        "--set",
        dest="rules",
        type=rule,
        action="append",
        default=[],
        metavar="RULE=VALUE",
        help="change a rule of the scenario, as in `limit=300`; may be given several times",
    )


def add_written_for(parser: Parser) -> None:
    """Add `--written-for`."""
    parser.add_argument(
        "--written-for",
        type=sizes,
        metavar="N[,M]",
        help="team sizes of the player and the enemy that plans were written for; default: those of the scenario",
    )


def add_markers(parser: Parser) -> None:
    """Add `--marker`."""
    parser.add_argument(
        "--marker",
        dest="markers",
        type=marker,
        action="append",
        default=[],
        metavar="A=X,Y",
        help="put a lettered marker on the map, in metres, as in `A=193,85`; may be given several times",
    )


def add_out(parser: Parser, what: str, resumes: str = "", required: bool = False) -> None:
    """Add `--out` and `--overwrite`, and `--restart` for a command that resumes.

    Args:
        parser: Of the command.
        what: Help of `--out`.
        resumes: What an interrupted command resumes, such as `sweep`.
        required: Whether the folder must be given.
    """
    parser.add_argument("--out", type=Path, metavar="DIR", required=required, help=what)
    parser.add_argument("--overwrite", action="store_true", help="replace that folder if it exists")
    if resumes:
        parser.add_argument(
            "--restart", action="store_true", help=f"start again instead of resuming an interrupted {resumes}"
        )


def add_json(parser: Parser, what: str = "print one JSON object on standard output") -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help=what)


def add_cache(parser: Parser) -> None:
    """Add `--no-cache`."""
    parser.add_argument("--no-cache", action="store_true", help="do not cache compiled programs on disk")
