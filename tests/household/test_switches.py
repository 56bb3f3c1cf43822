"""Containers that are closed again, and agents that see only what they face (docs/rules/household.md 4.4)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hive.rl as rl
from dsl import UserError
from hive.worlds.household import options
from hive.worlds.household.codes import OptionStatus
from hive.worlds.household.environment import HouseholdEnv, make_household_env
from hive.worlds.household.episode import episode, switched
from hive.worlds.household.options import ExtraKind, OptionKind
from hive.worlds.household.recording import HouseRecording, gather
from hive.worlds.household.texts import Texts, proposals
from tests.household.homes import CABINET, KITCHEN, LIVING, TABLE, Game, line

CHECK, CLOSE = options.index(OptionKind.CHECK, CABINET), options.index(ExtraKind.CLOSE, CABINET)
GRAB = options.index(OptionKind.GRAB, 1)
THINGS = {"plate_1": TABLE, "plate_2": CABINET}
BOTH = {"closing": 1, "turning": 1}


def test_without_switches_nothing_is_added() -> None:
    """Arrays have the sizes that they had before there were switches."""
    game = Game(line(THINGS))
    assert game.state.facing is None and game.params.switches is None
    assert game.legal.shape == game.cost.shape == (4, options.COUNT)
    assert switched(episode("cwah_0"), {"closing": 0, "turning": False, "team": 3}) == episode("cwah_0")


def test_what_lies_in_a_container_that_is_closed_again_has_to_be_checked_again() -> None:
    """Closing takes the walk and a tick, needs a free hand, and ends what another agent does there."""
    game = Game(replace(line(THINGS, (4.0, 9.0)), closing=True))
    assert game.legal.shape == (4, options.FULL)
    game.finish(0, CHECK)
    assert game.legal[0, CLOSE] and game.legal[0, GRAB] and not game.legal[0, options.TURN_LEFT]
    assert game.cost[1, CLOSE] == 3 + 1  # 4 m less 1.25 m of reach
    game.tick(CLOSE, GRAB)
    assert game.state.result[:2].tolist() == [OptionStatus.DONE, OptionStatus.ABANDONED]
    assert not game.state.open[CABINET] and not game.state.beliefs.checked[:2, CABINET].any()
    assert game.state.beliefs.place[0, 1] == CABINET  # it is remembered, but cannot be taken
    assert game.legal[0, CHECK] and not game.legal[0, GRAB] and not game.legal[0, CLOSE]
    game.finish(0, CHECK)
    assert game.finish(0, GRAB) == 1


def test_an_agent_that_turns_sees_what_it_faces() -> None:
    """30 degrees a tick, an eighth of a circle to either side; it faces what it walks to and what it uses."""
    game = Game(replace(line(THINGS, (3.0, 8.0)), turning=True))
    assert game.state.facing[:2].tolist() == [0, 6]  # both face the middle of the room
    assert game.state.beliefs.place[:2, 0].tolist() == [-1, TABLE]
    turns = [game.finish(0, options.TURN_LEFT) for _ in range(5)]
    assert turns == [1] * 5 and game.state.facing[0] == 5
    assert game.state.beliefs.place[0, 0] == TABLE
    game.finish(0, options.TURN_RIGHT)
    assert game.state.facing[0] == 4
    game.finish(0, options.index(OptionKind.GRAB, 0))
    assert game.state.facing[0] == 6


def test_a_room_is_explored_by_looking_round_in_its_middle() -> None:
    """The walk to within a metre of the middle, and twelve turns; then all of it is seen."""
    game = Game(replace(line(THINGS, (9.0, 9.0)), turning=True))
    explore = options.index(OptionKind.EXPLORE, KITCHEN)
    assert game.cost[0, explore] == 5 + 12
    assert game.finish(0, explore) == 17
    assert game.state.beliefs.visited[0, KITCHEN] and not game.state.beliefs.visited[0, LIVING]
    assert game.legal[0, options.index(OptionKind.EXPLORE, LIVING)]
    assert game.state.facing[0] == 0


def test_agents_read_what_switches_add() -> None:
    game = Game(replace(line(THINGS, (3.0, 8.0)), closing=True, turning=True))
    words = Texts(game.episode)
    assert "I see only what is in front of me: <cabinet> (12)." in words.briefing(game.state, 0)
    assert "The <livingroom> (1) is explored in part." in words.progress(game.state, 0)
    assert "Closed here: <cabinet> (12)." in words.observation(game.state, 0)
    game.finish(0, options.TURN_LEFT)
    game.finish(0, options.TURN_LEFT)
    assert "Closed here" not in words.observation(game.state, 0)
    game.finish(0, CHECK)
    offered = [words.option(option) for option in proposals(game.legal[0])]
    assert offered[-3:] == ["go close <cabinet> (12)", "turn left", "turn right"]


def test_a_recording_keeps_its_switches_and_others_are_as_before(tmp_path: Path) -> None:
    for given in ({}, BOTH):
        game = Game(switched(line(THINGS), given))
        gather(game.episode, ("Alice",), [game.state], []).save(tmp_path / "run.npz")
        assert HouseRecording.load(tmp_path / "run.npz").episode == game.episode
        assert (b"turning" in np.load(tmp_path / "run.npz")["words"].tobytes()) == bool(given)


@pytest.fixture(scope="module")
def env() -> HouseholdEnv:
    return rl.make("household/cwah_0", **BOTH)


def test_learners_have_the_actions_of_switches(env: HouseholdEnv) -> None:
    plain = make_household_env([episode("cwah_0")])
    assert (plain.num_actions, env.num_actions) == (options.COUNT, options.FULL)
    assert env.action_names[options.COUNT :][-2:] == ("turn left", "turn right")
    assert env.observation_size - plain.observation_size == 2 * (options.FULL - options.COUNT) + 3 + 12


@pytest.mark.long
def test_households_with_switches_keep_the_contract(env: HouseholdEnv) -> None:
    assert rl.check(env, games=2, steps=40) == []


def test_wrong_switches_are_refused() -> None:
    with pytest.raises(UserError, match="the switch `turning` is 0 or 1, not 2"):
        switched(episode("cwah_0"), {"turning": 2})
    with pytest.raises(UserError, match="has nothing to close in house_2_0"):
        rl.make("household/tdw_2_0_enough_food", closing=True)
    with pytest.raises(UserError, match="are the same for all episodes"):
        make_household_env([episode("cwah_0"), switched(episode("cwah_5"), BOTH)])
