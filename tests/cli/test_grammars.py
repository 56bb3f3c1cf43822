"""`hive grammar` prints the grammar that a server takes, and says what it leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl.narrowing import narrow
from hive.worlds.battle.scenario import load_scenario
from tests.cli.conftest import Hive


@pytest.mark.parametrize("form", ["lark", "gbnf"])
def test_it_prints_the_grammar_alone_on_standard_output(hive: Hive, form: str) -> None:
    ran = hive("grammar", "wildfire/rescue_search", "--format", form, "--steps", 2)
    assert ran.code == 0
    assert ran.out.startswith({"lark": "start: ", "gbnf": "root ::= "}[form])
    assert ran.err == (
        "plans are checked for a crew of 7 in wildfire/rescue_search\na plan has at most 2 steps\n"
        f"{len(ran.out):,} bytes of {form}\n"
    )


def test_json_and_a_file_hold_the_same_text(hive: Hive, tmp_path: Path) -> None:
    ran = hive("grammar", "coordinate", "--cuts", 20, "--json", "--out", "plan.lark")
    assert list(ran.json) == ["scenario", "format", "bytes", "remarks", "grammar"]
    text = (tmp_path / "plan.lark").read_text(encoding="utf-8")
    assert ran.json["grammar"] == text == hive("grammar", "coordinate", "--cuts", 20).out
    assert ran.json["bytes"] == len(text) and "wrote plan.lark" in ran.err


def test_it_says_where_slices_begin_and_end_and_when_it_caps(hive: Hive) -> None:
    ran = hive("grammar", "markers_terrain", "--cuts", 1000, "--steps", 99)
    assert "1000 cut points are too many: a team has at most 250\n99 steps are too many for this grammar\n" in ran.err
    assert "a plan has at most 17 steps\nthe team has 300 units: slices begin and end at multiples of 2 (150" in ran.err
    ran = hive("grammar", "markers_terrain")
    assert "at multiples of 20, and at 250, 350, 850, 950, where another group of units begins (64 cut" in ran.err


def test_sizes_are_those_that_plans_are_written_for_as_in_hive_check(hive: Hive) -> None:
    """`hive run --units` rescales a plan, so the ids in it stay those of the scenario's file."""
    assert hive("grammar", "coordinate", "--units", 20).out == hive("grammar", "coordinate").out
    written = load_scenario("markers_terrain").context(0, (20, 80))
    assert hive("grammar", "markers_terrain", "--written-for", "20,80").out == narrow(written).lark


def test_numbers_of_a_level_can_be_changed(hive: Hive) -> None:
    ran = hive("grammar", "wildfire/rescue_search", "--set", "firefighters=20")
    assert "plans are checked for a crew of 22 in wildfire/rescue_search\n" in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["coordinat"], "did you mean `coordinate`?"),
        (["coordinate", "--format", "json"], "invalid choice: 'json'"),
        (["coordinate", "--cuts", "0"], "argument --cuts: 0 is out of range"),
        (["wildfire/rescue_search", "--units", "3"], "`--units` cannot be used here"),
    ],
)
def test_wrong_options_are_the_users_input(hive: Hive, words: list[str], message: str) -> None:
    ran = hive("grammar", *words)
    assert (ran.code, ran.out) == (2, "") and message in ran.err
