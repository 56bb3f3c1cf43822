"""Laws of the moves: whatever is drawn, a changed plan checks, fits, and plays for the units that there are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.id_ranges import count, ranges, split, without
from hive.engine.plan.rescale import rescale_plan
from hive.experiments.search.crossing import cross
from hive.experiments.search.moves import MOVES, WORD_MOVES, Move, change, mutate
from hive.experiments.search.stretches import stretches_of, unit_list
from hive.experiments.search.tidy import before, fits, tidy
from tests.search.field import PLANS, site_and_plan, worded_site

units = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=5).map(ranges)


@settings(max_examples=25)
@given(
    name=st.sampled_from(sorted(PLANS)),
    seed=st.integers(0, 2**32 - 1),
    number=st.integers(1, 12),
    words=st.booleans(),
)
def test_any_moves_from_any_shipped_plan_check_fit_and_command_units(
    name: str, seed: int, number: int, words: bool
) -> None:
    site, plan = site_and_plan(name)
    site = worded_site(name) if words else site
    rng = np.random.default_rng(seed)
    for _ in range(number):
        plan, moves = mutate(plan, site, rng)
        assert 1 <= len(moves) <= 4
    report = dsl.check_plan(dsl.format_plan(plan), "plan", site.context)
    assert report.root == plan and not report.diagnostics, dsl.render(report.diagnostics)
    assert fits(plan, site)
    assert tidy(plan, site) == plan, "a plan in order stays as it is"
    ends = [step for step in plan.steps if step.objective == dsl.Elimination(dsl.UnitList(None))]
    assert ends or not site.eliminates, "a plan is not finished before all enemies are dead"
    small = rescale_plan(plan, (site.team, site.sizes[0]), (site.foes, site.sizes[1]))
    for step, own in zip(small.steps, plan.steps, strict=True):
        assert len(step.groups) == len(own.groups), "no group is lost in games of the searched size"
        assert sum(len(group.units.ids(site.sizes[0])) for group in step.groups) > 0


@settings(max_examples=15)
@given(name=st.sampled_from(sorted(PLANS)), seed=st.integers(0, 2**32 - 1))
def test_moves_keep_what_the_second_edition_says_of_a_group(name: str, seed: int) -> None:
    """Leashes, ways under cover and choices are those of some group; groups behind one are never behind themselves."""
    site, plan = site_and_plan(name)
    rng = np.random.default_rng(seed)
    step = max(plan.steps, key=lambda each: len(each.groups))
    one, *others = step.groups
    choice = dsl.Nearest(5, (3, 4))
    groups = (replace(one, leash=7, choice=choice), *[replace(each, behind=dsl.Behind(0, 8)) for each in others])
    start = tidy(
        dsl.PlanSyntax(tuple(replace(step, groups=groups) if each is step else each for each in plan.steps)), site
    )
    assert start is not None and tidy(start, site) == start
    for _ in range(8):
        plan, _ = change(start, plan, site, rng)
        assert tidy(plan, site) == plan
        for each in plan.steps:
            for at, group in enumerate(each.groups):
                assert group.leash in (None, 7) and group.choice in (None, choice)
                assert (group.leash is None) == (group.choice is None)
                if group.behind:
                    assert at != group.behind.group and group.target == each.groups[group.behind.group].target


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_changes_of_a_lenient_plan_keep_the_strict_rule(seed: int) -> None:
    """A unit in two groups of a step stays in the later one alone, so a saved search may read its plans strictly."""
    site, _ = site_and_plan("coordinate")
    text = f"{ALIVE}units: [100:300]\n- target position: (60, 10)\n- behavior: stand\n"
    start = dsl.parse_plan(text, "plan", site.context, lenient=True)
    assert any(found.code == "plan-unit-overlap" for found in dsl.check_plan(text, "plan", site.context).diagnostics)
    plan, moves = mutate(start, site, np.random.default_rng(seed))
    assert moves and dsl.parse_plan(dsl.format_plan(plan), "plan", site.context) == plan


@pytest.mark.slow
@pytest.mark.parametrize("move", MOVES | WORD_MOVES, ids=lambda move: move.__name__)
def test_each_move_changes_some_shipped_plan_into_valid_ones(move: Move) -> None:
    """A move that never applies, or that changes nothing, would be dead weight."""
    changed = 0
    for name in PLANS:
        site, (_, plan) = worded_site(name), site_and_plan(name)
        for seed in range(20):
            found = move(plan, site, np.random.default_rng(seed))
            found = found and tidy(found, site)
            if found is not None and found != tidy(plan, site):
                report = dsl.check_plan(dsl.format_plan(found), "plan", site.context)
                assert report.root == found and not report.diagnostics, dsl.render(report.diagnostics)
                changed += 1
                if changed == 3:
                    return
    assert changed


@settings(max_examples=25)
@given(
    one=st.sampled_from(sorted(PLANS)),
    number=st.integers(0, 6),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_plan_of_two_has_orders_of_both_and_checks(one: str, number: int, seed: int) -> None:
    """Every order of it is one of the first plan or one of the second; units and steps are those of the first."""
    site, first = site_and_plan(one)
    rng = np.random.default_rng(seed)
    second = first
    for _ in range(number):
        second, _ = mutate(second, site, rng)
    found = cross(first, second, site, rng)
    orders = [
        {(g.target, g.behaviour, g.types) for step in plan.steps for g in step.groups} for plan in (first, second)
    ]
    for mine, made in zip(first.steps, found.steps, strict=True):
        assert replace(made, groups=mine.groups) == mine and [g.units for g in made.groups] == [
            g.units for g in mine.groups
        ]
        assert {(g.target, g.behaviour, g.types) for g in made.groups} <= orders[0] | orders[1]
    changed, names = change(first, second, site, rng)
    assert names and fits(changed, site)
    report = dsl.check_plan(dsl.format_plan(changed), "plan", site.context)
    assert report.root == changed and not report.diagnostics


def test_half_of_the_orders_come_from_the_other_plan() -> None:
    site, plan = site_and_plan("coordinate")
    step = plan.steps[0]
    away = replace(step, groups=tuple(replace(group, target=(1, 1)) for group in step.groups))
    other = dsl.PlanSyntax((away, *plan.steps[1:]))
    rng = np.random.default_rng(0)
    taken = [cross(plan, other, site, rng).steps[0].groups[0].target == (1, 1) for _ in range(200)]
    assert 70 < sum(taken) < 130


@given(one=units, other=units, parts=st.integers(1, 7))
def test_stretches_are_sets_of_ids(
    one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...], parts: int
) -> None:
    ids = [{unit for start, stop in some for unit in range(start, stop)} for some in (one, other)]
    assert stretches_of(unit_list(one, 60), 60) == one or not one
    assert {unit for start, stop in without(one, other) for unit in range(start, stop)} == ids[0] - ids[1]
    pieces = split(one, parts)
    assert ranges(part for piece in pieces for part in piece) == one
    sizes = [count(piece) for piece in pieces]
    assert sum(sizes) == len(ids[0]) and max(sizes) - min(sizes) <= 1


DEAD = """\
Step 0:
prerequisites: []
objective: elimination all
units: [0:500]
- target position: (10, 10)
- behavior: attack_in_close_range any
units: [500:510]
- target position: (20, 10)
- behavior: attack_in_close_range any

