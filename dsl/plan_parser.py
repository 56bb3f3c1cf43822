"""Reading of plan text into drafts of steps. Every bad line is reported, and none hides a later one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from dsl.diagnostics import Diagnostic, Findings
from dsl.drafts import GroupDraft, StepDraft
from dsl.plan_lines import read_line
from dsl.plan_text import LABELS, LINE_KINDS, PlanLine, find_plan, has_content, split_lines
from dsl.source import Source, Span, find_excess
from dsl.wording import did_you_mean, listing
from dsl.written import Aim, Numbers, Value, WrittenBehaviour, WrittenTarget, WrittenUnits

MAX_PLAN_LENGTH = 1_000_000
"""Longest plan in characters between its markers; blanks, line breaks and `-` do not count.

The canonical layout adds nothing else, so that it can be read wherever the plan could be read.
"""

MAX_PLAN_WORDS = 150_000
"""Most words, numbers and signs of a plan; a run of one sign, such as `::`, counts once, and `-` is not counted."""

_WORD = re.compile(r"\w+|([^\w\s-])\1*")

_BELOW_UNITS = ("target_line", "behaviour_line")


def read_plan(
    source: Source, objectives: tuple[str, ...], findings: Findings
) -> tuple[list[StepDraft], list[PlanLine]]:
    """Parse the first plan of a text. Of the rules between lines, only their order is checked.

    Args:
        source: The text.
        objectives: The objectives that the plan may name.
        findings: Receives the diagnostics.

    Returns:
        The steps, as far as they could be read, and the lines and comments that were read.

    Raises:
        FullError: There are too many errors to go on.
    """
    start, end, wrong = find_plan(source)
    if span := find_excess(source, MAX_PLAN_LENGTH, start, end, "-"):
        findings.add(_too_long(f"a plan has at most {MAX_PLAN_LENGTH:,} characters without blanks", span))
        return [], []
    if excess := next(islice(_WORD.finditer(source.plain, start, end), MAX_PLAN_WORDS, None), None):
        message = f"a plan has at most {MAX_PLAN_WORDS:,} words, numbers and signs"
        hint = "write units with consecutive ids as a slice, such as `0:100`"
        findings.add(_too_long(message, Span(source, *excess.span()), hint))
        return [], []
    for finding in wrong:
        findings.add(finding)
    assembly = _Assembly(findings, objectives)
    for line in split_lines(source, start, end):
        assembly.add(line)
    assembly.close_step()
    if not assembly.steps:
        span = Span(source, start, start)
        hint = "a plan begins with a line such as `Step 0:`"
        findings.found[:] = [finding for finding in findings.found if finding.severity == "error"]
        if has_content(source, start, end):
            message = "there is no step between `BEGIN PLAN` and `END PLAN`"
            findings.add(Diagnostic("plan-no-step", "error", message, span, hint))
        else:
            findings.add(Diagnostic("plan-empty", "error", "there is no step in this text", span, hint))
    return assembly.steps, assembly.lines


def _too_long(message: str, span: Span, hint: str | None = None) -> Diagnostic:
    return Diagnostic("plan-size", "error", message, span, hint)


class _Assembly:
    """Assembles lines into steps and groups, and reports lines that are missing, repeated or out of order."""

    def __init__(self, findings: Findings, objectives: tuple[str, ...]) -> None:
        self.steps: list[StepDraft] = []
        self.lines: list[PlanLine] = []
        self._findings = findings
        self._objectives = objectives
        self._noted = set[str]()

    def add(self, line: PlanLine) -> None:
        """Read the next line and put it where it belongs."""
        if line.decoration:
            self._report(
                Diagnostic("plan-markdown", "warning", "Markdown signs are ignored", line.decoration, "leave them out")
            )
        if line.kind or line.comment:
            self.lines.append(line)
        if not line.text.strip():
            return
        guess = None if line.kind or not (self.steps or line.has_digit()) else line.guess()
        kind = line.kind or LINE_KINDS.get(guess or "")
        findings: Iterable[Diagnostic]
        value, findings = read_line(line, line.kind, self._objectives) if line.kind else (None, [_unknown(line, guess)])
        if not self.steps and kind != "step_line":
            self._report(_early(line, value))
            return
        for finding in findings:
            self._report(finding)
        if kind == "step_line":
            self.close_step()
            number = value if isinstance(value, Numbers) else _rescue_number(line)
            self.steps.append(StepDraft(line.span, line.span.end, number))
        elif kind in ("prerequisites_line", "objective_line"):
            self._add_to_step(line, kind, value)
        elif kind:
            self._add_to_group(line, kind, value)

    def close_step(self) -> None:
        """Report what the last step lacks."""
        if not self.steps:
            return
        step = self.steps[-1]
        for kind in ("prerequisites_line", "objective_line"):
            if kind not in step.seen:
                self._error("plan-missing-line", f"{step.name} has no `{LABELS[kind]}` line", step.header)
        if not step.groups:
            self._error("plan-no-group", f"{step.name} has no group of units", step.header, "add a `units:` line")
        self._close_group()

    def _close_group(self) -> None:
        groups = self.steps[-1].groups
        for kind in _BELOW_UNITS:
            if groups and "units_line" in groups[-1].seen and kind not in groups[-1].seen:
                self._error("plan-missing-line", f"this group has no `{LABELS[kind]}` line", groups[-1].header)

    def _add_to_step(self, line: PlanLine, kind: str, value: Value | None) -> None:
        step = self.steps[-1]
        step.end = line.span.end
        if kind in step.seen:
            self._error("plan-duplicate-line", f"{step.name} has a second `{LABELS[kind]}` line", line.span)
            return
        if step.groups or (kind == "prerequisites_line" and step.seen):
            later = "units:" if step.groups else "objective:"
            self._error("plan-order", f"`{LABELS[kind]}` comes before `{later}`", line.span, "move this line up")
        step.seen.append(kind)
        if isinstance(value, Numbers):
            step.prerequisites = value
        elif isinstance(value, Aim):
            step.aim = value

    def _add_to_group(self, line: PlanLine, kind: str, value: Value | None) -> None:
        step = self.steps[-1]
        step.end = line.span.end
        group = step.groups[-1] if step.groups else None
        if kind == "units_line" or group is None or {*group.seen} >= {*_BELOW_UNITS}:
            self._close_group()
            if kind != "units_line":
                self._error("plan-missing-line", f"`{LABELS[kind]}` has no `units:` line before it", line.span)
            group = GroupDraft(line.span, line.span.end, [])
            step.groups.append(group)
        elif kind in group.seen:
            self._error("plan-duplicate-line", f"this group has a second `{LABELS[kind]}` line", line.span)
            return
        elif kind == "target_line" and "behaviour_line" in group.seen:
            message = f"`{LABELS[kind]}` comes before `{LABELS['behaviour_line']}`"
            self._error("plan-order", message, line.span, "move this line up")
        group.end = line.span.end
        group.seen.append(kind)
        if isinstance(value, WrittenUnits):
            group.written, group.units = value, value.plain
        elif isinstance(value, WrittenTarget):
            group.target = value
        elif isinstance(value, WrittenBehaviour):
            group.behaviour = value

    def _error(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        self._report(Diagnostic(code, "error", message, span, hint))

    def _report(self, finding: Diagnostic) -> None:
        """Keep every error, and the first warning of each kind, since later ones would say the same."""
        if finding.severity == "warning":
            if finding.code in self._noted:
                return
            self._noted.add(finding.code)
        self._findings.add(finding)


def _rescue_number(line: PlanLine) -> Numbers | None:
    """Return the number in a bad header, so that rules between steps can be checked all the same."""
    number = re.search(r"(?<![-+.\w])[0-9]{1,9}(?![.\w])", line.text)
    if not number:
        return None
    span = line.part(*number.span())
    return Numbers((int(number.group()),), (span,), span)


def _unknown(line: PlanLine, guess: str | None) -> Diagnostic:
    hint = did_you_mean(LABELS[LINE_KINDS[guess]]) if guess else None
    help_ = f"lines begin with {listing(LABELS.values())}"
    return Diagnostic("plan-unknown-line", "error", "this line is not part of a plan", line.span, hint, help_)


def _early(line: PlanLine, value: Value | None) -> Diagnostic:
    if value:
        hint = "begin with a line such as `Step 0:`"
        return Diagnostic("plan-order", "error", "this line stands before the first step", line.span, hint)
    return Diagnostic("plan-text-before", "warning", "text before the first step is not read", line.span)
