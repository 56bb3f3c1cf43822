"""Laws of both languages over random nodes and random text."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dsl import (
    CheckResult,
    DslError,
    Inside,
    PlanContext,
    PlanSyntax,
    Step,
    check_plan,
    check_tree,
    format_plan,
    format_tree,
    parse_plan,
    parse_tree,
)
from dsl.nodes import Cell, Node
from dsl.vocabulary import OBJECTIVES, WORDS
from tests.dsl.strategies import ANY_TEXT, FOES, MAP, TEAM, WORDED, plans, trees, worded

CONTEXT = PlanContext(team_size=TEAM, foe_size=FOES, map_size=MAP, objectives=OBJECTIVES)
TREE_PIECES = st.sampled_from([*sorted(WORDS), "S", "F", "C", "A", "(", ")", "::", "|>", " ", "\n", "x", "Any", ","])
PLAN_HEADS = ["Step 0:", "Step", "prerequisites:", "objective:", "units:", "- target position:", "- behavior:"]
PLAN_WORDS = ["BEGIN PLAN", "END PLAN", "position", "elimination", "all", "stand", "archer", "any", "(1, 2)", "[0]"]
GROUP_WORDS = ["half of ", "the rest", "30%", "nearest 3", "in ", "line ", "behind ", "via ", "under cover", "within 5"]
CREW_PIECES = ["cut", "extinguish", "contain", "rescue", "transport", "scout", "fire", "[(1, 2)", " 3 "]
PLAN_SIGNS = ["[", "]", "[]", "10:", "0", "99999999999", ",", "-", "# ", "**", "```", "é", "\u00a0", "\x00", "\t", "\r"]
PLAN_PIECES = st.sampled_from([*PLAN_HEADS, *PLAN_WORDS, *CREW_PIECES, *PLAN_SIGNS, *GROUP_WORDS, *[" ", "\n"] * 8])


@given(trees())
def test_a_formatted_tree_parses_to_itself(tree: Node) -> None:
    assert parse_tree(format_tree(tree)) == tree


@given(plans())
def test_a_formatted_plan_parses_to_itself_without_a_finding(plan: PlanSyntax) -> None:
    report = check_plan(format_plan(plan), context=CONTEXT)
    assert report.root == plan
    assert report.diagnostics == ()


@given(plans())
def test_a_plan_of_ids_and_numbers_is_written_as_its_nodes_are(plan: PlanSyntax) -> None:
    """The two ways to write a plan, from its lines and from its nodes, agree where there are no words."""
    assert check_plan(format_plan(plan).replace(", ", " ,"), context=CONTEXT).written == format_plan(plan)


@given(worded())
def test_a_plan_in_words_and_its_resolved_text_are_the_same_plan(text: str) -> None:
    """Resolved text needs no scenario, and the layout that keeps the words is a fixed point."""
    report = check_plan(text, context=WORDED)
    assert isinstance(report.root, PlanSyntax) and report.diagnostics == ()
    assert parse_plan(format_plan(report.root)) == report.root
    again = check_plan(report.written or "", context=WORDED)
    assert (again.root, again.written, again.diagnostics) == (report.root, report.written, ())
    assert text.split() == (report.written or "").split()


@given(worded())
def test_no_unit_has_two_groups_of_a_step_unless_one_is_chosen(text: str) -> None:
    for step in parse_plan(text, context=WORDED).steps:
        ids = [unit for group in step.groups if not group.choice for unit in group.units.ids(TEAM)]
        assert len(ids) == len(set(ids)) and all(group.units.ids(TEAM) for group in step.groups)
        assert all(0 <= axis < MAP for group in step.groups for axis in group.target)


@given(trees(), st.sampled_from([" ", "\t", "\r\n", "\u00a0 "]))
def test_blanks_between_signs_and_words_do_not_matter(tree: Node, blank: str) -> None:
    text = " ".join(format_tree(tree).split()).replace("(", f"({blank}").replace("::", f"{blank}|>{blank}")
    assert parse_tree(text.replace(" ", blank)) == tree


@given(trees())
def test_blanks_between_words_may_be_left_out(tree: Node) -> None:
    assert parse_tree("".join(format_tree(tree).split())) == tree


@given(plans())
def test_line_breaks_blank_lines_and_trailing_blanks_do_not_matter(plan: PlanSyntax) -> None:
    text = format_plan(plan)
    assert parse_plan(text.replace("\n", " \t\r\n\r\n"), context=CONTEXT) == plan
    assert parse_plan(text.replace("\n\n", "\n").replace(", ", ","), context=CONTEXT) == plan
    assert parse_plan(text.replace("\n", "\r"), context=CONTEXT) == plan


@given(plans())
def test_a_list_of_units_means_the_same_ids_as_python_slices(plan: PlanSyntax) -> None:
    for group in (group for step in plan.steps for group in step.groups):
        team = list(range(TEAM))
        wanted = set(team if group.units.items is None else [])
        for item in group.units.items or ():
            wanted.update([item] if isinstance(item, int) else team[item.start : item.stop])
        assert list(group.units.ids(TEAM)) == sorted(wanted)


@given(plans())
def test_a_unit_in_two_groups_is_found_with_and_without_the_size_of_the_team(plan: PlanSyntax) -> None:
    """docs/rules/plans.md 2.3, check 9: the interval arithmetic agrees with sets of ids."""
    first = plan.steps[0]
    for other in plan.steps[1:]:
        doubled = PlanSyntax((Step(first.id, (), first.objective, first.groups + other.groups),))
        mine = {unit for group in first.groups for unit in group.units.ids(TEAM)}
        theirs = {unit for group in other.groups for unit in group.units.ids(TEAM)}
        for context in (CONTEXT, PlanContext(objectives=OBJECTIVES)):
            codes = [finding.code for finding in check_plan(format_plan(doubled), context=context).diagnostics]
            assert ("plan-unit-overlap" in codes) == bool(mine & theirs)


@given(ANY_TEXT | st.lists(TREE_PIECES, max_size=20).map("".join))
@example("\ufeff")
@example("S(")
@settings(max_examples=300)
def test_any_text_is_a_tree_or_a_tree_error(text: str) -> None:
    report = check_tree(text)
    assert report.ok == (report.root is not None)
    _assert_findings_lie_inside(text, report)
    try:
        parse_tree(text)
    except DslError as error:
        assert error.diagnostics == report.diagnostics
        assert "error[tree-" in str(error)


@given(ANY_TEXT | st.lists(PLAN_PIECES, max_size=40).map("".join))
@example("Step 0:\n- behavior: \n")
@example("Step 0:\n- target position: \n- behavior: stand\n")
@settings(max_examples=300)
def test_any_text_is_a_plan_or_a_plan_error(text: str) -> None:
    _assert_plan_or_error(text)


@given(plans(), st.data())
def test_any_mutation_of_a_plan_is_a_plan_or_a_plan_error(plan: PlanSyntax, data: st.DataObject) -> None:
    text = format_plan(plan)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(PLAN_PIECES | st.characters()) + text[end:]
    _assert_plan_or_error(text)


def _assert_plan_or_error(text: str) -> None:
    for lenient in (False, True):
        report = check_plan(text, context=CONTEXT, lenient=lenient)
        assert report.ok == (report.root is not None)
        _assert_findings_lie_inside(text, report)
        try:
            assert parse_plan(text, context=CONTEXT, lenient=lenient) == report.root
        except DslError as error:
            assert error.diagnostics == report.diagnostics
            assert "error[plan-" in str(error)


def _assert_findings_lie_inside(text: str, report: CheckResult) -> None:
    for finding in report.diagnostics:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        assert finding.message and "_" not in finding.code
        assert "__ANON" not in finding.message and "LPAR" not in finding.message


_PLACE = st.tuples(st.integers(0, MAP - 1), st.integers(0, MAP - 1))


@given(_PLACE, _PLACE, _PLACE, _PLACE, st.integers(1, TEAM), st.sampled_from(("line", "area")))
def test_strips_of_a_box_are_disjoint_cover_it_and_lie_as_the_pieces_of_the_target(
    one: Cell, other: Cell, first: Cell, last: Cell, size: int, form: str
) -> None:
    """docs/rules/plans.md 1.8: of two units in different strips none crosses the way of the other."""
    units, target = f"[0:{size}] in {one} - {other}", f"{form} {first} - {last}"
    head = "Step 0:\nprerequisites: []\nobjective: position\n"
    text = f"BEGIN PLAN\n{head}units: {units}\n- target position: {target}\n- behavior: stand\nEND PLAN"
    (step,) = parse_plan(text, context=WORDED).steps
    held = np.zeros((MAP, MAP), int)
    boxes = []
    for group in step.groups:
        assert isinstance(group.choice, Inside) and group.units.ids(TEAM) == tuple(range(size))
        boxes.append(np.sort([group.choice.first, group.choice.last], 0))
        (west, south), (east, north) = boxes[-1]
        held[west : east + 1, south : north + 1] += 1
    (west, south), (east, north) = np.sort([one, other], 0)
    wanted = np.zeros_like(held)
    wanted[west : east + 1, south : north + 1] = 1
    np.testing.assert_array_equal(held, wanted)
    assert np.ptp([np.diff(box, axis=0)[0] for box in boxes], axis=0).max() <= 1, "equal as far as cells allow"
    for left, right in combinations(range(len(boxes)), 2):
        for axis in (0, 1):
            way = step.groups[right].target[axis] - step.groups[left].target[axis]
            if boxes[left][1, axis] < boxes[right][0, axis]:
                assert way >= 0
            elif boxes[right][1, axis] < boxes[left][0, axis]:
                assert way <= 0
