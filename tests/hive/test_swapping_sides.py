"""The enemy's plan changes while a game runs, by the rules of the player's: docs/rules/plans.md, "Swaps"."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
from hive.engine import episode
from hive.engine.instant import advance_game, begin_game, orders_of
from hive.engine.plan.arrays import extras_of
from hive.engine.swapping import in_turn, sizes_of, swap, swap_sides, with_room
from hive.engine.types import ENEMY, OUTCOMES, PLAYER, Orders, Outcome, Params, Plan
from hive.worlds.battle.recorder import record
from tests.hive.test_swapping import same, step

WORLD = hive.load("duel", units=20, limit=400)
KEY = jax.random.key(5)


def read(side: int, *steps: str) -> Plan:
    return hive.read_plan(f"BEGIN PLAN\n{''.join(steps)}END PLAN\n", WORLD, side=side, written_for=WORLD.sizes)


def plans(side: int) -> list[Plan]:
    """A march, a fight, and one with all that only some plans have, for either side."""
    far, near = ("20, 120", "60, 75") if side == PLAYER else ("120, 20", "60, 75")
    return [
        read(side, step(0, "", far, "follow_map any")),
        read(side, step(0, "", near, "attack_in_close_range any"), step(1, "0", far, "follow_map any")),
        read(
            side,
            step(0, "", near, "follow_map any", what="time 20", units="nearest 6 of all to (30, 60)"),
            step(1, "0", far, "attack_in_long_range any within 20"),
        ),
    ]


MINE, THEIRS = plans(PLAYER), plans(ENEMY)
EXTRAS = {name: size for name, size in extras_of(MINE[2]).items() if size}


def roomy(plan: Plan) -> Plan:
    """The plan with the capacities that games here share, and so their programs."""
    return with_room(plan, cells=2, **EXTRAS)


PARAMS = WORLD.params.replace(enemy=roomy(THEIRS[0]))


def begun(params: Params, plan: Plan) -> tuple[Orders, episode.Game]:
    orders = orders_of(params, roomy(plan))
    return orders, begin_game(params, orders, KEY)


def to(params: Params, orders: Orders, game: episode.Game, tick: int) -> episode.Game:
    return advance_game(params, orders, game, KEY, jnp.int32(tick))


def exchanged(params: Params) -> Params:
    """The same battle with the names of the sides exchanged: units keep their ids, and so their draws."""
    goals = params.goals
    turned = jax.tree.map(lambda leaf: leaf[::-1], goals)
    return params.replace(units=params.units.replace(side=1 - params.units.side), goals=turned)


@pytest.mark.long
def test_a_swap_of_the_enemy_is_the_swap_of_the_player_in_the_battle_with_exchanged_sides() -> None:
    """No rule of a tick prefers a side: only the names of the outcomes do."""
    other = exchanged(PARAMS).replace(enemy=roomy(MINE[0]))
    one, game = begun(PARAMS, MINE[0])
    two, mirror = begun(other, THEIRS[0])
    params = PARAMS
    for number, until in ((1, 20), (2, 45), (0, 90)):
        game, mirror = to(params, one, game, until), to(other, two, mirror, until)
        same(game.state, mirror.state)
        one, game = swap(params, one, game, roomy(MINE[number]))
        other, two, mirror = swap_sides(other, two, mirror, enemy=roomy(MINE[number]))
    game, mirror = to(params, one, game, 200), to(other, two, mirror, 200)
    same(game.state, mirror.state)
    assert int(game.state.tick) == 200


@pytest.mark.slow
def test_the_progress_of_the_side_without_a_new_plan_stays() -> None:
    orders, game = begun(PARAMS, MINE[2])
    game = to(PARAMS, orders, game, 30)
    room = sizes_of(roomy(MINE[2]))["steps"]
    params, after, moved = swap_sides(PARAMS, orders, game, enemy=roomy(THEIRS[1]))
    mine = np.asarray(PARAMS.units.side) == PLAYER
    same(moved.progress.achieved[:room], game.progress.achieved[:room])
    same(moved.progress.since[:room], game.progress.since[:room])
    assert int(game.progress.achieved[0]) >= 0, "a step of the player was achieved before"
    same(np.asarray(moved.progress.group)[mine], np.asarray(game.progress.group)[mine])
    same(moved.state, game.state)
    assert params.enemy.source is THEIRS[1].source
    where = sizes_of(roomy(MINE[2]))["places"]
    same(after.distance[:where], orders.distance[:where])


@pytest.mark.long
def test_a_larger_plan_of_either_side_moves_what_the_other_side_has() -> None:
    """Growth changes shapes and no game: small capacities play as large ones."""
    tight = WORLD.params.replace(enemy=THEIRS[0])
    games = []
    for params, first in ((PARAMS, roomy(MINE[0])), (tight, MINE[0])):
        orders = orders_of(params, first)
        game = to(params, orders, begin_game(params, orders, KEY), 15)
        params, orders, game = swap_sides(params, orders, game, enemy=THEIRS[2])
        params, orders, game = swap_sides(params, orders, to(params, orders, game, 40), player=MINE[2])
        games.append(to(params, orders, game, 90).state)
    same(*games)


@pytest.mark.slow
def test_both_sides_change_at_once_as_they_do_one_after_the_other() -> None:
    orders, game = begun(PARAMS, MINE[0])
    game = to(PARAMS, orders, game, 20)
    params, both, at_once = swap_sides(PARAMS, orders, game, player=roomy(MINE[1]), enemy=roomy(THEIRS[1]))
    _, one, first = swap_sides(PARAMS, orders, game, player=roomy(MINE[1]))
    _, two, second = swap_sides(PARAMS, one, first, enemy=roomy(THEIRS[1]))
    same((both, at_once.state), (two, second.state))
    same(to(params, both, at_once, 60).state, to(params, two, second, 60).state)
    with pytest.raises(ValueError, match="one side at least"):
        swap_sides(PARAMS, orders, game)


@pytest.mark.slow
def test_changes_of_the_enemys_plan_retrace_nothing(programs: list[str]) -> None:
    """A program that is made in this process is made by the first game to its first change, if at all."""
    params = PARAMS.replace(enemy=roomy(THEIRS[2]))
    orders, game = begun(params, MINE[2])
    for until, plan in ((20, THEIRS[0]), (40, THEIRS[1]), (60, THEIRS[2]), (80, None)):
        game = to(params, orders, game, until)
        if plan is not None:
            params, orders, game = swap_sides(params, orders, game, enemy=roomy(plan))
        if until == 20:
            programs.clear()
    assert int(game.state.tick) == 80 and not programs


SWAPS, ENEMY_SWAPS = [(40, MINE[1])], [(0, THEIRS[1]), (25, THEIRS[2]), (40, THEIRS[0])]


@pytest.mark.long
def test_a_batch_and_a_recording_change_the_enemys_plan_as_one_game_does() -> None:
    result = hive.play(WORLD, MINE[0], [5, 6], swaps=SWAPS, enemy_swaps=ENEMY_SWAPS)
    params = WORLD.params.replace(enemy=THEIRS[1])
    orders, game = begun(params, MINE[0])
    params, orders, game = swap_sides(params, orders, to(params, orders, game, 25), enemy=THEIRS[2])
    game = to(params, orders, game, 40)
    params, orders, game = swap_sides(params, orders, game, player=MINE[1], enemy=THEIRS[0])
    game = to(params, orders, game, 400)
    assert (result.ticks[0], result.outcome[0]) == (int(game.state.tick), OUTCOMES[int(game.outcome)])
    assert int(game.outcome) != Outcome.RUNNING
    seen: Any = record(WORLD, MINE[0], 5, swaps=SWAPS, enemy_swaps=ENEMY_SWAPS)
    np.testing.assert_allclose(seen.position[-1], game.state.position, atol=150 / 65535)
    theirs = [each for each in seen.course.steps if each.side == ENEMY]
    assert [each.plan for each in theirs] == [0, 0, 1, 1, 2]
    assert [each.plan for each in seen.course.steps if each.side == PLAYER] == [0, 1, 1]
    last = seen.course.groups[seen.course.group[-1, -1]]
    assert seen.course.steps[last.step].plan == 2


@pytest.mark.parametrize(("mine", "theirs"), [((0,), ()), ((), (5, 5)), ((9, 4), ()), ((), (-1,))])
def test_swaps_of_either_side_come_in_the_order_of_time(mine: tuple[int, ...], theirs: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="rise from"):
        in_turn(MINE[0], [(tick, MINE[1]) for tick in mine], THEIRS[0], [(tick, THEIRS[1]) for tick in theirs])
