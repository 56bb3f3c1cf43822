"""Tables in messages and results."""

from __future__ import annotations

from dsl.wording import columns, listing


def test_columns_are_as_wide_as_their_longest_cell_and_no_line_ends_with_blanks() -> None:
    rows = [["name", "games", ""], ["duel", "10", "won"], ["a", "7", ""]]
    assert columns(rows) == "name  games\nduel  10     won\na     7"
    assert columns(rows, left=(0,)) == "name  games\nduel     10  won\na         7"


def test_a_list_of_nothing_is_empty() -> None:
    assert listing([]) == ""
    assert listing(["a"]) == "`a`"
    assert listing(["a", "b"], phrases=["a number"]) == "`a`, `b` or a number"
