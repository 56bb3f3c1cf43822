"""Laws of the engine: the dead, the order of units, padding, batches, bounds; each shape is compiled once."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hive
from hive.engine.batch import lanes
from hive.engine.batch.devices import mesh_of
from hive.engine.batch.job import Job
from hive.engine.deciding import decide as engine_decide
from hive.engine.episode import Episode
from hive.engine.objective import score
from hive.engine.plan.arrays import STACKED, stack
from hive.engine.types import Action, State
from hive.ground.shapes import Ground
from hive.ground.terrain import make_terrain
from hive.worlds.battle.world import Battle
from tests.engine.fields import (
    COUNT,
    FEW,
    GROUPS,
    SIDE,
    TARGETS,
    TYPES,
    battlefield,
    orders_for,
    progress_of,
    published,
    tables,
)
from tests.engine.games import LARGE, PLAN, SMALL, batch, keys, of, rollout, same, whole
from tests.engine.worlds import (
    Man,
    decide,
    everyone_in,
    one_order,
    pad_plan,
    plan_of,
    running,
    scene,
    step,
    tick,
    world_of,
)
from tests.lanes import lane_of, stack_lanes

PLAIN = tables(published())
RULES = {"movement_randomness": 5.0, "jitter": 0.02, "firmness": 0.2}
seeds = st.integers(0, 2**31 - 1)
rough = st.sampled_from(["rough", "scattered", "one metre", "border"])


def war(seed: int, layout: str, ticks: int, count: int = COUNT, rows: np.ndarray | None = None) -> list[State]:
    """States of a war; `rows` puts its units into another order of rows."""
    rng = np.random.default_rng(seed)
    params, state = battlefield(seed, layout, PLAIN, count, **RULES)
    groups = [(i % 7, int(rng.integers(len(TARGETS))), TYPES[i // 8]) for i in range(GROUPS)]
    group = rng.integers(-1, GROUPS, count)
    if rows is not None:
        params = params.replace(units=lane_of(params.units, rows))
        state = state.replace(**{f: getattr(state, f)[rows] for f in ("position", "health", "cooldown")})
        group = group[rows]
    orders, states = orders_for(params, groups), [state]
    for _ in range(ticks):
        state, _ = tick(params, orders, progress_of(group), state, jax.random.key(seed))
        states.append(state)
    return jax.device_get(states)


def random_action(rng: np.random.Generator) -> Action:
    """Anything that a policy might ask for, targets that are dead, friends or oneself included."""
    return Action(
        kind=jnp.asarray(rng.integers(0, 3, COUNT), jnp.int32),
        move=jnp.asarray(rng.normal(0, 5, (COUNT, 2)), jnp.float32),
        target=jnp.asarray(rng.integers(0, COUNT, COUNT), jnp.int32),
    )


@pytest.mark.slow
@settings(max_examples=8)
@given(seed=seeds, layout=rough)
def test_the_dead_do_nothing(seed: int, layout: str) -> None:
    """They keep their place, deal no damage, and nothing that they carry matters to the living."""
    rng = np.random.default_rng(seed)
    params, state = battlefield(seed % 997, layout, PLAIN, **RULES)
    action = random_action(rng)
    state = jax.device_get(state)
    dead = state.health == 0
    assert dead.any()

    after = jax.device_get(step(params, state, action, jax.random.key(1)))
    assert (after.health[dead] == 0).all()
    np.testing.assert_array_equal(after.position[dead], state.position[dead])

    other = random_action(rng)
    swapped = jax.tree.map(lambda a, b: np.where(dead.reshape(-1, *[1] * (a.ndim - 1)), b, a), action, other)
    elsewhere = state.replace(
        position=np.where(dead[:, None], rng.uniform(1, SIDE - 1, (COUNT, 2)), state.position).astype(np.float32),
        cooldown=np.where(dead, -5, state.cooldown).astype(np.int32),
    )
    again = jax.device_get(step(params, elsewhere, swapped, jax.random.key(1)))
    for field in ("position", "health", "cooldown"):
        np.testing.assert_array_equal(getattr(again, field)[~dead], getattr(after, field)[~dead])


@pytest.mark.long
@settings(max_examples=6)
@given(seed=seeds, layout=rough)
def test_health_never_rises_and_the_dead_stay_where_they_fell(seed: int, layout: str) -> None:
    states = war(seed, layout, 12)
    for before, after in pairwise(states):
        assert (after.health <= before.health).all()
        assert (after.health >= 0).all()
        dead = before.health == 0
        np.testing.assert_array_equal(after.position[dead], before.position[dead])


@pytest.mark.long
@settings(max_examples=12)
@given(seed=seeds, layout=rough, count=st.sampled_from([COUNT, FEW]))
def test_the_order_of_rows_does_not_matter(seed: int, layout: str, count: int) -> None:
    """Units permuted together with their ids play the same game, to the bit, above the dense limit and at it."""
    rows = np.random.default_rng(seed + 1).permutation(count)

    plain, shuffled = war(seed, layout, 8, count), war(seed, layout, 8, count, rows)

    for one, other in zip(plain, shuffled, strict=True):
        for field in ("position", "health", "cooldown"):
            np.testing.assert_array_equal(getattr(one, field)[rows], getattr(other, field))


@pytest.mark.slow
@settings(max_examples=4)
@given(seed=seeds)
def test_no_unit_enters_water_buildings_or_the_border(seed: int) -> None:
    """Crowds are pressed against walls, banks and the border for 200 ticks, hard pushes and wild moves included."""
    rng = np.random.default_rng(seed)
    params, state = battlefield(seed, "rough", PLAIN, movement_randomness=1.0, jitter=0.05, firmness=1.0)
    kind = np.asarray(params.terrain.kind)
    wet = (kind & (Ground.BUILDING | Ground.WATER)) > 0
    free = np.argwhere(~wet)
    corner = free[np.argsort(np.hypot(*(free - rng.integers(0, SIDE, 2)).T))[:25]]
    at = corner[rng.integers(0, len(corner), COUNT)] + rng.uniform(0.02, 0.98, (COUNT, 2))
    state = state.replace(position=jnp.asarray(at, jnp.float32), health=jnp.full(COUNT, 9.0, jnp.float32))
    move = rng.normal(0, 6, (COUNT, 2))

    for number in range(200):
        if number % 20 == 0:
            move = rng.normal(0, [0.5, 3, 6][number // 20 % 3], (COUNT, 2))
        action = Action(
            kind=jnp.ones(COUNT, jnp.int32), move=jnp.asarray(move, jnp.float32), target=jnp.full(COUNT, -1, jnp.int32)
        )
        state = step(params, state, action, jax.random.key(seed))
        here = np.asarray(state.position)
        assert ((here > 0) & (here < SIDE)).all()
        assert not wet[tuple(here.astype(int).T)].any()


# whole games


@pytest.fixture(scope="module")
def games() -> dict[int, Episode]:
    """Games played alone."""
    params, plan = whole(LARGE)
    return {seed: jax.device_get(rollout(params, plan, jax.random.key(seed))) for seed in range(4)}


@pytest.mark.long
def test_games_are_fought_and_differ_by_seed(games: dict[int, Episode]) -> None:
    assert len({game.ticks.item() for game in games.values()}) > 1
    assert all(game.survivors.sum() < LARGE.params.count - 50 for game in games.values())
    assert any(game.achieved[0] > 0 for game in games.values())


@pytest.mark.long
@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2], [2, 2, 2, 0]])
def test_a_game_does_not_depend_on_its_place_in_a_batch(games: dict[int, Episode], order: list[int]) -> None:
    played = jax.device_get(batch(*whole(LARGE), keys(order)))

    for place, seed in enumerate(order):
        same(of(played, place), games[seed])


@pytest.mark.long
def test_a_batch_of_one_that_is_played_in_segments_is_the_game_in_one_go() -> None:
    params, plan = whole(SMALL)
    world = Battle(SMALL.scenario)
    object.__setattr__(world, "params", params)
    job = Job(world, [plan], [""], np.array([1], np.uint32), devices=jax.devices()[:1])
    *dealt, steps = job._deal(0)
    mesh = mesh_of(jax.devices()[:1])

    games = lanes.start(mesh, *dealt)
    for until in (7, 50, SMALL.limit):
        games = lanes.go_on(mesh, *dealt, games, jnp.int32(until))
        assert games.state.tick[0] <= until
    played = lanes.end(mesh, *dealt, games, steps).replace(game=games)

    alone = jax.device_get(rollout(params, job._padded[0], jax.random.key(1)))  # a job pads plans to a common size
    assert alone.ticks > 50
    same(of(jax.device_get(played), 0), alone)


@pytest.mark.long
def test_padding_a_plan_changes_nothing() -> None:
    params, plan = whole(SMALL)
    roomy = pad_plan(plan, steps=16, groups=32, places=8, rows=8)
    padded = params.replace(enemy=pad_plan(params.enemy, steps=8, groups=4, places=2, rows=4))

    alone, played = (jax.device_get(rollout(*each, jax.random.key(0))) for each in ((params, plan), (padded, roomy)))

    chex.assert_trees_all_equal(played.game.state, alone.game.state)
    assert played.outcome == alone.outcome
    assert played.ticks == alone.ticks
    np.testing.assert_array_equal(played.achieved[: len(alone.achieved)], alone.achieved)
    assert (alone.achieved >= 0).any() and (played.achieved[len(alone.achieved) :] == -1).all()


@pytest.mark.parametrize(
    "world",
    [
        pytest.param(LARGE, id="large", marks=pytest.mark.long),
        pytest.param(SMALL, id="small", marks=pytest.mark.long),
    ],
)
def test_a_whole_game_does_not_depend_on_the_order_of_rows(world: Battle) -> None:
    params, plan = whole(world)
    rows = np.random.default_rng(0).permutation(params.count)
    shuffled = params.replace(units=lane_of(params.units, rows))

    alone, played = (jax.device_get(rollout(p, plan, jax.random.key(3))) for p in (params, shuffled))

    for field in ("position", "health", "cooldown"):
        np.testing.assert_array_equal(getattr(played.game.state, field), getattr(alone.game.state, field)[rows])
    np.testing.assert_array_equal(played.game.progress.group, alone.game.progress.group[rows])
    for field in ("outcome", "ticks", "score", "survivors", "achieved"):
        np.testing.assert_array_equal(getattr(played, field), getattr(alone, field))


@pytest.mark.slow
def test_games_of_many_plans_share_one_bank_of_distinct_targets() -> None:
    """Whatever the number of games and plans, no map is searched or kept twice."""
    params, plan = whole(LARGE)
    steps = [[s.replace("26, 18", f"{30 + number}, 20") for s in PLAN] for number in range(6)]
    plans = stack([plan, *(hive.read_plan(plan_of(*each), LARGE) for each in steps)])
    targets = {(26, 18), (26, 12), (10, 40), (40, 40), (26, 45), *((30 + number, 20) for number in range(6))}
    assert {tuple(place) for place in plans.place.tolist()} == targets
    bank = len(plans.place) + len(params.enemy.place)
    assert bank == 16 + 1

    program = str(jax.make_jaxpr(jax.vmap(hive.rollout, (None, STACKED, 0)))(params, plans, keys(list(range(7)))))

    kept = {tuple(map(int, axes.split(","))) for axes in re.findall(r"i32\[(\d+(?:,\d+)*),52,52\]", program)}
    assert (bank,) in kept
    assert max(math.prod(axes) for axes in kept) == 32  # the bank, searched 16 maps at a time


@pytest.mark.long
def test_games_below_the_dense_limit_are_the_same_alone_and_in_a_batch() -> None:
    played = jax.device_get(batch(*whole(SMALL), keys([5, 6, 7])))

    for place, seed in enumerate((5, 6, 7)):
        same(of(played, place), jax.device_get(rollout(*whole(SMALL), jax.random.key(seed))))
    assert played.survivors.sum() < 3 * SMALL.params.count


@pytest.mark.long
def test_games_of_one_batch_may_have_other_plans_maps_rules_and_units(games: dict[int, Episode]) -> None:
    """Batches nest: worlds outside, games with a plan of their own inside."""
    params, plan = whole(LARGE)
    changed = hive.read_plan(plan_of(*[s.replace("26, 18", "30, 20") for s in PLAN]), LARGE)
    plans = stack_lanes(plan, changed)
    ground = params.terrain.kind.at[:, 22:24].set(4).at[30:40, 30:32].set(2)
    other = params.replace(
        terrain=make_terrain(ground),
        rules=params.rules.replace(movement_randomness=jnp.float32(1)),
        units=params.units.replace(type=params.units.type[::-1]),
    )
    both = stack_lanes(params, other)
    inner = jax.vmap(hive.rollout, (None, 0, 0))

    played = jax.device_get(jax.jit(jax.vmap(inner, (0, None, None)))(both, plans, keys([0, 3])))

    for place, (own, seed) in enumerate(((plan, 0), (changed, 3))):
        alone = [jax.device_get(rollout(world, own, jax.random.key(seed))) for world in (params, other)]
        for number, game in enumerate(alone):
            same(lane_of(played, (number, place)), game)
        assert alone[0].ticks != alone[1].ticks
    same(lane_of(played, (0, 0)), games[0])
    assert played.ticks[0, 1] != games[3].ticks or (played.survivors[0, 1] != games[3].survivors).any()


def test_a_score_is_the_same_alone_and_in_a_batch() -> None:
    """Every share of twenty enemies, each divided as float32 divides."""
    world = world_of("""
