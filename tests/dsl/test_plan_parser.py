"""What the plan language accepts, and the nodes it gives (docs/rules/plans.md 1)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dsl import (
    CheckResult,
    DslError,
    Elimination,
    Group,
    PlanContext,
    PlanSyntax,
    Position,
    Step,
    UnitList,
    UnitSlice,
    UserError,
    check_plan,
    check_tree,
    format_plan,
    parse_plan,
)
from dsl.plan_lines import PLAN_GRAMMAR
from tests.work import lines_run

TEXT = """\
BEGIN PLAN
Step 0:
prerequisites: []
objective: elimination [:3, 7]
units: [0, 1, 2, 10:]
- target position: (24, 16)
- behavior: attack_and_move any
units: [5:8]
- target position: (0, 9)
- behavior: attack_in_long_range archer spearmen

Step 3:
prerequisites: [0]
objective: position
units: all
- target position: (1, 2)
- behavior: follow_map
END PLAN"""

PLAN = PlanSyntax(
    (
        Step(
            0,
            (),
            Elimination(UnitList((UnitSlice(None, 3), 7))),
            (
                Group(UnitList((0, 1, 2, UnitSlice(10, None))), (24, 16), "attack_and_move", ("any",)),
                Group(UnitList((UnitSlice(5, 8),)), (0, 9), "attack_in_long_range", ("archer", "spearmen")),
            ),
        ),
        Step(3, (0,), Position(), (Group(UnitList(None), (1, 2), "follow_map"),)),
    )
)


def test_a_plan_gives_its_nodes_and_back() -> None:
    assert parse_plan(TEXT) == PLAN
    assert format_plan(PLAN) == TEXT


def test_spans_cover_the_text_of_each_node() -> None:
    step = parse_plan(TEXT).steps[0]
    group = step.groups[1]
    assert (step.span.line, step.span.end_line, step.id_span.text) == (2, 10, "0")
    assert (group.span.line, group.span.end_line) == (8, 10)
    assert group.units.span.text == "[5:8]"
    assert [span.text for span in step.groups[0].units.item_spans] == ["0", "1", "2", "10:"]
    assert [span.text for span in parse_plan(TEXT).steps[1].prerequisite_spans] == ["0"]
    assert step.objective.span.text == "elimination [:3, 7]"


def test_a_list_names_distinct_ids_in_order() -> None:
    units = UnitList((7, UnitSlice(None, 2), 1, UnitSlice(8, None)))
    assert units.ids(10) == (0, 1, 7, 8, 9)
    assert UnitList(None).ids(3) == UnitList((UnitSlice(None, None),)).ids(3) == (0, 1, 2)


PUBLISHED = [  # docs/rules/scenarios.md 2.3: name, team, foes, map
    ("example", 60, 15, 150),
    ("coordinate_sonnet", 1000, 1000, 150),
    ("exploit_weakness_sonnet", 750, 750, 100),
    ("markers_4o_mini", 300, 1200, 200),
    ("terrain_4o", 300, 1200, 200),
    ("strategic_points_o1_mini", 700, 900, 300),
]


@pytest.mark.parametrize(("name", "team", "foes", "size"), PUBLISHED)
def test_a_published_plan_is_read(shared: Path, name: str, team: int, foes: int, size: int) -> None:
    """docs/rules/plans.md 2.3: the paper's own example has overlapping groups, so it is read leniently only."""
    text = (shared / "spec" / "plans" / f"{name}.plan").read_text()
    context = PlanContext(team_size=team, foe_size=foes, map_size=size)
    report = check_plan(text, name, context, lenient=name == "example")
    assert isinstance(report.root, PlanSyntax)
    assert [finding.code for finding in report.diagnostics] == ["plan-unit-overlap"] * (name == "example")
    assert report.skipped == ()
    assert parse_plan(format_plan(report.root), lenient=True) == report.root
    unmarked = text.replace("BEGIN PLAN\n", "").replace("END PLAN\n", "")
    assert parse_plan(unmarked, context=context, lenient=True) == report.root


