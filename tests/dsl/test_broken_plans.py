"""Every way to break a plan (docs/rules/plans.md 2): its code, and the exact place."""

from __future__ import annotations

import pytest

from dsl import PlanContext, check_plan
from dsl.plan_parser import MAX_PLAN_LENGTH

BASE = """\
Step 0:
prerequisites: []
objective: position
units: [0:5]
- target position: (10, 20)
- behavior: attack_and_move any
units: [5:10]
- target position: (30, 20)
- behavior: follow_map

Step 1:
prerequisites: [0]
objective: elimination all
units: all
- target position: (49, 0)
- behavior: attack_in_close_range archer cavalry
"""
CONTEXT = PlanContext(team_size=10, foe_size=8, map_size=50)

BROKEN = [  # lines to replace (None: leave out), code, line, column, characters covered
    # docs/rules/plans.md 2.1: the fifteen checks of the predecessor.
    ({6: None}, "plan-missing-line", 4, 1, "units: [0:5]"),
    ({14: None, 15: None, 16: None}, "plan-no-group", 11, 1, "Step 1:"),
    ({11: "Step one:"}, "plan-step-id", 11, 6, "one"),
    ({1: "Step 0a:"}, "plan-step-id", 1, 6, "0a"),
    ({11: "Step -1:"}, "plan-step-id", 11, 6, "-1"),
    ({11: "Step 1.5:"}, "plan-step-id", 11, 6, "1.5"),
    ({11: "Step :"}, "plan-step-id", 11, 6, ":"),
    ({2: None}, "plan-missing-line", 1, 1, "Step 0:"),
    ({12: "prerequisites: 0"}, "plan-list", 12, 16, "0"),
    ({12: "prerequisites: [zero]"}, "plan-list", 12, 17, "zero"),
    ({12: "prerequisites: [0"}, "plan-list", 12, 18, ""),
    ({12: "prerequisites: [0, -1]"}, "plan-number", 12, 20, "-1"),
    ({13: None}, "plan-missing-line", 11, 1, "Step 1:"),
    ({3: "objective: postion"}, "plan-objective", 3, 12, "postion"),
    ({3: "objective:"}, "plan-objective", 3, 11, ""),
    ({3: "objective: Position"}, "plan-objective", 3, 12, "Position"),
    ({13: "objective: elimination"}, "plan-list", 13, 23, ""),
    ({13: "objective: elimination enemies"}, "plan-unit-type", 13, 24, "enemies"),
    ({4: None}, "plan-missing-line", 4, 1, "- target position: (10, 20)"),
    ({7: "units: [4:10]"}, "plan-unit-overlap", 7, 9, "4:10"),
    ({7: "units: [7, 0]"}, "plan-unit-overlap", 7, 12, "0"),
    ({7: "units: all"}, "plan-unit-overlap", 7, 8, "all"),
    ({5: None}, "plan-missing-line", 4, 1, "units: [0:5]"),
    ({5: "- target position: 10, 20"}, "plan-target", 5, 20, "10"),
    ({5: "- target position: (10 20)"}, "plan-target", 5, 24, "20"),
    ({5: "- target position: (10, x)"}, "plan-target", 5, 25, "x"),
    ({5: "- target position: (10, 20, 30)"}, "plan-target", 5, 27, ","),
    ({5: "- target position: (10, -20)"}, "plan-number", 5, 25, "-20"),
    ({5: "- target position: (10.5, 20)"}, "plan-number", 5, 21, "10.5"),
    ({6: "- behavior: attack"}, "plan-behaviour", 6, 13, "attack"),
    ({6: "- behavior:"}, "plan-behaviour", 6, 12, ""),
    ({6: "- behavior: attack_static"}, "plan-behaviour", 6, 13, "attack_static"),
    ({6: "- behavior: stand, archer"}, "plan-behaviour", 6, 18, ","),
    ({6: "- behavior: stand knights"}, "plan-unit-type", 6, 19, "knights"),
    ({6: "- behavior: stand archer or cavalry"}, "plan-unit-type", 6, 26, "or"),
    ({16: "- behavior: stand\n- behavior: stand"}, "plan-missing-line", 17, 1, "- behavior: stand"),
    ({16: "- behavior: stand\ngood luck"}, "plan-unknown-line", 17, 1, "good luck"),
    # docs/rules/plans.md 2.2: checks beyond those.
    ({4: "units: [10]", 7: "units: [0]"}, "plan-unit-range", 4, 9, "10"),
    ({7: "units: [5:11]"}, "plan-unit-range", 7, 9, "5:11"),
    ({7: "units: [11:]"}, "plan-unit-range", 7, 9, "11:"),
    ({13: "objective: elimination [8]"}, "plan-unit-range", 13, 25, "8"),
    ({13: "objective: elimination [0, :9]"}, "plan-unit-range", 13, 28, ":9"),
    ({7: "units: [7:7]"}, "plan-empty-slice", 7, 9, "7:7"),
    ({7: "units: [9:5]"}, "plan-empty-slice", 7, 9, "9:5"),
    ({7: "units: [10:]"}, "plan-empty-slice", 7, 9, "10:"),
    ({7: "units: [:0]"}, "plan-empty-slice", 7, 9, ":0"),
    ({7: "units: []"}, "plan-empty-list", 7, 8, "[]"),
    ({13: "objective: elimination [ ]"}, "plan-empty-list", 13, 24, "[ ]"),
    ({11: "Step 0:", 12: "prerequisites: []"}, "plan-duplicate-step", 11, 6, "0"),
    ({12: "prerequisites: [0, 2]"}, "plan-unknown-prerequisite", 12, 20, "2"),
    ({12: "prerequisites: [0, 1]"}, "plan-prerequisite-cycle", 12, 20, "1"),
    ({2: "prerequisites: [1]"}, "plan-prerequisite-cycle", 12, 17, "0"),
    ({5: "- target position: (50, 20)"}, "plan-coordinate", 5, 21, "50"),
    ({5: "- target position: (10, 99)"}, "plan-coordinate", 5, 25, "99"),
    ({5: "- target position: (1000000000, 1)"}, "plan-number", 5, 21, "1000000000"),
    # Lists, lines and markers.
    ({4: "units: [0 1]"}, "plan-list", 4, 11, "1"),
    ({4: "units: [0-4]"}, "plan-list", 4, 9, "0-4"),
    ({4: "units: [0, 1,]"}, "plan-list", 4, 14, "]"),
    ({4: "units: 0:5"}, "plan-list", 4, 8, "0:5"),
    ({4: "units: All"}, "plan-unit-type", 4, 8, "All"),
    ({4: "units: [0:2:5]"}, "plan-list", 4, 12, ":"),
    ({6: "- behavior: stand any archer"}, "plan-any-mixed", 6, 19, "any"),
    ({1: "Step 0"}, "plan-syntax", 1, 7, ""),
    ({1: "Step 0: advance"}, "plan-syntax", 1, 9, "advance"),
    ({2: "prerequisites []"}, "plan-syntax", 2, 15, "["),
    ({3: "objective: position (10, 20)"}, "plan-syntax", 3, 21, "("),
    ({5: "- target position (10, 20)"}, "plan-syntax", 5, 19, "("),
    ({4: "unit: [0:5]"}, "plan-unknown-line", 4, 1, "unit: [0:5]"),
    ({5: "- target: (10, 20)"}, "plan-unknown-line", 5, 1, "- target: (10, 20)"),
    ({11: "Stepp 1:"}, "plan-unknown-line", 11, 1, "Stepp 1:"),
    ({2: "objective: position", 3: "prerequisites: []"}, "plan-order", 3, 1, "prerequisites: []"),
    ({5: "- behavior: stand", 6: "- target position: (1, 2)"}, "plan-order", 6, 1, "- target position: (1, 2)"),
    ({13: None, 16: "- behavior: stand\nobjective: position"}, "plan-order", 16, 1, "objective: position"),
    ({1: "units: all\nStep 0:"}, "plan-order", 1, 1, "units: all"),
    ({3: "objective: position\nobjective: position"}, "plan-duplicate-line", 4, 1, "objective: position"),
    ({6: "- target position: (1, 2)\n- behavior: stand"}, "plan-duplicate-line", 6, 1, "- target position: (1, 2)"),
    ({1: "BEGIN PLAN\nStep 0:"}, "plan-marker", 1, 1, "BEGIN PLAN"),
    ({16: "- behavior: stand\n END PLAN"}, "plan-marker", 17, 2, "END PLAN"),
    ({1: "BEGIN PLAN\nBEGIN PLAN\nStep 0:", 16: "- behavior: stand\nEND PLAN"}, "plan-marker", 2, 1, "BEGIN PLAN"),
]


