"""Transport on hand-made cases: costs, containers, sight, exploration, interruption (docs/rules/household.md 9)."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from dsl import UserError
from hive.worlds.household import options
from hive.worlds.household.apartment import Apartment, ApartmentRoom, Door, Receptacle
from hive.worlds.household.assembly import make_params
from hive.worlds.household.codes import FLOOR, HELD, INSIDE, OptionStatus
from hive.worlds.household.dynamics import placed
from hive.worlds.household.episode import HouseholdEpisode, PlacedObject, Start
from hive.worlds.household.options import OptionKind, index
from hive.worlds.household.state import Params, State
from tests.household.homes import programs

# Three rooms in a row, each 10 m wide and 4 m deep; the bed stands in the middle of the last.
HOME = Apartment(
    "row",
    tuple(
        ApartmentRoom(kind, kind, (10.0 * number + 5, 0.0), (10.0, 4.0))
        for number, kind in enumerate(("livingroom", "office", "bedroom"))
    ),
    (Door((0, 1), (10.0, 0.0)), Door((1, 2), (20.0, 0.0))),
    (Receptacle("bed", "bed", 2, (25.0, 0.0)),),
)
PLACES = {
    "pen_1": 1.0,
    "pen_2": 2.0,
    "pen_3": 3.0,
    "mouse_1": 4.0,
    "purse_1": 9.0,
    "wood_basket_1": 0.5,
    "iphone_1": 15.0,
}
NUMBER = {name: number for number, name in enumerate(PLACES)}
BASKET = NUMBER["wood_basket_1"]
KEY = jax.random.key(0)


def household(start: float = 0.5) -> HouseholdEpisode:
    things = tuple(PlacedObject(name, name[:-2], None, int(x // 10), (x, 0.0)) for name, x in PLACES.items())
    goals = (("pen", 3), ("mouse", 1), ("purse", 1), ("iphone", 1))
    starts = (Start(0, (start, 0.0)), Start(2, (29.0, 0.0)))
    return HouseholdEpisode("row", HOME, "transport stuff", 0, goals, things, starts, 300, "transport")


class Game:
    """A game of two agents; Bob waits unless he is given an option."""

    def __init__(self, start: float = 0.5, detection: float = 1.0) -> None:
        self.params: Params = make_params(household(start), 2, detection=detection)
        self.state: State = programs()["reset"](self.params, KEY)

    def options(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        legal, cost = (programs()[name](self.params, self.state) for name in ("legal", "cost"))
        return np.asarray(legal), np.asarray(cost)

    def may(self, kind: OptionKind, argument: int = 0, agent: int = 0) -> bool:
        return bool(self.options()[0][agent, index(kind, argument)])

    def tick(self, option: int) -> None:
        chosen = np.array([option, options.WAIT, 0, 0], np.int32)
        self.state = programs()["step"](self.params, self.state, chosen, KEY)

    def play(self, kind: OptionKind, argument: int = 0) -> tuple[int, int, OptionStatus]:
        """Play an option of Alice to its end; return its estimated cost, its ticks and its result."""
        option = index(kind, argument)
        mask, costs = self.options()
        assert mask[0, option], kind
        while True:
            self.tick(option)
            if not self.state.busy[0]:
                return int(costs[0, option]), int(self.state.elapsed[0]), OptionStatus(int(self.state.result[0]))

    def place(self, name: str) -> int:
        return int(self.state.place[NUMBER[name]])

    def knows(self, name: str, agent: int = 0) -> bool:
        return int(self.state.beliefs.place[agent, NUMBER[name]]) >= 0


@pytest.fixture
def game() -> Game:
    return Game()


def filled(game: Game) -> Game:
    """Alice holds a basket with three pens in one hand."""
    game.play(OptionKind.GRAB, BASKET)
    for number in (1, 2, 3):
        game.play(OptionKind.GRAB, NUMBER[f"pen_{number}"])
        assert game.play(OptionKind.PUT_IN) == (6, 6, OptionStatus.DONE)
    return game


def test_a_trip_carries_four_targets_and_loses_the_container(game: Game) -> None:
    """Rules 9.2, 9.3: three in a container, one in the other hand; both are dropped for 3 ticks each at the bed."""
    filled(game)
    assert [game.place(f"pen_{number}") for number in (1, 2, 3)] == [INSIDE + BASKET] * 3
    game.play(OptionKind.GRAB, NUMBER["mouse_1"])
    assert not game.may(OptionKind.PUT_IN)  # the container is full
    assert not game.may(OptionKind.PUT)  # the bed was not seen
    while int(game.state.room[0]) != 2:
        game.play(OptionKind.GOTO, 2)
    game.play(OptionKind.EXPLORE, 2)
    estimate, taken, result = game.play(OptionKind.PUT)
    assert result == OptionStatus.DONE and taken == estimate >= 6
    assert int(placed(game.params, game.state)) == 4
    assert game.place("wood_basket_1") == game.place("pen_1") == 0  # at the bed
    assert not game.may(OptionKind.GRAB, BASKET) and (game.state.hands[0] < 0).all()


def test_walking_costs_a_turn_for_each_leg() -> None:
    """Rule 9.2: 0.5 m in a tick, and 0.2 m more for each straight leg."""
    game = Game(start=0.5)
    # One leg of 9.5 m to the door: 9.7 m are 20 ticks; going stops where the purse comes into sight.
    mask, costs = game.options()
    assert mask[0, index(OptionKind.GOTO, 1)] and costs[0, index(OptionKind.GOTO, 1)] == 20
    assert costs[0, index(OptionKind.GOTO, 2)] == 40  # two legs, 19.9 m
    assert costs[0, index(OptionKind.GRAB, NUMBER["mouse_1"])] == 6 + 1  # 3.5 - 1 + 0.2 m, and one tick to grasp
    estimate, taken, _ = game.play(OptionKind.GRAB, NUMBER["mouse_1"])
    assert estimate == taken == 7


def test_going_stops_when_something_new_comes_into_sight(game: Game) -> None:
    """Rules 9.2, 9.4: agents see 5 m far, and new objects interrupt a walk to another room."""
    assert game.knows("mouse_1") and not game.knows("purse_1")
    _, taken, result = game.play(OptionKind.GOTO, 1)
    assert result == OptionStatus.ABANDONED and game.knows("purse_1")
    assert abs(int(game.state.at[0, 0]) - 4_000) <= 500 and taken < 20
    assert game.play(OptionKind.GOTO, 1)[2] == OptionStatus.DONE and int(game.state.room[0]) == 1


def test_exploring_shows_the_room_and_is_done_once(game: Game) -> None:
    """Rule 9.4: the agent walks to within 1 m of the centre and looks for 3 ticks."""
    assert game.may(OptionKind.EXPLORE, 0) and not game.may(OptionKind.EXPLORE, 1)
    estimate, taken, result = game.play(OptionKind.EXPLORE, 0)
    assert (estimate, taken, result) == (8 + 3, 11, OptionStatus.DONE)  # 4.5 - 1 + 0.2 m
    assert game.knows("purse_1") and not game.may(OptionKind.EXPLORE, 0)
    assert not game.state.beliefs.visited[1].any()  # Bob explored nothing


def test_an_explored_room_is_seen_beyond_the_sight() -> None:
    """Rule 9.4: at the end of an exploration all of the room is seen, however large."""
    game = Game(start=9.9)
    game.play(OptionKind.GRAB, NUMBER["purse_1"])
    assert not game.knows("wood_basket_1")
    game.play(OptionKind.EXPLORE, 0)  # ends at 6 m, 5.5 m from the basket
    assert int(game.state.at[0, 0]) - 500 > 5_000 and game.knows("wood_basket_1")


def test_one_container_at_a_time(game: Game) -> None:
    """Rule 9.3: containers are offered to agents that hold none, and only what is in the other hand is put in."""
    assert game.may(OptionKind.GRAB, BASKET) and not game.may(OptionKind.PUT_IN)
    game.play(OptionKind.GRAB, BASKET)
    assert game.place("wood_basket_1") == HELD
    assert not game.may(OptionKind.PUT_IN)  # the other hand is empty
    mask, _ = game.options()
    assert not mask[0, index(OptionKind.GRAB, BASKET)]
    game.play(OptionKind.GRAB, NUMBER["pen_1"])
    assert game.may(OptionKind.PUT_IN) and not game.may(OptionKind.GRAB, NUMBER["pen_2"])


def test_a_detection_of_small_chance_takes_longer() -> None:
    """Rule 9.5: each thing in sight is detected with the given chance in a tick; a missed one is not forgotten."""
    game = Game(detection=0.05)
    start = sum(game.knows(name) for name in PLACES)
    for _ in range(60):
        game.tick(options.WAIT)
    later = {name for name in PLACES if game.knows(name)}
    assert start < len(later) and "iphone_1" not in later
    assert game.place("pen_1") == FLOOR and "pen_1" in later


def test_chances_out_of_range_are_refused() -> None:
    """The message says the range."""
    with pytest.raises(UserError, match=r"above 0 and at most 1, not 1\.5"):
        make_params(household(), detection=1.5)
