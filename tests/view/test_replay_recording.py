"""What the recorder keeps of a game: who obeyed what and why. `players/test_playing.py` has that it is the game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
import pytest

import hive
import scenarios
from hive.engine.course import StepState
from hive.engine.swapping import to_one_room
from hive.engine.types import Plan
from hive.worlds.battle.recorder import GameRecorder, record
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.view.live import BattlePageView
from hive.worlds.battle.view.replay import make_page
from hive.worlds.battle.world import Battle

SEED = 3


@pytest.fixture(scope="module")
def world() -> hive.World:
    return hive.load("coordinate", units=20, limit=600)


@pytest.fixture(scope="module")
def plan(world: hive.World) -> Plan:
    return hive.read_plan("coordinate", world)


@pytest.fixture(scope="module")
def seen(world: hive.World, plan: Plan) -> BattleRecording:
    return record(world, plan, SEED)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Battle:
    """A battle that states the radius of archers."""
    file = tmp_path_factory.mktemp("wide") / "wide.toml"
    file.write_text(scenarios.read("coordinate") + "\n[types.archer]\nradius = 2.5\n", encoding="utf-8")
    return hive.load(file, units=20, limit=2)


def test_the_radii_of_a_scenario_reach_the_engine_and_both_pages(
    wide: Battle, world: hive.World, seen: BattleRecording
) -> None:
    """`types.X.radius` of a scenario. The page of a recording shows what is recorded, here as if of the other game."""
    wanted = np.asarray(wide.params.types.radius)
    assert wanted[1] == 2.5 and BattlePageView(wide).meta()["palette"]["radii"][:2] == [0.6, 2.5]
    np.testing.assert_array_equal(seen.radius, np.asarray(world.params.types.radius))
    assert '"radii": [0.6, 2.5, ' in make_page(replace(seen, radius=wanted))


@pytest.mark.long
def test_the_radii_of_a_scenario_are_recorded(wide: Battle) -> None:
    seen = record(wide, hive.read_plan("coordinate", wide), SEED)
    np.testing.assert_array_equal(seen.radius, np.asarray(wide.params.types.radius))
    assert '"radii": [0.6, 2.5, ' in make_page(seen)


def test_steps_and_groups_read_as_the_plan_does(world: hive.World, seen: BattleRecording) -> None:
    course = seen.course
    assert course is not None
    first, second = (step for step in course.steps if step.side == 0)
    assert (first.number, first.after, first.objective) == (0, (), "position")
    assert (second.number, second.after, second.objective) == (1, (0,), "elimination all")
    assert sum(step.side == 1 for step in course.steps) == 20
    group = course.groups[0]
    assert (group.units, group.target, group.behaviour) == ("[0:2]", (15, 40), "attack_and_move any")


def test_numbers_of_steps_are_those_of_the_text(world: hive.World, plan: Plan) -> None:
    text = (
        "Step {}:\nprerequisites: [{}]\nobjective: position\nunits: all\n- target position: (9, 9)\n- behavior: stand\n"
    )
    other = hive.read_plan(text.format(5, "") + text.format(9, 5), world)
    course = record(world, to_one_room([plan, other])[1], SEED, every=50).course
    assert course is not None
    assert [(step.number, step.after) for step in course.steps[:2]] == [(5, ()), (9, (5,))]


@pytest.mark.long
def test_a_recorder_keeps_the_first_of_several_games_while_they_are_played(
    world: hive.World, plan: Plan, seen: BattleRecording
) -> None:
    """Not another game is played for it; frames and course are those of the game alone."""
    recorder = GameRecorder(world, plan)
    result = hive.play(world, plan, [SEED, SEED + 1], recorder=recorder)
    kept = recorder.recording()
    assert result.ticks[0] == kept.tick[-1] and kept.course is not None and seen.course is not None
    for name in ("tick", "position", "health", "attack"):
        np.testing.assert_array_equal(getattr(kept, name), getattr(seen, name))
    for name in ("active", "group", "leaf", "score"):
        np.testing.assert_array_equal(getattr(kept.course, name), getattr(seen.course, name))
    assert (kept.course.steps, kept.course.outcome) == (seen.course.steps, seen.course.outcome)


def test_a_recorder_refuses_before_the_game(world: hive.World, plan: Plan) -> None:
    with pytest.raises(ValueError, match="every 1 or more ticks, not 0"):
        GameRecorder(world, plan, every=0)
    with pytest.raises(ValueError, match="does not hold its source"):
        GameRecorder(world, jax.tree.map(lambda leaf: leaf, plan))


def test_an_attacker_s_winning_leaf_is_an_attack_of_its_behaviour(seen: BattleRecording) -> None:
    course = seen.course
    assert course is not None
    attacks = (seen.attack >= 0) & (seen.health > 0)
    assert attacks.any()
    assert all(course.leaves[leaf][1].startswith("A(attack ") for leaf in np.unique(course.leaf[attacks]))
    held = (course.group[1:] == course.group[:-1]) & (course.leaf[1:] >= 0)
    for group, leaf in {(int(g), int(k)) for g, k in zip(course.group[1:][held], course.leaf[1:][held], strict=True)}:
        assert course.groups[group].behaviour.split()[0] == course.leaves[leaf][0]


def test_the_dead_and_the_first_frame_have_no_leaf(seen: BattleRecording) -> None:
    assert seen.course is not None
    assert (seen.course.leaf[0] == -1).all()
    assert (seen.course.leaf[seen.health <= 0] == -1).all()


def test_units_obey_groups_of_their_own_side_and_active_steps_begin_when_their_prerequisites_are_achieved(
    seen: BattleRecording,
) -> None:
    course = seen.course
    assert course is not None
    sides = np.array([course.steps[group.step].side for group in course.groups])
    assert (sides[course.group] == seen.side).all()
    states = course.states(seen.tick)
    chains = [first for first, step in enumerate(course.steps[:-1]) if step.achieved > 0]
    assert chains  # at 20 units the enemy's columns arrive before the game is won
    for first in chains:
        begun = course.steps[first].achieved
        assert course.steps[first + 1].after == (course.steps[first].number,)
        assert (states[:begun, first + 1] == StepState.WAITING).all()
        assert states[begun, first] == StepState.ACHIEVED
        assert (states[begun:, first + 1] != StepState.WAITING).all()


def test_every_keeps_chosen_ticks_of_the_same_game_and_the_last(
    world: hive.World, plan: Plan, seen: BattleRecording
) -> None:
    some = record(world, plan, SEED, every=50)
    assert some.tick.tolist() == [*range(0, int(seen.tick[-1]), 50), int(seen.tick[-1])]
    np.testing.assert_array_equal(some.position, seen.position[some.tick])
    assert some.course is not None and seen.course is not None
    np.testing.assert_array_equal(some.course.leaf, seen.course.leaf[some.tick])
    assert some.course.steps == seen.course.steps


def test_a_real_game_is_stored_without_loss(tmp_path: Path, seen: BattleRecording) -> None:
    seen.save(tmp_path / "recording.npz")
    back = BattleRecording.load(tmp_path / "recording.npz")
    np.testing.assert_array_equal(back.position, seen.position)
    np.testing.assert_array_equal(back.health, seen.health)


@pytest.mark.long
def test_a_game_and_its_recording_share_one_program(programs: list[str]) -> None:
    """All that the first game of a world needs: terrain, orders, the start and the loop, which also says the end."""
    jax.clear_caches()
    world = hive.load("coordinate", units=20, limit=3)
    plan = hive.read_plan("coordinate", world)
    hive.play(world, plan, [SEED], recorder=GameRecorder(world, plan))
    assert programs[:4] == ["make_terrain", "make_orders", "start", "go_on_watched"]
    assert set(programs[4:]) <= {"dynamic_slice", "squeeze"}  # one number is read for the words on how the game ended
