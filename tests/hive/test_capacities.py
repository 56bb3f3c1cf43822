"""Batches of plan against plan in a capacities: the games of each pair alone, and nothing compiled for other plans."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import jax
import numpy as np
import pytest

import hive
from hive.engine import episode
from hive.engine.batch.capacities import Capacities
from hive.engine.batch.result import Result
from hive.engine.batch.sweep import Sweep
from hive.engine.batch.value import LOSSES, values
from hive.engine.objective import steps_left
from hive.engine.plan.arrays import make_orders
from hive.engine.types import ENEMY, PLAYER, Goals, Plan
from hive.experiments.bench.timing import COMPILED, events
from hive.worlds.battle.world import Battle, load
from tests.hive.skirmish import SKIRMISH, SMALL_PLAN, same_games

CAPACITIES = Capacities(plans=3, steps=2, groups=4, memberships=2, places=4)
SEEDS = [5, 2]
EAST = SMALL_PLAN.replace("(20, 20)", "(35, 5)")
SOUTH = SMALL_PLAN.replace("(20, 20)", "(25, 10)")
BACK = """\
Step 0:
prerequisites: []
objective: position
units: [0:6]
- target position: (12, 3)
- behavior: follow_map
units: [6:12]
- target position: (5, 35)
- behavior: attack_and_move

Step 1:
prerequisites: [0]
objective: elimination all
units: all
- target position: (30, 30)
- behavior: attack_in_close_range
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Battle:
    """The player has to reach a place beyond the water, the enemy to kill."""
    folder = tmp_path_factory.mktemp("race")
    text = SKIRMISH.replace("[enemy]", "objective = { position = [35, 5] }\n[enemy]").replace(
        "limit = 60", "limit = 40"
    )
    (folder / "race.toml").write_text(text)
    (folder / "enemy.plan").write_text(SMALL_PLAN)
    return load(folder / "race.toml")


def against(world: Battle, text: str) -> Battle:
    """The same world with another plan of the enemy."""
    scenario = world.scenario
    return replace(world, scenario=replace(scenario, enemy=replace(scenario.enemy, plan=text)))


def pairs(world: Battle, *texts: tuple[str, str], capacities: Capacities = CAPACITIES) -> Sweep:
    mine, theirs = zip(*texts, strict=True)
    return hive.sweep(
        world,
        [hive.read_plan(text, world) for text in mine],
        SEEDS,
        names=[str(number) for number in range(len(texts))],
        enemies=[hive.read_plan(text, world, side=ENEMY) for text in theirs],
        capacities=capacities,
    )


@pytest.fixture(scope="module")
def played(world: Battle) -> Sweep:
    return pairs(world, (EAST, SMALL_PLAN), (BACK, SMALL_PLAN), (SOUTH, BACK), (EAST, BACK))


@pytest.mark.long
def test_each_pair_plays_the_games_that_it_plays_alone(world: Battle, played: Sweep) -> None:
    """To the bit: without capacities, with the enemy's plan as the scenario's own, and in two batches of three rows."""
    host = against(world, BACK)
    alone = hive.sweep(host, [hive.read_plan(text, host) for text in (SOUTH, EAST)], SEEDS, names=["a", "b"])
    for mine, cell in zip(played.results[2:], alone.results, strict=True):
        same_games(replace(mine, achieved=cell.achieved), cell)
        np.testing.assert_array_equal(mine.achieved, cell.achieved)
    assert len({(cell.survivors.tobytes(), cell.way.tobytes()) for cell in played.results}) == 4, "both plans matter"


@pytest.mark.long
def test_other_plans_of_another_number_compile_nothing(world: Battle, played: Sweep) -> None:
    del played
    with events() as compiled:
        pairs(world, (SOUTH, SMALL_PLAN), (BACK, BACK))
    assert COMPILED not in compiled
    with events() as compiled:
        pairs(world, (SOUTH, SMALL_PLAN), capacities=Capacities(plans=2))
    assert COMPILED in compiled, "a batch of another shape is seen"


def test_a_batch_is_split_where_its_plans_or_targets_end(world: Battle) -> None:
    a, b, c = (hive.read_plan(text, world) for text in (EAST, BACK, SOUTH))
    assert Capacities(plans=4, places=4).batches([a, b, c, a]) == [range(0, 2), range(2, 4)], (
        "a and b have four targets"
    )
    assert Capacities(plans=2, places=64).batches([a, b, c]) == [range(0, 2), range(2, 3)]
    assert Capacities(plans=4, places=4).batches([a] * 3, [a, b, c]) == [range(0, 2), range(2, 3)], "so do the enemy's"
    many = Capacities(plans=5, places=8).batches([a, b, c] * 7)
    assert [at for batch in many for at in batch] == list(range(21))
    assert all(before.stop == after.start for before, after in pairwise(many))


@pytest.mark.slow
@pytest.mark.parametrize(("small", "why"), [({"steps": 1}, "its steps"), ({"groups": 2}, "its groups")])
def test_a_plan_that_does_not_fit_is_refused_with_the_reason(world: Battle, small: dict[str, int], why: str) -> None:
    plan, capacities = hive.read_plan(BACK, world), Capacities(**small)
    assert why in str(capacities.why_not(plan)) and Capacities().why_not(plan) is None
    with pytest.raises(ValueError, match=why):
        hive.sweep(world, [plan], SEEDS, capacities=capacities)


