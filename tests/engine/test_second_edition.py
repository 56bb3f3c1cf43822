"""Leashes, groups behind groups and ways under cover, each against plain Python (docs/rules/plans.md 3.9 to 3.11)."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
import scenarios
from dsl import Behind, Group, PlanSyntax, Step, Time, UnitList, UnitSlice
from hive.engine.deciding import Decision
from hive.engine.plan.arrays import compile_plan, extras_of, make_orders
from hive.engine.plan.progress import start
from hive.engine.reading import read_plan
from hive.engine.spawning import reset
from hive.engine.types import ENEMY, PLAYER, Boxes, Orders, Params
from hive.ground.shapes import Ground
from hive.worlds.battle.reasons import in_words, reasons
from hive.worlds.battle.world import load
from tests.engine.worlds import behaviours_of, decide, ground, make_params, make_state, pad_plan

SIDE, SIZES = 48, (8, 8)
SIDES = np.repeat([PLAYER, ENEMY], SIZES)
TREES = {
    "fight": "F(A(move toward closest foe any) :: A(follow_map toward))",
    "flee": "F(A(move away_from closest foe any) :: A(follow_map away_from))",
    "go": "F(A(follow_map toward) :: A(stand))",
    "west": "F(A(move west) :: A(stand))",
}
CAPACITY = {"steps": 1, "groups": 4, "places": 4, "rows": 1, "figure": 1, "leash": 1, "behind": 1, "cover": 1}
ALL, FIRST, LAST = UnitList(None), UnitList((UnitSlice(0, 4),)), UnitList((UnitSlice(4, 8),))
NOWHERE = PlanSyntax(())

orders_of, begin = jax.jit(make_orders), jax.jit(start)


def terrain() -> np.ndarray:
    """A river with two fords, woods on both sides, and a house."""
    return ground(
        SIDE,
        water=[(0, 20, 12, 23), (15, 20, 40, 23), (44, 20, 48, 23)],
        forest=[(36, 4, 47, 19), (40, 24, 46, 40), (5, 30, 12, 36)],
        building=[(20, 30, 26, 36)],
    )


def world(kind: np.ndarray | None = None) -> Params:
    """Eight spearmen start in the south, eight archers in the north; nobody wanders."""
    params = make_params(SIDES, SIDES, terrain() if kind is None else kind, behaviours_of(list(TREES.values())))
    boxes = [[(x, y) for x in range(10, 20) for y in low] for low in (range(4), range(40, 44))]
    cells = Boxes(cell=jnp.asarray(boxes, jnp.int32), count=jnp.full(2, 40, jnp.int32))
    return params.replace(boxes=cells, units=params.units.replace(box=params.units.side))


def orders_for(params: Params, *groups: Group) -> Orders:
    compiled = [
        pad_plan(compile_plan(plan, side, SIZES, list(TREES)), **CAPACITY)
        for side, plan in ((PLAYER, PlanSyntax((Step(0, (), Time(99), groups),))), (ENEMY, NOWHERE))
    ]
    return orders_of(params.replace(enemy=compiled[1]), compiled[0])


def decided(params: Params, at: Any, *groups: Group, alive: Sequence[bool] | None = None) -> tuple[Orders, Decision]:
    orders = orders_for(params, *groups)
    state = make_state(at, np.ones(16) if alive is None else np.asarray(alive))
    return orders, decide(params, orders, begin(params, orders, state), state, jnp.uint32(5))


def free_places(rng: np.random.Generator, count: int) -> np.ndarray:
    free = np.argwhere((terrain() & (Ground.WATER.value | Ground.BUILDING.value)) == 0)
    return (free[rng.integers(len(free), size=count)] + rng.random((count, 2))).astype(np.float32)


@pytest.mark.slow
def test_plans_that_use_nothing_of_the_second_edition_have_nothing_of_it() -> None:
    """So their programs are the same text as before it: what is None is no argument and no operation."""
    for name in scenarios.names():
        world = load(name)
        for plan in (read_plan(name if name != "markers_terrain" else "follow_markers", world), world.params.enemy):
            assert not any(extras_of(plan).values())


@pytest.mark.parametrize("tree", ["fight", "flee", "west"])
def test_a_leash_forbids_steps_that_end_beyond_it_and_farther_than_they_begin(tree: str) -> None:
    """A step that is forbidden fails, so the tree goes on; without a leash the same step is taken."""
    params, outcomes = world(), set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        target = (int(rng.integers(2, 46)), int(rng.integers(2, 18)))
        at, leash = free_places(rng, 16), int(rng.integers(1, 12))
        at[:8] = (at[:8] * [1, 0.4] + target) / 2 if seed % 2 else at[:8]
        _, loose = decided(params, at, Group(ALL, target, tree))
        _, tied = decided(params, at, Group(ALL, target, tree, leash=leash))
        slot = int(params.behaviours.leaves.slot[list(TREES).index(tree), 0])
        step = np.asarray(loose.looked.steps)[slot, :8]
        now, end = (np.linalg.norm(place - np.float64(target), axis=1) for place in (at[:8], at[:8] + step))
        forbidden = (end > leash) & (end > now)
        was = np.asarray(loose.answers)[0, :8]
        assert (np.asarray(tied.answers)[0, :8] == was & ~forbidden).all()
        outcomes |= set(zip(was, forbidden, strict=True))
        for unit in np.flatnonzero(was & forbidden)[:1]:
            (why,) = reasons(params, make_state(at, np.ones(16)), tied, int(unit), [0])
            assert "than the leash allows" in in_words(why)
        mapped = (np.asarray(tied.ticked.winner)[:8] == 1) & (tree == "flee")  # the step up the map is tied as well
        ends = np.linalg.norm(at[:8] + np.asarray(tied.action.move)[:8] - np.float64(target), axis=1)
        assert not (mapped & (ends > leash) & (ends > now)).any()
    assert {(True, True), (True, False)} <= outcomes


def test_a_group_behind_another_one_waits_while_it_is_as_far_as_that_ones_mean_and_the_gap() -> None:
    params = world(ground(SIDE))
    outcomes = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        target, gap = (int(rng.integers(SIDE)), int(rng.integers(SIDE))), int(rng.integers(1, 12))
        at, alive = rng.uniform(0, SIDE, (16, 2)).astype(np.float32), rng.random(16) < 0.8
        alive[:4] &= seed != 3  # nobody of the group ahead lives
        groups = (Group(FIRST, target, "go"), Group(LAST, (1, 1), "go", behind=Behind(0, gap)))
        _, decision = decided(params, at, *groups, alive=alive)
        steps = np.abs(np.floor(at[:8]) - target).sum(1)  # on open ground
        ahead = steps[:4][alive[:4]]
        waits = (np.arange(8) >= 4) & (ahead.size > 0 and steps <= ahead.mean() + gap)
        goes = alive[:8] & ~waits & (steps > 0)
        assert ((np.asarray(decision.action.kind)[:8] == 1) == goes).all()
        outcomes |= set(waits[4:].tolist())
        for unit in np.flatnonzero(waits & alive[:8])[:1]:
            (why,) = reasons(params, make_state(at, alive), decision, int(unit), [0])
            assert in_words(why) == f"the group ahead is not far enough on: {steps[unit]:g} m to the target"
    assert outcomes == {True, False}


def dijkstra(kind: np.ndarray, weight: np.ndarray, target: tuple[int, int]) -> np.ndarray:
    """Least sum of the weights of the cells entered on a way from the target, which must be free."""
    wall = (kind & (Ground.WATER.value | Ground.BUILDING.value)) != 0
    found, heap = np.full(kind.shape, 12 * kind.size), [(0, target)]
    while heap:
        steps, (x, y) = heapq.heappop(heap)
        if steps >= found[x, y]:
            continue
        found[x, y] = steps
        for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if min(near) >= 0 and max(near) < len(kind) and not wall[near]:
                heapq.heappush(heap, (steps + int(weight[near]), near))
    return found


def exposure(kind: np.ndarray, box: tuple[range, range], sight: float) -> np.ndarray:
    weight = np.full(kind.shape, 4)
    for x in range(len(kind)):
        for y in range(len(kind)):
            if min((x - a) ** 2 + (y - b) ** 2 for a in box[0] for b in box[1]) <= sight**2:
                weight[x, y] = 12
    return np.where(kind & Ground.FOREST.value, 1, weight)


def test_the_way_under_cover_is_the_lightest_and_the_way_to_the_same_place_in_the_open_stays() -> None:
    """Ties do not matter: the maps are compared, cell by cell."""
    params, kind, target = world(), terrain(), (14, 38)
    covered, plain = Group(FIRST, target, "go", cover=True), Group(LAST, target, "go")
    orders = orders_for(params, covered, plain)
    group_of = np.asarray(orders.plan.target)[:2]
    sight = float(params.types.sight[1])
    weight = exposure(kind, (range(10, 20), range(40, 44)), sight)
    assert {1, 4, 12} == set(np.unique(weight))
    np.testing.assert_array_equal(orders.distance[group_of[0]], dijkstra(kind, weight, target))
    np.testing.assert_array_equal(orders.distance[group_of[1]], dijkstra(kind, np.ones_like(weight), target))


def test_a_target_in_a_blocked_cell_begins_at_its_bank_also_under_cover() -> None:
    params, kind = world(), terrain()
    orders = orders_for(params, Group(ALL, (30, 22), "go", cover=True))
    weight = exposure(kind, (range(10, 20), range(40, 44)), float(params.types.sight[1]))
    expected = 4 + dijkstra(kind, weight, (30, 23))
    wet = (kind & (Ground.WATER.value | Ground.BUILDING.value)) != 0
    np.testing.assert_array_equal(np.asarray(orders.distance[0])[~wet], expected[~wet])


def test_gaps_and_nearness_are_metres_under_cover_too() -> None:
    params = world()
    at = np.full((16, 2), 30.5, np.float32)
    at[:4], at[4:8] = (14.5, 30.5), (14.5, 27.5)  # three metres apart, each a step of 12 in sight of the enemy
    groups = (Group(FIRST, (14, 38), "go", cover=True), Group(LAST, (14, 38), "go", behind=Behind(0, 8)))
    orders, decision = decided(params, at, *groups)
    there = [int(orders.distance[0][14, y]) for y in (30, 27)]
    assert np.asarray(decision.looked.held)[4:8].all() == (there[1] <= there[0] + 4 * 8)
    np.testing.assert_allclose(np.asarray(decision.looked.here)[[0, 4]], np.array(there) / 4)


def test_a_group_behind_one_under_cover_goes_its_way() -> None:
    """So does one behind that one."""
    groups = (Group(FIRST, (3, 4), "go", cover=True), Group(LAST, (9, 9), "go", behind=Behind(0, 2)))
    plan = PlanSyntax((Step(0, (), dsl.Position(), (*groups, Group(ALL, (9, 9), "go", behind=Behind(1, 3)))),))
    compiled = compile_plan(plan, PLAYER, SIZES, list(TREES))

    assert np.asarray(compiled.target).tolist() == [0, 0, 0, 0]
    assert compiled.cover is not None and compiled.behind is not None
    assert np.asarray(compiled.behind).tolist() == [[-1, -1], [0, 2], [1, 3], [-1, -1]]


@pytest.mark.slow
def test_units_of_boxes_spread_over_lines_so_that_they_do_not_cross() -> None:
    """A plan of squads picked by where they stand, as a language model writes it (docs/rules/plans.md 1.8, 3.8)."""
    world = load("coordinate", units=100)
    lines = ["Step 0:", "prerequisites: []", "objective: elimination all"]
    for kind, row in (("spearmen", 75), ("archer", 66)):
        for west in range(0, 150, 30):
            box = "" if west == 120 else f" in ({west}, 0) - ({west + 30}, 20)"
            lines += [f"units: {kind}{box}", f"- target position: line ({west + 3}, {row}) - ({west + 27}, {row})"]
            lines += ["- behavior: attack_in_close_range"]
    plan = read_plan("\n".join(lines), world)
    state = jax.jit(reset)(world.params, jax.random.key(0))
    orders = jax.jit(make_orders)(world.params, plan)
    group = np.asarray(jax.jit(start)(world.params, orders, state).group)[:100]
    assert plan.source and set(group) == set(range(len(plan.source.steps[0].groups))), "each group has units"
    target = np.asarray(plan.place)[np.asarray(plan.target)[group]]
    east = np.asarray(state.position)[:100, 0]
    for kind, row in ((slice(0, 50), 75), (slice(50, 100), 66)):
        assert (target[kind, 1] == row).all()
        walked, ahead = east[kind], target[kind, 0]
        boxed = ahead < 120  # the last squad is of whoever is left, in the order of ids
        order = np.argsort(walked[boxed])
        assert (np.diff(ahead[boxed][order]) >= 0).all()
        assert walked[~boxed].min() >= 120
