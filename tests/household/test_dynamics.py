"""Ticks of a household: walking, using things, conflicts, options and their costs (docs/rules/household.md 3, 4)."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from hive.worlds.household import options
from hive.worlds.household.codes import HELD, OptionStatus
from hive.worlds.household.episode import episode
from hive.worlds.household.options import OptionKind
from tests.household.homes import CABINET, DISHWASHER, KITCHEN, LIVING, TABLE, Game, line

EXPLORE = options.index(OptionKind.EXPLORE, KITCHEN)
CHECK = options.index(OptionKind.CHECK, CABINET)
GRAB = options.index(OptionKind.GRAB, 0)


@pytest.mark.parametrize(
    ("start", "option", "ticks"),
    [
        (1.0, EXPLORE, 9),  # to the door at 10 m: crossing it is enough
        (9.5, EXPLORE, 1),
        (1.0, CHECK, 4),  # 4 m less 1.25 m of reach: 3 ticks, and 1 to open
        (3.9, CHECK, 1),  # within reach
        (5.0, GRAB, 4),  # 4 m less 1.25 m, and 1 to take
    ],
)
def test_options_take_their_costs(start: float, option: int, ticks: int) -> None:
    """docs/rules/household.md 3.1, 4.3."""
    game = Game(line({"plate_1": TABLE, "plate_2": CABINET}, (start, start)))
    assert game.cost[0, option] == ticks
    assert game.finish(0, option) == ticks
    assert game.state.result[0] == OptionStatus.DONE
    assert game.state.elapsed[0] == ticks


def test_putting_opens_a_closed_place_first_when_a_hand_is_free() -> None:
    """The walk, a tick to open, and a tick for the object (docs/rules/household.md 3.2, 4.3)."""
    game = Game(line({"plate_1": TABLE, "plate_2": TABLE}, (2.0, 2.0)))
    game.finish(0, GRAB)
    assert game.cost[0, options.PUT] == 15 + 1 + 1  # 16 m less 1.25 m
    assert game.finish(0, options.PUT) == 17
    assert game.state.open[DISHWASHER]
    assert game.state.place[0] == DISHWASHER
    assert not game.state.finished


def test_two_full_hands_put_one_object_into_the_closed_place_and_then_open_it() -> None:
    """Put, open, put (docs/rules/household.md 3.2); with both hands full nothing else is legal (4.2)."""
    game = Game(line({"plate_1": TABLE, "plate_2": TABLE}, (2.0, 2.0)))
    game.finish(0, GRAB)
    game.finish(0, options.index(OptionKind.GRAB, 1))
    assert np.flatnonzero(game.legal[0]).tolist() == [options.PUT]
    for _ in range(15):
        game.tick(options.PUT)
    assert game.tick().place.tolist()[:2] == [DISHWASHER, HELD]
    assert not game.state.open[DISHWASHER]
    assert game.tick().open[DISHWASHER]
    assert not game.state.finished
    assert game.tick().finished
    assert game.state.elapsed[0] == 18
    assert game.state.clock == 20


def test_an_episode_that_is_over_stays_as_it_is() -> None:
    """docs/rules/household.md 3.4."""
    game = Game(line({"plate_1": TABLE}, (2.0, 2.0), goal=1, goal_place=CABINET))
    game.finish(0, GRAB)
    game.finish(0, options.PUT)
    last = game.state
    assert last.finished
    game.tick(options.index(OptionKind.EXPLORE, KITCHEN))
    jax.tree.map(np.testing.assert_array_equal, game.state, last)


def test_of_two_that_open_one_container_one_loses_the_tick() -> None:
    """The container is open after one tick, and both options end with it (docs/rules/household.md 3.3, 4.1)."""
    game = Game(line({"plate_1": TABLE, "plate_2": CABINET}, (4.0, 6.0)))
    game.tick(CHECK, CHECK)
    assert game.state.open[CABINET]
    assert game.state.elapsed.tolist()[:2] == [1, 1]
    assert not game.state.busy[:2].any()


def test_of_two_that_grab_one_object_a_random_one_gets_it() -> None:
    """Each wins about as often; the other's option is abandoned (docs/rules/household.md 3.3, 4.1)."""
    holders = []
    for seed in range(24):
        game = Game(line({"plate_1": TABLE, "plate_2": CABINET}, (2.0, 2.0)), seed=seed)
        game.tick(GRAB, GRAB)
        holders.append(int(game.state.place[0]) - HELD)
        assert game.state.result.tolist()[holders[-1]] == OptionStatus.DONE
        assert game.state.result.tolist()[1 - holders[-1]] == OptionStatus.ABANDONED
        assert (game.state.hands[1 - holders[-1]] == -1).all()
    assert 4 <= sum(holders) <= 20


