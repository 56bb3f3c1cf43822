"""Objectives of all kinds: a law with an oracle in NumPy, and battles of different missions in one program."""

from __future__ import annotations

from typing import Any

import chex
import jax
import numpy as np
import pytest

import hive
from hive.engine.episode import Episode
from hive.engine.objective import goals_met, score, tally
from hive.engine.types import ENEMY, PLACES, PLAYER, Goal, GoalKind, Goals, Params, Plan, State
from hive.worlds.battle.environment import scoring
from tests.engine.worlds import behaviours_of, ground, make_params, make_state
from tests.hive.skirmish import SMALL_PLAN, skirmish
from tests.lanes import lane_of, stack_lanes

COUNT, CASES, RADIUS = 16, 400, 3.0
KEY = jax.random.key(3)
SIDE, KIND = np.arange(COUNT) // 10, np.arange(COUNT) % 3  # ten units against six, of three types


def draw_goal(rng: np.random.Generator) -> Goal:
    kind, count = GoalKind(rng.integers(3)), rng.integers(1, PLACES + 1)
    return Goal(
        kind=kind,
        places=rng.integers(5, 20, (count, 2)).tolist() if kind == GoalKind.POSITION else (),
        type=int(rng.integers(-1, 3)),
        needed=int(rng.integers(1, 4)),
        until=int(rng.integers(1, 9)) if kind == GoalKind.SURVIVAL else 0,
    )


def judged(goal: Goal, side: int, at: np.ndarray, alive: np.ndarray, tick: int) -> tuple[bool, float]:
    """Whether a side has met its objective, and its score (docs/rules/battles.md 4.3, 4.4), unit by unit."""
    foes = alive[side != SIDE]
    if goal.kind == GoalKind.ELIMINATION:
        return not foes.any(), float(np.float32(np.mean(~foes)))
    fit = [at[row] for row in range(COUNT) if alive[row] and SIDE[row] == side and goal.type in (-1, KIND[row])]
    if goal.kind == GoalKind.SURVIVAL:
        safe = len(fit) >= goal.needed and not foes.any()
        return len(fit) >= goal.needed and (safe or tick >= goal.until), 1.0 if safe else min(1.0, tick / goal.until)
    away = [min(float(np.hypot(*(place - unit))) for place in np.array(goal.places)) for unit in fit]
    there = sum(metres <= RADIUS for metres in away)
    if goal.needed == 1:
        return there >= 1, min(away, default=np.inf)
    return there >= goal.needed, min(1.0, there / goal.needed)


def test_objectives_are_met_and_scored_as_an_oracle_says_unit_by_unit() -> None:
    """One program for objectives of all kinds, of which every outcome occurs."""
    rng = np.random.default_rng(0)
    params = make_params(SIDE, KIND, ground(), behaviours_of(["A(stand)"]), goal_radius=RADIUS)
    goals = [(draw_goal(rng), draw_goal(rng)) for _ in range(CASES)]
    at = rng.uniform(5, 20, (CASES, COUNT, 2)).astype(np.float32)
    alive = rng.random((CASES, COUNT)) < rng.choice([0.0, 0.3, 0.9], (CASES, 2))[:, SIDE]
    tick = rng.integers(0, 12, CASES)

    @jax.jit
    @jax.vmap
    def judge(goals: Goals, state: State) -> tuple[jax.Array, jax.Array]:
        own = params.replace(goals=goals)
        return goals_met(own, state, tally(own, state)), score(own, state)

    every: Any = stack_lanes(*[Goals.of(*pair).replace(walked=False) for pair in goals])
    states = stack_lanes(*[make_state(*each) for each in zip(at, alive, [None] * CASES, tick.tolist(), strict=True)])
    met, scores = (np.asarray(each) for each in judge(every, states))
    cases = zip(goals, at, alive, tick, strict=True)
    wanted = [[judged(pair[side], side, *case) for side in (PLAYER, ENEMY)] for pair, *case in cases]
    np.testing.assert_array_equal(met, [[one[0] for one in both] for both in wanted])
    np.testing.assert_allclose(scores, [both[PLAYER][1] for both in wanted], rtol=1e-6)
    for kind in GoalKind:
        seen = {bool(one) for pair, (one, _) in zip(goals, met, strict=True) if pair[PLAYER].kind == kind}
        assert seen == {False, True}, kind


@pytest.fixture(scope="module")
def battles(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Params], Plan]:
    """Battles of four missions in equal shapes, and a plan for all."""
    missions = [
        {},
        {"player": "{ position = [20, 20] }"},
        {"player": "{ positions = [[30, 20], [30, 35]], share = 0.5, type = 'archer' }", "enemy": "{ survive = 9 }"},
        {"player": "{ survive = 40, share = 0.3 }", "enemy": "{ positions = [[3, 3], [8, 20]] }"},
    ]
    folder = tmp_path_factory.mktemp("battles")
    worlds = [skirmish(folder, **objectives) for objectives in missions]
    params = [world.params.replace(goals=world.params.goals.replace(walked=True)) for world in worlds]
    return params, hive.read_plan(SMALL_PLAN, worlds[0])


@pytest.fixture(scope="module")
def alone(battles: tuple[list[Params], Plan]) -> list[Episode]:
    """The game of each battle, of one program."""
    play = jax.jit(lambda *game: hive.rollout(*game))  # `jit` of one function shares its programs with other tests
    params, plan = battles
    found = [play(each, plan, KEY) for each in params]
    assert play._cache_size() == 1
    return found


@pytest.mark.long
def test_battles_of_different_missions_are_lanes_of_one_program(
    battles: tuple[list[Params], Plan], alone: list[Episode]
) -> None:
    """Each is the same game alone and in company, to the bit; `rl/test_battle_sets.py` says so of three more."""
    together = jax.jit(jax.vmap(hive.rollout, (0, None, None)))(stack_lanes(*battles[0]), battles[1], KEY)
    for number, episode in enumerate(alone):
        chex.assert_trees_all_equal(lane_of(together, number), episode)


@pytest.mark.long
def test_each_mission_has_its_own_game_and_score(battles: tuple[list[Params], Plan], alone: list[Episode]) -> None:
    """docs/rules/battles.md 4.4 and docs/rules/rewards.md 1, in games of one program."""
    params = battles[0]
    assert len({(int(each.outcome), int(each.ticks)) for each in alone}) == len(params)
    through = alone[2]
    way, score_now = np.asarray(through.way[PLAYER], float), float(through.score)
    scored = jax.jit(scoring.score, static_argnums=2)
    reached = float(scored(params[2], through.game, PLAYER))
    assert reached == pytest.approx((1 - way[1] / way[0] + score_now) / 2), "docs/rules/rewards.md 1"
    assert 0 < reached < 1
    held = alone[3]
    assert float(held.score) == pytest.approx(int(held.ticks) / 40) == float(scored(params[3], held.game, PLAYER))
