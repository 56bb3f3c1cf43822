"""`hive rescue`: teams on a graph of rooms; each action has a module."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Protocol

from dsl import UserError
from hive.cli.arguments import Parser, Subcommand, add_cache, add_json, add_out
from hive.cli.cache import use_cache
from hive.cli.games.playing import COMMAND as RUN
from hive.cli.rescue import draw, optimum, play, table

if TYPE_CHECKING:
    from hive.worlds.rescue.instance import Instance


class ActionModule(Protocol):
    """A module that carries out one action of `hive rescue`."""

    ABOUT: str
    """What it does, for the help."""

    OPTIONS: tuple[str, ...]
    """Options that belong to this action alone."""

    def add_options(self, parser: Parser) -> None:
        """Add them."""

    def run(self, args: argparse.Namespace, instances: list[Instance]) -> int:
        """Do it for the instances that the command line names, and return the exit code.

        Raises:
            UserError: An instance is missing, an option is wrong, or a file cannot be written.
        """


ACTIONS: dict[str, ActionModule] = {
    "play": play,
    "table": table,
    "optimum": optimum,
    "draw": draw,
}


def _options(parser: Parser) -> None:
    parser.newer = RUN.parser
    parser.add_argument("action", choices=ACTIONS, help="; ".join(f"{name}: {ACTIONS[name].ABOUT}" for name in ACTIONS))
    parser.add_argument(
        "instances",
        nargs="*",
        metavar="INSTANCE",
        help="a map and a team such as map_7/agents-1, the path of a team's file, or all",
    )
    for action in ACTIONS.values():
        action.add_options(parser)
    add_out(parser, "save results and pictures in this folder; default: for play and draw a new one in runs/", "play")
    add_json(parser, "print one JSON object on standard output, and everything else on standard error")
    add_cache(parser)


def _run(args: argparse.Namespace) -> int:
    action = ACTIONS[args.action]
    owners = {option: name for name, each in ACTIONS.items() for option in each.OPTIONS}
    for word in args.words:
        option = word.split("=")[0]
        if option in owners and option not in action.OPTIONS:
            raise UserError(f"{option} belongs to `hive rescue {owners[option]}`, not to `hive rescue {args.action}`")
        if option == "--urgent-weight" and args.action in ("play", "draw"):
            raise UserError(f"--urgent-weight belongs to tables and optima, not to `hive rescue {args.action}`")
    use_cache(args)
    from hive.worlds.rescue.shipped import load_instances

    return action.run(args, load_instances(args.instances))


COMMAND = Subcommand(
    name="rescue",
    summary="let agents rescue victims on a graph of rooms; compare teams with proved optima",
    about="""\
Agents on a graph of rooms bring water, food and medicine to victims, some of which are urgent. There are
twelve shipped instances of eight maps, and as many generated ones as wanted.""",
    examples=(
        "hive rescue play map_7/agents-1                the scripted team, kept with its messages",
        "hive rescue play all --agents heuristic --agents optimal --agents speaker",
        "hive rescue play all --model ONE --model OTHER --temperature 0 --temperature 0.5",
        "hive rescue draw all                           pictures of the instances",
        "hive replay runs/rescue-speaker",
        "hive rescue optimum map_7/agents-1             the fewest steps, proved, with a plan",
        "hive rescue optimum all --json                 those of all shipped instances",
        "hive rescue table                              the heuristic and its variants next to the optimum",
        "hive rescue table --generated 10000 --out many what they do on 10,000 generated instances",
    ),
    notes="""\
`play` lets one agent after another call a tool, which works at once, and send a message, which is deleted
when its sender's next turn comes. A model answers for every agent. Teams, models and temperatures are played
one after another and compared in two tables. The first has the steps of each run that helped all victims, and
of any other run how many it helped and why it ended. The second has sums for each team: `redundant` counts
moves back into a room, `meetings` how often agents came to share a room, and `level` is the mean coordination
level. Each run has a folder TEAM/INSTANCE with result.json, steps.jsonl, transcript.md, journal.jsonl,
picture.png, recording.npz and on request movies; exchanges.jsonl is a recording for --replay. What is
finished is saved in DIR.progress, and the same command resumes from there.

With --out a folder is written atomically: config.json, table.json and pictures for `table`,
config.json and optima.json for `optimum`. docs/rules/rescue.md states all rules.""",
    options=_options,
    run=_run,
)