Step 1:
prerequisites: [0]
objective: position
units: all
- target position: (30, 10)
- behavior: follow_map

Step 2:
prerequisites: []
objective: position
units: [0:500]
- target position: (40, 10)
- behavior: follow_map

Step 3:
prerequisites: [2]
objective: elimination all
units: [600:601]
- target position: (50, 10)
- behavior: follow_map
units: [0:500]
- target position: (50, 10)
- behavior: stand
units: [700:1000]
- target position: (50, 10)
- behavior: stand

Step 4:
prerequisites: []
objective: position
units: [0:300]
- target position: (60, 10)
- behavior: follow_map

Step 5:
prerequisites: []
objective: elimination all
units: [0:400]
- target position: (70, 10)
- behavior: stand
"""
ALIVE = """\
Step 0:
prerequisites: []
objective: elimination all
units: [400:510]
- target position: (10, 10)
- behavior: attack_in_close_range any

Step 1:
prerequisites: []
objective: position
units: [0:500]
- target position: (40, 10)
- behavior: follow_map

Step 2:
prerequisites: [1]
objective: elimination all
units: [400:500, 700:1000]
- target position: (50, 10)
- behavior: stand

Step 3:
prerequisites: []
objective: elimination all
units: [0:400]
- target position: (70, 10)
- behavior: stand
"""


def test_dead_steps_and_groups_are_pruned() -> None:
    """A step after the end of the game, units that a later step commands; ten units of 1,000 join their neighbours."""
    site, _ = site_and_plan("coordinate_bad")
    dead, alive = (dsl.parse_plan(text, "plan", site.context) for text in (DEAD, ALIVE))
    found = tidy(dead, site)
    assert found is not None
    assert dsl.format_plan(found) == dsl.format_plan(alive)


def test_blocks_are_those_of_the_scenario_and_not_of_the_searched_size() -> None:
    """A third of 40 units, 13, would be 244 of 750 and not 250."""
    site, _ = site_and_plan("exploit_weakness")
    assert [end for end, _ in site.starts] == [end for end, _ in site.foe_starts] == [250, 500, 750]
    assert site.sizes == (40, 40)


def test_a_step_waits_for_all_before_it() -> None:
    _, plan = site_and_plan("exploit_weakness")
    assert before(plan.steps, 4) == {0, 2, 3} and before(plan.steps, 1) == set()
