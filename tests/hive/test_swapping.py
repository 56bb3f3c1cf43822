"""A plan changes while its game runs: nothing is compiled again, and nothing but the player's orders changes."""

from __future__ import annotations

import dataclasses
from typing import Any

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
import hive
from hive.engine import episode, swapping
from hive.engine.batch import lanes
from hive.engine.instant import advance_game, begin_game, orders_of
from hive.engine.plan.arrays import compile_plan
from hive.engine.swapping import replan, swap, with_room
from hive.engine.types import ENEMY, OUTCOMES, PLAYER, Orders, Plan
from hive.worlds.battle.recorder import record
from tests.lanes import lane_of, stack_lanes

WORLD = hive.load("coordinate", units=20, limit=1000)
PARAMS, KEY = WORLD.params, jax.random.key(3)


def step(number: int, after: str, where: str, how: str, what: str = "elimination all", units: str = "all") -> str:
    return (
        f"Step {number}:\nprerequisites: [{after}]\nobjective: {what}\nunits: {units}\n"
        f"- target position: ({where})\n- behavior: {how}\n"
    )


def read(*steps: str) -> Plan:
    return hive.read_plan(f"BEGIN PLAN\n{''.join(steps)}END PLAN\n", WORLD, written_for=WORLD.sizes)


AWAY = read(step(0, "", "10, 5", "follow_map any"))
BACK = read(step(0, "", "140, 5", "follow_map any"), step(1, "0", "10, 5", "attack_in_close_range any"))
FIGHT = read(*(step(n, str(n - 1) if n else "", f"{20 + 10 * n}, 75", "attack_in_long_range any") for n in range(4)))
FEW = read(step(0, "", "75, 60", "follow_map any", units="[0:5]"))


_FIELD: tuple[dsl.Objective, ...] = (
    dsl.Cut(((30, 40), (31, 40), (5, 6))),
    dsl.Extinguish(),
    dsl.Contain((30, 31), 12),
    dsl.Rescue(3, (20, 21)),
    dsl.Transport(6, (92, 11)),
    dsl.Scout(((40, 10), (10, 41))),
    dsl.Scout(None),
    dsl.Cut(((1, 2),)),
)
CREWED = compile_plan(  # no scenario of a battle lets such a plan through; its objectives are never met there
    dsl.PlanSyntax(
        tuple(
            dsl.Step(number, (), objective, (dsl.Group(dsl.UnitList((number,)), (10, 5), "stand"),))
            for number, objective in enumerate(_FIELD)
        )
    ),
    PLAYER,
    WORLD.sizes,
    WORLD.behaviours,
)


def roomy(plan: Plan) -> Plan:
    """The plan with the capacities that all games here share with live games of commands, and so their programs."""
    return with_room(plan)


def to(orders: Orders, game: episode.Game, tick: int) -> episode.Game:
    return advance_game(PARAMS, orders, game, KEY, jnp.int32(tick))


def start(plan: Plan) -> tuple[Orders, episode.Game]:
    orders = orders_of(PARAMS, roomy(plan))
    return orders, begin_game(PARAMS, orders, KEY)


def same(one: Any, other: Any) -> None:
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


@pytest.mark.slow
def test_three_changes_of_plan_retrace_nothing_and_each_is_obeyed() -> None:
    orders, game = start(AWAY)
    middles, programs = [], []
    for until, plan in ((40, BACK), (120, FIGHT), (160, FEW), (200, None)):
        game = to(orders, game, until)
        middles.append(np.asarray(game.state.position)[np.asarray(PARAMS.units.side) == PLAYER, 0].mean())
        if plan is not None:
            orders, game = swap(PARAMS, orders, game, plan)
        programs.append((advance_game._cache_size(), swapping._swap._cache_size()))
    assert game.state.tick == 200
    assert programs[1:] == programs[:-1], "after the first change, nothing is traced or compiled"
    assert middles[0] < middles[1] - 20  # west, then east
    assert middles[2] < middles[1]  # and back to the west end of the line
    led = np.asarray(game.progress.group)[np.asarray(PARAMS.units.side) == PLAYER]
    assert (led[:5] >= 0).all() and (led[5:] == -1).all()


@pytest.mark.slow
def test_units_that_the_new_plan_does_not_name_stand() -> None:
    orders, game = start(AWAY)
    orders, game = swap(PARAMS, orders, to(orders, game, 20), FEW)
    after = to(orders, game, 21)
    moved = np.abs(np.asarray(after.state.position - game.state.position)).max(1)[np.asarray(PARAMS.units.side) == 0]
    assert moved[:5].max() > 0.5
    assert moved[5:].max() < 0.3  # jitter and pushes alone


