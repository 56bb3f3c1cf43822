"""A plan finds out nothing that its crew has not seen (docs/rules/plans.md 4)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hive
from hive.engine.crews.explored import Explored, codes
from hive.engine.plan.arrays import make_orders
from hive.engine.plan.progress import objectives_met
from hive.worlds.wildfire.world import load_level

BOXES = [(3 + 7 * column, 3 + 7 * row) for row in range(7) for column in range(7)]
SIDE = 49  # near the boxes are all cells


@pytest.mark.long
@pytest.mark.slow  # tests/engine/test_crew_objectives.py has objectives of unseen cells in every run
def test_a_plan_with_a_step_for_every_box_of_the_map_does_not_find_hidden_civilians() -> None:
    """Steps that wait for a civilian in a box stay open while the crew stands, and close once it was seen there."""
    world = load_level("rescue_search", size=SIDE, limit=5)
    text = "".join(
        f"Step {step}:\nprerequisites: []\nobjective: rescue 1 ({x}, {y})\nunits: all\n"
        "- target position: (1, 1)\n- behavior: stand\n\n"
        for step, (x, y) in enumerate(BOXES)
    )
    plan = hive.read_plan(text, world)
    episode = jax.jit(hive.rollout)(world.params, plan, jax.random.key(0))
    state = episode.game.state
    assert state.crew is not None and int(episode.ticks) == 5
    there = np.abs(np.asarray(state.crew.civilian)[:, None] - np.array(BOXES)).max(-1) <= 3
    assert there.any() and not (np.asarray(state.crew.seen) == Explored.CIVILIAN).any()
    assert (np.asarray(episode.achieved) == -1).all()
    told = state.replace(crew=state.crew.replace(seen=codes(world.params, state)))
    met = jax.jit(objectives_met)(world.params, jax.jit(make_orders)(world.params, plan), told)
    assert np.array_equal(np.asarray(met)[: len(BOXES)], there.any(0)) and bool(jnp.any(met))
