"""A narrowed grammar writes valid plans only, all that its remarks do not exclude, and the same in both forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dsl
from dsl import (
    Contain,
    Cut,
    Elimination,
    Extinguish,
    Group,
    PlanContext,
    PlanSyntax,
    Position,
    Rescue,
    Scout,
    Step,
    Transport,
    UnitList,
    UnitSlice,
    UserError,
)
from dsl.narrowing import MOST_CUTS, MOST_STEPS, Narrowed, narrow
from dsl.narrowing.cuts import choose_cuts
from dsl.narrowing.rules import numeral, write_gbnf, write_lark
from dsl.plan_parser import MAX_PLAN_LENGTH, MAX_PLAN_WORDS
from dsl.vocabulary import BEHAVIOURS, CREW_BEHAVIOURS, CREW_OBJECTIVES, UNIT_TYPES, Feature, is_place_name
from tests.dsl.decoding import Decoder
from tests.dsl.grammar_reader import read_grammar
from tests.dsl.strategies import WORDED
from tests.tiers import tiers

BATTLE = PlanContext(team_size=12, foe_size=60, map_size=50)
CREW = PlanContext(
    CREW_BEHAVIOURS, (), team_size=12, foe_size=0, map_size=50, objectives=CREW_OBJECTIVES, most={"transport": 40}
)
STEPS = 4  # of the grammars of both contexts, whose teams have 12 cut points, and the enemy's of 60 units too
DECODERS = {
    (name, form): Decoder(getattr(narrow(context, cuts=12, steps=STEPS), form), form)
    for name, context in (("battle", BATTLE), ("crew", CREW))
    for form in ("gbnf", "lark")
}


def both(narrowed: Narrowed) -> list[tuple[str, str]]:
    return [(narrowed.gbnf, "gbnf"), (narrowed.lark, "lark")]


@given(st.integers(0, 1), st.integers(1, 3000))
def test_a_numeral_is_every_number_of_its_range_once(low: int, high: int) -> None:
    rules = {"start": numeral(low, high)}
    for text, form in ((write_gbnf(rules), "gbnf"), (write_lark(rules), "lark")):
        assert read_grammar(text, form).every() == {str(number) for number in range(low, high + 1)}


def test_the_number_zero_alone_and_nine_digits_have_a_numeral() -> None:
    assert read_grammar(write_gbnf({"start": numeral(0, 0)}), "gbnf").every() == {"0"}
    nine = Decoder(write_lark({"start": numeral(1, 999_999_999)}), "lark")
    assert nine.accepts("999999999") and not nine.accepts("1000000000") and not nine.accepts("0")


@given(st.integers(1, 5000), st.integers(1, 250), st.sets(st.integers(1, 4999), max_size=4))
def test_cut_points_rise_from_0_to_the_size_and_keep_to_their_number(size: int, most: int, borders: set[int]) -> None:
    inside = tuple(sorted(border for border in borders if border < size))
    cuts = choose_cuts("the team", size, most, inside)
    assert cuts.points[0] == 0 and cuts.points[-1] == size and len(cuts.points) <= most + 1
    assert all(low < high for low, high in pairwise(cuts.points))
    assert (cuts.points == tuple(range(size + 1))) == (cuts.remark == "") == (size <= most)
    assert len(inside) >= most or {*inside} <= {*cuts.points}


def test_cut_points_of_a_huge_team_are_chosen_without_listing_its_ids() -> None:
    """The rule: a size from a damaged file costs neither time nor memory."""
    assert choose_cuts("the team", 10**12, 250).points[-1] == 10**12


def test_every_text_of_a_tiny_grammar_is_a_plan_and_every_plan_is_a_text() -> None:
    """All lists of a team of three, alone and as groups, and nothing else."""
    context = PlanContext(("stand",), (), team_size=3, foe_size=0, map_size=1, objectives=("position",))
    for text, form in both(narrow(context, steps=1)):
        texts = read_grammar(text, form).every()
        assert all(dsl.check_plan(each, context=context).diagnostics == () for each in texts)
        lists = {"/".join(line[7:] for line in each.splitlines() if line.startswith("units")) for each in texts}
        assert len(lists) == len(texts)
        assert lists == {"all", *(f"[{row}]" for row in _rows(0))}


def _rows(low: int) -> Iterator[str]:
    """Items of a team of three from a unit on, in one list or in several."""
    for start in range(low, 3):
        for item, end in [(f"{start}", start + 1), *((f"{start}:{stop}", stop) for stop in range(start + 1, 4))]:
            yield item
            for rest in _rows(end):
                yield from (f"{item}, {rest}", f"{item}]/[{rest}")


@pytest.mark.parametrize("context", [BATTLE, CREW])
def test_both_forms_have_the_same_rules(context: PlanContext) -> None:
    gbnf, lark = (read_grammar(text, form) for text, form in both(narrow(context)))
    renamed = {"start": "root"}

    def rename(node: object) -> object:
        if isinstance(node, tuple):
            return ("use", node[1].lower()) if node[0] == "use" else tuple(map(rename, node))
        return node

    assert {renamed.get(name, name).lower(): rename(body) for name, body in lark.rules.items()} == gbnf.rules


CELLS = st.tuples(st.integers(0, 49), st.integers(0, 49))
OF_CREWS = st.one_of(
    st.sampled_from([Position(), Extinguish()]),
    st.lists(CELLS, min_size=1, max_size=4).map(lambda cells: Cut(tuple(cells))),
    st.builds(Contain, CELLS, st.integers(0, 50)),
    st.builds(Rescue, st.integers(1, 999_999_999), CELLS),  # the context says of no largest number
    st.builds(Transport, st.integers(1, 40), CELLS),
    st.builds(Scout, st.none() | st.tuples(CELLS, CELLS)),
)


def _slices(low: int, high: int, step: int) -> st.SearchStrategy[UnitList]:
    """Rising slices of `[low, high)` between multiples of `step`."""
    ends = st.lists(st.integers(low // step, high // step), min_size=2, max_size=6, unique=True).map(sorted)
    return ends.map(lambda found: UnitList(tuple(UnitSlice(step * a, step * b) for a, b in [*pairwise(found)][::2])))


def _units(low: int, high: int) -> st.SearchStrategy[UnitList]:
    """Rising ids or slices of `[low, high)`."""
    ids = st.sets(st.integers(low, high - 1), min_size=1, max_size=4).map(lambda found: UnitList(tuple(sorted(found))))
    return ids | _slices(low, high, 1)


@st.composite
def allowed(draw: st.DrawFn, crew: bool) -> PlanSyntax:
    """Plans that the grammar of the context should allow, made without it."""
    steps = []
    for number in range(draw(st.integers(1, STEPS))):
        ends = draw(st.lists(st.integers(0, 12), min_size=2, max_size=5, unique=True).map(sorted))
        lists = draw(st.just([UnitList(None)]) | st.tuples(*(_units(low, high) for low, high in pairwise(ends))))
        types = st.sets(st.sampled_from(UNIT_TYPES)).map(lambda found: tuple(sorted(found, key=UNIT_TYPES.index)))
        types = st.just(()) if crew else types | st.just(("any",))
        names = st.sampled_from(CREW_BEHAVIOURS if crew else BEHAVIOURS)
        groups = tuple(Group(units, draw(CELLS), draw(names), draw(types)) for units in lists)
        foes = st.just(UnitList(None)) | _slices(0, 60, 5)
        aim = draw(OF_CREWS if crew else st.just(Position()) | foes.map(Elimination))
        earlier = draw(st.sets(st.integers(0, number - 1))) if number else ()
        steps.append(Step(number, tuple(sorted(earlier)), aim, groups))
    return PlanSyntax(tuple(steps))


QUICK = ("battle", "gbnf"), ("crew", "lark")  # both forms have the same rules, see above


@pytest.mark.parametrize("which", tiers(DECODERS, quick=QUICK), ids="-".join)
@given(st.data())
def test_plans_within_the_narrowing_are_accepted(which: tuple[str, str], data: st.DataObject) -> None:
    plan = data.draw(allowed(which[0] == "crew"))
    assert DECODERS[which].accepts(dsl.format_plan(plan) + "\n")


PLAN = """\
BEGIN PLAN
Step 0:
prerequisites: []
objective: elimination [0:5, 10:15]
units: [0:4, 6]
- target position: (49, 0)
- behavior: attack_and_move archer cavalry
units: [7:12]
- target position: (0, 49)
- behavior: stand any

