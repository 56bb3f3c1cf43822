"""The console command `hive`: one module for each command or pair of commands. The engine needs nothing here.

Modules here import the simulator only when a command needs it, so that `hive check` and `hive --help` start at once.
"""

from hive.cli.entry import main

__all__ = ["main"]
