"""What a game of a crew is worth, term by term (docs/rules/wildfire.md 7.1, 7.2)."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.engine import objective, spawning
from hive.engine.crews import score as crew_score
from hive.engine.plan.arrays import make_orders
from hive.engine.plan.progress import start
from hive.engine.types import Outcome, Params, State
from hive.ground.fire import Phase
from hive.worlds.wildfire.world import Fireground, load_level

reset, score, achieved, losses, over = (
    jax.jit(function)
    for function in (
        spawning.reset,
        objective.score,
        crew_score.achieved,
        crew_score.losses,
        crew_score.over,
    )
)


def game(name: str, **numbers: int) -> tuple[Fireground, Params, State]:
    """A level at its start."""
    world = load_level(name, **numbers)
    return world, world.params, reset(world.params, jax.random.key(0))


@jax.jit
def judge(params: Params, state: State) -> jax.Array:
    """The outcome under an empty plan, which the game of a crew does not depend on."""
    orders = make_orders(params, params.enemy)
    return objective.judge(params, orders, start(params, orders, state), state)


def moved(state: State, rows: list[int], cell: Any) -> State:
    """The state with units in the middle of another cell."""
    position = np.array(state.position)
    position[rows] = np.asarray(cell, np.float32) + 0.5
    return state.replace(position=position)


def test_cut_counts_trees_of_labelled_cells() -> None:
    _, params, state = game("cut_trees_sparse_small")
    assert state.fire is not None and params.crews is not None
    assert int(achieved(params, state)) == 0  # three trees on each, so that doing nothing is worth nothing
    x, y = params.crews.task.cell[0]
    one = state.replace(fire=state.fire.replace(trees=state.fire.trees.at[x, y].set(1)))
    assert int(achieved(params, one)) == 2 and not bool(over(params, one))
    cells = params.crews.task.cell
    bare = state.replace(fire=state.fire.replace(trees=state.fire.trees.at[cells[:, 0], cells[:, 1]].set(0)))
    assert int(achieved(params, bare)) == 18 and float(score(params, bare)) == 18
    assert int(judge(params, bare)) == Outcome.WIN and int(judge(params, one)) == Outcome.RUNNING


@pytest.mark.parametrize(("phase", "worth"), [(Phase.IGNITED, 0), (Phase.ON_FIRE, 2), (Phase.BURNT, 2)])
def test_scouts_hover_over_what_burns_or_is_burnt(phase: int, worth: int) -> None:
    """Ignited does not count, and a third drone neither."""
    world, params, state = game("scout_fire_small")
    fire = world.site.places.fire
    assert state.fire is not None and fire is not None
    state = state.replace(fire=state.fire.replace(phase=state.fire.phase.at[fire].set(phase)))
    assert int(achieved(params, state)) == 0
    assert int(achieved(params, moved(state, [0], fire))) == min(worth, 1)
    assert int(achieved(params, moved(state, [0, 1, 2], fire))) == worth


def test_transport_counts_living_firefighters_within_three_cells() -> None:
    world, params, state = game("transport_firefighters_small")
    x, y = world.site.places.goal or (0, 0)
    assert int(achieved(params, moved(state, [0, 6], (x - 3, y + 3)))) == 1  # a helicopter is no firefighter
    assert int(achieved(params, moved(state, [0, 1], (x - 4, y)))) == 0
    all_there = moved(state, list(range(6)), (x, y))
    assert bool(over(params, all_there))
    assert int(achieved(params, all_there.replace(health=all_there.health.at[0].set(0)))) == 5


def test_rescue_counts_living_civilians_on_the_ground() -> None:
    world, params, state = game("rescue_known_small")
    assert state.crew is not None
    x, y = world.site.places.goal or (0, 0)
    there = state.crew.replace(civilian=jnp.asarray([(x, y), (x + 3, y), (x, y - 4)]))
    assert int(achieved(params, state.replace(crew=there))) == 2
    carried = there.replace(bearer=jnp.asarray([0, -1, -1]))
    assert int(achieved(params, state.replace(crew=carried))) == 1
    dead = there.replace(living=jnp.asarray([True, False, True]))
    assert int(achieved(params, state.replace(crew=dead))) == 1


def test_suppression_sums_its_losses() -> None:
    """Trees 1, buildings 10, firefighters and bulldozers 20, civilians 100; drones and helicopters cannot be lost."""
    _, params, state = game("full_environment")
    assert state.fire is not None and state.crew is not None
    lost = state.replace(
        fire=state.fire.replace(trees_lost=jnp.int32(7), buildings_lost=jnp.int32(2)),
        health=state.health.at[jnp.asarray([0, 3, 10])].set(0),
        crew=state.crew.replace(living=state.crew.living.at[1].set(False)),
    )
    terms = losses(params, lost)
    assert [int(term) for term in jax.tree.leaves(terms)] and (int(terms.firefighters), int(terms.bulldozers)) == (2, 1)
    assert int(achieved(params, lost)) == -(7 + 2 * 10 + 3 * 20 + 100)


def test_a_fire_that_is_out_ends_the_game_once_a_tree_has_burnt() -> None:
    """A fire that was put out before it took a tree, and one where only the crew felled trees, end none."""
    world, params, state = game("suppress_contain")
    assert state.fire is not None and not bool(over(params, state))
    lit = world.site.places.fire
    unburnt = state.replace(fire=state.fire.replace(phase=state.fire.phase.at[lit].set(Phase.BURNT)))
    assert world.site.ground.trees[lit] > 0 and not bool(over(params, unburnt))
    felled = state.fire.replace(trees=jnp.zeros_like(state.fire.trees), phase=jnp.minimum(state.fire.phase, 1))
    assert not bool(over(params, state.replace(fire=felled)))
    out = unburnt.replace(fire=unburnt.fire.replace(trees=state.fire.trees.at[lit].set(0)))
    assert int(judge(params, out)) == Outcome.WIN
    late = state.replace(tick=params.rules.limit)
    assert int(judge(params, late)) == Outcome.TIMEOUT
