"""What is done and how: behaviours, whom units attack, standing and holding, details, and what excludes each other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive.players.words.reading import interpret
from tests.words.readings import Cell, asked, facts, steps

FIGHT, SHOOT, WALK, PEACE = "attack_in_close_range", "attack_in_long_range", "attack_and_move", "follow_map"


@pytest.mark.parametrize(
    ("order", "behaviour", "types"),
    [
        ("spearmen attack", FIGHT, ()), ("spearmen attack the enemy archers", FIGHT, ("archer",)),
        ("an attack on the enemy archers with the cavalry", FIGHT, ("archer",)),
        ("use our riders against the enemy archers", FIGHT, ("archer",)),
        ("spearmen kill cavalry", FIGHT, ("cavalry",)),
        ("archers shoot the enemy cavalry", SHOOT, ("cavalry",)), ("cavalry flank the enemy", FIGHT, ()),
        ("archers go to (60, 40), then attack the enemy spearmen from a distance", SHOOT, ("spearmen",)),
        ("archers attack at close range", FIGHT, ()), ("spearmen charge to (75, 60)", FIGHT, ()),
        ("spearmen go to (75, 60) and kill everything", FIGHT, ()), ("spearmen go to (75, 60)", WALK, ()),
        ("archers go to (60, 50) and shoot only cavalry", SHOOT, ("cavalry",)),
        ("archers go to (60, 50) and shoot only ranged units", SHOOT, ("archer",)),
        ("archers to (60, 50), only against cavalry", SHOOT, ("cavalry",)), ("cavalry retreat", PEACE, ()),
        ("spearmen hold (75, 60)", WALK, ()),  # `hold` never steps, and is for those who are there
        ("spearmen hold", "hold", ()), ("spearmen stand still", "stand", ()), ("spearmen stay put", "stand", ()),
        ("50 spearmen do nothing at (40, 30)", "stand", ()), ("everyone go to (20, 20). Do not fight", PEACE, ()),
        ("archers go to (40, 40) without fighting", PEACE, ()), ("archers hide in the East Wood", PEACE, ()),
        ("dodge the enemy cavalry on the way to (40, 40)", PEACE, ()), ("archers keep your distance", SHOOT, ()),
    ],
)  # fmt: skip
def test_how_units_act_is_their_behaviour(order: str, behaviour: str, types: tuple[str, ...]) -> None:
    """The behaviour of the last step, and whom it is against."""
    assert {(group.behaviour, group.types) for group in steps(order)[-1].groups} == {(behaviour, types)}


@pytest.mark.parametrize(
    ("order", "leash", "cover"),
    [
        ("spearmen hold (75, 60)", 10, False), ("cavalry hold (75, 60) within 12 m", 12, False),
        ("cavalry go to (75, 60) without chasing", 10, False), ("cavalry go to (75, 60)", None, False),
        ("cavalry go to (75, 60) under cover", None, True), ("cavalry go to (75, 60), unseen", None, True),
    ],
)  # fmt: skip
def test_a_leash_and_cover_are_those_that_were_said(order: str, leash: int | None, cover: bool) -> None:
    ((group,),) = (step.groups for step in steps(order))
    assert (group.leash, group.cover) == (leash, cover)


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(["cavalry", "archers", "everyone"]),
    st.sampled_from(["hold", "go to", "wait at"]),
    st.tuples(st.integers(20, 130), st.integers(20, 60)),
    st.sampled_from(["do not fight", "never fight", "nobody fights", "do not shoot back", "without fighting"]),
)
def test_who_is_not_to_fight_does_not(who: str, deed: str, cell: Cell, no: str) -> None:
    groups = [group for step in steps(f"{who} {deed} {cell}, {no}") for group in step.groups]
    assert {group.behaviour for group in groups if math.dist(group.target, cell) < 20} <= {PEACE, "stand"}


def test_each_type_is_sent_against_the_one_that_it_beats() -> None:
    """Cavalry beats archers, archers beat spearmen, and spearmen beat cavalry."""
    world = facts("exploit_weakness")
    pairs = {
        (world.own.types[group.units.ids(100)[0]], *group.types)
        for step in steps("each type attacks what it beats", "exploit_weakness")
        for group in step.groups
        if group.types
    }
    assert pairs == {*world.beats} == {("cavalry", "archer"), ("archer", "spearmen"), ("spearmen", "cavalry")}


@pytest.mark.parametrize("detail", ["facing north", "facing the enemy", "in a wedge"])
def test_a_detail_that_no_plan_can_say_is_left_out_by_name(detail: str) -> None:
    reading = interpret(f"archers go to (40, 40) {detail}", facts())
    assert f"Left out: `{detail}`." in reading.text
    assert reading.plan == interpret("archers go to (40, 40)", facts()).plan


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("attack and do not attack", "exclude each other"), ("attack without fighting", "exclude each other"),
        ("everyone go to (40, 40). Nobody moves.", "`Nobody`"), ("archers do not go to (40, 40)", "`do not go`"),
        ("cavalry attack our archers", "`our archers`"), ("archers shoot our own cavalry", "`our own cavalry`"),
        ("put out the fire!", "`put out the fire`"), ("archers climb the North Hamlet", "`climb`"),
        ("cavalry attack once and come back", "`once`"), ("stay clear of the enemy and march to (40, 40)", "no plan"),
        ("spearmen hold (75, 40), six metres between them", "`six metres`"),
        ("20 archers and cavalry", "what are they to do"), ("everyone go", "where to"),
        ("carry on", "nothing was ordered"), ("attack each other", "`each other`"),
        ("hold and retreat", "exclude each other"), ("hold position and charge", "exclude each other"),
        ("advance and stay put", "exclude each other"), ("cavalry retreat and attack", "exclude each other"),
        ("ignore the enemy spearmen, march to (40, 40)", "`spearmen`"), ("flank the enemy on the west", "which side"),
    ],
)  # fmt: skip
def test_what_excludes_each_other_or_cannot_be_done_is_asked_about(order: str, said: str) -> None:
    assert said in asked(order)
