"""Battles and levels are loaded by name through one function."""

from __future__ import annotations

import pytest

import hive
from dsl import UserError
from hive.wildfire.world import Fireground
from hive.worlds import kind_of, kinds


def test_a_name_says_its_kind_of_world() -> None:
    """A file in a folder that is called `wildfire` is a scenario."""
    nouns = {
        "wildfire/scout_fire_small": "wildfire level",
        "wildfire/no_such_level": "wildfire level",
        "coordinate": "battle",
        "wildfire/mine.toml": "battle",
    }
    assert {name: kind_of(name).noun for name in nouns} == nouns


def test_every_shipped_world_is_claimed_by_its_own_kind_alone() -> None:
    for kind in kinds().values():
        assert kind.names() and {kind_of(name).noun for name in kind.names()} == {kind.noun}


def test_both_take_their_own_overrides() -> None:
    level = hive.load("wildfire/cut_trees_lines_small", seed=7, limit=9)
    assert isinstance(level, Fireground) and (level.site.seed, level.limit) == (7, 9)
    battle = hive.load("coordinate", units=10, limit=9)
    assert battle.sizes[0] == 10 and battle.limit == 9
    with pytest.raises(UserError, match="did you mean `limit`"):
        hive.load("wildfire/cut_trees_lines_small", limt=9)


def test_a_level_is_played_in_batches_like_a_battle() -> None:
    """Seeds of games draw how civilians walk; the map stays that of the level's seed."""
    world = hive.load("wildfire/rescue_known_small", seed=3, limit=6)
    groups = "units: all\n- target position: (9, 9)\n- behavior: stand\n"
    plan = hive.read_plan(f"Step 0:\nprerequisites: []\nobjective: rescue 3 (9, 9)\n{groups}", world)
    result = hive.play(world, plan, [0, 1])
    assert result.outcome == ("timeout", "timeout") and result.score.tolist() == [0, 0]
    assert result.json()["results"][0]["survivors"]["player"] == {"firefighter": 3}
    assert result.score_is == "points of the level"
