"""Costs of orders are learned from games and annotate plans (docs/rules/costs.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
from dsl import UserError
from hive.engine.plan.arrays import make_orders
from hive.engine.spawning import reset
from hive.rl.costs import annotate
from hive.rl.exploring import OrderSamples, columns, explore, moving
from hive.rl.order_features import ON_FOOT, STRAIGHT, members, order_features
from hive.rl.utility import OrderUtility, RegressionSettings, errors, join, learn, save
from hive.rl.utility import load as load_utility
from hive.worlds.battle.world import Battle, load

WALK = """\
version = 1
title = "Walk"
summary = "two armies with a wall between them"
[map]
size = 24
shapes = [{ terrain = "building", box = [11, 4, 13, 24] }]
[rules]
limit = 60
[player]
units = [
  { type = "spearmen", count = 2, box = [0.1, 0.1, 0.2, 0.3] },
  { type = "archer", count = 2, box = [0.1, 0.6, 0.2, 0.3] },
]
objective = OBJECTIVE
[enemy]
units = [{ type = "archer", count = 2, box = [0.7, 0.7, 0.2, 0.2] }]
"""
PLAN = """\
Step 0:
prerequisites: []
objective: position
units: [0:2]
- target position: (4, 20)
- behavior: follow_map
units: [2:4]
- target position: (20, 2)
- behavior: attack_and_move archer

Step 1:
prerequisites: [0]
objective: elimination all
units: [0:2]
- target position: (20, 20)
- behavior: follow_map
units: [2:4]
- target position: (4, 4)
- behavior: stand
"""
SEED = 2

_features, _members = jax.jit(order_features, static_argnums=4), jax.jit(members)
_make_orders, _reset = jax.jit(make_orders), jax.jit(reset)


def walk(folder: Path, objective: str) -> Battle:
    file = folder / "walk.toml"
    file.write_text(WALK.replace("OBJECTIVE", objective))
    return load(file)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Battle:
    return walk(tmp_path_factory.mktemp("walk"), '"elimination"')


@pytest.fixture(scope="module")
def samples(world: Battle) -> OrderSamples:
    return explore(world, range(16), squads=2, orders=2)


@pytest.fixture(scope="module")
def utility(world: Battle, samples: OrderSamples) -> OrderUtility:
    with jax.numpy_dtype_promotion("standard"):  # optax needs it
        return learn(samples, moving(world), jax.random.key(0), RegressionSettings(width=8, epochs=4, batch=16))


def features_of(world: Battle) -> tuple[Any, Any, np.ndarray]:
    state = _reset(world.params, jax.random.key(SEED))
    orders = _make_orders(world.params, hive.read_plan(PLAN, world))
    column = jnp.asarray(columns(world, moving(world)))
    return state, orders, np.asarray(_features(world.params, orders, state, column, len(moving(world))))


def test_features_are_those_of_the_rules(world: Battle) -> None:
    """docs/rules/costs.md 3, against plain Python, for the four orders of a plan."""
    state, orders, found = features_of(world)
    at, kind = np.asarray(state.position), np.asarray(world.params.units.type)
    speed = np.asarray(world.params.types.speed)[kind]
    size, kinds = 24, len(world.unit_types)
    for group, (units, target) in enumerate(
        (([0, 1], (4, 20)), ([2, 3], (20, 2)), ([0, 1], (20, 20)), ([2, 3], (4, 4)))
    ):
        row, squad = found[group], at[units]
        assert np.flatnonzero(np.asarray(_members(world.params, orders, state))[group]).tolist() == units
        straight = np.hypot(*(np.array(target) - squad).T)
        steps = np.array([orders.distance[orders.plan.target[group], int(x), int(y)] for x, y in squad])
        middle = squad.mean(0)
        spread = np.sqrt((np.hypot(*(squad - middle).T) ** 2).mean())
        ticks = straight / speed[units], steps / speed[units]
        wanted = [ticks[0].max() / 100, ticks[1].max() / 100, ticks[1].mean() / 100, spread / 15, 2 / 10, 1.0, 0.0]
        np.testing.assert_allclose(row[:7], wanted, rtol=1e-4)
        assert row[7 : 7 + kinds].tolist() == [float(each == kind[units[0]]) for each in range(kinds)]
        np.testing.assert_allclose(row[7 + kinds : 9 + kinds], 2 * middle / size - 1, rtol=1e-4)
        np.testing.assert_allclose(row[9 + kinds : 11 + kinds], 2 * np.array(target) / size - 1, rtol=1e-4)
        assert row[11 + kinds] == 0, "the wall hides the enemy"
    behaviours = found[:4, -6 - len(moving(world)) : -6]
    names = [moving(world)[int(row.argmax())] if row.any() else None for row in behaviours]
    assert names == ["follow_map", "attack_and_move", "follow_map", None]
    assert found[:4, -6:].tolist() == [[1.0] * 6, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [1.0] * 6, [1.0] * 6]
    assert found[2, ON_FOOT] > found[2, STRAIGHT] + 0.05, "the way leads around the wall"


def test_a_choice_of_units_is_made_in_the_state_of_the_order(world: Battle) -> None:
    """The chosen are the nearest, and the group that lists them without a choice does not have them (plans.md 3.8)."""
    text = """\
