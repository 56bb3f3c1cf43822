"""`hive describe`: both forms, their counts, and the state at a tick."""

from __future__ import annotations

from pathlib import Path

import pytest

import hive.rl as rl
import scenarios
from hive.worlds.battle.drawn.sets import SetBattle, make_set
from tests.cli.conftest import SMALL, Hive
from tests.cli.test_explaining import duel

__all__ = ["duel"]

KEYS = ["scenario", "id", "seed", "tick", "prompt", "system", "state", "compact", "characters"]


def test_the_full_form_is_system_text_and_state(hive: Hive) -> None:
    ran, found = hive("describe", *SMALL), hive("describe", *SMALL, "--json").json
    assert ran.code == 0 and list(found) == KEYS
    assert ran.out == f"{found['system']}\n\n{found['state']}\n"
    assert found["state"].count("Health: [") == 2 and found["state"].count("positions: [") == 4
    assert (found["scenario"], found["seed"], found["tick"]) == ("coordinate", 0, 0) and found["prompt"] == "battle/1"


def test_the_compact_form_is_printed_alone_and_both_are_counted(hive: Hive) -> None:
    """A count of the characters of both."""
    ran, found = hive("describe", *SMALL, "--compact"), hive("describe", *SMALL, "--json").json
    assert ran.out == f"{found['compact']}\n" and "X positions" not in ran.out
    full = len(found["system"]) + 2 + len(found["state"])
    assert found["characters"] == {"full": full, "compact": len(found["compact"])}
    assert ran.err.splitlines()[-1] == f"characters: {full:,} in full, {len(found['compact']):,} compact"


def test_speeds_and_the_map_may_be_those_of_the_published_study(hive: Hive) -> None:
    """docs/rules/scenarios.md 3.1 and 3.2."""
    ran = hive("describe", *SMALL, "--printed-speeds", "--map-picture", "grid", "--compact")
    assert ran.code == 0 and "Moving speed=4;" in ran.out and "Moving speed=1;" not in ran.out
    assert "A picture shows the map" in ran.out and "Northern Forest:" not in ran.out


@pytest.mark.parametrize("option", [("--printed-speeds",), ("--map-picture", "raw")])
def test_levels_have_true_speeds_and_a_map_in_words(hive: Hive, option: tuple[str, ...]) -> None:
    ran = hive("describe", "wildfire/cut_trees_sparse_small", *option)
    assert (ran.code, ran.out) == (2, "") and f"`{option[0]}` cannot be used here" in ran.err


@pytest.mark.slow
def test_the_state_is_that_of_the_tick_and_the_seed(hive: Hive, duel: tuple[str, ...]) -> None:
    words = ("describe", *duel[1:])
    states = {
        (tick, seed): hive(*words, "--tick", tick, "--seed", seed, "--json").json["state"]
        for tick, seed in ((0, 0), (5, 0), (0, 1))
    }
    assert len(set(states.values())) == 3


@pytest.mark.slow
def test_a_game_that_ended_before_says_so(hive: Hive, duel: tuple[str, ...]) -> None:
    ran = hive("describe", *duel[1:], "--tick", 500, "--json")
    assert ran.code == 0 and ran.json["tick"] < 50
    assert f"the game ended after {ran.json['tick']} ticks" in ran.err


def test_the_text_lists_markers(hive: Hive) -> None:
    """They appear in the text a model would get."""
    ran = hive("describe", *SMALL, "--marker", "B=60,20", "--marker", "A=5,7", "--compact")
    assert "\nMarkers:\nA at (5, 7)\nB at (60, 20)\n" in ran.out


def test_a_plan_with_errors_is_refused(hive: Hive, broken: object) -> None:
    ran = hive("describe", "coordinate", "--plan", broken)
    assert (ran.code, ran.out) == (2, "") and "error[plan-coordinate]" in ran.err


def test_a_scenario_without_a_plan_is_described(hive: Hive, tmp_path: Path) -> None:
    """The commander reads it before the first plan is written; only later ticks need one."""
    text = scenarios.read("coordinate").replace('plan = "coordinate"\n', "")
    (tmp_path / "bare.toml").write_text(text)
    ran = hive("describe", "bare.toml", "--units", 20, "--compact")
    assert ran.code == 0 and "Where the units stand" in ran.out
    assert "plan bounds rescaled" in ran.err
    assert hive("describe", "bare.toml", "--tick", 5).code == 2


def test_a_task_for_learners_is_its_facts(hive: Hive) -> None:
    ran, found = hive("describe", "skirmish_5v5"), hive("describe", "skirmish_5v5", "--json").json
    assert (ran.code, ran.err) == (0, "") and ran.out == f"{rl.describe('skirmish_5v5')}\n"
    assert list(found) == ["task", "id", "summary", "facts", "actions"] and found["task"] == "skirmish_5v5"
    assert found["facts"]["Agents"] == "5" and found["actions"][9] == {"number": "9", "action": "attack enemy 1"}
    ran = hive("describe", "skirmish_5v5", "--units", 9, "--compact")
    assert (ran.code, ran.out) == (2, "")
    assert "`--compact` and `--units` cannot be used here: skirmish_5v5 is a task for learners" in ran.err


def test_an_order_of_the_kitchen_is_described_at_its_start(hive: Hive) -> None:
    """Bob alone has the recipe, and the short form leaves the actions out."""
    ran, found = hive("describe", "kitchen/boiled_egg"), hive("describe", "kitchen/boiled_egg", "--json").json
    assert ran.code == 0 and list(found) == KEYS
    bob, alice = found["system"].split("# Alice")
    assert "cook egg in pot0: boiled_egg" in bob and "egg in" not in alice and "cut(chopping_board0)" in alice
    assert "cut(chopping_board0)" not in found["compact"] and found["state"] in ran.out and found["tick"] == 0


def test_what_an_order_is_not_is_said(hive: Hive) -> None:
    late, plain = (hive("describe", *words) for words in (("kitchen/boiled_egg", "--tick", "3"), ("boiled_egg",)))
    assert [late.code, plain.code] == [2, 2]
    assert "`--tick` cannot be used here: kitchen/boiled_egg is a kitchen order" in late.err
    assert "`hive run kitchen/boiled_egg` lets a team play it" in plain.err


@pytest.mark.slow
def test_a_set_of_battles_is_described_as_a_task(hive: Hive, tmp_path: Path) -> None:
    """Learners are told the teams, the missions and the digest of its battles."""
    found = make_set("mine/two", "two battles", [SetBattle("battle/open/22", 1), SetBattle("battle/rivers/22")])
    (tmp_path / "two.toml").write_text(found.toml())
    ran = hive("describe", "two.toml", "--json")
    assert ran.code == 0, ran.err
    facts = ran.json["facts"]
    assert (ran.json["id"], ran.json["summary"]) == ("two.toml", "two battles")
    assert (facts["Team"], facts["Digest"], facts["Agents"]) == ("20 to 24 units", found.digest, "24")
    assert facts["Missions"] == "1 elimination, 1 position"
