"""A person takes a seat in any world with agents: the prompts are those of a model, and forms stand for its answers."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

import hive
from dsl import UserError
from hive.kit.reporting import Unwatched
from hive.kit.team_world import TeamRequest
from hive.players.choosing import Terms, team_players
from hive.players.live import LiveTeam
from hive.players.llm.forms import Field, Offer, any_answer, reply_of
from hive.players.seats import Desk, Question, seated
from hive.players.teams.frameworks import FAMILIES
from hive.players.teams.prompting import Prompts
from hive.worlds import kind_of
from tests.tiers import tiers

SEATS = {
    "kitchen/boiled_egg": ("Alice", "speaker"),
    "rescue/map_1/agents-1": ("Bravo", "speaker"),
    "household/cwah_0": ("Bob", "team:coela"),
    "wildfire/cut_trees_sparse_small": ("AGENT_2", "speaker"),
}
RESCUE = "rescue/map_1/agents-1"


def first_offers(question: Question) -> Mapping[str, str]:
    """The fields that must be filled in, with their first offer."""
    return {field.name: field.offers[0].text for field in question.form if field.empty is None}


def begin(name: str, folder: Path, seat: str = "", others: str = "") -> tuple[LiveTeam, Desk]:
    seat, others = seat or SEATS[name][0], others or SEATS[name][1]
    world, desk = kind_of(name).team_world(TeamRequest(worlds=[name])), Desk()
    terms = Terms(rules=FAMILIES[world.acting].rules(), prompts=Prompts(), seat=seat)
    (player,) = team_players(world, [others], terms, Unwatched())
    game = LiveTeam(world, seated(player, seat, desk), world.seeds[0], folder, desk=desk, seat=seat)
    game.start()
    return game, desk


def wait(game: LiveTeam, desk: Desk) -> Question | None:
    """The next question, or None when the game is over."""
    end = time.monotonic() + 120
    while not game.finished and desk.question is None:
        assert time.monotonic() < end
        time.sleep(0.002)
    return desk.question


def play(game: LiveTeam, desk: Desk, most: int = 10_000) -> list[Question]:
    game.go()
    asked = []
    while len(asked) < most and (question := wait(game, desk)) is not None:
        asked.append(question)
        desk.give(question.number, first_offers(question))
    return asked


@pytest.mark.parametrize("name", tiers(SEATS, quick=[RESCUE]))
def test_a_person_plays_a_seat_of_every_kind_of_world(name: str, tmp_path: Path) -> None:
    game, desk = begin(name, tmp_path)
    asked = play(game, desk)
    assert game.failure is None and game.run is not None
    assert {question.agent for question in asked} == {SEATS[name][0]}
    assert all(question.messages and question.form for question in asked)
    (kept,) = game.run.games
    assert kept.method.startswith(f"human as {SEATS[name][0]}"), "tables of results say that a person played"
    rows = [json.loads(line) for line in kept.journal.splitlines()]
    calls = [call for row in rows for call in row.get("asked", ())]
    mine = [call for call in calls if call["model"] == "human"]
    assert len(mine) == len(asked) and len(calls) > len(mine)
    assert game.moment.over and len(game.moment.recording.tick) == game.moment.env.tick + 1
    assert {"result.json", "games.csv", "exchanges.jsonl"} <= game.run.files().keys()


def test_a_closed_game_resumes_at_the_question_that_was_open(tmp_path: Path) -> None:
    game, desk = begin(RESCUE, tmp_path)
    asked = play(game, desk, most=5)
    wait(game, desk)
    step = game.moment.env.tick
    game.close()
    assert "closed" in str(game.failure)
    again, desk = begin(RESCUE, tmp_path)
    assert again.moment.env.tick == 0
    again.go()
    question = wait(again, desk)
    assert question is not None and question.number == 1 and step > 0
    assert again.moment.env.tick == step
    assert len(play(again, desk)) < len(asked) + 100 and again.run is not None


def test_players_that_ask_nobody_leave_the_seat_to_the_person(tmp_path: Path) -> None:
    game, desk = begin(RESCUE, tmp_path, others="heuristic")
    asked = play(game, desk)
    assert asked and {question.purpose for question in asked} == {"act"} and game.run is not None


def test_a_game_waits_for_its_pause_and_plays_single_steps(tmp_path: Path) -> None:
    game, desk = begin(RESCUE, tmp_path)
    assert wait_is_quiet(desk)
    game.go(steps=1)
    asked = []
    while game.moment.env.tick < 1:
        question = wait(game, desk)
        assert question is not None
        asked.append(question)
        desk.give(question.number, first_offers(question))
        time.sleep(0.05)
    while game.running:
        time.sleep(0.01)
    assert asked and wait_is_quiet(desk) and game.moment.env.tick == 1
    game.close()


def wait_is_quiet(desk: Desk) -> bool:
    time.sleep(0.1)
    return desk.question is None


def test_a_seat_beside_players_that_ask_nobody_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="`team:nothing` asks nobody"):
        begin("wildfire/cut_trees_sparse_small", tmp_path, others="team:nothing")


def test_a_wrong_seat_is_refused_with_the_seats_there_are(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="its seats are `Alpha` and `Bravo`"):
        begin(RESCUE, tmp_path, seat="Alice")


def test_python_gives_a_seat_to_a_function(tmp_path: Path) -> None:
    class Idle:
        def answer(self, agent: str, purpose: str, messages: object, form: object) -> str:
            return "<call>wait()</call>" if purpose != "message" else "communicate: nothing"

    run = hive.play(RESCUE, hive.player("human", seat="Alpha", person=Idle()), seeds=[0])
    assert [player.name for player in run.players] == ["human as Alpha"]
    with pytest.raises(UserError, match="has no seat `Zulu`"):
        hive.play(RESCUE, hive.player("human", seat="Zulu", person=Idle()), seeds=[0])
    with pytest.raises(TypeError, match="seat=NAME"):
        hive.player("human")


FORM = (
    Field(name="action", words="Your action", offers=[Offer("A", "go")], empty=None, written=False),
    Field(name="say", words="Your message", empty="[NOTHING]"),
)


def test_a_filled_form_is_the_answer_that_a_model_would_write() -> None:
    assert reply_of(FORM, {"action": "A"}) == "<action>A</action>\n<say>[NOTHING]</say>"
    assert reply_of(any_answer(), {"answer": "communicate: hello"}) == "communicate: hello"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "`action` is empty"),
        ({"action": "B"}, "it is one of `go`"),
        ({"action": "A", "saw": ""}, "the answer has no field `saw`"),
        ({"action": "A", "say": "x" * 5000}, "at most 4,000"),
    ],
)
def test_a_form_that_is_not_filled_in_is_refused_with_a_reason(given: dict[str, str], why: str) -> None:
    with pytest.raises(UserError) as refused:
        reply_of(FORM, given)
    assert why in str(refused.value)


def test_an_answer_to_another_question_is_refused() -> None:
    with pytest.raises(UserError, match="nothing is asked now"):
        Desk().give(1, {})