@pytest.mark.parametrize(("team", "foes"), [(59, 15), (60, 14)])
def test_the_paper_example_needs_sixty_units_and_fifteen_foes(shared: Path, team: int, foes: int) -> None:
    text = (shared / "spec" / "plans" / "example.plan").read_text()
    report = check_plan(text, context=PlanContext(team_size=team, foe_size=foes), lenient=True)
    assert "plan-unit-range" in [finding.code for finding in report.diagnostics]


def test_the_paper_example_fails_strictly(shared: Path) -> None:
    report = check_plan((shared / "spec" / "plans" / "example.plan").read_text())
    errors = [
        (finding.code, finding.severity, finding.span.line, finding.span.column) for finding in report.diagnostics
    ]
    assert errors == [("plan-unit-overlap", "error", 15, 9)]


LENIENT = [  # what replaces what in TEXT, the warnings it gives
    ("\n", "\r\n", []),
    ("\n", " \t\n", []),
    ("\n\n", "\n", []),
    ("\n", "\n\n", []),
    (", ", ",", []),
    (", ", " ,\t", []),
    ("(24, 16)", "( 24 ,16 )", []),
    ("[5:8]", "[ 5 : 8 ]", []),
    (": ", ":", []),
    (" ", "\u00a0", []),
    ("units: all", "   units: all", []),
    ("BEGIN PLAN", "Sure, here it is.\nBEGIN PLAN", []),
    ("END PLAN", "END PLAN\nStep 9: good luck!", []),
    ("BEGIN PLAN", "**BEGIN PLAN**", []),
    ("Step 3:", "**Step 3:**", ["plan-markdown"]),
    ("Step 3:", "**Step 3**:", ["plan-markdown"]),
    ("Step 3:", "### Step 3:", ["plan-markdown"]),
    ("Step 3:", "__Step 3:__", ["plan-markdown"]),
    ("Step 3:", "---\nStep 3:", ["plan-markdown"]),
    ("units: ", "* units: ", ["plan-markdown"]),
    ("units: ", "**units:** ", ["plan-markdown"]),
    ("- target", "* target", ["plan-markdown"]),
    ("follow_map", "`follow_map`", ["plan-markdown"]),
    ("BEGIN PLAN\n", "BEGIN PLAN\n```text\n", ["plan-markdown"]),
    ("BEGIN PLAN\n", "BEGIN PLAN\nThe plan:\nin two steps\n", ["plan-text-before"]),
    ("END PLAN", "END PLAN\n\nBEGIN PLAN\nanother\nEND PLAN", ["plan-second"]),
    ("behavior", "behaviour", ["plan-spelling"]),
    ("prerequisites", "Prerequisites", ["plan-case"]),
    ("- target", "target", ["plan-bullet"]),
    ("units: ", "- units: ", ["plan-bullet"]),
]


@pytest.mark.parametrize(("old", "new", "codes"), LENIENT)
def test_a_plan_in_other_clothes_is_the_same_plan(old: str, new: str, codes: list[str]) -> None:
    """Blanks are free; decoration and spelling that models add cost one warning a plan (docs/rules/plans.md 1.4)."""
    report = check_plan(TEXT.replace(old, new))
    assert report.root == PLAN
    assert [finding.code for finding in report.diagnostics] == codes
    assert all(finding.severity == "warning" for finding in report.diagnostics)


def test_markers_are_found_inside_a_line_when_none_stands_alone() -> None:
    one_line_markers = TEXT.replace("BEGIN PLAN\n", "Here: BEGIN PLAN ").replace("\nEND PLAN", " END PLAN Good luck!")
    assert parse_plan(one_line_markers) == PLAN


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("BEGIN PLAN", "Here is the plan: BEGIN PLAN"),
        ("BEGIN PLAN", "BEGIN PLAN (version 2)"),
        ("END PLAN", "END PLAN Good luck!"),
        ("\nEND PLAN", " END PLAN"),
    ],
)
def test_prose_beside_one_marker_leaves_the_plan_whole(old: str, new: str) -> None:
    assert parse_plan(TEXT.replace(old, new)) == PLAN


