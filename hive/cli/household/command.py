"""`hive household`: what is done with episodes of housework; each action has a module."""

from __future__ import annotations

from hive.cli.command import Command, Row, Table

COMMAND: Command[None] = Command(
    about="Teams of agents do housework in apartments: measure policies, teams and learned costs.",
    parts=Table(
        {
            "actions": [
                Row(
                    "table",
                    "measure policies without a model: steps or transport rates, with intervals",
                    "hive.cli.household.table",
                ),
                Row(
                    "utility", "learn from texts what options cost, and print the errors", "hive.cli.household.utility"
                ),
                Row(
                    "effects",
                    "measure what sharing, two hands and more agents are worth, with intervals",
                    "hive.cli.household.effects",
                ),
                Row(
                    "styles",
                    "let a bandit learn which style of messages takes the fewest steps",
                    "hive.cli.household.styles",
                ),
                Row(
                    "write",
                    "write episodes and their apartments as files that can be changed and played",
                    "hive.cli.household.write",
                ),
            ]
        }
    ),
    examples=(
        "hive household table                 policies without a model on the ten published episodes",
        "hive household table --help          all options of an action",
        "hive run household/cwah_0            the scripted team, one episode",
    ),
    notes="docs/rules/household.md states all rules.",
)
