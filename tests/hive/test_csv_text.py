"""Tables as CSV: what was written is read back, and an unknown value is empty."""

from __future__ import annotations

import csv
import io

import pytest

from hive.kit.keep.csv_text import csv_text


def test_rows_are_read_back_by_their_columns() -> None:
    """The rule: one header, numbers unformatted, RFC 4180 in quotes and ends of lines, no text for what is unknown."""
    rows = [
        {"plan": 'a "b", c\nd', "rules": {"limit": 1e-05}, "won": True, "achieved": [3, None], "score": None},
        {"plan": "é", "games": 1_000_000, "rules": {}, "won": False},
    ]
    text = csv_text(rows)
    head, *found = csv.reader(io.StringIO(text, newline=""))
    assert head == ["plan", "rules.limit", "won", "achieved.0", "achieved.1", "score", "games"]
    assert found == [['a "b", c\nd', "1e-05", "true", "3", "", "", ""], ["é", "", "false", "", "", "", "1000000"]]
    assert text.startswith("plan,rules.limit,") and text.endswith(",1000000\r\n")


def test_a_number_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        csv_text([{"share": float("nan")}])
