"""What a game of a crew is worth, term by term (docs/rules/wildfire.md 7.1, 7.2)."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from hive.engine import objective, spawning
from hive.engine.crews import score as crew_score
from hive.engine.plan.arrays import make_orders
from hive.engine.plan.progress import start
from hive.engine.types import Outcome, Params, State
from hive.ground.fire import Phase
from hive.worlds.wildfire.world import Fireground, load_level

CREW = {"firefighters": 6, "bulldozers": 1, "drones": 3, "helicopters": 2, "size": 40}  # one crew: few programs
BULLDOZER, DRONES, HELICOPTER = 6, [7, 8, 9], 10  # rows

reset = jax.jit(spawning.reset)


@jax.jit
def worth(params: Params, state: State) -> tuple[jax.Array, jax.Array, crew_score.Losses, jax.Array]:
    """All that is said of a state but its outcome."""
    functions = objective.score, crew_score.achieved, crew_score.losses, crew_score.over
    return tuple(function(params, state) for function in functions)


def score(params: Params, state: State) -> float:
    return float(worth(params, state)[0])


def achieved(params: Params, state: State) -> int:
    return int(worth(params, state)[1])


def losses(params: Params, state: State) -> crew_score.Losses:
    return worth(params, state)[2]


def over(params: Params, state: State) -> bool:
    return bool(worth(params, state)[3])


def game(name: str) -> tuple[Fireground, Params, State]:
    """A level at its start, on the host."""
    world = load_level(name, **CREW)
    return world, world.params, jax.device_get(reset(world.params, jax.random.key(0)))


def put(array: Any, at: Any, value: Any) -> np.ndarray:
    """The array with another value at some places."""
    array = np.array(array)
    array[at] = value
    return array


@jax.jit
def judge(params: Params, state: State) -> jax.Array:
    """The outcome under an empty plan, which the game of a crew does not depend on."""
    orders = make_orders(params, params.enemy)
    return objective.judge(params, orders, start(params, orders, state), state)


def moved(state: State, rows: list[int], cell: Any) -> State:
    """The state with units in the middle of another cell."""
    return state.replace(position=put(state.position, rows, np.asarray(cell, np.float32) + 0.5))


def test_cut_counts_trees_of_labelled_cells() -> None:
    _, params, state = game("cut_trees_sparse_small")
    assert state.fire is not None and params.crews is not None
    assert achieved(params, state) == 0  # three trees on each, so that doing nothing is worth nothing
    x, y = params.crews.task.cell[0]
    one = state.replace(fire=state.fire.replace(trees=put(state.fire.trees, (x, y), 1)))
    assert achieved(params, one) == 2 and not over(params, one)
    cells = tuple(np.transpose(params.crews.task.cell))
    bare = state.replace(fire=state.fire.replace(trees=put(state.fire.trees, cells, 0)))
    assert achieved(params, bare) == 18 and score(params, bare) == 18
    assert int(judge(params, bare)) == Outcome.WIN and int(judge(params, one)) == Outcome.RUNNING


@pytest.mark.parametrize(("phase", "points"), [(Phase.IGNITED, 0), (Phase.ON_FIRE, 2), (Phase.BURNT, 2)])
def test_scouts_hover_over_what_burns_or_is_burnt(phase: int, points: int) -> None:
    """Ignited does not count, and a third drone neither."""
    world, params, state = game("scout_fire_small")
    fire = world.site.places.fire
    assert state.fire is not None and fire is not None
    state = state.replace(fire=state.fire.replace(phase=put(state.fire.phase, fire, phase)))
    assert achieved(params, state) == 0
    assert achieved(params, moved(state, DRONES[:1], fire)) == min(points, 1)
    assert achieved(params, moved(state, DRONES, fire)) == points


def test_transport_counts_living_firefighters_within_three_cells() -> None:
    world, params, state = game("transport_firefighters_small")
    x, y = world.site.places.goal or (0, 0)
    assert achieved(params, moved(state, [0, HELICOPTER], (x - 3, y + 3))) == 1  # a helicopter is no firefighter
    assert achieved(params, moved(state, [0, 1], (x - 4, y))) == 0
    all_there = moved(state, list(range(6)), (x, y))
    assert over(params, all_there)
    assert achieved(params, all_there.replace(health=put(all_there.health, 0, 0))) == 5


def test_rescue_counts_living_civilians_on_the_ground() -> None:
    world, params, state = game("rescue_known_small")
    assert state.crew is not None
    x, y = world.site.places.goal or (0, 0)
    there = state.crew.replace(civilian=np.array([(x, y), (x + 3, y), (x, y - 4)], np.int32))
    assert achieved(params, state.replace(crew=there)) == 2
    carried = there.replace(bearer=np.array([0, -1, -1], np.int32))
    assert achieved(params, state.replace(crew=carried)) == 1
    dead = there.replace(living=np.array([True, False, True]))
    assert achieved(params, state.replace(crew=dead)) == 1


def test_suppression_sums_its_losses() -> None:
    """Trees 1, buildings 10, firefighters and bulldozers 20, civilians 100; drones and helicopters cannot be lost."""
    _, params, state = game("full_environment")
    assert state.fire is not None and state.crew is not None
    lost = state.replace(
        fire=state.fire.replace(trees_lost=np.int32(7), buildings_lost=np.int32(2)),
        health=put(state.health, [0, 3, BULLDOZER, *DRONES, HELICOPTER], 0),
        crew=state.crew.replace(living=put(state.crew.living, 1, False)),
    )
    terms = losses(params, lost)
    assert [int(term) for term in jax.tree.leaves(terms)] and (int(terms.firefighters), int(terms.bulldozers)) == (2, 1)
    assert achieved(params, lost) == -(7 + 2 * 10 + 3 * 20 + 100)


def test_a_fire_that_is_out_ends_the_game_once_a_tree_has_burnt() -> None:
    """A fire that was put out before it took a tree, and one where only the crew felled trees, end none."""
    world, params, state = game("suppress_contain")
    assert state.fire is not None and not over(params, state)
    lit = world.site.places.fire
    unburnt = state.replace(fire=state.fire.replace(phase=put(state.fire.phase, lit, Phase.BURNT)))
    assert world.site.ground.trees[lit] > 0 and not over(params, unburnt)
    felled = state.fire.replace(trees=np.zeros_like(state.fire.trees), phase=np.minimum(state.fire.phase, 1))
    assert not over(params, state.replace(fire=felled))
    out = unburnt.replace(fire=unburnt.fire.replace(trees=put(state.fire.trees, lit, 0)))
    assert int(judge(params, out)) == Outcome.WIN
    late = state.replace(tick=params.rules.limit)
    assert int(judge(params, late)) == Outcome.TIMEOUT