[map]
size = 20
[player]
units = [{ type = "archer", count = 1, box = [0.1, 0.1, 0.1, 0.1] }]
[enemy]
units = [{ type = "archer", count = 20, box = [0.1, 0.7, 0.8, 0.2] }]
""")
    state = jax.device_get(jax.jit(hive.reset)(world.params, jax.random.key(0)))
    fallen = np.arange(21) - 1 < np.arange(21)[:, None]
    states = stack_lanes(*[state.replace(health=np.where(dead, 0, 2).astype(np.float32)) for dead in fallen])

    together = jax.jit(jax.vmap(score, (None, 0)))(world.params, states)
    alone = [jax.jit(score)(world.params, lane_of(states, i)) for i in range(21)]

    np.testing.assert_array_equal(together, np.array(alone))


@pytest.mark.long
def test_a_share_of_health_is_the_same_alone_and_in_a_batch() -> None:
    """21 of 28 points are three quarters: `is_dying … high` holds, of oneself and of others."""
    world = scene(*[Man("spearmen", (20.0 + i, 20.0), ("player", "enemy")[i % 2], health=21) for i in range(6)])
    types = world.params.types.replace(max_health=jnp.full_like(world.params.types.max_health, 28))
    many = jax.jit(jax.vmap(engine_decide, (None, None, None, 0, None)))
    for leaf in ("C(is_dying self high)", "C(is_dying foe high)", "C(is_dying friend high)"):
        params = running(world.params.replace(types=types), leaf)
        orders, progress, word = one_order(params), everyone_in(params), jnp.uint32(0)
        alone = decide(params, orders, progress, world.state, word).ticked.status
        states = jax.tree.map(lambda a: jnp.stack([a] * 3), world.state)
        together = many(params, orders, progress, states, word).ticked.status

        assert alone[:6].tolist() == [1] * 6
        assert together[:, :6].tolist() == [[1] * 6] * 3
