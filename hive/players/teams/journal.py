"""The journal of an episode: a line of JSON for each finished step, from which the episode resumes.

The first line says what is played. Each line ends with a digest of itself and of the line before. A last line that a
crash cut off is removed when the next one is added.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.kit.errors import DataError
from hive.kit.keep.lines import LineChain, LineFile, read_line, split_torn

FORMAT = "hive-team-2"
_FIRST = (b'{"format": "hive-team-2"',)
_ANOTHER = "name another folder, or begin again without what was played"
MOST_BYTES = 2**30
_STEP: dict[str, Any] = {"step": int, "score": int | float, "asked": list, "mail": list, "acts": list, "log": list}
_CALL: dict[str, Any] = {"agent": str, "purpose": str, "digest": str, "text": str, "model": str, "finish": str}
_CALL |= {"seconds": int | float, "prompt": int | None, "reply": int | None}


class Journal:
    """Lines of one episode, in a file or in memory.

    Attributes:
        path: The file, or None.
        head: What is played, once it is known.
        rows: Finished steps, and after an ended episode its last line.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Read the file, if there is one.

        Raises:
            UserError: It cannot be read, or is no journal.
        """
        self.path = path
        self.head: dict[str, Any] | None = None
        self.rows: list[dict[str, Any]] = []
        self._file = LineFile(path) if path else None
        if self._file and self._file.path.exists():
            self._read(self._file)

    def open(self, head: Mapping[str, Any]) -> None:
        """Write the first line, or compare it with that of the episode that is resumed.

        Raises:
            UserError: The journal is of another episode, or cannot be written.
        """
        wanted = json.loads(json.dumps({"format": FORMAT, **head}))
        if self.head is None:
            self.head = wanted
            self._write(wanted)
        elif self.head != wanted:
            wrong = sorted(key for key in wanted.keys() | self.head.keys() if wanted.get(key) != self.head.get(key))
            raise UserError(
                f"{self.path or 'the journal'} is of another episode: it differs in {', '.join(wrong)}\n"
                "  = help: resume with the options that it began with, or name another folder"
            )

    def text(self) -> str:
        """Return all lines, as a file has them."""
        chain = LineChain()
        return "".join(chain.write(json.dumps(line)) + "\n" for line in (self.head, *self.rows))

    def add(self, row: Mapping[str, Any]) -> None:
        """Append a line; when this returns it is on the disk.

        Raises:
            UserError: The file cannot be written.
        """
        self.rows.append(json.loads(json.dumps(row)))
        self._write(row)

    def _write(self, row: Mapping[str, Any]) -> None:
        if self._file:
            self._file.add(json.dumps(row))

    def _read(self, file: LineFile) -> None:
        path, data = file.path, file.load(MOST_BYTES, _ANOTHER)
        try:
            form = read_line(data.partition(b"\n")[0])["format"] if b"\n" in data else FORMAT
        except (DataError, KeyError):
            form = None
        try:
            if form != FORMAT:
                raise DataError(f"its first line has no `format` {FORMAT}")
            lines, _ = split_torn(data, _FIRST)
        except DataError as error:
            raise UserError(f"{path} is no journal of an episode: {error}\n  = help: {_ANOTHER}") from None
        file.keep(lines)
        for number, line in enumerate(lines, 1):
            try:
                row = file.chain.read(line)
                _check_step(row, number - 1)
            except DataError as error:
                raise UserError(
                    f"{path}, line {number}: this is no step of an episode: {error}\n  = help: {_ANOTHER}"
                ) from None
            if number == 1:
                self.head = row
            else:
                self.rows.append(row)


def _check_step(row: dict[str, Any], step: int) -> None:
    """Check a line; the first has the step 0.

    Raises:
        DataError: Something is wrong with it.
    """
    if not step:
        return
    if row.get("step") != step:
        raise DataError(f"its step is not {step}")
    if row.get("end"):
        return
    for name, kind in _STEP.items():
        if not isinstance(row.get(name), kind):
            raise DataError(f"`{name}` is missing or of the wrong type")
    for call in row["asked"]:
        for name, kind in _CALL.items():
            if not isinstance(call, dict) or name not in call or not isinstance(call[name], kind):
                raise DataError(f"`{name}` of a call is missing or of the wrong type")
