"""Claims about teams: the verdict follows from the interval, and teams of a claim differ in one thing."""

from __future__ import annotations

import pytest

from hive.worlds.household.generator import generate
from hive.worlds.household.houses import generate_transport
from hive.worlds.household.policies.effects import EFFECT_CLAIMS, TEAMS, Effect, measure_effects
from hive.worlds.household.policies.figures import Mean


@pytest.mark.parametrize(
    ("value", "margin", "verdict"),
    [(2.0, 1.0, "holds"), (-2.0, 1.0, "contradicted"), (1.0, 1.0, "open"), (0, 5, "open")],
)
def test_a_claim_holds_if_its_interval_lies_above_zero(value: float, margin: float, verdict: str) -> None:
    """docs/rules/household.md 8.4."""
    assert Effect(EFFECT_CLAIMS[0], Mean(value, margin, 9)).verdict == verdict


def test_claims_compare_teams_that_exist() -> None:
    """Each team takes part in a claim, and no team is compared with itself."""
    named = {name for claim in EFFECT_CLAIMS for name in (claim.better, claim.worse)}
    assert named == set(TEAMS) and all(claim.better != claim.worse for claim in EFFECT_CLAIMS)


@pytest.mark.long
@pytest.mark.parametrize("make", [generate, generate_transport])
def test_sharing_hands_and_agents_help(make: type) -> None:
    """The orders of docs/rules/household.md 8.4 hold on 100 generated episodes."""
    found = measure_effects([make(seed, starts=4) for seed in range(100)], 0, lambda name, done: None)
    assert not [each.claim.text for each in found.effects if each.verdict == "contradicted"]
    certain = {each.claim.text for each in found.effects if each.verdict == "holds"}
    assert {"sharing helps", "two hands help two agents", "two agents help", "a third agent helps"} <= certain
