"""`hive run WORLD --player NAME`: players of worlds with agents, their folder, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scenarios
from hive.kit.keep.record import check_record
from hive.players.policies import games_table
from hive.rl.registry import task
from tests.cli.conftest import SMALL, Hive

RESCUE, LEVEL = "rescue/map_7/agents-1", "wildfire/scout_fire_small"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            f"{RESCUE} --player heuristik",
            "there is no player `heuristik` for a rescue\n  = help: did you mean `heuristic",
        ),
        (f"{RESCUE} --player plan", "a rescue, which agents play and no plan commands\n  = help: `hive run"),
        (
            f"{RESCUE} --units 3 --lenient",
            "`--units` and `--lenient` cannot be used here: rescue/map_7/agents-1 is a rescue\n  = help: they",
        ),
        (f"{RESCUE} --set limt=3", "a rescue has no setting `limt` for teams\n  = help: did you mean `limit`?"),
        (f"{RESCUE} --set limit=3 --set limit=4", "a setting is given twice with --set"),
        (f"{RESCUE} --seeds published", "has no published seeds\n  = help: give a number"),
        (f"{RESCUE} --player heuristic --model x", "`heuristic` asks no model"),
        (f"{RESCUE} --temperature 1", "`--temperature` cannot be used here: no model is asked"),
        (f"{RESCUE} --base-url http://127.0.0.1:1/v1", "--base-url needs the name of a model"),
        ("kitchen/level9", "there is no level `level9` in the kitchen"),
        ("kitchen/boiled_egg --set freeze=2", "the switch `freeze` is 0 or 1, not 2"),
        ("kitchen/boiled_egg --set gamma=20", "gamma is above 0 and at most 10, not 20"),
        ("household/cwah_0 --player team:coela --set utility=exact", "`coela` shows no learned costs"),
        (
            "coordinate --player team",
            "coordinate is a battle, whose units follow a plan or a policy, so it has no teams",
        ),
        (
            "coordinate --player nobody --units 40",
            "--player takes plan, commander:NAME, policy:FOLDER, random and stand",
        ),
        (
            "coordinate --model x",
            "`--model` cannot be used here: coordinate is a battle\n  = help: it is for wildfire levels, ",
        ),
        ("coordinate --api-key-env K", "`--api-key-env` cannot be used here: coordinate is a battle"),
        (
            "coordinate --timeout 5 --retries 0 --concurrent 2 --grammar auto --max-tokens 9",
            "`--grammar`, `--max-tokens`, `--timeout`, `--retries` and `--concurrent` cannot be used here",
        ),
        ("coordinate --vary limit=3,4", "`--vary` cannot be used here: coordinate is a battle"),
        ("skirmish_5v5 --player random --timeout 5", "`--timeout` cannot be used here: skirmish_5v5 is a task for"),
        (f"{RESCUE} --player random --timeout 5", "`--timeout` is for teams of agents, and a policy plays"),
        (f"{LEVEL} --timeout 5", f"`--timeout` is for teams of agents, and {LEVEL} is played by a plan here"),
        (
            f"{RESCUE} --player heuristic --timeout 5 --max-tokens 9",
            "`--timeout` and `--max-tokens` cannot be used here: no model is asked\n  = help: `--model NAME` names one",
        ),
        (f"{RESCUE} --grammar auto", "`--grammar` cannot be used here: rescue/map_7/agents-1 is a rescue"),
        (f"{RESCUE} --period 3", "`--period` cannot be used here: rescue/map_7/agents-1 is a rescue"),
        (f"{RESCUE} --player plans", "there is no player `plans` for a rescue"),
        (f"{RESCUE} --vary limit=3,3", "--vary limit names a value twice"),
        (f"{RESCUE} --vary limit=3,4 --set limit=5", "the setting `limit` is given twice"),
        (f"{RESCUE} --player heuristic --player optimal --method mine", "--method names one player"),
        (
            "rescue/map_7/agents-1 --model m --perception image --base-url http://127.0.0.1:1/v1",
            "`--perception` cannot be used here: rescue/map_7/agents-1 is a rescue",
        ),
        ("wildfire/scout_fire_small --player team:coela --perception grid", "a scripted speaker reads texts and no p"),
        ("wildfire/scout_fire_small --player team:nothing --perception grid", "`--perception` cannot be used here"),
        ("coordinate --perception image", "`--perception` cannot be used here: coordinate is a battle"),
        ("coordinate --player random --set limit=5 --set limit=9", "the rule `limit` is set twice"),
        ("coordinate --set limit=long", "`limit=long` is not of the form RULE=NUMBER"),
        ("skirmish_5v5 --player random --player team", "`team` cannot stand next to policies"),
        ("skirmish_5v5 --player policy", "a policy is named with the folder of its training run"),
        ("skirmish_5v5 --player random:x", "`random` is a player without a folder"),
        ("skirmish_5v5 --player policy:missing", "missing"),
        ("coordinate --player random --plan duel", "`--plan` cannot be used here: a policy plays"),
        ("coordinate --player plan --player plan:x", "`plan` plays alone, and --player names 2 players"),
        ("coordinate --player plan:a --plan b", "--player plan:a and --plan contradict each other"),
    ],
)
def test_a_wrong_command_line_is_explained_before_anything_is_played(hive: Hive, words: str, why: str) -> None:
    ran = hive("run", *words.split())
    assert ran.code == 2 and ran.out == "" and why in ran.err, ran.err
    assert not Path("runs").exists()


def test_a_run_without_out_is_kept_and_its_replay_is_found(hive: Hive, tmp_path: Path) -> None:
    ran = hive("run", RESCUE, "--player", "heuristic", "--player", "optimal", "--json", "--out", str(tmp_path / "a"))
    assert ran.code == 0, ran.err
    result = json.loads(ran.out)
    assert result["world"] == RESCUE and [each["name"] for each in result["players"]] == ["heuristic", "optimal"]
    assert json.loads((tmp_path / "a/result.json").read_text("utf-8"))["runs"] == result["runs"]
    files = {path.name for path in (tmp_path / "a/optimal/map_7-agents-1").iterdir()}
    assert files == {
        "result.json", "steps.jsonl", "transcript.md", "journal.jsonl", "recording.npz", "picture.png",
    }  # fmt: skip
    page = hive("replay", str(tmp_path / "a"), "--episode", "optimal/map_7-agents-1")
    assert page.code == 0, page.err


def test_values_of_a_setting_are_played_side_by_side(hive: Hive, tmp_path: Path) -> None:
    """The rule: any world with agents can be varied, and each value has the folder of a run of its own."""
    ran = hive("run", RESCUE, "--player", "heuristic", "--vary", "limit=2,5", "--out", "a")
    assert ran.code == 0, ran.err
    assert "mean score with" in ran.out and "limit 2" in ran.out and "limit 5" in ran.out
    result = json.loads((tmp_path / "a/result.json").read_text("utf-8"))
    assert [each["varied"] for each in result["variants"]] == [{"limit": 2}, {"limit": 5}]
    alone = hive("run", RESCUE, "--player", "heuristic", "--set", "limit=5", "--json", "--out", "b")
    assert result["variants"][1]["runs"] == json.loads(alone.out)["runs"]
    inside = Path("limit-5/map_7-agents-1/recording.npz")
    assert (tmp_path / "a" / inside).read_bytes() == (tmp_path / "b" / Path(*inside.parts[1:])).read_bytes()
    assert check_record(tmp_path / "a") is not None


def test_a_plan_and_a_commander_are_players_too(hive: Hive, tmp_path: Path) -> None:
    """The plan has the sizes of the shipped one, so that the program is that of other tests."""
    other = scenarios.plan("coordinate").replace("in_long_range", "and_move")
    (tmp_path / "other.plan").write_text(other)
    words = ("run", *SMALL, "--seeds", 2, "--json")
    by_option = hive(*words, "--plan", "other.plan")
    by_player = hive(*words, "--player", "plan:other.plan")
    assert by_option.code == by_player.code == 0
    shown = [json.loads(ran.out) for ran in (by_option, by_player)]
    assert shown[0]["plan"] == shown[1]["plan"] and shown[0]["results"] == shown[1]["results"]


@pytest.mark.parametrize(
    ("world", "times"),
    [
        ("coordinate", "ticks"),
        ("wildfire/cut_trees_sparse_small", "ticks"),
        ("kitchen/boiled_egg", "timesteps"),
        (RESCUE, "steps"),
        ("household/cwah_0", "steps"),
    ],
)
def test_the_table_of_policies_has_the_word_of_the_world_for_its_time(world: str, times: str) -> None:
    assert games_table([], task(world)).split()[-1] == times


@pytest.mark.long
def test_policies_without_training_play_any_world_and_are_recorded(hive: Hive, tmp_path: Path) -> None:
    words = ("--player", "random", "--player", "stand", "--seeds", "2", "--json", "--out", str(tmp_path / "a"))
    ran = hive("run", RESCUE, *words)
    assert ran.code == 0, ran.err
    assert [(each["name"], each["games"]) for each in json.loads(ran.out)["players"]] == [("random", 2), ("stand", 2)]
    assert (tmp_path / "a/random/0/recording.npz").exists()
    again = hive("run", RESCUE, "--player", "random", "--seeds", "2", "--json")
    assert json.loads(again.out)["players"][0] == json.loads(ran.out)["players"][0]
