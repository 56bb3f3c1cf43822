"""Sanity anchors: what battles on open ground come to, as inequalities over several seeds.

Rules: docs/rules/trees.md 5.3 and docs/rules/battles.md 5.
"""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
from hive.engine.batch.result import Result
from tests.engine.fields import COUNT, SIDE, orders_for, progress_of, published, tables
from tests.engine.worlds import make_params, make_state, plan_of, tick, world_of

SEEDS = range(6)
CLOSE, LONG = "attack_in_close_range", "attack_in_long_range"


def battle(folder: Path, mine: tuple[str, str], his: tuple[str, str], plans: tuple[str, str], limit: int) -> Result:
    """A hundred against a hundred on 100 x 100 m of open ground; sides are (type, start box)."""
    enemy = folder / "enemy.plan"
    enemy.write_text(plan_of(f"elimination all;; all @ {plans[1]}"), encoding="utf-8")
    world = world_of(f"""
[map]
size = 100
[rules]
limit = {limit}
[player]
units = [{{ type = "{mine[0]}", count = 100, box = {mine[1]} }}]
[enemy]
plan = '{enemy}'
units = [{{ type = "{his[0]}", count = 100, box = {his[1]} }}]
""")
    plan = hive.read_plan(plan_of(f"elimination all;; all @ {plans[0]}"), world)
    return hive.play(world, plan, seeds=SEEDS)


def left(result: Result, side: int) -> np.ndarray:
    return result.survivors[:, side].sum(1)


@pytest.mark.long
def test_archers_wipe_out_spearmen_that_come_at_them(tmp_path: Path) -> None:
    """Boxes 20 m wide and 20 m apart, the archers hold theirs. Measured 49 to 64 steps and all 100 archers left."""
    result = battle(
        tmp_path,
        ("archer", "[0.4, 0.1, 0.2, 0.1]"),
        ("spearmen", "[0.4, 0.4, 0.2, 0.1]"),
        (f"50, 15: {LONG}", f"50, 15: {CLOSE}"),
        limit=200,
    )

    assert set(result.outcome) == {"win"}
    assert 45 <= result.ticks.mean() <= 65
    assert result.ticks.min() >= 40 and result.ticks.max() <= 80
    assert left(result, 0).min() >= 98


@pytest.mark.long
def test_cavalry_kills_archers_that_hold_a_spot_without_a_loss(tmp_path: Path) -> None:
    """From 20 m. Measured 160 to 240 steps, since the archers run."""
    result = battle(
        tmp_path,
        ("cavalry", "[0.4, 0.8, 0.2, 0.15]"),
        ("archer", "[0.4, 0.4, 0.2, 0.2]"),
        (f"50, 50: {CLOSE}", f"50, 50: {LONG}"),
        limit=600,
    )

    assert left(result, 0).tolist() == [100] * len(SEEDS)
    assert left(result, 1).max() <= 10
    assert result.ticks.min() > 100


@pytest.mark.long
def test_spearmen_beat_cavalry_half_way(tmp_path: Path) -> None:
    """Boxes 20 m wide and 50 m apart, both sent to the middle. Measured 68 to 76 spearmen left."""
    result = battle(
        tmp_path,
        ("spearmen", "[0.4, 0.1, 0.2, 0.15]"),
        ("cavalry", "[0.4, 0.75, 0.2, 0.15]"),
        (f"50, 50: {CLOSE}", f"50, 50: {CLOSE}"),
        limit=300,
    )

    assert set(result.outcome) == {"win"}
    assert left(result, 0).min() >= 45 and left(result, 0).max() <= 85
    assert 60 <= left(result, 0).mean() <= 80


@pytest.mark.long
def test_three_hundred_spearmen_settle_within_three_metres_of_one_point() -> None:
    """Measured after 200 steps: median 1.2 m, farthest 2.7 m; their radius is 12 m.

    Rules: docs/rules/battles.md 3.7 and docs/rules/plans.md 3.4.
    """
    world = world_of("""
[map]
size = 100
[rules]
limit = 200
[player]
units = [{ type = "spearmen", count = 300, box = [0.3, 0.3, 0.2, 0.2] }]
[enemy]
units = [{ type = "civilian", count = 1, box = [0.97, 0.97, 0.01, 0.01] }]
""")
    plan = hive.read_plan(plan_of("elimination all;; all @ 50, 50: follow_map"), world)

    end = jax.jit(hive.rollout)(world.params, plan, jax.random.key(0))

    away = np.hypot(*(np.asarray(end.game.state.position)[:300] - 50).T)
    assert end.ticks == 200
    assert away.max() <= 3.5
    assert np.quantile(away, 0.99) <= 3
    assert np.median(away) > 0.5  # pushed apart


PACE = {  # docs/rules/trees.md 5.3: metres a step toward a far target, by noise and bearing, for speeds 1, 2, 6
    (1.0, "east"): (1.00, 2.00, 6.00),
    (1.0, "diagonal"): (0.71, 1.66, 6.00),
    (5.0, "east"): (0.48, 1.34, 5.5),
    (5.0, "diagonal"): (0.56, 1.45, 5.4),
}


@pytest.mark.long
@pytest.mark.parametrize(("noise", "bearing"), PACE)
def test_the_pace_of_follow_map_in_the_open(noise: float, bearing: str) -> None:
    rng = np.random.default_rng(0)
    kind = np.arange(COUNT) % 3
    trees = published()
    behaviours = tables(trees)
    params = make_params(np.zeros(COUNT), kind, np.zeros((SIDE, SIDE), np.uint8), behaviours, movement_randomness=noise)
    goal = {"east": (50, 24), "diagonal": (50, 50)}[bearing]
    start = {"east": (4, 24), "diagonal": (6, 6)}[bearing] + rng.uniform(0, 1, (COUNT, 2))
    follow = next(i for i, tree in enumerate(trees) if getattr(tree, "name", "") == "follow_map")
    orders = orders_for(params, [(follow, 0, ())] * 16, targets=(goal,) * 4)
    state, ticks, shifts = make_state(start, np.full(COUNT, 24.0)), {0: 18, 1: 9, 2: 5}, np.zeros(COUNT)
    way = np.array({"east": (1, 0), "diagonal": (0.5**0.5, 0.5**0.5)}[bearing])

    for number in range(18):
        after, _ = tick(params, orders, progress_of(np.zeros(COUNT)), state, jax.random.key(1))
        still = np.array([number < ticks[k] for k in kind])
        shifts += np.where(still, np.asarray(after.position - state.position) @ way, 0)
        state = after

    pace = [float((shifts[kind == k] / ticks[k]).mean()) for k in range(3)]
    np.testing.assert_allclose(pace, PACE[noise, bearing], rtol=0.06, atol=0.02)
    assert jnp.isfinite(state.position).all()
