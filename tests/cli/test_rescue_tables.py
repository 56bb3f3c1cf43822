"""`hive rescue table` and `optimum`: proved values with plans, folders with pictures, and wrong command lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hive.players.teams import games
from tests.cli.conftest import Hive


def test_an_optimum_is_a_row_and_a_plan(hive: Hive) -> None:
    ran = hive("rescue", "optimum", "[map-7, agents-1, victims]")
    lines = ran.out.splitlines()
    assert lines[1].split()[:6] == ["map_7/agents-1", "2", "of", "2", "4", "10"]
    assert lines[3].startswith("Proved: no plan serves more victims, and none that serves as many takes fewer steps.")
    assert lines[5].split() == ["step", "Alpha", "Bravo"] and len(lines) == 6 + 4
    told = hive("rescue", "optimum", "map_7/agents-1", "--objective", "weighted", "--urgent-weight", "5", "--json")
    (found,) = told.json["optima"]
    assert (found["urgent_weight"], found["value"], found["weighted"], found["steps"]) == (5, 16, 16, 6)
    assert len(found["plan"]) == 6 and {*found["plan"][0]} == {"Alpha", "Bravo"}


@pytest.mark.slow
def test_a_table_has_every_instance_its_pictures_and_the_published_totals(hive: Hive, tmp_path: Path) -> None:
    ran = hive("rescue", "table", "--out", "table")
    assert ran.code == 0, ran.err
    assert "map_6/agents-1  4        7        3 of 4 served" in ran.out
    assert "literal                      34 of 35    11 of 12" in ran.out
    assert "published: heuristic         34 of 35" in ran.out
    names = {path.name for path in (tmp_path / "table").iterdir()}
    assert names == {"config.json", "table.json", "runs.csv", "teams.csv", "rescued.png", "urgency.png"}
    found = json.loads((tmp_path / "table/table.json").read_text())
    assert found["teams"]["literal"]["urgency_efficiency"] == dict.fromkeys(
        ("urgent", "not_urgent", "urgent_censored", "not_urgent_censored"), 1.0
    )
    assert len(found["runs"]) == 12 * 7
    assert "command" in json.loads((tmp_path / "table/config.json").read_text())


@pytest.mark.long
def test_a_table_of_players_that_was_interrupted_goes_on(
    hive: Hive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends as one that was not interrupted, and another table is refused in its place."""
    words = ("rescue", "table", "map_7/agents-1", "--player", "speaker", "--vary", "expiry=0,1")
    whole = hive(*words, "--json", "--out", "whole")
    assert whole.code == 0, whole.err
    played = games.play_kept

    def interrupted(*args: Any) -> None:
        def stop(*_: object) -> None:
            if args[0].envs[0].tick > 2:
                raise KeyboardInterrupt

        monkeypatch.setattr(args[-2], "update", stop)  # the watch, before `seen`
        played(*args)

    monkeypatch.setattr(games, "play_kept", interrupted)
    ran = hive(*words, "--out", "again")
    assert ran.code == 130 and "the same command resumes from there" in ran.err
    monkeypatch.setattr(games, "play_kept", played)
    other = hive(*words[:-1], "expiry=0,2", "--out", "again")
    assert other.code == 2 and "belongs to another table" in other.err
    ran = hive(*words, "--json", "--out", "again")
    assert ran.code == 0 and ran.json == whole.json, ran.err
    assert not (tmp_path / "again.progress").exists()


def test_a_run_that_stands_in_a_folder_already_is_refused_before_anything_is_played(
    hive: Hive, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hive("run", "rescue/map_7/agents-1", "--player", "speaker", "--out", "a").code == 0
    monkeypatch.setattr(games, "play_kept", None)  # a call would raise
    ran = hive("rescue", "table", "map_7/agents-1", "--player", "speaker", "--beside", "a")
    assert ran.code == 2 and "there are two runs of `speaker` in map_7/agents-1\n  = help: give each" in ran.err


@pytest.mark.long
def test_generated_instances_are_counted_and_drawn(hive: Hive, tmp_path: Path) -> None:
    ran = hive("rescue", "table", "--generated", 4, "--seed", 3, "--json", "--out", "many")
    assert ran.code == 0 and [each["instances"] for each in ran.json["teams"]] == [4] * 5
    assert {path.name for path in (tmp_path / "many").iterdir()} == {
        "config.json",
        "table.json",
        "teams.csv",
        "misses.png",
    }


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("optimum", "name a rescue\n  = help: hive rescue optimum map_7/agents-1"),
        ("optimum map_9/agents", "there is no rescue `map_9/agents`"),
        (
            "optimum map_7/agents --generated 5",
            "--generated belongs to `hive rescue table`, not to `hive rescue optimum`",
        ),
        ("optimum map_7/agents --urgent-weight 0", "--urgent-weight"),
        ("optimum map_7/agents --objective fast", "--objective"),
        ("table map_7/agents --generated 5", "--generated cannot be used with names of instances or with --beside"),
        ("table --seed 1", "--seed belongs to --generated"),
        ("table --generated 5 --player speaker", "--generated cannot be used with players"),
        (
            "table --set memory=3",
            "`--set` cannot be used here: no further player is named",
        ),
        ("table map_7/agents --player speaker --set memory=x", "`memory` is a number of turns, 0 or more, or `all`"),
        ("table map_7/agents --player speaker --vary sight=true,belived", "help: did you mean `believed`?"),
        ("table map_7/agents --player speaker --set limit=0", "`limit` is a whole number of steps from 1 to 60, not 0"),
        ("table map_7/agents --player speker", "there is no player `speker` for a rescue"),
        ("table map_7/agents --temperature 0.5", "`--temperature` cannot be used here: no model is asked"),
        ("table map_7/agents --beside nowhere", "cannot read nowhere/result.json"),
    ],
)
def test_a_wrong_command_line_is_explained(hive: Hive, words: str, why: str) -> None:
    ran = hive("rescue", *words.split())
    assert ran.code == 2 and ran.out == "" and why in ran.err
