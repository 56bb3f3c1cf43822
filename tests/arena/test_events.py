"""Moments at events: the first tick at which an objective of the plan language is met, or a step is achieved."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from dsl import UserError
from hive.engine.instant import state_at_start
from hive.engine.live import LiveGame
from hive.engine.types import ENEMY, PLAYER
from hive.experiments.commanders import playing
from hive.experiments.commanders.events import read_event
from hive.experiments.commanders.known import Staying, staying
from hive.experiments.commanders.moments import Moment, Order
from hive.experiments.commanders.playing import ROOM, Terms, play_commanded, replay_commanded
from hive.kit.plan_text import PlanText
from hive.worlds.battle.seat import Seat
from hive.worlds.battle.world import Battle, load

WORLD = load("battle/open/3", limit=240)
EVENTS = ("sighted", "losses 10%", "enemy losses 10%", "step")  # all that tests hear: each tuple is a program
TWO = """\
BEGIN PLAN
Step 0:
prerequisites: []
objective: time 25
units: all
- target position: (24, 47)
- behavior: attack_in_close_range any

Step 1:
prerequisites: [0]
objective: sighted
units: all
- target position: (24, 47)
- behavior: attack_in_close_range any
END PLAN
"""


@dataclass
class Listens:
    """Gives one plan and keeps why it was asked."""

    name: str = "listens"
    plan: str = TWO
    heard: list[tuple[int, str]] = field(default_factory=list)

    def check(self, seat: Seat) -> None:
        """It commands any side."""

    def order(self, moment: Moment) -> Order:
        self.heard.append((moment.tick, moment.reason))
        return Order(self.plan if moment.running is None else None)


def first_ticks(objectives: tuple[str, ...]) -> list[int]:
    """The ticks at which steps with these objectives are achieved, in the game of the plan `TWO`, by the engine."""
    steps = "\n".join(
        f"Step {number}:\nprerequisites: []\nobjective: {each}\nunits: all\n- target position: (24, 47)\n"
        "- behavior: attack_in_close_range any\n"
        for number, each in enumerate((*objectives, "time 999"))
    )
    seat = Seat(WORLD, ENEMY)
    seat.look(state_at_start(WORLD, 0))
    plans = (
        PlanText.read(text, WORLD.context(side, WORLD.sizes), written_for=WORLD.sizes)
        for side, text in enumerate((f"BEGIN PLAN\n{steps}END PLAN\n", staying(seat, "hold")))
    )
    mine, theirs = plans
    live = LiveGame(WORLD, mine, 0, ROOM, theirs, both=True, params=WORLD.padded)
    live.play(120)
    return np.asarray(live._now.game.progress.achieved)[: len(objectives)].tolist()


@pytest.mark.slow
def test_events_are_the_first_ticks_at_which_objectives_are_met_and_steps_are_achieved() -> None:
    """Each once, for the side that it happens to alone; what the engine achieves in steps is what is heard."""
    mine = Listens()
    game = play_commanded(WORLD, mine, Staying("hold"), 0, Terms(0, EVENTS))
    found = first_ticks(EVENTS[:3])
    assert min(found[:2]) > 0, "nothing happened, so the test shows nothing"
    for tick, words in zip(found, ("see an enemy", "of your units", "of the enemy"), strict=True):
        assert [each for each, reason in mine.heard if words in reason] == ([tick] if tick > 0 else [])
    assert [tick for tick, reason in mine.heard if "Step 0 of your plan is achieved now." in reason] == [25]
    assert next(tick for tick, reason in mine.heard if "All steps" in reason) == found[0], "step 1 is `sighted`"
    assert game.accounts[PLAYER].moments == len(mine.heard)
    assert game.accounts[ENEMY].moments != game.accounts[PLAYER].moments, "an event is a moment of one side"


@pytest.mark.slow
def test_a_game_against_the_battles_own_enemy_is_the_game_of_its_plans() -> None:
    """So is one whose commander gives a plan with errors, which is silence: its units hold their place."""
    wrong = play_commanded(WORLD, Listens(plan=TWO.replace("(24, 47)", "(24, 470)")), None, 1, Terms(60))
    assert {said.outcome for said in wrong.chat} == {"silent"} and wrong.accounts[PLAYER].silent == 1
    assert "hold" in wrong.plans[0][1] and replay_commanded(WORLD, wrong.plans, 1) == (wrong.outcome, wrong.ticks)
    game = play_commanded(WORLD, Listens(), None, 1, Terms(30))
    assert not game.enemy_plans and game.accounts[ENEMY].moments == 0
    assert replay_commanded(WORLD, game.plans, 1) == (game.outcome, game.ticks)


@pytest.mark.long
def test_a_game_in_padded_shapes_is_the_game_in_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outcome, plans, moments, events and losses of a commanded game are those without rows and cells for padding."""

    def alone(world: Battle, plan: PlanText, seed: int, enemy: PlanText | None = None) -> LiveGame:
        return LiveGame(world, plan, seed, ROOM, enemy, both=True)

    assert WORLD.padded.count > WORLD.params.count, "nothing is padded, so the test shows nothing"
    games = []
    for begun in (playing._begun, alone):
        monkeypatch.setattr(playing, "_begun", begun)
        mine, theirs = Listens(), Listens("rival", TWO.replace("(24, 47)", "(24, 5)"))
        game = play_commanded(WORLD, mine, theirs, 0, Terms(40, EVENTS))
        games.append((game.outcome, game.ticks, game.alive, game.plans, game.enemy_plans, mine.heard, theirs.heard))
    assert games[0] == games[1]
    assert any("of your units" in reason for _, reason in [*games[0][5], *games[0][6]]), "the armies never fought"


def test_events_are_those_of_the_plan_language_and_no_others() -> None:
    assert [read_event(each) for each in ("sighted", " losses  30% ", "enemy losses 5%", "step")] == [
        "sighted", "losses 30%", "enemy losses 5%", "step",
    ]  # fmt: skip
    for wrong in ("", "dawn", "losses", "losses 0%", "losses 200%", "time 3", "arrival 50%", "sighted\nunits: all"):
        with pytest.raises(UserError, match="is no event"):
            read_event(wrong)
