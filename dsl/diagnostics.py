"""What can be wrong with a text, as data; how to print it; and the errors that carry it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from dsl.source import Span

_TAB_WIDTH = 4
_WINDOW = 120  # widest piece of a source line that is shown


class UserError(Exception):
    """Base of every error that the user can mend: one message, exit code 2, no traceback."""


@dataclass(frozen=True)
class Diagnostic:
    """One finding about a text.

    Attributes:
        code: Stable name, `tree-…` or `plan-…`; the table is in `dsl/README.md`.
        severity: An error makes the text unusable; a warning does not.
        message: One plain sentence.
        span: The characters concerned; empty where something is missing.
        hint: What to write instead, shown beside the carets.
        help: What is allowed there, shown below.
    """

    code: str
    severity: Literal["error", "warning"]
    message: str
    span: Span
    hint: str | None = None
    help: str | None = None


class DslError(UserError):
    """A text that cannot be used; `diagnostics` holds every finding, warnings too, in text order."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Keep the diagnostics, of which at least one is an error."""
        self.diagnostics = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        """Return the diagnostics as a person reads them."""
        return render(self.diagnostics)


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """Print diagnostics for a person: sentence, place, source line, carets with the hint, help."""
    return "\n\n".join(_render_one(diagnostic) for diagnostic in diagnostics)


def _render_one(diagnostic: Diagnostic) -> str:
    span = diagnostic.span
    number = span.line
    text = span.source.line(number)
    first = min(span.column - 1, len(text))
    last = len(text) if span.end_line > number else min(span.end_column - 1, len(text))
    before, under, after = _crop(_show(text[:first]), _show(text[first:last]), _show(text[last:].rstrip()))
    carets = " " * _width(before) + "^" * max(1, _width(under))
    margin = " " * len(str(number))
    rows = [
        f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}",
        f"  --> {span.source.name}:{number}:{span.column}",
        f"  {number} | {before}{under}{after}",
        f"  {margin} | {carets} {diagnostic.hint or ''}",
    ]
    if diagnostic.help:
        rows.append(f"  help: {diagnostic.help}")
    return "\n".join(row.rstrip() for row in rows)


def _show(text: str) -> str:
    """Make a piece of a line printable: a tab is four blanks wherever it stands, control characters are boxes."""
    text = text.replace("\t", " " * _TAB_WIDTH)
    return "".join("\ufffd" if unicodedata.category(char) in ("Cc", "Cs") else char for char in text)


def _crop(before: str, under: str, after: str) -> tuple[str, str, str]:
    """Cut a long line down to about `_WINDOW` characters round the span."""
    if len(before) + len(under) + len(after) <= _WINDOW:
        return before, under, after
    if len(under) > _WINDOW // 2:
        under, after = under[: _WINDOW // 2] + "…", ""
    room = _WINDOW - len(under)
    if len(before) > room // 2:
        before = "…" + before[len(before) - room // 2 :]
    if len(after) > room // 2:
        after = after[: room // 2] + "…"
    return before, under, after


def _width(text: str) -> int:
    """Columns that a terminal gives to a text: wide characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
