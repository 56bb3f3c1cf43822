"""A game that is not won says why it ended and what to try, wherever its result is shown."""

from __future__ import annotations

from pathlib import Path

import hive
from hive.engine.live import LiveGame
from hive.kit.plan_text import PlanText
from tests.hive.skirmish import SMALL_PLAN, skirmish


def test_results_say_why_games_ended_and_what_to_try(tmp_path: Path) -> None:
    """The rule: one line for each outcome but a win, in tables; why and advice of every game in plain values."""
    world = skirmish(tmp_path, limit=5)
    plan = hive.read_plan(SMALL_PLAN, world)
    result = hive.play(world, plan, [4, 5], name="off")
    lost = [game for game in result.json()["results"] if game["outcome"] != "win"]
    assert lost and all(game["why"] and game["advice"] for game in lost)
    hints = result.table().splitlines()[4:]
    assert len(hints) == len({game["outcome"] for game in lost})
    first = lost[0]
    more = sum(game["outcome"] == first["outcome"] for game in lost) - 1
    who = f"seed {first['seed']}" + (f" (and {more} other game)" if more else "")
    assert hints[0] == f"{who}: {first['outcome'].replace('_', ' ')}: {first['why']}; {first['advice']}"


def test_a_live_game_says_the_same_at_its_end(tmp_path: Path) -> None:
    """The rule: `LiveGame.ending` and the result of the same game agree."""
    world = skirmish(tmp_path)
    text = SMALL_PLAN.replace("elimination all", "position").replace("(20, 20)", "(8, 20)")
    game = LiveGame(world, PlanText.read(text, world.context()), 4)
    assert game.ending is None
    game.play(world.limit)
    result = hive.play(world, hive.read_plan(text, world), [4])
    assert game.ending == result.endings[0]
