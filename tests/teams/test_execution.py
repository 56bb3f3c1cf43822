"""Action sentences become actions, by their exact form or by a translation (docs/rules/teams.md 3)."""

from __future__ import annotations

import pytest

from hive.kit.agent_env import Choice, Option
from hive.players.teams.execution import read_line, read_translation
from hive.players.teams.tags import Malformed

MOVE = Option(1, "move to location", ("x", "y"), "walks", "move to location 12 7")
CUT = Option(2, "cut n trees", ("n",), "fells trees", "cut 3 trees")
LOAD = Option(3, "pick up civilian", (), "carries", "pick up civilian")
NOTHING = Option(0, "do nothing", (), "stays", "do nothing")
OPTIONS = (MOVE, CUT, LOAD, NOTHING)


@pytest.mark.parametrize(
    ("line", "number", "values"),
    [
        ("move to location 12 7", 1, (12, 7)),
        ("Move to location (3, -4).", 1, (3, -4)),
        ("move  to location 3,4", 1, (3, 4)),
        ("cut 10 trees", 2, (10,)),
        ("pick up civilian", 3, ()),
        ("do nothing.", 0, ()),
    ],
)
def test_an_exact_line_is_read(line: str, number: int, values: tuple[int, ...]) -> None:
    assert read_line(OPTIONS, line) == Choice(number, values, line)


@pytest.mark.parametrize(
    "line",
    ["", "move", "move to location 12", "move to location 1 2 3", "move to location 1.5 2", "I move to location 1 2",
     "move to location \u0661 \u0662", "move to location 9999999999 1", "cut trees", "fly to 1 2", "do nothing 1"],
)  # fmt: skip
def test_any_other_line_is_a_finding(line: str) -> None:
    assert isinstance(read_line(OPTIONS, line), Malformed)


def test_an_example_that_does_not_show_its_numbers_is_a_fault_of_the_world() -> None:
    with pytest.raises(ValueError, match="does not have 2 numbers"):
        read_line([Option(1, "walk", ("x", "y"), "walks", "walk 3")], "walk 3")


@pytest.mark.parametrize(
    ("text", "number", "values"),
    [
        ("<type>1</type><param_1>12</param_1><param_2> 7 </param_2><description>I walk</description>", 1, (12, 7)),
        ("<type>2</type><param_1>3.0</param_1><param_2></param_2>", 2, (3,)),
        ("<type>3</type><param_1>none</param_1>", 3, ()),
        ("<type>0</type><description>I am not sure</description>", 0, ()),
    ],
)
def test_a_translation_is_read(text: str, number: int, values: tuple[int, ...]) -> None:
    assert read_translation(OPTIONS, "I go", text) == Choice(number, values, "I go")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the translation is empty"),
        ("type 1", "the translation lacks the tag <type>"),
        ("<type>9</type>", "there is no action type 9"),
        ("<type>move</type>", "there is no action type move"),
        ("<type>1</type><type>2</type>", "the translation has the tag <type> twice"),
        ("<type>1</type><param_1>3</param_1>", "the translation has no whole number for y in <param_2>"),
        ("<type>1</type><param_1>x</param_1><param_2>1</param_2>", "the translation has no whole number for x"),
        ("<type>1</type><param_1>1.5</param_1><param_2>1</param_2>", "the translation has no whole number for x"),
        ("<type>1</type><param_1>" + "9" * 5000 + "</param_1>", "the translation has no whole number for x"),
    ],
)
def test_a_translation_that_cannot_be_read_is_a_finding(text: str, why: str) -> None:
    found = read_translation(OPTIONS, "I go", text)
    assert isinstance(found, Malformed)
    assert found.why.startswith(why)
