"""General rules of English in the plain commander: groups named before, ways and waits that are said later."""

from __future__ import annotations

import numpy as np
import pytest

import dsl
from hive.players.words.reading import interpret
from tests.words.test_strict import asked, camp, facts, steps, told


def sent(order: str, cell: tuple[int, int]) -> list[int]:
    """The units whose last target is a cell."""
    return sorted(unit for unit, cells in told(order).items() if cells[-1] == cell)


@pytest.mark.parametrize(
    ("order", "count"),
    [
        ("two patrols of 3 cavalry each, one to (20, 20), one to (60, 20)", 3),
        ("use two parties of 5 archers, one goes to (20, 20) and one to (60, 20)", 5),
        ("two groups of 10 spearmen and 5 archers each, one to (20, 20), the other to (60, 20)", 15),
    ],
)
def test_squads_have_as_many_units_as_was_said(order: str, count: int) -> None:
    cells = told(order)
    for cell in ((20, 20), (60, 20)):
        assert sum(cell == each[-1] for each in cells.values()) == count
    assert len(cells) == 2 * count


@pytest.mark.parametrize(
    ("order", "cell", "ids"),
    [
        ("the last 5 archers go to (40, 40)", (40, 40), range(75, 80)),
        ("80 men, half of them archers, to (40, 40)", (40, 40), None),
        ("a few riders, 7 or so, go to (40, 40)", (40, 40), range(80, 87)),
        ("everyone who is not an archer goes to (40, 40)", (40, 40), [*range(50), *range(80, 100)]),
        ("20 archers to (75, 75), the other 10 twenty metres south of them", (75, 55), range(70, 80)),
        (
            "a screen of 10 archers at (20, 20), the rest at (60, 20). The screen goes to (40, 40)",
            (40, 40),
            range(50, 60),
        ),
    ],
)
def test_units_are_those_that_were_said(order: str, cell: tuple[int, int], ids: range | list[int] | None) -> None:
    if ids is None:  # there are 30 archers
        assert "not 40" in asked(order)
    else:
        assert sent(order, cell) == list(ids)


def test_a_share_on_a_side_is_that_which_stands_farthest_there() -> None:
    known = facts()
    ids = sent("the left third of the spearmen go to (40, 40)", (40, 40))
    assert ids == sorted(np.argsort(known.own.position[:50, 0], kind="stable")[: len(ids)].tolist())
    assert len(ids) == 17


@pytest.mark.parametrize(
    "whom", ["whatever comes near", "anything coming close", "what comes", "all enemies who come near"]
)
def test_who_comes_is_fought_from_where_units_stand(whom: str) -> None:
    cells = told(f"archers go to (60, 40) and shoot {whom}")
    assert {cell for each in cells.values() for cell in each} == {(60, 40)}
    assert all(cell[1] < 30 for each in told(f"everybody stays put and fights {whom}").values() for cell in each)


def test_places_named_before_are_left_out_of_a_number_of_others() -> None:
    order = "60% of the army on the five north-east bridges, the rest on the other four"
    names = [each for each in interpret(order, camp()).lines if "share out" in each]
    assert names[0].count("North-East Bridge") == 5 and names[1].count("South-West Bridge") == 4
    assert all(len(each) == 1 for each in told(order, camp()).values())


def test_so_many_at_each_place_and_the_leftovers() -> None:
    cells = told("every bridge gets 5 archers and 5 spearmen, keep the leftovers at the camp", camp())
    ends = [each[-1] for each in cells.values()]
    assert len(cells) == 100 and sum(cell == (150, 134) for cell in ends) == 10


@pytest.mark.parametrize(
    ("order", "cells"),
    [
        ("cavalry go to (100, 100); they should go through (40, 40)", [(40, 40), (100, 100)]),
        ("cavalry go over to (100, 100)", [(100, 100)]),
    ],
)
def test_a_way_said_later_leads_there(order: str, cells: list[tuple[int, int]]) -> None:
    assert told(order)[80] == cells


