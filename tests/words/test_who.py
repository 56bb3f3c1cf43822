"""Who is meant: types, numbers, shares, ids, the rest, squads, units named before, and the dead."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive.players.words.reading import interpret
from tests.words.readings import ARCHERS, CAVALRY, SPEARMEN, Cell, asked, facts, sent, told

KINDS = {"spearmen": SPEARMEN, "archers": ARCHERS, "cavalry": CAVALRY}
CELLS = st.tuples(st.integers(20, 130), st.integers(40, 60))
SHARES = {"half of the {}": 2, "a third of the {}": 3, "25% of the {}": 4, "one fifth of {}": 5}


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(sorted(SHARES)), st.sampled_from(sorted(KINDS)), st.integers(2, 147))
def test_a_share_moves_that_share_and_nobody_else(share: str, kind: str, x: int) -> None:
    moved = told(f"{share.format(kind)} go to ({x}, 20)")
    assert len(moved) == int(len(KINDS[kind]) / SHARES[share] + 0.5)  # halves round up
    assert set(moved) <= set(KINDS[kind])


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(sorted(KINDS)), st.integers(2, 19), CELLS)
def test_so_many_and_the_rest_and_all_but_so_many_are_a_whole(kind: str, count: int, cell: Cell) -> None:
    """Who goes in one of these orders stays in the other."""
    some = sent(f"{count} {kind} go to {cell}, the other {kind} stay", cell)
    others = sent(f"all {kind} except {count} go to {cell}", cell)
    assert len(some) == count
    assert sorted(some + others) == KINDS[kind]


@pytest.mark.parametrize(
    ("who", "ids"),
    [
        ("archers", ARCHERS), ("the horsemen", CAVALRY), ("long range units", ARCHERS),
        ("melee units", SPEARMEN + CAVALRY), ("everyone", range(100)), ("every unit", range(100)),
        ("a dozen archers", range(50, 62)), ("twenty-five spearmen", range(25)),
        ("10 spears and 5 archers", [*range(10), *range(50, 55)]), ("two thirds of the spearmen", range(33)),
        ("30% of the archers", range(50, 59)),
        ("archers and half of the cavalry", [*ARCHERS, *range(80, 90)]), ("spearmen 10 to 19", range(10, 20)),
        ("units 0 to 9 and 20-29", [*range(10), *range(20, 30)]), ("units 50, 51 and 60", [50, 51, 60]),
        ("unit 7", [7]), ("everyone except the archers", SPEARMEN + CAVALRY), ("archers 50-64", range(50, 65)),
    ],
)  # fmt: skip
def test_units_are_those_that_were_said(who: str, ids: list[int]) -> None:
    assert sent(f"{who} go to (40, 40)", (40, 40)) == [*ids]


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("archers to (20, 20), then they go to (40, 40)", ARCHERS),
        ("archers to (20, 20), spearmen to (30, 30), then both go to (40, 40)", SPEARMEN + ARCHERS),
        ("archers to (20, 20). The archers then go to (40, 40)", ARCHERS),
        ("spearmen go to (20, 20); ten of them go on to (40, 40)", range(10)),
        ("80% of the archers go to (20, 20), the rest to (40, 40)", range(74, 80)),
        ("a third of the spearmen to (20, 20), a third to (75, 75), the remainder to (40, 40)", range(34, 50)),
        ("half of the archers go to (20, 20); everyone else to (40, 40)", [*SPEARMEN, *range(65, 80), *CAVALRY]),
        ("20 spearmen go to (20, 20), all remaining units to (40, 40)", range(20, 100)),
        ("archers to (20, 20), cavalry to (30, 30); the others go to (40, 40)", SPEARMEN),
        ("half the spearmen and half the archers to (20, 20), the other half to (40, 40), cavalry to (60, 10)",
         [*range(25, 50), *range(65, 80)]),
        ("everyone to (20, 20), archers to (40, 40)", ARCHERS),
        ("spearmen, archers and cavalry go to (40, 40)", range(100)),
        ("everyone except 10 archers hide; those 10 go to (40, 40)", range(50, 60)),
    ],
)  # fmt: skip
def test_the_rest_and_units_named_before_are_those_of_the_order(order: str, ids: list[int]) -> None:
    assert sent(order, (40, 40)) == [*ids]


@pytest.mark.parametrize(
    "order",
    [
        "10 archers each to (20, 20) and (60, 20)", "hold (20, 20) and (60, 20) with 10 archers each",
        "10 archers to (20, 20), 10 archers to (60, 20)",
    ],
)  # fmt: skip
def test_each_place_has_units_of_its_own(order: str) -> None:
    cells = told(order)
    assert [[unit for unit in cells if cells[unit] == [(x, 20)]] for x in (20, 60)] == [
        [*range(50, 60)],
        [*range(60, 70)],
    ]


def test_units_of_a_side_stand_farther_there_than_all_others() -> None:
    at = facts().own.position[:, 0]
    moved = set(told("the left half of the spearmen go to (40, 75)"))
    assert moved < set(SPEARMEN)
    assert at[sorted(moved)].max() <= np.delete(at[SPEARMEN], sorted(moved)).min()


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("send 5000 archers north", "not 5000"), ("60 archers hold (60, 60)", "not 60"),
        ("kill 600 enemy spearmen", "it has 50 spearmen"), ("units 95 to 120 go to (20, 20)", "no unit 120"),
        ("archers 0 to 9 go to (20, 20)", "these are archers"), ("send the dragons to the centre", "no dragons"),
        ("spearmen to (20, 20); the second squad to (40, 40)", "`second squad`"),
        ("archers, not cavalry, go to (40, 40)", "`not`"), ("none of the archers go to (40, 40)", "`none`"),
        ("all but 20 archers march to the North Pond", "`all but`"), ("the lookouts go to (75, 100)", "`lookouts`"),
        ("everyone who is not an archer goes to (40, 40)", "`not`"), ("send -10 archers north", "below 0"),
        ("the nearest units hold (70, 30)", "`nearest`"), ("archers except 5 of them go to (40, 40)", "Who is meant"),
        ("30 spearmen to (40, 40), 30 spearmen to (60, 40)", "Only 20"),
        ("take 200 archers and bring them here", "not 200"), ("the last 5 archers go to (40, 40)", "`last`"),
        ("they come over the North Hamlet", "Who is meant"),
    ],
)  # fmt: skip
def test_units_that_do_not_exist_or_are_denied_are_asked_about(order: str, said: str) -> None:
    assert said in asked(order)


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("archers go to (40, 40)", "all dead"), ("units 0 to 3 go to (40, 40)", "all dead"),
        ("send 48 spearmen to (20, 20)", "You have 45"), ("attack the enemy cavalry", "no such units"),
        ("attack enemy units 3 to 3", "no such units"),
    ],
)  # fmt: skip
def test_the_dead_get_no_order_and_are_no_target(order: str, said: str) -> None:
    known = facts()
    own, foe = known.own.health.copy(), known.foe.health.copy()
    own[50:80] = own[:5] = foe[80:] = foe[3] = 0
    known = replace(known, own=replace(known.own, health=own), foe=replace(known.foe, health=foe))
    assert said in interpret(order, known).question
    assert "5 spearmen to (20, 20)" in interpret("units 0 to 9 go to (20, 20)", known).text