def edit(changes: dict[int, str | None]) -> str:
    """Return the base plan with some lines replaced or left out."""
    lines = [changes.get(number, line) for number, line in enumerate(BASE.splitlines(), start=1)]
    return "\n".join(line for line in lines if line is not None) + "\n"


def test_the_plan_that_is_broken_below_has_no_errors() -> None:
    assert check_plan(BASE, context=CONTEXT).diagnostics == ()


@pytest.mark.parametrize(("changes", "code", "line", "column", "covered"), BROKEN, ids=lambda value: str(value)[:40])
def test_one_mistake_gives_one_error_at_its_place(
    changes: dict[int, str | None], code: str, line: int, column: int, covered: str
) -> None:
    report = check_plan(edit(changes), context=CONTEXT)
    findings = [(finding.code, finding.span.line, finding.span.column) for finding in report.diagnostics]
    assert findings == [(code, line, column)]
    assert report.diagnostics[0].span.text == covered
    assert report.diagnostics[0].severity == "error"
    assert not report.ok and report.root is None


EMPTY = [
    ("", 1, 1),
    ("I cannot help with that.", 1, 1),
    ("Here it is:\nBEGIN PLAN\n\nEND PLAN\n", 2, 11),
    ("# Strategy:\n\nSteps: none", 1, 1),
]


