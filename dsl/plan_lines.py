"""Reading of one line of a plan: its value, or diagnostics that say what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dsl.diagnostics import Diagnostic
from dsl.grammar import Branch, Expected, Grammar, StuckError, Word
from dsl.plan_text import LINE_KINDS, PlanLine
from dsl.plan_values import line_value
from dsl.source import Span
from dsl.wording import did_you_mean, found, listing, nearest, quoted, word_at
from dsl.written import Value

PLAN_GRAMMAR = Grammar(
    "plan.lark",
    tuple(dict.fromkeys(LINE_KINDS.values())),
    {
        "NUMBER": "a number",
        "NAME": "a name",
        "WORD": "a name",
        "MARKER": "the letter of a marker",
        "$END": "the end of the line",
    },
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
_OBJECTIVES = {  # first word of an objective: how it may go on
    "position": ("`position`",),
    "elimination": ("`elimination all`", "`elimination` with a list or with types"),
    "cut": ("`cut [(11, 16), (12, 16)]`",),
    "extinguish": ("`extinguish`",),
    "contain": ("`contain (30, 30) 12`",),
    "rescue": ("`rescue 3 (20, 20)`",),
    "transport": ("`transport 6 (92, 11)`",),
    "scout": ("`scout (10, 10) (40, 40)`", "`scout fire`"),
    "time": ("`time 100`",),
    "arrival": ("`arrival any`", "`arrival 80%`"),
    "sighted": ("`sighted`",),
    "losses": ("`losses 30%`",),
    "enemy": ("`enemy losses 50%`",),
}
_UNITS = ("`all`", "a list such as `[0, 1, 10:20]`", "words such as `archer`, `half of archer` or `the rest`")
_TARGETS = ("two whole numbers, such as `(25, 75)`", "words such as `marker A`, `north-east` or `line (5, 5) - (9, 5)`")
_CHOICE_IN_LIST = re.compile(r"[^,]*,.*\b(nearest|in)\b")
_BARE_LIST = re.compile(r"[^:]*:\s*(\d+\s*:\s*\d*|\d+(?:\s*,\s*\d+)*)\s*$")


def read_line(line: PlanLine, kind: str, objectives: tuple[str, ...]) -> tuple[Value | None, Iterator[Diagnostic]]:
    """Parse a line as the kind that it is.

    Args:
        line: The line.
        kind: Its kind, a rule of `plan.lark`.
        objectives: The objectives that a plan may name.

    Returns:
        The value, which is None exactly when a diagnostic is an error, and the diagnostics. Explaining an error costs
        more than finding it, so an error is explained when it is asked for.
    """
    known = {name.split()[0] for name in objectives}
    if kind == "objective_line" and _first_word(line)[0] in _OBJECTIVES.keys() - known:
        return None, _explain_foreign(line, objectives)
    try:
        branch = PLAN_GRAMMAR.parse(line.text, kind)
    except StuckError as stuck:
        return None, _explain(line, kind, stuck, objectives)
    wrong = [word for word in branch.all_words() if word.terminal == "NUMBER" and not _is_right(word)]
    if wrong:
        return None, (_explain_number(word, line, kind) for word in wrong)
    (content,) = branch.branches
    return line_value(content, line), iter(_overlooked(branch, line, kind))


def _explain_foreign(line: PlanLine, objectives: tuple[str, ...]) -> Iterator[Diagnostic]:
    """Report an objective of the language that this plan may not name."""
    word, span = _first_word(line)
    hint = did_you_mean(nearest(word, objectives))
    help_ = f"objectives are {listing(objectives, 'and')}"
    yield Diagnostic("plan-objective", "error", f"`{word}` is not an objective of this scenario", span, hint, help_)


def _first_word(line: PlanLine) -> tuple[str, Span]:
    """Return the first word after the colon, perhaps empty, and its place."""
    word = re.search(r"(?<=:)\s*(\w*)", line.text)
    return (word[1], line.part(*word.span(1))) if word else ("", line.span)


def _is_right(number: Word) -> bool:
    return number.text.isdecimal() and len(number.text) <= _MAX_DIGITS


def _explain_number(number: Word, line: PlanLine, kind: str) -> Diagnostic:
    span = line.part(number.start, number.end)
    if number.text.isdecimal():
        return Diagnostic("plan-number", "error", f"a number has at most {_MAX_DIGITS} digits", span)
    code = "plan-step-id" if kind == "step_line" else "plan-number"
    message = f"{quoted(number.text)} is not a whole number of at least 0"
    hint = f"write `{round(float(number.text))}`" if re.fullmatch(r"[0-9]{1,9}\.[0-9]+", number.text) else None
    help_ = _topic(line, kind, ())[1] if kind == "target_line" else None
    return Diagnostic(code, "error", message, span, hint, help_)


def _overlooked(branch: Branch, line: PlanLine, kind: str) -> list[Diagnostic]:
    """Return warnings for what was accepted although the format asks for something else (docs/rules/plans.md 1.4)."""
    notes = []
    for word in branch.words:
        canonical = _CANONICAL.get(word.terminal, word.text)
        if word.text != canonical:
            same_letters = word.text.lower() == canonical.lower()
            code, how = ("plan-case", "with other capitals") if same_letters else ("plan-spelling", "differently")
            message = f"the format spells this word {how}"
            span = line.part(word.start, word.end)
            notes.append(Diagnostic(code, "warning", message, span, f"write `{canonical}`"))
    bulleted = line.text.lstrip().startswith("-")
    if bulleted != (kind in _BULLETED) and not line.decoration:
        message = "this line takes no bullet" if bulleted else "this line should begin with a bullet"
        hint = "leave out the `-`" if bulleted else "put `- ` in front"
        notes.append(Diagnostic("plan-bullet", "warning", message, line.span, hint))
    return notes


def _explain(line: PlanLine, kind: str, stuck: StuckError, objectives: tuple[str, ...]) -> Iterator[Diagnostic]:
    """Say what is wrong where a line stops making sense."""
    if kind == "units_line" and (bare := _BARE_LIST.match(line.text)):
        message, hint = "a list of units stands in brackets", f"write `[{bare[1]}]`"
        yield Diagnostic("plan-list", "error", message, line.part(*bare.span(1)), hint, _topic(line, kind, ())[1])
        return
    if kind == "units_line" and (choice := _CHOICE_IN_LIST.match(line.text)):
        message = f"`{choice[1]}` stands alone in its line"
        hint = "write `nearest 20 of archer to (5, 5)`"
        yield Diagnostic("plan-list", "error", message, line.part(*choice.span(1)), hint, _topic(line, kind, ())[1])
        return
    start, end = word_at(line.text, stuck.offset)
    expected = PLAN_GRAMMAR.expected(line.text[:start], kind) if start < stuck.offset else stuck.expected()
    if start < stuck.offset and not expected.phrases:
        start, end, expected = stuck.offset, max(stuck.offset, end), stuck.expected()
    summaries: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
        ("position", objectives, ()),
        ("half", ("all", "["), ("units in words",)),
        ("line", ("(",), ("a place in words",)),
    )
    for first, words, phrases in summaries:
        if first in expected.words and not (first == "line" and kind != "target_line"):
            expected = Expected(words, phrases)
    word = line.text[start:end]
    choices = listing(
        [sign for sign in expected.words if sign != "-" or ":" in line.text[:start]],
        phrases=dict.fromkeys(expected.phrases),
    )
    message = f"expected {choices}, found {found(word)}" if word else f"the line ends too early: expected {choices}"
    beyond_head = ":" in line.text[:start] and expected != Expected((), ("the end of the line",))
    code, help_ = "plan-syntax", None
    if beyond_head or expected.phrases == ("a number",):
        code, help_ = _topic(line, kind, objectives)
    yield Diagnostic(code, "error", message, line.part(start, end), _hint(kind, word, expected), help_)


def _topic(line: PlanLine, kind: str, objectives: tuple[str, ...]) -> tuple[str, str]:
    """Return code and help for a line whose content is wrong."""
    if kind == "step_line":
        return "plan-step-id", "a step begins with a line such as `Step 0:`"
    if kind == "prerequisites_line":
        return "plan-list", "prerequisites are step numbers in brackets, such as `[0, 1]` or `[]`"
    if kind == "target_line":
        return "plan-target", f"a target position is {listing(phrases=_TARGETS)}"
    if kind == "behaviour_line":
        return "plan-behaviour", "a behaviour is one name, with target types after it where wanted"
    if kind == "units_line":
        return "plan-list", f"units are {listing(phrases=_UNITS)}"
    word, _ = _first_word(line)
    if word == "elimination":
        return "plan-list", "units of the other side are `all`, a list such as `[0, 1, 10:20]`, or types"
    if word in _OBJECTIVES:
        return "plan-objective", f"write it such as {listing(phrases=_OBJECTIVES[word])}"
    forms = [form for name in objectives for form in _OBJECTIVES[name.split()[0]]]
    return "plan-objective", f"an objective is {listing(phrases=forms)}"


def _hint(kind: str, word: str, expected: Expected) -> str | None:
    if re.fullmatch(r"\d+(-|–|\.{2,})\d+", word):
        return "name each step" if kind == "prerequisites_line" else "write a range as `0:10`, its end not included"
    if kind == "units_line" and word == "all":
        return "write `units: all`, without brackets"
    if kind == "units_line" and "a number" in expected.phrases and re.search(r"[A-Za-z%/]", word):
        return "brackets hold numbers; words stand without them, such as `half of archer`"
    if word and word in ",;" and "a name" in expected.phrases:
        return "names are separated by blanks"
    return did_you_mean(nearest(word, [choice for choice in expected.words if choice.isalpha()]))
