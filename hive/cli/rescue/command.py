"""`hive rescue`: teams on a graph of rooms; each action has a module."""

from __future__ import annotations

from hive.cli.command import Command, Row, Table

COMMAND: Command[None] = Command(
    about="""\
Agents on a graph of rooms bring water, food and medicine to victims, some of which are urgent. There are
twelve shipped instances of eight maps, and as many generated ones as wanted.""",
    parts=Table(
        {
            "actions": [
                Row("table", "compare the heuristic and its variants with the optimum", "hive.cli.rescue.table"),
                Row(
                    "optimum",
                    "find the fewest steps, or the least weighted steps, and prove it",
                    "hive.cli.rescue.optimum",
                ),
                Row("draw", "draw instances before their first step", "hive.cli.rescue.draw"),
            ]
        }
    ),
    examples=(
        "hive rescue draw all                           pictures of the instances",
        "hive rescue optimum map_7/agents-1             the fewest steps, proved, with a plan",
        "hive rescue table                              the heuristic and its variants next to the optimum",
        "hive run rescue/map_7/agents-1                 the scripted team, kept with its messages",
    ),
    notes="docs/rules/rescue.md states all rules.",
)
