"""Small games of `duel` that the tests of leagues share, all in one batch."""

from __future__ import annotations

import pytest

import dsl
import hive
import scenarios
from hive.experiments.league.games import Fixture, LeagueGame
from hive.worlds.battle.scenario import load_scenario
from hive.worlds.battle.world import Battle

SEEDS = range(32)
RUSH = """\
BEGIN PLAN
Step 0:
prerequisites: []
objective: elimination all
units: all
- target position: (75, 110)
- behavior: attack_in_close_range any
END PLAN
"""
ENDED = """\
BEGIN PLAN
Step 0:
prerequisites: []
objective: position
units: [0:1]
- target position: (75, 8)
- behavior: follow_map
END PLAN
"""
PLANS = ("duel", "rush", "duel_bad", "ended")
MEETINGS = [(0, 0), (1, 1), (0, 1), (1, 0), (0, 2), (2, 0), (0, 3), (3, 0)]


def plan_of(name: str) -> dsl.PlanSyntax:
    """A plan for the player of `duel`: a shipped one, or one of the above."""
    text = {"rush": RUSH, "ended": ENDED}.get(name) or scenarios.plan(name)
    return dsl.parse_plan(text, name, load_scenario("duel").context(0))


@pytest.fixture(scope="session")
def small() -> Battle:
    """Twenty units a side, and time enough to meet."""
    return hive.load("duel", units=20, limit=400)


@pytest.fixture(scope="session")
def fixture(small: Battle) -> Fixture:
    """The games of `MEETINGS`, among them those of plans against themselves."""
    return Fixture(small, [plan_of(name) for name in PLANS], SEEDS, only=MEETINGS)


@pytest.fixture(scope="session")
def games(fixture: Fixture) -> list[LeagueGame]:
    """All its games."""
    assert len(fixture.batches) == 1
    return fixture.play(0)


@pytest.fixture(scope="session")
def meetings(games: list[LeagueGame]) -> dict[tuple[str, str], list[LeagueGame]]:
    """The games of each pair of plans by name, the player's seat first."""
    found: dict[tuple[str, str], list[LeagueGame]] = {}
    for game in games:
        found.setdefault((PLANS[game.player], PLANS[game.enemy]), []).append(game)
    return found
