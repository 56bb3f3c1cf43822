"""The console command `hive`: one module for a command or a natural pair; nothing here is needed by the engine.

Modules here import the simulator only when a command needs it, so that `hive check` and `hive --help` start at once.
"""

from hive.cli.entry import main

__all__ = ["main"]
