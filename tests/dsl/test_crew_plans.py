"""Plans for crews in a wildfire: their objectives, who may name them, and every way to get one wrong."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import scenarios
from dsl import (
    Arrival,
    Contain,
    Cut,
    Extinguish,
    Leaf,
    Node,
    Objective,
    PlanContext,
    PlanSyntax,
    Position,
    Rescue,
    Scout,
    Time,
    Transport,
    check_plan,
    format_plan,
    format_tree,
    parse_plan,
    parse_tree,
)
from dsl.vocabulary import (
    BATTLE_OBJECTIVES,
    CREW_BEHAVIOURS,
    CREW_FORMS,
    CREW_OBJECTIVES,
    CREW_TYPES,
    OBJECTIVES,
)
from hive.cli.plans.checking import check_text

MOST = {"transport": 10, "rescue": 11}
CONTEXT = PlanContext(CREW_BEHAVIOURS, team_size=10, map_size=50, objectives=CREW_OBJECTIVES, most=MOST)
BATTLE = PlanContext(CREW_BEHAVIOURS, team_size=10, map_size=50)

OBJECTIVE_LINES: list[tuple[str, Objective]] = [
    ("position", Position()),
    ("cut [(11, 16), (13, 16)]", Cut(((11, 16), (13, 16)))),
    ("extinguish", Extinguish()),
    ("contain (30, 49) 12", Contain((30, 49), 12)),
    ("contain (0, 0) 50", Contain((0, 0), 50)),
    ("rescue 11 (20, 21)", Rescue(11, (20, 21))),
    ("transport 10 (49, 11)", Transport(10, (49, 11))),
    ("scout (40, 10) (10, 40)", Scout(((40, 10), (10, 40)))),
    ("scout fire", Scout(None)),
    ("time 100", Time(100)),
    ("arrival any", Arrival(0)),
    ("arrival 80%", Arrival(80)),
]


def plan_text(objective: str) -> str:
    lines = ("Step 0:", "prerequisites: []", f"objective: {objective}", "units: all")
    return "\n".join(("BEGIN PLAN", *lines, "- target position: (1, 2)", "- behavior: cut", "END PLAN"))


@pytest.mark.parametrize(("text", "objective"), OBJECTIVE_LINES)
def test_an_objective_gives_its_node_and_back(text: str, objective: Objective) -> None:
    plan = parse_plan(plan_text(text), context=CONTEXT)
    (step,) = plan.steps
    assert step.objective == objective
    assert step.objective.span.text == text
    assert step.objective.word == text.split()[0]
    assert format_plan(plan) == plan_text(text)
    assert isinstance(
        check_plan(plan_text(text.replace(", ", ",").replace(" (", "(")), context=CONTEXT).root, PlanSyntax
    )


def test_each_kind_of_world_accepts_only_its_own_objectives() -> None:
    assert {objective.word for _, objective in OBJECTIVE_LINES} == set(CREW_OBJECTIVES)
    for text in (*(text for text, _ in OBJECTIVE_LINES), "elimination all"):
        for objectives in (BATTLE_OBJECTIVES, CREW_OBJECTIVES, OBJECTIVES):
            report = check_plan(plan_text(text), context=PlanContext(CREW_BEHAVIOURS, objectives=objectives))
            word = text.split()[0]
            assert [(finding.code, finding.span.text) for finding in report.diagnostics] == (
                [] if word in objectives else [("plan-objective", word)]
            )


BROKEN = [  # objective, code, column, characters covered
    ("cut", "plan-objective", 15, ""),
    ("cut []", "plan-empty-list", 12, "cut []"),
    ("cut (1, 2)", "plan-objective", 16, "("),
    ("cut [1, 2]", "plan-objective", 17, "1"),
    ("cut [(1, 2), (50, 2)]", "plan-coordinate", 26, "50"),
    ("cut [(1, 2), (3, -1)]", "plan-number", 29, "-1"),
    ("contain (30, 30)", "plan-objective", 28, ""),
    ("contain 12 (30, 30)", "plan-objective", 20, "12"),
    ("contain (30, 50) 12", "plan-coordinate", 25, "50"),
    ("contain (30, 30) 51", "plan-number", 29, "51"),
    ("rescue (20, 20)", "plan-objective", 19, "("),
    ("rescue 0 (20, 20)", "plan-number", 19, "0"),
    ("rescue 3 (20, 99)", "plan-coordinate", 26, "99"),
    ("rescue 1.5 (20, 20)", "plan-number", 19, "1.5"),
    ("transport 11 (9, 9)", "plan-number", 22, "11"),
    ("rescue 12 (9, 9)", "plan-number", 19, "12"),
    ("transport 0 (9, 9)", "plan-number", 22, "0"),
    ("transport 1 (50, 9)", "plan-coordinate", 25, "50"),
    ("scout", "plan-objective", 17, ""),
    ("scout (1, 2)", "plan-objective", 24, ""),
    ("scout (1, 2) (3, 50)", "plan-coordinate", 29, "50"),
    ("scout far", "plan-objective", 18, "far"),
    ("time 0", "plan-number", 17, "0"),
    ("arrival 0%", "plan-number", 20, "0"),
    ("arrival 101%", "plan-number", 20, "101"),
    ("arrival 80", "plan-objective", 22, ""),
    ("extinguish all", "plan-syntax", 23, "all"),
    ("extinguished", "plan-syntax", 22, "ed"),
    ("elimination all", "plan-objective", 12, "elimination"),
    ("", "plan-objective", 11, ""),
]


@pytest.mark.parametrize(("objective", "code", "column", "covered"), BROKEN)
def test_one_mistake_gives_one_error_at_its_place(objective: str, code: str, column: int, covered: str) -> None:
    text = plan_text(objective).replace("objective: \n", "objective:\n")
    (finding,) = check_plan(text, context=CONTEXT).diagnostics
    assert (finding.code, finding.span.line, finding.span.column) == (code, 4, column)
    assert (finding.span.text, finding.severity) == (covered, "error")


@pytest.mark.parametrize(
    ("objective", "hint"),
    [
        ("extinguis", "extinguish"),
        ("Rescue 3 (1, 2)", "rescue"),
        ("scout fir", "fire"),
        ("transprot 1 (1, 2)", "transport"),
    ],
)
def test_a_hint_names_what_was_probably_meant(objective: str, hint: str) -> None:
    assert check_plan(plan_text(objective), context=CONTEXT).diagnostics[0].hint == f"did you mean `{hint}`?"


def test_a_battle_is_proposed_no_objective_of_a_wildfire() -> None:
    (finding,) = check_plan(plan_text("extinguis"), context=BATTLE).diagnostics
    words = "`position`, `elimination`, `time`, `arrival`, `sighted`, `losses` or `enemy losses`"
    assert finding.message == f"expected {words}, found `extinguis`"
    assert (finding.hint, "extinguish" in str(finding.help)) == (None, False)


def test_without_sizes_places_and_counts_are_not_compared() -> None:
    context = PlanContext(CREW_BEHAVIOURS, objectives=CREW_OBJECTIVES)
    for objective in ("transport 99 (99, 99)", "contain (99, 99) 999", "scout (0, 0) (99, 99)"):
        assert check_plan(plan_text(objective), context=context).ok


def test_the_command_check_knows_both_worlds_where_no_scenario_is_named() -> None:
    for objective in (*(text for text, _ in OBJECTIVE_LINES), "elimination all"):
        assert check_text(plan_text(objective), "a.plan").ok
        assert check_text(plan_text(objective).replace("behavior: cut", "behavior: attack_and_move"), "a.plan").ok


@pytest.mark.parametrize("name", CREW_BEHAVIOURS)
def test_a_tree_for_crews_is_canonical_and_says_only_what_crews_know(name: str) -> None:
    text = scenarios.tree(name)
    tree = parse_tree(text)
    assert format_tree(tree) + "\n" == text
    known = {(form.name, len(form.slots)) for form in CREW_FORMS} | {("stand", 0)}
    for leaf in leaves(tree):
        assert (leaf.name, len(leaf.args)) in known
        assert leaf.name != "is_type" or leaf.args[1] in CREW_TYPES


def leaves(node: Node) -> Iterator[Leaf]:
    if isinstance(node, Leaf):
        yield node
    else:
        for child in node.children:
            yield from leaves(child)
