"""`hive explain` says which leaf won and why others failed, or why there is nothing to say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import SMALL, Hive

SCENARIO = """\
version = 1
title = "Duel"
summary = "archers in sight of each other"
[map]
size = 20
[rules]
limit = 50
movement_randomness = 0
jitter = 0
[player]
units = [
  { type = "archer", count = 2, box = [0.0, 0.0, 0.05, 0.05] },
  { type = "spearmen", count = 1, box = [0.9, 0.0, 0.05, 0.05] },
]
[enemy]
plan = "enemy.plan"
units = [{ type = "archer", count = 2, box = [0.0, 0.4, 0.05, 0.05] }]
"""
PLAN = """\
Step 3:
prerequisites: []
objective: elimination all
units: [0:2]
- target position: (18, 10)
- behavior: attack_in_long_range archer cavalry
"""
ENEMY = PLAN.replace("Step 3", "Step 0").replace("attack_in_long_range archer cavalry", "attack_in_close_range any")


@pytest.fixture
def duel(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "duel.toml").write_text(SCENARIO)
    (tmp_path / "mine.plan").write_text(PLAN)
    (tmp_path / "enemy.plan").write_text(ENEMY)
    return ("explain", "duel.toml", "--plan", "mine.plan")


def test_the_winning_leaf_is_marked(hive: Hive, duel: tuple[str, ...]) -> None:
    """Enemy archers within reach of each other: the flight of the long-range tree wins."""
    ran = hive(*duel, "--unit", 0, "--tick", 0)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "duel, plan mine, seed 0, after 0 ticks"
    assert lines[1].startswith("unit 0: player archer at (") and lines[1].endswith("health 2 of 2, cooldown 0")
    assert lines[2] == "commanded by step 3 of the player's plan, units [0:2]:"
    assert lines[3].startswith("  attack_in_long_range archer cavalry, target (18, 10), ")
    assert "│  ├─ C(in_reach foe me_from_them high archer or cavalry)" in ran.out
    assert "A(attack random archer or cavalry)" in ran.out and " any" not in ran.out
    assert ran.out.count("<- wins") == 1
    assert lines[-1].startswith("action: ")


def test_json_holds_the_facts(hive: Hive, duel: tuple[str, ...]) -> None:
    found = hive(*duel, "--unit", 3, "--tick", 0, "--json").json
    assert list(found) == ["scenario", "plan", "seed", "tick", "unit", "command", "leaves", "action"]
    assert (found["unit"]["id"], found["unit"]["side"], found["unit"]["alive"]) == (3, "enemy", True)
    assert found["command"] == {
        "step": 0,
        "units": "[0:2]",
        "choice": None,
        "target": [18, 10],
        "cover": False,
        "behind": None,
        "behaviour": "attack_in_close_range",
        "types": ["any"],
        "leash": None,
    }
    assert [leaf["won"] for leaf in found["leaves"]] == [True, False, False]
    assert found["leaves"][0]["text"] == "A(attack random any)" and found["leaves"][1]["asked"] is False
    target = found["action"]["unit"]
    assert found["action"]["kind"] == "attack" and target in (0, 1)
    assert found["leaves"][0]["chose"] == {"unit": target, "distance": found["action"]["distance"]}
    assert 6 < found["action"]["distance"] < 10


WORDED = """\
Step 3:
prerequisites: []
objective: time 9
units: nearest 1 of [0:2] to (0, 0)
- target position: (18, 10) under cover
- behavior: hold within 5
units: [2]
- target position: behind [0:2] by 3
- behavior: follow_map
"""


@pytest.mark.slow
def test_orders_of_the_second_edition_are_told(hive: Hive, duel: tuple[str, ...]) -> None:
    """A choice, a leash, a way under cover and the group ahead, as facts and in words."""
    Path("mine.plan").write_text(WORDED)
    archers = [hive(*duel, "--unit", unit, "--tick", 0).out for unit in (0, 1)]
    (chosen,) = [out for out in archers if "units nearest 1 of [0:2] to (0, 0):\n" in out]
    assert "  hold within 5, target (18, 10) under cover, " in chosen
    assert sum("no step of its plan has commanded it" in out for out in archers) == 1
    follower = hive(*duel, "--unit", 2, "--tick", 0, "--json").json["command"]
    assert follower["behind"] == {"units": "[0:2]", "gap": 3} and follower["cover"]
    assert "  behind units [0:2] by 3 m\n" in hive(*duel, "--unit", 2, "--tick", 0).out
    leader = hive(*duel, "--unit", archers.index(chosen), "--tick", 0, "--json").json["command"]
    assert (leader["choice"], leader["leash"]) == ({"nearest": 1, "to": [0, 0]}, 5)


@pytest.mark.slow
def test_a_move_says_how_far(hive: Hive, duel: tuple[str, ...]) -> None:
    """In the tick after its attack a unit's weapon is not ready: it moves (docs/rules/battles.md 3.4)."""
    found = hive(*duel, "--unit", 3, "--tick", 1, "--json").json
    assert found["unit"]["cooldown"] == 1
    assert found["action"]["kind"] == "move"
    assert found["leaves"][0]["why"] == [{"reason": "not_ready", "cooldown": 1}]
    assert [leaf["why"] for leaf in found["leaves"][1:]] == [None, None]
    assert "failure: the weapon is not ready (cooldown 1)\n" in hive(*duel, "--unit", 3, "--tick", 1).out
    assert 0 < sum(part**2 for part in found["action"]["by"]) <= 4.001


