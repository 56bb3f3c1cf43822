"""The journal of a panel: a line of JSON for each result, so that an interrupted panel goes on.

Each line ends with a digest of itself and of the line before. A last line that a crash cut off is removed when the next
one is added.
"""

from __future__ import annotations

import json
from pathlib import Path

from dsl import UserError
from hive.experiments.panel.members import PanelRow
from hive.kit.errors import DataError
from hive.kit.keep.lines import LineFile, split_torn
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
        self._file = LineFile(path)
        if path.exists():
            self._read()

    def add(self, row: PanelRow) -> None:
        """Append a result; when this returns it is on the disk.

        Raises:
            UserError: The file cannot be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot write {self.path}: {reason(error)}") from None
        self._file.add(*([] if self._file.begun else [_HEAD]), json.dumps(row.json()))
        self.rows.setdefault(row.battle, {})[row.member] = row

    def _read(self) -> None:
        data = self._file.load(MOST_BYTES, _HELP)
        try:
            lines, _ = split_torn(data, _FIRST)
        except DataError as error:
            raise UserError(f"{self.path} is no journal of a panel: {error}\n  = help: {_HELP}") from None
        self._file.keep(lines)
        for number, line in enumerate(lines, 1):
            try:
                found = self._file.chain.read(line)
                if number > 1:
                    row = PanelRow.from_json(found)
                    self.rows.setdefault(row.battle, {})[row.member] = row
                elif found != json.loads(_HEAD):
                    raise DataError(f"its first line is not {_HEAD}")
            except DataError as error:
                raise UserError(
                    f"{self.path}, line {number}: this is no result of a panel: {error}\n  = help: {_HELP}"
                ) from None
