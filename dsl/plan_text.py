"""The lines of the plan in a reply: finds the markers, removes Markdown and classifies each line, without parsing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dsl.diagnostics import Diagnostic
from dsl.source import Source, Span
from dsl.wording import nearest

LINE_KINDS = {
    "step": "step_line",
    "prerequisites": "prerequisites_line",
    "objective": "objective_line",
    "units": "units_line",
    "target position": "target_line",
    "behavior": "behaviour_line",
    "behaviour": "behaviour_line",
}
"""First words of a line and the rule of `plan.lark` that reads it."""

LABELS = {
    "step_line": "Step",
    "prerequisites_line": "prerequisites:",
    "objective_line": "objective:",
    "units_line": "units:",
    "target_line": "- target position:",
    "behaviour_line": "- behavior:",
}
"""How the format begins each kind of line."""

_MARKER_LINE = re.compile(r"^[^\w\r\n]*\b(BEGIN|END)[ \t]+PLAN\b[^\w\r\n]*$", re.MULTILINE | re.IGNORECASE)
_MARKER = re.compile(r"\b(BEGIN|END)[ \t]+PLAN\b")
_FENCE_OR_RULE = re.compile(r"[ \t]*(```|~~~|[-=_]{3,}[ \t]*$)")
_DECORATION = re.compile(r"[*`]+|^[ \t]*(?:#+|>+|[+•][ \t])|(?<!\w)_+|(?<!_)_+(?!\w)")
_LABEL = re.compile(r"[ \t]*(?:-[ \t]*)?([A-Za-z]+)(?:[ \t]+([A-Za-z]+))?")
_COMMENT = re.compile(r"(?<![^ \t])#.*")
_HEADING = re.compile(r"[ \t]*#+[ \t]*[*_]*step[ \t]*\d+[*_ \t]*:[*_ \t]*$", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_STEP = re.compile(r"[ \t]*(?:-[ \t]*)?step[ \t]*+(?:[-+]?\d|[^:]*:)", re.IGNORECASE)


@dataclass(frozen=True)
class PlanLine:
    """One line of a plan, or a comment; blank lines have none.

    Attributes:
        kind: A rule of `plan.lark`, or None where the line is none of them.
        text: The line with decoration and unusual blanks replaced by plain blanks, so that offsets stay the same.
        start: Offset of `text` in the source.
        span: The line without the blanks around it.
        decoration: The first Markdown signs that were overlooked, if any.
        comment: The comment at its end, with its `#`; empty for none.
    """

    kind: str | None
    text: str
    start: int
    span: Span
    decoration: Span | None
    comment: str = ""

    def part(self, start: int, end: int) -> Span:
        """Return the span of a piece of `text`."""
        return Span(self.span.source, self.start + start, self.start + end)

    def guess(self) -> str | None:
        """Return, for a line of no kind, the words with which it should probably begin."""
        if ":" not in self.text:
            return None
        label = _LABEL.match(self.text)
        if not label or label.group(1).lower() == "step":
            return None
        words = nearest(self.text.split(":")[0].strip(" \t-"), LINE_KINDS)
        return words if words != "step" or self.has_digit() else None

    def has_digit(self) -> bool:
        """Return whether the line holds a digit, without which it cannot begin a step."""
        return bool(_DIGIT.search(self.text))


def find_plan(source: Source) -> tuple[int, int, list[Diagnostic]]:
    """Find the first plan between the markers, or the whole text where there are none (docs/rules/plans.md 1.5).

    Returns:
        Its start and end offset, and what is wrong with the markers.
    """
    alone, markers = (list(each.finditer(source.plain)) for each in (_MARKER_LINE, _MARKER))
    if alone and (_are_pairs(alone) or not _are_pairs(markers)):  # else prose stands beside a marker
        markers = alone
    plans: list[tuple[int, int]] = []
    wrong: list[Diagnostic] = []
    begin: Span | None = None
    for marker in markers:
        span = _trim(source, *marker.span())
        if marker.group(1).upper() == "BEGIN":
            if begin:
                wrong.append(_unpaired(span, "`BEGIN PLAN` stands here again before any `END PLAN`"))
            elif plans:
                message = "only the first plan is used, and another one begins here"
                wrong.append(Diagnostic("plan-second", "warning", message, span))
            begin = begin or span
        elif begin:
            plans.append((begin.end, span.start))
            begin = None
        else:
            wrong.append(_unpaired(span, "this `END PLAN` has no `BEGIN PLAN` before it"))
            plans = plans or [(0, span.start)]
    if begin:
        wrong.append(_unpaired(begin, "this `BEGIN PLAN` has no `END PLAN` after it"))
        plans.append((begin.end, len(source.text)))
    start, end = plans[0] if plans else (0, len(source.text))
    return start, end, wrong


def _are_pairs(markers: Sequence[re.Match[str]]) -> bool:
    return [marker.group(1).upper() for marker in markers] == ["BEGIN", "END"] * (len(markers) // 2)


def has_content(source: Source, start: int, end: int) -> bool:
    """Return whether a stretch between markers that stand alone in their lines holds more than blanks."""
    return bool(_MARKER_LINE.search(source.plain) and source.plain[start:end].strip())


def split_lines(source: Source, start: int, end: int) -> Iterator[PlanLine]:
    """Return the lines of a stretch of the source, without blank ones, fences, rules and markers.

    A `#` after a blank or at the start of a line begins a comment (docs/rules/plans.md 1.6).
    """
    bounds = [(max(first, start), min(last, end)) for first, last in source.lines if last > start and first < end]
    raws = [(first, raw) for first, last in bounds if (raw := source.plain[first:last]).strip()]
    for (line_start, raw), (_, after) in pairwise((*raws, (end, ""))):
        if _MARKER_LINE.match(raw):
            continue
        comment = find_comment(raw, after)
        content = raw[: comment.start()].ljust(len(raw)) if comment else raw
        text = _undecorate(content)
        decoration = None
        if text != content:
            signs = [place for place, (old, new) in enumerate(zip(content, text, strict=True)) if old != new]
            decoration = _trim(source, line_start + signs[0], line_start + signs[-1] + 1)
        remark = comment.group().rstrip() if comment else ""
        if not text.strip():
            span = decoration or _trim(source, line_start, line_start + len(raw))
            yield PlanLine(None, text, line_start, span, decoration, remark)
            continue
        blanks = len(text) - len(text.lstrip())
        span = Span(source, line_start + blanks, line_start + len(text.rstrip()))
        yield PlanLine(_classify(text), text, line_start, span, decoration, remark)


def find_comment(line: str, after: str) -> re.Match[str] | None:
    """Return the comment of a line; `# Step 3:` is a heading, not a comment, where the next line belongs to its step.

    Args:
        line: A line without its line break.
        after: The next line that is not blank; empty after the last one.
    """
    heading = _HEADING.match(line) and after and not (after.lstrip().startswith("#") or _MARKER_LINE.match(after))
    return None if heading else _COMMENT.search(line)


def _undecorate(text: str) -> str:
    if _FENCE_OR_RULE.match(text):
        return " " * len(text)
    return _DECORATION.sub(lambda match: " " * len(match.group()), text)


def _classify(text: str) -> str | None:
    """Return the kind of a line, or None."""
    label = _LABEL.match(text)
    if not label:
        return None
    first, second = label.group(1).lower(), (label.group(2) or "").lower()
    if first == "step":
        return "step_line" if _STEP.match(text) else None
    return LINE_KINDS.get(first) or LINE_KINDS.get(f"{first} {second}")


def _trim(source: Source, start: int, end: int) -> Span:
    """Return a span without the blanks at its ends."""
    text = source.plain[start:end]
    return Span(source, start + len(text) - len(text.lstrip()), start + len(text.rstrip()))


def _unpaired(span: Span, message: str) -> Diagnostic:
    hint = "write both markers or neither"
    return Diagnostic("plan-marker", "error", message, span, hint)
