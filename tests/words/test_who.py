"""Rules of who is meant: numbers, shares, ids, sides, squads, the rest, the dead, and units named before."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from hive.players.words.reading import interpret
from tests.words.readings import Cell, asked, facts, sent, steps, targets, told

SPEARMEN, ARCHERS, CAVALRY = range(50), range(50, 80), range(80, 100)
KINDS = {"spearmen": SPEARMEN, "archers": ARCHERS, "cavalry": CAVALRY}
CELLS = st.tuples(st.integers(20, 130), st.integers(40, 60))
SHARES = {"half of the {}": 2, "a third of the {}": 3, "25% of the {}": 4, "one fifth of {}": 5}


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(sorted(SHARES)), st.sampled_from(sorted(KINDS)), st.integers(2, 147))
def test_a_share_moves_that_share_and_nobody_else(share: str, kind: str, x: int) -> None:
    moved = told(f"{share.format(kind)} go to ({x}, 20)")
    assert len(moved) == int(len(KINDS[kind]) / SHARES[share] + 0.5)  # halves round up
    assert set(moved) <= set(KINDS[kind])


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(sorted(KINDS)), st.integers(2, 19), CELLS)
def test_so_many_units_and_the_rest_are_told_apart(kind: str, count: int, cell: Cell) -> None:
    moved = sent(f"{count} {kind} go to {cell}, the other {kind} stay", cell)
    assert len(moved) == count
    assert set(moved) <= set(KINDS[kind])


EXCEPT = (
    "all {kind} but {count} go to {cell}", "all {kind} go to {cell} except {count} of them",
    "{kind} go to {cell}, except {count} {kind}, who stay", "{kind} except {count} of them go to {cell}",
)  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(EXCEPT), st.sampled_from(sorted(KINDS)), st.integers(2, 19), CELLS)
def test_all_but_those_who_are_excepted_go(order: str, kind: str, count: int, cell: Cell) -> None:
    moved = sent(order.format(kind=kind, count=count, cell=cell), cell)
    assert len(moved) == len(KINDS[kind]) - count
    assert set(moved) <= set(KINDS[kind])


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("the last 5 archers go to (40, 40)", range(75, 80)),
        ("units 0 to 9 and 20-29 go to (40, 40)", [*range(10), *range(20, 30)]),
        ("archers 50-64 go to (40, 40)", range(50, 65)),
        ("everyone but the archers goes to (40, 40)", [*SPEARMEN, *CAVALRY]),
        ("everyone goes to (20, 20), except 15 spearmen, who go to (40, 40)", range(15)),
        ("everyone except 10 archers hide; those 10 go to (40, 40)", range(50, 60)),
        ("All but 20 archers march to the North Pond, the 20 go to (40, 40).", range(50, 70)),
        ("every unit goes to (40, 40)", range(100)), ("units 50, 51 and 60 go to (40, 40)", [50, 51, 60]),
        ("nobody moves except the archers, they go to (40, 40)", ARCHERS),
        ("archers to (20, 20), spearmen to (30, 30), then both go to (40, 40)", range(80)),
        ("spearmen go to (20, 20); ten of them go on to (40, 40)", range(10)),
        ("20 spearmen go to (20, 20), all remaining units to (40, 40)", range(20, 100)),
        ("if the archers see an enemy, they go to (40, 40)", ARCHERS),
    ],
)  # fmt: skip
def test_units_are_those_that_were_said(order: str, ids: range | list[int]) -> None:
    assert sent(order, (40, 40)) == list(ids)


def test_one_squad_for_each_place_shares_everyone_out() -> None:
    """`One team for each bridge` counts squads and not units."""
    (step,) = steps("one team for each bridge", "strategize_points")
    assert sorted(unit for group in step.groups for unit in group.units.ids(100)) == [*range(100)]
    assert len({group.target for group in step.groups if group.units.ids(100)[0] < 50}) == 9


@pytest.mark.parametrize(
    ("order", "count"),
    [
        ("2/3 of the spearmen go to (40, 40)", 33), ("two thirds of the spearmen go to (40, 40)", 33),
        ("every second spearman goes to (40, 40)", 25), ("hold (40, 40), 50 men", 50), ("hold (40, 40) with 20", 20),
        ("twenty-five archers hold x=40 y=40; the rest stay", 25),
    ],
)  # fmt: skip
def test_a_number_may_be_said_in_many_ways(order: str, count: int) -> None:
    assert len(sent(order, (40, 40))) == count


@pytest.mark.parametrize(
    ("order", "count"),
    [
        ("80% of the archers go to (75, 30), the rest to (130, 30)", 6),
        ("a third of the spearmen goes to (40, 75), a third to (75, 75), the remainder to (130, 30)", 16),
        ("half of the archers go to (75, 30); everyone else to (130, 30)", 85),
        ("20 archers hold the centre, the rest go to (130, 30)", 80),
    ],
)
def test_the_rest_is_that_of_the_type_of_which_a_share_was_named(order: str, count: int) -> None:
    assert sum((130, 30) in cells for cells in told(order).values()) == count


@pytest.mark.parametrize(
    ("order", "counts"),
    [
        ("two groups: first one to (20, 40), second to (60, 40)", {(20, 40): 50, (60, 40): 50}),
        ("split into two groups, one to (20, 40), the other to (60, 40)", {(20, 40): 50, (60, 40): 50}),
        ("half of them wait at (20, 40), half at (60, 40)", {(20, 40): 50, (60, 40): 50}),
        ("archers: 10 to (20, 20), 5 to (60, 20)", {(20, 20): 10, (60, 20): 5}),
        ("20 archers to (75, 75), the other 10 twenty metres south of them", {(75, 75): 20, (75, 55): 10}),
        ("10 archers each to (20, 20) and (60, 20)", {(20, 20): 10, (60, 20): 10}),
        ("send 10 archers to each of (20, 20) and (60, 20)", {(20, 20): 10, (60, 20): 10}),
        ("hold (20, 20) and (60, 20) with 10 archers each", {(20, 20): 10, (60, 20): 10}),
    ],
)
def test_each_squad_and_each_place_has_units_of_its_own(order: str, counts: dict[Cell, int]) -> None:
    cells = told(order)
    assert {cell: sum(each == [cell] for each in cells.values()) for cell in counts} == counts
    assert len(cells) == sum(counts.values())


def test_so_many_at_each_place_and_the_leftovers() -> None:
    order = "every bridge gets 5 archers and 5 spearmen, keep the leftovers at the camp"
    ends = [cells[-1] for cells in told(order, "strategize_points").values()]
    assert len(ends) == 100
    assert sum(math.dist(cell, (150, 134)) < 10 for cell in ends) == 10  # there are nine bridges


@pytest.mark.parametrize(
    ("order", "world", "kind"),
    [
        ("left half of the spearmen go to (40, 75)", "duel", SPEARMEN),
    ],
)
def test_units_of_a_side_stand_farther_there_than_all_others(order: str, world: str, kind: range) -> None:
    at = facts(world).own.position[:, 0]
    moved = set(told(order, world))
    assert moved < set(kind)
    assert max(at[sorted(moved)]) <= min(at[sorted(set(kind) - moved)])


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("send 5000 archers north", "not 5000"), ("send 1,234 units north", "not 1234"),
        ("kill 600 enemy spearmen", "The enemy has 50"), ("60 archers hold (60, 60)", "not 60"),
        ("units 95 to 120 go to (20, 20)", "no unit 120"), ("send the elephants over (40, 40)", "elephants"),
        ("30 spearmen to (20, 20), 30 spearmen to (120, 20)", "order already"),
        ("the nearest units hold (70, 30)", "How many"),
        ("everyone who is not an archer goes to (40, 40)", "not an archer"),
        ("everyone except the archers to the dungeon", "dungeon"),
        ("archers go to (40, 40), but never to the dungeon", "dungeon"),
    ],
)  # fmt: skip
def test_units_that_do_not_exist_or_add_up_are_asked_about(order: str, said: str) -> None:
    assert said in asked(order)


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("archers go to (40, 40)", "All your archers are dead"), ("units 0 to 3 go to (40, 40)", "are dead"),
        ("send 48 spearmen to (20, 20)", "You have 45"), ("attack the enemy cavalry", "no such enemy now"),
        ("attack enemy unit 3", "no such enemy now"),
    ],
)  # fmt: skip
def test_the_dead_get_no_order_and_are_no_target(order: str, said: str) -> None:
    known = facts()
    own, foe = known.own.health.copy(), known.foe.health.copy()
    own[50:80] = own[:5] = foe[80:] = foe[3] = 0
    known = replace(known, own=replace(known.own, health=own), foe=replace(known.foe, health=foe))
    assert said in interpret(order, known).question
    assert "5 spearmen to (20, 20)" in interpret("units 0 to 9 go to (20, 20)", known).text


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 100), st.sampled_from(["attack the {} nearest enemies", "attack the nearest {} enemies"]))
def test_so_many_nearest_enemies_are_those_and_everybody_attacks(count: int, order: str) -> None:
    known = facts()
    far = np.hypot(*(known.foe.position - known.own.position.mean(0)).T)
    ranked = np.argsort(far, kind="stable")[:count].tolist()
    found = steps(f"{order.format(count)}, then go to (20, 20)")
    killed = [set(step.objective.units.ids(100)) for step in found if isinstance(step.objective, dsl.Elimination)]
    assert set(ranked) in killed
    assert sum(len(group.units.ids(100)) for group in found[0].groups) == 100


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("attack enemy units 12 to 20, then go to (20, 20)", range(12, 21)), ("kill enemy 5, then go to (20, 20)", [5]),
        ("hold until units 7 and 9 of the enemy are dead, then go to (20, 20)", [7, 9]),
        ("when enemy 7 is dead, go to (20, 20)", [7]),
        ("archers shoot enemies 3, 5 and 60, then go to (20, 20)", [3, 5, 60]),
    ],
)  # fmt: skip
def test_enemies_are_named_by_number(order: str, ids: range | list[int]) -> None:
    killed = [set(s.objective.units.ids(100)) for s in steps(order) if isinstance(s.objective, dsl.Elimination)]
    assert set(ids) in killed


def test_they_are_those_of_whom_something_was_just_said() -> None:
    """Not everyone, where nobody was named before: `15 spearmen are tired, they go to A`."""
    found = told("The last fifteen spearmen are my best, they go to (75, 10). Everybody else goes to (40, 40)")
    assert {unit for unit, cells in found.items() if cells == [(75, 10)]} == set(range(35, 50))


def test_squads_of_a_size_are_as_many_as_that_makes() -> None:
    """A hundred units in squads of twenty are five."""
    assert len(targets("everyone to the middle row in squads of twenty", "coordinate")) == 2 * 5  # archers stand behind


@pytest.mark.parametrize(
    "order",
    [
        "archers to (20, 20). The archers then go to (40, 40)",
    ],
)
def test_the_archers_are_meant(order: str) -> None:
    assert sent(order, (40, 40)) == [*ARCHERS]


def test_a_detail_of_where_types_stand_does_not_change_who_acts_next() -> None:
    order = "everyone to (60, 40), spearmen in front, archers behind. Once there, hold until losses of 30%, then attack"
    last = steps(order)[-1]
    assert sum(len(group.units.ids(100)) for group in last.groups) == 100


def test_the_other_half_is_that_of_all_types_whose_halves_were_named() -> None:
    """Here of spearmen and of archers, and not of those alone that were named last."""
    order = "half the spearmen and half the archers to (20, 20), the other half to (60, 60), cavalry to (40, 10)"
    assert sent(order, (60, 60)) == [*range(25, 50), *range(65, 80)]


def test_units_are_split_between_places() -> None:
    places = {(30, 30), (90, 30)}
    for order in (
        "units 0-24 to (30, 30), units 25-49 to (90, 30), archers split evenly between the two",
        "split the archers between (30, 30) and (90, 30)",
    ):
        moved = told(order)
        assert {moved[unit][-1] for unit in ARCHERS} == places


def test_who_fights_goes_on_until_the_others_have_arrived() -> None:
    order = "archers attack. Spearmen go to (60, 40). When the spearmen are in place, the archers fall back to (60, 30)"
    found = steps(order)
    back = next(step for step in found if step.groups[0].target == (60, 30))
    assert [found[number].groups[0].target for number in back.prerequisites] == [(60, 40)]


def test_types_of_the_group_that_was_named_last_are_meant_by_where_they_stand() -> None:
    order = "20 archers and 10 spearmen hold (40, 20). The others to (75, 40), spears ahead, archers behind"
    assert sent(order, (40, 20)) == [*range(10), *range(50, 70)]


@pytest.mark.parametrize("said", ["They'll come over the North Hamlet", "They will try the East Wood"])
def test_what_is_foretold_of_the_enemy_is_no_order(said: str) -> None:
    assert told(f"{said}. Archers go to (20, 40)") == told("archers go to (20, 40)")


def test_a_subject_that_is_not_known_is_asked_about() -> None:
    assert "lookouts" in asked("spearmen to (40, 40). Once enemies 0 to 9 are dead the lookouts go to (75, 100)")


def test_who_is_ready_is_not_who_acts_then() -> None:
    found = told("spearmen to (60, 30). When they are set the archers go to (60, 20)")
    assert found[0] == [(60, 30)]
    assert found[50] == [(60, 20)]


def test_who_shoots_past_others_stands_behind_them() -> None:
    found = told("spearmen to (60, 30). Once they are there the archers come up and fire past them")
    assert all(cells == [(60, 22)] for unit, cells in found.items() if unit in ARCHERS)
