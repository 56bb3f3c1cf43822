"""How a command is described and how its arguments are read: error messages, types and shared options."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from dsl import UserError
from dsl.wording import did_you_mean, nearest
from hive.contract import MAP_PICTURES, PUBLISHED

MOST_GAMES = 100_000  # of one run
MOST_DEVICES = 64  # of one process, on a machine with fewer cores
SEEDS = 2**32  # a seed is below this


@dataclass(frozen=True)
class Command:
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

    def error(self, message: str) -> NoReturn:
        """Raise a `UserError` instead of ending the process."""
        advice = f"see `{self.prog} --help`"
        unknown = re.search(r"unrecognized arguments: .*?--([\w-]+)", message)
        if unknown:
            options = [option[2:] for action in self._actions for option in action.option_strings if option[:2] == "--"]
            near = nearest(unknown.group(1).replace("-", "_"), options)
            advice = f"{did_you_mean(f'--{near}')} {advice}" if near else advice
        raise UserError(f"{message}\n  = help: {advice}")


def add_name(parser: Parser) -> None:
    """Add SCENARIO."""
    parser.add_argument("scenario", metavar="SCENARIO", help="a name from `hive list`, or a path to a .toml file")


def add_scenario(parser: Parser) -> None:
    """Add the arguments that say what is played."""
    add_name(parser)
    parser.add_argument(
        "--plan",
        metavar="NAME|FILE",
        help="the player's plan: a name from `hive list` or a file; default: the scenario's, or a level's commander",
    )
    add_changes(parser)


def add_changes(parser: Parser) -> None:
    """Add the arguments that change what is played: its size and rules, and how strictly plans are read."""
    parser.add_argument(
        "--units",
        type=count,
        metavar="N",
        help="size of the player's team; the enemy's team is scaled by the same ratio",
    )
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
        type=_rule,
        action="append",
        default=[],
        metavar="RULE=VALUE",
        help="change a rule of the scenario, as in `limit=300`; may be given several times",
    )


def add_written_for(parser: Parser) -> None:
    """Add `--written-for`."""
    parser.add_argument(
        "--written-for",
        type=_sizes,
        metavar="N[,M]",
        help="team sizes of the player and the enemy that plans were written for; default: those of the scenario",
    )


def add_markers(parser: Parser) -> None:
    """Add `--marker`."""
    parser.add_argument(
        "--marker",
        dest="markers",
        type=_marker,
        action="append",
        default=[],
        metavar="A=X,Y",
        help="put a lettered marker on the map, in metres, as in `A=193,85`; may be given several times",
    )


def add_swaps(parser: Parser) -> None:
    """Add `--swap`."""
    parser.add_argument(
        "--swap",
        dest="swaps",
        type=_swap,
        action="append",
        default=[],
        metavar="TICK=PLAN",
        help="follow another plan from this tick on, or as soon as the plan is finished; may be given several times",
    )


def add_fire_rules(parser: Parser) -> None:
    """Add `--rules`."""
    parser.add_argument(
        "--rules",
        dest="fire_rules",
        metavar="NAME",
        help="for a level: the rules of its fire, `default` or `published`; default: default",
    )


def add_wording(parser: Parser) -> None:
    """Add `--printed-speeds` and `--map-picture`."""
    parser.add_argument(
        "--printed-speeds",
        action="store_true",
        help="for a battle: give speeds as the published prompt prints them, twice the true ones",
    )
    parser.add_argument(
        "--map-picture",
        choices=MAP_PICTURES,
        metavar="FORM",
        help="for a battle: say what a picture of the map shows, in place of the map in words; raw, grid or scaffold",
    )


def add_out(parser: Parser, what: str, resumes: str = "") -> None:
    """Add `--out` and `--overwrite`, and `--restart` for a command that resumes.

    Args:
        parser: Of the command.
        what: Help of `--out`.
        resumes: What an interrupted command resumes, such as `sweep`.
    """
    parser.add_argument("--out", type=Path, metavar="DIR", help=what)
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


def seed(text: str) -> int:
    """Read a seed."""
    return _whole(text, 0, SEEDS - 1)


def games(text: str) -> int:
    """Read a number of games."""
    return _whole(text, 1, MOST_GAMES)


def seeds(text: str) -> int | str:
    """Read a number of games, or the word `published`."""
    if text == PUBLISHED:
        return PUBLISHED
    try:
        return games(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}, or `{PUBLISHED}` for the published seeds of a level") from None


def method(text: str) -> str:
    """Read the name of a commander in results."""
    if not text.strip() or not text.isprintable():
        raise argparse.ArgumentTypeError(f"{text!r} is not a name")
    return text.strip()


def count(text: str) -> int:
    """Read a number of units or metres."""
    return _whole(text, 1, 1_000_000)


def index(text: str) -> int:
    """Read a tick or a unit's id."""
    return _whole(text, 0, 1_000_000)


