"""Files and numbers that are damaged or hostile end a command with code 2 and a message, before anything is played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hive.rl.runs import FORMAT
from tests.cli.conftest import Hive

DEEP = "[" * 100_000
PLAYER = {"name": "old", "speaker": "old"}
GAME = {"level": 1, "task": "boiled_egg", "success": True, "pc": 1.0, "ic": 1.0, "rc": 0.5, "events": 1}


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("conform mine/cases.json", "cases.json"),
        ("competency mine/runs.json", "runs.json"),
        ("rescue table map_7/agents-1 --beside mine", "result.json"),
        ("kitchen plot mine", "result.json"),
        ("evaluate mine", "config.json"),
    ],
)
def test_json_that_is_nested_too_deeply_is_refused(hive: Hive, tmp_path: Path, command: str, name: str) -> None:
    """Python's parser gives up with an error that is not one of values."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text(DEEP)
    ran = hive(*command.split())
    assert (ran.code, ran.out) == (2, "") and ran.err.startswith("error") and "recursion" not in ran.err


@pytest.mark.parametrize(
    "game",
    [
        {"level": "x"}, {"task": 1}, {"success": "yes"}, {"pc": None}, {"ic": float("nan")}, {"rc": 2}, {"events": [3]},
    ],
)  # fmt: skip
def test_a_kitchen_run_that_cannot_be_drawn_is_refused(hive: Hive, tmp_path: Path, game: dict[str, Any]) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "result.json").write_text(json.dumps({"players": [PLAYER], "games": [GAME | game]}))
    ran = hive("kitchen", "plot", "old", "--out", "new")
    assert ran.code == 2 and "old/result.json is not the result of a run of the kitchen" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


TASK = {"name": "skirmish_5v5", "sparse": False, "changes": {}, "agents": 5, "actions": 14, "features": 1, "limit": 9}
RUN = {"format": FORMAT, "task": TASK, "algorithm": "ippo", "settings": {}, "lanes": [{"seed": 0}], "every": 1}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"task": 5}, "task must be an object"),
        ({"task": {"name": "skirmish_5v5"}}, "task.actions is missing"),
        ({"task": TASK | {"changes": {"limit": "a"}}}, "must be a finite number"),
        ({"task": TASK | {"sparse": 1}}, "task.sparse must be true or false"),
        ({"algorithm": "env"}, "its algorithm is unknown"),
        ({"settings": [1]}, "config.settings must be an object"),
        ({"settings": {"nope": 1}}, "there is no setting 'nope'"),
        ({"lanes": []}, "it has no lane"),
        ({"lanes": [{"learning_rate": 1}]}, "a lane has no seed"),
        ({"lanes": [{"seed": 0, "width": 3}]}, "a setting that cannot vary"),
        ({"settings": {"rate": 0.001}}, "there is no setting 'rate'"),
        ({"every": 0}, "its chunks are empty"),
    ],
)
def test_a_damaged_training_run_is_refused(hive: Hive, tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    (tmp_path / "mine" / "checkpoints").mkdir(parents=True)
    (tmp_path / "mine" / "config.json").write_text(json.dumps(RUN | changes))
    ran = hive("evaluate", "mine")
    assert (ran.code, ran.out) == (2, "") and "mine is damaged: its config.json is not that of a run" in ran.err
    assert words in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--setting width=1e12", "`width` is 1e+12: it is at most 4,096"),
        ("--setting update_epochs=1e6", "`update_epochs` is 1e+06: it is at most 1,000"),
        ("--setting num_envs=1e300", "one update of 1e+300 x 64 steps is too large"),
        ("--steps 1e12 --setting num_steps=1e9", "one update of 64 x 1000000000 steps is too large"),
        ("--set limit=1e300", "1e+300"),
    ],
)
def test_settings_that_no_memory_holds_are_refused(hive: Hive, tmp_path: Path, words: str, message: str) -> None:
    ran = hive("train", "skirmish_5v5", *words.split())
    assert (ran.code, ran.out) == (2, "") and message in ran.err and len(ran.err) < 400
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("world", ["household/cwah_0", "rescue/map_7/agents-1", "kitchen/boiled_egg"])
def test_a_refused_option_has_the_name_that_the_command_line_knows(hive: Hive, world: str) -> None:
    ran = hive("describe", world, "--rules", "published")
    assert ran.code == 2 and "`--rules` cannot be used here" in ran.err


@pytest.mark.parametrize(
    ("option", "words"),
    [("utility", "mine.npz holds no learned costs of options"), ("tips", "and a shared list has at most 5,000")],
)
def test_a_wrong_file_of_a_household_leaves_no_progress(hive: Hive, tmp_path: Path, option: str, words: str) -> None:
    """Both are read before the folder of the progress is made."""
    (tmp_path / "mine.npz").write_text("x" * 6_000)
    ran = hive("run", "household/cwah_0", "--set", f"{option}=mine.npz", "--out", "new")
    assert (ran.code, ran.out) == (2, "") and words in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.npz"]
