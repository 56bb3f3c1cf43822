"""Patterns and tables of phrases: each row reads its example, which is read otherwise without it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hive.players.words import places, units
from hive.players.words.cursor import Cursor, Row
from hive.players.words.lexicon import read
from hive.players.words.reader import Reader

TABLES = {
    (module, name): getattr(module, name)
    for module, name in ((units, "TO_NOUN"), (units, "AFTER_NOUN"), (places, "NAMED_PLACES"))
}
ROWS = {f"{row.pattern} {row.example}": row for table in TABLES.values() for row in table}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_the_example_of_a_row_is_read_by_it(row: Row[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    came = []

    def spied(reader: Reader, found: object) -> object:
        came.append(row.read(reader, found))
        return came[-1]

    def said(*rows: Row[Any, Any]) -> str:
        """What the example says, with some rows in place of its own."""
        for (module, name), table in TABLES.items():
            monkeypatch.setattr(module, name, [each for old in table for each in (rows if old is row else (old,))])
        return str(Reader(read(row.example, {}, "ABC")).read())

    with_it = said(replace(row, read=spied))
    assert any(more is not None for more in came)
    assert said() != with_it, "the example does not need this row"


@pytest.mark.parametrize(
    ("pattern", "items"),
    [
        ("'the' dir", 2), ("det* dir", 2), ("'the' number? dir", 2), ("'the' dir !offset", 2), ("!dir", 1),
        ("'the' dir/ share 'of'", 2), ("'the' dir/ 'of'", 0), ("dir", 0), ("!det", 0), ("'the' dir 'of'", 0),
    ],
)  # fmt: skip
def test_a_pattern_counts_the_items_that_it_steps_over(pattern: str, items: int) -> None:
    assert Cursor(read("the left half of the archers", {}, "")).ahead(pattern) == items