Step 1:
prerequisites: [0]
objective: position
units: all
- target position: (9, 10)
- behavior: follow_map
END PLAN
"""


@pytest.mark.parametrize("form", ["gbnf", "lark"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("[7:12]", "[6:12]"),  # a unit in two groups
        ("[7:12]", "[7:13]"),  # a unit too many
        ("[7:12]", "[7:7]"),
        ("[0:5, 10:15]", "[0:6]"),  # between two cut points
        ("[0:5, 10:15]", "[10:15, 0:5]"),
        ("[0:5, 10:15]", "[55:65]"),
        ("prerequisites: [0]", "prerequisites: [1]"),  # a step that waits for itself
        ("prerequisites: []", "prerequisites: [1]"),  # for a later one
        ("prerequisites: [0]", "prerequisites: [0, 0]"),
        ("Step 1:", "Step 0:"),
        ("(49, 0)", "(50, 0)"),
        ("(49, 0)", "(049, 0)"),
        ("stand any", "stand any archer"),
        ("archer cavalry", "archer archer"),
        ("follow_map", "follow"),
        ("objective: position", "objective: extinguish"),
        ("END PLAN\n", "END PLAN"),
        ("\nStep 1", "Step 1"),
    ],
)
def test_other_texts_are_not_accepted(form: str, old: str, new: str) -> None:
    assert DECODERS["battle", form].accepts(PLAN.replace(old, new)) == (old == new)


def test_what_a_context_has_none_of_is_left_out() -> None:
    """No objective asks for more than there is, and target types are those of either side, where they are known."""
    bare = narrow(PlanContext(("stand",), (), team_size=1, foe_size=0, map_size=9, most={"rescue": 0}))
    assert " any" not in bare.lark and "foe0" not in bare.lark
    assert '"rescue "' in narrow(CREW).lark and '"rescue "' not in narrow(replace(CREW, most={"rescue": 0})).lark
    sides = replace(BATTLE, team_blocks=(("archer", 12),), foe_blocks=(("spearmen", 30), ("archer", 60)))
    text = narrow(sides).gbnf
    assert " spearmen" in text and " archer" in text and " cavalry" not in text


@pytest.mark.parametrize("form", ["gbnf", "lark"])
def test_types_of_which_there_is_no_unit_are_not_named(form: str) -> None:
    """A plan that is written for small armies may leave a group of the scenario's file without units."""
    blocks = (("spearmen", 0), ("archer", 12), ("cavalry", 12))
    context = replace(BATTLE, foe_size=12, team_blocks=blocks, foe_blocks=blocks, features=(), markers=())
    text = getattr(narrow(context), form)
    assert "archer" in text and "spearmen" not in text and "cavalry" not in text


