"""Errors that the user can fix: one message, exit code 2, no traceback (the base class comes from `dsl`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dsl import UserError
from dsl.diagnostics import MAX_PRINTED, excerpt
from dsl.source import Span
from dsl.wording import plural


class DataError(ValueError):
    """Values that cannot be used; the message says what is wrong with them in plain English."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a file, placed by its key path, and in the text if that is known."""

    code: str  # stable, such as "scenario-range"; the table is in `scenarios/README.md`
    message: str  # one plain sentence
    place: str = ""  # such as "player.units[2].count", entries counted from 0; empty: the complete file
    help: str = ""
    span: Span | None = None  # where it stands in the text of the file, if that is known


class ScenarioError(UserError):
    """A scenario that cannot be used; `problems` holds every problem that was found."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        """Hold the problems of one scenario.

        Args:
            source: File or scenario name, for the place line.
            problems: At least one, in the order of the file.
        """
        self.source = source
        self.problems = tuple(problems)
        super().__init__(source, self.problems)

    def __str__(self) -> str:
        """Render the problems as `dsl.render` does: at most `MAX_PRINTED`, then the number of the others."""
        shown = [_render(self.source, problem) for problem in self.problems[:MAX_PRINTED]]
        more = len(self.problems) - len(shown)
        return "\n\n".join([*shown, *([f"... and {plural(more, 'more error')}; fix these first"] if more else [])])


def _render(source: str, problem: Problem) -> str:
    span = problem.span
    where = f"{source}:{span.line}:{span.column}" if span else source
    rows = [
        f"error[{problem.code}]: {problem.message}",
        f" --> {where}: {problem.place}" if problem.place else f" --> {where}",
        *(excerpt(span) if span else ()),
    ]
    if problem.help:
        rows.append(f"  = help: {problem.help}")
    return "\n".join(rows)