def test_agents_put_different_objects_into_one_place_in_one_tick() -> None:
    """docs/rules/household.md 3.3."""
    game = Game(line({"plate_1": TABLE, "plate_2": TABLE}, (2.0, 2.0), goal_place=CABINET))
    game.tick(GRAB, options.index(OptionKind.GRAB, 1))
    while not game.state.finished and game.state.clock < 20:
        game.tick(options.PUT, options.PUT)
    assert game.state.finished
    assert game.state.elapsed.tolist()[:2] == [4, 4]  # 2 to walk, 1 to open (or lose the tick), 1 to put


def test_an_object_that_is_gone_is_abandoned_on_entering_the_room() -> None:
    """docs/rules/household.md 4.1."""
    game = Game(line({"plate_1": TABLE, "plate_2": CABINET}, (9.9, 1.0)))
    game.finish(0, EXPLORE)
    game.finish(1, GRAB)
    assert game.legal[0, GRAB]  # agent 0 still believes that the plate is on the table
    game.tick(GRAB)
    assert game.state.room[0] == LIVING
    assert game.state.result[0] == OptionStatus.ABANDONED


def test_an_option_that_is_not_legal_becomes_a_wait_and_says_so() -> None:
    """docs/rules/household.md 4.1."""
    game = Game(line({"plate_1": TABLE, "plate_2": CABINET}))
    for wrong in (
        options.PUT,
        options.index(OptionKind.EXPLORE, LIVING),
        options.index(OptionKind.CHECK, DISHWASHER),
        -1,
        10_000,
    ):
        game.tick(wrong, options.WAIT)
        assert game.state.result.tolist()[:2] == [OptionStatus.ILLEGAL, OptionStatus.DONE]
        assert game.state.elapsed[0] == 1


def test_what_is_legal_follows_from_what_an_agent_knows() -> None:
    """docs/rules/household.md 4.2."""
    game = Game(line({"plate_1": TABLE, "plate_2": CABINET}))

    def names() -> list[tuple[str, int]]:
        found = map(options.kind_of, np.flatnonzero(game.legal[0]).tolist())
        return [(kind.name, argument) for kind, argument in found]

    start = [("WAIT", 0), ("SEND", 0), ("EXPLORE", KITCHEN), ("CHECK", CABINET), ("GRAB", 0)]
    assert names() == start
    game.tick(options.SEND)
    assert names() == [each for each in start if each[0] != "SEND"]  # no two messages in a row
    game.finish(0, CHECK)
    assert names() == [("WAIT", 0), ("SEND", 0), ("EXPLORE", KITCHEN), ("GRAB", 0), ("GRAB", 1)]
    game.finish(0, GRAB)
    assert names() == [("WAIT", 0), ("SEND", 0), ("PUT", 0), ("EXPLORE", KITCHEN), ("GRAB", 1)]
    game.tick(EXPLORE)
    assert names() == [("WAIT", 0)]  # an agent that is busy goes on


def test_no_more_is_grabbed_than_is_needed() -> None:
    """What an agent holds itself counts (docs/rules/household.md 4.2)."""
    game = Game(line({"plate_1": TABLE, "plate_2": TABLE}, (2.0, 2.0), goal=1))
    game.finish(0, GRAB)
    assert not game.legal[0, options.index(OptionKind.GRAB, 1)]
    assert game.legal[1, options.index(OptionKind.GRAB, 1)]


def test_a_put_without_knowing_the_place_searches_the_rooms_in_the_published_order() -> None:
    """docs/rules/household.md 4.1."""
    game = Game(episode("cwah_40"))  # the goal is in the kitchen, where agent 0 starts; agent 1 is in the bedroom
    state = game.state.replace(hands=game.state.hands.copy(), place=game.state.place.copy())
    state.hands[1, 0], state.place[0] = 0, HELD + 1
    game.state = state
    rooms = [int(game.state.room[1])]
    while game.state.hands[1, 0] == 0 and game.state.clock < 60:
        game.tick(options.WAIT, options.PUT)
        rooms += [int(game.state.room[1])] if game.state.room[1] != rooms[-1] else []
    assert [game.episode.apartment.rooms[each].name for each in rooms] == [
        "bedroom",
        "livingroom",
        "bedroom",
        "kitchen",
    ]
