"""Tables as CSV (RFC 4180): a header, a row for each line of the table, the numbers as JSON has them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as the text of a CSV file.

    A value in an object has the column `name.inner`, and the numbered values of a list are columns `name.0`, `name.1`.
    What a row lacks, or has as None, is empty; truth is `true` or `false`.

    Args:
        rows: Of values that JSON keeps; the columns stand in the order in which they are met.

    Raises:
        ValueError: A number is not finite.
    """
    flat = [dict(_cells("", row)) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(names)
    writer.writerows([_shown(row.get(name)) for name in names] for row in flat)
    return text.getvalue()


def _cells(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    """Yield the columns of a value and what stands in them."""
    if isinstance(value, list | tuple):
        value = dict(enumerate(value))
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _cells(f"{name}.{key}" if name else str(key), inner)
    else:
        yield name, value


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, allow_nan=False)