NAMED = tuple(
    Feature(name, (3, 4), ((1, 1), (5, 5))) for name in ("Hill", "Hill 203", "Hill 2", "Hill of Kings", "the", "North")
)


@pytest.mark.parametrize("form", ["gbnf", "lark"])
def test_a_place_whose_name_begins_that_of_another_can_be_named(form: str) -> None:
    """As Lark the longest word is read, without a way back."""
    context = replace(BATTLE, features=NAMED, markers=(), objectives=("position",))
    decoder = Decoder(getattr(narrow(context, cuts=1, steps=1), form), form)
    for name in (*(feature.name for feature in NAMED), "north of the", "north of the map", "east of Hill 2"):
        for target in (name, f"line {name} - {name}", f"(1, 2) via {name}, {name} under cover"):
            lines = f"units: all\n- target position: {target}\n- behavior: stand\n"
            text = f"BEGIN PLAN\nStep 0:\nprerequisites: []\nobjective: position\n{lines}END PLAN\n"
            assert decoder.accepts(text) and dsl.check_plan(text, context=context).diagnostics == (), target


@pytest.mark.parametrize(
    ("name", "usable"),
    [
        ("North Bridge", True),
        ("Hill 203", True),
        ("North of Eden", True),
        ("half-way", True),
        ("Caf\N{LATIN SMALL LETTER E WITH ACUTE}", True),
        ("A", False),  # a marker
        ("map", False),
        ("The Map", False),
        ("north", False),  # a part of the map
        ("east of Eden", False),  # a part of Eden
        ("North\N{ZERO WIDTH SPACE}Bridge", False),
        ("one --- two", False),
        ("line of trees", False),
    ],
)
def test_a_name_of_a_place_is_one_that_plans_read_as_that_place(name: str, usable: bool) -> None:
    context = replace(BATTLE, features=(Feature(name, (3, 4), ((1, 1), (5, 5))),), markers=())
    lines = f"units: all\n- target position: {name}\n- behavior: stand\n"
    found = dsl.check_plan(f"Step 0:\nprerequisites: []\nobjective: position\n{lines}", context=context)
    assert is_place_name(name) == usable
    if usable:
        assert not found.diagnostics and isinstance(found.root, PlanSyntax)
        assert found.root.steps[0].groups[0].target == (3, 4) and f"position: {name}\n" in f"{found.written}\n"


