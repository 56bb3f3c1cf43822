"""Groups of an order that wait for each other, and words that refer back to them."""

from __future__ import annotations

import pytest

import dsl
from hive.players.words.reading import interpret
from tests.words.readings import Cell, asked, facts, sent, steps, told


def awaited(order: str, cell: Cell) -> set[Cell]:
    """The places to which the steps send units that come just before the one that sends units to a place."""
    found = {step.id: step for step in steps(order)}
    (goes,) = [step for step in found.values() if any(group.target == cell for group in step.groups)]
    return {group.target for number in goes.prerequisites for group in found[number].groups}


@pytest.mark.parametrize(
    ("order", "cells"),
    [
        ("archers go to (40, 40). The spearmen wait until they are there, then go to (60, 60)", {(40, 40)}),
        ("archers to (40, 40), spearmen to (20, 20). When both groups are up there, cavalry go to (60, 60)",
         {(40, 40), (20, 20)}),
        ("archers to (40, 40), spearmen to (20, 20), cavalry to (90, 30). Only when all three are in place do the "
         "cavalry go on to (60, 60)", {(40, 40), (20, 20), (90, 30)}),
        ("ten archers hide at (140, 40). The spearmen go to (75, 40) and wait there until the snipers are in position, "
         "then they go to (60, 60)", {(140, 40), (75, 40)}),
        ("cavalry stay back until the archers have arrived, then go to (60, 60). Archers to (40, 40)", {(40, 40)}),
        ("nobody advances until the archers are in place. Archers to (40, 40), spearmen to (60, 60)", {(40, 40)}),
        ("archers go to (40, 40). The cavalry does not leave before they are there, then it goes to (60, 60)",
         {(40, 40)}),
        ("archers to (40, 40), then to (40, 60). When they have reached (40, 40), cavalry go to (60, 60)", {(40, 40)}),
        ("cavalry go to (20, 20) and when the archers have reached (40, 40) they go to (60, 60)", {(40, 40), (20, 20)}),
    ],
)  # fmt: skip
def test_a_group_waits_for_the_others_that_are_said(order: str, cells: set[Cell]) -> None:
    waits = awaited(order, (60, 60))
    assert cells <= waits
    assert all(cell in cells or cell[1] < 30 for cell in waits), "others are waited for where they stand at the start"


def test_a_wait_of_everyone_else_holds_for_whom_it_sends_later() -> None:
    """The archers are to be in place first: they do not wait for themselves."""
    order = "nobody goes on until the archers are in place. Archers to (40, 40), spearmen to (60, 60)"
    (archers,) = [step for step in steps(order) if step.groups[0].target == (40, 40)]
    assert not archers.prerequisites


def test_an_order_of_which_others_take_all_units_is_asked_about() -> None:
    more = "spearmen to (40, 40), archers to (40, 30), cavalry to (100, 40)"
    assert "Which of these hold?" in asked(f"Hold (75, 20)! {more}")


