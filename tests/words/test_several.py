"""Units at several places: who they are at each of them, and where each type stands there."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.words.readings import Cell, asked, facts, steps

NORTH_EAST = [(44, 251), (137, 204), (204, 141), (251, 86), (271, 36)]
"""The North-East Bridges of `strategize_points`."""
Places = dict[Cell, int]


def stood(order: str, name: str, kind: str) -> Places:
    """How many units of a type stand at each place; those behind others, so far from the place of these.

    An order of this kind is one step: nobody waits for the arrival of others.
    """
    (step,) = steps(order, name)
    found = Counter[Cell]()
    for group in step.groups:
        count = sum(facts(name).own.types[unit] == kind for unit in group.units.ids(100))
        x, y = group.target
        found[x, y - (group.behind.gap if group.behind else 0)] += count
    return {cell: count for cell, count in found.items() if count}


def at(xs: range | list[int], y: int, count: int) -> Places:
    """So many units at each of several places in a row."""
    return {(x, y): count for x in xs}


@pytest.mark.parametrize(
    ("order", "spearmen", "archers"),
    [
        (
            "Spread out in ten mixed groups, five spearmen and five archers each, "
            "evenly from the west edge to the east edge at y = 45.",
            at([7, 22, 37, 52, 67, 82, 97, 112, 127, 142], 45, 5),
            at([7, 22, 37, 52, 67, 82, 97, 112, 127, 142], 37, 5),
        ),
        (
            "4 groups, each of 10 spearmen and 8 archers, at (20, 40), (60, 40), (100, 40) and (130, 40)",
            at([20, 60, 100, 130], 40, 10),
            at([20, 60, 100, 130], 32, 8),
        ),
        (
            "Two equal blocks of spearmen at x 25 and 75, all at y 40, each with its share of the archers right behind",
            at([25, 75], 40, 25),
            at([25, 75], 32, 25),
        ),
        ("two groups at x 40 and 110, y 40", at([40, 110], 40, 25), at([40, 110], 32, 25)),
        (
            "two groups of spearmen at (40, 50) and (110, 50), archers 10 m behind each",
            at([40, 110], 50, 25),
            at([40, 110], 40, 25),
        ),
    ],
)
def test_groups_are_made_of_what_was_said_of_each(order: str, spearmen: Places, archers: Places) -> None:
    assert stood(order, "coordinate", "spearmen") == spearmen
    assert stood(order, "coordinate", "archer") == archers


@pytest.mark.parametrize(
    ("order", "squads"),
    [
        ("Every one of the nine bridges gets an equal mixed squad on the island side", 9),
        ("hold all bridges from our side", 9),
        ("spearmen and archers hold the island side of each bridge", 9),
        ("spearmen and archers at the south end of each bridge", 9),
        ("put a squad at each of the South-West bridges, archers behind the spearmen", 4),
    ],
)
def test_a_side_of_each_place_is_as_many_places(order: str, squads: int) -> None:
    counts = stood(order, "strategize_points", "spearmen").values()
    assert (len(counts), sum(counts)) == (squads, 50)


@pytest.mark.parametrize("count", [5, 8, 12])
@pytest.mark.parametrize("word", ["posts", "squads"])
def test_squads_round_a_place_are_a_ring_of_as_many(count: int, word: str) -> None:
    order = f"everyone in {count} {word} round the camp at 30 metres from its middle"
    spearmen, archers = (stood(order, "strategize_points", kind) for kind in ("spearmen", "archer"))
    assert len(spearmen) == len(archers) == count
    x, y = (sum(each) / count for each in zip(*spearmen, strict=True))
    far = [[((a - x) ** 2 + (b - y) ** 2) ** 0.5 for a, b in cells] for cells in (spearmen, archers)]
    assert all(abs(each - 30) < 3 for each in far[0])
    assert all(abs(each - 22) < 3 for each in far[1])  # behind them: inside the ring


@pytest.mark.parametrize(
    "order",
    [
        "The near bridges matter most: 30 spearmen to NE Bridge 3 and 20 to SW Bridge 3, archers behind",
    ],
)
def test_those_behind_several_groups_are_shared_out_in_proportion(order: str) -> None:
    behind = [group for step in steps(order, "strategize_points") for group in step.groups if group.behind]
    assert [(group.target, len(group.units.ids(100))) for group in behind] == [((204, 141), 30), ((134, 74), 20)]


def test_a_side_of_the_map_is_no_side_of_what_was_named_before() -> None:
    order = "spearmen to the north side of the camp, archers stay on the east side of the map"
    assert {group.target for step in steps(order, "strategize_points") for group in step.groups} == {
        (150, 143), (250, 110),
    }  # fmt: skip


def test_so_many_at_each_marker_are_so_many_at_each() -> None:
    assert list(stood("ten spearmen at each marker", "markers_terrain", "spearmen").values()) == [10] * 4


def test_who_waits_beside_several_places_stays_at_the_one_where_he_is() -> None:
    order = "archers to the West Bridge, spearmen to the South Bridge. Wait on our side of the bridges"
    assert {group.target for group in steps(order, "exploit_weakness")[-1].groups} == {(45, 20)}


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("two squads over the South-West bridges", "2 squads"),
        ("give up North-East Bridge 1 and South-West Bridge 4, hold the other seven", "the other"),
        ("never mind North-East Bridge 1, hold the remaining bridges", "remaining"),
    ],
)
def test_which_bridges_are_meant_is_asked_about(order: str, said: str) -> None:
    assert said in asked(order, "strategize_points")
