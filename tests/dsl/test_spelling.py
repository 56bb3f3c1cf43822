"""Words of a plan whose meaning is certain are read with a warning, and formatted as the format writes them."""

from __future__ import annotations

import pytest

import dsl
from dsl import PlanContext
from dsl.vocabulary import BEHAVIOURS, CREW_BEHAVIOURS, OTHER_UNIT_TYPES, UNIT_TYPES, Feature

TEXT = """\
Step 0:
prerequisites: []
objective: elimination all
units: [0:3]
- target position: {target}
- behavior: {behaviour}
units: [3:6]
- target position: {target}
- behavior: {behaviour}
"""
MARKED = PlanContext(markers=(("A", (3, 4)), ("E", (70, 5))), map_size=100)


def check(target: str, behaviour: str, context: PlanContext | None = None) -> dsl.CheckResult:
    return dsl.check_plan(TEXT.format(target=target, behaviour=behaviour), "plan", context)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("attack_and_move archers", "attack_and_move archer"),
        ("attack_and_move Spearman CAVALRY", "attack_and_move spearmen cavalry"),
        ("Attack-and-Move Any", "attack_and_move any"),
        *((f"stand {other}", f"stand {name}") for other, name in OTHER_UNIT_TYPES.items()),
    ],
)
def test_names_in_other_spellings_mean_the_names_of_the_format(written: str, meant: str) -> None:
    """The rule: same plan, one warning for each spelling however often it stands there, and it says what to write."""
    report, plain = check("(1, 2)", written), check("(1, 2)", meant)
    assert report.ok and report.root == plain.root and not plain.diagnostics
    assert dsl.format_plan(report.root) == dsl.format_plan(plain.root)  # type: ignore[arg-type]
    hints = [(found.code, found.severity, found.hint) for found in report.diagnostics]
    changed = [new for old, new in zip(written.split(), meant.split(), strict=True) if old != new]
    assert hints == [("plan-spelling", "warning", f"write `{word}`") for word in changed]


@pytest.mark.parametrize("written", ["attack_in_close_rnge any", "stand knights", "stand archerz", "attack_static any"])
def test_a_word_whose_meaning_is_a_guess_stays_an_error(written: str) -> None:
    assert not check("(1, 2)", written).ok


def test_no_other_spelling_is_a_name_itself() -> None:
    """The rule: a name of the format is never replaced."""
    assert not {*OTHER_UNIT_TYPES} & {*UNIT_TYPES, *BEHAVIOURS, *CREW_BEHAVIOURS, "any"}
    assert {*OTHER_UNIT_TYPES.values()} <= {*UNIT_TYPES}


HILLS = PlanContext(
    map_size=100,
    features=tuple(Feature(name, cell, (cell, cell)) for name, cell in (("Hill", (3, 4)), ("hill", (70, 5)))),
)


@pytest.mark.parametrize(("target", "cell"), [("Hill", (3, 4)), ("hill", (70, 5)), ("north of Hill", (3, 4))])
def test_a_name_is_not_replaced_by_one_like_it(target: str, cell: tuple[int, int]) -> None:
    report = check(target, "stand", HILLS)
    assert isinstance(report.root, dsl.PlanSyntax) and not report.diagnostics
    assert report.root.steps[0].groups[0].target == cell


@pytest.mark.parametrize("target", ["HILL", "north of the Hill"])
def test_a_spelling_of_two_names_is_not_certain(target: str) -> None:
    assert not check(target, "stand", HILLS).ok


@pytest.mark.parametrize("target", ["A", "(A)", "( A )"])
def test_a_target_may_be_the_letter_of_a_marker(target: str) -> None:
    """The rule: it is the marker's place, and the format writes the word."""
    report = check(target, "stand", MARKED)
    assert report.ok and [found.hint for found in report.diagnostics] == ["write `marker A`"]
    assert report.root == check("(3, 4)", "stand", MARKED).root


@pytest.mark.parametrize(
    ("context", "code", "words"),
    [
        (MARKED, "plan-target", ("there is no marker `Q`", "markers are `A` and `E`")),
        (PlanContext(markers=()), "plan-target", ("there is no marker `Q`", "this map has no markers")),
        (None, "plan-scenario", ("the place of marker `Q` is not known here", "--scenario")),
    ],
)
def test_a_marker_without_a_place_is_an_error_that_says_which_there_are(
    context: PlanContext | None, code: str, words: tuple[str, ...]
) -> None:
    report = check("Q", "stand", context)
    assert not report.ok and {found.code for found in report.diagnostics if found.severity == "error"} == {code}
    assert all(word in dsl.render(report.diagnostics) for word in words)


def test_a_decimal_target_gets_help() -> None:
    """The rule: the message proposes a whole number and shows the form of a target."""
    shown = dsl.render(check("(75.5, 32)", "stand").diagnostics)
    assert "write `76`" in shown and "a target position is two whole numbers" in shown
