"""`hive kitchen`: two cooks play tasks of the kitchen (`play`); lists and searches of tasks (`tasks`)."""

from __future__ import annotations

import argparse
from pathlib import Path

from hive.cli.arguments import Parser, Subcommand, add_cache, add_json, add_out
from hive.cli.asking import add_model_options, add_prompts
from hive.cli.games.playing import COMMAND as RUN
from hive.cli.kitchen import play, tasks
from hive.cli.values import count, index
from hive.players.teams.frameworks.cook import TEMPERATURE
from hive.players.teams.rules import TeamRules
from hive.worlds.kitchen.switches import SWITCH_NAMES


def _task(text: str) -> str:
    """Return the name of an order without the prefix by which `hive run` knows it."""
    return text.removeprefix("kitchen/")


def _options(parser: Parser) -> None:
    parser.newer = RUN.parser
    parser.add_argument(
        "action",
        choices=("play", *tasks.ACTIONS),
        help="play: let two cooks play; tasks: list the tasks; optimum: find the least time of each with a plan; "
        "references: list all reference trajectories of each",
    )
    parser.add_argument(
        "tasks",
        nargs="*",
        type=_task,
        metavar="TASK",
        help="an order such as boiled_egg, level1 to level6 for the five tasks of a level, or all",
    )
    parser.add_argument(
        "--pair",
        choices=play.PAIRS,
        help="who cooks: the fastest plan, a scripted pair that talks, or a model; default: speaker, or model with "
        "--model or --replay",
    )
    parser.add_argument("--games", type=count, default=1, metavar="N", help="games of each task; default: 1")
    parser.add_argument("--layout", type=Path, metavar="FILE", help="another kitchen than the published one")
    parser.add_argument("--cookbook", type=Path, metavar="FILE", help="another cookbook than the published one")
    tasks.add_options(parser)
    rules = TeamRules()
    parser.add_argument(
        "--replies",
        type=count,
        default=rules.replies,
        metavar="N",
        help=f"most answers of the other cook in one conversation; default: {rules.replies}",
    )
    parser.add_argument(
        "--corrections",
        type=index,
        default=rules.corrections,
        metavar="N",
        help=f"how often a refused plan is corrected in one timestep; default: {rules.corrections}",
    )
    parser.add_argument(
        "--switch",
        dest="switches",
        action="append",
        choices=SWITCH_NAMES,
        default=[],
        help="rules that may be as published or not (docs/rules/kitchen.md 7.1): set this one to the opposite of its "
        "default; may be given several times",
    )
    parser.add_argument(
        "--published",
        action="store_true",
        help="carry out plans as the published program does: no action waits for an item, so one that comes too "
        "early is refused and the rest of the plan dropped (docs/rules/kitchen.md 10.5)",
    )
    add_prompts(parser, "cook_plan.md")
    parser.add_argument(
        "--beside",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="an earlier run whose curves the picture shows too; may be given several times",
    )
    parser.add_argument("--movie", action="store_true", help="make a movie of the first game")
    heat = f"{TEMPERATURE:g}, as the rules of the kitchen say"
    add_model_options(parser, default="the scripted pair, which is no model", ruled=heat)
    add_out(parser, "save the run in this folder; default: runs/kitchen-TASK-PAIR", "run")
    add_json(parser, "print one JSON object on standard output, and everything else on standard error")
    add_cache(parser)


def _run(args: argparse.Namespace) -> int:
    if args.action != "play":
        return tasks.run(args)
    tasks.check_play(args)
    return play.run(args)


COMMAND = Subcommand(
    name="kitchen",
    summary="let two cooks prepare orders; find least times and reference trajectories of the orders",
    about="""\
Let two cooks prepare and deliver an order together. Each of them reaches only a part of the kitchen, and one
of them alone has the recipe. Cooks write plans of several actions, which a validator checks one by one, and
talk without spending time.

A model answers for both cooks, each of which sees its own prompts. Without --model a scripted pair cooks,
which is no model: it reads the same prompts and follows rules. The pair `planner` follows the fastest plan
that a search finds, and does not talk.

`optimum` proves the earliest timestep, counted from 0, at which an order can be delivered, and prints a
plan; `references` lists, for each cook, every sequence of actions in plans of the fewest actions.""",
    examples=(
        "hive kitchen play boiled_egg                                  the scripted pair, one game",
        "hive kitchen play level5 --pair planner                       the fastest plans of five tasks",
        "hive kitchen play all --json",
        "hive kitchen tasks level4",
        "hive kitchen optimum boiled_egg                               a plan of the least time",
        "hive kitchen optimum level1 level2 --free                     primitives instead of named actions",
        "hive kitchen references baked_carrot_soup",
        "hive kitchen play baked_potato_soup --model MODEL --base-url http://127.0.0.1:8080/v1 --games 10",
    ),
    notes="""\
The table has for each task: SR, the share of games that deliver within the limit; the timestep of the
delivery, from 0, and its limit; PC, the progress completeness; IC and RC, the initiating and responding
capability in each conversation that the cook with the recipe began; and, for each game, the number of these
conversations, refused actions and calls. Metrics are scored against all reference trajectories of the task.

The folder of a run is written atomically: config.json, result.json, table.txt, exchanges.jsonl (a recording
for --replay), levels.png for tasks of several levels (SR, PC, IC and RC, with the runs of --beside), and for
each game a folder TASK/N with result.json, steps.jsonl, transcript.md, journal.jsonl and recording.npz.
What is finished is saved in DIR.progress, and the same command resumes from there after an interruption or a
failure of the server.

Rules of the kitchen: docs/rules/kitchen.md.""",
    options=_options,
    run=_run,
)
