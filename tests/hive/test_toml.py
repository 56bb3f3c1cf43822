"""Values as TOML: the reader of the standard library reads back what was written."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from hive.kit.keep import toml
from tests.dsl.strategies import ANY_TEXT

_values = st.recursive(
    ANY_TEXT | st.booleans() | st.integers() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=10,
)
_tables = st.dictionaries(st.sampled_from("abc"), _values)


@given(table=_tables, rows=st.lists(_tables, max_size=3))
def test_values_are_read_back(table: dict[str, object], rows: list[dict[str, object]]) -> None:
    """The rule: every character and every bit of a number."""
    lines = [*toml.pairs(table), f"rows = {toml.rows(rows)}"]
    assert tomllib.loads("\n".join(lines)) == table | {"rows": rows}
