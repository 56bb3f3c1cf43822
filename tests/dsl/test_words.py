"""Words of plans: what they mean, where they are wrong, and how they are written (docs/rules/plans.md 1.6 to 1.9)."""

from __future__ import annotations

from dataclasses import replace

import pytest

import dsl
from dsl import PlanContext, check_plan, format_plan, parse_plan
from dsl.vocabulary import Feature

TEAM = (("spearmen", 40), ("archer", 70), ("cavalry", 91))
CONTEXT = PlanContext(
    team_size=91,
    foe_size=30,
    map_size=90,
    team_blocks=TEAM,
    foe_blocks=(("archer", 30),),
    markers=(("A", (17, 5)), ("B", (60, 61))),
    features=(
        Feature("North Bridge", (48, 79), ((46, 77), (51, 81))),
        Feature("Eastern Forest", (70, 30), ((60, 0), (89, 59))),
        Feature("River", None, ((46, 0), (51, 89))),
    ),
)


def plan_of(*groups: str, objective: str = "position") -> str:
    """Return a plan of one step; each group is `units / target / behaviour`, of which the last two may be missing."""
    lines = ["BEGIN PLAN", "Step 0:", "prerequisites: []", f"objective: {objective}"]
    for group in groups:
        given = group.split(" / ")
        units, target, behaviour = (*given, *("all", "(1, 2)", "stand")[len(given) :])
        lines += [f"units: {units}", f"- target position: {target}", f"- behavior: {behaviour}"]
    return "\n".join((*lines, "END PLAN"))


def core(text: str, context: PlanContext = CONTEXT) -> list[str]:
    """Return the resolved lines of the groups of a plan."""
    report = check_plan(text, context=context)
    assert report.ok, dsl.render(report.diagnostics)
    assert isinstance(report.root, dsl.PlanSyntax)
    heads = ("units: ", "- target position: ", "- behavior: ")
    return [line for line in format_plan(report.root).splitlines() if line.startswith(heads)]


UNITS = [  # units of each group, and the ids that they get
    (("spearmen",), ["[0:40]"]),
    (("archer, cavalry",), ["[40:91]"]),
    (("spearmen, [50, 89:]",), ["[0:40, 50, 89:91]"]),
    (("half of archer", "half of archer"), ["[40:55]", "[55:70]"]),
    (("a third of cavalry", "one third of cavalry", "third of cavalry"), ["[70:77]", "[77:84]", "[84:91]"]),
    (("two thirds of archer", "the rest"), ["[40:60]", "[0:40, 60:91]"]),
    (("30% of spearmen", "three quarters of archer"), ["[0:12]", "[40:63]"]),
    (("half of [0:5]", "half of [0:5]"), ["[0:3]", "[3:5]"]),  # a share is rounded up, and takes what is left
    (("20 of cavalry", "1 of cavalry"), ["[70:90]", "90"]),
    (("3 of archer, 2 of archer", "half of archer"), ["[40:45]", "[45:60]"]),  # nor what earlier terms of the line name
    (("half of archer, half of archer", "spearmen, the rest"), ["[40:70]", "[0:40, 70:91]"]),
    (("10 of half of archer", "10 of archer"), ["[40:50]", "[50:60]"]),
    (("the rest", "[0:10]", "half of spearmen"), ["[30:91]", "[0:10]", "[10:30]"]),
    (("the rest of archer", "10 of archer", "the rest"), ["[50:70]", "[40:50]", "[0:40, 70:91]"]),
    (("half of the rest", "spearmen", "the rest"), ["[40:66]", "[0:40]", "[66:91]"]),
    (("all",), ["all"]),
    (("[7, 0:2, :3]",), ["[7, 0:2, :3]"]),  # a list of the first edition stays as it is written
    (("nearest 20 to (5, 6)",), ["nearest 20 of all to (5, 6)"]),
    (("nearest 20 of half of spearmen to (5, 6)",), ["nearest 20 of [0:20] to (5, 6)"]),
    (("in (1, 2) - (30, 40)",), ["all in (1, 2) - (30, 40)"]),
    (("nearest 9 of archer to (1, 2)", "the rest"), ["[0:91]", "nearest 9 of [40:70] to (1, 2)"]),  # chosen come last
    (("archer", "archer in (1, 2)-(3, 4)"), ["[40:70]", "[40:70] in (1, 2) - (3, 4)"]),
]