@pytest.mark.parametrize(("text", "line", "column"), EMPTY)
def test_a_text_without_a_step_is_one_error(text: str, line: int, column: int) -> None:
    (finding,) = check_plan(text).diagnostics
    assert (finding.code, finding.span.line, finding.span.column) == ("plan-empty", line, column)


def test_a_text_beyond_the_limit_is_one_error() -> None:
    (finding,) = check_plan(BASE + "x" * MAX_PLAN_LENGTH).diagnostics
    assert finding.code == "plan-size"


HINTS = [
    ({4: "units: [all]"}, "write `units: all`, without brackets"),
    ({4: "units: [archer]"}, "brackets hold numbers; words stand without them, such as `half of archer`"),
    ({4: "units: [0:1/2]"}, "brackets hold numbers; words stand without them, such as `half of archer`"),
    ({4: "units: [50%]"}, "brackets hold numbers; words stand without them, such as `half of archer`"),
    ({6: "- behavior: attack_static"}, "did you mean `attack_and_move`?"),
    ({6: "- behavior: ignore_enemies"}, "did you mean `follow_map`?"),
    ({6: "- behavior: attack_in_closerange"}, "did you mean `attack_in_close_range`?"),
    ({6: "- behavior: stand soldier"}, "did you mean `spearmen`?"),
    ({6: "- behavior: stand sniper"}, "did you mean `archer`?"),
    ({6: "- behavior: stand swat"}, "did you mean `cavalry`?"),
    ({6: "- behavior: stand archerz"}, "did you mean `archer`?"),
    ({4: "units: All"}, "did you mean `all`?"),
    ({4: "units: [0-4]"}, "write a range as `0:10`, its end not included"),
    ({4: "unit: [0:5]"}, "did you mean `units:`?"),
    ({11: "Stepp 1:"}, "did you mean `Step`?"),
    ({3: "objective: postion"}, "did you mean `position`?"),
]


@pytest.mark.parametrize(("changes", "hint"), HINTS)
def test_a_hint_names_what_was_probably_meant(changes: dict[int, str | None], hint: str) -> None:
    assert check_plan(edit(changes), context=CONTEXT).diagnostics[0].hint == hint


def test_no_bad_line_hides_another() -> None:
    changes: dict[int, str | None] = {
        1: "Step 0: go",
        3: "objective: postion",
        4: "units: [0 1]",
        5: "- target position: (x, 20)",
        6: "- behavior: hide archerz dragonz",
        8: "- target position: (50, -1)",
        12: "prerequisites: [1, 7]",
        15: "- target position: (60, 70)",
    }
    report = check_plan(edit(changes), context=CONTEXT)
    assert [(finding.code, finding.span.text) for finding in report.diagnostics] == [
        ("plan-syntax", "go"),
        ("plan-objective", "postion"),
        ("plan-list", "1"),
        ("plan-target", "x"),
        ("plan-behaviour", "hide"),
        ("plan-unit-type", "archerz"),
        ("plan-unit-type", "dragonz"),
        ("plan-number", "-1"),
        ("plan-prerequisite-cycle", "1"),
        ("plan-unknown-prerequisite", "7"),
        ("plan-coordinate", "60"),
        ("plan-coordinate", "70"),
    ]


def test_a_circle_of_many_steps_is_reported_once() -> None:
    tail = "\nobjective: position\nunits: all\n- target position: (1, 2)\n- behavior: stand\n"
    steps = [f"Step {number}:\nprerequisites: [{(number + 1) % 400}]{tail}" for number in range(400)]
    (finding,) = check_plan("\n".join(steps)).diagnostics
    assert finding.code == "plan-prerequisite-cycle"
    assert finding.span.line == 399 * 7 + 2
    assert len(finding.message) < 120