def test_a_unit_that_no_step_names_stands(hive: Hive, duel: tuple[str, ...]) -> None:
    ran = hive(*duel, "--unit", 2, "--tick", 0)
    assert ran.code == 0 and ran.out.endswith("no step of its plan has commanded it so far: it stands\n")


@pytest.mark.slow
def test_the_dead_do_nothing(hive: Hive, duel: tuple[str, ...]) -> None:
    for tick in range(1, 12):
        ran = hive(*duel, "--unit", 0, "--tick", tick)
        if ran.code == 2 or "is dead" in ran.out:
            break
    assert ran.code == 0 and ran.out.endswith("it is dead, and the dead do nothing\n")
    found = hive(*duel, "--unit", 0, "--tick", tick, "--json").json
    assert (found["unit"]["alive"], found["action"], found["leaves"]) == (False, {"kind": "stand"}, [])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--unit", "40", "--tick", "0"],
            "there is no unit 40\n  = help: the player's are 0 to 19, the enemy's 20 to 39",
        ),
        (["--unit", "-1", "--tick", "0"], "argument --unit: -1 is out of range"),
        (["--unit", "0"], "the following arguments are required: --tick"),
    ],
)
def test_what_cannot_be_explained_is_said(hive: Hive, words: list[str], message: str) -> None:
    ran = hive("explain", *SMALL, *words)
    assert (ran.code, ran.out) == (2, "")
    assert f"error: {message}" in ran.err


@pytest.mark.slow
def test_a_tick_after_the_end_is_refused(hive: Hive, duel: tuple[str, ...]) -> None:
    ran = hive(*duel, "--set", "limit=2", "--unit", 0, "--tick", 2)
    assert (ran.code, ran.out) == (2, "")
    assert "error: the game with seed 0 ends after 2 ticks (timeout)\n  = help: give a --tick below 2" in ran.err


def test_a_tick_after_the_limit_is_refused_before_anything_is_played(hive: Hive, duel: tuple[str, ...]) -> None:
    ran = hive(*duel, "--set", "limit=2", "--unit", 0, "--tick", 999)
    assert (ran.code, ran.out) == (2, "")
    assert "ends after 2 ticks at the latest\n  = help: give a --tick below 2" in ran.err


def test_a_plan_with_errors_is_refused(hive: Hive, broken: Path) -> None:
    ran = hive("explain", *SMALL, "--plan", broken, "--unit", 0, "--tick", 0)
    assert (ran.code, ran.out) == (2, "") and ran.err.count("error[") == 5
