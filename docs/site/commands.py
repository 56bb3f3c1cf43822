"""The page of all commands, made of their help texts whenever the site is built."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence

from hive.cli import entry
from hive.cli.command import Table
from hive.cli.subjects import Subject

_TOP = """# Commands

Every command with its help, as `hive COMMAND --help` prints it; `hive COMMAND WORLD --help` prints the part that a
world needs, with the notes that stand here under the names of worlds. `hive completion` prints the script that lets
a shell complete commands, options and names.
"""


def make_commands() -> str:
    """Return the page."""
    parts = [_TOP, _block(())]
    for path, summary, subjects in _all(entry.COMMANDS, ()):
        parts += [
            f"{'#' * (len(path) + 1)} hive {' '.join(path)}\n",
            f"{summary[:1].upper()}{summary[1:]}.\n",
            _block(path),
            *(_text(f"For {each.several}:\n\n{each.notes}") for each in subjects if each.notes),
        ]
    return "\n".join(parts)


def _all(table: Table, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str, Sequence[Subject]]]:
    """Yield the words that name each command, its summary, and what it may be about."""
    for rows in table.groups.values():
        for row in rows:
            command = table[row.name]
            yield (*path, row.name), row.summary, command.subjects.every() if command.subjects else ()
            if command.parts:
                yield from _all(command.parts, (*path, row.name))


def _block(path: tuple[str, ...]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        entry.main([*path, "--help"])
    return _text(out.getvalue().rstrip())


def _text(shown: str) -> str:
    return f"```text\n{shown}\n```\n"
