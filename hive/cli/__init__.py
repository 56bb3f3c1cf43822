"""The console command `hive`: a room for each area of commands, and what they share. The engine needs nothing here.

A room holds a module for each of its commands. The room of a single command has it in `command.py`, next to its parts.
Modules import the simulator only when a command needs it, so that `hive check` and `hive --help` start at once.
"""

from hive.cli.entry import main

__all__ = ["main"]
