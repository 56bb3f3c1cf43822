"""Where: coordinates, names of the map, sides, lines, rings, ways, places beside units, and several places."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.words.readings import ARCHERS, CAVALRY, SPEARMEN, Cell, asked, facts, sent, steps, told

BRIDGES = [(44, 251), (137, 204), (204, 141), (251, 86), (271, 36), (28, 237), (64, 134), (134, 74), (248, 20)]
"""The bridges of `strategize_points`, the North-East ones first."""


@pytest.mark.parametrize(
    ("world", "where", "cells"),
    [
        ("duel", "to (40, 30)", [(40, 30)]), ("duel", "to 40, 30", [(40, 30)]), ("duel", "to 40/30", [(40, 30)]),
        ("duel", "to x = 40 and y = 30", [(40, 30)]), ("duel", "over to (100, 100)", [(100, 100)]),
        ("duel", "to the North Hamlet", [(94, 98)]), ("duel", "to the centre", [(74, 74)]),
        ("duel", "to the north-east corner", [(146, 146)]), ("duel", "to the East Wood", [(145, 35)]),
        ("duel", "north of the South Pond", [(58, 63)]), ("duel", "behind the enemy", [(76, 149)]),
        ("duel", "between (40, 40) and (60, 40)", [(50, 40)]), ("duel", "between the two hamlets", [(94, 74)]),
        ("duel", "to (70, 60), then 20 metres north", [(70, 60), (70, 80)]),
        ("duel", "to (70, 60), then 20 metres west", [(70, 60), (50, 60)]),
        ("duel", "to (70, 40), then 10 m forward", [(70, 40), (70, 50)]),
        ("duel", "to the South Hamlet (90, 40)", [(90, 40)]),  # one place, said twice
        ("duel", "in the middle at (75, 45)", [(75, 45)]),
        ("duel", "to (60, 40) via (20, 40)", [(20, 40), (60, 40)]),
        ("duel", "through the East Wood to (130, 60)", [(145, 35), (130, 60)]),
        ("exploit_weakness", "to the w bridge", [(20, 49)]), ("exploit_weakness", "over the West Bridge", [(20, 56)]),
        ("exploit_weakness", "to the West Bridge, from our side", [(20, 43)]),
        ("exploit_weakness", "to the north-east, then to the north-west", [(83, 83), (16, 83)]),
        ("strategize_points", "to the north side of the camp", [(150, 143)]),
        ("strategize_points", "between the camp and the South-West River", [(130, 120)]),
        ("strategize_points", "to NE Bridge 2", [BRIDGES[1]]),
    ],
)  # fmt: skip
def test_a_place_is_where_it_was_said(world: str, where: str, cells: list[Cell]) -> None:
    """The archers go to these cells, one after the other, and nobody else goes anywhere."""
    archers = [unit for unit, kind in enumerate(facts(world).own.types) if kind == "archer"]
    assert told(f"archers go {where}", world) == dict.fromkeys(archers, cells)


@pytest.mark.parametrize(
    ("order", "cells"),
    [
        ("go to A, C and D, then to the objective", [(193, 85), (9, 134), (11, 9), (61, 0)]),
        ("A D C", [(193, 85), (11, 9), (9, 134)]),
        ("visit the markers one at a time", [(193, 85), (49, 136), (9, 134), (11, 9)]),
        ("go to D by way of A", [(193, 85), (11, 9)]), ("go to C via A and B", [(193, 85), (49, 136), (9, 134)]),
    ],
)  # fmt: skip
def test_markers_and_ways_are_gone_in_the_order_that_is_meant(order: str, cells: list[Cell]) -> None:
    assert told(order, "markers_terrain") == dict.fromkeys(range(100), cells)


@pytest.mark.parametrize(
    ("order", "ends"),
    [
        ("spearmen line up along y=75 from x=5 to x=145", ((5, 75), (145, 75))),
        ("spearmen in a line from (20, 30) to (100, 30)", ((20, 30), (100, 30))),
        ("spearmen in a line at y = 35", ((0, 35), (149, 35))),
        ("spearmen spread over the middle row in five squads", ((0, 74), (149, 74))),
    ],
)
def test_a_line_is_spread_over(order: str, ends: tuple[Cell, Cell]) -> None:
    """Squads of all units stand side by side, within half a gap of its ends."""
    found = told(order)
    assert list(found) and sorted(found) == SPEARMEN
    cells = np.array(sorted({cell for (cell,) in found.values()}))
    gap = (ends[1][0] - ends[0][0]) / len(cells)
    assert len(cells) >= 5 and np.ptp(cells[:, 1]) <= 2
    assert abs(cells[0, 0] - ends[0][0]) <= gap and abs(cells[-1, 0] - ends[1][0]) <= gap


@pytest.mark.parametrize(
    ("order", "world", "squads"),
    [
        ("spearmen hold all the bridges", "strategize_points", BRIDGES),
        ("5 spearmen at each bridge", "strategize_points", BRIDGES),
        ("spearmen guard North-East Bridges 1 to 3", "strategize_points", BRIDGES[:3]),
        ("ten spearmen at each of the South-West bridges", "strategize_points", BRIDGES[5:]),
        ("spearmen guard the North Hamlet and the South Hamlet", "duel", [(94, 98), (94, 51)]),
    ],
)
def test_units_are_shared_out_over_several_places(order: str, world: str, squads: list[Cell]) -> None:
    """One step sends a squad to each place."""
    (step,) = steps(order, world)
    assert [cell for cell in squads if min(math.dist(cell, group.target) for group in step.groups) > 16] == []
    assert len({group.target for group in step.groups}) == len(step.groups) == len(squads)


@settings(max_examples=15, deadline=None)
@given(
    st.permutations(("spearmen", "archers", "cavalry")),
    st.tuples(st.integers(20, 130), st.integers(30, 60)),
    st.integers(4, 20),
    st.sampled_from(["behind", "in front of"]),
)
def test_those_behind_others_or_in_front_of_them_are_there(kinds: list[str], cell: Cell, gap: int, side: str) -> None:
    """The enemy stands in the north, so behind is south; whoever is behind others follows them."""
    one, other = kinds[:2]
    group = steps(f"{one} hold {cell}, {other} {gap} metres {side} the {one}")[-1].groups[-1]
    if side == "behind":
        assert group.behind is not None and group.behind.gap == gap
    else:  # water is gone round
        assert math.dist(group.target, (cell[0], cell[1] + gap)) <= 10


def test_whoever_stays_back_stays_behind_the_others_and_then_where_that_was() -> None:
    """The first order says how far behind whom was named; the second goes on where those behind then are."""
    group = steps("spearmen to (75, 75), cavalry stay 20 m back")[-1].groups[-1]
    assert group.behind is not None and group.behind.gap == 20 and group.units.ids(100) == tuple(CAVALRY)
    assert sent("spearmen to (75, 75), cavalry stay 20 m back until the enemy cavalry is dead", (75, 55)) == CAVALRY


@pytest.mark.parametrize(
    ("order", "cell", "ids"),
    [
        ("spearmen to (60, 40), archers behind them at (60, 25)", (60, 25), ARCHERS),
        ("everyone to (60, 20), archers in front", (60, 28), ARCHERS),
        ("archers to (60, 40), cavalry fall back to (20, 20)", (20, 20), CAVALRY),
    ],
)
def test_a_place_of_some_units_is_not_that_of_others(order: str, cell: Cell, ids: list[int]) -> None:
    assert sent(order, cell) == ids


@pytest.mark.parametrize(
    ("world", "order", "said"),
    [
        ("duel", "go to (500, 20)", "not on the map"), ("duel", "archers to the windmill", "`windmill`"),
        ("duel", "spearmen take the hill", "`hill`"), ("markers_terrain", "go to A and F", "no marker F"),
        ("duel", "go to marker A", "no markers"), ("coordinate", "hold the West Bridge", "no bridge"),
        ("strategize_points", "20 archers go to the bridge", "Which bridge"),
        ("strategize_points", "spearmen hold North-East Bridge 12", "Which bridge"),
        ("exploit_weakness", "go through the woods, not over the bridges", "`not`"),
        ("duel", "archers go to the corner", "Which corner"), ("duel", "(20, 20), (40, 40)", "one after the other"),
        ("duel", "spearmen line up at (70, 40)", "from where to where"),
        ("coordinate", "keep away from (75, 20)", "no plan keeps units out"),
        ("coordinate", "attack, but nobody goes into the Northern Forest", "`nobody goes`"),
        ("duel", "keep everyone at least 20 m from the East Wood", "`20 m from`"),
        ("duel", "archers go to the North Pond, not to the South Pond", "`not`"),
        ("duel", "archers go to (40, 40) at ten metres", "`at ten metres`"),
        ("duel", "archers ten metres behind the ones in front", "`ones in front`"),
        ("duel", "archers to (60, 30), behind the spearmen", "or at the place"),
        ("strategize_points", "never mind the bridges, everyone holds the camp", "`never mind`"),
        ("strategize_points", "one team for each bridge", "how many"),
        ("duel", "attack the nearest enemy", "`nearest`"),
        ("duel", "archers shoot the enemy cavalry from (60, 40)", "`from`"),
    ],
)  # fmt: skip
def test_a_place_that_is_not_known_or_forbidden_is_asked_about(world: str, order: str, said: str) -> None:
    assert said in asked(order, world)