def test_swapping_in_the_same_plan_before_the_first_tick_changes_nothing() -> None:
    orders, game = start(FIGHT)
    again, other = swap(PARAMS, orders, game, FIGHT)
    same((orders, game), (again, other))


@pytest.mark.slow
def test_the_enemy_goes_on_with_its_own_plan() -> None:
    """Its achieved steps, its active ones and its groups stay, whatever capacities the player's plans have."""
    orders, game = start(AWAY)
    game = to(orders, game, 400)
    theirs = np.asarray(orders.owner) == ENEMY
    assert (np.asarray(game.progress.achieved)[theirs] >= 0).any()
    large = with_room(FIGHT, steps=16, groups=64, memberships=8, places=16)
    new, swapped = swap(PARAMS, orders, game, large)
    mine = np.asarray(new.owner) == PLAYER
    for name in ("achieved", "active"):
        before, after = (np.asarray(getattr(g.progress, name)) for g in (game, swapped))
        np.testing.assert_array_equal(before[theirs], after[~mine])
    foes = np.asarray(PARAMS.units.side) == ENEMY
    for name in ("tree", "types"):
        before = np.asarray(getattr(orders.plan, name))[np.asarray(game.progress.group)[foes]]
        after = np.asarray(getattr(new.plan, name))[np.asarray(swapped.progress.group)[foes]]
        np.testing.assert_array_equal(before, after)
    same(game.state, swapped.state)


def test_the_distance_maps_are_those_of_the_new_plan_and_of_the_enemy() -> None:
    orders, game = start(AWAY)
    new, _ = swap(PARAMS, orders, game, FIGHT)
    same(new, orders_of(PARAMS, roomy(FIGHT)))


@pytest.mark.slow
def test_a_game_whose_plan_is_finished_goes_on_and_one_that_is_over_does_not() -> None:
    near = read(step(0, "", "75, 8", "stand", what="position", units="[0:1]"))
    orders, game = start(near)
    game = to(orders, game, 1000)
    assert OUTCOMES[int(game.outcome)] == "plan_finished"
    _, revived = swap(PARAMS, orders, game, FIGHT)
    assert OUTCOMES[int(revived.outcome)] == "running"
    for outcome in ("win", "lose", "timeout"):
        over = game.replace(outcome=jnp.int32(OUTCOMES.index(outcome)))
        assert int(swap(PARAMS, orders, over, FIGHT)[1].outcome) == OUTCOMES.index(outcome)


@pytest.mark.long  # larger arrays are swapped in above (`large`) and below (`CREWED`); here they are played as well
def test_a_plan_too_large_for_the_room_gets_more_of_it() -> None:
    orders, game = start(AWAY)
    game = to(orders, game, 10)
    large = read(*(step(n, "", f"{5 + n}, 75", "attack_in_long_range any") for n in range(20)))
    new, game = swap(PARAMS, orders, game, large)
    assert new.plan.exists.shape[0] - orders.plan.exists.shape[0] == 32 - 8
    assert to(new, game, 12).state.tick == 12


@pytest.mark.slow
def test_cells_that_objectives_list_are_a_capacity_like_the_others() -> None:
    """A plan that lists some fits into a game that has room for them, and makes room in one that has not."""
    orders = orders_of(PARAMS, with_room(AWAY, cells=8))
    game = begin_game(PARAMS, orders, KEY)
    new, after = swap(PARAMS, orders, game, CREWED)
    chex.assert_trees_all_equal_shapes((new, after), (orders, game))
    listed = [tuple(row) for row in np.asarray(new.plan.cell).tolist() if row[0] >= 0]
    assert listed == [(0, 30, 40), (0, 31, 40), (0, 5, 6), (7, 1, 2)]

    tight = orders_of(PARAMS, with_room(AWAY))
    game = begin_game(PARAMS, tight, KEY)
    grown, _ = swap(PARAMS, tight, game, CREWED)
    assert grown.plan.cell.shape[0] - tight.plan.cell.shape[0] == 4 - 1
    again, _ = swap(PARAMS, grown, game, AWAY)
    assert again.plan.cell.shape == grown.plan.cell.shape
    assert (np.asarray(again.plan.cell) == -1).all()