def test_a_wait_that_nothing_follows_is_named_as_left_out() -> None:
    said = "archers go to (40, 40), the spearmen stay until the archers are there"
    assert "Left out: until what some units wait for" in interpret(said, facts()).text
    assert "Left out" not in interpret(f"{said}, then they go to (60, 60)", facts()).text


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("fifteen spearmen to (30, 50), archers to (75, 20). The fifteen then go on to (75, 60)", range(15)),
        ("everyone to (75, 20). Then ten spearmen go on to (30, 50), and the ninety go to (75, 60)", range(10, 100)),
        ("archers to (20, 20), spearmen to (60, 30). Those at (60, 30) then go to (75, 60)", range(50)),
        ("archers to (20, 20), spearmen to (60, 30). The ones at (20, 20) then go to (75, 60)", range(50, 80)),
        ("archers to (20, 20), spearmen to (60, 30). Then the first group goes on to (75, 60)", range(50, 80)),
        ("spearmen to (30, 40), archers to (60, 40), cavalry to (90, 30). Then only the cavalry attacks, the others go "
         "to (75, 60)", range(80)),
        ("split the cavalry in two equal parts, one to (20, 20), one to (60, 20). The two of them then go to (75, 60)",
         range(80, 100)),
        ("only spearman 7 goes to (75, 60)", [7]),
        ],
)  # fmt: skip
def test_words_for_groups_that_were_named_mean_these(order: str, ids: range | list[int]) -> None:
    assert sent(order, (75, 60)) == [*ids]


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("archers to (20, 20), spearmen to (60, 30). When all four groups are there, the cavalry attack", "the 4"),
        ("ten squads along the middle row. Then both platoons go to (75, 60)", "the 2"),
        ("archers to (20, 20), the same to (60, 60)", "the same"),
        ("archers to (20, 20), spearmen to (60, 30). Units 80-84 follow the first group, 85-89 the second", "second"),
        ("archers to (20, 20), no, to (60, 30)", "`no` is not understood"),
        ("send 12 archers, or rather 18, to (60, 30)", "or rather"),
        ("archers to (20, 20). Scratch that, cavalry to (60, 30)", "Scratch that"),
        ("when the spearmen are at (20, 20) and the archers are at (40, 40), cavalry go to (60, 60)", "when the"),
        ("the spearmen wait until the cavalry has killed the enemy archers, then attack", "until the cavalry has"),
        ("ten spearmen to (40, 40), the same again at (75, 20)", "the same again"),
    ],
)  # fmt: skip
def test_words_for_groups_and_places_that_were_not_named_are_asked_about(order: str, said: str) -> None:
    assert said in asked(order)


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("hold (75, 30) until those in the north-west (10 to 19) are dead, then go to (75, 10)", range(10, 20)),
        ("hold (75, 30). When the 20 in the west (enemies 0-19) are dead, go to (75, 10)", range(20)),
        ("archers kill the archers in the north (50 to 59), then go to (75, 10)", range(50, 60)),
    ],
)
def test_numbers_in_brackets_say_which_enemies_are_meant(order: str, ids: range) -> None:
    found = steps(order)
    deaths = [step.objective.units for step in found if isinstance(step.objective, dsl.Elimination)]
    assert {unit for units in deaths if units.items for unit in units.ids(100)} == {*ids}
    assert found[-1].groups[0].target[1] <= 10 and found[-1].prerequisites


@pytest.mark.parametrize(
    ("order", "count"),
    [
        ("hold (75, 30) until ten of the enemy archers are dead, then go to (75, 10)", 10),
        ("archers attack the enemy archers; when these are down to a third, cavalry go to (75, 10)", 20),
    ],
)
def test_so_many_enemies_of_a_type_are_waited_for(order: str, count: int) -> None:
    objectives = [step.objective for step in steps(order) if isinstance(step.objective, dsl.Elimination)]
    listed = next({*each.units.ids(100)} for each in objectives if each.units.items)
    assert len(listed) == count and listed <= {*range(50, 80)}


def test_a_remark_on_how_or_why_needs_no_order() -> None:
    for order in ("archers to (40, 40). That's how we win", "How you get there is your business, archers to (40, 40)"):
        assert {*told(order)} == {*range(50, 80)}, order


@pytest.mark.parametrize("end", ["and no fighting on the way please", "no fighting on the way up"])
def test_a_manner_at_the_end_is_that_of_all_who_are_sent(end: str) -> None:
    first, *others, last = steps(f"spearmen to (30, 40), cavalry to (110, 40), {end}. Then everyone attacks")
    going = [group for step in (first, *others) for group in step.groups]
    assert {group.target for group in going} == {(30, 40), (110, 40)}
    assert {group.behaviour for group in going} == {"follow_map"}
    assert "follow_map" not in {group.behaviour for group in last.groups}
