"""The games of a league: who plays whom, what a result is worth, and that batches do not change a game."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hive.experiments.league.games import ROWS, Fixture, LeagueGame, closest, pairs_of, points_of, tally
from hive.experiments.league.seats import Facing
from hive.experiments.league.standings import Standings
from hive.worlds.battle.recorder import record
from hive.worlds.battle.world import Battle
from tests.league.conftest import PLANS, SEEDS, plan_of


def game(player: int, enemy: int, mine: int, theirs: int, ended: str = "timeout", seed: int = 0) -> LeagueGame:
    return LeagueGame(player, enemy, seed, ended, 60, ((mine, *[0] * 5), (theirs, *[0] * 5)))


@pytest.mark.parametrize("count", [2, 3, 7])
def test_each_plan_meets_each_other_one_in_both_seats(count: int) -> None:
    pairs = pairs_of(count)
    assert len(pairs) == len(set(pairs)) == count * (count - 1) and all(one != other for one, other in pairs)


@pytest.mark.parametrize(
    ("mine", "theirs", "ended", "points"),
    [(3, 0, "win", 1), (0, 2, "lose", 0), (5, 4, "timeout", 1), (4, 4, "timeout", 0.5), (0, 0, "win", 0.5)],
)
def test_more_live_units_win_and_equal_numbers_draw(mine: int, theirs: int, ended: str, points: float) -> None:
    """docs/rules/league.md 2.2: mutual destruction too, which the engine counts as a win of the player."""
    assert game(0, 1, mine, theirs, ended).points == points


def test_points_and_counts_add_up_over_both_seats() -> None:
    games = [game(0, 1, 3, 0, "win"), game(1, 0, 2, 2), game(2, 0, 1, 5), game(1, 2, 0, 4, "lose")]
    assert points_of(games, 3).tolist() == [[0, 1.5, 1], [0.5, 0, 0], [0, 1, 0]]
    assert tally(games, 3).tolist() == [[2, 1, 0], [0, 1, 2], [1, 0, 1]]
    found = Standings("duel", ["a", "b", "c"], games)
    assert found.order == [0, 2, 1] and [line["plan"] for line in found.json()["ratings"]] == ["a", "c", "b"]


def test_the_closest_game_is_a_finished_one_if_there_is_any() -> None:
    even, near, far = game(0, 1, 4, 4), game(0, 1, 2, 0, "win"), game(1, 0, 0, 3, "lose")
    assert closest([even, far, near]) is near and closest([game(0, 1, 9, 2), even]) is even


def test_batches_hold_every_game_once_and_a_smaller_league_has_smaller_ones(small: Battle) -> None:
    for count, rows in ((2, 2), (3, 8), (6, ROWS)):
        fixture = Fixture(small, [plan_of("duel")] * count, range(3))
        assert fixture.rows == rows and [pair for batch in fixture.batches for pair in batch] == pairs_of(count)
        expected = [each for number in range(len(fixture.batches)) for each in fixture.expected(number)]
        assert len(expected) == len(set(expected)) == fixture.games == 3 * count * (count - 1)


@pytest.mark.long
def test_a_game_does_not_depend_on_the_other_games_of_its_batch(fixture: Fixture, games: list[LeagueGame]) -> None:
    """The order of pairs and plans changes no game; the batch has the shape of the other one."""
    turned = replace(fixture, only=[fixture.pairs[0]] * 2 + fixture.pairs[:1:-1])
    again = {(each.player, each.enemy, each.seed): each for each in turned.play(0)}
    for each in games:
        if (each.player, each.enemy) != fixture.pairs[1]:
            assert again[each.player, each.enemy, each.seed] == each


@pytest.mark.long
def test_a_recorded_game_is_the_one_that_was_played(fixture: Fixture, games: list[LeagueGame]) -> None:
    one = closest(games)
    player, enemy = fixture.seats
    world = Facing(fixture.world.scenario, opponent=enemy[one.enemy])
    kept = record(world, player[one.player], one.seed)
    alive = [int(((kept.health[-1] > 0) & (kept.side == side)).sum()) for side in (0, 1)]
    assert (int(kept.tick[-1]), alive) == (one.ticks, [sum(each) for each in one.alive])
    assert (kept.course.outcome, {step.side for step in kept.course.steps}) == (one.ended, {0, 1})


@pytest.mark.long
def test_games_name_their_plans_and_add_up(games: list[LeagueGame]) -> None:
    found = Standings("duel", PLANS, games)
    rows = list(found.games_json())
    assert len(rows) == len(games) == 8 * len(SEEDS)
    assert {row["points"] for row in rows} <= {0.0, 0.5, 1.0}
    np.testing.assert_allclose(found.points.sum(), len(games))
    assert all(sum(row["alive"][side].values()) <= 20 for row in rows for side in ("player", "enemy"))
