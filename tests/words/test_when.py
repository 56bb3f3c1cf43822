"""Rules of when: what is waited for, what comes before and after, and conditions that no plan can wait for."""

from __future__ import annotations

import pytest

import dsl
from hive.players.words.reading import interpret
from tests.words.readings import Cell, asked, facts, plan_of, steps, told


@pytest.mark.parametrize(
    ("order", "objective", "said"),
    [
        ("go to (40, 30); once eighty percent have arrived go to (60, 60)", dsl.Arrival(80), "the arrival of 80%"),
        ("hold (70, 30) until half of ours are dead, then retreat", dsl.Losses(50), "until losses of 50%"),
        ("hold (70, 30) until 30% of the enemies are dead, then charge", dsl.EnemyLosses(30), "enemy losses of 30%"),
        ("wait 50 ticks, then attack", dsl.Time(50), "until 50 ticks"),
        ("archers go to (40, 40), then rest for 50 ticks, then attack", dsl.Position(), "until all of them are there"),
        ("when the enemy is seen, archers fall back to (20, 20)", dsl.Sighted(), "until the sight of an enemy"),
    ],
)
def test_what_is_waited_for_is_an_objective_and_is_said(order: str, objective: dsl.Objective, said: str) -> None:
    reading = interpret(order, facts())
    assert plan_of(reading, facts()).steps[0].objective == objective
    assert any(said in line for line in reading.lines), reading.lines


@pytest.mark.parametrize(
    ("order", "objective"),
    [
        ("when the spearmen see the enemy, the archers go to (40, 40)", dsl.Sighted()),
        ("archers wait until 30% of the spearmen are dead, then go to (40, 40)", dsl.Losses(30)),
    ],
)
def test_what_others_see_or_lose_is_waited_for_with_them(order: str, objective: dsl.Objective) -> None:
    """The step that sees, or loses, has the units that were named; whoever waits for it comes after it."""
    found = steps(order)
    (watched,) = [step for step in found if step.objective == objective]
    assert {unit for group in watched.groups for unit in group.units.ids(100)} == set(range(50))
    after = {watched.id}
    for step in found:
        after |= {step.id} if after & set(step.prerequisites) else set()
    (goes,) = [step.id for step in found if any(group.target == (40, 40) for group in step.groups)]
    assert goes in after


def test_who_was_sent_somewhere_first_goes_there_before_all_get_other_orders() -> None:
    """`Everyone to A; half to B, the rest to C`: nobody would go to A otherwise."""
    first, *later = steps("everyone go to (75, 40); half go to (40, 60), the rest to (110, 60)")
    assert {group.target for group in first.groups} == {(75, 40)}
    assert all(step.prerequisites == (first.id,) for step in later)


def test_both_are_the_two_groups_that_were_named_and_the_former_is_the_first_of_them() -> None:
    order = "archers to (20, 20), spearmen to (60, 30). Once both are there, the cavalry go to (90, 40)"
    found = steps(order)
    (goes,) = [step for step in found if any(group.target == (90, 40) for group in step.groups)]
    assert len(goes.prerequisites) == 2 and [step.id for step in found if step.prerequisites == ()] == [
        *goes.prerequisites
    ]
    former = told(order.replace("the cavalry", "the former"))
    assert former[50] == [(20, 20), (90, 40)] and former[0] == [(60, 30)]
    latter = told(order.replace("the cavalry", "the latter"))
    assert latter[0] == [(60, 30), (90, 40)] and latter[50] == [(20, 20)]


def test_he_is_the_one_who_was_sent_alone() -> None:
    order = "Send one scout to B. The rest stay at home and leave for C only when he is there"
    found = steps(order, "markers_terrain")
    scout = next(step for step in found if len(step.groups[0].units.ids(100)) == 1)
    (leave,) = [step for step in found if any(group.target == (9, 134) for group in step.groups)]
    assert scout.id in leave.prerequisites


def test_whoever_follows_later_waits_so_long() -> None:
    found = steps("spearmen go to (75, 60), archers follow 40 ticks later to (75, 40)")
    (wait,) = [step for step in found if step.objective == dsl.Time(40)]
    (goes,) = [step for step in found if any(group.target == (75, 40) for group in step.groups)]
    assert goes.prerequisites == (wait.id,)


@pytest.mark.parametrize(
    ("order", "cells"),
    [
        ("cavalry attack; before that, go to (40, 40)", [(40, 40), None]),
        ("before you attack, go to (40, 40)", [(40, 40), None]),
        ("before attacking, cavalry go to (40, 40)", [(40, 40), None]),
        ("cavalry go to (60, 60); before that, they stop at (40, 40)", [(40, 40), (60, 60)]),
        ("cavalry go to (60, 60), then to (40, 40)", [(60, 60), (40, 40)]),
    ],
)
def test_what_comes_before_is_done_before(order: str, cells: list[Cell | None]) -> None:
    found = told(order)[80]
    assert len(found) == len(cells)
    assert all(meant is None or cell == meant for cell, meant in zip(found, cells, strict=True))


@pytest.mark.parametrize(
    "order",
    [
        "everyone holds for 60 ticks, then archers go to (40, 40) and cavalry go to (60, 40)",
        "Wait 60 ticks. Then the archers go to (40, 40); the cavalry go to (60, 40)",
        "all stay for 60 ticks, after that archers march to (40, 40), the cavalry to (60, 40)",
        "after 60 ticks archers go to (40, 40), spearmen to (80, 40) and cavalry to (60, 40)",
        "hold for 60 ticks. Archers go to (40, 40), cavalry to (60, 40)",
    ],
)
def test_a_wait_holds_for_all_who_are_named_after_it(order: str) -> None:
    found = steps(order)
    waits = {step.id for step in found if step.objective == dsl.Time(60)}
    going = [step for step in found if {group.target for group in step.groups} & {(40, 40), (60, 40), (80, 40)}]
    assert {group.target for step in going for group in step.groups} >= {(40, 40), (60, 40)}
    assert all(set(step.prerequisites) & waits for step in going)