def test_rooms_and_rows_are_checked(world: Battle) -> None:
    assert (Capacities(steps=5).steps, Capacities(steps=8).steps) == (8, 8)
    with pytest.raises(ValueError, match="capacity for groups is 0"):
        Capacities(groups=0)
    with pytest.raises(ValueError, match=r"capacity for plans is 2\.5; it is a whole number"):
        Capacities(plans=2.5)
    plan: Plan = hive.read_plan(EAST, world)
    with pytest.raises(ValueError, match="2 plans and 1 plans of the enemy"):
        hive.sweep(world, [plan, plan], SEEDS, enemies=[hive.read_plan(EAST, world, side=ENEMY)])


def plain_steps(free: np.ndarray, goal: tuple[int, int]) -> dict[tuple[int, int], int]:
    """Breadth-first search over free cells (docs/rules/battles.md 1.5)."""
    steps, front = {goal: 0}, [goal]
    for x, y in front:
        for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if near not in steps and all(0 <= at < len(free) for at in near) and free[near]:
                steps[near] = steps[x, y] + 1
                front.append(near)
    return steps


@pytest.mark.long
def test_the_way_is_the_fewest_steps_of_a_plain_search_over_all_ticks(world: Battle) -> None:
    """docs/rules/battles.md 4.5"""
    steps = plain_steps(world.kind == 0, (35, 5))
    params, key = world.params, jax.random.key(SEEDS[0])
    orders = jax.jit(make_orders)(params, hive.read_plan(SOUTH, world))
    game, go_on = jax.jit(episode.begin)(params, orders, key), jax.jit(episode.advance)
    nearest, mine = [], np.asarray(params.units.side) == PLAYER
    while True:
        at = np.asarray(game.state.position)[mine & np.asarray(game.state.alive)].astype(int)
        if len(at):
            nearest.append(min(steps[x, y] for x, y in at.tolist()))
        assert steps_left(params, orders, game.state)[PLAYER] == (nearest[-1] if len(at) else -1)
        assert game.way.tolist() == [[nearest[0], min(nearest)], [-1, -1]]
        if game.outcome:
            break
        game = go_on(params, orders, game, key, game.state.tick + 1)
    assert min(nearest) < nearest[0]


def test_a_value_is_one_for_a_win_and_else_what_was_reached(world: Battle) -> None:
    """docs/rules/rewards.md 1: the part of the way that was gone, of games in which it was or became longer as well."""
    ways = [[0, 40], [30, 40], [40, 40], [50, 40], [0, 0], [9, 12]]
    at_end = replace(games(np.zeros(6)), way=np.array([[[first, least], [-1, -1]] for least, first in ways]))
    share = np.array([1, 0.25, 0, 0, 1, 0.25])
    np.testing.assert_allclose(values(world, at_end), share)
    won = np.array([False, True] * 3)
    ends = tuple("win" if each else "timeout" for each in won)
    np.testing.assert_allclose(values(world, replace(at_end, outcome=ends)), np.where(won, 1, share))
    killing = _with(world, goals=Goals.of())
    shares = replace(games(np.array([0.25, 1.0])), outcome=("timeout", "win"))
    assert values(killing, shares).tolist() == [0.25, 1]
    with pytest.raises(ValueError, match="not played"):
        values(world, replace(at_end, ticks=np.array([3.0, np.nan, 1, 1, 1, 1])))


@pytest.mark.long
def test_a_game_that_is_played_has_the_value_of_its_way(world: Battle, played: Sweep) -> None:
    for cell in played.results:
        share = 1 - cell.way[:, PLAYER, 1] / cell.way[:, PLAYER, 0]
        won = np.array(cell.outcome) == "win"
        np.testing.assert_allclose(values(world, cell), np.where(won, 1, share.clip(0, 1)))
    assert (values(world, played.results[1]) < 1).all()


@pytest.mark.parametrize(
    ("level", "scores", "expected"),
    [("cut_trees_sparse_small", [0, 9], None), ("suppress_contain", [0, -LOSSES], [1, 0.5])],
)
def test_a_level_has_a_value_by_its_score(level: str, scores: list[int], expected: list[float] | None) -> None:
    world = hive.load(f"wildfire/{level}")
    best = int(world.params.crews.task.best)
    found = values(world, games(np.array(scores)))
    assert found.tolist() == (expected or [0, 9 / best])


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([1.0, 4.0], "mean 2.5"),
        ([1.0, 4.0, np.inf], "mean 2.5; without 1 game in which no unit was left"),
        ([np.inf] * 2, "no mean; without 2 games in which no unit was left"),
        ([np.nan], "no mean"),
    ],
)
def test_a_mean_is_that_of_the_games_that_have_a_score(scores: list[float], words: str) -> None:
    """A team that dies before it reaches a place is infinitely far from it (docs/rules/battles.md 4.4)."""
    assert games(np.array(scores)).total().endswith(f"score (): {words}")


def games(score: np.ndarray) -> Result:
    """Games that ended at the limit with these scores; what a value does not depend on is 0."""
    none = np.zeros((len(score), 0), int)
    return Result(
        scenario="",
        plan="",
        seed=np.arange(len(score)),
        outcome=("timeout",) * len(score),
        ticks=np.ones(len(score)),
        score=score,
        score_is="",
        survivors=none,
        achieved=none,
        way=none,
        seconds=0.0,
        metrics=(),
    )


def _with(world: Battle, **changes: object) -> Battle:
    other = replace(world)
    other.__dict__["params"] = world.params.replace(**changes)
    return other
