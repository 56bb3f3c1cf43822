"""`hive kitchen`: two cooks make orders together; each action has a module."""

from __future__ import annotations

from hive.cli.command import Command, Row, Table

COMMAND: Command[None] = Command(
    about="""\
Two cooks prepare and deliver an order together. Each of them reaches only a part of the kitchen, and one of
them alone has the recipe.""",
    parts=Table(
        {
            "actions": [
                Row("study", "probe at which collaborative action two cooks fail", "hive.cli.kitchen.study"),
                Row("tasks", "list the tasks and what each of them needs", "hive.cli.kitchen.tasks"),
                Row("optimum", "prove the least time of each task, with a plan", "hive.cli.kitchen.optimum"),
                Row("references", "list all reference trajectories of each task", "hive.cli.kitchen.references"),
                Row("plot", "draw runs by the level of their tasks, and by the time limit", "hive.cli.kitchen.plot"),
            ]
        }
    ),
    examples=(
        "hive kitchen study                         the failure study, by scripted pairs",
        "hive run kitchen/boiled_egg                a game of the scripted pair",
        "hive kitchen tasks level4",
        "hive kitchen optimum boiled_egg            a plan of the least time",
        "hive kitchen references baked_carrot_soup",
    ),
    notes="docs/rules/kitchen.md states all rules.",
)