def test_who_has_to_wait_for_others_sends_these_and_waits_for_them() -> None:
    found = steps("spearmen attack the enemy cavalry, but they have to wait until our archers have killed the archers")
    first = next(step for step in found if set(step.groups[0].units.ids(100)) == set(range(50, 80)))
    assert isinstance(first.objective, dsl.Elimination)
    assert set(first.objective.units.ids(100)) == set(range(50, 80))
    assert all(first.id in step.prerequisites for step in found if step is not first)


@pytest.mark.parametrize(
    "condition", ["when anything comes over (60, 60)", "as soon as enemies get within 20 m of our cavalry"]
)
def test_where_enemies_are_is_not_waited_for_and_said(condition: str) -> None:
    reading = interpret(f"{condition}, archers go to (40, 40)", facts())
    assert isinstance(steps(f"{condition}, archers go to (40, 40)")[0].objective, dsl.Sighted)
    assert "plans do not know where enemies are" in reading.text


def test_short_of_a_wood_is_outside_it() -> None:
    known = facts("coordinate")
    (wood,) = [each.cells for each in known.features]
    cells = {
        cell
        for each in told("archers go to the north-west corner but stop short of the trees", known).values()
        for cell in each
    }
    assert cells and not any(wood[cell] for cell in cells) and all(x < 30 for x, _ in cells)


def test_nobody_is_said_of_everyone() -> None:
    reading = interpret("archers go to (20, 20), spearmen to (60, 20), and nobody shoots", facts())
    assert {
        group.behaviour
        for step in steps("archers go to (20, 20), spearmen to (60, 20), and nobody shoots")
        for group in step.groups
    } == {"follow_map"}
    assert not reading.question


@pytest.mark.parametrize(
    ("order", "cells", "lost"),
    [
        (
            "archers go to (40, 40), spearmen hold (75, 60), and cavalry go to the dungeon",
            {(40, 40), (75, 60)},
            "cavalry go to the dungeon",
        ),
        ("Three lines: archers go to (40, 40), spearmen hold (75, 60)", {(40, 40), (75, 60)}, "Three lines"),
        ("archers go to (40, 40) at ten metres", {(40, 40)}, "at ten metres"),
    ],
)
def test_what_stands_on_its_own_is_carried_out_and_the_rest_is_named(
    order: str, cells: set[tuple[int, int]], lost: str
) -> None:
    assert {cell for each in told(order).values() for cell in each} == cells
    assert lost in interpret(order, facts()).text


@pytest.mark.parametrize(
    "lost",
    [
        "but never to the dungeon",  # a denial
        "everyone except the archers to the dungeon",  # an exception
        "60 archers hold (60, 60)",  # there are 30
        "spearmen advance and stay put",  # a contradiction
    ],
)
def test_what_might_go_against_the_order_is_asked_about(lost: str) -> None:
    assert asked(f"archers go to (40, 40). Spearmen hold (75, 60). Cavalry go to (100, 40). Then {lost}")


def test_where_nobody_answers_all_that_was_read_is_carried_out() -> None:
    order = "archers go to (40, 40). Spearmen hold (75, 60). Ten cavalry run along each side of them at 15 m"
    reading = interpret(order, facts())
    assert reading.plan is not None and reading.whole is not None
    assert "Carried out without an answer" in reading.decided.text


@pytest.mark.parametrize(
    ("order", "meant"),
    [
        (
            "archers go to (40, 40), then rest for 50 ticks, then attack",
            "archers go to (40, 40), then wait for 50 ticks, then attack",
        ),
        ("2/3 of the spearmen go to (40, 40)", "two thirds of the spearmen go to (40, 40)"),
        ("hold (40, 40), 50 men", "50 men hold (40, 40)"),
        ("hold (40, 40) with 20", "20 hold (40, 40)"),
        (
            "everyone go to (40, 40) except 15 spearmen, who go to (60, 20)",
            "everyone except 15 spearmen go to (40, 40); those 15 go to (60, 20)",
        ),
    ],
)
def test_other_ways_to_say_how_many_mean_the_same(order: str, meant: str) -> None:
    assert told(order).keys() == told(meant).keys()
