"""How a game ends (docs/rules/battles.md 4): global objectives first, then the player's plan, then the limit."""

from __future__ import annotations

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
from hive.engine import episode
from hive.engine.plan.arrays import make_orders
from hive.engine.types import ActionKind, Goal, GoalKind, Goals, Orders, Outcome, Params, Plan
from hive.engine.units.leaves import UNIT_TYPES
from tests.engine.worlds import pad_plan, plan_of, world_of
from tests.lanes import lane_of, stack_lanes

WORLD = world_of("""
[map]
size = 48
[rules]
limit = 20
movement_randomness = 0
jitter = 0
[player]
units = [{ type = "spearmen", count = 4, box = [0.1, 0.1, 0.1, 0.1] }]
[enemy]
units = [{ type = "spearmen", count = 4, box = [0.8, 0.8, 0.1, 0.1] }]
""")
KEY = jax.random.key(0)
FIGHT = "elimination all;; all @ 40, 40: attack_in_close_range"
WAIT = "elimination all;; all @ 40, 40: stand"
STAY = "elimination all;; all @ 5, 5: stand"
PAIRS = [[10.0 + 5 * (i % 4), 10 + 0.5 * (i // 4)] for i in range(8)]  # each unit in reach of its foe alone
APART = [[10.0 + 5 * (i % 4), 10 + 30 * (i // 4)] for i in range(8)]

orders_of, begin_from = jax.jit(make_orders), jax.jit(episode.begin_from)
judge, advance = jax.jit(episode.judge), jax.jit(episode.advance)
reset, score = jax.jit(hive.reset), jax.jit(episode.score)


def plan(text: str, side: int = 0) -> Plan:
    return pad_plan(hive.read_plan(plan_of(*text.split(" / ")), WORLD, side=side), 4, 4, 4, 4)


def _at(*places: tuple[float, float], **more: int) -> Goal:
    return Goal(kind=GoalKind.POSITION, places=places, **more)


class Game:
    """Four spearmen against four, set down by hand."""

    def __init__(
        self,
        mine: str | Plan,
        his: str = WAIT,
        at: list[list[float]] = APART,
        health: tuple[float, ...] = (24,) * 8,
        goals: tuple[Goal | tuple[float, float] | None, ...] = (None, None),
        now: int = 0,
    ) -> None:
        params: Params = WORLD.params.replace(enemy=plan(his, side=1))
        objectives = [_at(goal) if isinstance(goal, tuple) else goal for goal in goals]
        self.params = params.replace(goals=jax.device_put(Goals.of(*objectives).replace(walked=False)))
        self.orders = orders_of(self.params, plan(mine) if isinstance(mine, str) else mine)
        state = reset(self.params, KEY).replace(
            position=jnp.asarray(at, jnp.float32), health=jnp.asarray(health, jnp.float32), tick=jnp.int32(now)
        )
        self.game = begin_from(self.params, self.orders, state)

    @property
    def outcome(self) -> int:
        return int(self.game.outcome)

    def tick(self, count: int = 1) -> int:
        """Play on for some ticks, or until the game has ended."""
        self.game = advance(self.params, self.orders, self.game, KEY, self.game.state.tick + count)
        return self.outcome

    def to_the_end(self) -> int:
        self.game = advance(self.params, self.orders, self.game, KEY, self.params.rules.limit)
        return self.outcome


@pytest.mark.slow
def test_a_game_goes_on_while_nothing_is_decided() -> None:
    game = Game(WAIT)

    assert game.outcome == Outcome.RUNNING
    assert game.tick(3) == Outcome.RUNNING


def test_all_enemies_dead_is_a_win() -> None:
    game = Game(FIGHT, at=PAIRS, health=(24,) * 4 + (1,) * 4)

    assert game.tick() == Outcome.WIN


def test_all_player_units_dead_is_a_loss() -> None:
    game = Game(WAIT, FIGHT, at=PAIRS, health=(1,) * 4 + (24,) * 4)

    assert game.tick() == Outcome.LOSE


def test_all_player_units_dead_is_a_loss_whatever_the_enemy_wants() -> None:
    game = Game(WAIT, FIGHT, at=PAIRS, health=(1,) * 4 + (24,) * 4, goals=(None, (47, 47)))

    assert game.tick() == Outcome.LOSE


def test_the_player_wins_when_both_sides_die_in_the_same_tick() -> None:
    """The player's global objective is looked at first."""
    game = Game(FIGHT, FIGHT, at=PAIRS, health=(1,) * 8)

    assert game.tick() == Outcome.WIN
    assert not game.game.state.alive.any()


def test_when_both_sides_die_at_once_a_player_with_a_place_to_reach_has_lost() -> None:
    game = Game(FIGHT, FIGHT, at=PAIRS, health=(1,) * 8, goals=((45, 3), None))

    assert game.tick() == Outcome.LOSE


def test_a_plan_whose_last_step_coincides_with_victory_is_a_win() -> None:
    game = Game("elimination [0];; all @ 40, 40: attack_in_close_range", at=PAIRS, health=(24,) * 4 + (1,) * 4)

    assert game.tick() == Outcome.WIN
    assert not game.game.progress.active[:4].any()


def test_a_plan_that_finishes_without_a_victory_ends_the_game() -> None:
    game = Game("elimination [0];; all @ 40, 40: attack_in_close_range", at=PAIRS, health=(24,) * 4 + (1, 24, 24, 24))

    assert game.tick() == Outcome.PLAN_FINISHED


def test_a_plan_that_finishes_as_the_last_unit_dies_is_a_loss() -> None:
    game = Game("position;; all @ 40, 40: stand", FIGHT, at=PAIRS, health=(1,) * 4 + (24,) * 4)

    assert game.tick() == Outcome.LOSE
    assert not game.game.progress.active[:4].any()


def test_a_game_goes_on_while_one_step_is_active() -> None:
    game = Game(
        "elimination [0];; [0] @ 40, 40: attack_in_close_range / elimination [1]; 0; [0] @ 9, 9: stand",
        at=PAIRS,
        health=(24,) * 4 + (1, 24, 24, 24),
    )

    assert game.tick() == Outcome.RUNNING
    assert np.flatnonzero(game.game.progress.active[:4]).tolist() == [1]


def test_a_plan_whose_prerequisites_can_never_be_met_is_finished() -> None:
    stuck = plan(WAIT)
    stuck = stuck.replace(prerequisite=stuck.prerequisite.at[0, 0].set(True))

    assert Game(stuck).outcome == Outcome.PLAN_FINISHED


def test_a_plan_without_steps_is_finished() -> None:
    empty = plan(WAIT)

    assert Game(empty.replace(exists=jnp.zeros_like(empty.exists))).outcome == Outcome.PLAN_FINISHED


def test_an_enemy_plan_that_finishes_ends_nothing() -> None:
    game = Game(WAIT, "elimination [0];; all @ 40, 40: attack_in_close_range", at=PAIRS, health=(1,) + (24,) * 7)

    assert game.tick(3) == Outcome.RUNNING
    assert game.game.state.tick == 3
    assert not game.game.progress.active[4:].any()
    assert (game.game.progress.achieved[4], game.outcome) == (1, Outcome.RUNNING)


def test_the_limit_ends_a_game_at_its_tick() -> None:
    game = Game(WAIT)

    assert game.to_the_end() == Outcome.TIMEOUT
    assert game.game.state.tick == 20
    assert Game(WAIT, now=18).tick() == Outcome.RUNNING
    assert Game(WAIT, now=19).tick() == Outcome.TIMEOUT


def test_a_victory_at_the_limit_is_a_victory_and_a_plan_that_finishes_there_is_finished() -> None:
    ones = (24,) * 4 + (1,) * 4
    assert Game(FIGHT, at=PAIRS, health=ones, now=19).tick() == Outcome.WIN

    step = "elimination [0];; all @ 40, 40: attack_in_close_range"
    assert Game(step, at=PAIRS, health=(24,) * 4 + (1, 24, 24, 24), now=19).tick() == Outcome.PLAN_FINISHED


@pytest.mark.parametrize(("away", "outcome"), [(3.0, Outcome.WIN), (3.01, Outcome.RUNNING)])
def test_one_player_unit_within_three_metres_of_the_place_is_a_win(away: float, outcome: int) -> None:
    at = [[30.0 + away, 20.0], *APART[1:]]

    assert Game(WAIT, at=at, goals=((30, 20), None)).tick() == outcome


def test_an_enemy_or_a_corpse_at_the_place_does_not_count() -> None:
    at = [[30.0, 20.0], *APART[1:4], [30.0, 21.0], *APART[5:]]

    assert Game(WAIT, at=at, health=(0,) + (24,) * 7, goals=((30, 20), None)).tick() == Outcome.RUNNING


def test_one_enemy_at_its_place_is_a_loss() -> None:
    at = [*APART[:4], [30.0, 20.0], *APART[5:]]

    assert Game(WAIT, at=at, goals=(None, (31, 21))).tick() == Outcome.LOSE


def test_the_player_wins_when_both_sides_arrive_in_the_same_tick() -> None:
    at = [[20.0, 20.0], *APART[1:4], [30.0, 20.0], *APART[5:]]

    assert Game(WAIT, at=at, goals=((20, 20), (30, 20))).tick() == Outcome.WIN


def test_a_break_through_needs_its_units_there_at_the_same_tick() -> None:
    """docs/rules/battles.md 4.3: a share is a number of units, and one of several places is enough for each."""
    two = _at((30, 20), (20, 30), needed=2)
    one_there = [[30.0, 20.0], *APART[1:]]
    both_there = [[30.0, 20.0], [20.0, 31.0], *APART[2:]]
    one_dead = (24, 0) + (24,) * 6

    assert Game(WAIT, at=one_there, goals=(two, None)).tick() == Outcome.RUNNING
    assert Game(WAIT, at=both_there, goals=(two, None)).tick() == Outcome.WIN
    assert Game(WAIT, at=both_there, health=one_dead, goals=(two, None)).tick() == Outcome.RUNNING


def test_an_objective_that_too_few_units_live_for_is_lost_at_once() -> None:
    """docs/rules/battles.md 4.1; the enemy's is not: its game goes on."""
    three = _at((30, 20), needed=3)
    two_left = (24, 24, 0, 0) + (24,) * 4

    assert Game(WAIT, health=two_left, goals=(three, None)).outcome == Outcome.LOSE
    assert Game(WAIT, health=two_left[::-1], goals=(None, three)).tick() == Outcome.RUNNING
    escort = Goal(kind=GoalKind.POSITION, places=((30, 20),), type=UNIT_TYPES.index("civilian"))
    assert Game(WAIT, goals=(escort, None)).outcome == Outcome.LOSE, "nobody of that type lives"


def test_a_side_survives_at_its_tick_or_when_no_foe_is_left() -> None:
    """docs/rules/battles.md 4.3"""
    until = Goal(kind=GoalKind.SURVIVAL, until=5, needed=2)

    assert Game(WAIT, now=3, goals=(until, None)).tick() == Outcome.RUNNING
    assert Game(WAIT, now=4, goals=(until, None)).tick() == Outcome.WIN
    assert Game(WAIT, now=4, health=(24, 0, 0, 0) + (24,) * 4, goals=(until, None)).outcome == Outcome.LOSE
    assert Game(WAIT, now=4, goals=(None, until)).tick() == Outcome.LOSE
    assert Game(FIGHT, at=PAIRS, health=(24,) * 4 + (1,) * 4, goals=(until, None)).tick() == Outcome.WIN
    assert Game(WAIT, now=4, goals=(until, until)).tick() == Outcome.WIN, "the player's objective is looked at first"


def test_reaching_the_place_before_the_plan_finishes_is_a_win() -> None:
    at = [[20.0, 20.0], *APART[1:]]

    assert Game("position;; [0] @ 20, 20: stand", at=at, goals=((20, 20), None)).tick() == Outcome.WIN


def test_an_ended_game_stays_as_it_ended() -> None:
    game = Game(FIGHT, at=PAIRS, health=(24,) * 4 + (1,) * 4)
    assert game.to_the_end() == Outcome.WIN
    ended = game.game

    assert game.to_the_end() == Outcome.WIN
    assert game.game.state.tick == ended.state.tick == 1
    np.testing.assert_array_equal(game.game.state.position, ended.state.position)


@pytest.mark.long
def test_ticks_past_the_end_change_nothing() -> None:
    """Under `lax.scan` and `vmap`: a game that ends stays as it ended, and its neighbour in the batch goes on."""
    timeout = Game(WAIT, at=PAIRS, now=19)
    win = Game(FIGHT, at=PAIRS, health=(24,) * 4 + (1,) * 4)
    running = Game(WAIT, at=PAIRS, now=3)
    games = [timeout, win, running]
    params, orders, batch = (
        stack_lanes(*[getattr(game, name) for game in games]) for name in ("params", "orders", "game")
    )

    @jax.jit
    def play(params: Params, orders: Orders, batch: episode.Game) -> tuple[episode.Game, jax.Array]:
        many = jax.vmap(episode.tick, (0, 0, 0, None))

        def one(batch: episode.Game, _: None) -> tuple[episode.Game, jax.Array]:
            batch, decision = many(params, orders, batch, KEY)
            return batch, decision.action.kind

        return jax.lax.scan(one, batch, None, length=4)

    after, kinds = play(params, orders, batch)

    assert [timeout.tick(4), win.tick(4), running.tick(4)] == [Outcome.TIMEOUT, Outcome.WIN, Outcome.RUNNING]
    for number, game in enumerate(games):
        chex.assert_trees_all_equal(lane_of(after, number), game.game)
    assert after.state.tick.tolist() == [20, 1, 7]
    assert after.state.alive[0].all()
    assert (np.asarray(kinds)[1:, :2] == ActionKind.STAND).all()


def test_the_score_is_the_share_of_dead_enemies_or_the_metres_of_the_nearest_live_unit() -> None:
    share = Game(WAIT, health=(24,) * 4 + (0, 24, 0, 0))
    assert score(share.params, share.game.state) == 0.75

    metres = Game(WAIT, at=[[30.0, 24.0], [30.0, 20.5], *APART[2:]], health=(24, 0) + (24,) * 6, goals=((30, 20), None))
    assert score(metres.params, metres.game.state) == 4.0


def test_the_score_of_other_objectives_is_the_share_that_is_reached() -> None:
    """docs/rules/battles.md 4.4"""
    there = [[30.0, 20.0], [31.0, 20.0], [30.0, 21.0], [5.0, 5.0], *APART[4:]]
    for needed, share in ((2, 1.0), (4, 0.75)):
        game = Game(WAIT, at=there, goals=(_at((30, 20), needed=needed), None))
        assert score(game.params, game.game.state) == share

    lasts = Game(WAIT, now=3, goals=(Goal(kind=GoalKind.SURVIVAL, until=12), None))
    assert score(lasts.params, lasts.game.state) == 0.25
