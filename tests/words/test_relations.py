"""A plan keeps the relations of its order, or is asked about: sides, numbers, denials, conditions, who does what."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from hive.players.words.reading import interpret
from tests.words.test_strict import asked, facts, steps

KINDS = ("spearmen", "archers", "cavalry")
WORDS = [
    "archers", "spearmen", "the rest", "everyone", "20", "half of the", "units 3 to 9", "each", "both", "two squads",
    "enemy", "go to", "hold", "attack", "behind", "in front of", "between", "from", "to", "(40, 40)", "the East Wood",
    "both hamlets", "north", "left", "line", "never", "nobody", "until", "when", "they", "lose a third", "see an enemy",
    ", then", ".", "?", "until then", "not", "without fighting", "100 ticks", "y = 60", "right after", "get", "markers",
]  # fmt: skip
CELLS = st.tuples(st.integers(20, 130), st.integers(20, 60))


@settings(max_examples=25, deadline=None)
@given(st.permutations(KINDS), CELLS, st.integers(4, 20), st.sampled_from(["behind", "in front of"]))
def test_who_is_to_be_behind_others_is_or_is_asked_about(
    kinds: list[str], cell: tuple[int, int], metres: int, side: str
) -> None:
    """The enemy stands in the north, so behind is south."""
    one, other = kinds[:2]
    for order in (
        f"{one} hold {cell}, {other} {metres} metres {side} the {one}",
        f"{other} {metres} metres {side} the {one}, {one} hold {cell}",
    ):
        reading = interpret(order, facts())
        if reading.plan is None:
            assert reading.question
            continue
        ends = last(order)
        lead, follow = (np.mean([ends[unit] for unit in units(kind)], 0) for kind in (one, other))
        assert (follow[1] - lead[1]) * (-1 if side == "behind" else 1) > 0
        assert math.dist(lead, follow) <= 40


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(KINDS), st.integers(2, 19), CELLS, st.sampled_from(["north", "south", "east", "west"]))
def test_so_many_units_and_the_rest_are_told_apart(kind: str, count: int, cell: tuple[int, int], side: str) -> None:
    for order in (f"{count} {kind} go to {cell}, the other {kind} stay", f"{count} {kind} go 20 metres {side}"):
        if interpret(order, facts()).plan is not None:
            moved = [unit for unit, end in last(order).items() if math.dist(end, facts().own.position[unit]) > 15]
            assert len(moved) <= count or not moved


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["cavalry", "archers", "everyone"]),
    st.sampled_from(["hold", "go to", "wait at"]),
    CELLS,
    st.sampled_from(["do not fight", "never attack", "nobody fights", "do not shoot", "without fighting"]),
)
def test_who_is_not_to_fight_does_not_or_is_asked_about(who: str, deed: str, cell: tuple[int, int], no: str) -> None:
    order = f"{who} {deed} {cell}, {no}"
    if interpret(order, facts()).plan is not None:
        named = {"follow_map", "stand"}
        assert {group.behaviour for step in steps(order) for group in step.groups if sent(group, cell)} <= named


@pytest.mark.parametrize(
    ("world", "order", "said"),
    [
        ("markers_terrain", "the nearest trees on the other side are up to the left, so in there", "attack"),
        ("coordinate", "the shooters get their protection from them", "attack"),
        ("duel", "archers hold the line y = 60, nobody walks past it", "not fight"),
        ("duel", "kill the eleven archers in the northeast first", "enemies"),
        ("duel", "archers behind the spearmen, spearmen hold (70, 100)", "stand there"),
        ("strategize_points", "guard the nearest three bridges to camp", "number"),
        ("strategize_points", "spread from North-East Bridge 2 to North-East Bridge 3 along the river", "left out"),
        ("duel", "spearmen into a line from (10, 70) to (140, 70). Nobody leaves the line", "somewhere"),
        ("duel", "when the enemy is seen, go to (20, 20) and hide there. Until then hold the North Hamlet", "later"),
        ("duel", "every second spearman goes to (30, 40)", "every second"),
        ("duel", "which corner holds which type?", "question"),
        ("duel", "two squads of cavalry. Both hide in the East Wood", "same"),
        ("duel", "shoot the cavalry when they step out of the East Wood", "others"),
        ("duel", "ten archers to each side of the East Wood", "one place"),
        ("duel", "units 10-19 flank left around the South Pond", "another way"),
        ("duel", "keep everyone at least 20 m from the East Wood", "sent there"),
    ],
)
def test_what_a_plan_would_do_otherwise_is_asked_about(world: str, order: str, said: str) -> None:
    assert said in asked(order, facts(world))


@pytest.mark.parametrize(
    "order",
    [
        "archers hold (40, 40), spearmen 10 metres in front of the archers",
        "5 archers go to (20, 20), 10 archers go to (60, 20)",
        "a third of the spearmen go to (40, 40), the rest stay",
        "units 5 to 9 go to (40, 40); units 10 to 14 go to (60, 40)",
        "cavalry attack the enemy archers, then the enemy cavalry",
        "when the enemy is seen, archers fall back to (20, 20)",
        "do not fight; go to (40, 40), not to (60, 60)",
        "go north, then west",
    ],
)
def test_what_agrees_is_carried_out(order: str) -> None:
    assert steps(order)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from(WORDS),
        min_size=1,
        max_size=14,
    )
)
def test_any_words_get_a_plan_or_a_question(words: list[str]) -> None:
    reading = interpret(" ".join(words), facts())
    assert (reading.plan is None) == bool(reading.question)


def units(kind: str) -> list[int]:
    """The units of a type."""
    name = {"archers": "archer"}.get(kind, kind)
    return [unit for unit, each in enumerate(facts().own.types) if each == name]


def last(order: str) -> dict[int, tuple[float, float]]:
    """Where each unit is to be in the end, or where it stands."""
    ends = {unit: (float(x), float(y)) for unit, (x, y) in enumerate(facts().own.position)}
    for step in steps(order):
        for group in step.groups:
            behind = group.behind.gap if group.behind is not None else 0
            for unit in group.units.ids(100):
                ends[unit] = (float(group.target[0]), float(group.target[1] - behind))
    return ends


def sent(group: dsl.Group, cell: tuple[int, int]) -> bool:
    """Whether a group is sent to a place, or near it."""
    return math.dist(group.target, cell) < 20