@pytest.mark.parametrize(("written", "ids"), UNITS)
def test_units_in_words_are_these_ids(written: tuple[str, ...], ids: list[str]) -> None:
    """Shares and counts take the lowest ids that no earlier group has; `the rest` is what no other group names."""
    found = [line.removeprefix("units: ") for line in core(plan_of(*written)) if line.startswith("units: ")]
    assert found == [f"[{text}]" if text.isdigit() else text for text in ids]


PLACES = [
    ("marker A", "(17, 5)"),
    ("North Bridge", "(48, 79)"),
    ("north of North Bridge", "(49, 81)"),
    ("south-west of Eastern Forest", "(65, 10)"),
    ("north", "(45, 75)"),
    ("south-east of the map", "(75, 15)"),
    ("centre", "(45, 45)"),
    ("center of the map", "(45, 45)"),
    ("(3, 4) under cover", "(3, 4) under cover"),
]


@pytest.mark.parametrize(("written", "cell"), PLACES)
def test_places_in_words_are_these_cells(written: str, cell: str) -> None:
    """A part of a box is the middle of one of its nine boxes; a feature is the cell that its map names."""
    assert core(plan_of(f"all / {written}"))[1] == f"- target position: {cell}"


def test_a_group_spreads_over_a_line_and_an_area_in_order_of_ids() -> None:
    """As many parts as their crowds fill it, at most sixteen, at the middles of equal pieces."""
    lines = core(plan_of("[0:40] / line (0, 10) - (24, 10)"))
    assert lines[0::3] == ["units: [0:13]", "units: [13:26]", "units: [26:40]"]
    assert lines[1::3] == [f"- target position: ({x}, 10)" for x in (4, 12, 20)]
    area = core(plan_of("all / area (80, 80) - (20, 20)"))
    assert len(area) == 16 * 3 and area[1].endswith("(28, 28)") and area[-2].endswith("(73, 73)")
    assert len(core(plan_of("[3:5] / line marker A - North Bridge"))) == 2 * 3


SPREAD_CHOICES = [  # units, target, and the choices and x of the targets of the first groups
    ("[0:40] in (0, 0) - (29, 9)", "line (0, 5) - (24, 5)", ["in (0, 0) - (9, 9)", "in (10, 0) - (19, 9)"], [4, 12]),
    ("[0:40] in (29, 0) - (0, 9)", "line (24, 5) - (0, 5)", ["in (20, 0) - (29, 9)", "in (10, 0) - (19, 9)"], [20, 12]),
    ("all in (3, 80) - (4, 90)", "line (0, 5) - (80, 5)", ["in (3, 80) - (3, 90)", "in (4, 80) - (4, 90)"], [20, 60]),
    ("nearest 20 to (90, 0)", "line (0, 5) - (24, 5)", ["nearest 20 of all to (90, 0)", "nearest 15"], [3, 9]),
    ("nearest 20 to (0, 90)", "line (0, 5) - (24, 5)", ["nearest 20 of all to (0, 90)", "nearest 15"], [21, 15]),
]


@pytest.mark.parametrize(("units", "target", "choices", "east"), SPREAD_CHOICES)
def test_chosen_units_spread_by_where_they_stand(units: str, target: str, choices: list[str], east: list[int]) -> None:
    """A box is cut along the line; of the nearest units those nearer to the place go to the nearer pieces."""
    lines = core(plan_of(f"{units} / {target}"))
    for head, choice in zip(lines[0::3], choices, strict=False):
        assert choice in head
    assert [int(line.split("(")[1].split(",")[0]) for line in lines[1::3]][:2] == east