def device_count(text: str) -> int:
    """Read a number of devices; JAX makes as many, and a thousand on a CPU take gigabytes."""
    return _whole(text, 1, max(MOST_DEVICES, os.cpu_count() or 1))


def seconds(text: str) -> int:
    """Read a waiting time in seconds."""
    return _whole(text, 1, 86_400)


def named_number(text: str, form: str) -> tuple[str, float]:
    """Read NAME=NUMBER; a whole number is an int.

    Args:
        text: The argument.
        form: The form in words, for messages.

    Raises:
        ArgumentTypeError: It has another form, or the number is not finite.
    """
    name, numbers = named_numbers(text, form)
    if len(numbers) > 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not of the form {form}")
    return name, numbers[0]


def named_numbers(text: str, form: str) -> tuple[str, list[float]]:
    """Read NAME=NUMBER,NUMBER,...; see `named_number`."""
    name, _, values = text.partition("=")
    try:
        numbers = [float(value) for value in values.split(",")]
    except ValueError:
        numbers = [math.nan]
    if not name.strip() or not all(map(math.isfinite, numbers)):
        raise argparse.ArgumentTypeError(f"`{text}` is not of the form {form}")
    return name.strip(), [int(each) if each.is_integer() and abs(each) < 2**63 else each for each in numbers]


def read_text(name: str) -> tuple[str, str]:
    """Return the text of a file, or of standard input for `-`, and its name in messages.

    Raises:
        UserError: It cannot be read.
    """
    try:
        if name == "-":
            return sys.stdin.read(), "<stdin>"
        return Path(name).read_text(encoding="utf-8"), name
    except OSError as error:
        why = (error.strerror or str(error)).lower()
    except UnicodeDecodeError:
        why = "it is not UTF-8 text"
    raise UserError(f"cannot read {'standard input' if name == '-' else name}: {why}")


def _marker(text: str) -> tuple[str, tuple[int, int]]:
    read = re.fullmatch(r"\s*(\w+)\s*=\s*\(?\s*(-?\d+)\s*,\s*(-?\d+)\s*\)?\s*", text)
    if not read:
        raise argparse.ArgumentTypeError(f"`{text}` is not LETTER=X,Y with whole numbers, as in `A=193,85`")
    return read.group(1), (int(read.group(2)), int(read.group(3)))


def _swap(text: str) -> tuple[int, str]:
    tick, equals, plan = text.partition("=")
    if not equals or not plan:
        raise argparse.ArgumentTypeError(f"`{text}` is not of the form TICK=PLAN, as in `100=my.plan`")
    return _whole(tick, 1, 1_000_000), plan


def _sizes(text: str) -> tuple[int, int]:
    player, comma, enemy = text.partition(",")
    own = count(player)
    return own, count(enemy) if comma else own


def _whole(text: str, low: int, high: int) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{text}` is not a whole number") from None
    if not low <= value <= high:
        raise argparse.ArgumentTypeError(f"{value} is out of range, allowed is a whole number from {low} to {high}")
    return value


def _rule(text: str) -> tuple[str, float]:
    return named_number(text, "RULE=NUMBER, as in `limit=300`")
