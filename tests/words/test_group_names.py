"""Groups to which an order gives a name are those units wherever the name comes again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive.players.words.group_names import with_group_names
from hive.players.words.lexicon import read
from tests.words.readings import asked, sent, targets

SPEARMEN, ARCHERS, CAVALRY = [*range(50)], [*range(50, 80)], [*range(80, 100)]
INTRODUCED = (
    "a screen of {count} {kind} goes to (20, 20). All others go to (60, 20). The screen goes to {cell}",
    "form a reserve of {count} {kind} at (20, 20). The others go to (60, 20). The reserve goes to {cell}",
    "the left wing, {count} {kind}, goes to (20, 20). The left wing then goes to {cell}",
    "the strike force is {count} {kind}. All others go to (60, 20). The strike force goes to {cell}",
    "{count} {kind} stay at (20, 20) as a decoy. The others go to (60, 20). After 50 ticks the decoy goes to {cell}",
    "hold {count} {kind} in reserve at (20, 20). The others go to (60, 20). After 50 ticks the reserve goes to {cell}",
    "hold (20, 20) with {count} {kind} as the rearguard; the others go to (60, 20). The rearguard goes to {cell}",
)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(INTRODUCED),
    st.sampled_from(["spearmen", "archers", "cavalry"]),
    st.integers(2, 19),
    st.tuples(st.integers(20, 130), st.integers(30, 50)),
)
def test_a_name_stands_for_the_units_that_it_was_given_to(
    order: str, kind: str, count: int, cell: tuple[int, int]
) -> None:
    moved = sent(order.format(kind=kind, count=count, cell=cell), cell)
    assert moved == {"spearmen": SPEARMEN, "archers": ARCHERS, "cavalry": CAVALRY}[kind][:count]


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        (
            "The assault group, all spearmen, goes to (20, 20). The support group, all archers, follows the assault "
            "group. The assault group goes to (40, 40)",
            SPEARMEN,
        ),
        (
            "a group of 20 archers goes to (20, 20) and another group of 20 spearmen to (60, 20). "
            "When the first group is there, the second group goes to (40, 40)",
            SPEARMEN[:20],
        ),
        (
            "The first wave is all the spearmen, the second wave is the archers. The first wave goes to (20, 20). "
            "The second wave goes to (40, 40)",
            ARCHERS,
        ),
    ],
)
def test_names_of_one_noun_are_told_apart(order: str, ids: list[int]) -> None:
    assert sent(order, (40, 40)) == ids


@pytest.mark.parametrize(
    "order",
    [
        "the left flank is held by 20 archers, the right flank by 20 spearmen",
        "attack the group of 20 archers, then the group in the east",
        "a screen of 15 spearmen goes to (20, 20)",
        "their archers form the left wing; attack the left wing",
        "two groups of 20 archers go to (20, 20) and (40, 40); the groups attack",
    ],
)
def test_an_order_that_names_no_group_twice_is_left_as_it_is(order: str) -> None:
    items = read(order, {}, "")
    assert with_group_names(items) == items


def test_a_name_that_nobody_was_given_is_asked_about() -> None:
    assert "screen" in asked("archers go to (20, 20). The screen falls back to (40, 40)")


def test_the_right_wing_is_not_both_wings() -> None:
    order = "The left wing, 25 spearmen, goes to (20, 20). The right wing, all the others, goes to (60, 20)"
    assert targets(order) == {(20, 20), (60, 20)}