def test_the_nearest_units_behind_a_group_that_spreads_are_as_many_as_asked_for() -> None:
    """A later choice takes its units from an earlier one, so the first part asks for all of them."""
    step = parse_plan(
        plan_of("spearmen / line (0, 9) - (24, 9)", "nearest 9 of archer to (1, 1) / behind spearmen by 3"),
        context=CONTEXT,
    ).steps[0]
    assert [each.choice for each in step.groups[3:]] == [dsl.Nearest(number, (1, 1)) for number in (9, 6, 3)]


def test_places_on_the_way_are_steps_of_their_own_after_the_step() -> None:
    """The last active step in the text commands a unit (docs/rules/plans.md 3.2), so places on the way come first."""
    text = plan_of("[0:10] / (9, 9) via (1, 1), marker B under cover / stand any within 5", "the rest / (2, 2)")
    root = parse_plan(text, context=CONTEXT)
    first, one, two = root.steps
    assert (one.id, one.prerequisites, one.objective) == (1, first.prerequisites, dsl.Arrival(80))
    assert (two.id, two.prerequisites, two.objective) == (2, (1,), dsl.Arrival(80))
    assert [step.groups[0].target for step in root.steps] == [(9, 9), (1, 1), (60, 61)]
    assert all(step.groups[0].cover and step.groups[0].leash == 5 for step in root.steps)
    assert [len(step.groups) for step in root.steps] == [2, 1, 1]


BEHIND = [  # groups, and the place and target of the group in front of each, or None
    (("archer / behind spearmen by 8", "spearmen / (9, 9)"), [(1, 8), None]),
    (("half of spearmen / (9, 9)", "archer / behind half of spearmen by 3"), [None, (0, 3)]),
    (("spearmen / (9, 9)", "archer / behind [5:9] by 3"), [None, (0, 3)]),
    (("spearmen / (9, 9)", "archer / behind spearmen by 3", "cavalry / behind archer by 2"), [None, (0, 3), (1, 2)]),
    (("nearest 9 of archer to (1, 1) / (9, 9)", "cavalry / behind archer by 2"), [(1, 2), None]),
    (("spearmen / line (0, 9) - (14, 9)", "archer / behind spearmen by 3"), [None, None, (0, 3), (1, 3)]),
]


@pytest.mark.parametrize(("groups", "fronts"), BEHIND)
def test_a_group_behind_another_knows_it_and_has_its_target(
    groups: tuple[str, ...], fronts: list[tuple[int, int] | None]
) -> None:
    (step,) = parse_plan(plan_of(*groups), context=CONTEXT).steps
    assert [each.behind and (each.behind.group, each.behind.gap) for each in step.groups] == fronts
    assert all(each.target == step.groups[each.behind.group].target for each in step.groups if each.behind)


def test_groups_behind_one_that_goes_by_places_go_the_same_way() -> None:
    """A place on the way is left when four fifths of all of them have come."""
    text = plan_of("archer / behind spearmen by 8", "spearmen / (9, 9) via (1, 1)")
    step = parse_plan(text, context=CONTEXT).steps[1]
    assert [group.behind for group in step.groups] == [dsl.Behind(1, 8), None]
    assert {group.target for group in step.groups} == {(1, 1)} and step.objective == dsl.Arrival(80)


FOES = replace(CONTEXT, foe_size=50, foe_blocks=(("archer", 20), ("cavalry", 30), ("archer", 50)))


@pytest.mark.parametrize(
    ("written", "ids"), [("archer", "[0:20, 30:50]"), ("cavalry, archer", "[0:50]"), ("Cavalry", "[20:30]")]
)
def test_an_elimination_of_types_lists_their_ids(written: str, ids: str) -> None:
    """The ids are those of the other side, which may have several groups of a type."""
    root = parse_plan(plan_of("all", objective=f"elimination {written}"), context=FOES)
    assert dsl.formatter.format_objective(root.steps[0].objective) == f"elimination {ids}"


