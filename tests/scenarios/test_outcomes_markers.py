"""What plans come to on the map with markers; apart from the others, so that two workers share whole games."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios.outcomes import bad, ours, published

pytestmark = pytest.mark.long

MINE = ["follow_markers", "exploit_terrain"]


@pytest.mark.parametrize("ability", MINE)
def test_our_plan_wins(ability: str) -> None:
    assert set(ours(ability)) == {"win"}


@pytest.mark.parametrize("ability", MINE)
def test_the_bad_plan_does_not_win(ability: str) -> None:
    """Winning means something: the same marches without cover do not."""
    assert "win" not in bad(ability)


@pytest.mark.parametrize("ability", MINE)
def test_the_published_plan_wins(ability: str, shared: Path) -> None:
    """Both are published as a success (docs/rules/scenarios.md 2.3)."""
    assert set(published(ability, shared)) == {"win"}
