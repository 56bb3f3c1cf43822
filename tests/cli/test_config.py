"""`config.json` of every command says how the folder was made: the complete command, the seeds and the versions."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from dsl import UserError
from hive.cli.progress_folder import open_progress
from hive.kit.keep.config import config_file
from tests.cli.conftest import Hive

HIVE = Path(__file__).parents[2] / "hive"
WRITERS = {"kit/keep/config.py", "cli/progress_folder.py"}  # the second writes what decides a result, to be compared


def test_only_one_function_writes_it() -> None:
    """No command writes the file with words of its own, so that none can leave out a part."""
    written = re.compile(r"""["']config\.json["']\s*[:\]]|\bMARK\s*[:\]]""")
    found = {path.relative_to(HIVE).as_posix(): path.read_text(encoding="utf-8") for path in HIVE.rglob("*.py")}
    assert {name for name, text in found.items() if written.search(text)} == WRITERS
    callers = {name for name, text in found.items() if "config_file(" in text or "games_folder(" in text}
    makers = {name for name, text in found.items() if re.search(r"\b(write_run|finish_run|save_folder)\(", text)}
    indirect = {  # their files come from a module that calls it, or they only replace a folder's parts
        "cli/options.py", "cli/progress_folder.py", "kit/keep/finishing.py", "kit/keep/runfolder.py",
    }  # fmt: skip
    assert makers - indirect <= callers, makers - callers


def test_a_command_goes_on_whatever_kind_of_sequence_decides_its_results(tmp_path: Path) -> None:
    """Files keep tuples as lists, so they are compared as lists."""
    identity = {"limits": (1.0, 2.0), "tasks": [("egg", 1)]}
    begun = open_progress(tmp_path / "mine", identity, "run", False)
    assert open_progress(tmp_path / "mine", identity, "run", False) == begun
    with pytest.raises(UserError, match="limits"):
        open_progress(tmp_path / "mine", {**identity, "limits": (1.0,)}, "run", False)
    with pytest.raises(UserError, match="tasks"):  # a command that decides less is another one, too
        open_progress(tmp_path / "mine", {"limits": identity["limits"]}, "run", False)


def test_it_holds_facts_of_the_command_in_order() -> None:
    (text,) = config_file("hive sweep 'a b'", {"one": range(2)}, games=4).values()
    config = json.loads(text)
    assert list(config) == ["command", "games", "seeds", "versions"] and config["seeds"] == {"one": [0, 1]}
    assert json.loads(*config_file("hive", [3, 3, 1]).values())["seeds"] == [3, 1]
    with pytest.raises(ValueError, match="not JSON compliant"):
        config_file("hive", [], share=float("nan"))


def test_every_table_of_a_folder_is_a_csv_too() -> None:
    """A module of a command that writes a table or results as JSON also writes CSV, by the one writer."""
    names = "table results? scores runs games ratings abilities study competency optima errors effects scale cells"
    kept = re.compile(f'"(?:{"|".join(names.split())}|tests|outcome|samples)[.]jsonl?"')
    found = {path.relative_to(HIVE).as_posix(): path.read_text(encoding="utf-8") for path in HIVE.rglob("*.py")}
    tables = {name for name, text in found.items() if kept.search(text)}
    readers = {"worlds/rescue/score_files.py", "cli/kitchen/plot.py"}  # they read such files
    assert len(tables) >= 15 and {name for name in tables if "csv_text(" not in found[name]} == readers


@pytest.mark.parametrize(
    ("words", "seeds"),
    [
        pytest.param(  # `test_keeping` has the same of a battle by default
            ["run", "rescue/map_7/agents-1", "--player", "heuristic", "--seeds", "2"], [0, 1], marks=pytest.mark.long
        ),
        (["rescue", "draw", "map_7/agents-1"], []),
        pytest.param(["rescue", "optimum", "map_7/agents-1"], [], marks=pytest.mark.long),
        (["household", "write", "generated_7"], []),
        pytest.param(["competency", "--published"], [], marks=pytest.mark.long),
    ],
)
def test_folders_of_commands_say_how_they_were_made(
    hive: Hive, tmp_path: Path, words: list[str], seeds: list[int]
) -> None:
    ran = hive(*words, "--out", "my folder")
    assert ran.code == 0, ran.err
    config = json.loads((tmp_path / "my folder" / "config.json").read_text("utf-8"))
    assert config["command"] == f"hive {' '.join(words)} --out 'my folder'" and config["seeds"] == seeds
    assert {"hive-swarm", "jax", "python", "commit"} <= config["versions"].keys()
    for path in (tmp_path / "my folder").rglob("*.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert rows and all(None not in row and None not in row.values() for row in rows), path.name
