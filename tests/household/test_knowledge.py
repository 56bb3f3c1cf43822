"""What agents see, remember and are told (docs/rules/household.md 5)."""

from __future__ import annotations

import numpy as np

from hive.worlds.household import options
from hive.worlds.household.codes import HELD, UNKNOWN
from hive.worlds.household.dynamics import silence
from hive.worlds.household.options import OptionKind
from hive.worlds.household.state import Messages
from tests.household.homes import CABINET, DISHWASHER, KITCHEN, LIVING, TABLE, Game, line

EXPLORE = options.index(OptionKind.EXPLORE, KITCHEN)
CHECK = options.index(OptionKind.CHECK, CABINET)
GRAB = options.index(OptionKind.GRAB, 0)
THINGS = {"plate_1": TABLE, "plate_2": CABINET}


def tells(*parts: str) -> Messages:
    """Messages of all agents with some parts."""
    return silence().replace(**{name: np.ones_like(getattr(silence(), name)) for name in parts})


def test_an_agent_sees_its_room_except_what_is_in_closed_containers() -> None:
    """docs/rules/household.md 5.1."""
    game = Game(line(THINGS, (1.0, 15.0)))
    know = game.state.beliefs
    assert know.place[0, :2].tolist() == [TABLE, UNKNOWN]
    assert know.place[1, :2].tolist() == [UNKNOWN, UNKNOWN]
    assert know.mate_room[0, 1] == -1
    assert know.goal_known.tolist()[:2] == [False, True]
    game.finish(0, CHECK)
    assert game.state.beliefs.place[0, 1] == CABINET
    assert not game.state.beliefs.checked[1].any()


def test_what_another_agent_holds_is_seen_in_the_same_room_and_remembered() -> None:
    """docs/rules/household.md 5.1, 5.2."""
    game = Game(line(THINGS, (2.0, 9.0)))
    game.finish(0, GRAB)
    assert game.state.beliefs.place[1, 0] == HELD
    game.finish(1, EXPLORE)
    game.tick()
    assert game.state.beliefs.place[1, 0] == HELD
    assert game.state.beliefs.mate_room[1, 0] == LIVING
    assert game.state.beliefs.mate_seen_at[1, 0] < game.state.clock


def test_what_is_gone_is_noticed_only_in_its_room() -> None:
    """docs/rules/household.md 5.2."""
    game = Game(line(THINGS, (9.0, 2.0), goal_place=CABINET))
    game.finish(0, EXPLORE)
    game.finish(1, GRAB)
    assert game.state.beliefs.place[0, 0] == TABLE
    game.finish(1, EXPLORE)  # the two meet in the kitchen
    assert game.state.beliefs.place[0, 0] == HELD + 1


def test_those_in_the_room_see_what_is_put_into_a_closed_container() -> None:
    """docs/rules/household.md 5.1."""
    game = Game(line({"plate_1": TABLE, "plate_2": TABLE, "plate_3": TABLE}, (2.0, 2.0), goal=3, goal_place=CABINET))
    game.finish(0, GRAB)
    game.finish(0, options.index(OptionKind.GRAB, 1))
    while game.state.place[0] != CABINET and game.state.clock < 20:
        game.tick(options.PUT)
    assert not game.state.open[CABINET]
    assert game.state.beliefs.place[:2, 0].tolist() == [CABINET, CABINET]


def test_a_message_costs_a_tick_and_is_known_one_tick_later() -> None:
    """The receiver can act on it in the next tick, and not before (docs/rules/household.md 5.3)."""
    game = Game(line(THINGS, (1.0, 15.0)))
    assert not game.legal[1, GRAB]
    game.tick(options.SEND, messages=tells("objects", "containers", "rooms"))
    assert game.state.clock == 1
    assert game.state.elapsed[0] == 1
    assert game.state.sent.tolist() == [True, False, False, False]
    know = game.state.beliefs
    assert know.place[1, 0] == TABLE
    assert know.known_room[1].tolist()[:2] == [True, True]
    assert not know.visited[1, LIVING]
    assert game.legal[1, GRAB]
    assert game.legal[1, CHECK]  # it was told of the room
    game.tick()
    assert not game.state.sent.any()


def test_a_message_tells_only_its_parts() -> None:
    """docs/rules/household.md 5.3."""
    game = Game(line(THINGS, (4.0, 15.0)))
    game.finish(0, CHECK)
    game.tick(options.SEND, messages=tells("containers"))
    know = game.state.beliefs
    assert know.checked[1, CABINET]
    assert (know.place[1] == UNKNOWN).all()
    assert not know.known_room[1, LIVING]


def test_a_message_tells_of_the_named_objects_containers_and_rooms_alone() -> None:
    """docs/rules/household.md 5.3."""
    game = Game(line({"plate_1": TABLE, "plate_2": TABLE}, (4.0, 15.0)))
    message = silence()
    objects = np.zeros_like(message.objects)
    objects[0, 1] = True
    game.tick(options.SEND, messages=message.replace(objects=objects))
    assert game.state.beliefs.place[1, :2].tolist() == [UNKNOWN, TABLE]
    rooms = np.zeros_like(message.rooms)
    rooms[0, KITCHEN] = True  # a room of which the sender knows nothing
    game.tick()
    game.tick(options.SEND, messages=message.replace(rooms=rooms))
    assert not game.state.beliefs.known_room[1, LIVING]
    assert not game.state.beliefs.goal_known[0]


def test_the_newer_report_counts() -> None:
    """A sender with older knowledge changes nothing (docs/rules/household.md 5.3)."""
    game = Game(line(THINGS, (9.0, 2.0)))
    game.finish(0, EXPLORE)
    game.finish(1, GRAB)
    game.tick(options.SEND, messages=tells("objects"))  # agent 0 still believes that the plate is on the table
    assert game.state.beliefs.place[1, 0] == HELD + 1
    game.tick(options.WAIT, options.SEND, messages=tells("objects"))
    assert game.state.beliefs.place[0, 0] == HELD + 1


def test_messages_do_not_interrupt_an_option() -> None:
    """docs/rules/household.md 4.1."""
    game = Game(line(THINGS, (1.0, 1.0)))
    game.tick(options.SEND, EXPLORE, messages=tells("objects"))
    assert game.state.busy.tolist()[:2] == [False, True]
    assert game.state.option[1] == EXPLORE


def test_the_goal_place_is_known_once_its_room_is() -> None:
    """docs/rules/household.md 5.2."""
    game = Game(line(THINGS, (9.5, 1.0)))
    assert not game.state.beliefs.goal_known.any()
    game.finish(0, EXPLORE)
    assert game.state.beliefs.goal_known.tolist() == [True, False, False, False]
    assert game.episode.goal_place == DISHWASHER
