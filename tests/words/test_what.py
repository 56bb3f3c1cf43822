"""Rules of what is done: going, holding, fighting whom and how, not fighting, and what excludes each other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive.players.words.reading import interpret
from tests.words.readings import Cell, asked, facts, sent, steps, targets, told


@pytest.mark.parametrize(
    "order",
    [
        "advance and stay put", "attack and do not attack", "go north and do not move", "hold and retreat",
        "stay where you are and go north", "everyone go to (40, 40). Nobody moves.", "hold position and charge",
        "archers attack. Archers stay where they are.", "advance but fall back", "cavalry charge and hide",
        "attack without fighting", "spearmen advance and stay put",
    ],
)  # fmt: skip
def test_orders_that_exclude_each_other_get_a_question(order: str) -> None:
    assert "exclude each other" in asked(order)


@pytest.mark.parametrize("deed", ["attack", "shoot", "charge", "fight against"])
@pytest.mark.parametrize("whom", ["our own spearmen", "our archers", "each other", "yourselves", "us"])
def test_nobody_attacks_his_own_side(deed: str, whom: str) -> None:
    assert "own side" in asked(f"{deed} {whom}")
    assert "own side" in asked(f"cavalry {deed} {whom}")


def test_what_no_unit_can_do_is_asked_about() -> None:
    assert "No unit can do this" in asked("put out the fire!", "burning_wood")


@pytest.mark.parametrize(
    ("order", "behaviour"),
    [
        ("archers go to (60, 40), then attack the enemy spearmen from a distance", "attack_in_long_range"),
        ("spearmen attack the enemy archers", "attack_in_close_range"),
        ("archers attack at close range", "attack_in_close_range"), ("cavalry retreat to (70, 12)", "follow_map"),
        ("spearmen hold (75, 60)", "attack_and_move"),  # `hold` never steps, and is for those who are there
        ("archers stay back and shoot the enemy", "attack_in_long_range"),
        ("archers go to (40, 40) without fighting", "follow_map"), ("archers stand still and do nothing", "stand"),
    ],
)  # fmt: skip
def test_how_units_act_is_their_behaviour(order: str, behaviour: str) -> None:
    assert {group.behaviour for group in steps(order)[-1].groups} == {behaviour}


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["cavalry", "archers", "everyone"]),
    st.sampled_from(["hold", "go to", "wait at"]),
    st.tuples(st.integers(20, 130), st.integers(20, 60)),
    st.sampled_from(["do not fight", "never attack", "nobody fights", "do not shoot", "without fighting"]),
)
def test_who_is_not_to_fight_does_not(who: str, deed: str, cell: Cell, no: str) -> None:
    groups = [group for step in steps(f"{who} {deed} {cell}, {no}") for group in step.groups]
    assert {group.behaviour for group in groups if math.dist(group.target, cell) < 20} <= {"follow_map", "stand"}


@pytest.mark.parametrize(
    "order",
    [
        "archers go to (60, 40) and shoot the enemy cavalry", "archers go to (60, 40), shoot the enemy cavalry",
        "archers shoot the enemy cavalry from (60, 40)", "from (60, 40), archers shoot the enemy cavalry",
    ],
)  # fmt: skip
def test_who_shoots_from_a_place_stays_there(order: str) -> None:
    assert targets(order) == {(60, 40)}
    assert steps(order)[-1].groups[0].types == ("cavalry",)


@pytest.mark.parametrize("whom", ["whatever comes near", "anything coming close", "all enemies who come near"])
def test_who_comes_is_fought_from_a_place_that_was_named(whom: str) -> None:
    assert targets(f"archers go to (60, 40) and shoot {whom}") == {(60, 40)}


@pytest.mark.parametrize(
    "order",
    [
        "everyone march to (40, 40), steering clear of the enemy spearmen",
        "stay clear of the enemy cavalry and march to (40, 40)",
        "ignore the enemy spearmen, march to (40, 40)", "ignore the enemy cavalry and go to (40, 40)",
        "dodge the enemy cavalry on the way to (40, 40)",
    ],
)  # fmt: skip
def test_who_is_to_be_avoided_is_no_target(order: str) -> None:
    reading = interpret(order, facts())
    assert targets(order) == {(40, 40)} and len(told(order)) == 100
    assert "attack" not in reading.text and "ignore the enemy" in reading.text


def test_who_stays_away_from_some_enemies_does_not_march_against_the_others() -> None:
    assert max(y for _, y in targets("stay away from the enemy cavalry")) < 60


def test_who_cannot_shoot_is_not_told_to() -> None:
    assert set(told("shoot the enemy spearmen")) == set(range(50, 80))


def test_a_heading_before_a_colon_is_no_order_of_its_own() -> None:
    assert targets("Hold the south: spearmen to (40, 40), archers to (60, 40)") == {(40, 40), (60, 40)}


def test_types_are_killed_one_after_another() -> None:
    """`Archers first, then cavalry` is an order of deeds: each waits for the one before."""
    first, second, third = steps("kill archers first, then cavalry, spearmen last")
    assert [step.groups[0].types for step in (first, second, third)] == [("archer",), ("cavalry",), ("spearmen",)]
    assert second.prerequisites == (first.id,) and third.prerequisites == (second.id,)


@pytest.mark.parametrize("how", ["in a tight wedge", "like a checkerboard", "in three ranks"])
def test_a_formation_is_left_out_by_name(how: str) -> None:
    reading = interpret(f"spearmen go to (75, 40) {how}", facts())
    assert f"Left out: `{how}`." in reading.text
    assert sent(f"spearmen go to (75, 40) {how}", (75, 40)) == [*range(50)]


def test_a_distance_between_units_is_left_out_by_name() -> None:
    reading = interpret("spearmen hold (75, 40), six metres between them", facts())
    assert reading.plan is not None and "Left out: `six metres`." in reading.text


@pytest.mark.parametrize("ban", ["nobody crosses the river", "no one leaves his post", "nobody goes north of y = 30"])
def test_a_ban_on_leaving_keeps_units_near_their_places(ban: str) -> None:
    """They fight on a leash, and a line says that this is what is understood."""
    reading = interpret(f"spearmen hold (20, 20). {ban}", facts("exploit_weakness"))
    assert "fight what is in reach and do not chase" in reading.text
    assert {
        group.leash for step in steps(f"spearmen hold (20, 20). {ban}", "exploit_weakness") for group in step.groups
    } == {10}


def test_what_the_enemy_will_do_is_no_order() -> None:
    order = "The enemy will come over all nine bridges. Archers hold the camp"
    assert told(order, "strategize_points") == told("Archers hold the camp", "strategize_points")


def test_orders_that_leave_nothing_of_an_earlier_one_are_asked_about() -> None:
    order = "kill the enemy cavalry. Spearmen to (40, 40), archers to (60, 40), cavalry to (80, 40)"
    assert "other orders follow for all of them" in asked(order)


@pytest.mark.parametrize(
    ("world", "order", "cells"),
    [
        ("duel", "visit the hamlets one after the other", [(94, 51), (94, 98)]),
        ("duel", "archers hold the two hamlets in turn", [(94, 51), (94, 98)]),
        ("strategize_points", "go to the South-West Bridges one by one", [(28, 237), (64, 134), (134, 74), (248, 20)]),
        ("strategize_points", "ten archers to each South-West Bridge, one at a time",
         [(28, 237), (64, 134), (134, 74), (248, 20)]),
        ("markers_terrain", "visit the markers one at a time", [(193, 85), (49, 136), (9, 134), (11, 9)]),
        ("markers_terrain", "go to one marker after the other", [(193, 85), (49, 136), (9, 134), (11, 9)]),
        ("exploit_weakness", "archers kill the spearmen and the archers, one after the other", [(85, 19), (16, 84)]),
        ("exploit_weakness", "archers attack one group at a time", [(85, 19), (88, 85), (16, 84)]),
    ],
)  # fmt: skip
def test_one_after_the_other_nobody_is_shared_out(world: str, order: str, cells: list[Cell]) -> None:
    """All go to each place, or attack each enemy, in this order."""
    assert {tuple(each) for each in told(order, world).values()} == {tuple(cells)}


@pytest.mark.parametrize("order", ["use our riders against the enemy archers"])
def test_who_is_used_on_whom(order: str) -> None:
    (step,) = steps(order)
    assert step.groups[0].units.ids(100) == tuple(range(80, 100))
    assert step.groups[0].types == ("archer",)


@pytest.mark.parametrize(
    "order",
    ["archers stay put", "50 of them go to (40, 40), the rest stay", "cavalry attack. Nobody else moves."],
)
def test_units_that_are_to_stay_where_they_are_do_not_move_at_all(order: str) -> None:
    """Units that hold a place together gather round it; these are not to take a step."""
    groups = [group for step in steps(order) for group in step.groups]
    assert groups[-1].behaviour == "stand"


def test_units_that_are_to_do_nothing_at_a_place_go_there_first() -> None:
    go, stand = steps("archers do nothing at (40, 30)")
    assert go.groups[0].target == (40, 30) and go.groups[0].behaviour != "stand"
    assert stand.groups[0].behaviour == "stand" and stand.prerequisites == (go.id,)


def test_who_waits_for_units_that_stand_waits_for_what_these_wait_for() -> None:
    """Units that stand reach no place, so that nothing would ever come after their step."""
    stood, _, attack = steps("archers stay put until the spearmen are at (70, 60), then they attack")
    assert stood.groups[0].behaviour == "stand" and attack.prerequisites == (1,)


@pytest.mark.parametrize(
    "order",
    [
        "spearmen go to (75, 60) and kill everything", "spearmen to (75, 60) and attack whatever they meet",
        "spearmen charge to (75, 60)",
    ],
)  # fmt: skip
def test_who_fights_at_a_place_that_is_said_goes_no_further(order: str) -> None:
    (step,) = steps(order)
    assert [(group.target, group.behaviour) for group in step.groups] == [((75, 60), "attack_in_close_range")]


@pytest.mark.parametrize(
    "order",
    [
        "archers go to (60, 50) and shoot only cavalry", "everyone to (60, 50), archers shoot only cavalry",
        "archers to (60, 50), only against cavalry",
    ],
)  # fmt: skip
def test_whom_alone_units_attack_where_they_are_sent(order: str) -> None:
    (step,) = steps(order)
    types = {unit: group.types for group in step.groups for unit in group.units.ids(100)}
    assert types[50] == ("cavalry",) and types.get(0, ()) == ()
    assert {group.target for group in step.groups} == {(60, 50)}
