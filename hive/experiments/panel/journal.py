"""The journal of a panel: a line of JSON for each result, so that an interrupted panel goes on.

Each line ends with a digest of itself and of the line before. A last line that a crash cut off is removed when the next
one is added.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from dsl import UserError
from hive.experiments.panel.members import PanelRow
from hive.kit.errors import DataError
from hive.kit.keep.lines import LineChain, split_torn
from hive.kit.keep.places import reason
from hive.worlds.battle.drawn.draw import VERSION

FORMAT = "hive-panel-1"
_HEAD = json.dumps({"format": FORMAT, "battles": VERSION})
_FIRST = (_HEAD[:-1].encode(),)
_HELP = "name another folder with --out"
MOST_BYTES = 2**30


class PanelJournal:
    """The results of a panel in a file.

    Attributes:
        path: The file; it is written with the first result.
        rows: What members did, by battle and member; of several searches the last counts.
    """

    def __init__(self, path: Path) -> None:
        """Read the file, if there is one.

        Raises:
            UserError: It cannot be read, is no journal of a panel, was changed, or is of other battles.
        """
        self.path = path
        self.rows: dict[str, dict[str, PanelRow]] = {}
        self._chain, self._good = LineChain(), 0
        if path.exists():
            self._read()

    def add(self, row: PanelRow) -> None:
        """Append a result; when this returns it is on the disk.

        Raises:
            UserError: The file cannot be written.
        """
        chain = self._chain.copy()
        head = "" if self._good else chain.write(_HEAD) + "\n"
        data = (head + chain.write(json.dumps(row.json())) + "\n").encode()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.truncate(self._good)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise UserError(f"cannot write {self.path}: {reason(error)}") from None
        self._good += len(data)
        self._chain = chain
        self.rows.setdefault(row.battle, {})[row.member] = row

    def _read(self) -> None:
        try:
            if self.path.stat().st_size > MOST_BYTES:
                raise UserError(f"{self.path} is larger than a journal may be, {MOST_BYTES:,} bytes\n  = help: {_HELP}")
            data = self.path.read_bytes()
        except OSError as error:
            raise UserError(f"cannot read {self.path}: {reason(error)}") from None
        try:
            lines, _ = split_torn(data, _FIRST)
        except DataError as error:
            raise UserError(f"{self.path} is no journal of a panel: {error}\n  = help: {_HELP}") from None
        for number, line in enumerate(lines, 1):
            try:
                found = self._chain.read(line)
                if number > 1:
                    row = PanelRow.from_json(found)
                    self.rows.setdefault(row.battle, {})[row.member] = row
                elif found != json.loads(_HEAD):
                    raise DataError(f"its first line is not {_HEAD}")
            except DataError as error:
                raise UserError(
                    f"{self.path}, line {number}: this is no result of a panel: {error}\n  = help: {_HELP}"
                ) from None
        self._good = sum(len(line) + 1 for line in lines)
