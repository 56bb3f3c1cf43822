"""`hive arena`: commanders against each other; each action has a module."""

from __future__ import annotations

from hive.cli.command import Command, Row, Table

COMMAND: Command[None] = Command(
    about="""\
Commanders against each other: the plain commander, plans, units that stand, and language models command
either side of a battle, with their own sight of the game and new orders while it runs.""",
    parts=Table(
        {
            "actions": [
                Row("duel", "play every pair of commanders in both seats, and rate them", "hive.cli.learning.duels"),
            ]
        }
    ),
    examples=(
        "hive arena duel duel --units 40 --by words --by hold",
        "hive arena duel battle/rivers/17 battle/open/3 --by words --by default --seeds 10",
    ),
    notes="docs/arena.md states all rules.",
)
