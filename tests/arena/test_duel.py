"""Two commanders against each other: both seats, silence, budgets, ratings, and games that can be repeated."""

from __future__ import annotations

from dataclasses import replace

import chex
import numpy as np
import pytest

import dsl
from hive.cli.learning.arena_files import prepare, request_of
from hive.engine.instant import state_at_start
from hive.engine.types import ENEMY, PLAYER
from hive.experiments.arena.games import ArenaStandings, pairings
from hive.experiments.commanders.known import Fixed, Model, Staying, Words
from hive.experiments.commanders.moments import Moment
from hive.experiments.commanders.playing import Account, CommandedGame, Terms, play_commanded
from hive.kit.facts import Running
from hive.kit.planned_world import Request
from hive.kit.reporting import Unwatched
from hive.players.llm.client import ModelError
from hive.players.llm.scripted import Script
from hive.worlds.battle.briefing import Wording, describe
from hive.worlds.battle.host import Battles
from hive.worlds.battle.seat import Seat
from hive.worlds.battle.world import load
from tests.arena.test_events import EVENTS

WORLD = load("battle/rivers/17", limit=90)
TERMS = Terms(every=30)
HOLD = Staying("hold")
GO = """\
BEGIN PLAN
Step 0:
prerequisites: []
objective: position
units: all
- target position: ({x}, {y})
- behavior: follow_map any
END PLAN
"""


@pytest.mark.slow
def test_a_silent_model_is_counted_and_the_game_goes_on_with_its_last_plan() -> None:
    """An error, no plan, and a plan with errors are silence; with no plan at all the units hold."""
    replies = [ModelError("no answer"), GO.format(x=30, y=30), "I do not know."]
    model = Model(Script(replies), repairs=0)
    duel = play_commanded(WORLD, model, HOLD, 0, TERMS)
    mine = [said.outcome for said in duel.chat if said.side == PLAYER]
    assert mine == ["silent", "plan", "silent"]
    assert [tick for tick, _ in duel.plans] == [0, 30]
    assert duel.accounts[PLAYER].silent == 2 and duel.accounts[PLAYER].plans == 1
    assert "no answer" in duel.chat[0].order.problem
    assert duel.accounts[ENEMY].silent == 0 and duel.ticks == 90


@pytest.mark.slow
def test_a_model_that_has_spent_its_budget_is_asked_no_more() -> None:
    model = Model(Script([GO.format(x=20, y=20)]), repairs=0)
    duel = play_commanded(WORLD, HOLD, model, 0, Terms(every=30, calls=1))
    assert [said.outcome for said in duel.chat if said.side == ENEMY] == ["plan", "spent", "spent"]
    found = duel.accounts[ENEMY]
    assert (found.moments, found.plans, found.silent, found.spent, found.cost.calls) == (1, 1, 0, 2, 1)


@pytest.mark.parametrize("side", [PLAYER, ENEMY])
def test_a_model_reads_its_battle_in_the_words_that_are_chosen(side: int) -> None:
    """In either seat, at the start and later: those of the second prompt, which knows plans in words."""
    seat, script = Seat(WORLD, side), Script([GO.format(x=30, y=30)] * 2)
    start = state_at_start(WORLD, 0)
    seat.look(start)
    model = Model(script, repairs=0, wording=Wording(prompt=2))
    running = Running(dsl.parse_plan(GO.format(x=20, y=20), "go", seat.own.context()))
    assert all(model.order(each).plan for each in (Moment(seat), Moment(seat, running=running)))
    texts = [asked[0].text for asked in script.asked]
    assert texts == [describe(seat.own.scenario, seat.own.params, start, Wording(prompt=2)).short_system] * 2
    assert "behind spearmen by 8" in texts[0]


@pytest.mark.slow
def test_in_a_running_game_the_third_prompt_tells_the_tick_what_changed_and_the_plan_in_its_own_words() -> None:
    """Steps that the language adds for `via` are not told, and are no events; `KEEP PLAN` goes on, and is an answer."""
    way = (
        GO.format(x=30, y=30)
        .replace("(30, 30)", "(30, 30) via (20, 20)")
        .replace("objective: position", "objective: time 40")
    )
    script = Script([way, "It goes well.\n\nKEEP PLAN", "KEEP PLAN"])
    game = play_commanded(WORLD, Model(script, repairs=0, wording=Wording(prompt=3)), HOLD, 0, Terms(30, ("step",)))
    assert [said.tick for said in game.chat if said.side == PLAYER] == [0, 30, 40, 60]
    first, later, ended = (asked[-1].text for asked in script.asked)
    assert "The game begins. You are asked again every 30 ticks or when a step of your plan is achieved. Reply" in first
    assert "KEEP PLAN" not in first and "It is tick 30 of 90. 30 ticks were played. You are asked again" in later
    assert "achieved.\nSince tick 0 you lost nothing" in later
    assert "achieved: none. Steps that are active: 0 (for 30 ticks)." in later and "(30, 30) via (20, 20)" in later
    assert "Step 0 of your plan is achieved now. All steps" not in ended and "Step 0 of your plan is achieved" in ended
    assert "Since tick 30 you lost" in ended and "achieved: 0 (at tick 40). Steps that are active: none." in ended
    mine = game.accounts[PLAYER]
    assert (mine.plans, mine.silent) == (1, 1), "the script is over at the fourth moment, which is silence"


