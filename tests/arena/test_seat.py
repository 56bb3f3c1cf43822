"""What each side of a duel knows: its own units, and of the others what its units have seen (docs/arena.md)."""

from __future__ import annotations

import numpy as np
import pytest

import dsl
from hive.engine.instant import state_at_start
from hive.engine.types import ENEMY, PLAYER, State
from hive.players.words.reading import interpret
from hive.worlds.battle.briefing import Wording
from hive.worlds.battle.mission import mission_text
from hive.worlds.battle.seat import Seat
from hive.worlds.battle.world import load

WORLD = load("battle/rivers/17")


@pytest.fixture(scope="module")
def start() -> State:
    return state_at_start(WORLD, 0)


def test_the_enemy_reads_what_the_player_reads_with_both_sides_exchanged(start: State) -> None:
    """At the start all is known; the same words, from the other side."""
    mine, theirs = Seat(WORLD, PLAYER), Seat(WORLD, ENEMY)
    for seat in (mine, theirs):
        seat.look(start)
    assert mine.describe() == WORLD.describe(start)
    one, other = mine.facts(), theirs.facts()
    np.testing.assert_array_equal(one.own.position, other.foe.position)
    np.testing.assert_array_equal(one.foe.position, other.own.position)
    assert (one.goal, one.guarded) == (other.guarded, other.goal)
    text = theirs.describe().system
    assert mission_text(WORLD.scenario, ENEMY) in text and WORLD.scenario.briefing not in text


def test_a_unit_out_of_sight_stays_where_it_was_last_seen_and_the_fallen_are_counted(start: State) -> None:
    seat, own = Seat(WORLD, PLAYER), WORLD.sizes[0]
    seat.look(start)
    place = np.asarray(start.position).copy()
    place[own] = place[0] + (0.5, 0.0)  # beside a unit of the player
    place[own + 1] = (5.0, 75.0)  # far from all
    health = np.asarray(start.health).copy()
    health[own + 2] = 0.0
    now = start.replace(position=place, health=health)
    seat.look(now)
    known = np.asarray(seat.known.position)
    np.testing.assert_array_equal(known[own], place[own])
    np.testing.assert_array_equal(known[own + 1], np.asarray(start.position)[own + 1])
    assert not seat.facts().foe.alive[2] and seat.facts().foe.alive[[0, 1]].all()
    np.testing.assert_array_equal(known[:own], place[:own])
    assert (seat.seen[: own + 1] == -1).all() and seat.seen[own + 1] == 0, "seen now, and at the start"
    seat.look(now.replace(tick=np.int32(30), position=np.asarray(start.position)))
    texts = [seat.describe(Wording(prompt=number)).short_state for number in (2, 3)]
    assert "seen last" not in texts[0] and ", seen last at tick 0" in texts[1].partition("Enemies:")[2]


def test_the_plain_commander_commands_either_side_in_its_own_ids(start: State) -> None:
    for side in (PLAYER, ENEMY):
        seat = Seat(WORLD, side)
        seat.look(start)
        plan = interpret("The cavalry attacks, the spearmen hold.", seat.facts()).plan
        assert plan and dsl.check_plan(plan, "plan", WORLD.context(side, WORLD.sizes)).ok


def test_a_seat_knows_nothing_before_its_first_look() -> None:
    with pytest.raises(ValueError, match="first look"):
        Seat(WORLD, ENEMY).facts()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("battle/towns/3", "You win, too, when of the enemy fewer than 19 of its 93 units are alive."),
        ("battle/rivers/17", "its task is to bring one of its units to within 3 m of (21, 32)"),
    ],
)
def test_the_mission_of_the_enemy_says_how_it_wins_and_loses(name: str, words: str) -> None:
    """Rules: docs/rules/battles.md 4.2."""
    assert words in mission_text(load(name).scenario, ENEMY)
