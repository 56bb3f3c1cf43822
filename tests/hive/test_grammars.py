"""Every text of every world's grammar passes `hive check`, drawn by readers of our own and by llguidance.

`python -m tests.hive.grammar_figures` draws 5,000 texts from each grammar and measures.
"""

from __future__ import annotations

import random
from itertools import cycle

import pytest

import dsl
from dsl.narrowing import narrow
from hive.kit.planned_world import Request
from hive.worlds import kind_of, kinds
from hive.worlds.battle.abilities import AbilityPlan, shipped
from tests.dsl.decoding import Decoder
from tests.dsl.grammar_reader import read_grammar

WORLDS = [name for kind in kinds().values() if kind.planned for name in kind.names()]
FORMS = ("gbnf", "lark")


def context_of(name: str) -> dsl.PlanContext:
    """What `hive check --scenario` checks plans against."""
    return kind_of(name).context(Request(scenario=name), 0)[0]


def check(text: str, context: dsl.PlanContext) -> None:
    """Neither an error nor a warning, and canonical layout."""
    report = dsl.check_plan(text, context=context)
    assert report.diagnostics == () and report.skipped == (), dsl.render(report.diagnostics)
    assert f"{report.written}\n" == text


def _check_texts(name: str, form: str, drawn: int, walked: int, cuts: int = 100) -> None:
    context, seed = context_of(name), random.Random(f"{name} {form}")
    text = getattr(narrow(context, cuts), form)
    grammar, decoder = read_grammar(text, form), Decoder(text, form)
    for _ in range(drawn):
        check(grammar.draw(seed), context)
    for _ in range(walked):
        check(decoder.walk(seed), context)


@pytest.mark.parametrize(("name", "form"), list(zip(WORLDS, cycle(FORMS), strict=False)))
def test_texts_of_a_grammar_pass_the_check(name: str, form: str) -> None:
    """Each world in one of the forms, in turn; the long test has both of each."""
    _check_texts(name, form, drawn=10, walked=2)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", WORLDS)
def test_many_texts_of_a_grammar_pass_the_check(name: str, form: str) -> None:
    _check_texts(name, form, drawn=200, walked=20)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("cuts", [1, 20, 250])
def test_texts_pass_the_check_with_other_numbers_of_cut_points(cuts: int, form: str) -> None:
    _check_texts("markers_terrain", form, drawn=100, walked=10, cuts=cuts)


@pytest.mark.parametrize(
    ("entry", "form"),
    [
        pytest.param(entry, form, id=f"{entry.ability.name}-{form}", marks=pytest.mark.long if turn != at % 2 else ())
        for at, entry in enumerate(shipped())
        for turn, form in enumerate(FORMS)
    ],
)
def test_shipped_plans_are_accepted_where_their_slices_rise_between_cut_points(entry: AbilityPlan, form: str) -> None:
    """They were written without the grammar; that of `strategize_points` alone takes two types of units in turn."""
    decoder = Decoder(getattr(narrow(context_of(entry.ability.scenario)), form), form)
    text = dsl.format_plan(dsl.parse_plan(entry.text)) + "\n"
    assert decoder.accepts(text) == (entry.ability.name != "strategize_points")
