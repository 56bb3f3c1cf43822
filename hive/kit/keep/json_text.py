"""Values as the text of JSON files; NaN and infinity raise, since JSON has neither."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any


def pretty(value: Any) -> str:
    """Return the text of a JSON file, indented for readers."""
    return json.dumps(value, indent=2, allow_nan=False) + "\n"


def json_lines(rows: Iterable[Any]) -> str:
    """Return the text of a file with one JSON object a line."""
    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows)
