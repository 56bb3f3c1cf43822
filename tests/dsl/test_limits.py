"""Texts beyond all reason: the work and the words that they cause stay within stated limits."""

from __future__ import annotations

import pytest

from dsl import Diagnostic, DslError, PlanContext, Source, Span, check_plan, check_tree, plan_parser, render
from dsl import diagnostics as limits
from dsl.grammar import Grammar
from dsl.plan_parser import MAX_PLAN_WORDS
from tests.tiers import tiers

HEAD = "Step 0:\nprerequisites: []\nobjective: position\n"
PLACE = "- target position: (1, 2)\n- behavior: stand\n"
LENGTH = 1_000_000
PARTS = tiers([5, 1], quick=[5])  # a fifth of the length, at which a quadratic pattern takes minutes, and all of it


def fill(unit: str, length: int = LENGTH - 200) -> str:
    """Repeat a piece of text up to a length."""
    return unit * (length // len(unit))


def in_part(text: str, part: int) -> str:
    """A text with less of what is repeated in its middle, its ends as they are."""
    left = len(text) // part
    return text[: left - 100] + text[len(text) - 100 :]


HOSTILE = {  # each once took many seconds, or would take hours by a quadratic pattern
    "steps without anything": fill("Step 0:\n"),
    "bad lines": HEAD + fill("units: [x\n"),
    "misspelt first words": HEAD + fill("unts: all\n"),
    "text before the first step": fill("s1tep:\n"),
    "markers": fill("END PLAN\n"),
    "one list": f"{HEAD}units: [{fill('0,')}0]\n{PLACE}",
    "a list that is wrong at its end": f"{HEAD}units: [{fill('0,', 60_000)}0x]\n{PLACE}",
    "wrong numbers": f"{HEAD}units: [{fill('-1, ', 80_000)}0]\n{PLACE}",
    "one word": f"{HEAD}units: all\n- behavior: {fill('a')}",
    "one line of blanks": f"Step{fill(' ')}x",
    "one line of underscores": f"Step 0:\na{fill('_')}a",
    "one line of control characters": f"Step 0:\n{fill(chr(0))}",
    "blank lines": fill("\n", 300_000),
    "groups that share a unit": HEAD + fill(f"units: all\n{PLACE}", 120_000),
    "a circle of steps": "".join(f"Step {i}:\nprerequisites: [0, {i + 1}]\n" for i in range(10_000)),
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_plan_is_diagnosed_in_bounded_words(text: str, part: int) -> None:
    report = check_plan(in_part(text, part), "a.plan", PlanContext(team_size=10, map_size=50))
    assert not report.ok
    assert sum(finding.severity == "error" for finding in report.diagnostics) <= limits.MAX_ERRORS
    assert len(str(DslError(report.diagnostics))) < 20_000
    assert len(str(report.json())) < 60_000


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("text", [fill("A(stand"), f"S({fill('C(cut)::', 99_000)}C(cut))", f"A({fill('a', 99_000)})"])
def test_a_hostile_tree_is_diagnosed_in_bounded_words(text: str, part: int) -> None:
    report = check_tree(in_part(text, part))
    assert not report.ok
    assert len(render(report.diagnostics)) < 20_000
    assert len(str(report.json())) < 60_000


def test_errors_beyond_the_limit_are_not_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """To explain an error costs far more than to find it."""
    parsed = []
    parse = Grammar.parse
    monkeypatch.setattr(Grammar, "parse", lambda self, text, start: parsed.append(text) or parse(self, text, start))
    report = check_plan(HEAD + "units: [x\n" * 20_000)
    assert 3 < len(parsed) <= limits.MAX_ERRORS
    assert len(report.diagnostics) == limits.MAX_ERRORS + 1


def test_text_before_the_first_step_is_not_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    def explain(*_: object) -> None:
        raise AssertionError("this text is ignored, so its mistakes need no words")

    monkeypatch.setattr(Grammar, "expected", explain)
    assert check_plan("units: [0x\n" * 3 + HEAD + f"units: all\n{PLACE}").ok


def test_a_stretch_of_units_is_found_without_a_search_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The units of a list are entered in order, so a list in falling order costs no more than one in rising order."""
    entered = []
    from dsl.checker import _Taken

    add = _Taken.add
    monkeypatch.setattr(_Taken, "add", lambda self, *rest: entered.append(rest[0]) or add(self, *rest))
    units = ", ".join(str(2 * unit) for unit in range(50, 0, -1))
    assert check_plan(f"{HEAD}units: [{units}]\n{PLACE}").ok
    assert entered == sorted(entered) and len(entered) == 50


def test_checking_stops_after_a_thousand_errors_and_says_so() -> None:
    few, many = (check_plan(HEAD + "go on\n" * count) for count in (limits.MAX_ERRORS - 1, limits.MAX_ERRORS))
    assert len(few.diagnostics) == limits.MAX_ERRORS  # and one for the step without a group
    assert {finding.severity for finding in few.diagnostics} == {"error"}
    stop = next(finding for finding in many.diagnostics if finding.code == "plan-many-errors")
    assert (stop.severity, stop.span.line) == ("warning", 1)  # the step without a group is one error too many
    assert sum(finding.severity == "error" for finding in many.diagnostics) == limits.MAX_ERRORS


def test_a_plan_of_too_many_words_is_one_error_at_the_first_that_is_too_many() -> None:
    start = f"{HEAD}units: [" + "0," * (MAX_PLAN_WORDS // 2)
    (finding,) = check_plan(f"{start}0]\n{PLACE}").diagnostics
    words = len(plan_parser._WORD.findall(start[: finding.span.start]))
    assert (finding.code, words) == ("plan-size", MAX_PLAN_WORDS)


def findings(errors: int, warnings: int) -> list[Diagnostic]:
    """Make warnings, and errors after them."""
    place = Span(Source("a", "x"), 0, 1)
    return [Diagnostic("w", "warning", "w", place)] * warnings + [Diagnostic("e", "error", "e", place)] * errors


@pytest.mark.parametrize(
    ("errors", "warnings", "shown", "last"),
    [
        (20, 0, (20, 0), None),
        (21, 0, (20, 0), "... and 1 more error; fix these first"),
        (1254, 3, (20, 0), "... and 1,234 more errors and 3 more warnings; fix these first"),
        (1, 30, (1, 19), "... and 11 more warnings; fix these first"),
        (0, 22, (0, 20), "... and 2 more warnings"),
    ],
)
def test_what_is_printed_puts_errors_first_and_counts_the_rest(
    errors: int, warnings: int, shown: tuple[int, int], last: str | None
) -> None:
    printed = render(findings(errors, warnings))
    assert (printed.count("error[e]"), printed.count("warning[w]")) == shown
    assert printed.splitlines()[-1] == last if last else "..." not in printed


def test_a_count_after_a_stop_is_a_least_count() -> None:
    assert "... and at least 980 more errors and 1 more warning; fix" in render(
        check_plan("Step 0:\n" * 999).diagnostics
    )


def test_json_counts_what_it_does_not_list() -> None:
    report = check_plan(HEAD + "go on\n" * 149)
    value = report.json()
    assert (len(value["diagnostics"]), value["more"]) == (100, 50)
    assert "more" not in check_plan(HEAD).json()


def test_a_very_long_word_is_shown_in_part() -> None:
    finding = check_plan(f"{HEAD}units: all\n- target position: (1, 2)\n- behavior: {'a' * 500}\n").diagnostics[0]
    assert finding.message == f"there is no behaviour called `{'a' * 60}…`"
    assert len(finding.span.text) == 500