def test_the_longest_plan_of_the_largest_grammar_can_be_read() -> None:
    """Counts of words and characters have limits, beyond which a plan is refused (dsl/plan_parser.py)."""
    ends = (("spearmen", 120), ("archer", MOST_CUTS))
    names = tuple(Feature(f"North Bridge of the River {number}", (1, 2), ((0, 0), (3, 3))) for number in range(9))
    sizes = PlanContext(team_size=MOST_CUTS, foe_size=MOST_CUTS, map_size=100_000)
    context = replace(sizes, team_blocks=ends, foe_blocks=ends, features=names)
    narrowed = narrow(context, cuts=MOST_CUTS + 1, steps=MOST_STEPS + 1)
    capped = ("251 cut points are too many: a team has at most 250", "31 steps are too many for this grammar")
    assert narrowed.remarks[:2] == capped
    steps = int(re.findall(r"at most (\d+) steps", narrowed.remarks[2])[0])
    assert steps < MOST_STEPS and f"at most {MOST_STEPS} steps" in narrow(context, cuts=20, steps=MOST_STEPS).remarks[0]
    for text, form in both(narrowed):
        longest = read_grammar(text, form).longest()
        assert longest.count("units: ") == (MOST_CUTS + 1) * steps
        assert MAX_PLAN_WORDS * 0.7 < len(re.findall(r"\w+|[^\w\s]", longest)) <= MAX_PLAN_WORDS
        assert len(longest) <= MAX_PLAN_LENGTH


def test_a_grammar_needs_all_sizes_and_at_least_one_of_everything() -> None:
    with pytest.raises(UserError, match="needs the sizes of both teams and of the map"):
        narrow(PlanContext(team_size=3, map_size=9))
    with pytest.raises(UserError, match="at least 1 cut point and 1 step"):
        narrow(BATTLE, cuts=0)


WORDS = """\
BEGIN PLAN
Step 0:
prerequisites: []
objective: arrival 80%
units: spearmen
- target position: line marker A - north-east via (1, 2), south of North Bridge under cover
- behavior: stand any within 12
units: two thirds of archer
- target position: North Bridge
- behavior: stand
units: the rest
- target position: area (1, 2) - (3, 4)
- behavior: follow_map
units: nearest 3 of archer to (5, 6)
- target position: centre
- behavior: stand
END PLAN
"""


@pytest.mark.parametrize("form", ["gbnf", "lark"])
def test_words_of_a_scenario_are_in_its_grammar(form: str) -> None:
    """Types in order, each once; a rest where there is one; places of this map; a choice of no more than there are."""
    decoder = Decoder(getattr(narrow(WORDED, cuts=4, steps=1), form), form)
    assert decoder.accepts(WORDS) and dsl.check_plan(WORDS, context=WORDED).diagnostics == ()
    for old, new in (
        ("units: spearmen", "units: cavalry"),  # before archers
        ("two thirds of archer", "archer, cavalry"),
        ("nearest 3", "nearest 19"),
        ("two thirds of", "100% of"),  # would leave no rest
        ("marker A", "marker B"),
        ("North Bridge", "South Bridge"),
        ("within 12", "within 0"),
        ("units: two thirds of archer", "units: archer\n- target position: (1, 2)\n- behavior: stand\nunits: cavalry"),
    ):
        assert not decoder.accepts(WORDS.replace(old, new)), new


@pytest.mark.parametrize("form", ["gbnf", "lark"])
def test_of_two_types_one_after_the_other_either_may_stay_behind(form: str) -> None:
    """Either names the other, which is a group of the step."""
    decoder = Decoder(getattr(narrow(WORDED, cuts=4, steps=1), form), form)
    head, tail = "BEGIN PLAN\nStep 0:\nprerequisites: []\nobjective: sighted\n", "END PLAN\n"

    def groups(*targets: tuple[str, str]) -> str:
        lines = (f"units: {who}\n- target position: {where}\n- behavior: stand\n" for who, where in targets)
        return f"{head}{''.join(lines)}{tail}"

    for row in (
        (("spearmen", "(1, 2)"), ("archer", "behind spearmen by 8")),
        (("spearmen", "behind cavalry by 8"), ("cavalry", "(1, 2)"), ("the rest", "north")),
        (("archer", "(1, 2)"), ("cavalry", "behind archer by 49"), ("the rest", "north")),
    ):
        assert decoder.accepts(groups(*row)) and dsl.check_plan(groups(*row), context=WORDED).diagnostics == (), row
    for row in (
        (("spearmen", "behind archer by 8"), ("archer", "behind spearmen by 8")),
        (("spearmen", "behind archer by 8"), ("cavalry", "(1, 2)")),
        (("spearmen", "(1, 2)"), ("archer", "behind spearmen by 0")),
    ):
        assert not decoder.accepts(groups(*row)), row