@pytest.mark.long
def test_a_plan_of_the_second_edition_is_swapped_in_as_if_it_had_been_there_from_the_start() -> None:
    """What only such plans have is added to the game; the enemy's progress and its distance maps keep their meaning."""
    source = FEW.source
    assert source is not None
    (step,), (group,) = source.steps, source.steps[0].groups
    first = dataclasses.replace(group, cover=True, leash=9, choice=dsl.Nearest(3, (75, 10)))
    last = dataclasses.replace(group, units=dsl.UnitList((7,)), behind=dsl.Behind(0, 5))
    plan = dsl.PlanSyntax((dataclasses.replace(step, groups=(first, last), objective=dsl.Losses(50)),))
    second = compile_plan(plan, PLAYER, WORLD.sizes, WORLD.behaviours)
    played = to(*start(second), 40)
    orders, game = swap(PARAMS, *start(AWAY), roomy(second))
    same(to(orders, game, 40).state, played.state)

    orders, game = swap(PARAMS, orders, game, roomy(AWAY))  # and out again
    same(to(orders, game, 40).state, to(*start(AWAY), 40).state)


@pytest.mark.slow
def test_games_of_a_batch_may_each_get_a_plan_of_their_own() -> None:
    """A swap of plans in a batch is the swap in each game alone."""
    orders, game = start(AWAY)
    plans = [roomy(plan) for plan in (FIGHT, BACK)]
    two = stack_lanes(*plans)
    many = jax.jit(jax.vmap(replan, (None, None, None, 0)))(PARAMS, orders, game, two)
    for number, plan in enumerate(plans):
        same(lane_of(many, number), swap(PARAMS, orders, game, plan))


SWAPS = [(30, BACK), (60, FIGHT)]


def by_hand(seed: int) -> episode.Game:
    """The same game through the pure layer."""
    key = jax.random.key(seed)
    orders = orders_of(PARAMS, roomy(AWAY))
    game = begin_game(PARAMS, orders, key)
    for until, plan in ((30, BACK), (60, FIGHT)):
        orders, game = swap(PARAMS, orders, advance_game(PARAMS, orders, game, key, jnp.int32(until)), plan)
    return advance_game(PARAMS, orders, game, key, jnp.int32(1000))


@pytest.mark.long
def test_a_recording_shows_every_plan_that_was_followed() -> None:
    seen = record(WORLD, roomy(AWAY), 0, swaps=[(20, BACK), (40, FIGHT), (60, FEW), (80, CREWED)], every=10)
    course = seen.course
    assert course is not None
    mine = [step for step in course.steps if step.side == PLAYER]
    assert [step.plan for step in mine] == [0, 1, 1, 2, 2, 2, 2, 3, *[4] * 8]
    assert [step.objective for step in mine[-8:]] == [dsl.format_objective(objective) for objective in _FIELD]
    assert all(step.achieved == -1 for step in mine[-8:])  # a battle has no crew
    for tick, plan in ((20, 0), (30, 1), (50, 2), (70, 3)):
        active = course.active[seen.frame_at(tick)]
        assert {step.plan for step, now in zip(course.steps, active, strict=True) if now and not step.side} == {plan}
        leader = course.groups[course.group[seen.frame_at(tick), 0]]
        assert course.steps[leader.step].plan == plan
    behaviour = [course.groups[index].behaviour for index in np.unique(course.group[seen.frame_at(50)]) if index >= 0]
    assert "attack_in_long_range any" in behaviour
    other = record(WORLD, roomy(AWAY), 0, swaps=SWAPS)
    np.testing.assert_allclose(other.position[-1], by_hand(0).state.position, atol=150 / 65535)


@pytest.mark.parametrize("ticks", [(0,), (5, 5), (9, 4)])
def test_swaps_must_come_in_the_order_of_time(ticks: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="rise from 1"):
        record(WORLD, AWAY, 0, swaps=[(tick, FIGHT) for tick in ticks])


@pytest.mark.long
def test_games_of_a_batch_change_their_plans_as_one_game_does() -> None:
    """In segments of `play`, with metrics of every tick; nothing compiles twice."""
    told: list[int] = []
    programs = lanes.go_on_watched._cache_size()
    result = hive.play(WORLD, roomy(AWAY), [0, 1], swaps=SWAPS, progress=lambda tick, outcomes: told.append(tick))
    assert lanes.go_on_watched._cache_size() <= programs + 1
    for number, seed in enumerate((0, 1)):
        game = by_hand(seed)
        assert result.ticks[number] == game.state.tick
        assert result.outcome[number] == OUTCOMES[int(game.outcome)]
        np.testing.assert_array_equal(result.metrics[number].tick, np.arange(1, result.ticks[number] + 1))
        np.testing.assert_array_equal(
            result.achieved[number], np.asarray(game.progress.achieved)[: result.achieved.shape[1]]
        )
    assert told[:3] == [30, 60, 110]


def test_plans_change_in_games_of_one_plan_alone() -> None:
    with pytest.raises(TypeError, match="one plan"):
        hive.play(WORLD, [AWAY, BACK], [0], swaps=SWAPS)