def test_who_is_named_without_then_need_not_wait() -> None:
    (going,) = [s for s in steps("all hold (70, 30). Archers go to (40, 40)") if s.groups[0].target == (40, 40)]
    assert not going.prerequisites


@pytest.mark.parametrize("order", ["everyone attack, archers stay", "After 40 ticks, all attack, archers stay"])
def test_who_is_told_to_stay_while_others_attack_stays_at_home(order: str) -> None:
    assert all(cell[1] < 30 for unit in range(50, 80) for cell in told(order)[unit])


def test_what_comes_next_waits_for_those_who_do_something_and_not_for_those_who_stay() -> None:
    plan = steps(
        "Phase 1: the cavalry attack the enemy archers, the others remain. Phase 2: the spearmen go to (75, 60)"
    )
    fight = next(number for number, step in enumerate(plan) if isinstance(step.objective, dsl.Elimination))
    assert fight in plan[-1].prerequisites


@pytest.mark.parametrize(
    "order",
    [
        "when anything comes over (60, 60), archers go to (40, 40)",
        "shoot the cavalry when they step out of the East Wood", "nobody shoots until the enemy is at (75, 75)",
    ],
)  # fmt: skip
def test_where_enemies_are_is_not_waited_for_and_said(order: str) -> None:
    """The sight of the first enemy stands for it."""
    assert isinstance(steps(order)[0].objective, dsl.Sighted)
    assert "plans know neither where enemies are" in interpret(order, facts()).text


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("when enemy 7 is seen, archers retreat", "sight of any enemy"),
        ("when it rains, archers go to (40, 40)", "when it rains"),
        ("as long as more than 60 enemies live, stay", "as long as"),
        ("unless the enemy attacks, hold (70, 30)", "unless the enemy attacks"),
        ("archers go to (40, 40) unless they see the enemy", "unless they see the enemy"),
        ("attack the enemy spearmen only once", "once"), ("cavalry attack once and come back", "once"),
    ],
)  # fmt: skip
def test_a_condition_that_no_plan_can_wait_for_is_asked_about(order: str, said: str) -> None:
    """Nothing counts how often something is done, and the sight of certain enemies is not known."""
    assert said in asked(order)


def test_enemies_of_a_part_of_the_map_can_be_waited_for() -> None:
    """In `exploit_weakness` enemy units 0 to 32 stand in the south-east."""
    until = steps("the cavalry stay until the south-east is ours, then go to (20, 20)", "exploit_weakness")[0].objective
    assert isinstance(until, dsl.Elimination) and [*until.units.ids(100)] == [*range(33)]


def test_whose_arrival_is_waited_for_is_sent_there() -> None:
    ways = told("cavalry wait till the spearmen get to (110, 75), then attack")
    assert {ways[unit][0] for unit in range(50)} == {(110, 75)}


@pytest.mark.parametrize("order", ["archers wait, then attack", "archers wait here, then go after them"])
def test_who_waits_first_attacks_then(order: str) -> None:
    last = steps(order)[-1]
    assert last.prerequisites
    assert {group.behaviour for group in last.groups} == {"attack_in_long_range"}


def test_first_before_a_place_is_no_step_of_its_own() -> None:
    found = steps("spearmen go first to (60, 20), then the archers to (60, 40)")
    assert [step.groups[0].target for step in found] == [(60, 20), (60, 40)]


def test_those_of_a_type_that_is_attacked_are_the_enemys() -> None:
    order = "cavalry attack the archers, spearmen wait at (60, 20) and go to (60, 40) as soon as those archers are dead"
    found = steps(order)
    last = next(step for step in found if step.groups[0].target == (60, 40))
    waited = [found[number].objective for number in last.prerequisites]
    assert any(isinstance(each, dsl.Elimination) and set(each.units.ids(100)) == {*range(50, 80)} for each in waited)


@pytest.mark.parametrize(
    ("order", "cell"),
    [
        ("cavalry to (20, 20). Once they are there they go on to (60, 60), and the archers go to (40, 40)", (20, 20)),
        ("cavalry to (20, 20). As soon as they are there they attack and the archers go to (40, 40)", (20, 20)),
        ("cavalry hold (20, 20). When they see the enemy they retreat and the archers go to (40, 40)", (20, 20)),
        ("cavalry to (20, 20). When they arrive, spearmen go to (60, 60) and archers go to (40, 40)", (20, 20)),
    ],
)
def test_a_condition_is_shared_by_those_who_are_joined_with_and(order: str, cell: Cell) -> None:
    """They wait for the same step, and not for what they would see, or for those who were named in between."""
    found = steps(order)
    (archers,) = [step for step in found if step.groups[0].target == (40, 40)]
    before = {step.id: step for step in found}[archers.prerequisites[0]]
    assert len(archers.prerequisites) == 1
    assert before.groups[0].target == cell


def test_nobody_is_sent_again_to_where_he_was_sent_just_before() -> None:
    order = "everyone to the east edge. Once all are there, march along the edge up to the forest"
    assert [step.groups[0].target for step in steps(order, "coordinate")] == [(146, 8), (146, 140)]
