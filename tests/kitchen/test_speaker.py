"""The scripted pair delivers every task in time, and only messages tell the second cook what to do."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hive.kitchen.agents.speaker import answer, with_waits
from hive.kitchen.agents.troupe import KitchenTroupe
from hive.kitchen.setting import load_setting
from hive.kitchen.tasks import find_task, tasks
from hive.teams.episode import Episode
from hive.teams.frameworks.cook import FRAMEWORK
from hive.teams.playing import play
from hive.teams.rules import Rules
from hive.teams.speaking import ScriptedSpeaker
from hive.teams.team import Ask

LEVELS = list({task.level: task for task in tasks().values()}.values())  # one task of each level


@pytest.fixture(scope="module")
def played() -> tuple[KitchenTroupe, list[Episode], list[tuple[str, Ask]]]:
    asks: list[tuple[str, Ask]] = []
    troupe = KitchenTroupe(load_setting(), LEVELS)
    episodes = play(
        troupe,
        FRAMEWORK,
        ScriptedSpeaker(answer),
        answered=lambda episode, ask, _: asks.append((episode.stage.name, ask)),
    )
    return troupe, episodes, asks


def late(troupe: KitchenTroupe) -> list[str]:
    results = [troupe.results(number) for number in range(len(troupe.stages))]
    return [each["task"] for each in results if each["outcome"] != "delivered" or each["delivery"] > each["limit"]]


def test_a_task_of_each_level_is_delivered_within_its_limit(played: tuple[KitchenTroupe, object, object]) -> None:
    """docs/rules/kitchen.md 6.2, 10.6."""
    assert len(played[0].stages) == 6 and not late(played[0])


@pytest.mark.slow
def test_every_task_is_delivered_within_its_limit() -> None:
    """docs/rules/kitchen.md 6.2, 10.6."""
    troupe = KitchenTroupe(load_setting(), list(tasks().values()))
    play(troupe, FRAMEWORK, ScriptedSpeaker(answer))
    assert len(troupe.stages) == 30 and not late(troupe)


def test_no_action_of_the_pair_is_refused(played: tuple[KitchenTroupe, list[Episode], object]) -> None:
    _, episodes, _ = played
    assert not [line for episode in episodes for row in episode.journal.rows[:-1] for line in row["log"]]


def test_the_second_cook_never_reads_the_recipe(played: tuple[object, object, list[tuple[str, Ask]]]) -> None:
    """docs/rules/kitchen.md 10.1: the recipe stands in the prompts of one cook alone."""
    _, _, asks = played
    recipe = "In the names of this kitchen"
    assert {ask.agent for _, ask in asks if recipe in ask.messages[1].text} == {0}
    assert {ask.agent for _, ask in asks if recipe not in ask.messages[1].text} == {1}


def test_all_that_the_second_cook_does_was_asked_for(played: tuple[KitchenTroupe, list[Episode], object]) -> None:
    """docs/rules/kitchen.md 10.4: a request reaches the other cook in the message that comes with it."""
    _, episodes, _ = played
    for episode in episodes:
        stage = episode.stage
        assert isinstance(stage, type(played[0].stages[0]))
        asked = [
            piece.words
            for said in episode.team.said
            if said.speaker == 0
            for piece in stage.read(0, said.plan)
            if piece.request
        ]
        done = [words for _, words in stage.done(1)]
        assert done == asked[: len(done)] and done


def test_without_messages_the_second_cook_does_nothing() -> None:
    """Were the message lost, it would stand: nothing else tells it what to do."""

    def deaf(system: str, texts: Sequence[str]) -> str:
        return answer(system, [texts[0].split("# Conversation")[0] + "# Answer" + texts[0].split("# Answer")[1]])

    troupe = KitchenTroupe(load_setting(), [find_task("boiled_egg")] * len(LEVELS))  # as many: no other program
    episode, *_ = play(troupe, FRAMEWORK, ScriptedSpeaker(deaf), Rules(steps=12))
    assert troupe.stages[0].done(1) == () and episode.team.said


@pytest.mark.parametrize(
    ("asked", "plan"),
    [
        (["cut(b)", "pickup(x, b)"], ["cut(b)", "wait(2)", "pickup(x, b)"]),
        (["cut(b)", "place()", "pickup(x, b)"], ["cut(b)", "place()", "wait(1)", "pickup(x, b)"]),
        (["put_obj_in_utensil(b)", "pickup(x, b)"], ["put_obj_in_utensil(b)", "pickup(x, b)"]),
    ],
)
def test_a_cook_waits_until_its_utensil_is_ready(asked: list[str], plan: list[str]) -> None:
    """docs/rules/kitchen.md 2.4: started in timestep t, taken in t + 3 or later."""
    assert with_waits(asked, {"b": 3}) == plan
