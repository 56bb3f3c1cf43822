"""Plans made to fit teams of other sizes (docs/rules/plans.md 5): bounds `a` go to `floor(a n / n0 + 1/2)`."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dsl import Behind, Elimination, Group, Nearest, PlanSyntax, Position, Source, Span, Step, UnitList, UnitSlice
from hive.engine.plan.rescale import rescale_plan, scale_bound

Items = tuple[UnitSlice | int, ...] | None
SIZES = st.integers(1, 60)


def plan_of(*groups: Items, objective: Position | Elimination | None = None) -> PlanSyntax:
    """A plan of one step with these groups."""
    made = tuple(Group(UnitList(items), (i, i), "stand") for i, items in enumerate(groups))
    return PlanSyntax((Step(0, (), objective or Position(), made),))


def items(plan: PlanSyntax) -> list[Items]:
    return [group.units.items for group in plan.steps[0].groups]


def ids(plan: PlanSyntax, size: int) -> list[int]:
    """Every id of the step, as often as it is named."""
    return [i for group in plan.steps[0].groups for i in group.units.ids(size)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ((UnitSlice(0, 167),), (UnitSlice(0, 84),)),  # 83.5: halves round up
        ((UnitSlice(167, 333),), (UnitSlice(84, 167),)),
        ((UnitSlice(None, 500), UnitSlice(900, None)), (UnitSlice(None, 250), UnitSlice(450, None))),
        ((4, 5, 6, 7), (2, 3)),  # 5 and 7 are half a unit each and go to nothing
        (None, None),
    ],
)
def test_halving_a_team_halves_its_bounds(old: Items, new: Items) -> None:
    assert items(rescale_plan(plan_of(old), (1000, 500), (1000, 1000))) == [new]


def test_a_single_unit_of_a_growing_team_becomes_a_slice() -> None:
    scaled = rescale_plan(plan_of((3, UnitSlice(4, 6))), (10, 40), (10, 10))
    assert items(scaled) == [(UnitSlice(12, 16), UnitSlice(16, 24))]


def test_spans_stay_with_their_items() -> None:
    """The checker points at items by position; a dropped item must not shift the others' spans."""
    source = Source("x", "[0, 1]")
    spans = (Span(source, 1, 2), Span(source, 4, 5))
    group = Group(UnitList((0, 1), item_spans=spans), (0, 0), "stand")
    scaled = rescale_plan(PlanSyntax((Step(0, (), Position(), (group,)),)), (2, 1), (1, 1))
    (kept,) = scaled.steps[0].groups
    assert kept.units.items == (0,)
    assert kept.units.item_spans == spans[:1]


def test_elimination_lists_scale_with_the_other_team_and_never_become_empty() -> None:
    objective = Elimination(UnitList((UnitSlice(0, 1), UnitSlice(50, 100))))
    scaled = rescale_plan(plan_of(None, objective=objective), (10, 10), (100, 20)).steps[0].objective
    assert scaled == Elimination(UnitList((UnitSlice(10, 20),)))
    lone = Elimination(UnitList((99,)))
    scaled = rescale_plan(plan_of(None, objective=lone), (10, 10), (100, 2)).steps[0].objective
    assert scaled == Elimination(UnitList((1,)))


def test_a_group_that_vanishes_leaves_its_step_unless_it_is_the_last() -> None:
    """A step must have a group; between groups, keeping a lost unit would take it from another group."""
    assert items(rescale_plan(plan_of((0,), (UnitSlice(1, 100),)), (100, 10), (1, 1))) == [(UnitSlice(0, 10),)]
    assert items(rescale_plan(plan_of((99,), (98,)), (100, 10), (1, 1))) == [(9,)]


def test_choices_scale_with_the_team_and_a_group_behind_a_lost_one_is_free() -> None:
    """docs/rules/plans.md 5: a count becomes as a bound does, at least 1, and the group ahead is found again."""
    lost, ahead, last = (
        Group(UnitList((each,)), (1, 1), "stand") for each in (0, UnitSlice(10, 60), UnitSlice(60, 90))
    )
    for choice, expected in ((Nearest(25, (5, 5)), 3), (Nearest(1, (5, 5)), 1)):
        groups = (lost, replace(ahead, choice=choice, behind=Behind(0, 3)), replace(last, behind=Behind(1, 8)))
        scaled = rescale_plan(PlanSyntax((Step(0, (), Position(), groups),)), (100, 10), (1, 1)).steps[0].groups
        assert [group.behind for group in scaled] == [None, Behind(0, 8)]
        assert scaled[0].choice == Nearest(expected, (5, 5))


@given(cuts=st.lists(st.integers(0, 60), max_size=6), written=SIZES, actual=SIZES)
def test_groups_stay_disjoint_and_cover_what_they_covered(cuts: list[int], written: int, actual: int) -> None:
    """Neighbouring groups that share a team share the new team: no unit twice, none left out."""
    bounds = sorted({0, written, *(cut for cut in cuts if cut < written)})
    groups = [(UnitSlice(a, b),) if b > a + 1 else (a,) for a, b in pairwise(bounds)]
    scaled = rescale_plan(plan_of(*groups), (written, actual), (1, 1))
    assert ids(scaled, actual) == list(range(actual))


@given(chosen=st.lists(st.lists(st.integers(0, 59)), min_size=1, max_size=4), written=SIZES, actual=SIZES)
def test_disjoint_groups_of_single_units_stay_disjoint(chosen: list[list[int]], written: int, actual: int) -> None:
    seen: set[int] = set()
    groups = []
    for wanted in chosen:
        group = tuple(dict.fromkeys(i for i in wanted if i < written and i not in seen))
        seen.update(group)
        groups += [group] if group else []
    assume(groups)
    found = ids(rescale_plan(plan_of(*groups), (written, actual), (1, 1)), actual)
    assert len(found) == len(set(found)) > 0
    assert all(0 <= i < actual for i in found)


@given(st.lists(st.integers(0, 1000)), st.integers(1, 1000))
def test_the_same_size_leaves_a_plan_alone(chosen: list[int], size: int) -> None:
    plan = plan_of(tuple(chosen), (UnitSlice(None, 3),))
    assert rescale_plan(plan, (size, size), (7, 7)) is plan
    changed_foe = rescale_plan(plan_of((UnitSlice(0, size),)), (size, size), (7, 14))
    assert items(changed_foe) == [(UnitSlice(0, size),)]


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(1, 10**6))
def test_bounds_keep_order_and_ends(bound: int, written: int, actual: int) -> None:
    """Both ends of a team are mapped exactly, whatever the sizes."""
    assert scale_bound(0, written, actual) == 0
    assert scale_bound(written, written, actual) == actual
    assert scale_bound(bound, written, actual) <= scale_bound(bound + 1, written, actual)
    assert abs(scale_bound(bound, written, actual) * written - bound * actual) * 2 <= written
