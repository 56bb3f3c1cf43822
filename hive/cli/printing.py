"""Words and objects that several commands print. Nothing here prints colours."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from dsl import Diagnostic, UserError
from dsl.diagnostics import count_severities


def verdict(diagnostics: Iterable[Diagnostic]) -> str:
    """Return how many errors and warnings there are, in words; empty when there are none."""
    return ", ".join(count_severities(tuple(diagnostics)))


def print_json(value: Any) -> None:
    """Print one object on one line of standard output; NaN and infinity raise, since JSON has neither."""
    print(json.dumps(value, allow_nan=False))


def error_text(error: UserError) -> str:
    """Return an error as it is printed; rendered diagnostics say already that they are errors."""
    text = str(error)
    return text if text.startswith(("error[", "warning[")) else f"error: {text}"


def tell(line: str) -> None:
    """Print a message on standard error."""
    print(line, file=sys.stderr, flush=True)
