"""What the shipped and the published plans come to in whole games, but for those of `test_outcomes_markers`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios.outcomes import ABILITIES, PLANS, bad, ours, published

MINE = [ability for ability, name in PLANS.items() if name != "markers_terrain"]


@pytest.mark.long
@pytest.mark.parametrize("ability", MINE)
def test_our_plan_wins(ability: str) -> None:
    assert set(ours(ability)) == {"win"}


@pytest.mark.long
@pytest.mark.parametrize("ability", MINE)
def test_the_bad_plan_does_not_win(ability: str) -> None:
    """Winning means something: all in a corner, archers into cavalry, everyone in one place, into the fire."""
    assert "win" not in bad(ability)


@pytest.mark.long
@pytest.mark.parametrize("ability", [ability for ability in MINE if ability in ABILITIES])
def test_the_published_plan_wins(ability: str, shared: Path) -> None:
    """Every one of them is published as a success; strategize points loses a race in a few games.

    Rules: docs/rules/scenarios.md 2.3.
    """
    assert published(ability, shared).count("win") >= (1 if ability == "strategize_points" else 2)
