"""Write TOML, which the standard library only reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any


def value(found: Any) -> str:
    """Return a text, a number, a truth value, or a list or table of these, as TOML on one line."""
    if isinstance(found, str):
        return f'"{escaped(found)}"'
    if isinstance(found, Mapping):
        return f"{{ {', '.join(pairs(found))} }}"
    if isinstance(found, (list, tuple)):
        return f"[{', '.join(map(value, found))}]"
    return str(found).lower()


def pairs(table: Mapping[str, Any]) -> list[str]:
    """Return a line for each key of a table."""
    return [f"{key} = {value(each)}" for key, each in table.items()]


def rows(tables: Iterable[Mapping[str, Any]]) -> str:
    """Return a list of tables, each on a line of its own."""
    lines = "".join(f"  {value(table)},\n" for table in tables)
    return f"[\n{lines}]" if lines else "[]"


def escaped(text: str) -> str:
    """Return a text as it stands between quotation marks."""
    return json.dumps(text, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f")  # TOML forbids a bare DEL
