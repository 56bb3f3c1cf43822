"""One commander with plans: when it is asked, what it reads, and what becomes of a plan that cannot be used."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hive.engine.instant import state_at_start
from hive.engine.types import State
from hive.kit.planned_world import Request
from hive.players.llm.campaign import Campaign
from hive.players.llm.client import Message, ModelError
from hive.players.llm.scripted import Script
from hive.players.llm.session import DialogueConfig, Session
from hive.worlds import kind_of
from hive.worlds.wildfire.events import CrewEvents
from hive.worlds.wildfire.games import ROOM
from hive.worlds.wildfire.recording import watch

LEVEL = "wildfire/cut_trees_sparse_small"
SMALL = Request(scenario=LEVEL, seed=375, numbers=(("limit", 8),))
STAND = """\
BEGIN PLAN
Step 1:
prerequisites: []
objective: contain (0, 0) 0
units: all
- target position: (0, 0)
- behavior: stand
END PLAN
"""
HERE = STAND.replace("units: all", "units: [0]").replace(
    "END PLAN",
    """
Step 2:
prerequisites: []
objective: position
units: [1, 2]
- target position: ({}, {})
- behavior: go_to
END PLAN""",
)
BROKEN = STAND.replace("stand", "fly")


def campaign(replies: Sequence[str | ModelError], **when: object) -> tuple[Campaign, Script]:
    script = Script(replies)
    session = Session(SMALL, kind_of(LEVEL), script, DialogueConfig(grammar=False))
    session.room = ROOM  # as the player `plans` plays it
    return Campaign(session, STAND, **when), script  # type: ignore[arg-type]


def play(game: Campaign) -> list[tuple[int, str]]:
    """Play to the end; return the tick and the reason of each request."""
    asked = []
    while not game.over:
        if (reason := game.reason()) is not None:
            asked.append((game.session.tick, reason))
            game.ask(reason)
        game.play(watch)
    return asked


def users(messages: Sequence[Message]) -> list[str]:
    return [message.text for message in messages if message.role == "user"]


@pytest.mark.slow
def test_a_period_asks_at_the_start_and_after_so_many_ticks() -> None:
    """docs/rules/teams.md 10.1: each request has the plan and the state, and nothing that was said before."""
    game, script = campaign([STAND] * 3, every=3)
    asked = play(game)
    assert [tick for tick, _ in asked] == [0, 3, 6] and game.session.tick == 8
    assert asked[0][1] == "The game begins." and asked[1][1] == "3 ticks were played since your last plan."
    assert [[message.role for message in each] for each in script.asked] == [["system", "user"]] * 3
    first, second, _ = (users(each)[0] for each in script.asked)
    assert "After 0 ticks" in first and "Your present plan" not in first and "all 3 units" in first
    assert "After 3 ticks" in second and "- behavior: stand" in second and "achieved: none." in second
    assert len(game.session.plans) == 1, "a plan that is written again just goes on"


@pytest.mark.slow
def test_an_achieved_step_is_an_event_and_a_period_is_none() -> None:
    """docs/rules/teams.md 10.2; without events and without a period the first plan holds."""
    x, y = (int(part) for part in np.asarray(start().position[0]))
    here = HERE.format(x - 6 if x > 11 else x + 6, y)
    game, script = campaign([here, STAND], events=CrewEvents(np.zeros(3, int)))
    asked = play(game)
    assert len(asked) == 2 and asked[1][1] == "Newly achieved steps of the plan: 2."
    assert "achieved: 2." in users(script.asked[1])[0]
    assert [tick for tick, _ in game.session.plans] == [0, asked[1][0]]
    silent, _ = campaign([here])
    assert [tick for tick, _ in play(silent)] == [0]


@pytest.mark.slow
def test_a_plan_with_errors_is_sent_back_and_then_changes_nothing() -> None:
    """docs/rules/teams.md 10.1: the crew goes on with its plan; before the first plan it stands."""
    game, script = campaign([BROKEN, BROKEN, BROKEN, "I do not know.", STAND], every=3)
    play(game)
    assert [order.kind for order in game.orders] == ["invalid_plan", "no_plan", "plan"]
    assert [len(order.replies) for order in game.orders] == [3, 1, 1]
    assert "error[" in users(script.asked[1])[-1] and len(users(script.asked[3])) == 1
    assert [order.remark for order in game.orders] == [
        "the plan of the reply has errors, so the present plan is followed further",
        "the reply holds no plan, so the present plan is followed further",
        "",
    ]


@pytest.mark.slow
def test_a_failing_model_leaves_the_game_as_it_is() -> None:
    game, _ = campaign([STAND, ModelError("the server is gone"), *[STAND] * 3], every=2)
    with pytest.raises(ModelError, match="gone"):
        play(game)
    assert game.session.tick == 2 and len(game.orders) == 1
    game.ask("Once more.")
    play(game)
    assert game.session.tick == 8


def start() -> State:
    world, seed = kind_of(LEVEL).load(SMALL)
    return state_at_start(world, seed)  # type: ignore[arg-type]