Step 0:
prerequisites: []
objective: position
units: all
- target position: (4, 20)
- behavior: follow_map
units: nearest 1 of [0:2] to (0, 0)
- target position: (20, 2)
- behavior: follow_map
"""
    state, orders = _reset(world.params, jax.random.key(SEED)), _make_orders(world.params, hive.read_plan(text, world))
    nearest = int(np.hypot(*np.asarray(state.position)[:2].T).argmin())
    of = np.asarray(_members(world.params, orders, state))
    assert np.flatnonzero(of[1]).tolist() == [nearest]
    assert np.flatnonzero(of[0]).tolist() == [unit for unit in range(4) if unit != nearest]


def test_features_know_nothing_of_the_goal(world: Battle, tmp_path: Path) -> None:
    other = walk(tmp_path, "{ position = [20, 20] }")
    np.testing.assert_array_equal(features_of(world)[2], features_of(other)[2])


@pytest.mark.long
def test_orders_are_timed_as_the_game_has_it(world: Battle, samples: OrderSamples) -> None:
    """An order that was fulfilled took at least as long as the fastest unit could, less the radius of the target."""
    done = samples.ticks >= 0
    assert done.sum() > 15 and (samples.ticks[done] > 0).all()
    assert ((samples.time >= 0) & (samples.time < world.limit)).all()
    fast = np.asarray(world.params.types.speed).max()
    assert (samples.ticks[done] >= samples.features[done, STRAIGHT] * 100 / fast * 0.4 - 4).all()
    assert np.corrcoef(samples.ticks[done], samples.features[done, ON_FOOT])[0, 1] > 0.5
    again = explore(world, range(16), squads=2, orders=2)
    jax.tree.map(np.testing.assert_array_equal, samples, again)


@pytest.mark.slow
def test_costs_are_written_and_read(utility: OrderUtility, samples: OrderSamples, tmp_path: Path) -> None:
    save(utility, tmp_path / "costs.npz")
    again = load_utility(tmp_path / "costs.npz")
    assert again.behaviours == utility.behaviours and again.line == utility.line
    np.testing.assert_array_equal(utility.ticks(samples.features), again.ticks(samples.features))
    (tmp_path / "text.npz").write_text("no costs")
    np.savez(tmp_path / "other.npz", facts='{"version": 2}')
    for name, words in (("text", "holds no learned costs"), ("other", "has version 2"), ("none", "cannot read")):
        with pytest.raises(UserError, match=words):
            load_utility(tmp_path / f"{name}.npz")
    with pytest.raises(UserError, match="the name of learned costs"):
        save(utility, tmp_path / "costs")


@pytest.mark.slow
def test_a_plan_is_annotated_with_costs(world: Battle, utility: OrderUtility) -> None:
    costs = annotate(utility, world, hive.read_plan(PLAN, world), seed=SEED)
    assert [cost.step for cost in costs] == [0, 0, 1, 1]
    first, second, third, last = costs
    assert str(first).startswith("step 0: [0:2] follow_map to (4, 20), in about ")
    assert last.ticks is None and str(last) == "step 1: [2:4] stand to (4, 4), for an unknown time"
    _, _, found = features_of(world)
    assert first.ticks == pytest.approx(float(utility.ticks(found[:1])[0]), rel=1e-4)
    assert first.by == first.ticks and third.ticks and first.ticks and second.ticks
    assert third.by == pytest.approx(max(first.ticks, second.ticks) + third.ticks)
    state = _reset(world.params, jax.random.key(SEED))
    position = state.position.at[:2].set(jnp.array([4.0, 20.0])).at[2:4].set(jnp.array([20.0, 2.0]))
    there = annotate(utility, world, hive.read_plan(PLAN, world), state.replace(position=position))
    assert third.ticks == pytest.approx(there[2].ticks), "step 1 begins where step 0 has led"


@pytest.mark.slow
def test_what_cannot_be_learned_is_refused(world: Battle, samples: OrderSamples) -> None:
    with pytest.raises(UserError, match="cannot be split into 5 squads"):
        explore(world, range(2), squads=5)
    with pytest.raises(UserError, match="what orders cost is learned in battles"):
        explore(hive.load("wildfire/suppress_contain"), range(2))
    with pytest.raises(UserError, match="has no behaviour `march`"):
        explore(world, range(2), behaviours=("march",))
    with pytest.raises(UserError, match="there is no seed"):
        explore(world, [])
    with pytest.raises(UserError, match="0 orders were fulfilled"):
        learn(samples.replace(ticks=np.full_like(samples.ticks, -1)), moving(world), jax.random.key(0))
    with pytest.raises(UserError, match="`epochs` is 0"):
        RegressionSettings(epochs=0)


@pytest.mark.long
def test_the_network_beats_the_mean_and_a_straight_line(world: Battle) -> None:
    learned, held_out = (explore(world, range(first, first + 96), squads=2, orders=3) for first in (0, 1000))
    with jax.numpy_dtype_promotion("standard"):
        utility = learn(join(learned, learned), moving(world), jax.random.key(0))
    found = {name: error["mean_error"] for name, error in errors(utility, learned, held_out).items()}
    assert found["network"] < 0.9 * found["straight line"] < 0.9 * found["mean"]