@pytest.mark.parametrize(
    ("written", "code", "covered", "words"),
    [
        ("spearmen", "plan-few-units", "spearmen", "it has 20 archers, 10 cavalry and 20 archers"),
        ("archer, archr", "plan-unit-type", "archr", "did you mean `archer`?"),
        ("half of archer", "plan-list", "of", "or types"),
    ],
)
def test_types_that_an_elimination_cannot_name(written: str, code: str, covered: str, words: str) -> None:
    report = check_plan(plan_of("all", objective=f"elimination {written}"), context=FOES)
    assert [(finding.code, finding.span.text) for finding in report.diagnostics] == [(code, covered)]
    assert words in dsl.render(report.diagnostics)


OBJECTIVES = ["time 100", "arrival any", "arrival 80%", "sighted", "losses 30%", "enemy losses 50%"]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_an_objective_is_written_as_it_is_read(objective: str) -> None:
    text = plan_of("all", objective=objective)
    assert format_plan(parse_plan(text, context=CONTEXT)) == text


BROKEN = [  # groups, code, the characters that it covers, words of the message and its notes
    (("knights",), "plan-unit-type", "knights", "`spearmen`"),
    (("balista",), "plan-few-units", "balista", "40 spearmen, 30 archers and 21 cavalry"),
    (("half of archr",), "plan-unit-type", "archr", "did you mean `archer`?"),
    (("50 of archer",), "plan-few-units", "50", "at most 30 of these 30 units can be taken"),
    (("archer", "half of archer"), "plan-few-units", "half", "other groups of step 0 name the others"),
    (("all", "the rest"), "plan-few-units", "the rest", "other groups of step 0 name all of them"),
    (("0% of archer",), "plan-number", "0%", "from 1% to 100%"),
    (("archer", "[69:71]"), "plan-unit-overlap", "69:71", "unit 69"),
    (("half of [0:99]",), "plan-unit-range", "0:99", "units 0 to 90"),
    (("nearest 31 of archer to (1, 2)",), "plan-few-units", "31", "30 such units"),
    (("nearest 0 to (1, 2)",), "plan-number", "0", "at least 1"),
    (("in (1, 2) - (91, 4)",), "plan-coordinate", "91", "ends at 89"),
    (("nearest 2 to (3, 91)",), "plan-coordinate", "91", "ends at 89"),
    (("archer, nearest 2 to (1, 2)",), "plan-list", "nearest", "stands alone"),
    (("all / North Brigde",), "plan-target", "North Brigde", "did you mean `North Bridge`?"),
    (("all / norht-east",), "plan-target", "norht-east", "did you mean `north-east`?"),
    (("all / River",), "plan-target", "River", "no unit can stand"),
    (("all / marker C",), "plan-target", "marker C", "`A` and `B`"),
    (("all / line (1, 2)",), "plan-target", "", "expected `-`"),
    (("all / line (1, 2) - (3, 90)",), "plan-coordinate", "90", "ends at 89"),
    (("in (1, 2) - (3, 4) / (1, 2) via (3, 4), (5, 6)",), "plan-target", "(1, 2) via (3, 4), (5, 6)", "one place"),
    (("spearmen", "archer / behind cavalry by 8"), "plan-behind", "cavalry", "other groups are of `spearmen`"),
    (("archer / behind archer by 8",), "plan-behind", "archer", "step 0 has no other group"),
    (
        ("in (1, 2) - (9, 9) / line (1, 2) - (80, 9)", "archer / behind all by 8"),
        "plan-behind",
        "behind all by 8",
        "a line of its own",
    ),
    (("spearmen", "archer / behind spearmen by 0"), "plan-number", "0", "at least 1"),
    (("all / (1, 2) / stand within 0",), "plan-number", "0", "at least 1"),
]


