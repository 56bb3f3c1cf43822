"""Every rule that reads a part of an order has an example, and reads a part of that."""

from __future__ import annotations

from typing import Any

import pytest

from hive.players.words import reader, remarks, where, who
from hive.players.words.collector import Rule
from hive.players.words.lexicon import read

TABLES = (
    reader.PHRASES, who.UNITS, where.PLACES, where.DETAILS, remarks.ASIDES,
)  # fmt: skip
ROWS: list[Rule[Any, Any]] = [row for table in TABLES for row in table]
NAMES: dict[tuple[str, ...], dict[str, object]] = {
    (name,): {"name": name.title()} for name in ("stonegate", "rowan", "curlew")
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.example)
def test_an_example_is_read_by_its_rule(row: Rule[Any, Any]) -> None:
    one = reader.Reader(read(row.example, NAMES, "ABCD"))
    one.read()
    assert row in one.used
