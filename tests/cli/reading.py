"""What `hive` understands of a command line, without running it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hive.cli.entry import COMMANDS
from hive.cli.reading import find, read


def understood(words: Sequence[str]) -> Any:
    """Return the settings of the command that some words after `hive` name; wrong ones raise `UserError`."""
    path, command, rest = find(COMMANDS, words)
    return read(path, command, rest, COMMANDS)
