"""What can be wrong with a text, as data; how much of it is kept and printed; and the errors that carry it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from dsl.source import Span

MAX_ERRORS = 1_000
"""Errors after which a plan is checked no further."""

MAX_PRINTED = 20
"""Diagnostics that `render` prints; the others are counted."""

MAX_LISTED = 100
"""Diagnostics that `CheckResult.json` lists; the others are counted."""

STOPPED = "plan-many-errors"
"""Code of the warning that says where checking stopped after `MAX_ERRORS` errors."""

_TAB_WIDTH = 4
_WINDOW = 120  # widest piece of a source line that is shown


class UserError(Exception):
    """Base of every error that the user can fix: one message, exit code 2, no traceback."""


@dataclass(frozen=True)
class Diagnostic:
    """One finding about a text.

    Attributes:
        code: Stable name, `tree-…` or `plan-…`; the table is in `dsl/README.md`.
        severity: An error makes the text unusable; a warning does not.
        message: One plain sentence.
        span: The characters concerned; empty where something is missing.
        hint: What to write instead, shown next to the carets.
        help: What is allowed there, shown below.
    """

    code: str
    severity: Literal["error", "warning"]
    message: str
    span: Span
    hint: str | None = None
    help: str | None = None


class DslError(UserError):
    """A text that cannot be used; `diagnostics` holds all errors and warnings in text order."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Keep the diagnostics, of which at least one is an error."""
        self.diagnostics = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        """Return the diagnostics in readable form, as `render` prints them."""
        return render(self.diagnostics)


class FullError(Exception):
    """A text has more than `MAX_ERRORS` errors; `Findings` holds what was found so far."""


class Findings:
    """The diagnostics of one text, collected while it is checked.

    Attributes:
        found: The diagnostics in the order in which they were found.
    """

    def __init__(self) -> None:
        """Begin with no diagnostics."""
        self.found: list[Diagnostic] = []
        self._errors = 0

    def add(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic.

        Raises:
            FullError: It is an error and `MAX_ERRORS` errors are kept already; a warning takes its place.
        """
        if diagnostic.severity == "error":
            if self._errors == MAX_ERRORS:
                message = f"checking stopped after {MAX_ERRORS:,} errors, so there may be more"
                hint = "correct the first ones and check again"
                self.found.append(Diagnostic(STOPPED, "warning", message, diagnostic.span, hint))
                raise FullError
            self._errors += 1
        self.found.append(diagnostic)


def select(diagnostics: Iterable[Diagnostic], most: int) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Split diagnostics into at most `most` to show, errors before warnings, and the rest; both keep their order."""
    every = list(diagnostics)
    order = sorted(range(len(every)), key=lambda place: every[place].severity != "error")
    return [every[place] for place in sorted(order[:most])], [every[place] for place in sorted(order[most:])]


def count_severities(diagnostics: Sequence[Diagnostic], more: str = "") -> list[str]:
    """Return how many errors and warnings there are, such as "1 error" and "2 warnings"; `more` follows the number."""
    severities = [diagnostic.severity for diagnostic in diagnostics]
    counts = ((severities.count(severity), severity) for severity in ("error", "warning"))
    return [f"{count:,} {more}{severity}{'' if count == 1 else 's'}" for count, severity in counts if count]


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """Print diagnostics for a person: sentence, place, source line, carets with the hint, help.

    At most `MAX_PRINTED` are printed, errors before warnings; a last line counts the others.
    """
    shown, rest = select(diagnostics, MAX_PRINTED)
    blocks = [_render_one(diagnostic) for diagnostic in shown]
    if rest:
        least = "at least " if any(diagnostic.code == STOPPED for diagnostic in rest) else ""
        first = "; fix these first" if any(diagnostic.severity == "error" for diagnostic in shown) else ""
        blocks.append(f"... and {least}{' and '.join(count_severities(rest, 'more '))}{first}")
    return "\n\n".join(blocks)


def _render_one(diagnostic: Diagnostic) -> str:
    span = diagnostic.span
    rows = [
        f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}",
        f"  --> {span.source.name}:{span.line}:{span.column}",
        *excerpt(span, diagnostic.hint or ""),
    ]
    if diagnostic.help:
        rows.append(f"  help: {diagnostic.help}")
    return "\n".join(row.rstrip() for row in rows)


def excerpt(span: Span, hint: str = "") -> tuple[str, str]:
    """Return the first line of a stretch of text, and carets below it with a hint next to them."""
    number = span.line
    text = span.source.line(number)
    first = min(span.column - 1, len(text))
    last = len(text) if span.end_line > number else min(span.end_column - 1, len(text))
    # A few characters more than the window tell `_crop` that a piece is cut; showing all of a long line would be slow.
    before, under, after = text[max(0, first - _WINDOW - 1) : first], text[first:last], text[last:].rstrip()
    before, under, after = _crop(_show(before), _show(under[: _WINDOW + 1]), _show(after[: _WINDOW + 1]))
    carets = " " * _width(before) + "^" * max(1, _width(under))
    return f"  {number} | {before}{under}{after}".rstrip(), f"  {' ' * len(str(number))} | {carets} {hint}".rstrip()


def _show(text: str) -> str:
    """Make a piece of a line printable: a tab is four blanks wherever it stands, control characters are boxes."""
    text = text.replace("\t", " " * _TAB_WIDTH)
    return "".join("\ufffd" if unicodedata.category(char) in ("Cc", "Cs") else char for char in text)


def _crop(before: str, under: str, after: str) -> tuple[str, str, str]:
    """Cut a long line down to about `_WINDOW` characters around the span."""
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
