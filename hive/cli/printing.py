"""Words and objects that several commands print."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from dsl import Diagnostic
from dsl.diagnostics import count_severities


def plural(number: int, what: str) -> str:
    """Return "1 step", "2 steps", "1,000 games"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def verdict(diagnostics: Iterable[Diagnostic]) -> str:
    """Return how many errors and warnings there are, in words; empty when there are none."""
    return ", ".join(count_severities(tuple(diagnostics)))


def print_json(value: Any) -> None:
    """Print one object on one line of standard output; a number that JSON does not know is our mistake."""
    print(json.dumps(value, allow_nan=False))


def pretty(value: Any) -> str:
    """Return the text of a JSON file that people read too."""
    return json.dumps(value, indent=2, allow_nan=False) + "\n"


def tell(line: str) -> None:
    """Print a line about what happens, on standard error."""
    print(line, file=sys.stderr, flush=True)