def test_text_between_markers_without_a_step_is_a_plan_with_an_error() -> None:
    """A reply that holds none at all is told from one whose plan cannot be read (docs/rules/plans.md 1.5)."""
    texts = ("BEGIN PLAN\nfoo\nEND PLAN", "BEGIN PLAN\n\nEND PLAN", "Where? Between BEGIN PLAN and END PLAN.")
    codes = [[found.code for found in check_plan(text).diagnostics] for text in texts]
    assert codes == [["plan-no-step"], ["plan-empty"], ["plan-empty"]]


def test_markers_named_in_prose_do_not_count_when_there_are_real_ones() -> None:
    assert parse_plan(f"The plan stands between BEGIN PLAN and END PLAN.\n\n{TEXT}\nThat was it.") == PLAN


def test_lenient_reading_keeps_both_groups_of_a_unit_and_warns() -> None:
    text = TEXT.replace("[5:8]", "[2, 5:8]")
    with pytest.raises(DslError):
        parse_plan(text)
    report = check_plan(text, lenient=True)
    assert [(finding.code, finding.severity) for finding in report.diagnostics] == [("plan-unit-overlap", "warning")]
    assert isinstance(report.root, PlanSyntax) and len(report.root.steps[0].groups) == 2


def test_checks_without_a_size_are_skipped_and_said_so() -> None:
    text = TEXT.replace("(24, 16)", "(9999, 16)").replace("[5:8]", "[5:9999]").replace("10:", "9999:")
    assert check_plan(text).ok
    assert len(check_plan(text).skipped) == 3
    (skipped,) = check_plan(TEXT, context=PlanContext(team_size=20, foe_size=9)).skipped
    assert "map" in skipped


def test_a_scenario_may_allow_other_behaviours_and_types() -> None:
    text = TEXT.replace("follow_map", "flee ogre")
    context = PlanContext(behaviours=("flee", "attack_and_move", "attack_in_long_range"), unit_types=("ogre",))
    codes = [finding.code for finding in check_plan(text, context=context).diagnostics]
    assert codes == ["plan-unit-type", "plan-unit-type"]


def test_the_grammar_passes_the_strict_mode_of_lark() -> None:
    """No word can be read in two ways and no rule is ambiguous."""
    PLAN_GRAMMAR.load(strict=True)


def test_the_work_of_reading_a_plan_is_in_proportion_to_its_lines() -> None:
    body = "\n".join(TEXT.splitlines()[1:10])
    short, long = ("\n\n".join(body.replace("Step 0", f"Step {step}") for step in range(steps)) for steps in (15, 75))
    assert check_plan(long).ok and long.count("\n") > 700
    assert lines_run(lambda: check_plan(long)) < 5.2 * lines_run(lambda: check_plan(short))


def test_a_failed_reading_carries_every_finding_and_needs_no_traceback() -> None:
    with pytest.raises(UserError) as caught:
        parse_plan(TEXT.replace("follow_map", "fly").replace("- target", "target"), "my.plan")
    assert isinstance(caught.value, DslError)
    assert [finding.code for finding in caught.value.diagnostics] == ["plan-bullet", "plan-behaviour"]
    assert "my.plan:17:13" in str(caught.value)


@pytest.mark.parametrize(
    "report", [check_plan(TEXT.replace("(0, 9)", "(0, x)"), "my.plan"), check_tree("A(stnad)", "t.bt")]
)
def test_a_report_as_data_has_exactly_the_agreed_keys(report: CheckResult) -> None:
    data = json.loads(json.dumps(report.json()))
    assert list(data) == ["file", "ok", "diagnostics"]
    assert data["ok"] is False
    keys = ["code", "severity", "message", "line", "column", "end_line", "end_column", "hint"]
    assert [list(finding) for finding in data["diagnostics"]] == [keys]


def test_a_report_as_data_counts_from_one_and_ends_after_the_last_character() -> None:
    (finding,) = check_tree("F(\n  A(stnad))", "t.bt").json()["diagnostics"]
    assert finding == {
        "code": "tree-unknown-atomic",
        "severity": "error",
        "message": "there is no action called `stnad`",
        "line": 2,
        "column": 5,
        "end_line": 2,
        "end_column": 10,
        "hint": "did you mean `stand`?",
    }
    assert check_tree("A(stand)", "t.bt").json() == {"file": "t.bt", "ok": True, "diagnostics": []}