@pytest.mark.parametrize(("groups", "code", "covered", "words"), BROKEN)
def test_one_wrong_word_is_one_error_at_its_place(groups: tuple[str, ...], code: str, covered: str, words: str) -> None:
    report = check_plan(plan_of(*groups), context=CONTEXT)
    assert [(finding.code, finding.span.text) for finding in report.diagnostics] == [(code, covered)]
    assert words in dsl.render(report.diagnostics)


def test_groups_that_stay_behind_one_another_are_errors() -> None:
    text = plan_of("archer / behind spearmen by 8", "spearmen / behind archer by 8")
    assert [each.code for each in check_plan(text, context=CONTEXT).diagnostics] == ["plan-behind"]


@pytest.mark.parametrize("group", ["archer", "the rest", "half of all", "all / North Bridge", "all / north"])
def test_without_the_scenario_a_word_is_an_error_that_asks_for_it(group: str) -> None:
    """Its words can be written all the same."""
    report = check_plan(plan_of(group), context=PlanContext())
    unknown = check_plan(plan_of("all", objective="elimination archer"), context=PlanContext())
    assert [finding.code for finding in unknown.diagnostics] == ["plan-scenario"] and unknown.root is None
    assert {finding.code for finding in report.diagnostics} == {"plan-scenario"} and report.root is None
    assert "--scenario" in dsl.render(report.diagnostics) and report.written == plan_of(group)
    assert check_plan(plan_of("half of [0:8]"), context=PlanContext()).ok


@pytest.mark.parametrize(
    "group", ["in (1, 2) - (3, 4)", "all / (1, 2) under cover", "all / (1, 2) / stand within 5", "nearest 2 to (1, 2)"]
)
def test_what_a_world_does_not_carry_out_is_refused(group: str) -> None:
    report = check_plan(plan_of(group), context=replace(CONTEXT, orders=()))
    assert [finding.code for finding in report.diagnostics] == ["plan-not-here"]


SPELLED = [
    ("archers / north bridge", "archer / North Bridge"),
    ("all / the North-Bridge", "all / North Bridge"),
    ("all / North East of the map", "all / north-east of the map"),
    ("all / northwest of eastern forest", "all / north-west of Eastern Forest"),
    ("all / B", "all / marker B"),
]


@pytest.mark.parametrize(("written", "meant"), SPELLED)
def test_words_in_other_spellings_are_read_with_a_warning(written: str, meant: str) -> None:
    report = check_plan(plan_of(written), context=CONTEXT)
    assert report.ok and {each.code for each in report.diagnostics} == {"plan-spelling"}
    assert report.written == plan_of(meant) == check_plan(plan_of(meant), context=CONTEXT).written


COMMENTED = """\
# The archers wait.
BEGIN PLAN
# Where they stand
Step 0:
prerequisites: []  # nothing before it
objective: arrival 80%
# units: all
units: half of archer, [0:5]
- target position: line marker A - (9, 9) via north under cover
- behavior: stand any within 12  # near it

# Step 1:
# prerequisites: []

### Step 2:
prerequisites: [0]
objective: time   007
units: [ 0:5,7 ]
- target position: (3,4)
- behavior: stand
# the end
END PLAN
"""
WRITTEN = """\
BEGIN PLAN
# Where they stand
Step 0:
prerequisites: []  # nothing before it
objective: arrival 80%
# units: all
units: half of archer, [0:5]
- target position: line marker A - (9, 9) via north under cover
- behavior: stand any within 12  # near it

# Step 1:
# prerequisites: []
Step 2:
prerequisites: [0]
objective: time 7
units: [0:5, 7]
- target position: (3, 4)
- behavior: stand
# the end
END PLAN"""


def test_comments_and_words_stay_when_a_plan_is_formatted() -> None:
    """A heading such as `### Step 2:` is Markdown, unless a comment follows it: then it is a step left out."""
    report = check_plan(COMMENTED, context=CONTEXT)
    assert report.written == WRITTEN and [each.code for each in report.diagnostics] == ["plan-markdown"]
    again = check_plan(WRITTEN, context=CONTEXT)
    assert (again.written, again.root, again.diagnostics) == (WRITTEN, report.root, ())
