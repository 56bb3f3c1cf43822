"""One line of a plan to its value, or to a diagnostic that says what is wrong with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from dsl.diagnostics import Diagnostic
from dsl.grammar import Expected, Grammar, Stuck
from dsl.nodes import Elimination, Position, UnitList, UnitSlice
from dsl.plan_text import KINDS, Line
from dsl.source import Span
from dsl.wording import did_you_mean, found, listing, nearest, word_at

if TYPE_CHECKING:
    from lark import Token

    from dsl.grammar import Branch

PLAN_GRAMMAR = Grammar(
    "plan.lark",
    tuple(dict.fromkeys(KINDS.values())),
    {"NUMBER": "a number", "WORD": "a name", "$END": "the end of the line"},
)

_MAX_DIGITS = 9
_CANONICAL = {
    "STEP": "Step",
    "PREREQUISITES": "prerequisites",
    "OBJECTIVE": "objective",
    "UNITS": "units",
    "TARGET": "target",
    "PLACE": "position",
    "BEHAVIOUR": "behavior",
}
_BULLETED = ("target_line", "behaviour_line")


@dataclass(frozen=True)
class Numbers:
    """Whole numbers, the span of each, and of all of them with their brackets."""

    values: tuple[int, ...]
    spans: tuple[Span, ...]
    span: Span


@dataclass(frozen=True)
class Names:
    """Words and the span of each."""

    words: tuple[str, ...]
    spans: tuple[Span, ...]


Value: TypeAlias = Numbers | Names | UnitList | Position | Elimination
"""What a line says: a step its number, a target x and y, a behaviour its name and then its target types."""


def read_line(line: Line, kind: str) -> tuple[Value | None, list[Diagnostic]]:
    """Parse a line as the kind that it is; the value is None exactly when a diagnostic is an error."""
    try:
        tree = PLAN_GRAMMAR.parse(line.text, kind)
    except Stuck as stuck:
        return None, [_explain(line, kind, stuck.offset)]
    numbers = [token for token in tree.scan_values(lambda token: token.type == "NUMBER")]
    wrong = [finding for token in numbers if (finding := _check_number(token, line, kind))]
    if wrong:
        return None, wrong
    return _convert(tree, line), _overlooked(tree, line, kind)


def _convert(tree: Branch, line: Line) -> Value:
    (branch,) = _branches(tree)
    tokens = [child for child in branch.children if isinstance(child, str)]
    spans = tuple(line.part(token.start_pos, token.end_pos) for token in tokens)
    span = _span(branch, line)
    if branch.data == "names":
        return Names(tuple(map(str, tokens)), spans)
    if branch.data in ("number", "numbers", "cell"):
        return Numbers(tuple(map(int, tokens)), spans, span)
    if branch.data == "position":
        return Position(span)
    if branch.data == "elimination":
        return Elimination(_unit_list(_branches(branch)[0], line), span)
    return _unit_list(branch, line)


def _unit_list(branch: Branch, line: Line) -> UnitList:
    if branch.data == "all":
        return UnitList(None, _span(branch, line))
    items = _branches(branch)
    return UnitList(
        tuple(_unit_item(item) for item in items), _span(branch, line), tuple(_span(item, line) for item in items)
    )


def _unit_item(branch: Branch) -> UnitSlice | int:
    bounds = [None if child is None else int(str(child)) for child in branch.children]
    if len(bounds) == 2:
        return UnitSlice(*bounds)
    (unit,) = bounds
    assert unit is not None, "the grammar gives a single unit its number"
    return unit


def _branches(tree: Branch) -> list[Branch]:
    return [child for child in tree.children if hasattr(child, "data")]


def _span(branch: Branch, line: Line) -> Span:
    return line.part(branch.meta.start_pos, branch.meta.end_pos)


def _check_number(token: Token, line: Line, kind: str) -> Diagnostic | None:
    span = line.part(token.start_pos, token.end_pos)
    if not re.fullmatch(r"[0-9]+", token):
        code = "plan-step-id" if kind == "step_line" else "plan-number"
        return Diagnostic(code, "error", f"`{token}` is not a whole number from 0 on", span)
    if len(token) > _MAX_DIGITS:
        return Diagnostic("plan-number", "error", f"a number has at most {_MAX_DIGITS} digits", span)
    return None


def _overlooked(tree: Branch, line: Line, kind: str) -> list[Diagnostic]:
    """Return warnings for what was accepted although the format asks for something else (sheet 6.1)."""
    notes = []
    for token in tree.children:
        canonical = _CANONICAL.get(token.type) if isinstance(token, str) else None
        if canonical and token != canonical:
            same_letters = token.lower() == canonical.lower()
            code, what = ("plan-case", "other capitals") if same_letters else ("plan-spelling", "another spelling")
            message = f"{what} than the format's are read, but not by every reader"
            span = line.part(token.start_pos, token.end_pos)
            notes.append(Diagnostic(code, "warning", message, span, f"write `{canonical}`"))
    bulleted = line.text.lstrip().startswith("-")
    if bulleted != (kind in _BULLETED) and not line.decoration:
        message = "this line takes no bullet" if bulleted else "this line should begin with a bullet"
        hint = "leave out the `-`" if bulleted else "put `- ` in front"
        notes.append(Diagnostic("plan-bullet", "warning", message, line.span, hint))
    return notes


def _explain(line: Line, kind: str, offset: int) -> Diagnostic:
    """Say what is wrong where a line stops making sense."""
    start, end = word_at(line.text, offset)
    expected = PLAN_GRAMMAR.expected(line.text[:start], kind)
    if start < offset and not expected.phrases:
        start, expected = offset, PLAN_GRAMMAR.expected(line.text[:offset], kind)
    word = line.text[start:end]
    choices = listing([choice for choice in expected.words if choice != "-"], phrases=expected.phrases)
    message = f"expected {choices}, found {found(word)}" if word else f"the line ends too early: expected {choices}"
    beyond_head = ":" in line.text[:start] and expected.phrases != ("the end of the line",)
    code, help_ = _topic(kind, expected) if beyond_head or expected.phrases == ("a number",) else ("plan-syntax", None)
    return Diagnostic(code, "error", message, line.part(start, end), _hint(word, expected), help_)


def _topic(kind: str, expected: Expected) -> tuple[str, str]:
    """Return code and help for a line whose content is wrong."""
    if kind == "step_line":
        return "plan-step-id", "a step begins with a line such as `Step 0:`"
    if kind == "prerequisites_line":
        return "plan-list", "prerequisites are step numbers in brackets, such as `[0, 1]` or `[]`"
    if kind == "target_line":
        return "plan-target", "a target position is two whole numbers, such as `(25, 75)`"
    if kind == "behaviour_line":
        return "plan-behaviour", "a behaviour is one name, with target types after it where wanted"
    if "position" in expected.words:
        return "plan-objective", "an objective is `position`, `elimination all` or `elimination` with a list"
    return "plan-list", "units are `all` or a list such as `[0, 1, 10:20]`"


def _hint(word: str, expected: Expected) -> str | None:
    if re.fullmatch(r"\d+(-|–|\.{2,})\d+", word):
        return "write a range as `0:10`, its end not included"
    if word and word in ",;" and "a name" in expected.phrases:
        return "names are separated by blanks"
    return did_you_mean(nearest(word, [choice for choice in expected.words if choice.isalpha()]))
