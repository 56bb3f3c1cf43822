"""When: what ends a step, who waits for whom, and conditions that no plan can wait for."""

from __future__ import annotations

import pytest

import dsl
from tests.words.readings import ARCHERS, CAVALRY, Cell, asked, steps, told


@pytest.mark.parametrize(
    ("order", "objective"),
    [
        ("hold (70, 30) until half of ours are dead, then retreat", dsl.Losses(50)),
        ("when we have lost 30%, retreat", dsl.Losses(30)),
        ("hold (70, 30) until 30% of the enemies are dead, then charge", dsl.EnemyLosses(30)),
        ("hold (70, 30) until 20 enemies are dead, then attack", dsl.EnemyLosses(20)),
        ("once the enemy has lost 30%, attack", dsl.EnemyLosses(30)),
        ("wait 50 ticks, then attack", dsl.Time(50)), ("after 40 ticks, archers go to (40, 40)", dsl.Time(40)),
        ("when the enemy is seen, everyone attacks", dsl.Sighted()),
        ("archers hold (40, 40) until they see the enemy, then fall back to (20, 20)", dsl.Sighted()),
        ("archers go to (40, 40), then to (60, 40)", dsl.Position()),
    ],
)  # fmt: skip
def test_what_is_waited_for_is_the_objective_of_the_first_step(order: str, objective: dsl.Objective) -> None:
    first, last = steps(order)
    assert first.objective == objective
    assert last.prerequisites == (first.id,)


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("archers attack the enemy cavalry; when they are dead, go to (20, 20)", CAVALRY),
        ("archers attack the enemy cavalry until it is dead, then go to (20, 20)", CAVALRY),
        ("archers wait until the enemy cavalry are dead, then go to (20, 20)", CAVALRY),
        ("archers shoot enemy units 50 to 59, then go to (20, 20)", range(50, 60)),
    ],
)
def test_the_death_of_certain_enemies_is_waited_for(order: str, ids: list[int]) -> None:
    first, last = steps(order)
    assert isinstance(first.objective, dsl.Elimination)
    assert [*first.objective.units.ids(100)] == [*ids]
    assert last.prerequisites == (first.id,) and {group.target for group in last.groups} == {(20, 20)}


@pytest.mark.parametrize(
    ("order", "awaited"),
    [
        ("archers go to (40, 40). Once the archers are there, cavalry go to (60, 60)", {(40, 40)}),
        ("archers go to (40, 40). Then cavalry go to (60, 60)", {(40, 40)}),
        ("archers go to (40, 40). After that cavalry go to (60, 60)", {(40, 40)}),
        ("archers to (40, 40), spearmen to (20, 20). Once both are there, cavalry go to (60, 60)",
         {(40, 40), (20, 20)}),
        ("archers go to (40, 40), then all go to (60, 60)", {(40, 40)}),
        ("cavalry go to (20, 20), and when the archers have reached (40, 40) they go to (60, 60)",
         {(20, 20), (40, 40)}),
        ("archers go to (40, 40), meanwhile cavalry go to (60, 60)", set()),
        ("archers go to (40, 40) while cavalry go to (60, 60)", set()),
        ("archers go to (40, 40), cavalry go to (60, 60)", set()),
    ],
)  # fmt: skip
def test_a_group_waits_for_the_others_that_are_said_and_for_no_others(order: str, awaited: set[Cell]) -> None:
    found = {step.id: step for step in steps(order)}
    (goes,) = [step for step in found.values() if any(group.target == (60, 60) for group in step.groups)]
    before = [found[number] for number in goes.prerequisites]
    assert {group.target for step in before for group in step.groups} == awaited
    assert all(isinstance(step.objective, dsl.Position) for step in before)


def test_who_is_waited_for_at_a_place_is_sent_there() -> None:
    order = "archers wait until the cavalry are at (60, 40), then go to (40, 40)"
    assert {unit: cells[-1] for unit, cells in told(order).items()} == {
        **dict.fromkeys(ARCHERS, (40, 40)),
        **dict.fromkeys(CAVALRY, (60, 40)),
    }


@pytest.mark.parametrize(
    "order",
    [
        "everyone holds for 60 ticks, then archers go to (40, 40) and cavalry go to (60, 40)",
        "Wait 60 ticks. Then the archers go to (40, 40); the cavalry go to (60, 40)",
        "all stay for 60 ticks, after that archers march to (40, 40), the cavalry to (60, 40)",
    ],
)
def test_a_wait_of_everyone_holds_for_all_who_are_named_after_it(order: str) -> None:
    wait, *going = steps(order)
    assert wait.objective == dsl.Time(60)
    assert {group.target for step in going for group in step.groups} == {(40, 40), (60, 40)}
    assert all(step.prerequisites == (wait.id,) for step in going)


def test_a_stay_after_a_way_begins_when_units_are_there() -> None:
    go, wait, leave = steps("archers go to (40, 40), wait 50 ticks, then go to (60, 60)")
    assert (go.objective, wait.objective) == (dsl.Position(), dsl.Time(50))
    assert {group.target for group in wait.groups} == {(40, 40)}
    assert wait.prerequisites == (go.id,) and leave.prerequisites == (wait.id,)


def test_who_stands_still_until_others_arrive_does_not_hold_up_what_follows() -> None:
    """Units that stand reach no place, so that nothing would ever come after their step."""
    stand, way, attack = steps("archers stay put until the spearmen are at (70, 60), then they attack")
    assert {group.behaviour for group in stand.groups} == {"stand"}
    assert attack.prerequisites == (way.id,) and way.groups[0].target == (70, 60)


def test_the_last_step_ends_with_the_death_of_all_enemies() -> None:
    """A game does not end with its plan; whoever only walks needs no enemy."""
    assert steps("archers go to (40, 40), then to (60, 40)")[-1].objective == dsl.Elimination(dsl.UnitList(None))
    assert steps("archers go to (40, 40) without fighting")[-1].objective == dsl.Position()


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("when it rains, archers go to (40, 40)", "`rains`"), ("as long as 60 enemies live, stay", "`as long as`"),
        ("unless the enemy attacks, hold (70, 30)", "`unless`"),
        ("cavalry attack; before that, go to (40, 40)", "`before"),
        ("when enemy 7 is seen, archers retreat", "`when`"), ("cavalry hide until their archers are tired", "`until`"),
        ("archers to (20, 20). When all four groups are there, the cavalry attack", "`When`"),
        ("the spearmen wait until the cavalry has killed the enemy archers, then attack", "`until`"),
        ("when anything comes over (60, 60), archers go to (20, 20)", "`when`"),
        ("hold until a third of them are dead, then retreat", "`until`"),
        ("cavalry stay back until the archers have arrived, then go to (60, 60)", "whose arrival"),
    ],
)  # fmt: skip
def test_a_condition_that_no_plan_can_wait_for_is_asked_about(order: str, said: str) -> None:
    assert said in asked(order)
