"""A game that is not won says why it ended and what to try, wherever its result is shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

import hive
import scenarios
from hive.engine.batch.playing import _endings
from hive.engine.batch.result import Result
from hive.engine.live import LiveGame
from hive.kit.plan_text import PlanText
from hive.worlds.battle.world import Battle


@pytest.fixture(scope="module")
def world() -> Battle:
    """It ends before anybody has won; other tests play it, too."""
    return hive.load("coordinate", units=20, limit=60)


@pytest.fixture(scope="module")
def result(world: Battle) -> Result:
    return hive.play(world, hive.read_plan("coordinate", world), [0, 1], name="off")


@pytest.mark.slow
def test_results_say_why_games_ended_and_what_to_try(result: Result) -> None:
    """The rule: one line for each outcome but a win, in tables; why and advice of every game in plain values."""
    lost = [game for game in result.json()["results"] if game["outcome"] != "win"]
    assert lost and all(game["why"] and game["advice"] for game in lost)
    hints = result.table().splitlines()[4:]
    assert len(hints) == len({game["outcome"] for game in lost})
    first = lost[0]
    more = sum(game["outcome"] == first["outcome"] for game in lost) - 1
    who = f"seed {first['seed']}" + (f" (and {more} other game)" if more else "")
    assert hints[0] == f"{who}: {first['outcome'].replace('_', ' ')}: {first['why']}; {first['advice']}"


@pytest.mark.slow
def test_who_won_is_told_to_play_other_seeds_only_where_one_was_played(world: Battle, result: Result) -> None:
    plan = hive.read_plan("coordinate", world)
    rows = {name: getattr(result, name)[:1] for name in ("seed", "ticks", "survivors", "achieved")}
    one = _endings(world, plan, replace(result, **rows, outcome=("win",)))
    several = _endings(world, plan, replace(result, outcome=("win", "timeout")))
    assert one[0].advice == "play other seeds to see whether the plan wins again"
    assert (several[0].why, several[0].advice, str(several[0])) == (one[0].why, "", f"win: {one[0].why}")
    assert several[1].advice


@pytest.mark.long
def test_a_live_game_says_the_same_at_its_end(world: Battle, result: Result) -> None:
    """The rule: `LiveGame.ending` and the result of the same game agree."""
    game = LiveGame(world, PlanText.read(scenarios.plan("coordinate"), world.context()), 0)
    assert game.ending is None
    game.play(world.limit)
    assert game.ending is not None and game.ending == result.endings[0]