def test_every_pair_plays_both_seats_of_every_battle() -> None:
    rows = pairings(3, ["a", "b"], range(2))
    assert len(rows) == 2 * 2 * 3 * 2
    assert {(row.player, row.enemy) for row in rows} == {(a, b) for a in range(3) for b in range(3) if a != b}


def test_a_win_is_a_point_and_time_that_runs_out_is_half_of_one() -> None:
    """The ratings are those of the league, of these points."""
    none = (Account(), Account(silent=2, moments=3))
    ended = {("win", 0): (0, 1), ("lose", 1): (1, 0), ("timeout", 2): (0, 1)}
    games = []
    for (outcome, seed), (player, enemy) in ended.items():
        duel = CommandedGame(outcome, 10, ((1, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0)), [], [], [], none)
        row = next(each for each in pairings(2, ["a"], range(3)) if (each.player, each.seed) == (player, seed))
        assert row.enemy == enemy
        games.append(row.result(duel))
    found = ArenaStandings(["one", "two"], ["a"], games)
    assert found.rated.points.tolist() == [[0.0, 2.5], [0.5, 0.0]]
    assert [each.silent for each in found.costs()] == [2, 4]
    assert found.json()["ratings"][0]["commander"] == "one"
    assert "95% interval" in found.table() and "silent" in found.table()


def test_a_plan_that_was_written_before_is_mirrored_where_the_seats_are_mirror_images() -> None:
    world = load("duel", units=20)
    found = []
    for side in (PLAYER, ENEMY):
        seat = Seat(world, side)
        seat.look(state_at_start(world, 0))
        found.append(Fixed(GO.format(x=30, y=20), None, "go").order(Moment(seat)).plan or "")
    assert "(30, 20)" in found[0] and "(30, 129)" in found[1]
    assert Words("attack").name == "words"


def test_battles_of_a_side_are_played_in_arrays_of_the_same_shapes() -> None:
    """So other armies, missions and grounds need no program of their own, as the long tests show in games."""
    worlds = [WORLD, load("battle/open/3"), load("battle/passes/7")]
    assert len({world.sizes for world in worlds}) == 3, "the armies are equal, so the test shows nothing"
    one, *others = (world.padded.replace(enemy=None) for world in worlds)  # plans have the room of commanded games
    for other in others:
        chex.assert_trees_all_equal_shapes_and_dtypes(one, other)


@pytest.mark.long
def test_games_of_another_battle_compile_nothing(programs: list[str]) -> None:
    """Armies, missions and the battles' own plans differ; two commanders or one, with events and new orders."""
    terms = Terms(every=30, events=EVENTS)
    worlds = [WORLD, load("battle/open/3", limit=240)]
    assert worlds[0].sizes != worlds[1].sizes and worlds[0].scenario.map.size == worlds[1].scenario.map.size
    for world in worlds:
        programs.clear()
        for enemy in (HOLD, None):
            assert play_commanded(world, Words(), enemy, 0, terms).accounts[PLAYER].plans > 1
    assert not programs


@pytest.mark.long
def test_recordings_of_another_battle_compile_nothing_and_stay_the_same(programs: list[str]) -> None:
    """They are those of the battle in its own shapes. Both games are over after less than 100 ticks."""
    for name in ("battle/passes/7", "battle/islands/5"):
        programs.clear()
        request = Request(scenario=name)
        world, _ = Battles().load(request)
        game = play_commanded(world, Words(), Fixed(None, None, "default"), 0, Terms(every=20))
        played = prepare(request_of(request, world, 0, game))
        (result,) = played.play(Unwatched())
    assert not programs
    alone = replace(played, room=None)
    (other,) = alone.play(Unwatched())
    assert (result.outcome, result.ticks.tolist(), result.score.tolist()) == (
        other.outcome, other.ticks.tolist(), other.score.tolist()
    )  # fmt: skip
    assert repr(result.metrics) == repr(other.metrics)
    one, two = (vars(run.recordings(Unwatched())[""]) for run in (played, alone))
    courses = [vars(each.pop("course")) for each in (one, two)]
    for own, others in ((one, two), courses):
        for field, value in own.items():
            np.testing.assert_array_equal(value, others[field], strict=isinstance(value, np.ndarray), err_msg=field)
