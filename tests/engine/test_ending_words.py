"""Every end of a game says why it came and what to try (`hive/engine/ending.py`)."""

from __future__ import annotations

from pathlib import Path

import jax
import pytest

import dsl
import hive
from hive.engine.ending import StepAtEnd, explain_end, steps_at_end
from tests.hive.skirmish import skirmish

PLAN = """\
Step 0:
prerequisites: []
objective: position
units: all
- target position: (5, 5)
- behavior: attack_in_close_range any
Step 3:
prerequisites: [0]
objective: elimination all
units: all
- target position: (9, 9)
- behavior: attack_in_close_range any
"""


def test_steps_are_active_once_all_they_wait_for_is_achieved() -> None:
    """Rows of padding behind the steps of a plan say nothing."""
    plan = dsl.parse_plan(PLAN, "plan", dsl.PlanContext())
    first, then = (StepAtEnd(0, "position", False, True), StepAtEnd(3, "elimination all", False, False))
    assert steps_at_end(plan, [-1, -1, -1]) == [first, then]
    assert steps_at_end(plan, [7, -1]) == [
        StepAtEnd(0, "position", True, False),
        StepAtEnd(3, "elimination all", False, True),
    ]


def test_a_battle_says_why_it_ended_and_what_to_try(tmp_path: Path) -> None:
    """The rule: counts of both sides, the step that was active, and advice that fits the objective."""
    world = skirmish(tmp_path)
    own, foes = world.sizes
    plan = dsl.parse_plan(PLAN, "plan", dsl.PlanContext())
    begun, halfway, done = (steps_at_end(plan, ticks) for ticks in ([-1, -1], [4, -1], [4, 9]))

    late = explain_end(world, "timeout", world.limit, ([own], [1]), halfway)
    assert late.why == (
        f"the limit of {world.limit:,} ticks was reached while step 3 (elimination all) was active; "
        f"1 of {foes} enemy units is alive"
    )
    assert "step 3" in late.advice and "`limit`" in late.advice
    stuck = explain_end(world, "timeout", world.limit, ([own], [foes]), begun)
    assert "step 0 (position) was active" in stuck.why and stuck.advice.startswith("give step 0 targets")
    finished = explain_end(world, "plan_finished", 9, ([own], [1]), done)
    assert finished.why == f"every step of the plan is achieved, but 1 of {foes} enemy units is alive"
    assert finished.advice == "add a step after step 3 with `objective: elimination all`"
    assert str(finished).startswith("plan finished: every step")
    assert explain_end(world, "win", 9, ([2], [0]), done).why == (
        f"all {foes} enemy units are dead, and 2 of your {own} units are alive"
    )
    assert explain_end(world, "lose", 9, ([0], [1]), done).why == (
        f"all {own} of your units are dead, and 1 of {foes} enemy units is alive"
    )
    with pytest.raises(ValueError, match="no game ends as 'running'"):
        explain_end(world, "running", 9, ([1], [1]), done)


def test_a_battle_for_a_place_names_the_place() -> None:
    world = hive.load("markers_terrain", units=20)
    done = [StepAtEnd(0, "position", True, False)]
    finished = explain_end(world, "plan_finished", 9, ([3], [4]), done)
    assert "none of your units is at the objective (61, 0)" in finished.why
    assert "(61, 0)" in finished.advice
    assert "reached the objective (61, 0)" in explain_end(world, "win", 9, ([3], [4]), done).why


def test_a_mission_says_what_it_needed_and_what_is_left(tmp_path: Path) -> None:
    """The words follow the objectives: how many of which units, which places, which tick."""
    done = [StepAtEnd(0, "position", True, False)]
    places = "{ positions = [[5, 5], [9.5, 9]], share = 0.5, type = 'archer' }"
    escort = skirmish(tmp_path, player=places, enemy="{ survive = 50 }")
    assert explain_end(escort, "win", 9, ([8, 3], [1]), done).why == (
        "3 of your archers reached the objective (5, 5) or (9.5, 9), and 11 of your 14 units are alive"
    )
    lost = explain_end(escort, "lose", 9, ([8, 2], [1]), done)
    assert lost.why == "the objective needs 3 of your archers, and 2 of them are alive"
    late = explain_end(escort, "lose", 50, ([8, 3], [1]), done)
    assert late.why == "the enemy held out until tick 50, and 1 of 12 enemy units is alive"
    missing = explain_end(escort, "plan_finished", 9, ([8, 3], [1]), done)
    assert "fewer than 3 of your archers are at the objective" in missing.why

    hold = skirmish(tmp_path, player="{ survive = 50, share = 0.3 }", enemy="{ positions = [[5, 5], [7, 7]] }")
    assert explain_end(hold, "win", 50, ([8], [1]), done).why.startswith("you held out until tick 50, and 8 of")
    assert explain_end(hold, "win", 9, ([8], [0]), done).why.startswith("you held out, since all 12 enemy units are")
    assert explain_end(hold, "lose", 9, ([8], [1]), done).why == "an enemy unit reached its objective (5, 5) or (7, 7)"
    assert explain_end(hold, "plan_finished", 9, ([8], [1]), done).advice.endswith("with `objective: time 50`")
    mission = hold.describe(hive.reset(hold.params, jax.random.key(0))).system
    for words in ("keep 5 of your 14 units alive until tick 50", "fewer than 5 of your 14 units are alive", "(7, 7)"):
        assert words in mission


def test_a_level_says_why_it_ended_and_what_to_try() -> None:
    """A plan whose steps are all achieved does not end a level, so its units stood idle: that is the advice."""
    world = hive.load("wildfire/cut_trees_sparse_small")
    idle = explain_end(world, "timeout", world.limit, ([world.sizes[0]], []), [StepAtEnd(0, "position", True, False)])
    assert "no step of the plan was active" in idle.why and "as soon as a plan is achieved" in idle.advice
    lost = explain_end(world, "timeout", world.limit, ([0], []), [StepAtEnd(0, "position", False, True)])
    assert "all units are lost" in lost.why
    assert explain_end(world, "win", 30, ([1], []), []).why == "the task was completed at tick 30"
