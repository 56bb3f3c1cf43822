"""The number of calls of a step by formula (docs/rules/teams.md 10.1)."""

from __future__ import annotations

import pytest

from hive.teams.predicted import calls, calls_range
from hive.teams.rules import Quirks, Rules

PAPER = Rules()


@pytest.mark.parametrize(
    ("framework", "idle", "expected"),
    [
        ("camon", 0, 5), ("camon", 1, 7), ("camon", 5, 5 + 2 + 3 * 4),
        ("coela", 0, 5), ("coela", 2, 11), ("coela", 5, 20),
        ("embodied", 0, 25), ("embodied", 5, 25),
        ("nothing", 5, 0),
    ],
)  # fmt: skip
def test_calls_follow_the_published_formulas(framework: str, idle: int, expected: int) -> None:
    assert calls(framework, 5, idle, PAPER) == expected


def test_the_calls_of_hmas2_grow_with_its_plans() -> None:
    assert [calls("hmas2", 5, 0, PAPER, rounds) for rounds in (1, 2, 3)] == [16, 22, 28]
    assert (calls_range("hmas2", 5, PAPER).fewest, calls_range("hmas2", 5, PAPER).most) == (16, 28)


def test_direct_reading_saves_exactly_its_calls() -> None:
    """A call for each living agent, and one for each action."""
    for framework, acts in (("camon", 3), ("coela", 3), ("embodied", 5), ("hmas2", 5)):
        full = calls(framework, 5, 3, PAPER)
        assert full - calls(framework, 5, 3, Rules(direct_perception=True)) == 5
        assert full - calls(framework, 5, 3, Rules(direct_execution=True)) == acts


def test_one_round_of_talks_is_one_call_less_for_each_agent() -> None:
    assert calls("embodied", 7, 7, Rules(quirks=Quirks(released_rounds=True))) == 28


def test_a_framework_without_a_formula_is_refused() -> None:
    with pytest.raises(ValueError, match="plans"):
        calls("plans", 3, 3, PAPER)
