"""General rules of English in the plain commander: groups named before, ways and waits that are said later."""

from __future__ import annotations

import numpy as np
import pytest

import dsl
from hive.players.words.reading import interpret
from tests.words.test_strict import camp, facts, steps, told


def sent(order: str, cell: tuple[int, int]) -> list[int]:
    """The units whose last target is a cell."""
    return sorted(unit for unit, cells in told(order).items() if cells[-1] == cell)


@pytest.mark.parametrize(
    ("order", "count"),
    [
        ("two patrols of 3 cavalry each, one to (20, 20), one to (60, 20)", 3),
        ("use two parties of 5 archers, one goes to (20, 20) and one to (60, 20)", 5),
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
        ("everyone who is not an archer goes to (40, 40)", (40, 40), [*range(50), *range(80, 100)]),
        ("20 archers to (75, 75), the other 10 twenty metres south of them", (75, 55), range(70, 80)),
    ],
)
def test_units_are_those_that_were_said(order: str, cell: tuple[int, int], ids: range | list[int] | None) -> None:
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


def test_so_many_at_each_place_and_the_leftovers() -> None:
    cells = told("every bridge gets 5 archers and 5 spearmen, keep the leftovers at the camp", camp())
    ends = [each[-1] for each in cells.values()]
    assert len(cells) == 100 and sum(cell == (150, 134) for cell in ends) == 10


@pytest.mark.parametrize(
    ("order", "cells"),
    [
        ("cavalry go to (100, 100) through (40, 40)", [(40, 40), (100, 100)]),
        ("cavalry go over to (100, 100)", [(100, 100)]),
    ],
)
def test_a_way_said_later_leads_there(order: str, cells: list[tuple[int, int]]) -> None:
    assert told(order)[80] == cells


@pytest.mark.parametrize("condition", ["when anything comes over (60, 60)", "as soon as the enemy comes over (60, 60)"])
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
