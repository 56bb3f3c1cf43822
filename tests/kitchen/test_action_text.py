"""Plans as text: what is read, every code of a bad form, and texts that no one should send."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl import render
from hive.worlds.kitchen.action import NamedAction
from hive.worlds.kitchen.action_text import ACTION_GRAMMAR, read_action, read_plan
from hive.worlds.kitchen.codes import ActionKind
from tests.kitchen.words import WORDS

FORMS = [
    ("pick the egg up", "F1"),
    ("1. pickup(egg, counter)", "F1"),
    ("pickup(egg, counter", "F1"),
    ("pickup(egg,, counter)", "F1"),
    ("boil(pot0)", "F1"),
    ("check_recipe()", "F1"),
    ("wait(pickup(egg, counter))", "F1"),
    ("request()", "F1"),
    ("request('egg')", "F1"),
    ("request('deliver()', 'wait(1)')", "F1"),
    ("request('request('deliver()')')", "F1"),
    ("pickup(egg)", "F2"),
    ("pickup()", "F2"),
    ("pickup(egg, counter, pot0)", "F2"),
    ("pickup(caviar, counter)", "F3"),
    ("pickup(egg, table)", "F4"),
    ("pickup(egg, dispenser)", "F4"),
    ("pickup(egg, pot1)", "F4"),
    ("pickup(boiled_egg, ingredient_dispenser)", "F5"),
    ("pickup(pot0, dish_dispenser)", "F5"),
    ("pickup(dish, ingredient_dispenser)", "F6"),
    ("pickup(egg, dish_dispenser)", "F7"),
    ("put_obj_in_utensil()", "F8"),
    ("put_obj_in_utensil(pot)", "F8"),
    ("put_obj_in_utensil(egg, egg, pot0)", "F8"),
    ("fill_dish_with_food()", "F9"),
    ("fill_dish_with_food(counter)", "F9"),
    ("cook()", "F10"),
    ("cook(oven0)", "F10"),
    ("stir(pot0)", "F10"),
    ("wait(21)", "F11"),
    ("wait(0)", "F11"),
    ("wait(-3)", "F11"),
    ("wait(1, 2)", "F11"),
    (f"wait({'9' * 5000})", "F11"),
    ("", "N0"),
    (" ; ;", "N0"),
    ("deliver(); deliver()", "F1"),
]


@pytest.mark.parametrize(("text", "code"), FORMS)
def test_a_bad_form_has_its_code(text: str, code: str) -> None:
    entry = read_action(text, WORDS)

    assert entry.action is None
    assert entry.findings[-1].code == code
    assert render(entry.findings).startswith(f"error[{code}]: ")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("pickup(egg, counter)", "pickup(egg,counter)"),
        (" PickUp ( 'Egg' , \"COUNTER\" ) ", "pickup(egg,counter)"),
        ("pickup(egg, shared_counter)", "pickup(egg,counter)"),
        ("place_obj_on_counter()", "place_obj_on_counter()"),
        ("put_obj_in_utensil(pot0)", "put_obj_in_utensil(pot0)"),
        ("put_obj_in_utensil(egg, pot0)", "put_obj_in_utensil(pot0)"),
        ("cut(chopping_board_0)", "cut(chopping_board0)"),
        ("fill_dish_with_food(oven0)", "fill_dish_with_food(oven0)"),
        ("deliver_soup()", "deliver()"),
        ("wait( 20 )", "wait(20)"),
        ("wait(soon)", "wait(1)"),
        ("wait()", "wait(1)"),
        ("pick up(egg, counter)", "pickup(egg,counter)"),
    ],
)
def test_a_good_form_is_read_to_its_canonical_text(text: str, canonical: str) -> None:
    """Blanks, case, quotation marks, both delivery names and both spellings of an index make no difference."""
    entry = read_action(text, WORDS)

    assert str(entry.action) == canonical
    assert all(finding.severity == "warning" for finding in entry.findings)


def test_what_is_overlooked_is_said() -> None:
    for text in ("wait(soon)", "put_obj_in_utensil(egg, pot0)", "deliver(egg)"):
        assert [finding.code for finding in read_action(text, WORDS).findings] == ["W1"]


def test_a_utensil_can_be_named_as_an_object_so_that_the_world_can_say_why_not() -> None:
    assert read_action("pickup(pot0, counter)", WORDS).action == NamedAction(ActionKind.PICKUP, "pot0", "counter")


@pytest.mark.parametrize("quotes", ["''", '""', "``", "\N{RIGHT SINGLE QUOTATION MARK}" * 2, "'\"", ""])
def test_a_request_holds_one_action_of_the_teammate(quotes: str) -> None:
    """Nested quotation marks of the same or of another kind do not hide the action."""
    first, second = quotes[:1], quotes[1:]
    entry = read_action(f"request({first}pickup({first}egg{second}, ingredient_dispenser){second})", WORDS)

    assert entry.request
    assert str(entry.action) == "pickup(egg,ingredient_dispenser)"


def test_requests_leave_the_queue_wherever_they_stand() -> None:
    plan = read_plan("request('cut(chopping_board0)'); wait(2); request(deliver()) ; pickup(egg, counter);", WORDS)

    assert [str(entry.action) for entry in plan.queue] == ["wait(2)", "pickup(egg,counter)"]
    assert [str(entry.action) for entry in plan.requests] == ["cut(chopping_board0)", "deliver()"]


def test_a_bad_entry_does_not_hide_the_next_one() -> None:
    plan = read_plan("first fetch an egg; pickup(egg, counter); cook(pan)", WORDS)

    assert [[finding.code for finding in entry.findings] for entry in plan.entries] == [["F1"], [], ["F10"]]
    assert plan.entries[2].findings[0].span.text == "pan"


def test_a_near_miss_is_proposed() -> None:
    hints = {
        "pikup(egg, counter)": "pickup",
        "pickup(sweet potato, counter)": "sweet_potato",
        "pickup(egg, countr)": "counter",
    }
    for text, word in hints.items():
        assert read_action(text, WORDS).findings[0].hint == f"did you mean `{word}`?"


HOSTILE = {
    "one megabyte": "x" * 1_000_000,
    "brackets": "(" * 19_000,
    "nested requests": "request(" * 2_000,
    "quotation marks": "'\"" * 9_000,
    "control characters": "\x00(\x1b)",
    "no Latin letter": "\N{MATHEMATICAL SCRIPT SMALL C}ook(pot0)",
    "many actions": "a();" * 400,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_end_in_findings(text: str) -> None:
    entries = read_plan(text, WORDS).entries

    found = [finding for entry in entries for finding in entry.findings]
    assert {finding.code for finding in found} <= {"F1"}
    assert found or not entries
    assert len(render(found)) < 20_000


def test_every_well_formed_action_reads_back() -> None:
    actions = WORDS.every_action()

    assert len(set(actions)) == len(actions)
    assert [read_action(str(action), WORDS).action for action in actions] == list(actions)


@given(st.text(alphabet="pickuegcontr(),;'\" _0", max_size=40))
def test_any_text_is_either_an_action_or_an_error(text: str) -> None:
    for entry in read_plan(text, WORDS).entries:
        errors = [finding for finding in entry.findings if finding.severity == "error"]
        assert len(errors) == (entry.action is None)


def test_the_grammar_is_unambiguous() -> None:
    ACTION_GRAMMAR.load(strict=True)
