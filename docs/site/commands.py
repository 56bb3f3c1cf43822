"""The page of all commands, made of their help texts whenever the site is built."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

from hive.cli import entry
from hive.cli.command import Table

_TOP = """# Commands

Every command with its help, as `hive COMMAND --help` prints it. `hive completion` prints the script that lets a shell
complete commands, options and names.
"""


def make_commands() -> str:
    """Return the page."""
    parts = [_TOP, _block(())]
    for path, summary in _all(entry.COMMANDS, ()):
        parts += [
            f"{'#' * (len(path) + 1)} hive {' '.join(path)}\n",
            f"{summary[:1].upper()}{summary[1:]}.\n",
            _block(path),
        ]
    return "\n".join(parts)


def _all(table: Table, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    for rows in table.groups.values():
        for row in rows:
            yield (*path, row.name), row.summary
            if parts := table[row.name].parts:
                yield from _all(parts, (*path, row.name))


def _block(path: tuple[str, ...]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        entry.main([*path, "--help"])
    return f"```text\n{out.getvalue().rstrip()}\n```\n"
