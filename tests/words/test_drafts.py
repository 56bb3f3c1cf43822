"""What is read back before it is carried out: words without a place, parts that cannot be done, orders as a whole."""

from __future__ import annotations

import pytest

from hive.players.words.reading import AS_WHOLE, MEANT, interpret
from tests.words.readings import Cell, asked, checked, drafted, facts


@pytest.mark.parametrize(
    ("order", "lost", "cells"),
    [
        ("archers go to (40, 40) blarg", "`blarg`", {(40, 40)}),
        ("cavalry go to (40, 40) with drums and trumpets", "`drums` and `trumpets`", {(40, 40)}),
        ("archers go to (40, 40), spearmen to (75, 60), and cavalry to the dungeon", "`dungeon`", {(40, 40), (75, 60)}),
        ("archers go to (40, 40); fly to (60, 60)", "`fly`", {(40, 40), (60, 60)}),
        ("archers go to (40, 40) unless it rains", "`unless`", {(40, 40)}),
        ("archers go to (40, 40), cavalry", "what are they to do", {(40, 40)}),
        ("archers go to (40, 40), two spearmen guard them", "`them`", {(40, 40), (100, 21), (115, 10)}),
        ("archers go to (40, 40), then all form a ring", "`ring`", {(40, 40)}),
        ("visit (40, 40) and (60, 40) in reverse order", "`in reverse`", {(40, 40), (60, 40)}),
    ],
)  # fmt: skip
def test_a_word_without_a_place_is_named_and_the_rest_is_a_draft(order: str, lost: str, cells: set[Cell]) -> None:
    """Nothing that was read is lost; where nobody answers, the draft is carried out and the question is a line."""
    reading = interpret(order, facts())
    assert reading.plan is None
    assert reading.question.startswith(MEANT) and lost in reading.question
    decided = reading.decided
    assert decided.plan == reading.draft and not decided.question
    plan = checked(decided.plan, facts())
    assert {group.target for step in plan.steps for group in step.groups} == cells
    assert decided.lines[:-1] == reading.lines and lost in decided.lines[-1]


def test_of_an_order_of_which_nothing_can_be_done_there_is_no_draft() -> None:
    reading = interpret("send 5000 archers north", facts())
    assert reading.plan is reading.draft is None
    assert reading.decided == reading


@pytest.mark.parametrize(
    ("order", "name", "places", "behaviours"),
    [
        ("squads over the whole middle row; nobody jumps", "coordinate", 20,
         {"attack_and_move", "attack_in_long_range"}),
        ("Which enemies are where? Then each of our types goes for those it masters", "exploit_weakness", 4,
         {"attack_in_close_range", "attack_in_long_range", "attack_and_move"}),
        ("Touch A, then B, and whoever barks at you, ignore the enemy; finish at the objective", "markers_terrain", 3,
         {"follow_map"}),
        ("Creep unseen as owls through the East Forest, the Bridge and the West Forest to the objective",
         "markers_terrain", 4, {"follow_map"}),
        ("Each bridge needs its own band of defenders, gather no cows", "strategize_points", 18,
         {"attack_and_move", "attack_in_long_range"}),
    ],
)  # fmt: skip
def test_an_order_of_everyone_has_what_it_comes_to_for_a_draft(
    order: str, name: str, places: int, behaviours: set[str]
) -> None:
    """One for each ability of the study: the row, types, markers, woods and bridges; a line says that it is a whole."""
    groups = [group for step in drafted(order, name) for group in step.groups]
    assert AS_WHOLE in interpret(order, facts(name)).lines
    assert {unit for group in groups for unit in group.units.ids(100)} == set(range(100))
    assert len({group.target for group in groups}) == places
    assert {group.behaviour for group in groups} == behaviours
    assert all(group.cover == ("unseen" in order) for group in groups)


def test_an_order_that_tells_groups_apart_has_no_draft_as_a_whole() -> None:
    order = "20 archers go to (40, 40), cavalry to (60, 40), nobody jumps"
    assert AS_WHOLE not in interpret(order, facts()).lines
    assert [len(group.units.ids(100)) for step in drafted(order) for group in step.groups] == [20, 20]


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("hello", "no order"), ("how are you?", "no order"), ("", "nothing to read"),
        ("\x00\x07 \t", "nothing to read"),
        ("Лучники, вперёд к мосту!", "Latin letters"), ("弓兵、前進", "Latin letters"), ("\x1b[31m", ""),
        ("archers go to (10, 10) " * 5_000, "characters"), ("1 " * 700, "words and numbers"),
        ("x1y2" * 370, "words and numbers"), ("ten " * 40, ""), ("((((" * 300, "nothing to read"),
        ("x " * 140, ""), ("take 200 archers and bring them to (40, 40)", "not 200"), ("wait 999999999999", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_read_gets_a_question_with_examples(order: str, said: str) -> None:
    question = asked(order)
    assert said in question
    assert "For example" in question


def test_the_examples_of_a_question_are_understood() -> None:
    """In each world, for its own types and places."""
    for name in ("coordinate", "duel", "exploit_weakness", "markers_terrain", "strategize_points"):
        examples = asked("hello", name).split("`")[1::2]
        assert len(examples) == 3
        for example in examples:
            assert interpret(example, facts(name)).plan, (name, example)
