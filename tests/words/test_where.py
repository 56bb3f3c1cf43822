"""Rules of where: coordinates, lines, names of the map, sides, before and behind others, ways, and places to avoid."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive.players.words.reading import interpret
from tests.words.readings import Cell, asked, facts, sent, steps, targets, told

KINDS = ("spearmen", "archers", "cavalry")


def cells_of(name: str, world: str = "duel") -> np.ndarray:
    """Which cells belong to a feature of the map."""
    (cells,) = [each.cells for each in facts(world).features if each.name == name]
    return np.asarray(cells)


@pytest.mark.parametrize(
    ("world", "order", "end"),
    [
        ("duel", "archers go to 40, 30", (40, 30)),
        ("duel", "archers go to x = 40 and y = 30", (40, 30)),
        ("duel", "archers 40 30 n stay there", (40, 30)),
        ("exploit_weakness", "archers to the w bridge", (20, 49)),
        ("duel", "archers go to (70, 60), then 20 metres north", (70, 80)),  # ways begin where units are
        ("duel", "archers go to (70, 60), then 20 metres west", (50, 60)),
        ("duel", "archers go over to (100, 100)", (100, 100)),  # no bridge is meant
        ("duel", "spearmen go to (40, 40) and fight whatever they meet there; archers go there", (40, 40)),
        ("duel", "archers visit the North Hamlet and then come back to the others", (74, 14)),  # where these stand
        ("duel", "archers go behind the enemy", (78, 149)),
        ("duel", "archers stop before the East Wood", (132, 74)),  # outside it
        ("duel", "archers wait in the middle at (75, 45)", (75, 45)),  # one place, said twice
        ("duel", "archers come back to (75, 20)", (75, 20)),
        ("duel", "archers go to the South Hamlet (90, 40)", (90, 40)),
        ("duel", "archers strike the enemy cavalry in the rear", (88, 136)),  # in the end
        ("exploit_weakness", "archers go over the West Bridge", (20, 54)),  # beyond the river
        ("exploit_weakness", "archers guard the West Bridge, from our side", (20, 46)),
        ("strategize_points", "archers keep the enemies in the south busy", (40, 40)),  # where these are
        ("exploit_weakness", "archers wait beside the West Bridge on our bank", (20, 46)),
        ("exploit_weakness", "archers stay on the near bank, next to the West Bridge", (20, 46)),
        ("exploit_weakness", "archers go to the far bank beside the West Bridge", (20, 57)),
        ("exploit_weakness", "archers line up on our bank near (43, 20)", (43, 20)),
        ("coordinate", "archers to the edge of the forest, on the right side", (124, 135)),
        ("strategize_points", "spearmen to North-East Bridge 3, archers to Bridge 2 in the south-west", (64, 134)),
        ("coordinate", "archers to the middle of the south edge", (74, 3)),  # and not of the map
        ("coordinate", "archers to the centre of the eastern half", (124, 74)),
        ("duel", "archers go first, to (30, 45)", (30, 45)),
        ("duel", "ten cavalry + thirty archers to (30, 45)", (30, 45)),
        ("duel", "archers go to 30/45", (30, 45)),
        ("coordinate", "archers go to the forest edge", (86, 135)),  # on their side of it
        ("markers_terrain", "attack the guards north of the bridge on our side of the river", (127, 157)),  # no others
        # no enemies far off
        ("strategize_points", "archers go to (60, 60) and shoot anything that gets near", (60, 60)),
        ("exploit_weakness", "archers go to (30, 62) across the river", (30, 62)),
        ("exploit_weakness", "archers attack the southern group", (85, 19)),  # one of three groups of the enemy
        ("duel", "archers go to (20, 20). After that everyone runs over to (60, 60)", (60, 60)),  # no enemies who come
    ],
)
def test_a_place_is_where_it_was_said(world: str, order: str, end: Cell) -> None:
    """The last place of the archers is there, give or take what water and woods take up."""
    archers = [unit for unit, kind in enumerate(facts(world).own.types) if kind == "archer"]
    found = told(order, world)
    assert {unit: found[unit][-1] for unit in archers if math.dist(found[unit][-1], end) > 4} == {}


def test_a_place_in_a_wood_may_be_told_by_what_it_is_beside() -> None:
    """It is one place, under trees, and not one after another."""
    order = "go to the West Forest, just north of the Bridge"
    ((cell,),) = {tuple(cells) for cells in told(order, "markers_terrain").values()}
    assert cells_of("West Forest", "markers_terrain")[cell]
    assert cell[1] > np.argwhere(cells_of("Bridge", "markers_terrain"))[:, 1].mean()


def test_a_way_along_an_edge_follows_it() -> None:
    first, second, last = told("archers walk along the south edge to (10, 20)")[50]
    assert first[1] < 8 and second[1] < 8
    assert last == (10, 20) and abs(second[0] - 10) <= 2


def test_numbers_after_the_name_of_a_feature_name_others() -> None:
    named = {"North-East Bridge 2", "North-East Bridge 3", "North-East Bridge 4"}
    places = [each.place for each in facts("strategize_points").features if each.name in named]
    cells = targets("share the army out over North-East Bridge 2, 3 and 4", "strategize_points")
    assert all(min(math.dist(cell, place) for place in places) < 25 for cell in cells)
    assert all(min(math.dist(cell, place) for cell in cells) < 15 for place in places)


@pytest.mark.parametrize(
    ("order", "numbers"),
    [
        ("everyone to NE Bridge 2, no, 4", (4,)),
        ("everyone to the bridge closest to (270, 30)", (5,)),
        ("everyone to the nearest bridge", (3,)),
        ("20 spearmen to NE Bridge 3, then 4 go to NE Bridge 1", (3, 1)),  # four of them
    ],
)
def test_a_bridge_may_be_told_by_its_number_alone_or_by_what_it_is_nearest_to(
    order: str, numbers: tuple[int, ...]
) -> None:
    world = "strategize_points"
    places = {each.name: each.place for each in facts(world).features}
    wanted = {places[f"North-East Bridge {number}"] for number in numbers}
    cells = targets(order, world)
    assert all(min(math.dist(cell, place) for cell in cells) < 12 for place in wanted)
    assert all(min(math.dist(cell, place) for place in wanted) < 12 for cell in cells)


def test_there_is_where_each_squad_was_sent() -> None:
    """`Hold there`, after places for several squads, sends none of them to the place of another."""
    places = "4 squads at (30, 45), (60, 45), (90, 45) and (120, 45)"
    assert targets(f"{places}. Hold there.", "coordinate") == targets(places, "coordinate")


@pytest.mark.parametrize(
    ("order", "ids", "line"),
    [
        ("spearmen line up along y=75 from x=5 to x=145", range(50), ((5, 75), (145, 75))),
        ("archers 50-64 form a line at x = 40 between y = 20 and y = 90", range(50, 65), ((40, 20), (40, 90))),
        ("spearmen 10 to 19 spread out from (20, 30) to (100, 30)", range(10, 20), ((20, 30), (100, 30))),
        ("spearmen form a line from (30, 70) to (100, 70)", range(50), ((30, 70), (100, 70))),
    ],
)
def test_a_line_between_coordinates_is_spread_over(order: str, ids: range, line: tuple[Cell, Cell]) -> None:
    """Every spelling of a line, and ids after a type, mean the same: squads within half a gap of its ends."""
    assert set(told(order)) == set(ids)
    cells = np.array(sorted(targets(order)))
    low, high = np.array(line)
    assert np.abs(cells.min(0) - low).sum() <= 20
    assert np.abs(cells.max(0) - high).sum() <= 20


@pytest.mark.parametrize(
    ("world", "order", "count"),
    [
        ("markers_terrain", "A D C", 3), ("duel", "cavalry go over to (100, 100)", 1),
        ("markers_terrain", "take everyone to marker B, then D, then the objective, ignoring enemies", 3),
        ("coordinate", "archers behind the spearmen", 1), ("coordinate", "archers stay 4 m behind the spearmen", 1),
        ("coordinate", "archers protect the spearmen", 1),
        ("duel", "spearmen guard the North Hamlet and the South Hamlet", 2),
        ("strategize_points", "spearmen guard the nearest three bridges to camp", 3),
        ("strategize_points", "spearmen share out over all the bridges", 9),
        ("coordinate", "line up along the middle row, archers 10 metres behind the spearmen", 10),
    ],
)  # fmt: skip
def test_as_many_places_are_reached_as_were_named(world: str, order: str, count: int) -> None:
    assert len(targets(order, world)) == count


@pytest.mark.parametrize(
    ("order", "meant"),
    [
        ("at (40, 40), archers wait", "archers wait at (40, 40)"),
        ("behind the spearmen, archers wait", "archers wait behind the spearmen"),
        ("in the South Copse, the archers hide", "the archers hide in the South Copse"),
        ("At (60, 75), once the enemy is seen, archers hold", "once the enemy is seen, archers hold (60, 75)"),
    ],
)
def test_a_place_may_be_said_before_its_units(order: str, meant: str) -> None:
    assert steps(order) == steps(meant)


@pytest.mark.parametrize(
    ("order", "meant"),
    [
        ("go to D by way of A", "go to A, then to D"),
        ("go to C via A and B", "go to A, then to B, then to C"),
        ("go from A over B to C", "go to A, then to B, then to C"),
        ("keep the spearmen back at (40, 60)", "keep the spearmen at (40, 60)"),
        ("bring the spearmen forward to (40, 60)", "bring the spearmen to (40, 60)"),
    ],
)
def test_ways_are_gone_in_the_order_that_is_meant(order: str, meant: str) -> None:
    assert targets(order, "markers_terrain") == targets(meant, "markers_terrain")
    assert told(order, "markers_terrain")[99] == told(meant, "markers_terrain")[99]


def test_a_quarter_of_the_map_is_not_its_corner_for_those_who_come_from_the_next_one() -> None:
    cells = told("everyone to the south-east, then to the north-east, then to the north-west", "exploit_weakness")[0]
    assert [(x > 50, y > 50) for x, y in cells] == [(True, False), (True, True), (False, True)]
    assert all(10 < value < 90 for cell in cells for value in cell)


@settings(max_examples=25, deadline=None)
@given(
    st.permutations(KINDS),
    st.tuples(st.integers(20, 130), st.integers(30, 60)),
    st.integers(4, 20),
    st.sampled_from(["behind", "in front of"]),
)
def test_those_behind_others_or_in_front_of_them_are_there(kinds: list[str], cell: Cell, gap: int, side: str) -> None:
    """The enemy stands in the north, so behind is south; whoever is behind others follows them."""
    one, other = kinds[:2]
    found = steps(f"{one} hold {cell}, {other} {gap} metres {side} the {one}")
    group = found[-1].groups[-1]
    if side == "behind":
        assert group.behind is not None and group.behind.gap == gap
    else:  # water is gone round
        assert math.dist(group.target, (cell[0], cell[1] + gap)) <= 10


@pytest.mark.parametrize(
    ("order", "side"),
    [
        ("archers go to the north side of the camp", (0, 1)), ("archers wait at the camp, on its east side", (1, 0)),
        ("archers go behind the camp, south side", (0, -1)), ("archers go to the camp on the west side", (-1, 0)),
        ("archers go beyond the Island Wood, on its north side", (0, 1)),
    ],
)  # fmt: skip
def test_a_side_of_a_place_is_near_it(order: str, side: Cell) -> None:
    """Beside a wood is out of it."""
    place = cells_of("Island Wood" if "Wood" in order else "Camp", "strategize_points")
    cells = np.argwhere(place)
    middle, half = (cells.min(0) + cells.max(0)) / 2, np.ptp(cells, axis=0).max() / 2
    found = targets(order, "strategize_points")
    assert found and all(0 < float(np.dot(cell - middle, side)) < half + 15 for cell in map(np.array, found))
    assert "Wood" not in order or not any(place[cell] for cell in found)


@pytest.mark.parametrize(
    ("world", "order", "said"),
    [
        ("duel", "go to (500, 20)", "not on the map"), ("duel", "archers to the windmill", "windmill"),
        ("markers_terrain", "archers to marker A", "no archers"),
        ("strategize_points", "20 archers go to the bridge", "Which bridge"),
        ("coordinate", "spearmen 0-24 hold (20, 20), 25 to 49 the dungeon", "dungeon"),
        ("coordinate", "the shooters get their protection from them", "where to"),
        ("duel", "cavalry wait beyond the East Wood", "no room"),
        ("duel", "ten archers to each side", "Which sides"),
        ("duel", "archers go to (40, 40) at ten metres", "metres"),
        ("duel", "take the hill with half of the archers", "hill"),
    ],
)  # fmt: skip
def test_a_place_that_is_not_known_is_asked_about(world: str, order: str, said: str) -> None:
    assert said in asked(order, world)


@pytest.mark.parametrize(
    ("world", "order", "said"),
    [
        ("coordinate", "keep away from (75, 20)", "no plan keeps units out"),
        ("coordinate", "stay 15 m away from (75, 20)", "15 m"),
        ("duel", "keep everyone at least 20 m from the East Wood", "20 m"),
        ("coordinate", "attack the enemy, but nobody goes into the Northern Forest", "into the Northern Forest"),
        ("duel", "charge, but nobody goes into the West Wood", "into the West Wood"),
        ("duel", "archers go to the North Pond, not to the South Pond", "not the South Pond"),
        ("duel", "do not fight; go to (40, 40), not to (60, 60)", "not (60, 60)"),
        ("markers_terrain", "go to A, then C, not B", "not B"),
    ],
)
def test_where_nobody_is_to_go_is_asked_about(world: str, order: str, said: str) -> None:
    """No plan keeps units out of a place."""
    assert said in asked(order, world)


def test_a_ring_is_about_what_was_named() -> None:
    ends = {(87, 40), (75, 28), (63, 40), (75, 52)}
    cells = targets("spearmen form a circle around (75, 40)", "coordinate")
    assert [end for end in ends if min(math.dist(end, cell) for cell in cells) > 2] == []


def test_a_part_of_a_ring_is_a_formation_and_left_out() -> None:
    reading = interpret("spearmen form a half circle around (75, 40)", facts())
    assert "Left out: `a half circle`" in reading.text
    assert targets("spearmen form a half circle around (75, 40)") == {(75, 40)}


@pytest.mark.parametrize(
    ("order", "cell"),
    [
        ("cavalry come straight home to (20, 30)", (20, 30)),
        ("archers hide in the wood, at (10, 60)", (10, 60)),
    ],
)
def test_numbers_say_exactly_where(order: str, cell: Cell) -> None:
    assert targets(order) == {cell}


@pytest.mark.parametrize(
    ("order", "cell"),
    [
        ("spearmen to (60, 40), archers behind them at (60, 25)", (60, 25)),
        ("everyone to (60, 20), archers in front", (60, 28)),
        ("spearmen to (60, 20), archers 12 m further north", (60, 32)),
    ],
)
def test_where_archers_stand_beside_the_others(order: str, cell: tuple[int, int]) -> None:
    assert sent(order, cell) == [*range(50, 80)]


@pytest.mark.parametrize(
    ("order", "ids", "xs", "y"),
    [
        ("archers in a line at y = 35", range(50, 80), 100, 35),
        ("march in a line to y = 50", range(50), 100, 50),
        ("spearmen line up at (70, 40)", range(50), 30, 40),
        ("spearmen form a line north of the South Pond", range(50), 30, 63),
    ],
)
def test_a_line_is_no_single_place(order: str, ids: range, xs: int, y: int) -> None:
    cells = {cells[-1] for unit, cells in told(order).items() if unit in ids}
    assert max(x for x, _ in cells) - min(x for x, _ in cells) > xs
    assert all(abs(each - y) < 5 for _, each in cells)


def test_a_line_at_one_x_leads_north() -> None:
    cells = targets("spearmen in a line at x = 40")
    assert {x for x, _ in cells} == {40}
    assert len(cells) > 5


def test_a_place_besides_whom_units_stand_behind_is_theirs() -> None:
    order = "spearmen to (40, 40), archers to (60, 30), behind the spearmen"
    assert sent(order, (60, 30)) == [*range(50, 80)]
    assert "is left out" in interpret(order, facts()).text
